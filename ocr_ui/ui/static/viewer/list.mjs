/**
 * The list of lines: a grid whose rows are plain text, so that thousands cost little; the selected row gets the one
 * text field. Rows are updated by key: only what changed is touched. They stand in blocks, and the browser skips the
 * blocks out of sight (`content-visibility`); single rows would cost it more to watch than to draw.
 */

import { h, icon, setText } from "./dom.mjs";
import { reachOf } from "./gestures.mjs";
import { deletedLines, indexOf } from "./state.mjs";
import { hidesSomething, splitInvisible } from "./text.mjs";

const BLOCK = 40; // rows

export class LineList {
  constructor({ editor, input, t, prefix }) {
    Object.assign(this, { editor, input, t, prefix });
    this.rows = new Map();
    this.marked = new Set();
    this.epoch = 0;
    this.body = h("div", { class: "vw-rows", role: "rowgroup" });
    this.deleted = h("div", { class: "vw-deleted", role: "rowgroup" });
    this.element = h(
      "div",
      {
        class: "vw-list",
        role: "grid",
        tabindex: "0",
        "aria-colcount": "4",
        "aria-multiselectable": "true",
        "data-title": "lines_label",
      },
      this.body,
      this.deleted,
    );
    this.#listen();
  }

  #listen() {
    const { editor, body } = this;
    body.addEventListener("pointerover", (event) => editor.hover(idOf(event)));
    body.addEventListener("pointerleave", () => editor.hover(null));
    body.addEventListener("click", (event) => this.#clicked(event));
    body.addEventListener("pointerdown", (event) => event.target.closest(".vw-num") && this.#startMoving(event));
  }

  #clicked(event) {
    const id = idOf(event);
    if (!id || event.target === this.input.element) return;
    const reach = reachOf(event);
    if (reach) return this.#reach(id, reach);
    const cell = event.target.closest(".vw-cell");
    const caret = cell && !this.editor.tools.invisible ? selectionIn(cell.querySelector(".vw-text")) : null;
    this.editor.select(id, { from: "list" });
    if (cell) this.edit(id, caret);
  }

