// One batch in the list: how far it is, what can be done with it, what failed.
import { make } from "../page/dom.mjs";
import { isOver, routeSentences, sentence, shownState } from "./told.mjs";

const SURE_MS = 4000;
const FORMATS = ["markdown", "jsonl", "csv", "xlsx", "docx", "pdf", "boxes", "srt", "vtt"];

export class Card {
  /** @param {object} parts t, words, locale, act(job, what), open(job), details(job) -> the batch with its failures */
  constructor({ t, words, locale, act, open, details, job }) {
    Object.assign(this, { t, words, locale, details, job });
    this.title = make("bdi", {});
    this.badge = make("span", { class: "wb-badge wb-jobs-state" });
    this.when = make("time", {});
    this.bar = make("progress", { max: 1, "aria-label": t("jobs.progress") });
    this.line = make("p", { class: "wb-jobs-line" });
    this.routes = make("ul", { class: "wb-jobs-routes" });
    this.reason = make("p", { class: "wb-jobs-line wb-wrong", dir: "auto" });
    const button = (what) => this.#button(what, () => act(job.job, what));
    this.buttons = { pause: button("pause"), resume: button("resume"), retry: button("retry") };
    this.cancel = this.#button("cancel", () => this.#sure(() => act(job.job, "cancel")));
    this.show = this.#button("show", () => open(job.job));
    this.link = make("a", { class: "wb-download", download: "", textContent: t("jobs.zip") });
    this.format = make(
      "select",
      { class: "wb-format", "aria-label": t("jobs.zip.formats"), onchange: () => this.#address() },
      make("option", { value: "", textContent: t("jobs.zip.all") }),
      ...FORMATS.map((name) => make("option", { value: name, textContent: t(`list.format.${name}`) })),
    );
    this.results = make("span", { class: "wb-jobs-results" }, this.show, this.link, this.format);
    this.failed = make("ul", {});
    this.summary = make("summary", {});
    this.fold = make("details", { class: "wb-jobs-failed", ontoggle: () => this.#loadFailures() }, this.summary, this.failed);
    const acts = make("div", { class: "wb-jobs-acts" }, ...Object.values(this.buttons), this.cancel, this.results);
    const head = make("header", {}, make("h3", {}, this.title), this.badge, this.when);
    this.element = make("article", { class: "wb-job", "data-job": job.job }, head, this.bar, this.line, this.routes, this.reason, acts, this.fold);
    this.update(job);
  }

  update(job) {
    const { t } = this;
    const changed = job.failed !== this.job.failed;
    this.job = job;
    const shown = shownState(job);
    this.element.dataset.state = job.state;
    this.badge.dataset.state = shown;
    this.title.textContent = job.name || t("jobs.unnamed", { n: job.job });
    this.badge.textContent = t(`jobs.state.${shown}`);
    this.#moment(job);
    const ended = job.done + job.failed + job.cancelled;
    if (job.total) this.bar.value = ended / job.total;
    else if (isOver(job)) this.bar.value = 0;
    else this.bar.removeAttribute("value");
    this.line.textContent = sentence(job, t, this.words, this.locale);
    const routes = routeSentences(job.routes, t, this.locale).map((textContent) => make("li", { textContent }));
    this.routes.replaceChildren(...routes);
    this.reason.textContent = job.reason ? [job.reason.message, job.reason.hint].filter(Boolean).join(" ") : "";
    this.reason.hidden = !job.reason;
    this.buttons.pause.hidden = !["waiting", "running"].includes(job.state);
    this.buttons.resume.hidden = job.state !== "paused";
    this.buttons.retry.hidden = !job.retryable || job.state === "cancelled";
    this.cancel.hidden = isOver(job);
    this.results.hidden = !job.done;
    this.#address();
    this.fold.hidden = !job.failed;
    this.summary.textContent = t("jobs.failures", { n: job.failed.toLocaleString(this.locale) });
    if (changed) this.#loadFailures();
  }

  #moment(job) {
    const when = new Date(job.ended_at ?? job.created_at);
    this.when.dateTime = when.toISOString();
    this.when.textContent = when.toLocaleString(this.locale, { dateStyle: "medium", timeStyle: "short" });
  }

  #address() {
    const chosen = this.format.value ? `?formats=${this.format.value}` : "";
    this.link.href = `/v1/jobs/${this.job.job}/results.zip${chosen}`;
  }

  #button(what, onclick) {
    return make("button", { type: "button", class: "wb-turn", "data-act": what, textContent: this.t(`jobs.${what}`), onclick });
  }

  /** A second click within a while does it. */
  #sure(work) {
    if (this.cancel.dataset.sure) return work();
    this.cancel.dataset.sure = "1";
    this.cancel.textContent = this.t("jobs.cancel.sure");
    setTimeout(() => {
      delete this.cancel.dataset.sure;
      this.cancel.textContent = this.t("jobs.cancel");
    }, SURE_MS);
  }

  async #loadFailures() {
    if (!this.fold.open || !this.job.failed) return;
    const { failures, failed } = await this.details(this.job.job);
    const items = failures.map(({ file, page, error }) => {
      const where = page ? this.t("jobs.place", { file, page }) : file;
      const why = [error.message, error.hint].filter(Boolean).join(" ");
      return make("li", {}, make("bdi", { class: "wb-jobs-file", textContent: where }), make("span", { dir: "auto", textContent: why }));
    });
    const more = failed > failures.length ? [make("li", { textContent: this.t("jobs.more", { n: failed - failures.length }) })] : [];
    this.failed.replaceChildren(...items, ...more);
  }
}
