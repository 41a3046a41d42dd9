/**
 * The text field of a whole text, with the numbers of its lines and its mistakes marked. A text field cannot draw marks:
 * the same text lies below it, unseen, wrapped alike, and has them.
 */

import { h } from "./dom.mjs";
import { commonEnds } from "./gridnodes.mjs";
import { isComposing } from "./keys.mjs";
import { markedLines, sharedEnds } from "./problems.mjs";

const keyOf = (pieces) => JSON.stringify(pieces.map(({ text, wrong }) => [text, wrong]));

export class SourceField {
  /**
   * @param {object} parts
   * @param {(text: string) => void} parts.ontext what was typed, not while an input method composes
   * @param {() => void} parts.oncaret the cursor stands elsewhere
   */
  constructor({ ontext, oncaret = () => {} }) {
    const take = () => (this.#draw(), ontext(this.field.value));
    this.problems = [];
    this.keys = [];
    this.field = h("textarea", {
      class: "vw-whole",
      dir: "auto",
      spellcheck: "false",
      "data-title": "view_text",
      oninput: (event) => (isComposing(event) ? this.#draw() : take()),
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
    if (field.value === text) return;
    const [head, tail] = sharedEnds(field.value, text);
    const caret = field.value === "" ? 0 : Math.max(head, text.length - tail);
    field.value = text;
    field.setSelectionRange(caret, caret);
    this.#draw();
  }

  mark(problems) {
    this.problems = problems;
    this.#draw();
  }

  /** Selects a mistake and brings it into sight. */
  goTo({ start, end }) {
    const { field } = this;
    field.focus({ preventScroll: true });
    field.setSelectionRange(start, end);
    const line = this.lines.children[field.value.slice(0, start).split("\n").length - 1];
    const top = (line?.querySelector("mark") ?? line)?.offsetTop ?? 0;
    if (top < field.scrollTop || top > field.scrollTop + field.clientHeight - 40)
      field.scrollTop = top - field.clientHeight / 3;
    this.#scrolled();
  }

  #scrolled() {
    this.lines.scrollTop = this.field.scrollTop;
    this.onscroll(this.field);
  }

  #draw() {
    const lines = markedLines(this.field.value, this.problems);
    const keys = lines.map(keyOf);
    const [head, tail] = commonEnds(this.keys, keys, (a, b) => a === b);
    for (let left = this.keys.length - head - tail; left > 0; left -= 1) this.lines.children[head].remove();
    const next = this.lines.children[head] ?? null;
    for (const pieces of lines.slice(head, lines.length - tail)) this.lines.insertBefore(lineElement(pieces), next);
    this.keys = keys;
    this.#scrolled();
  }
}

function lineElement(pieces) {
  const wrong = pieces.some((piece) => piece.wrong);
  const parts = pieces.map(({ text, wrong }) => (wrong ? h("mark", {}, text || "\u00a0") : text));
  return h("div", { class: wrong ? "vw-source-line wrong" : "vw-source-line", dir: "auto" }, parts);
}
