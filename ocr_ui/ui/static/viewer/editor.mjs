/**
 * What is shown and edited: the value from the server, the document with its history, what is selected and hovered.
 * It knows nothing of the page; views listen to its events:
 * load (how), doc, select (from), hover, field, tools, run, accept.
 */

import * as Edits from "./edits.mjs";
import { setPlace } from "./fieldedits.mjs";
import {
  bounds,
  clamp,
  fitQuad,
  moveHandle,
  moveQuad,
  quadAround,
  quadBeside,
  rotateQuad,
  roundQuad,
} from "./geometry.mjs";
import { History } from "./history.mjs";
import { limitOf } from "./limits.mjs";
import * as Regions from "./regions.mjs";
import { replacePlaces } from "./search.mjs";
import * as State from "./state.mjs";
import { uncertainPlaces } from "./uncertain.mjs";

const heightOf = (quad) => {
  const [, top, , bottom] = bounds(quad);
  return bottom - top;
};

/** Ids of lines that are not what they were. */
const linesChanged = (before, now, ids) =>
  new Set(ids.filter((id) => State.lineOf(before, id) !== State.lineOf(now, id)));

export class Editor {
  constructor() {
    this.listeners = new Map();
    this.history = new History(State.EMPTY);
    this.#show({});
    this.selected = null;
    this.marked = new Set();
    this.anchor = null;
    this.hovered = null;
    this.region = -1;
    this.field = -1;
    this.accepted = new Set();
    this.tools = { boxes: true, clean: false, invisible: false, handle: null, level: "line" };
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

  /** The confidence below which a part of the page is marked, see `limits.mjs`. */
  limitOf = (part) => limitOf(this.value, part);

  isUncertain = (line) => !this.accepted.has(line.id) && State.isUncertain(line, this.limitOf("line"), this.models);

  /** Lines as a person has looked at them: those that are selected are right as they are, however unsure the model was. */
  accept() {
    if (!this.canEdit) return;
    for (const id of this.chosen) this.accepted.add(id);
    this.emit("accept");
  }

  /** Uncertain lines, fields and cells, see `uncertain.mjs`. */
  get uncertainPlaces() {
    const isAccepted = ({ kind, index }) => kind === "line" && this.accepted.has(this.doc.lines[index].id);
    return uncertainPlaces(this.doc, this.limitOf, this.models).filter((place) => !isAccepted(place));
  }

  /** Shows a value; `how` is what `State.arrival` says. */
  load(value, how) {
    const samePage = this.page?.sha256 === value.item?.page?.sha256;
    const loaded = State.documentOf(value);
    this.#show(value, loaded);
    if (how === "replace" || how === "merge") this.#setDocument(loaded);
    if (how === "replace") this.#forgetPlace();
    this.#dropLost();
    this.emit("load", { how, samePage });
  }

  #show(value, loaded = State.documentOf(value)) {
    this.value = value;
    this.models = new Map(State.documentOf({ lines: value.model_lines ?? [] }).lines.map((line) => [line.id, line]));
    this.readings = new Map();
    for (const reread of value.rereads ?? []) this.#remember(reread);
    this.warnings = (value.warnings ?? []).map((warning) => ({
      ...warning,
      id: loaded.lines[warning.line ?? -1]?.id ?? null,
    }));
    this.warned = new Set(this.warnings.map((warning) => warning.id).filter(Boolean));
  }

