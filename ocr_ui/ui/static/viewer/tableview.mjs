/** The tables of the page as grids, one at a time: cells are gone to, marked, edited, merged, moved and pasted by key. */

import { h, iconButton, icon, isComposed, setText, setValue } from "./dom.mjs";
import { GridNodes } from "./gridnodes.mjs";
import { isComposing } from "./keys.mjs";
import { isLow } from "./sureness.mjs";
import * as Docs from "./tabledoc.mjs";
import * as Edits from "./tableedits.mjs";
import { cutOut, emptyGrid, gridOf, MOST_CELLS, toHtml, toTsv } from "./tablegrid.mjs";
import { raised } from "./tablenodes.mjs";
import { gridFrom } from "./tablepaste.mjs";

const TOOLS = [
  ["row_above", "row_below", "row_up", "row_down", "row_remove"],
  ["column_before", "column_after", "column_left", "column_right", "column_remove"],
  ["cells_merge", "cells_split", "cells_header"],
  ["table_add", "table_remove"],
];
const ICON = { cells_merge: "join", cells_split: "split", table_remove: "remove" };
const NEW_TABLE = [3, 3];

export class TableView {
  constructor({ editor, t, actions, notices }) {
    Object.assign(this, { editor, t, notices });
    this.index = 0;
    this.at = [0, 0];
    this.anchor = [0, 0];
    this.marked = new Set();
    this.current = null;
    this.tools = TOOLS.map((names) => this.#group(names, actions));
    this.chooser = h("select", {
      class: "vw-table-choice",
      "data-title": "table_choice",
      onchange: (event) => this.choose(Number(event.target.value), { focus: false }),
    });
    const body = h("tbody");
    this.nodes = new GridNodes({ body, makeRow: () => h("tr", { role: "row" }), makeCell: (cell) => this.#makeCell(cell) });
    this.table = h("table", { class: "vw-grid-table", role: "grid", dir: "ltr", "data-title": "view_tables" }, body);
    this.nothing = h("p", { class: "vw-empty" });
    this.host = h("div", { class: "vw-grid", tabindex: "-1" }, this.nothing, this.table);
    const bar = h("div", { class: "vw-grid-tools", role: "toolbar", "data-title": "table_tools" }, this.tools);
    this.element = h("div", { class: "vw-tables" }, bar, this.host);
    this.#listen();
  }

  #group(names, actions) {
    const button = (name) =>
      iconButton(ICON[name] ?? name, `act_${name}`, () => this.#press(actions[name]), {
        action: name,
        "data-action": name,
      });
    return h("div", { class: "vw-group" }, names.map(button));
  }

  /** A button works on the cell that had the keys, which has them again afterwards. */
  #press(action) {
    this.close();
    action();
    this.focus();
  }

