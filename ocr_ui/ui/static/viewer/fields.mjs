/**
 * The fields as a table: name, type, value, confidence; a bar below it about the field that has the keys. A field that
 * is absent says so; that is not an empty value.
 */

import { Crop } from "./crop.mjs";
import { h, icon, iconButton, setPressed, setText, setValue } from "./dom.mjs";
import { FIELD_KINDS, isTwice, rename, setKind } from "./fieldedits.mjs";
import { isComposing } from "./keys.mjs";
import { fieldPart } from "./limits.mjs";
import { visible } from "./list.mjs";
import { isLow } from "./sureness.mjs";

const UNFIT = {
  amount: "unfit_amount",
  date: "unfit_date",
  number: "unfit_number",
  time: "unfit_time",
  rate: "unfit_rate",
};

/** Tools of the bar: icon and action, in groups. */
const TOOLS = [
  [
    ["link", "field_link"],
    ["draw", "field_draw"],
    ["unlink", "field_unlink"],
  ],
  [
    ["edited", "field_rename"],
    ["absent", "field_absent"],
    ["plus", "field_add"],
    ["remove", "field_remove"],
  ],
];

export class FieldTable {
  constructor({ editor, t, links, actions }) {
    Object.assign(this, { editor, t, links, actions });
    this.rows = [];
    this.table = h("div", { class: "vw-field-table" });
    this.crop = new Crop();
    this.note = h("div", { class: "vw-note", dir: "auto" });
    const tool = ([name, action]) => iconButton(name, `act_${action}`, () => this.#press(action), { action });
    this.tools = Object.fromEntries(TOOLS.flat().map((pair) => [pair[1], tool(pair)]));
    const groups = TOOLS.map((group) => h("div", { class: "vw-group" }, group.map(([, action]) => this.tools[action])));
    const more = h("div", { class: "vw-more", role: "toolbar", "data-title": "field_tools" }, groups);
    const row = h("div", { class: "vw-detail-row" }, this.note);
    this.bar = h("div", { class: "vw-detail" }, this.crop.element, row, more);
    this.element = h("div", { class: "vw-fields" }, this.table, this.bar);
  }

  destroy() {
    this.crop.destroy();
  }

  /** A button works on the field that is chosen, which has the keys again afterwards, unless a text is open. */
  #press(action) {
    this.actions[action]();
    if (!this.naming && action !== "field_draw") this.focus();
  }

  /** All words again, after the language changed. */
  forget() {
    this.built = null;
  }

