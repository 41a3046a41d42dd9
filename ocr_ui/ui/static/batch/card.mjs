// One batch in the list: how far it is, what can be done with it, what failed.
import { make, setEntries, setText } from "../page/dom.mjs";
import { momentText } from "../page/moments.mjs";
import { isSure } from "../page/sure.mjs";
import { explained } from "../viewer/api.mjs";
import { isOver, routeSentences, sentence, shownState } from "./told.mjs";

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
    this.cancel = this.#button("cancel", () => isSure(this.cancel, { usual: t("jobs.cancel"), sure: t("jobs.cancel.sure") }) && act(job.job, "cancel"));
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
    setText(this.title, job.name || t("jobs.unnamed", { n: job.job }));
    setText(this.badge, t(`jobs.state.${shown}`));
    this.#moment(job);
    const ended = job.done + job.failed + job.cancelled;
    if (job.total) this.bar.value = ended / job.total;
    else if (isOver(job)) this.bar.value = 0;
    else this.bar.removeAttribute("value");
    setText(this.line, sentence(job, t, this.words, this.locale));
    setEntries(this.routes, routeSentences(job.routes, t, this.locale));
    setText(this.reason, explained(job.reason));
    this.reason.hidden = !job.reason;
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    this.buttons.pause.hidden = !["waiting", "running"].includes(job.state);
    this.buttons.resume.hidden = job.state !== "paused";
    this.buttons.retry.hidden = !job.retryable || job.state === "cancelled";
    this.cancel.hidden = isOver(job);
    this.results.hidden = !job.done;
    if (focused?.hidden) this.#acts.find((button) => button.offsetParent)?.focus();
    this.#address();
    this.fold.hidden = !job.failed;
    setText(this.summary, t("jobs.failures", { n: job.failed.toLocaleString(this.locale) }));
    if (changed) this.#loadFailures();
  }

  /** What can be done with the batch, in the order of the page. */
  get #acts() {
    return [...Object.values(this.buttons), this.cancel, this.show];
  }

  #moment(job) {
    const when = job.ended_at ?? job.created_at;
    this.when.dateTime = new Date(when).toISOString();
    setText(this.when, momentText(when, this.locale));
  }

  #address() {
    const chosen = this.format.value ? `?formats=${this.format.value}` : "";
    this.link.href = `/v1/jobs/${this.job.job}/results.zip${chosen}`;
  }

  #button(what, onclick) {
    return make("button", { type: "button", class: "wb-turn", "data-act": what, textContent: this.t(`jobs.${what}`), onclick });
  }

  async #loadFailures() {
    if (!this.fold.open || !this.job.failed) return;
    const { failures, failed } = await this.details(this.job.job);
    const items = failures.map(({ file, page, error }) => {
      const where = page ? this.t("jobs.place", { file, page }) : file;
      return make("li", {}, make("bdi", { class: "wb-jobs-file", textContent: where }), make("span", { dir: "auto", textContent: explained(error) }));
    });
    const more = failed > failures.length ? [make("li", { textContent: this.t("jobs.more", { n: failed - failures.length }) })] : [];
    this.failed.replaceChildren(...items, ...more);
  }
}
