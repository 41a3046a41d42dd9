// The field of a wording: its blanks are marked where they stand, and it grows with its text.
import { make } from "../page/dom.mjs";
import { pieces } from "./wording.mjs";

export class WordingField {
  constructor({ label, oninput }) {
    this.known = [];
    this.behind = make("div", { class: "wb-wording-behind", "aria-hidden": "true", dir: "auto" });
    this.field = make("textarea", { class: "wb-wording-field", dir: "auto", spellcheck: "false", rows: "4", "aria-label": label });
    this.field.addEventListener("input", () => (this.#mark(), oninput(this.field.value)));
    this.element = make("div", { class: "wb-wording" }, this.behind, this.field);
  }

  show(text, known) {
    this.known = known;
    if (this.field.value !== text) this.field.value = text;
    this.#mark();
  }

  /** Another text in the place of all, which the browser's own undo takes back. */
  replace(text) {
    this.field.focus();
    this.field.select();
    if (!document.execCommand("insertText", false, text)) {
      this.field.value = text;
      this.field.dispatchEvent(new Event("input"));
    }
  }

  // The same text behind the field gives it its height, so it ends with a character of its own.
  #mark() {
    const marked = pieces(this.field.value, this.known).map(({ text, kind }) =>
      kind === "text" ? text : make("mark", { "data-kind": kind, textContent: text }),
    );
    this.behind.replaceChildren(...marked, "\u200b");
  }
}
