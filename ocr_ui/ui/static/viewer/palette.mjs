/**
 * Characters that keyboards lack, put into the text where the cursor stands. The text keeps the focus meanwhile: arrows
 * choose, Enter puts in, Escape closes. Which characters there are is remembered in the browser.
 */

import { h, iconButton, named, takesText } from "./dom.mjs";
import { isComposing } from "./keys.mjs";

const KEY = "workbench.characters";
const COLUMNS = 10;

export const USUAL =
  "¥ £ € ° ℃ № ☑ ☐ ✓ ✗ × ÷ ± ≤ ≥ ≠ ≈ ‰ ½ ¼ ² ³ µ Ω ← → ↑ ↓ • · … – — “ ” ‘ ’ « » 「 」 《 》 【 】 、 。 ￥ § © ® ™ α β";

/** The characters of a text as a person wrote it, each once; several that stand together stay together. */
export const charactersOf = (text) => [...new Set(text.split(/\s+/u).filter(Boolean))];

/** The place that an arrow leads to from `at`, of `count` places in rows of COLUMNS. */
export function neighbourOf(at, key, count) {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -COLUMNS, ArrowDown: COLUMNS }[key];
  const next = at + step;
  if (Math.abs(step) === 1) return (next + count) % count;
  return next < 0 || next >= count ? at : next;
}

export class Palette {
  /** @param {object} parts root, kept, t, openText() opens the text of the selected line */
  constructor(parts) {
    Object.assign(this, parts);
    this.at = 0;
    this.keys = h("div", { class: "vw-characters", role: "listbox", id: `${this.prefix}-characters` });
    named(this.keys, "act_palette", { attribute: "title" });
    this.set = named(h("input", { type: "text", class: "vw-find-text", hidden: true }), "palette_set", {
      attribute: "title",
    });
    this.hint = named(h("span", { class: "vw-subdued" }), "palette_hint");
    const change = iconButton("edited", "palette_change", () => this.#change());
    const close = iconButton("cross", "close", () => this.close());
    const foot = h("div", { class: "vw-find-row" }, this.hint, this.set, change, close);
    this.element = h("div", { class: "vw-palette", hidden: true }, this.keys, foot);
    this.element.addEventListener("pointerdown", (event) => event.target !== this.set && event.preventDefault());
    this.set.addEventListener("keydown", (event) => this.#setKey(event));
    document.addEventListener("keydown", (event) => this.#key(event), { capture: true, signal: this.signal });
    document.addEventListener("focusin", ({ target }) => this.#left(target), { signal: this.signal });
  }

  get isOpen() {
    return !this.element.hidden;
  }

  get text() {
    return this.kept.text(KEY) || USUAL;
  }

  /** Opens at the text that has the focus, else at the selected line's. */
  toggle() {
    if (this.isOpen) return this.close();
    if (!takesText(document.activeElement)) this.openText();
    if (!takesText(document.activeElement)) return;
    this.target = document.activeElement;
    this.element.hidden = false;
    this.#render();
  }

  close() {
    this.element.hidden = true;
    this.set.hidden = true;
    this.hint.hidden = false;
    this.target?.removeAttribute("aria-activedescendant");
  }

  #left(target) {
    if (this.isOpen && target !== this.target && !this.element.contains(target)) this.close();
  }

  #render() {
    this.characters = charactersOf(this.text);
    this.at = Math.min(this.at, this.characters.length - 1);
    this.buttons = this.characters.map((character, index) =>
      h(
        "button",
        {
          type: "button",
          class: "vw-character",
          role: "option",
          tabindex: "-1",
          id: `${this.keys.id}-${index}`,
          onclick: () => this.#insert(index),
        },
        character,
      ),
    );
    this.keys.replaceChildren(...this.buttons);
    this.#choose(this.at);
  }

  #choose(at) {
    this.at = at;
    this.buttons.forEach((button, index) => button.setAttribute("aria-selected", String(index === at)));
    this.target.setAttribute("aria-activedescendant", this.buttons[at]?.id ?? "");
  }

  /** Keys that belong to the palette while it is open; all others go on to the text. */
  #key(event) {
    if (!this.isOpen || event.target !== this.target || isComposing(event)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const action = event.key.startsWith("Arrow")
      ? () => this.#choose(neighbourOf(this.at, event.key, this.characters.length))
      : { Enter: () => this.#insert(this.at), Escape: () => this.close() }[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    action();
  }

  #insert(index) {
    const { target } = this;
    this.#choose(index);
    target.setRangeText(this.characters[index], target.selectionStart, target.selectionEnd, "end");
    target.dispatchEvent(new Event("input", { bubbles: true }));
  }

  #change() {
    this.set.value = this.text;
    this.set.hidden = false;
    this.hint.hidden = true;
    this.set.focus();
  }

  #setKey(event) {
    if (isComposing(event) || !["Enter", "Escape"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") this.#keep(charactersOf(this.set.value).join(" "));
    this.close();
    this.openText();
    this.toggle();
  }

  /** Nothing at all brings the usual ones back. */
  #keep(text) {
    if (text) this.kept.putText(KEY, text);
    else this.kept.drop(KEY);
  }
}
