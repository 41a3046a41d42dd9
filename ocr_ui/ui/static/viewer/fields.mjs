/** The fields as a table: name, value, confidence. A field that is absent says so; that is not an empty value. */

import { h, setPressed, setText } from "./dom.mjs";
import { isComposing } from "./keys.mjs";
import { visible } from "./list.mjs";

export class FieldTable {
  constructor({ editor, t }) {
    Object.assign(this, { editor, t });
    this.element = h("div", { class: "vw-fields" });
    this.rows = [];
  }

  render() {
    const { fields } = this.editor.doc;
    const names = JSON.stringify([fields.map((field) => field.name), this.editor.canEdit, this.t("absent")]);
    if (names !== this.names) this.#build(fields);
    this.names = names;
    fields.forEach((field, index) => this.#fill(this.rows[index], field));
  }

  #build(fields) {
    const { t } = this;
    this.rows = fields.map((field, index) => this.#row(field, index));
    if (!fields.length) return this.element.replaceChildren(h("p", { class: "vw-empty" }, t("no_fields")));
    const heads = ["field_name", "field_value", "confidence"].map((word) => h("th", { scope: "col" }, t(word)));
    const body = h(
      "tbody",
      {},
      this.rows.map((entry) => entry.row),
    );
    this.element.replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, heads)), body));
  }

  #row(field, index) {
    const { editor, t } = this;
    const value = h("input", {
      type: "text",
      dir: "auto",
      class: "vw-field-value",
      spellcheck: "false",
      "aria-label": field.name,
      readonly: !editor.canEdit,
      oninput: (event) => !isComposing(event) && editor.setField(index, event.target.value),
      oncompositionend: (event) => editor.setField(index, event.target.value),
      onfocus: () => this.#focus(index),
    });
    const absent = h("button", {
      type: "button",
      class: "vw-chip small vw-absent",
      disabled: !editor.canEdit,
      onclick: () => editor.setField(index, editor.doc.fields[index].value === null ? "" : null),
    });
    const shown = h("div", { class: "vw-shown", dir: "auto", hidden: true });
    const confidence = h("td", { class: "vw-conf" });
    const row = h(
      "tr",
      { onpointerenter: () => editor.hoverField(index), onpointerleave: () => editor.hoverField(null) },
      h("th", { scope: "row", dir: "auto" }, field.name),
      h("td", {}, h("div", { class: "vw-field" }, value, absent), shown),
      confidence,
    );
    return { row, value, absent, shown, confidence };
  }

  #focus(index) {
    this.editor.hoverField(index);
    this.onfocus?.(this.editor.doc.fields[index]);
  }

  #fill({ row, value, absent, shown, confidence }, field) {
    const missing = field.value === null;
    const low = field.confidence != null && field.confidence < this.editor.lowLimit;
    row.classList.toggle("absent", missing);
    row.classList.toggle("low", low);
    setPressed(absent, missing);
    setText(absent, missing ? this.t("absent") : "∅");
    absent.title = this.t("absent_title");
    absent.setAttribute("aria-label", `${field.name}: ${this.t("absent_title")}`);
    value.placeholder = this.t(missing ? "absent" : "empty_value");
    if (value.value !== (field.value ?? "")) value.value = field.value ?? "";
    shown.hidden = !this.editor.tools.invisible || !field.value;
    shown.replaceChildren(...(shown.hidden ? [] : visible(field.value)));
    confidence.textContent = field.confidence == null ? "" : field.confidence.toFixed(2);
    confidence.title = low ? this.t("uncertain") : "";
  }

  hover(index) {
    this.rows.forEach(({ row }, at) => row.classList.toggle("hovered", at === index));
  }
}
