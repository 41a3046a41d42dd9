/**
 * Several answers about the item that is open: a bar above the viewer, and a panel that takes the viewer's place. The
 * viewer tells which item is open (`workbench:item`); everything else is asked of /v1/items/N/rollouts, /v1/rollouts
 * and /v1/rollout-pairs.
 *
 * Event to the server: select {value: id}: open this item again, since its label has changed.
 */

import { parsed, say, styleSheets } from "../page/dom.mjs";
import { personOf } from "../page/person.mjs";
import { randomKey } from "../page/random.mjs";
import { Api, Failure, failureFrom } from "../viewer/api.mjs";
import { Bar } from "./bar.mjs";
import { Panel } from "./panel.mjs";

export async function mount({ element, props, trigger }) {
  element.samples?.destroy();
  await styleSheets(import.meta.url, "../compare/compare.css", "samples.css");
  element.samples = new Samples({ element, props, trigger });
  return element.samples;
}

class Samples {
  constructor({ element, props, trigger }) {
    this.trigger = trigger;
    const words = parsed(props.words, {});
    this.t = (key, values) => say(words, `samples.${key}`, values);
    this.api = new Api({ lang: () => props.language });
    this.item = null;
    this.owner = randomKey();
    this.bar = new Bar({
      t: this.t,
      engines: parsed(props.engines, []),
      onsample: (ask) => this.#sample(ask),
      onstop: () => this.#stop(),
      onopen: (id, blind) => this.open(id, blind),
    });
    this.panel = new Panel({
      t: this.t,
      api: this.api,
      person: personOf,
      onlabel: () => this.#labelled(),
      onclose: () => this.close(),
    });
    this.root = element.querySelector(".wb-samples");
    this.root.replaceChildren(this.bar.element, this.panel.element);
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    document.addEventListener("workbench:item", ({ detail }) => this.#shown(detail), { signal });
    document.addEventListener("workbench:instead", ({ detail }) => detail === this || this.close(), { signal });
    this.#shown({ id: Number(new URLSearchParams(location.search).get("item")) || null });
  }

  destroy() {
    this.leaving.abort();
    this.coming?.abort();
  }

  /** The viewer shows another item, or one that is not stored yet. */
  #shown({ id }) {
    if (id === this.item) return;
    this.item = id;
    this.coming?.abort();
    this.close();
    this.bar.show(id !== null);
    if (id !== null) this.#refresh();
  }

  async #refresh() {
    const { item } = this;
    try {
      const { rollouts } = await this.api.get(`/v1/items/${item}/rollouts`);
      if (item === this.item) this.bar.offer(rollouts);
    } catch {
      // The page's top tells a server that does not answer; without a list nothing is offered.
    }
  }

  // Sampling ----------------------------------------------------------------------------------------------------------

  async #sample(ask) {
    const { item } = this;
    const coming = (this.coming = new AbortController());
    this.bar.begin();
    this.#instead();
    this.panel.coming(ask.n, ask.blind);
    let last = null;
    try {
      for await (const step of this.#steps(item, ask, coming.signal)) {
        last = step;
        this.bar.progress(step);
        this.panel.progress(step);
      }
    } catch (failure) {
      if (coming.signal.aborted) return this.bar.end();
      last = { rollout: null, error: this.#told(failure) };
    }
    this.bar.end();
    if (item !== this.item) return;
    const said = last?.error ? [last.error.message, last.error.hint].filter(Boolean).join(" ") : "";
    if (!last?.rollout) {
      this.close();
      return this.bar.complain(said || this.t("stopped"));
    }
    if (said) this.bar.complain(said);
    this.#refresh();
    await this.open(last.rollout, ask.blind);
  }

  #told(failure) {
    if (failure instanceof Failure && failure.code !== "unreachable") return failure;
    return { message: this.t("fail_unreachable") };
  }

  async *#steps(item, { n, temperature, top_p, engine }, signal) {
    const body = JSON.stringify({ n, temperature, top_p, engine, person: personOf(), owner: this.owner });
    const headers = { ...this.api.headers, "Content-Type": "application/json" };
    const answer = await fetch(`/v1/items/${item}/rollouts`, { method: "POST", headers, body, signal });
    if (!answer.ok) throw failureFrom(answer.status, await answer.json().catch(() => null));
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      // What came meanwhile is shown once: only the newest step counts.
      if (lines.length) yield JSON.parse(lines.at(-1));
    }
  }

  async #stop() {
    try {
      await this.api.post("/v1/rollouts/stop", { owner: this.owner });
    } catch {
      this.coming?.abort();
    }
  }

  // The panel ---------------------------------------------------------------------------------------------------------

  async open(id, blind = false) {
    const { item } = this;
    try {
      const rollout = await this.api.get(`/v1/rollouts/${id}`);
      if (item !== this.item) return;
      this.#instead();
      await this.panel.show(rollout, blind);
    } catch (failure) {
      this.close();
      this.bar.complain(this.t("not_loaded", { message: this.#told(failure).message }));
    }
  }

  #instead() {
    document.dispatchEvent(new CustomEvent("workbench:instead", { detail: this }));
    this.root.closest(".wb-read")?.classList.add("sampling");
  }

  close() {
    const { focused } = this.panel;
    this.panel.hide();
    this.root.closest(".wb-read")?.classList.remove("sampling");
    if (focused) this.bar.focus();
  }

  #labelled() {
    this.close();
    this.trigger("select", { index: 0, value: this.item });
  }
}
