/** The views beside the picture: lines, text, rendered, fields, tables, raw. Only the one that is seen is drawn. */

import { h, icon, iconButton, keySign, named, setPressed, setText } from "./dom.mjs";
import { copyText, downloadText, fieldsCsv, fileName, json, linesCsv } from "./files.mjs";
import { limitSentences } from "./limits.mjs";
import { visible } from "./list.mjs";
import { nameMistakes } from "./sourceview.mjs";
import { bestView, isTextEditable, wholeText } from "./state.mjs";
import { gridOf, wholeTsv } from "./tablegrid.mjs";
import { tableElement } from "./tablenodes.mjs";
import { cellsOf, uncertainCells } from "./uncertain.mjs";

export const VIEWS = ["lines", "text", "rendered", "fields", "tables", "raw"];

/** What each view gives to Copy, and to Download by file ending. */
const OUTPUT = {
  lines: {
    copy: (e) => linesText(e),
    txt: (e) => linesText(e),
    csv: (e) => linesCsv(e.doc.lines),
    json: (e) => json(e.doc.lines),
  },
  text: { copy: (e) => wholeText(e.doc), txt: (e) => wholeText(e.doc) },
  rendered: { copy: (e) => wholeText(e.doc), md: (e) => wholeText(e.doc) },
  fields: { copy: (e) => fieldsText(e), csv: (e) => fieldsCsv(e.doc.fields), json: (e) => json(e.doc.fields) },
  tables: { copy: (e) => tablesText(e), html: (e) => tablesHtml(e), json: (e) => json(e.doc.tables) },
  raw: { copy: (e) => e.value.raw ?? "", txt: (e) => e.value.raw ?? "" },
};

const linesText = (editor) => editor.doc.lines.map((line) => line.text).join("\n");
const fieldsText = (editor) => editor.doc.fields.map((field) => `${field.name}\t${field.value ?? ""}`).join("\n");

const tablesText = (editor) => editor.doc.tables.map((table) => wholeTsv(gridOf(table))).join("\n\n");
const tablesHtml = (editor) => editor.doc.tables.map((table) => table.html).join("\n");

export class Views {
  constructor({ editor, t, list, detail, source, fields, tables, find, actions, notices, prefix }) {
    Object.assign(this, { editor, t, list, detail, source, fields, tables, find, actions, notices, prefix });
    this.chosen = false;
    this.active = "lines";
    this.tabs = VIEWS.map((name) => this.#tab(name));
    this.outputs = {};
    this.invisible = new Map();
    this.panels = this.#makePanels();
    this.element = h(
      "div",
      { class: "vw-views" },
      named(
        h("div", { class: "vw-tabs", role: "tablist", onkeydown: (e) => this.#keys(e) }, this.tabs),
        "views_label",
        {
          attribute: "title",
        },
      ),
      this.find.element,
      Object.values(this.panels),
    );
    this.show("lines", { byPerson: false });
  }

  // Building --------------------------------------------------------------------------------------------------------

  #tab(name) {
    const tab = h("button", {
      type: "button",
      role: "tab",
      class: "vw-tab",
      id: `${this.prefix}-tab-${name}`,
      "aria-controls": `${this.prefix}-view-${name}`,
      "data-view": name,
      onclick: () => this.show(name),
    });
    tab.append(named(h("span"), `view_${name}`), h("span", { class: "vw-count" }));
    return tab;
  }

  #makePanels() {
    this.uncertainCells = this.#uncertainChip();
    this.uncertainFields = this.#uncertainChip();
    this.rendered = h("div", { class: "vw-rendered", dir: "auto", tabindex: "0", "data-title": "view_rendered" });
    this.raw = h("pre", { class: "vw-raw", dir: "auto", tabindex: "0", "data-title": "view_raw" });
    this.staleNote = named(h("p", { class: "vw-stale", hidden: true }), "rendered_stale");
    this.textNote = named(h("span", { class: "vw-subdued" }), "text_follows");
    return {
      lines: this.#panel("lines", this.#lineTools(), [this.list.element, this.detail.element]),
      text: this.#panel("text", [this.textNote, this.source.beside], [this.source.element]),
      rendered: this.#panel("rendered", [this.uncertainCells, this.staleNote], [this.rendered]),
      fields: this.#panel("fields", [this.uncertainFields, this.#invisibleTool("fields"), this.#linkTool()], [this.fields.element]),
      tables: this.#panel("tables", [this.tables.chooser], [this.tables.element]),
      raw: this.#panel("raw", [this.#invisibleTool("raw")], [this.raw]),
    };
  }

  #panel(name, tools, content) {
    const output = Object.keys(OUTPUT[name]).filter((kind) => kind !== "copy");
    const downloads = output.map((kind) => this.#download(name, kind));
    const copy = iconButton("copy", "copy", () => this.#copy(name), { "data-copy": name });
    this.outputs[name] = [copy, ...downloads];
    const bar = h("div", { class: "vw-bar" }, h("div", { class: "vw-bar-start" }, tools), copy, downloads);
    const id = `${this.prefix}-view-${name}`;
    const labelled = `${this.prefix}-tab-${name}`;
    return h(
      "div",
      { class: `vw-panel ${name}`, role: "tabpanel", id, "aria-labelledby": labelled, hidden: true },
      bar,
      content,
    );
  }

  #download(name, kind) {
    const button = iconButton("download", `download_${kind}`, () => this.#save(name, kind), { "data-download": kind });
    button.classList.add("wide");
    button.append(kind.toUpperCase());
    return button;
  }

  #lineTools() {
    this.count = h("span", { class: "vw-subdued vw-lines-count" });
    this.uncertain = this.#uncertainChip();
    const tool = (name, action) => iconButton(name, `act_${action}`, () => this.actions[action](), { action });
    const tools = [tool("find", "find"), tool("size", "text_size")];
    return [this.count, this.uncertain, this.#invisibleTool("lines"), ...tools];
  }

  /** One choice for all views: characters without a shape are shown by their names. */
  #invisibleTool(view) {
    const button = iconButton("hidden", "act_invisible", this.actions.invisible, { action: "invisible" });
    this.invisible.set(view, button);
    return button;
  }

  #linkTool() {
    return iconButton("box", "act_link_fields", () => this.actions.link_fields(), { action: "link_fields" });
  }

