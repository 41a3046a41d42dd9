/**
 * Several answers about the item that is open: a bar above the viewer, and a panel that takes the viewer's place. The
 * viewer tells which item is open (`workbench:item`); everything else is asked of /v1/items/N/rollouts, /v1/rollouts
 * and /v1/rollout-pairs.
 *
 * Event to the server: select {value: id}: open this item again, since its label has changed.
 */

import { parsed } from "../page/dom.mjs";
import { mountPart, partOf } from "../page/part.mjs";
import { personOf } from "../page/person.mjs";
import { randomKey } from "../page/random.mjs";
import { explained } from "../viewer/api.mjs";
import { Bar } from "./bar.mjs";
import { Panel } from "./panel.mjs";

export function mount({ element, props, trigger }) {
  const made = () => new Samples({ element, props, trigger });
  return mountPart(element, import.meta.url, ["../compare/compare.css", "samples.css"], made);
}

class Samples {
  constructor({ element, props, trigger }) {
    Object.assign(this, partOf(props, "samples."), { trigger });
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
      for await (const came of this.#steps(item, ask, coming.signal)) {
        last = came.at(-1); // what came meanwhile is shown once
        this.bar.progress(last);
        this.panel.progress(last);
      }
    } catch (failure) {
      if (coming.signal.aborted) return this.bar.end();
      last = { rollout: null, error: failure };
    }
    this.bar.end();
    if (item !== this.item) return;
    const said = explained(last?.error);
    if (!last?.rollout) {
      this.close();
      return this.bar.complain(said || this.t("stopped"));
    }
    if (said) this.bar.complain(said);
    this.#refresh();
    await this.open(last.rollout, ask.blind);
  }

  #steps(item, { n, temperature, top_p, engine }, signal) {
    const asked = { n, temperature, top_p, engine, person: personOf(), owner: this.owner };
    return this.api.steps(`/v1/items/${item}/rollouts`, asked, signal);
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
      this.bar.complain(this.t("not_loaded", { message: failure.message }));
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