  #remember({ lines }) {
    for (const { id, text } of lines) this.readings.set(id, (this.readings.get(id) ?? new Set()).add(text));
  }

  /** Another reading of a box: what an engine wrote is no person's. */
  learn(reread) {
    (this.value.rereads ??= []).push(reread);
    this.#remember(reread);
  }

  /** What was done to a line since the first reading: as `State.changeOf`, or "reread" where an engine did it. */
  changeOf(line) {
    const change = State.changeOf(line, this.models);
    return change === "same" || this.isLocked(line) || !this.readings.get(line.id)?.has(line.text) ? change : "reread";
  }

  isLocked = (line) => State.isLocked(line, this.models, this.readings);

  #setDocument(loaded) {
    if (State.sameDocument(this.doc, loaded) && this.doc.tables === loaded.tables) return;
    const merged = State.mergeDocument(this.doc, loaded);
    if (State.sameDocument(this.doc, merged)) this.history.present = merged;
    else this.history.reset(merged);
  }

  #forgetPlace() {
    this.accepted = new Set();
    this.history.reset(this.doc);
    this.selected = null;
    this.marked = new Set();
    this.anchor = null;
    this.region = -1;
    this.field = -1;
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
    this.#dropLost();
    this.emit("doc");
  }

  /** Lines, fields and regions that are gone are selected no longer. */
  #dropLost() {
    this.field = Math.min(this.field, this.doc.fields.length - 1);
    this.region = Math.min(this.region, this.doc.regions.length - 1);
    if (State.indexOf(this.doc.lines, this.selected) < 0) this.selected = null;
    if (!this.marked.size) return;
    this.marked = new Set(Edits.linesOf(this.doc, this.marked).map((line) => line.id));
  }

  // Selecting -------------------------------------------------------------------------------------------------------

  /** Ids of all selected lines in their order: the one that has the keys, and those marked beside it. */
  get chosen() {
    if (!this.marked.size) return this.selected === null ? [] : [this.selected];
    return Edits.linesOf(this.doc, [...this.marked, this.selected]).map((line) => line.id);
  }

  /**
   * `from` says where it was asked for: list, picture, key, warning. `reach` "to" marks all lines from where marking
   * began, "also" marks or releases this one.
   */
  select(wanted, { from = "key", edit = false, reach = null } = {}) {
    const id = this.#mark(wanted, reach);
    if (id !== this.selected) {
      this.selected = id;
      this.tools.handle = null;
      this.history.endMerging();
    }
    this.emit("select", { from, edit });
  }

  /** Marks lines; gives the one that is selected then. */
  #mark(id, reach) {
    if (!reach || id === null) {
      this.marked = new Set();
      this.anchor = id;
      return id;
    }
    this.anchor ??= this.selected ?? id;
    if (reach === "to") {
      this.marked = new Set(Edits.idsBetween(this.doc, this.anchor, id));
      return id;
    }
    if (!this.marked.delete(id)) {
      this.marked.add(id).add(this.selected ?? id);
      return id;
    }
    return this.selected === id ? ([...this.marked].at(-1) ?? null) : this.selected;
  }

  selectAll() {
    this.marked = new Set(this.doc.lines.map((line) => line.id));
    this.selected ??= this.doc.lines[0]?.id ?? null;
    this.emit("select", { from: "key" });
  }

  #choose(ids) {
    this.marked = new Set(ids.length > 1 ? ids : []);
    this.selected = ids[0] ?? null;
    this.anchor = this.selected;
    this.emit("select", { from: "new" });
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

  /** Chooses the field that keys and buttons work on. */
  selectField(index) {
    this.field = index;
    this.emit("field");
  }

  /** Selects the line `step` further on; true where there is one. */
  step(step, { wanted, edit = false, reach = null } = {}) {
    const id = State.neighbour(this.doc.lines, this.selected, step, wanted);
    if (id !== null) this.select(id, { edit, reach });
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

  get onRegions() {
    return this.tools.level === "region";
  }

  /** The box that pointer and keys move: of the selected region on the level of regions, else of the selected line. */
  get activeQuad() {
    return (this.onRegions ? this.doc.regions[this.region] : this.selectedLine)?.quad ?? null;
  }

  setActiveQuad(quad) {
    if (!this.onRegions) this.setQuad(this.selected, quad);
    else if (this.canEdit) this.#apply(Regions.setQuad(this.doc, this.region, quad));
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

  /** Puts a text in these places, as they were found in the document: one step to undo. */
  replace(places, text) {
    if (this.canEdit && places.length) this.#apply(replacePlaces(this.doc, places, text));
  }

  /** Puts what `make` makes of the document in its place; true where that changes anything. */
  change(make, mergeKey = null) {
    const next = this.canEdit ? make(this.doc) : this.doc;
    const changes = next !== this.doc;
    this.#apply(next, mergeKey);
    return changes;
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
    const near = this.activeQuad;
    return near ? quadBeside(near, size) : quadAround(middle, wide, size);
  }

  quadBelow(line, size) {
    return quadBeside(line.quad, size);
  }

  /** Moves the selected boxes, or the handle that is active; quick repetitions are one step to undo. */
  nudge(dx, dy, size) {
    const { handle } = this.tools;
    const ids = handle === null && !this.onRegions ? this.chosen : [this.selected];
    const move = (quad) => (handle === null ? moveQuad(quad, dx, dy, size) : moveHandle(quad, handle, dx, dy, size));
    this.#changeQuads(ids, move, `nudge ${ids} ${handle}`);
  }

  /** Turns the selected boxes, each around its own middle. */
  rotate(degrees, size) {
    this.#changeQuads(this.chosen, (quad) => rotateQuad(quad, degrees, size), `rotate ${this.chosen}`);
  }

  #changeQuads(ids, change, mergeKey) {
    if (!this.canEdit) return;
    if (!this.onRegions) return this.#apply(Edits.changeQuads(this.doc, ids, change), mergeKey);
    const { activeQuad: quad, region } = this;
    if (quad) this.#apply(Regions.setQuad(this.doc, region, change(quad)), `region ${region} ${mergeKey}`);
  }

  remove(ids = this.chosen) {
    const index = State.indexOf(this.doc.lines, ids[0] ?? null);
    if (!this.canEdit || index < 0) return;
    const next = Edits.removeLines(this.doc, ids);
    this.selected = (next.lines[index] ?? next.lines.at(-1))?.id ?? null;
    this.marked = new Set();
    this.#apply(next);
    this.emit("select", { from: "key" });
  }

  /** Cuts a line in two before the character at `at`; the second part is selected. False where there is no cut. */
  split(id, at, widthOf) {
    const next = Edits.splitLine(this.doc, id, at, widthOf);
    if (!this.canEdit || next === this.doc) return false;
    this.history.endMerging();
    this.#apply(next);
    this.select(next.lines[State.indexOf(next.lines, id) + 1].id);
    return true;
  }

  /** Makes one line of the selected ones, of one alone and the line after it. False where they are not neighbours. */
  join() {
    const chosen = this.chosen;
    const index = State.indexOf(this.doc.lines, chosen[0] ?? null);
    const next = this.doc.lines[index + 1]?.id;
    const ids = chosen.length === 1 && next ? [chosen[0], next] : chosen;
    if (ids.length < 2 || Edits.idsBetween(this.doc, ids[0], ids.at(-1)).length !== ids.length) return false;
    if (!this.canEdit) return false;
    this.#apply(Edits.joinLines(this.doc, ids));
    this.select(ids[0]);
    return true;
  }

  /** Puts copies of lines behind the selected one; beside themselves where they stand there already. */
  paste(lines, size) {
    if (!this.canEdit || !lines.length) return;
    const covers = Edits.coversItself(this.doc, lines);
    const place = (quad) => fitQuad(covers ? moveQuad(quad, 0, heightOf(quad) * 1.15, size) : quad, size);
    const placed = lines.map((line) => ({ ...line, quad: line.quad && roundQuad(place(line.quad)) }));
    const [next, ids] = Edits.insertCopies(this.doc, placed, this.chosen.at(-1) ?? null);
    this.#apply(next);
    this.#choose(ids);
  }

  /**
   * Puts what an engine read into the page, as one step. `seen` is the document that it was asked about: a line that
   * was edited since stays as it is. Gives the lines that found no place for that, and those that did.
   */
  splice(splice, seen) {
    const stale = linesChanged(seen, this.doc, splice.replaces);
    const moved = splice.lines.filter((line) => stale.has(line.id));
    const free = splice.lines.filter((line) => !stale.has(line.id));
    if (!this.canEdit || !splice.lines.length) return [moved, []];
    const replaces = splice.replaces.filter((id) => !stale.has(id));
    this.#apply(Edits.spliceLines(this.doc, { ...splice, lines: free.map(State.readLine), replaces }));
    if (free.length) this.#choose(free.map((line) => line.id));
    return [moved, free];
  }

  /** The lines in another order, as one step; true where that changes anything. */
  order(ids) {
    const next = Edits.orderLines(this.doc, ids);
    if (!this.canEdit || next === this.doc) return false;
    this.#apply(next);
    this.emit("select", { from: "server" });
    return true;
  }

  /** Text and boxes of the selected lines as the model gave them. */
  restore(id = this.selected) {
    if (id === this.selected && this.marked.size) return this.restoreAll(this.chosen);
    const model = this.models.get(id);
    if (!this.canEdit || !model) return;
    this.#apply(this.#restored(this.doc, model));
    this.select(id);
  }

  /** Lines that the model read as it read them, the deleted ones too, as one step; what a person added stays. */
  restoreAll(ids = [...this.models.keys()]) {
    if (!this.canEdit) return;
    const models = ids.map((id) => this.models.get(id)).filter(Boolean);
    this.#apply(models.reduce((doc, model) => this.#restored(doc, model), this.doc));
  }

  #restored(doc, model) {
    const gone = State.indexOf(doc.lines, model.id) < 0;
    return gone ? State.insertLine(doc, model, this.#before(doc, model.id)) : State.restoreLine(doc, model);
  }

  /** The line that the model had before this one and that is still there. */
  #before(doc, id) {
    const order = [...this.models.keys()];
    const earlier = order.slice(0, order.indexOf(id)).reverse();
    return earlier.find((key) => State.indexOf(doc.lines, key) >= 0) ?? null;
  }

  move(step, id = this.selected) {
    if (this.onRegions) return this.#moveRegion(step);
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
    this.#dropLost();
    this.emit("doc");
    this.emit("select", { from: "key" });
  }

  // Regions ---------------------------------------------------------------------------------------------------------

  selectRegion(index) {
    if (index !== this.region) {
      this.tools.handle = null;
      this.history.endMerging();
    }
    this.region = index;
    this.emit("region");
  }

  /** Puts a region with this box behind the selected one and selects it. */
  addRegion(quad) {
    if (!this.canEdit) return;
    const at = this.region < 0 ? this.doc.regions.length - 1 : this.region;
    this.#apply(Regions.addRegion(this.doc, roundQuad(quad), at));
    this.selectRegion(at + 1);
  }

  #moveRegion(step) {
    const next = Regions.moveRegion(this.doc, this.region, step);
    if (!this.canEdit || next === this.doc) return;
    this.#apply(next);
    this.selectRegion(this.region + step);
  }

  stepRegion(step) {
    const { length } = this.doc.regions;
    const from = this.region < 0 && step < 0 ? length : this.region;
    if (length) this.selectRegion(clamp(from + step, 0, length - 1));
  }

  setKind(kind) {
    if (this.canEdit) this.#apply(Regions.setKind(this.doc, this.region, kind));
  }

  turnKind(step) {
    const region = this.doc.regions[this.region];
    if (region) this.setKind(Regions.kindFrom(region.kind, step));
  }

  removeRegion() {
    if (!this.canEdit) return;
    this.#apply(Regions.removeRegion(this.doc, this.region));
    this.emit("region");
  }

  // Tools -----------------------------------------------------------------------------------------------------------

  setTool(name, value) {
    if (name === "level") this.tools.handle = null;
    this.tools[name] = value;
    this.emit("tools");
  }

  /**
   * Waits for a box drawn with the pointer: for a new line ("new"), for the selected one ("give"), for the chosen field
   * ("field"), to be read anew ("reread"), or not (null).
   */
  setDrawing(what) {
    this.drawing = this.canEdit ? what : null;
    this.emit("tools");
  }

  finishDrawing(quad) {
    const what = this.drawing;
    this.setDrawing(null);
    if (what === "field") this.#apply(setPlace(this.doc, this.field, quad));
    else if (this.onRegions && what === "give") this.setActiveQuad(quad);
    else if (this.onRegions) this.addRegion(quad);
    else if (what === "reread") this.emit("reread", { quad: roundQuad(quad) });
    else if (what === "give" && this.selected) this.setQuad(this.selected, quad);
    else this.add(quad, { edit: true });
  }
}