  #listen() {
    const { host } = this;
    host.addEventListener("pointerdown", (event) => this.#point(event));
    host.addEventListener("pointerover", (event) => event.buttons === 1 && this.#drag(event));
    host.addEventListener("dblclick", (event) => this.#slotOf(event.target) && this.edit());
    host.addEventListener("copy", (event) => this.#copy(event));
    host.addEventListener("cut", (event) => this.#copy(event) && this.change(Edits.clear));
    host.addEventListener("paste", (event) => this.#paste(event));
  }

  get grid() {
    return this.shown ?? emptyGrid(0, 0);
  }

  /** What is marked, grown to whole cells. */
  get rect() {
    const [[row, column], [other, beside]] = [this.at, this.anchor];
    const rect = {
      top: Math.min(row, other),
      left: Math.min(column, beside),
      bottom: Math.max(row, other),
      right: Math.max(column, beside),
    };
    return Edits.wholeCells(this.grid, rect);
  }

  // Drawing ---------------------------------------------------------------------------------------------------------

  /** All words again, after the language changed. */
  forget() {
    this.close();
    this.nodes.clear();
  }

  render() {
    const { editor, t } = this;
    const { tables } = editor.doc;
    this.index = Math.min(this.index, Math.max(0, tables.length - 1));
    const table = tables[this.index];
    this.shown = table ? gridOf(table) : null;
    this.#renderChooser(tables.length);
    this.nothing.hidden = !!table;
    this.table.hidden = !table;
    this.host.tabIndex = table ? -1 : 0;
    setText(this.nothing, t(editor.canEdit ? "no_tables_add" : "no_tables"));
    this.#renderTools(!!table);
    this.#clamp();
    if (table) this.#renderGrid();
    else this.close();
    this.#mark();
  }

  #renderChooser(number) {
    const key = `${number} ${this.t("table_n")}`;
    this.chooser.hidden = number < 2;
    if (key !== this.choices) {
      const option = (_, index) => h("option", { value: index }, this.t("table_n", { n: index + 1, total: number }));
      this.chooser.replaceChildren(...Array.from({ length: number }, option));
    }
    this.choices = key;
    this.chooser.value = String(this.index);
  }

  #renderTools(there) {
    for (const button of this.tools.flatMap((group) => [...group.children]))
      button.disabled = !this.editor.canEdit || (!there && button.dataset.action !== "table_add");
  }

  #clamp() {
    const inside = ([row, column]) => [
      Math.max(0, Math.min(row, this.grid.height - 1)),
      Math.max(0, Math.min(column, this.grid.width - 1)),
    ];
    this.at = inside(this.at);
    this.anchor = inside(this.anchor);
  }

  #renderGrid() {
    const { host, grid, nodes } = this;
    const hadFocus = host.contains(document.activeElement);
    if (this.open && !nodes.fits(grid)) this.close();
    nodes.render(grid);
    for (const cell of grid.cells) this.#fill(nodes.nodeOf(cell), cell);
    if (hadFocus && !host.contains(document.activeElement)) this.focus();
  }

  #makeCell(cell) {
    return h(cell.header ? "th" : "td", {
      role: cell.header ? "columnheader" : "gridcell",
      tabindex: "-1",
      dir: "auto",
      "aria-selected": "false",
      colspan: cell.columns > 1 && cell.columns,
      rowspan: cell.rows > 1 && cell.rows,
    });
  }

  #fill(node, cell) {
    if (node === this.open?.node) {
      return setValue(this.open.field, cell.text);
    }
    const low = !!cell.sure && isLow({ confidence: cell.sure[0], lowest: cell.sure[1] }, this.editor.limitOf("cell"));
    const { shown } = node;
    if (shown && shown.text === cell.text && shown.low === low && shown.sure === cell.sure) return;
    node.shown = { text: cell.text, sure: cell.sure, low };
    if (low || shown?.low) node.classList.toggle("low", low);
    node.replaceChildren(...raised(cell.text), ...(low ? [this.#sign(cell.sure)] : []));
  }

  #sign([mean, lowest]) {
    const word = this.t("uncertain_of", { mean: mean.toFixed(2), lowest: lowest.toFixed(2) });
    return h("span", { class: "vw-unsure", role: "img", "aria-label": word, title: word }, icon("warning"));
  }

  get #current() {
    const cell = this.shown && Edits.cellAt(this.grid, ...this.at);
    return cell && this.nodes.nodeOf(cell);
  }

