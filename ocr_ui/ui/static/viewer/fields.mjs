/** The fields as a table: name, value, confidence. A field that is absent says so; that is not an empty value. */

import { h, icon, setPressed, setText } from "./dom.mjs";
import { isComposing } from "./keys.mjs";
import { visible } from "./list.mjs";
import { isLow } from "./sureness.mjs";

const UNFIT = {
  amount: "unfit_amount",
  date: "unfit_date",
  number: "unfit_number",
  time: "unfit_time",
  rate: "unfit_rate",
};

export class FieldTable {
  constructor({ editor, t, links }) {
    Object.assign(this, { editor, t, links });
    this.element = h("div", { class: "vw-fields" });
    this.rows = [];
  }

  render() {
    const { fields } = this.editor.doc;
    this.links.look();
    const names = JSON.stringify([fields.map((field) => field.name), this.editor.canEdit, this.t("absent")]);
    if (names !== this.names) this.#build(fields);
    this.names = names;
    fields.forEach((field, index) => this.#fill(this.rows[index], field, this.links.fits(index)));
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
    const unfit = h("div", { class: "vw-unfit", role: "note", hidden: true }, icon("warning"), h("span"));
    const row = h(
      "tr",
      {
        tabindex: "-1",
        onpointerenter: () => editor.hoverField(index),
        onpointerleave: () => editor.hoverField(null),
        onkeydown: (event) => this.#rowKey(event, value),
      },
      h("th", { scope: "row", dir: "auto" }, field.name),
      h("td", {}, h("div", { class: "vw-field" }, value, absent), unfit, shown),
      confidence,
    );
    return { row, value, absent, unfit, shown, confidence };
  }

  /** Enter goes from the row, where `visit` has put the focus, into its value. */
  #rowKey(event, value) {
    if (event.target === value || event.target.closest("button") || event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    value.focus();
  }

  /** Brings a field into sight, with the focus on its row: keys go on to work on the whole result. */
  visit(index) {
    this.rows[index].row.focus();
    this.#focus(index);
  }

  /** The field whose row has the focus, or -1. */
  get visited() {
    return this.rows.findIndex(({ row }) => row.contains(document.activeElement));
  }

  #focus(index) {
    this.editor.hoverField(index);
    this.onfocus?.(this.links.fields[index]);
  }

  #fill({ row, value, absent, unfit, shown, confidence }, field, fits) {
    unfit.hidden = fits;
    setText(unfit.lastChild, fits ? "" : this.t(UNFIT[field.kind]));
    const missing = field.value === null;
    const low = isLow(field, this.editor.lowLimit);
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
}
