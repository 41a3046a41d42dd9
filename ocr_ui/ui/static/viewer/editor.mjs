/**
 * What is shown and edited: the value from the server, the document with its history, what is selected and hovered.
 * It knows nothing of the page; views listen to its events:
 * load (how), doc, select (from), hover, field, tools, run.
 */

import { moveHandle, moveQuad, quadAround, quadBeside, roundQuad } from "./geometry.mjs";
import { History } from "./history.mjs";
import * as State from "./state.mjs";
import { uncertainPlaces } from "./uncertain.mjs";

export class Editor {
  constructor() {
    this.listeners = new Map();
    this.history = new History(State.EMPTY);
    this.#show({});
    this.selected = null;
    this.hovered = null;
    this.tools = { boxes: true, clean: false, invisible: false, handle: null };
    this.drawing = null;
  }

  on(names, listener) {
    for (const name of names.split(" ")) {
      if (!this.listeners.has(name)) this.listeners.set(name, []);
      this.listeners.get(name).push(listener);
    }
  }

  emit(name, detail = {}) {
    for (const listener of this.listeners.get(name) ?? []) listener(detail);
  }

  get doc() {
    return this.history.present;
  }

  get page() {
    return this.value.item?.page ?? null;
  }

  get recognition() {
    return this.value.item?.recognition_id ?? null;
  }

  get running() {
    return State.isRunning(this.value);
  }

  /** Only what is stored can be corrected: edits of anything else would have nowhere to go. */
  get canEdit() {
    return !!this.page && this.recognition !== null && !this.value.readonly && !this.running;
  }

  /** False for a picture that nobody has read yet. */
  get hasResult() {
    const { lines, fields } = this.doc;
    return this.recognition !== null || lines.length + fields.length > 0 || State.wholeText(this.doc) !== "";
  }

  get selectedLine() {
    return State.lineOf(this.doc, this.selected);
  }

  get lowLimit() {
    return this.value.low_confidence ?? 0.8;
  }

  isUncertain = (line) => State.isUncertain(line, this.lowLimit, this.models);

  /** Uncertain lines, fields and cells, see `uncertain.mjs`. */
  get uncertainPlaces() {
    return uncertainPlaces(this.doc, this.lowLimit, this.models);
  }

  /** Shows a value; `how` is what `State.arrival` says. */
  load(value, how) {
    const samePage = this.page?.sha256 === value.item?.page?.sha256;
    const loaded = State.documentOf(value);
    this.#show(value, loaded);
    if (how === "replace" || how === "merge") this.#setDocument(loaded);
    if (how === "replace") this.#forgetPlace();
    if (State.indexOf(this.doc.lines, this.selected) < 0) this.selected = null;
    this.emit("load", { how, samePage });
  }