  #mark() {
    const cells = this.shown ? Edits.cellsIn(this.grid, this.rect) : [];
    const marked = new Set(cells.map((cell) => this.nodes.nodeOf(cell)));
    for (const node of this.marked) if (!marked.has(node)) node.setAttribute("aria-selected", "false");
    for (const node of marked) if (!this.marked.has(node)) node.setAttribute("aria-selected", "true");
    this.marked = marked;
    const current = this.#current;
    if (current === this.current) return;
    this.current?.classList.remove("current");
    this.current?.setAttribute("tabindex", "-1");
    current?.classList.add("current");
    current?.setAttribute("tabindex", "0");
    this.current = current;
  }

  // Going about -----------------------------------------------------------------------------------------------------

  focus() {
    const node = this.shown ? this.#current : this.host;
    node?.focus({ preventScroll: true });
    node?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }

  choose(index, { focus = true } = {}) {
    if (!this.editor.doc.tables[index]) return;
    this.close();
    this.index = index;
    this.at = this.anchor = [0, 0];
    this.render();
    if (focus) this.focus();
  }

  /** The cell at the keys, counted over the texts of all tables as `findAll` counts them. */
  get number() {
    const { tables } = this.editor.doc;
    const before = tables.slice(0, this.index).reduce((sum, table) => sum + 1 + gridOf(table).cells.length, 0);
    return before + 1 + this.grid.cells.indexOf(Edits.cellAt(this.grid, ...this.at));
  }

  /** Shows a cell, or a table where `cell` is null, and leaves the focus where it is. */
  reveal(index, cell) {
    if (index !== this.index) this.choose(index, { focus: false });
    this.close();
    this.at = this.anchor = cell ? [cell.row, cell.column] : [0, 0];
    this.#mark();
    this.current?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }

  goTo(row, column, { marking = false } = {}) {
    this.at = [row, column];
    if (!marking) this.anchor = this.at;
    this.#mark();
    this.focus();
    return true;
  }

  move(way, { marking = false } = {}) {
    return this.goTo(...Edits.neighbour(this.grid, this.at, way), { marking });
  }

  /** To the next cell in the order of reading; past the last one the keys leave the grid. False there. */
  step(step) {
    const next = Edits.following(this.grid, this.at, step);
    if (next) return this.goTo(...next);
    const outside = step > 0 ? this.element.closest(".vw-panel")?.querySelector(".vw-bar button:enabled") : null;
    (outside ?? this.tools[0].querySelector("button")).focus();
    return false;
  }

  markAll() {
    this.anchor = [0, 0];
    this.goTo(this.grid.height - 1, this.grid.width - 1, { marking: true });
  }

  #slotOf(target) {
    const { cell = null } = target.closest?.("td, th") ?? {};
    return cell && !target.matches(".vw-cell-text") ? [cell.row, cell.column] : null;
  }

  #point(event) {
    const slot = this.#slotOf(event.target);
    if (!slot || event.button !== 0) return;
    this.close();
    event.preventDefault(); // or the browser would mark text and move the focus by itself
    this.goTo(...slot, { marking: event.shiftKey });
  }

  #drag(event) {
    const slot = this.#slotOf(event.target);
    if (slot && !this.open) this.goTo(...slot, { marking: true });
  }

  // Editing ---------------------------------------------------------------------------------------------------------

  /** One step to undo; `refusal` is the word that says why nothing changed. */
  change(make, refusal = null, mergeKey = null) {
    const { rect, index } = this;
    if (!this.shown || !this.editor.canEdit) return false;
    const changed = this.editor.change((doc) => Docs.changeTable(doc, index, (grid) => make(grid, rect)), mergeKey);
    if (!changed && refusal) this.#tell(refusal);
    return changed;
  }

  #tell(word, values) {
    this.notices.flash("edit", this.t(word, values));
  }

  /** A row or column before (`beyond` 0) or after what is marked, with the keys in it. */
  insert(what, beyond) {
    const { rect } = this;
    const row = what === "row";
    const at = (row ? [rect.top, rect.bottom] : [rect.left, rect.right])[beyond] + beyond;
    if (!this.change((grid) => (row ? Edits.insertRow : Edits.insertColumn)(grid, at), "table_full")) return;
    this.goTo(...(row ? [at, this.at[1]] : [this.at[0], at]));
  }

  /** The row or column of the cell one place on. */
  shift(what, step) {
    const row = what === "row";
    const [y, x] = this.at;
    const move = row ? (grid) => Edits.moveRow(grid, y, step) : (grid) => Edits.moveColumn(grid, x, step);
    if (this.change(move, "move_torn")) this.goTo(...(row ? [y + step, x] : [y, x + step]));
  }

  add(grid = emptyGrid(...NEW_TABLE)) {
    if (!this.editor.change((doc) => Docs.addTable(doc, grid))) return;
    this.choose(this.editor.doc.tables.length - 1);
  }

  /** Without the rows or columns that are marked. */
  drop(what) {
    const row = what === "row";
    const without = (grid, { top, left, bottom, right }) =>
      row ? Edits.removeRows(grid, top, bottom) : Edits.removeColumns(grid, left, right);
    if (!this.change(without, row ? "last_row" : "last_column")) return;
    this.goTo(...(row ? [this.rect.top, this.at[1]] : [this.at[0], this.rect.left]));
  }

  remove() {
    const { index } = this;
    if (this.editor.change((doc) => Docs.removeTable(doc, index))) this.focus();
  }

  edit() {
    const cell = Edits.cellAt(this.grid, ...this.at);
    const node = this.#current;
    if (!cell || !this.editor.canEdit || this.open) return;
    this.goTo(cell.row, cell.column);
    const write = (event) => !isComposing(event) && this.#type(event.target.value);
    const field = h("textarea", {
      class: "vw-cell-text",
      dir: "auto",
      rows: cell.text.split("\n").length,
      spellcheck: "false",
      "aria-label": this.t("cell_text", { row: cell.row + 1, column: cell.column + 1 }),
      oninput: write,
      oncompositionend: (event) => this.open && this.#type(event.target.value),
      onblur: () => this.close(),
    });
    field.value = cell.text;
    this.editor.history.endMerging();
    node.style.height = `${node.offsetHeight}px`;
    node.replaceChildren(field);
    this.open = { node, field, cell };
    field.focus();
    field.setSelectionRange(cell.text.length, cell.text.length);
  }

  #type(text) {
    const { row, column } = this.open.cell;
    this.open.field.rows = text.split("\n").length;
    this.change((grid) => Edits.setText(grid, row, column, text), null, `cell ${this.index} ${row} ${column}`);
  }

  breakLine() {
    const { field } = this.open;
    field.setRangeText("\n", field.selectionStart, field.selectionEnd, "end");
    this.#type(field.value);
  }

  /** The text as it was before it was opened. */
  takeBack() {
    const { row, column, text, sure, gap } = this.open.cell;
    const key = `cell ${this.index} ${row} ${column}`;
    this.change((grid) => Edits.restore(grid, row, column, { text, sure, gap }), null, key);
    this.leave();
  }

  close() {
    if (!this.open) return;
    const { node, field } = this.open;
    if (isComposed(field)) this.#type(field.value); // the word that was begun is as much as there will be
    this.open = null;
    node.style.height = "";
    node.shown = null;
    this.#fill(node, node.cell);
  }

  leave(next = () => {}) {
    this.close();
    this.focus();
    next();
  }

  // Clipboard -------------------------------------------------------------------------------------------------------

  #copy(event) {
    if (event.target.matches(".vw-cell-text") || !this.shown) return false;
    event.clipboardData.setData("text/plain", toTsv(this.grid, this.rect));
    event.clipboardData.setData("text/html", toHtml(cutOut(this.grid, this.rect)));
    take(event);
    this.#tell("cells_copied", { n: Edits.cellsIn(this.grid, this.rect).length });
    return true;
  }

  #paste(event) {
    if (event.target.matches(".vw-cell-text") || !this.editor.canEdit) return;
    const pasted = gridFrom(event.clipboardData);
    if (!pasted) return;
    take(event);
    if (!this.shown) return pasted.width * pasted.height > MOST_CELLS ? this.#tell("table_full") : this.add(pasted);
    const { top, left } = this.rect;
    const [only, ...more] = pasted.cells;
    const put = more.length
      ? (grid) => Edits.paste(grid, pasted, top, left)
      : (grid) => Edits.setText(grid, top, left, only.text);
    if (!this.change(put, more.length ? "table_full" : null)) return;
    this.anchor = [top, left];
    this.goTo(top + pasted.height - 1, left + pasted.width - 1, { marking: true });
    this.#tell("cells_pasted", { rows: pasted.height, columns: pasted.width });
  }
}

function take(event) {
  event.preventDefault();
  event.stopPropagation();
}
