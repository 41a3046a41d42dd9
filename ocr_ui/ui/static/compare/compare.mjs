/**
 * Reading a picture again and comparing two readings: a bar above the viewer, and a panel that takes the viewer's place
 * while two readings are compared. The viewer tells which item is open (`workbench:item`); comparisons come from
 * /v1/comparisons; the value, JSON text from the server, is the progress of a second reading:
 * {item, engine, run: {state, ...}, text, right: id of the new reading or null}.
 *
 * Events to the server: submit {item, engine}: read again; select {value: id}: open this item for correction.
 */

import { nameInAddress } from "../page/address.mjs";
import { parsed } from "../page/dom.mjs";
import { hand } from "../page/handed.mjs";
import { mountPart, partOf } from "../page/part.mjs";
import { explained } from "../viewer/api.mjs";
import { Bar } from "./bar.mjs";
import { Panel } from "./panel.mjs";

export async function mount({ element, props, trigger, watch }) {
  const made = () => new Compare({ element, props, trigger });
  const compare = await mountPart(element, import.meta.url, ["compare.css"], made);
  watch("value", () => element.mounted === compare && compare.receive(parsed(props.value, null)));
  return compare;
}

class Compare {
  constructor({ element, props, trigger }) {
    this.trigger = trigger;
    Object.assign(this, partOf(props, "compare."));
    this.item = null;
    this.wanted = addressed();
    this.bar = new Bar({
      t: this.t,
      engines: parsed(props.engines, []),
      onagain: (engine) => this.#readAgain(engine),
      oncompare: (id) => this.open(id),
      ontry: () => hand({ item: this.item }, "try"),
    });
    this.panel = new Panel({ t: this.t, onkeep: (id) => this.#keep(id), onclose: () => this.close() });
    this.root = element.querySelector(".wb-compare");
    this.root.replaceChildren(this.bar.element, this.panel.element);
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    document.addEventListener("workbench:item", ({ detail }) => this.#shown(detail), { signal });
    document.addEventListener("workbench:compare", ({ detail }) => this.#chosen(detail), { signal });
    // One thing at a time stands in the viewer's place.
    document.addEventListener("workbench:instead", ({ detail }) => detail === this || this.close(), { signal });
    // The viewer may have told before this module was there; the address names its item from the beginning.
    this.#shown({ id: Number(new URLSearchParams(location.search).get("item")) || null });
    this.opened = false;
  }

  destroy() {
    this.leaving.abort();
  }

  /** The viewer shows another item, or one that is not stored yet. */
  #shown({ id, page = null }) {
    // The empty viewer of a page that has just been opened says nothing about what it is to show.
    if (id === null && page === null && !this.opened) return;
    this.opened = true;
    if (id === this.item) return;
    this.item = id;
    this.close();
    this.bar.show(id !== null);
    if (id === null) return;
    this.#refresh();
    if (this.wanted?.item === id) this.open(this.wanted.other);
    this.wanted = null;
  }

  /** Two readings were chosen elsewhere; the first is on its way into the viewer, where it is not there already. */
  #chosen(wanted) {
    if (this.item === wanted.item) this.open(wanted.other);
    else this.wanted = wanted;
  }

  async #refresh() {
    const { item } = this;
    try {
      const { readings } = await this.api.get(`/v1/items/${item}/readings`);
      if (item === this.item) this.bar.offer(readings, item);
    } catch (failure) {
      // The page's top tells a server that does not answer; an item that is not there cannot be read again.
      if (item === this.item) this.bar.show(failure.status !== 404);
    }
  }

  #readAgain(engine) {
    this.close();
    this.bar.begin(engine);
    this.trigger("submit", { item: this.item, engine });
  }

  /** How far the second reading is; once it is stored, the comparison. */
  receive(value) {
    if (!value || value.item !== this.item) return this.bar.end();
    if (this.bar.progress(value)) return;
    this.bar.end();
    if (value.right === null) return this.bar.tell(value);
    this.#refresh();
    this.open(value.right);
  }

  async open(other) {
    const { item } = this;
    try {
      const comparison = await this.api.get(`/v1/comparisons/${item}/${other}`);
      if (item !== this.item) return;
      this.bar.hush();
      document.dispatchEvent(new CustomEvent("workbench:instead", { detail: this }));
      this.panel.show(comparison);
      this.#replaceViewer(true);
      name(other);
    } catch (failure) {
      this.bar.complain(this.t("not_loaded", { message: explained(failure) }));
    }
  }

  close() {
    const { focused } = this.panel;
    this.panel.hide();
    this.#replaceViewer(false);
    if (this.wanted === null) name(null);
    if (focused) this.bar.focus();
  }

  #keep(id) {
    if (id !== this.item) this.trigger("select", { index: 0, value: id });
    this.close();
  }

  #replaceViewer(yes) {
    this.root.closest(".wb-read")?.classList.toggle("comparing", yes);
  }
}

/** The comparison in the page's address, {item, other}, or null. */
function addressed() {
  const query = new URLSearchParams(location.search);
  const [item, other] = ["item", "with"].map((key) => Number(query.get(key)));
  return item > 0 && other > 0 ? { item, other } : null;
}

/** Names the other reading in the page's address, so that a reload shows the comparison again. */
function name(other) {
  nameInAddress({ with: other });
}
