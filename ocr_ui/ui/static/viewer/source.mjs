/**
 * The text field of a whole text, with the numbers of its lines and its mistakes marked. A text field cannot draw marks:
 * the same text lies below it, unseen, wrapped alike, and has them.
 */

import { h, isComposed } from "./dom.mjs";
import { isComposing } from "./keys.mjs";
import { markedLines } from "./problems.mjs";
import { commonEnds } from "./text.mjs";

const keyOf = (pieces) => JSON.stringify(pieces.map(({ text, wrong }) => [text, wrong]));

export class SourceField {
  /**
   * @param {object} parts
   * @param {(text: string) => void} parts.ontext what was typed, not while an input method composes
   * @param {() => void} parts.oncaret the cursor stands elsewhere
   */
  constructor({ ontext, oncaret = () => {} }) {
    const take = () => {
      ontext(this.field.value);
      this.#drawNew();
    };
    this.problems = [];
    this.keys = [];
    this.drawn = null;
    this.field = h("textarea", {
      class: "vw-whole",
      dir: "auto",
      spellcheck: "false",
      "data-title": "view_text",
      oninput: (event) => (isComposing(event) ? this.#drawNew() : take()),
      oncompositionend: take,
      onscroll: () => this.#scrolled(),
      onselect: oncaret,
      onkeyup: oncaret,
      onpointerup: oncaret,
    });
    this.lines = h("div", { class: "vw-source-lines", "aria-hidden": "true" });
    this.element = h("div", { class: "vw-source" }, this.lines, this.field);
    this.onscroll = () => {};
  }

  /** Shows a text; the cursor stays at what is changed, as after an undo. */
  show(text) {
    const { field } = this;
    if (field.value === text || isComposed(field)) return;
    const [head, tail] = commonEnds(field.value, text);
    const caret = field.value === "" ? 0 : Math.max(head, text.length - tail);
    field.value = text;
    field.setSelectionRange(caret, caret);
    this.#draw();
  }

  mark(problems) {
    const same = problems.length === this.problems.length && JSON.stringify(problems) === JSON.stringify(this.problems);
    this.problems = problems;
    if (same) this.#drawNew();
    else this.#draw();
  }

  /** Selects a mistake and brings it into sight. */
  goTo({ start, end }) {
    this.field.focus({ preventScroll: true });
    this.field.setSelectionRange(start, end);
    this.reveal(start, end);
  }

  /** Brings a place within one line into sight. */
  reveal(start, end) {
    const { field, lines } = this;
    const range = this.rangeOf(start, end);
    if (!range) return;
    const top = range.getBoundingClientRect().top - lines.getBoundingClientRect().top + lines.scrollTop;
    if (top < field.scrollTop || top > field.scrollTop + field.clientHeight - 40)
      field.scrollTop = top - field.clientHeight / 3;
    this.#scrolled();
  }

  /** The letters of a place within one line as they are drawn, null where there are none. */
  rangeOf(start, end) {
    const before = this.field.value.slice(0, start);
    const begin = before.lastIndexOf("\n") + 1;
    const line = this.lines.children[before.split("\n").length - 1];
    if (!line?.textContent) return null;
    const range = new Range();
    const stop = Math.min(end - begin, line.textContent.length);
    range.setStart(...pointIn(line, start - begin));
    range.setEnd(...pointIn(line, stop));
    return range;
  }

  #scrolled() {
    this.lines.scrollTop = this.field.scrollTop;
    this.onscroll(this.field);
  }

  /** Draws a text that is not drawn yet: whoever took it may have had it marked, and so drawn, at once. */
  #drawNew() {
    if (this.field.value !== this.drawn) this.#draw();
  }

  #draw() {
    this.drawn = this.field.value;
    const lines = markedLines(this.field.value, this.problems);
    const keys = lines.map(keyOf);
    const [head, tail] = commonEnds(this.keys, keys);
    for (let left = this.keys.length - head - tail; left > 0; left -= 1) this.lines.children[head].remove();
    const next = this.lines.children[head] ?? null;
    for (const pieces of lines.slice(head, lines.length - tail)) this.lines.insertBefore(lineElement(pieces), next);
    this.keys = keys;
    this.#scrolled();
  }
}

/** The text node of a line that has its character number `offset`, and the offset in it. */
function pointIn(line, offset) {
  const nodes = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  let left = offset;
  let node = nodes.nextNode();
  for (let next; left > node.length && (next = nodes.nextNode()); node = next) left -= node.length;
  return [node, Math.min(left, node.length)];
}

function lineElement(pieces) {
  const wrong = pieces.some((piece) => piece.wrong);
  const parts = pieces.map(({ text, wrong }) => (wrong ? h("mark", {}, text || "\u00a0") : text));
  return h("div", { class: wrong ? "vw-source-line wrong" : "vw-source-line", dir: "auto" }, parts);
}
