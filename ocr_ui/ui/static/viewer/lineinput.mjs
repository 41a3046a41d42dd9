/**
 * The one text field in which a line is typed, moved to wherever it is needed: a row of the list, or the picture.
 * While an input method composes, nothing is read from it and nothing is written to it.
 */

import { h } from "./dom.mjs";

const GROWS = globalThis.CSS?.supports?.("field-sizing", "content");

export class LineInput {
  /** `onclose(id)` runs when the field leaves its place. */
  constructor(editor) {
    this.editor = editor;
    this.id = null;
    this.composing = false;
    this.onclose = () => {};
    this.element = h("textarea", {
      class: "vw-input",
      dir: "auto",
      rows: "1",
      spellcheck: "false",
      autocomplete: "off",
      "data-line-input": true,
      oninput: () => this.#typed(),
      oncompositionstart: () => (this.composing = true),
      oncompositionend: () => this.#composed(),
      onblur: () => document.activeElement !== this.element && this.close(),
    });
  }

  get isOpen() {
    return this.id !== null;
  }

  /** Puts the field into `host`; `caret` is [start, end], the end of the text where null. */
  open(id, host, { label = "", caret = null } = {}) {
    if (this.isOpen && this.id !== id) this.close();
    const line = this.editor.doc.lines.find((entry) => entry.id === id);
    this.id = id;
    this.before = line.text;
    this.mark = this.editor.history.mark();
    this.host = host;
    this.element.value = line.text;
    this.element.setAttribute("aria-label", label);
    host.append(this.element);
    this.element.focus({ preventScroll: true });
    this.element.setSelectionRange(...(caret ?? [line.text.length, line.text.length]));
    this.#grow();
  }

  close() {
    if (!this.isOpen || this.moving) return;
    const id = this.id;
    this.id = null;
    this.composing = false;
    this.element.remove();
    this.editor.history.endMerging();
    this.onclose(id);
  }

  /** Back to the text as it was when the field opened: what was typed is gone, for undo and redo too. */
  revert() {
    this.editor.takeBackText(this.id, this.before, this.mark);
  }

  /** Follows a change made elsewhere, such as an undo. */
  follow() {
    if (!this.isOpen || this.composing) return;
    const line = this.editor.doc.lines.find((entry) => entry.id === this.id);
    if (!line) return this.close();
    if (line.text !== this.element.value) this.element.value = line.text;
    this.#grow();
  }

  /** Runs `change`, which may move the host in the page, and keeps focus and caret. */
  keepFocus(change) {
    const focused = this.isOpen && document.activeElement === this.element;
    const caret = [this.element.selectionStart, this.element.selectionEnd];
    this.moving = true;
    change();
    this.moving = false;
    if (!focused || document.activeElement === this.element) return;
    this.element.focus({ preventScroll: true });
    this.element.setSelectionRange(...caret);
  }

  /** True where the caret cannot go further up (-1) or down (1) inside the field. */
  atEdge(direction) {
    const { selectionStart, selectionEnd, value, scrollHeight } = this.element;
    if (selectionStart !== selectionEnd) return false;
    const oneRow = scrollHeight < 1.9 * parseFloat(getComputedStyle(this.element).lineHeight);
    return oneRow || (direction < 0 ? selectionStart === 0 : selectionEnd === value.length);
  }

  #typed() {
    this.#grow();
    if (!this.composing) this.editor.setText(this.id, this.element.value);
  }

  #composed() {
    this.composing = false;
    this.#typed();
  }

  #grow() {
    if (GROWS) return;
    this.element.style.height = "0";
    this.element.style.height = `${this.element.scrollHeight}px`;
  }
}