  render() {
    const { fields } = this.editor.doc;
    this.links.look();
    const built = JSON.stringify([fields.length, this.editor.canEdit, this.t("absent")]);
    if (built !== this.built) this.#build(fields);
    this.built = built;
    fields.forEach((field, index) => this.#fill(this.rows[index], field, this.#warning(field, index)));
    this.mark();
  }

  #build(fields) {
    const { t } = this;
    const hadKeys = this.table.contains(document.activeElement);
    this.naming = null;
    this.rows = fields.map((_, index) => this.#row(index));
    if (!fields.length) return this.#showNone(hadKeys);
    const heads = ["field_name", "field_value", "confidence"].map((word) => h("th", { scope: "col" }, t(word)));
    const body = h(
      "tbody",
      {},
      this.rows.map((entry) => entry.row),
    );
    this.table.replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, heads)), body));
    if (hadKeys) this.focus();
  }

  #showNone(hadKeys) {
    const { t, editor } = this;
    const add = h("button", { type: "button", class: "vw-button", onclick: () => this.actions.field_add() }, t("act_field_add"));
    const words = h("p", { class: "vw-empty" }, t("no_fields"));
    const parts = editor.canEdit ? [words, h("div", { class: "vw-field-first" }, add)] : [words];
    this.table.replaceChildren(...parts);
    if (hadKeys) add.focus();
  }

  #row(index) {
    const { editor, t } = this;
    const value = h("input", {
      type: "text",
      dir: "auto",
      class: "vw-field-value",
      spellcheck: "false",
      readonly: !editor.canEdit,
      oninput: (event) => !isComposing(event) && editor.setField(index, event.target.value),
      oncompositionend: (event) => editor.setField(index, event.target.value),
    });
    const absent = h("button", {
      type: "button",
      class: "vw-chip small vw-absent",
      disabled: !editor.canEdit,
      onclick: () => this.#of(index, "field_absent"),
    });
    const name = h("span", { class: "vw-field-name-text", dir: "auto", onclick: () => this.#of(index, "field_rename") });
    const kind = h(
      "select",
      {
        class: "vw-kind",
        disabled: !editor.canEdit,
        onchange: (event) => editor.change((doc) => setKind(doc, index, event.target.value)),
      },
      FIELD_KINDS.map((one) => h("option", { value: one }, t(`field_kind_${one}`))),
    );
    const head = h("div", {}, name);
    const shown = h("div", { class: "vw-shown", dir: "auto", hidden: true });
    const confidence = h("td", { class: "vw-conf" });
    const unfit = h("div", { class: "vw-unfit", role: "note", hidden: true }, icon("warning"), h("span"));
    const row = h(
      "tr",
      {
        tabindex: "-1",
        onpointerenter: () => editor.hoverField(index),
        onpointerleave: () => editor.hoverField(null),
        onfocusin: () => this.#chosen(index),
        onclick: (event) => event.target.closest("input,select,button") || this.focus(),
        onpointerdown: () => this.#chosen(index),
        onkeydown: (event) => this.#rowKey(event, index),
      },
      h("th", { scope: "row" }, head, kind),
      h("td", {}, h("div", { class: "vw-field" }, value, absent), unfit, shown),
      confidence,
    );
    return { row, head, name, kind, value, absent, unfit, shown, confidence };
  }

  #of(index, action) {
    this.editor.selectField(index);
    this.actions[action]();
  }

  /** In a text of a row: Enter goes on, Escape goes back to the row, where keys work on the field. */
  #rowKey(event, index) {
    const { row, value } = this.rows[index];
    const naming = this.naming?.input === event.target;
    if (isComposing(event) || !(naming || event.target === value) || !["Enter", "Escape"].includes(event.key)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (naming) return this.#named(event.key === "Escape");
    if (event.key === "Escape") return row.focus();
    const next = this.rows[index + (event.shiftKey ? -1 : 1)];
    (next?.value ?? row).focus();
    next?.value.select();
  }

  /** Opens the name of a field; `fresh` where a person has not chosen it. */
  openName(index, { fresh = false } = {}) {
    const entry = this.rows[index];
    const { editor } = this;
    if (!entry || !editor.canEdit || this.naming) return;
    const before = editor.doc.fields[index].name;
    const write = (text) => editor.change((doc) => rename(doc, index, text), `field name ${index}`);
    const input = h("input", {
      type: "text",
      dir: "auto",
      class: "vw-field-value vw-field-name",
      spellcheck: "false",
      "aria-label": this.t("act_field_rename"),
      oninput: (event) => !isComposing(event) && write(event.target.value),
      oncompositionend: (event) => write(event.target.value),
      onblur: () => this.#closeName(),
    });
    input.value = before;
    editor.history.endMerging();
    this.naming = { index, input, before, write, fresh };
    entry.head.replaceChildren(input);
    input.focus();
    input.select();
  }

  #named(back) {
    const { index, before, write, fresh } = this.naming;
    if (back) write(before);
    this.#closeName();
    if (back || !fresh) this.rows[index]?.row.focus();
    else this.edit(index);
  }

  #closeName() {
    const { naming } = this;
    this.naming = null;
    const entry = naming && this.rows[naming.index];
    entry?.head.replaceChildren(entry.name);
  }

  edit(index = this.editor.field) {
    const value = this.rows[index]?.value;
    value?.focus();
    value?.select();
  }

  /** Brings a field into sight, with the focus on its row: keys go on to work on the whole result. */
  visit(index) {
    this.#chosen(index);
    this.focus();
  }

  /** The keys to the field that is chosen, else to the first one. */
  focus() {
    const entry = this.rows[Math.max(0, this.editor.field)];
    const goal = entry?.row ?? this.table.querySelector("button");
    goal?.focus({ preventScroll: true });
    goal?.scrollIntoView({ block: "nearest" });
  }

  get hasKeys() {
    return this.table.contains(document.activeElement);
  }

  /** The field whose row has the focus, or -1. */
  get visited() {
    return this.rows.findIndex(({ row }) => row.contains(document.activeElement));
  }

  #chosen(index) {
    if (index === this.editor.field) return;
    this.editor.selectField(index);
    this.onfocus?.(this.links.fields[index]);
  }

  /** Why a person should look at a field again; nothing is kept from being saved for it. */
  #warning(field, index) {
    const twice = isTwice(this.editor.doc, index) ? this.t("field_twice") : "";
    const unfit = this.links.fits(index) ? "" : this.t(UNFIT[field.kind]);
    return [unfit, twice].filter(Boolean).join(" · ");
  }

  #fill({ row, name, kind, value, absent, unfit, shown, confidence }, field, warning) {
    unfit.hidden = !warning;
    setText(unfit.lastChild, warning);
    const missing = field.value === null;
    const low = isLow(field, this.editor.limitOf(fieldPart(field)));
    row.classList.toggle("absent", missing);
    row.classList.toggle("low", low);
    setText(name, field.name);
    value.setAttribute("aria-label", field.name);
    kind.setAttribute("aria-label", `${field.name}: ${this.t("field_kind")}`);
    kind.value = field.kind ?? "text";
    setPressed(absent, missing);
    setText(absent, missing ? this.t("absent") : "∅");
    absent.title = this.t("absent_title");
    absent.setAttribute("aria-label", `${field.name}: ${this.t("absent_title")}`);
    value.placeholder = this.t(missing ? "absent" : "empty_value");
    setValue(value, field.value ?? "");
    value.title = field.value ?? "";
    shown.hidden = !this.editor.tools.invisible || !field.value;
    shown.replaceChildren(...(shown.hidden ? [] : visible(field.value)));
    const sure = field.confidence == null ? "" : field.confidence.toFixed(2);
    if (confidence.dataset.shown === `${low} ${sure} ${field.lowest}`) return;
    confidence.dataset.shown = `${low} ${sure} ${field.lowest}`;
    confidence.replaceChildren(...(low ? [this.#sign(field), sure] : [sure]));
  }

  #sign({ confidence, lowest }) {
    const values = { mean: confidence?.toFixed(2), lowest: (lowest ?? confidence)?.toFixed(2) };
    const word = this.t("uncertain_of", values);
    return h("span", { class: "vw-unsure", role: "img", "aria-label": word, title: word }, icon("warning"));
  }

  hover(index) {
    this.rows.forEach(({ row }, at) => row.classList.toggle("hovered", at === index));
  }

  /** The field that is chosen, and the bar about it. */
  mark() {
    const { editor, tools } = this;
    const at = editor.field;
    this.rows.forEach(({ row }, index) => {
      row.classList.toggle("chosen", index === at);
      row.setAttribute("aria-current", String(index === at));
      row.tabIndex = index === Math.max(0, at) ? 0 : -1;
    });
    const field = this.links.fields[at];
    this.bar.classList.toggle("nothing", !editor.doc.fields.length);
    this.crop.show(editor.page, field?.quad);
    setText(this.note, this.#words(field));
    for (const [action, button] of Object.entries(tools))
      button.disabled = !editor.canEdit || (!field && action !== "field_add");
    tools.field_link.disabled ||= !editor.chosen.length;
    tools.field_unlink.disabled ||= !editor.doc.fields[at]?.quad;
    setPressed(tools.field_draw, editor.drawing === "field");
    setPressed(tools.field_absent, field?.value === null);
    this.bar.hidden = !editor.doc.fields.length;
  }

  /** Where the value stands, and what to do about it. */
  #words(field) {
    const { editor, t } = this;
    if (!field) return t("field_hint");
    const place = t(field.found ? "field_found" : field.quad ? "field_placed" : "field_nowhere");
    const n = editor.doc.lines.indexOf(editor.selectedLine) + 1;
    const line = n ? t("field_line", { n, text: editor.selectedLine.text }) : t("field_line_which");
    return editor.canEdit ? `${place} ${line}` : place;
  }
}