  #show(value, loaded = State.documentOf(value)) {
    this.value = value;
    this.models = new Map(State.documentOf({ lines: value.model_lines ?? [] }).lines.map((line) => [line.id, line]));
    this.warnings = (value.warnings ?? []).map((warning) => ({
      ...warning,
      id: loaded.lines[warning.line ?? -1]?.id ?? null,
    }));
    this.warned = new Set(this.warnings.map((warning) => warning.id).filter(Boolean));
  }

  #setDocument(loaded) {
    if (State.sameDocument(this.doc, loaded) && this.doc.tables === loaded.tables) return;
    const merged = State.mergeDocument(this.doc, loaded);
    if (State.sameDocument(this.doc, merged)) this.history.present = merged;
    else this.history.reset(merged);
  }

  #forgetPlace() {
    this.history.reset(this.doc);
    this.selected = null;
    this.hovered = null;
    this.drawing = null;
    this.tools.handle = null;
  }

  /** Replaces the whole document as one step that can be undone: a draft, what somebody else saved. */
  adopt(doc) {
    this.#apply(State.mergeDocument(this.doc, doc));
  }

  #apply(next, mergeKey = null) {
    if (next === this.doc) return;
    this.history.push(next, mergeKey);
    if (State.indexOf(this.doc.lines, this.selected) < 0) this.selected = null;
    this.emit("doc");
  }

  // Selecting -------------------------------------------------------------------------------------------------------

  /** `from` says where it was asked for: list, picture, key, warning. */
  select(id, { from = "key", edit = false } = {}) {
    if (id !== this.selected) {
      this.selected = id;
      this.tools.handle = null;
      this.history.endMerging();
    }
    this.emit("select", { from, edit });
  }

  hover(id) {
    if (id === this.hovered) return;
    this.hovered = id;
    this.emit("hover");
  }

  hoverField(index) {
    if (index === this.hoveredField) return;
    this.hoveredField = index;
    this.emit("field");
  }

  /** Selects the line `step` further on; true where there is one. */
  step(step, { wanted, edit = false } = {}) {
    const id = State.neighbour(this.doc.lines, this.selected, step, wanted);
    if (id !== null) this.select(id, { edit });
    return id !== null;
  }

  // Editing ---------------------------------------------------------------------------------------------------------

  setText(id, text) {
    if (this.canEdit) this.#apply(State.setText(this.doc, id, text), `text ${id}`);
  }

  /** The line has `text` in all steps since `mark` (of the history), so that undo and redo do not bring others back. */
  takeBackText(id, text, mark) {
    if (!this.canEdit) return;
    this.history.rewrite(mark, (doc) => State.setText(doc, id, text), State.sameDocument);
    this.emit("doc");
  }

  setQuad(id, quad, mergeKey = null) {
    if (this.canEdit) this.#apply(State.setQuad(this.doc, id, roundQuad(quad)), mergeKey);
  }

  setField(index, value) {
    if (this.canEdit) this.#apply(State.setField(this.doc, index, value), `field ${index}`);
  }

  setWholeText(text) {
    if (this.canEdit) this.#apply(State.setWholeText(this.doc, text), "text");
  }

  /** Adds an empty line after the selected one and selects it. */
  add(quad, { edit = false } = {}) {
    if (!this.canEdit) return;
    const line = { id: State.freshId(this.doc), text: "", quad: roundQuad(quad), confidence: null };
    this.#apply(State.insertLine(this.doc, line, this.selected));
    this.select(line.id, { from: "new", edit });
  }

  /** A box where a person would look for it: beside the selected one, else in the middle of what is seen. */
  newQuad(middle, size, wide) {
    const near = this.selectedLine?.quad;
    return near ? quadBeside(near, size) : quadAround(middle, wide, size);
  }

  quadBelow(line, size) {
    return quadBeside(line.quad, size);
  }

  /** Moves the selected box, or the handle of it that is active; quick repetitions are one step to undo. */
  nudge(dx, dy, size) {
    const { quad } = this.selectedLine;
    const { handle } = this.tools;
    const moved = handle === null ? moveQuad(quad, dx, dy, size) : moveHandle(quad, handle, dx, dy, size);
    this.setQuad(this.selected, moved, `nudge ${this.selected} ${handle}`);
  }

  remove(id = this.selected) {
    const index = State.indexOf(this.doc.lines, id);
    if (!this.canEdit || index < 0) return;
    const next = State.removeLine(this.doc, id);
    this.selected = (next.lines[index] ?? next.lines[index - 1])?.id ?? null;
    this.#apply(next);
    this.emit("select", { from: "key" });
  }

  restore(id = this.selected) {
    const model = this.models.get(id);
    if (!this.canEdit || !model) return;
    const gone = State.indexOf(this.doc.lines, id) < 0;
    this.#apply(gone ? State.insertLine(this.doc, model, this.#before(id)) : State.restoreLine(this.doc, model));
    this.select(id);
  }

  /** The line that the model had before this one and that is still there. */
  #before(id) {
    const order = [...this.models.keys()];
    const earlier = order.slice(0, order.indexOf(id)).reverse();
    return earlier.find((key) => State.indexOf(this.doc.lines, key) >= 0) ?? null;
  }

  move(step, id = this.selected) {
    this.moveTo(id, State.indexOf(this.doc.lines, id) + step);
  }

  moveTo(id, index) {
    if (!this.canEdit || id === null) return;
    this.#apply(State.moveLine(this.doc, id, index));
    this.select(id);
  }

  undo() {
    this.#travel("undo");
  }

  redo() {
    this.#travel("redo");
  }

  #travel(way) {
    if (!this.canEdit) return;
    const before = this.doc;
    if (!this.history[way]()) return;
    const place = State.firstDifference(before, this.doc);
    if (place) this.selected = place;
    if (State.indexOf(this.doc.lines, this.selected) < 0) this.selected = null;
    this.emit("doc");
    this.emit("select", { from: "key" });
  }

  // Tools -----------------------------------------------------------------------------------------------------------

  setTool(name, value) {
    this.tools[name] = value;
    this.emit("tools");
  }

  /** Waits for a box drawn with the pointer: for a new line ("new"), for the selected one ("give"), or not (null). */
  setDrawing(what) {
    this.drawing = this.canEdit ? what : null;
    this.emit("tools");
  }

  finishDrawing(quad) {
    const what = this.drawing;
    this.setDrawing(null);
    if (what === "give" && this.selected) this.setQuad(this.selected, quad);
    else this.add(quad, { edit: true });
  }
}