  /** Marks rows; what the browser has selected of their text on the way is let go. */
  #reach(id, reach) {
    getSelection().removeAllRanges();
    this.editor.select(id, { from: "list", reach });
    this.element.focus({ preventScroll: true });
  }

  /** Something that all rows show has changed: language, warnings, the model's lines, invisible characters. */
  repaint() {
    this.epoch += 1;
    this.render();
  }

  render() {
    this.input.keepFocus(() => this.#place());
    this.element.setAttribute("aria-rowcount", this.editor.doc.lines.length);
    this.#renderDeleted();
  }

  #place() {
    const { lines } = this.editor.doc;
    const kept = new Set(lines.map((line) => line.id));
    for (const [id, entry] of this.rows) if (!kept.has(id)) this.#forget(id, entry);
    const blocks = Math.ceil(lines.length / BLOCK);
    for (let block = 0; block < blocks; block += 1) this.#placeBlock(lines, block);
    while (this.body.childElementCount > blocks) this.body.lastChild.remove();
  }

  /** Rows that belong to the next block are left behind at the end; that block takes them. */
  #placeBlock(lines, block) {
    const element = this.body.children[block] ?? this.body.appendChild(h("div", { class: "vw-block", role: "none" }));
    const end = Math.min(lines.length, (block + 1) * BLOCK);
    let at = element.firstChild;
    for (let index = block * BLOCK; index < end; index += 1) {
      const line = lines[index];
      const entry = this.rows.get(line.id) ?? this.#create(line.id);
      if (entry.row === at) at = at.nextSibling;
      else element.insertBefore(entry.row, at);
      if (entry.line !== line || entry.index !== index || entry.epoch !== this.epoch) this.#paint(entry, line, index);
    }
  }

  #forget(id, entry) {
    if (this.input.id === id) {
      this.input.moving = false;
      this.input.close();
    }
    entry.row.remove();
    this.rows.delete(id);
  }

  #create(id) {
    const number = h("span", { class: "vw-num", role: "gridcell" });
    const text = h("span", { class: "vw-text", dir: "auto" });
    const cell = h("div", { class: "vw-cell", role: "gridcell" }, text);
    const marks = h("span", { class: "vw-marks", role: "gridcell" });
    const confidence = h("span", { class: "vw-conf", role: "gridcell" });
    const row = h("div", { class: "vw-row", role: "row", "data-id": id, id: `${this.prefix}-row-${id}` });
    row.append(number, cell, marks, confidence);
    const entry = { row, number, text, cell, marks, confidence, line: null, index: -1, epoch: -1 };
    this.rows.set(id, entry);
    return entry;
  }

  #paint(entry, line, index) {
    const { editor, t } = this;
    if (entry.index !== index) {
      setText(entry.number, String(index + 1));
      entry.row.setAttribute("aria-rowindex", index + 1);
    }
    if (entry.line !== line || entry.epoch !== this.epoch) {
      const low = editor.isUncertain(line);
      entry.row.classList.toggle("low", low);
      this.#paintText(entry.text, line.text, line.quad && editor.models.get(line.id)?.text);
      setText(entry.confidence, line.confidence === null ? "" : line.confidence.toFixed(2));
      entry.confidence.title = low ? sureWords(line, t) : "";
      this.#paintMarks(entry, this.#marksOf(line));
    }
    Object.assign(entry, { line, index, epoch: this.epoch });
  }

  #paintText(element, text, wasText) {
    element.classList.toggle("empty", text === "");
    if (text === "") element.dataset.empty = this.t(wasText ? "illegible_line" : "empty_line");
    if (this.editor.tools.invisible) element.replaceChildren(...visible(text));
    else setText(element, text);
  }

  #paintMarks(entry, marks) {
    const signature = marks.join();
    if (entry.shownMarks === signature) return;
    entry.shownMarks = signature;
    entry.marks.replaceChildren(...marks.map(([name, word]) => this.#mark(name, word)));
  }

  #marksOf(line) {
    const { editor, t } = this;
    const change = editor.changeOf(line);
    const warned = editor.warned.has(line.id) ? editor.warnings.filter((entry) => entry.id === line.id) : [];
    const warning = warned.map((entry) => entry.message).join("\n");
    return [
      warning && ["warning", warning],
      !line.quad && ["nobox", t("mark_nobox")],
      hidesSomething(line.text) && ["hidden", t("mark_hidden")],
      change === "added" && ["added", t("mark_added")],
      change === "reread" && ["reread", t("mark_reread")],
      !["same", "added", "reread"].includes(change) && ["edited", t(`mark_${change}`)],
      editor.accepted.has(line.id) && ["check", t("mark_accepted")],
      editor.isLocked(line) && ["lock", t("mark_lock")],
    ].filter(Boolean);
  }

  #mark(name, word) {
    return h("span", { class: `vw-mark ${name}`, role: "img", "aria-label": word, title: word }, icon(name));
  }

  #renderDeleted() {
    const { editor, t } = this;
    const lines = editor.running ? [] : deletedLines(editor.doc, editor.models);
    if (!lines.length && !this.deleted.childElementCount) return;
    const row = (name, ...cells) =>
      h("div", { class: name, role: "row" }, cells.map((cell) => cell && h("div", { role: "gridcell" }, cell)));
    const head = lines.length ? [row("vw-deleted-head", t("deleted_lines", { n: lines.length }))] : [];
    const rows = lines.map((line) =>
      row(
        "vw-deleted-row",
        h("del", { dir: "auto", class: "vw-text" }, line.text),
        editor.canEdit &&
          h("button", { type: "button", class: "vw-link", onclick: () => editor.restore(line.id) }, t("bring_back")),
      ),
    );
    this.deleted.replaceChildren(...head, ...rows);
  }

  // Selecting and editing -------------------------------------------------------------------------------------------

  select(id) {
    this.#swap("selectedRow", id, "selected");
    const row = this.rows.get(id)?.row;
    this.selectedRow?.setAttribute("aria-selected", "true");
    if (!row) return this.element.removeAttribute("aria-activedescendant");
    this.element.setAttribute("aria-activedescendant", row.id);
    row.scrollIntoView({ block: "nearest" });
  }

  /** Marks the rows of further selected lines. */
  mark(ids) {
    for (const id of this.marked) if (!ids.has(id)) this.#showMarked(id, false);
    for (const id of ids) this.#showMarked(id, true);
    this.marked = new Set(ids);
  }

  #showMarked(id, on) {
    const row = this.rows.get(id)?.row;
    row?.classList.toggle("marked", on);
    if (row && row !== this.selectedRow) row.setAttribute("aria-selected", String(on));
  }

  hover(id) {
    this.#swap("hoveredRow", id, "hovered");
  }

  #swap(slot, id, name) {
    this[slot]?.classList.remove(name);
    this[slot]?.removeAttribute("aria-selected");
    this[slot] = this.rows.get(id)?.row ?? null;
    this[slot]?.classList.add(name);
  }

  /** Opens the text field in the row of a line. */
  edit(id, caret = null) {
    const entry = this.rows.get(id);
    if (!entry || !this.editor.canEdit || this.input.composing) return;
    const label = this.t("line_text", { n: entry.index + 1 });
    this.input.open(id, entry.cell, { caret, label });
    entry.row.classList.add("editing");
    entry.row.scrollIntoView({ block: "nearest" });
  }

  /** The text field has left the row of a line. */
  closed(id) {
    this.rows.get(id)?.row.classList.remove("editing");
  }

  // Moving rows by hand ---------------------------------------------------------------------------------------------

  #startMoving(event) {
    const id = idOf(event);
    if (!this.editor.canEdit || event.button !== 0) return;
    event.preventDefault();
    const grip = event.target.closest(".vw-num");
    grip.setPointerCapture(event.pointerId);
    const drop = { before: undefined };
    const follow = (move) => this.#showDrop(drop, move);
    const end = (last) => {
      grip.removeEventListener("pointermove", follow);
      this.#clearDrop();
      if (last.type === "pointerup" && drop.before !== undefined) this.#dropAt(id, drop.before);
    };
    grip.addEventListener("pointermove", follow);
    grip.addEventListener("pointerup", end, { once: true });
    grip.addEventListener("pointercancel", end, { once: true });
  }

  #showDrop(drop, event) {
    const box = this.element.getBoundingClientRect();
    if (event.clientY < box.top + 24) this.element.scrollTop -= 12;
    if (event.clientY > box.bottom - 24) this.element.scrollTop += 12;
    const over = document.elementFromPoint(box.left + box.width / 2, event.clientY)?.closest(".vw-row");
    if (!over || !this.body.contains(over)) return;
    const rect = over.getBoundingClientRect();
    const after = event.clientY > rect.top + rect.height / 2;
    this.#clearDrop();
    over.classList.add(after ? "drop-after" : "drop-before");
    const { lines } = this.editor.doc;
    drop.before = lines[indexOf(lines, over.dataset.id) + (after ? 1 : 0)]?.id ?? null;
  }

  #clearDrop() {
    for (const row of this.body.querySelectorAll(".drop-before, .drop-after")) {
      row.classList.remove("drop-before", "drop-after");
    }
  }

  #dropAt(id, before) {
    const { lines } = this.editor.doc;
    const from = indexOf(lines, id);
    const to = before === null ? lines.length : indexOf(lines, before);
    this.editor.moveTo(id, to > from ? to - 1 : to);
  }
}

/** How uncertain a line is, in words. */
function sureWords({ confidence, lowest }, t) {
  if (lowest === undefined) return t("uncertain");
  return t("uncertain_of", { mean: confidence.toFixed(2), lowest: lowest.toFixed(2) });
}

const idOf = (event) => event.target.closest(".vw-row")?.dataset.id ?? null;

/** Text as nodes in which characters without a shape are shown by their names. */
export function visible(text) {
  return splitInvisible(text).map(({ text: part, name, code }) =>
    name ? h("span", { class: "vw-invisible", title: code }, name) : part.replaceAll(" ", "·"),
  );
}

/** [start, end] of what the person has selected inside an element with one text node, or null. */
function selectionIn(element) {
  const selection = getSelection();
  if (!selection.rangeCount || !element.contains(selection.anchorNode) || !element.contains(selection.focusNode)) {
    return null;
  }
  const { anchorOffset, focusOffset } = selection;
  return [Math.min(anchorOffset, focusOffset), Math.max(anchorOffset, focusOffset)];
}