  #uncertainChip() {
    const attributes = { type: "button", class: "vw-chip small low", onclick: () => this.actions.next_uncertain() };
    return h("button", attributes, h("span"), keySign("next_uncertain"));
  }

  #showUncertain(chip, kind) {
    const number = this.editor.uncertainPlaces.filter((place) => place.kind === kind).length;
    chip.hidden = !number;
    setText(chip.firstChild, this.t("next_of_uncertain", { n: number }));
    chip.title = [this.t("act_next_uncertain"), ...limitSentences(this.editor, kind, this.t)].join("\n");
  }

  // Choosing --------------------------------------------------------------------------------------------------------

  show(name, { byPerson = true } = {}) {
    this.active = name;
    if (byPerson) this.chosen = true;
    for (const tab of this.tabs) {
      const active = tab.dataset.view === name;
      tab.setAttribute("aria-selected", String(active));
      tab.tabIndex = active ? 0 : -1;
    }
    for (const [key, panel] of Object.entries(this.panels)) panel.hidden = key !== name;
    this.onshow?.(name);
    this.render();
  }

  /** For a new result: the view that shows it best, unless a person has chosen one. */
  choose({ fresh }) {
    if (fresh) this.chosen = false;
    const best = bestView(this.editor.value);
    if (!this.chosen && best !== this.active) this.show(best, { byPerson: false });
  }

  #keys(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const ends = { Home: 0, End: VIEWS.length - 1 }[event.key];
    if ((step === undefined && ends === undefined) || event.altKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    const index = ends ?? (VIEWS.indexOf(this.active) + step + VIEWS.length) % VIEWS.length;
    this.show(VIEWS[index]);
    this.tabs[index].focus();
  }

  // Drawing ---------------------------------------------------------------------------------------------------------

  render() {
    this.#renderCounts();
    const tool = this.invisible.get(this.active);
    if (tool) setPressed(tool, this.editor.tools.invisible);
    this[`render_${this.active}`]();
  }

  #renderCounts() {
    const { doc, canEdit } = this.editor;
    const counts = { lines: doc.lines.length, fields: doc.fields.length, tables: doc.tables.length };
    for (const tab of this.tabs) {
      const count = counts[tab.dataset.view];
      setText(tab.lastChild, count ? String(count) : "");
    }
    this.element.classList.toggle("editable", canEdit);
    const nothing = this.active === "tables" ? !doc.tables.length : OUTPUT[this.active].copy(this.editor) === "";
    for (const button of this.outputs[this.active]) button.disabled = nothing;
  }

  render_lines() {
    const { editor, t } = this;
    this.list.render();
    setText(this.count, t("count_lines", { n: editor.doc.lines.length }));
    this.#showUncertain(this.uncertain, "line");
    this.list.element.classList.toggle("nothing", !editor.doc.lines.length);
    this.list.body.dataset.empty = t(editor.page ? (editor.hasResult ? "no_lines" : "read_hint") : "picture_hint");
  }

  render_text() {
    const { doc } = this.editor;
    this.textNote.hidden = isTextEditable(doc) || !doc.lines.length;
    this.source.render();
  }

  render_rendered() {
    const { value, doc } = this.editor;
    const edited = !!this.isStale?.();
    const live = edited || this.source.live.html ? this.source.follow() : null;
    const html = live ?? value.html;
    this.staleNote.hidden = !edited || live !== null || !html;
    this.#showUncertain(this.uncertainCells, "cell");
    const shown = html || [wholeText(doc), ...doc.tables.map((table) => table.html)].join("\n");
    const key = JSON.stringify([shown, uncertainCells(doc, this.editor.limitOf("cell")), this.t("uncertain_of")]);
    if (key === this.shownRendered) return;
    this.shownRendered = key;
    this.rendered.classList.toggle("plain", !html);
    if (html) this.rendered.innerHTML = html; // made safe by the server; the only markup taken in
    else if (doc.tables.length) this.rendered.replaceChildren(...doc.tables.map((table) => tableElement(gridOf(table))));
    else this.rendered.textContent = wholeText(doc);
    nameMistakes(this.rendered, this.t);
    this.#markCells();
  }

  /** The cells as drawn, in the order of the tables; none where the markup has others than the tables. */
  get #cells() {
    const cells = [...this.rendered.querySelectorAll("td, th")];
    return cells.length === cellsOf(this.editor.doc).length ? cells : [];
  }

  #markCells() {
    const sure = cellsOf(this.editor.doc);
    const low = new Set(uncertainCells(this.editor.doc, this.editor.limitOf("cell")));
    this.#cells.forEach((cell, index) => {
      if (!low.has(index)) return;
      const [mean, lowest] = sure[index];
      const word = this.t("uncertain_of", { mean: mean.toFixed(2), lowest: lowest.toFixed(2) });
      cell.classList.add("low");
      cell.append(h("span", { class: "vw-unsure", role: "img", "aria-label": word, title: word }, icon("warning")));
    });
  }

  visitCell(index) {
    const cell = this.#cells[index];
    if (!cell) return;
    cell.tabIndex = -1;
    cell.focus();
  }

  /** Where the keys stand: the line, field or cell that was visited last in the view that is shown. */
  get place() {
    const { editor } = this;
    const found = {
      lines: () => ["line", editor.doc.lines.findIndex(({ id }) => id === editor.selected)],
      fields: () => ["field", this.fields.visited],
      rendered: () => ["cell", this.#cells.indexOf(document.activeElement)],
    }[this.active]?.();
    return found ? { kind: found[0], index: found[1] } : null; // -1: whatever stands in this view comes first
  }

  render_fields() {
    this.#showUncertain(this.uncertainFields, "field");
    this.fields.render();
  }

  render_tables() {
    this.tables.render();
  }

  render_raw() {
    const { raw = "", run } = this.editor.value;
    const { invisible } = this.editor.tools;
    const loop = run?.loop_at ?? null;
    const key = `${invisible} ${loop} ${this.t("loop_here")} ${raw}`;
    if (key === this.shownRaw) return;
    this.shownRaw = key;
    const parts = (text) =>
      invisible ? text.split("\n").flatMap((row, index) => [index ? "\n" : "", ...visible(row)]) : [text];
    if (loop === null) return this.raw.replaceChildren(...parts(raw));
    const mark = h("span", { class: "vw-loop", role: "note", "aria-label": this.t("loop_here") });
    this.raw.replaceChildren(...parts(raw.slice(0, loop)), mark, ...parts(raw.slice(loop)));
  }

  // Copy and download -----------------------------------------------------------------------------------------------

  async #copy(name) {
    const copied = await copyText(OUTPUT[name].copy(this.editor), this.element);
    const words = this.t(copied ? "copied" : "not_copied");
    this.notices.flash("copy", words, copied ? "good" : "bad");
  }

  #save(name, kind) {
    downloadText(fileName(this.editor.page?.name, name, kind), OUTPUT[name][kind](this.editor));
  }
}
