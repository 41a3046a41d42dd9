/** What keys and buttons do, by the names of the table of keys. */

import { makeEditActions } from "./editactions.mjs";
import { makeFieldActions } from "./fieldactions.mjs";
import { blockAround } from "./geometry.mjs";
import { QUEUE_ACTIONS } from "./keys.mjs";
import { makeTableActions } from "./tableactions.mjs";
import { nextPlace, VIEW_OF } from "./uncertain.mjs";

const PAN = 80; // pixels on the screen
const STEP = 2; // pixels on the screen that a nudge moves at least

const ARROWS = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] };

/**
 * @param {object} parts editor, stage, views, list, input, review, reward, rewardLine, door, help, queue; filled in
 * after it is made
 */
export function makeActions(parts) {
  const { editor } = parts;
  const typing = () => parts.input.isOpen;
  const edit = () => editor.selected && parts.editText(editor.selected);
  const actions = {
    ...makeEditActions(parts),
    ...makeTableActions(parts),
    ...makeFieldActions(parts),
    next: () => (editor.onRegions ? editor.stepRegion(1) : editor.step(1)),
    previous: () => (editor.onRegions ? editor.stepRegion(-1) : editor.step(-1)),
    next_uncertain: () => visit(1),
    previous_uncertain: () => visit(-1),
    first: () => selectAt(0),
    last: () => selectAt(-1),
    edit,
    text_next: () => leaveText(1),
    text_previous: () => leaveText(-1),
    text_leave() {
      parts.input.revert();
      parts.leaveText();
    },
    accept_line: () => editor.selected && (editor.accept(), editor.step(1)),
    illegible,
    original: () => editor.restore(),
    invisible: () => editor.setTool("invisible", !editor.tools.invisible),
    handle: () => editor.activeQuad && editor.setTool("handle", nextHandle(editor.tools.handle)),
    add,
    draw: () => editor.setDrawing(editor.drawing ? null : "new"),
    give_box: giveBox,
    remove: () => (editor.onRegions ? editor.removeRegion() : editor.remove()),
    move_up: () => editor.move(-1),
    move_down: () => editor.move(1),
    undo: () => editor.undo(),
    redo: () => editor.redo(),
    save: () => parts.review.save(),
    right: () => parts.review.setVerdict("right"),
    wrong: () => parts.review.setVerdict("wrong"),
    mend: () => parts.reward.mend(),
    rewards: () => parts.reward.scored && parts.rewardLine.toggle(),
    zoom_in: () => parts.stage.zoom(1.25),
    zoom_out: () => parts.stage.zoom(0.8),
    fit: () => parts.stage.fit(),
    fit_width: () => parts.stage.fitWidth(),
    fit_line: () => editor.activeQuad && parts.stage.fitQuad(editor.activeQuad),
    boxes: () => editor.setTool("boxes", !editor.tools.boxes),
    clean: () => parts.toolbar.clean.press(),
    help: () => parts.help.open(),
    cancel,
    open: () => parts.door.choose(),
    photo: () => parts.door.photograph(),
    rotate: () => editor.page && parts.door.rotate(editor.page.sha256, 1),
  };
  for (const name of QUEUE_ACTIONS) actions[name] = () => parts.queue?.[name]();
  for (const [name, [x, y]] of Object.entries(ARROWS)) {
    actions[`nudge_${name}`] = () => nudge(x, y);
    actions[`pan_${name}`] = () => parts.stage.pan(-x * PAN, -y * PAN);
  }
  return actions;

  function selectAt(index) {
    const line = editor.doc.lines.at(index);
    if (line) editor.select(line.id);
  }

  /** On to the next uncertain line, field or cell, in whatever view it stands. */
  function visit(step) {
    const place = nextPlace(editor.uncertainPlaces, parts.views.place, step);
    if (!place) return;
    const view = VIEW_OF[place.kind];
    if (parts.views.active !== view) parts.views.show(view);
    if (place.kind === "line") editor.select(editor.doc.lines[place.index].id);
    if (place.kind === "field") parts.fields.visit(place.index);
    if (place.kind === "cell") parts.views.visitCell(place.index);
  }

  /** A line that nobody can read keeps its box and says nothing; exports that have a word for it use it. */
  function illegible() {
    const line = editor.selectedLine;
    if (!line || !editor.canEdit) return;
    if (!line.quad) return parts.notices.flash("edit", parts.t("illegible_which"));
    editor.setText(line.id, "");
    editor.step(1);
  }

  function leaveText(step) {
    if (parts.input.host?.closest(".vw-over")) return parts.leaveText();
    if (!editor.step(step, { edit: true })) parts.leaveText();
  }

  /** A box where a person would look for it, and its text field open. */
  function add() {
    if (editor.onRegions) return addRegion();
    const { stage } = parts;
    editor.add(editor.newQuad(stage.middle, stage.size, stage.room.width / stage.view.k / 3), { edit: true });
  }

  /** A block in the middle of what is seen, to be moved and reshaped by keys. */
  function addRegion() {
    const { stage } = parts;
    editor.addRegion(blockAround(stage.middle, stage.room.width / stage.view.k / 3, stage.size));
  }

  /** A default box at once; a line that has one already waits for a new one to be drawn. */
  function giveBox() {
    if (editor.onRegions) return giveRegion();
    const line = editor.selectedLine;
    if (!line) return;
    if (line.quad) return editor.setDrawing(editor.drawing ? null : "give");
    const { stage } = parts;
    const above = editor.doc.lines.slice(0, editor.doc.lines.indexOf(line)).findLast((other) => other.quad);
    const wide = stage.room.width / stage.view.k / 3;
    editor.setQuad(
      line.id,
      above ? editor.quadBelow(above, stage.size) : editor.newQuad(stage.middle, stage.size, wide),
    );
    editor.select(line.id);
  }

  function giveRegion() {
    const { stage } = parts;
    if (editor.activeQuad) editor.setDrawing(editor.drawing ? null : "give");
    else if (editor.doc.regions[editor.region])
      editor.setActiveQuad(blockAround(stage.middle, stage.room.width / stage.view.k / 3, stage.size));
  }

  function nudge(x, y) {
    if (!editor.activeQuad || typing()) return;
    const step = Math.max(1, Math.round(STEP / parts.stage.view.k));
    editor.nudge(x * step, y * step, parts.stage.size);
  }

  function cancel() {
    if (parts.rereader.running) parts.rereader.stop();
    else if (editor.drawing) editor.setDrawing(null);
    else if (editor.tools.handle !== null) editor.setTool("handle", null);
    else if (editor.onRegions && editor.region >= 0) editor.selectRegion(-1);
    else if (editor.marked.size) editor.select(editor.selected);
    else editor.select(null);
  }
}

/** None, the four corners, the four edges, none again. */
const nextHandle = (handle) => (handle === null ? 0 : handle === 7 ? null : handle + 1);
