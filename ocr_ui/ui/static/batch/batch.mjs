/**
 * The Batch tab: files in, their choices, and the batches with how far they are, all asked of /v1/jobs.
 * The value, JSON text from the server: {templates, engines, field_sets, webhook}.
 *
 * Event to the server: select {index, value: number of a batch}, to be shown in the Dataset tab.
 */

import { bytes } from "../page/amounts.mjs";
import { make, parsed } from "../page/dom.mjs";
import { onHanded } from "../page/handed.mjs";
import { mountPart, partOf } from "../page/part.mjs";
import { personOf } from "../page/person.mjs";
import { explained } from "../viewer/api.mjs";
import { Card } from "./card.mjs";
import { added, chosen, dropped, inParts, sizeOf } from "./files.mjs";
import { Choices } from "./form.mjs";
import { justEnded } from "./told.mjs";

const SOON_MS = 1000;
const LATER_MS = 5000;
const NAMED = 6;
const LISTED = 20;

export async function mount({ element, props, trigger, watch }) {
  const made = () => new Batches({ element, props, trigger });
  const batches = await mountPart(element, import.meta.url, ["batch.css"], made);
  watch("value", () => element.mounted === batches && batches.choices.fill(parsed(props.value, {})));
  return batches;
}

class Batches {
  constructor({ element, props, trigger }) {
    Object.assign(this, partOf(props), { trigger });
    this.files = [];
    this.cards = new Map();
    this.states = new Map();
    const measured = (template) => this.api.get(`/v1/calibrations?template=${encodeURIComponent(template)}`).then(({ thresholds }) => thresholds);
    this.choices = new Choices({ t: this.t, onchange: () => this.#refresh(), language: this.language, measured });
    this.abort = new AbortController();
    this.#build(element.querySelector(".wb-jobs"));
    this.choices.fill(parsed(props.value, {}));
    this.#look();
  }

  destroy() {
    clearTimeout(this.timer);
    this.abort.abort();
  }

  #build(root) {
    const { t } = this;
    this.root = root;
    this.input = this.#fileInput({ multiple: true, id: "jobs-files" });
    this.folder = this.#fileInput({ webkitdirectory: true, id: "jobs-folder" });
    const choose = this.#button("choose", () => this.input.click());
    const folder = this.#button("choose_folder", () => this.folder.click());
    this.clear = this.#button("clear", () => this.#setFiles([]));
    this.list = make("ul", { class: "wb-jobs-names" });
    this.summary = make("p", { class: "wb-jobs-chosen", role: "status", "aria-live": "polite" });
    const title = make("p", { class: "wb-jobs-title", textContent: t("jobs.drop") });
    const kinds = make("p", { class: "wb-jobs-hint", textContent: t("jobs.kinds") });
    this.zone = make("div", { class: "wb-jobs-zone" }, title, kinds, make("div", { class: "wb-jobs-acts" }, choose, folder, this.clear), this.summary, this.list);
    this.start = make("button", { type: "button", id: "jobs-start", class: "wb-jobs-start", onclick: () => this.#begin() }, t("jobs.start"));
    this.bar = make("progress", { max: 1, hidden: true, "aria-label": t("jobs.sending") });
    this.told = make("p", { class: "wb-told", role: "status", dir: "auto" });
    this.ended = make("p", { class: "wb-jobs-ended", role: "status", dir: "auto", hidden: true });
    this.jobs = make("div", { class: "wb-jobs-list" });
    const side = make("div", { class: "wb-jobs-side" }, ...this.choices.elements, this.start, this.bar, this.told);
    const heading = make("h2", { textContent: t("jobs.title") });
    const main = make("div", { class: "wb-jobs-main" }, this.zone, this.ended, heading, this.jobs);
    root.replaceChildren(side, main, this.input, this.folder);
    this.#setFiles([]);
    this.#listen();
  }

  #listen() {
    const on = (target, name, handler) => target.addEventListener(name, handler, { signal: this.abort.signal });
    const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    on(this.root, "dragover", (event) => hasFiles(event) && (event.preventDefault(), this.zone.classList.add("over")));
    on(this.root, "dragleave", (event) => !this.root.contains(event.relatedTarget) && this.zone.classList.remove("over"));
    on(this.root, "drop", async (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      this.zone.classList.remove("over");
      this.#setFiles(added(this.files, await dropped(event.dataTransfer)));
    });
    on(document, "keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !this.root.offsetParent) return;
      event.preventDefault();
      this.#begin();
    });
    // A document that the server has already: its pages are read from there.
    onHanded(({ name, sha256 }) => {
      const handed = { path: name, sha256, file: { name, size: 0 } };
      this.#setFiles(added(this.files, [handed]));
      this.choices.pages.focus();
    }, this.abort.signal);
    on(document, "visibilitychange", () => !document.hidden && this.#look());
  }

  #fileInput(attributes) {
    const input = make("input", { type: "file", class: "wb-jobs-hidden", tabindex: "-1", "aria-hidden": "true", ...attributes });
    input.addEventListener("change", () => {
      this.#setFiles(added(this.files, chosen(input.files)));
      input.value = "";
    });
    return input;
  }

  #button(name, onclick) {
    return make("button", { type: "button", class: "wb-turn", "data-act": name, textContent: this.t(`jobs.${name}`), onclick });
  }

