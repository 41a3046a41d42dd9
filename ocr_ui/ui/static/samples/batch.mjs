/**
 * Sampling of all items that the filters of the list find: its settings, and how far it is, asked of /v1/rollout-jobs.
 * The value, JSON text from the server, is the batch that was just started, or the error that kept it from starting.
 *
 * Event to the server, which knows the filters: submit {n, temperature, top_p, engine, person}.
 */

import { make, parsed } from "../page/dom.mjs";
import { mountPart, partOf } from "../page/part.mjs";
import { personOf } from "../page/person.mjs";
import { explained } from "../viewer/api.mjs";

const LOOK_MS = 1000;

export async function mount({ element, props, trigger, watch }) {
  const batch = await mountPart(element, import.meta.url, [], () => new Batch({ element, props, trigger }));
  watch("value", () => element.mounted === batch && batch.receive(parsed(props.value, null)));
  return batch;
}

class Batch {
  constructor({ element, props, trigger }) {
    const engines = parsed(props.engines, []);
    Object.assign(this, partOf(props));
    this.fields = {
      n: this.#number("n", 8, 2, 64, 1),
      temperature: this.#number("temperature", 0.8, 0.1, 2, 0.1),
      top_p: this.#number("top_p", 1, 0.05, 1, 0.05),
    };
    const options = engines.map(([title, name]) => make("option", { value: name, textContent: title }));
    this.engine = make("select", { id: "batch-engine" }, ...options);
    this.start = this.#button("start", () => trigger("submit", this.#ask()));
    this.stop = this.#button("stop", () => this.#post("stop"));
    this.resume = this.#button("resume", () => this.#post("resume"));
    this.words = make("p", { role: "status", dir: "auto", id: "batch-state" });
    this.share = make("progress", { "aria-label": this.t("batch.title"), hidden: true });
    const fields = Object.entries(this.fields).map(([name, field]) => this.#labelled(name, field));
    const engine = engines.length > 1 ? this.#labelled("engine", this.engine) : null;
    const row = engines.length
      ? make("div", { class: "wb-batch-row" }, ...fields, engine, this.start, this.stop, this.resume)
      : make("p", { textContent: this.t("samples.no_engine") });
    const frame = element.querySelector(".wb-batch");
    frame.replaceChildren(make("p", { textContent: this.t("batch.about") }), row, this.share, this.words);
    this.frame = frame;
    this.show({ job: null });
    this.#look("newest");
  }

  destroy() {
    clearTimeout(this.timer);
  }

  #number(name, value, min, max, step) {
    return make("input", { type: "number", id: `batch-${name}`, value, min, max, step });
  }

  #labelled(name, field) {
    return make("span", {}, make("label", { for: `batch-${name}`, textContent: this.t(`samples.${name}`) }), field);
  }

  #button(name, onclick) {
    return make("button", { type: "button", id: `batch-${name}`, textContent: this.t(`batch.${name}`), onclick });
  }

  #ask() {
    this.start.disabled = true;
    const values = Object.entries(this.fields).map(([name, field]) => [name, Number(field.value)]);
    return { ...Object.fromEntries(values), engine: this.engine.value, person: personOf() };
  }

  receive(value) {
    if (!value) return;
    if (value.job === undefined) return this.#complain(value.error);
    this.show(value);
  }

  show(batch) {
    clearTimeout(this.timer);
    const { job, total, done, failed, waiting, marks = {}, running, error } = batch;
    this.job = job;
    this.start.disabled = Boolean(running);
    this.stop.disabled = !running;
    this.resume.disabled = Boolean(running) || !waiting;
    this.share.hidden = !running;
    if (running) Object.assign(this.share, { max: total, value: done + failed });
    if (running) this.timer = setTimeout(() => this.#look(job), LOOK_MS);
    if (job === null) return void (this.words.textContent = this.t("batch.none"));
    const values = { job, total, ended: done + failed, seconds: (batch.seconds ?? 0).toFixed(0) };
    const told = this.t(running ? "batch.running" : waiting ? "batch.stopped" : "batch.done", values);
    const counted = Object.entries(marks).map(([mark, count]) => `${this.t(`samples.mark.${mark}`)}: ${count}`);
    const parts = [told, ...counted, failed ? this.t("batch.failed_items", { failed }) : "", error?.message ?? ""];
    this.words.textContent = parts.filter(Boolean).join(" · ");
    return undefined;
  }

  #complain(error) {
    this.start.disabled = false;
    this.words.textContent = explained(error);
  }

  async #look(which) {
    try {
      const batch = await this.api.get(`/v1/rollout-jobs/${which}`);
      if (this.frame.isConnected) this.show(batch);
    } catch {
      // The page's top tells a server that does not answer; the batch goes on there, or waits to be gone on with.
      if (this.frame.isConnected) this.timer = setTimeout(() => this.#look(which), 5 * LOOK_MS);
    }
  }

  async #post(what) {
    this.stop.disabled = this.resume.disabled = true;
    try {
      this.show(await this.api.post(`/v1/rollout-jobs/${this.job}/${what}`, {}));
    } catch (failure) {
      this.#complain(failure);
    }
  }
}
