/** The help sheet: made from the table of keys, which can be changed here. */

import { h, named, setText, wordButton } from "./dom.mjs";
import { keymap } from "./keymap.mjs";
import { chord, GROUPS, isComposing, keyNames, KEYS } from "./keys.mjs";

const ALONE = ["Control", "Shift", "Alt", "AltGraph", "Meta", "CapsLock", "Dead", "Process", "Unidentified"];

export class Help {
  /** @param {object[]} keys rows of the tables of keys that work where the sheet is opened */
  constructor(t, keys = KEYS) {
    Object.assign(this, { t, keys });
    this.body = h("div", { class: "vw-help-body" });
    this.told = h("p", { class: "vw-help-told", role: "status" });
    this.reset = wordButton("key_reset", () => this.#reset());
    const title = named(h("h2"), "help_title");
    const close = wordButton("close", () => this.element.close());
    const head = h("div", { class: "vw-help-head" }, title, this.told, this.reset, close);
    this.element = h("dialog", { class: "vw-dialog vw-help", "data-title": "help_title" }, head, this.body);
    this.element.addEventListener("click", (event) => event.target === this.element && this.element.close());
    this.element.addEventListener("close", () => (this.waiting = null));
    this.element.addEventListener("keydown", (event) => this.waiting && this.#pressed(event), { capture: true });
  }

  open() {
    this.#draw();
    this.element.showModal();
  }

  #draw() {
    const { keys } = this;
    const groups = GROUPS.filter((group) => keys.some((row) => row.group === group));
    this.body.replaceChildren(...groups.map((group) => this.#section(group)));
    this.reset.hidden = !keymap.hasChanges;
    if (!this.waiting) setText(this.told, this.t("key_change"));
  }

  #section(group) {
    const rows = this.keys.filter((row) => row.group === group).map((row) => this.#row(row));
    return h("section", {}, h("h3", {}, this.t(`group_${group}`)), h("dl", {}, rows));
  }

  #row({ action, scope }) {
    const { t } = this;
    const keys = keymap.keysOf(action);
    const made = scope === "native" ? keys.map((key) => h("span", {}, letters(key))) : this.#buttons(action, keys);
    const parts = made.flatMap((part, index) => (index ? [` ${t("or")} `, part] : part));
    const back = h("button", { type: "button", class: "vw-link", onclick: () => this.#reset(action) }, t("key_back"));
    const what = h("dd", {}, t(`act_${action}`), keymap.isChanged(action) && back);
    return h("div", { class: "vw-help-row", "data-action": action }, h("dt", {}, parts), what);
  }

  #buttons(action, keys) {
    const button = (key) => {
      const wait = (event) => this.#wait(action, key, event.currentTarget);
      const label = key ? keyNames(key).join("+") : this.t("key_none");
      const name = `${this.t(`act_${action}`)}: ${label}`;
      const attributes = { type: "button", class: "vw-help-key", "aria-label": name, onclick: wait };
      return h("button", attributes, key ? letters(key) : label);
    };
    return keys.length ? keys.map(button) : [button(null)];
  }

  /** The next key that is pressed is the action's. */
  #wait(action, key, button) {
    this.waiting?.button.classList.remove("waiting");
    this.waiting = { action, key, button, asked: null };
    button.classList.add("waiting");
    setText(this.told, this.t("key_press", { action: this.t(`act_${action}`) }));
  }

  #pressed(event) {
    if (isComposing(event) || ALONE.includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const { action, key: old, asked } = this.waiting;
    const key = chord(event);
    if (key === "Escape" && old !== "Escape") return this.#done(action);
    const shown = { key: keyNames(key).join("+") };
    const refusal = keymap.refusal(action, key);
    if (refusal) return setText(this.told, this.t(refusal, shown));
    const [other] = keymap.conflicts(action, key);
    if (other && asked !== key) {
      this.waiting.asked = key;
      return setText(this.told, this.t("key_taken", { ...shown, action: this.t(`act_${other}`) }));
    }
    keymap.change(action, old, key);
    this.#done(action);
  }

  /** The keys are on the row that was changed again. */
  #done(action) {
    this.waiting = null;
    this.#draw();
    this.body.querySelector(`[data-action="${action}"] button`)?.focus();
  }

  #reset(action = null) {
    this.waiting = null;
    keymap.reset(action);
    this.#draw();
    (action ? this.body.querySelector(`[data-action="${action}"] button`) : this.element.querySelector("button"))?.focus();
  }
}

const letters = (key) => keyNames(key).map((name) => h("kbd", {}, name));
