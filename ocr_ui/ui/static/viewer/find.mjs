/** The bar for finding and replacing text in the page. */

import { h, iconButton, named, setPressed, setText } from "./dom.mjs";
import { isComposing } from "./keys.mjs";
import { offsetInField } from "./problems.mjs";
import { findAll } from "./search.mjs";

const VIEW = { line: "lines", field: "fields", cell: "tables", text: "text" };

export class FindBar {
  /** @param {object} parts editor, list, fields, tables, source, views, notices, t */
  constructor(parts) {
    Object.assign(this, parts);
    this.exact = false;
    this.at = -1;
    this.needle = this.#input("find_what", () => this.#searched());
    this.replacement = this.#input("replace_with", () => {});
    this.count = h("span", { class: "vw-subdued vw-found", role: "status" });
    this.case = iconButton("case", "find_case", () => this.#turnCase());
    this.one = this.#word("replace_one", () => this.replace());
    this.all = this.#word("replace_all", () => this.replaceAll());
    this.element = h(
      "div",
      { class: "vw-find", role: "search", hidden: true, onkeydown: (event) => this.#key(event) },
      h("div", { class: "vw-find-row" }, this.needle, this.count, this.case, this.#steps(), this.#close()),
      h("div", { class: "vw-find-row" }, this.replacement, this.one, this.all),
    );
    this.editor.on("doc load", () => this.isOpen && this.#search());
  }

  #input(word, oninput) {
    const take = (event) => !isComposing(event) && oninput();
    const field = h("input", { type: "text", dir: "auto", class: "vw-find-text", spellcheck: "false", oninput: take });
    field.addEventListener("compositionend", oninput);
    return named(field, word, { attribute: "title" });
  }

  #word(word, action) {
    return named(h("button", { type: "button", class: "vw-button small", onclick: action }), word);
  }

  #steps() {
    return [
      iconButton("up", "find_previous", () => this.go(-1)),
      iconButton("down", "find_next", () => this.go(1)),
    ];
  }

  #close() {
    return iconButton("cross", "close", () => this.close());
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /**
   * Opens with a text, or with what is selected on the page, if anything is; `replacing` puts the cursor where the new
   * text goes.
   */
  open({ replacing = false, text = this.#marked } = {}) {
    if (!this.isOpen) this.before = this.editor.selected;
    this.element.hidden = false;
    if (text && !text.includes("\n")) this.needle.value = text;
    this.#searched();
    const goes = replacing && this.needle.value ? this.replacement : this.needle;
    goes.focus();
    goes.select();
  }

  get #marked() {
    const field = document.activeElement;
    const inField = field?.selectionStart !== undefined && this.list.element.contains(field);
    return inField ? field.value.slice(field.selectionStart, field.selectionEnd) : String(getSelection());
  }

  close() {
    this.element.hidden = true;
    this.#highlight(null);
    if (this.views.active === "tables") this.tables.focus();
    else this.list.element.focus({ preventScroll: true });
  }

  #key(event) {
    if (isComposing(event)) return;
    const inNeedle = event.target === this.needle;
    const action = {
      Escape: () => this.close(),
      Enter: inNeedle ? () => this.go(event.shiftKey ? -1 : 1) : () => this.#enter(event),
    }[event.key];
    if (!action || (event.key === "Enter" && event.target.tagName === "BUTTON")) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  #enter(event) {
    if (event.altKey) this.replaceAll();
    else this.replace();
  }

  #turnCase() {
    this.exact = !this.exact;
    this.#searched();
  }

  #search() {
    this.places = findAll(this.editor.doc, this.needle.value, { exact: this.exact });
    this.at = Math.min(this.at, this.places.length - 1);
    this.render();
  }

  /** Begins where the keys stand: at the selected line, at the cell of the table, in the text. */
  #searched() {
    this.at = -1;
    this.#search();
    const at = this.places.findIndex((place) => isBehind(place, this.#from));
    this.at = (at < 0 ? 0 : at) - 1;
    if (this.places.length) this.go(1);
    else this.render();
  }

  get #from() {
    const { active } = this.views;
    const kind = KINDS.find((name) => VIEW[name] === active && name !== "line") ?? "line";
    const line = this.editor.doc.lines.findIndex((one) => one.id === this.editor.selected);
    const index = { line, cell: this.tables.number }[kind] ?? 0;
    return { kind, index, start: 0 };
  }

  go(step) {
    const { length } = this.places;
    if (!length) return;
    this.at = (this.at + step + length) % length;
    this.#show(this.places[this.at]);
    this.render();
  }

  #show(place) {
    const { editor, views, fields } = this;
    if (views.active !== VIEW[place.kind]) views.show(VIEW[place.kind]);
    if (place.kind === "line") editor.select(editor.doc.lines[place.index].id, { from: "find" });
    if (place.kind === "field") fields.hover(place.index);
    if (place.kind === "cell") this.tables.reveal(place.table, place.cell);
    if (place.kind === "text") this.source.reveal(...this.#inField(place));
  }

  replace() {
    const place = this.places[this.at];
    if (!place) return;
    const { value } = this.replacement;
    this.editor.replace([place], value);
    // What was put in may hold what is looked for: on with what stands behind it.
    const end = place.start + value.length;
    const next = this.places.findIndex((other) => isBehind(other, { ...place, start: end }));
    this.at = next < 0 ? -1 : next - 1;
    this.go(1);
  }

  replaceAll() {
    const { length } = this.places;
    if (!length) return;
    this.editor.replace(this.places, this.replacement.value);
    this.notices.flash("edit", this.t("replaced", { n: length }), "good");
  }

  render() {
    const { places, at, t, editor } = this;
    const found = this.needle.value === "" ? "" : t("found", { number: at + 1, total: places.length });
    setText(this.count, found);
    setPressed(this.case, this.exact);
    for (const button of [this.one, this.all]) button.disabled = !places.length || !editor.canEdit;
    this.#highlight(places[at]);
  }

  /** The place itself, where the browser can mark a part of a text without changing it. */
  #highlight(place) {
    if (!globalThis.CSS?.highlights) return;
    CSS.highlights.delete("vw-found");
    const range = place?.kind === "text" ? this.source.rangeOf(...this.#inField(place)) : this.#rangeIn(place);
    if (range) CSS.highlights.set("vw-found", new Highlight(range));
  }

  #inField({ start, end }) {
    return [start, end].map((offset) => offsetInField(this.editor.doc.text, offset));
  }

  #rangeIn(place) {
    const node = this.#nodeOf(place);
    if (node?.nodeType !== Node.TEXT_NODE || node.length < place.end) return null;
    const range = new Range();
    range.setStart(node, place.start);
    range.setEnd(node, place.end);
    return range;
  }

  #nodeOf(place) {
    if (place?.kind === "cell") return this.tables.nodes.nodeOf(place.cell)?.firstChild;
    const line = place?.kind === "line" && this.editor.doc.lines[place.index];
    return line && this.list.rows.get(line.id)?.text.firstChild;
  }
}

const KINDS = Object.keys(VIEW);

/** Whether a place stands at or behind another one. */
const isBehind = (a, b) =>
  (KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || a.index - b.index || a.start - b.start) >= 0;