  #setFiles(files) {
    this.files = files;
    const { t } = this;
    const size = bytes(sizeOf(files), this.language);
    this.summary.textContent = files.length ? t("jobs.chosen", { n: files.length.toLocaleString(this.language), size }) : "";
    const names = files.slice(0, NAMED).map(({ path }) => make("li", {}, make("bdi", { textContent: path })));
    const more = files.length > NAMED ? [make("li", { textContent: t("jobs.more", { n: files.length - NAMED }) })] : [];
    this.list.replaceChildren(...names, ...more);
    this.clear.hidden = !files.length;
    this.#refresh();
  }

  #refresh() {
    if (!this.start) return;
    this.choices.showProblem();
    // Not disabled: the focus would go elsewhere.
    this.start.setAttribute("aria-disabled", String(!this.#mayBegin()));
  }

  #mayBegin() {
    return !this.sending && this.files.length > 0 && !this.choices.problem;
  }

  /** Sends the files in parts, so that it is seen how far that is, and begins. */
  async #begin() {
    if (!this.#mayBegin()) return;
    const { t } = this;
    const files = this.files;
    this.sending = true;
    this.#refresh();
    this.bar.hidden = false;
    this.bar.value = 0;
    this.told.classList.remove("wb-wrong");
    this.told.textContent = t("jobs.sending");
    let job = null;
    try {
      const here = files.filter(({ sha256 }) => sha256);
      const [first = [], ...rest] = inParts(files.filter(({ sha256 }) => !sha256));
      const all = Math.max(1, sizeOf(files));
      let sent = 0;
      const send = async (path, part, fields = {}) => {
        const size = sizeOf(part);
        const answer = await this.#send(path, part, fields, (share) => (this.bar.value = (sent + share * size) / all));
        sent += size;
        return answer;
      };
      const documents = JSON.stringify(Object.fromEntries(here.map(({ path, sha256 }) => [path, sha256])));
      const fields = { ...this.choices.values(), documents, person: personOf(), start: String(!rest.length) };
      ({ job } = await send("/v1/jobs", first, fields));
      for (const part of rest) await send(`/v1/jobs/${job}/files`, part);
      if (rest.length) await this.api.post(`/v1/jobs/${job}/resume`, {});
      this.told.textContent = t("jobs.begun");
      this.choices.name.value = "";
      this.#setFiles([]);
    } catch (failure) {
      if (job !== null) await this.api.post(`/v1/jobs/${job}/cancel`, {}).catch(() => {});
      this.told.classList.add("wb-wrong");
      this.told.textContent = explained(failure, t("jobs.unreachable"));
    }
    this.sending = false;
    this.bar.hidden = true;
    this.#refresh();
    this.#look();
  }

  #send(path, part, fields, onshare) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    for (const { path: name, file } of part) form.append("files", file, name);
    return this.api.send(path, form, onshare);
  }

  // The list

  async #look() {
    clearTimeout(this.timer);
    let wait = LATER_MS;
    try {
      const { jobs } = await this.api.get(`/v1/jobs?limit=${LISTED}`);
      this.#show(jobs);
      if (jobs.some((job) => ["waiting", "running"].includes(job.state)) && !document.hidden) wait = SOON_MS;
    } catch {
      // The page's top tells a server that does not answer; the batches go on there.
    }
    clearTimeout(this.timer);
    if (!this.abort.signal.aborted) this.timer = setTimeout(() => this.#look(), wait);
  }

  #show(jobs) {
    for (const job of justEnded(this.states, jobs)) this.#announce(job);
    this.states = new Map(jobs.map((job) => [job.job, job.state]));
    for (const [number, card] of this.cards) {
      if (this.states.has(number)) continue;
      card.element.remove();
      this.cards.delete(number);
    }
    for (const job of [...jobs].reverse()) {
      const card = this.cards.get(job.job);
      if (card) card.update(job);
      else this.jobs.prepend(this.#card(job));
    }
    this.empty ??= make("p", { class: "wb-empty", textContent: this.t("jobs.empty") });
    if (jobs.length) this.empty.remove();
    else this.jobs.replaceChildren(this.empty);
  }

  #card(job) {
    const card = new Card({
      t: this.t,
      words: this.words,
      locale: this.language,
      job,
      act: (number, what) => this.#act(number, what),
      open: (number) => this.trigger("select", { index: number, value: number }),
      details: (number) => this.api.get(`/v1/jobs/${number}`),
    });
    this.cards.set(job.job, card);
    return card.element;
  }

  async #act(number, what) {
    try {
      this.cards.get(number)?.update(await this.api.post(`/v1/jobs/${number}/${what}`, {}));
      this.told.textContent = "";
    } catch (failure) {
      this.told.classList.add("wb-wrong");
      this.told.textContent = explained(failure);
    }
    this.#look();
  }

  #announce(job) {
    const values = { name: job.name || this.t("jobs.unnamed", { n: job.job }), done: job.done, failed: job.failed };
    const said = this.t(job.failed ? "jobs.ended.failed" : "jobs.ended", values);
    this.ended.hidden = false;
    this.ended.textContent = said;
    if (this.choices.notify.checked && globalThis.Notification?.permission === "granted" && (document.hidden || !isSeen(this.root))) {
      new Notification(this.t("jobs.ended.title"), { body: said, tag: `job-${job.job}` });
    }
  }
}

const isSeen = (element) => element.getClientRects().length > 0;
