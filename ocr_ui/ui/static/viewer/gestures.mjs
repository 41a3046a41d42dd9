/** What pointers do on the picture: pan, zoom, pinch, select, move, reshape, draw. */

import { angleAt, clampQuad, isTooSmall, moveHandle, moveQuad, rectQuad, rotateQuad, roundQuad } from "./geometry.mjs";
import { isCorner, TURN } from "./overlay.mjs";

const DEAD_ZONE = { touch: 10, other: 3 }; // pixels on the screen that a click may wander
const HOLD_MS = 350; // after which a finger on the selected box takes it along
const SMALLEST = 3; // pixels of the picture

/**
 * @param {object} parts stage, overlay, editor
 * @param {(id: string, ) => void} parts.editInPlace called on a double click
 */
export function listenToPointers({ pane, stage, overlay, editor, editInPlace, signal }) {
  const pointers = new Map();
  let drag = null;

  const on = (name, handler, options = {}) => pane.addEventListener(name, handler, { signal, ...options });

  on("wheel", wheel, { passive: false });
  on("pointerdown", down);
  on("pointermove", move);
  on("pointerup", up);
  on("pointercancel", cancel);
  on("pointerleave", () => editor.hover(null));
  // Else Chromium takes the end of a quick move for a fling, although nothing scrolls here, and swallows the next tap.
  on("touchmove", (event) => event.cancelable && event.preventDefault(), { passive: false });
  on("dblclick", (event) => {
    const id = event.target.dataset?.id ?? (event.target.dataset?.handle ? editor.selected : null);
    if (id && editor.canEdit) editInPlace(id);
  });

  function wheel(event) {
    event.preventDefault();
    const pixels = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    stage.zoom(Math.exp(-pixels * 0.0015), stage.inPane(event));
  }

  function down(event) {
    if (event.button > 1 || event.target.closest(".vw-over")) return;
    pane.focus({ preventScroll: true });
    event.preventDefault();
    pointers.set(event.pointerId, stage.inPane(event));
    if (pointers.size === 2) return startPinch();
    const at = stage.inPane(event);
    const touch = event.pointerType === "touch";
    const deadZone = touch ? DEAD_ZONE.touch : DEAD_ZONE.other;
    drag = { ...kindOf(event), at, last: at, moved: false, deadZone, heldFrom: touch ? event.timeStamp : null };
  }

  function kindOf(event) {
    const { handle, region } = event.target.dataset;
    const id = event.target.dataset.field === undefined ? event.target.dataset.id : lineUnder(event);
    if (region !== undefined && !editor.drawing && event.button === 0) return ofRegion(Number(region));
    const field = fieldUnder(event);
    if (field !== null) return { kind: "pan", field };
    const reach = reachOf(event);
    if (event.button === 1 || !editor.canEdit || reach) return { kind: "pan", id, reach };
    if (editor.drawing) return { kind: "draw" };
    const quad = editor.activeQuad;
    if (Number(handle) === TURN && quad) return { kind: "turn", quad };
    if (handle !== undefined && quad) return { kind: "reshape", handle: Number(handle), quad };
    if (id && id === editor.selected) return { kind: "move", quad, id };
    return { kind: "pan", id };
  }

  /** The selected region is moved, another one is selected by a click and panned over. */
  function ofRegion(region) {
    const quad = editor.activeQuad;
    return region === editor.region && editor.canEdit && quad ? { kind: "move", quad } : { kind: "pan", region };
  }

  /** A field's box that is not chosen yet; that of the chosen one lets the pointer through to the line below. */
  function fieldUnder({ target, button }) {
    if (target.dataset.field === undefined || editor.drawing || button !== 0) return null;
    const field = Number(target.dataset.field);
    return field === editor.field ? null : field;
  }

  /** The line under the pointer, also where a field's box lies over it. */
  const lineUnder = (event) =>
    event.target.dataset.id ??
    document.elementsFromPoint(event.clientX, event.clientY).find((element) => element.dataset?.id)?.dataset.id;

  function startPinch() {
    takeBack();
    const [a, b] = [...pointers.values()];
    drag = { kind: "pinch", moved: true, gap: gap(a, b), middle: middle(a, b) };
  }

  function move(event) {
    if (!pointers.has(event.pointerId)) return hoverUnder(event);
    const at = stage.inPane(event);
    pointers.set(event.pointerId, at);
    if (!drag) return;
    if (drag.kind === "pinch") return pinch();
    if (!drag.moved && gap(at, drag.at) < drag.deadZone) return;
    if (!drag.moved) begin(event);
    STEPS[drag.kind](at);
    drag.last = at;
  }

  /** A finger is for looking around: it moves a box or an edge only after it has rested there. Corners are aimed at. */
  function begin(event) {
    pane.setPointerCapture(event.pointerId);
    drag.moved = true;
    const passing = drag.heldFrom !== null && event.timeStamp - drag.heldFrom < HOLD_MS;
    if (passing && (drag.kind === "move" || (drag.kind === "reshape" && !isCorner(drag.handle)))) drag.kind = "pan";
  }

  function hoverUnder(event) {
    if (event.pointerType === "touch") return;
    editor.hover(event.target.dataset?.id ?? null);
    const field = event.target.dataset?.field;
    editor.hoverField(field === undefined ? null : Number(field));
  }

  function pinch() {
    const [a, b] = [...pointers.values()];
    if (!b) return;
    const [distance, center] = [gap(a, b), middle(a, b)];
    stage.pan(center.x - drag.middle.x, center.y - drag.middle.y);
    stage.zoom(distance / Math.max(1, drag.gap), center);
    Object.assign(drag, { gap: distance, middle: center });
  }

  const offset = (at) => [(at.x - drag.at.x) / stage.view.k, (at.y - drag.at.y) / stage.view.k];

  const STEPS = {
    pan: (at) => stage.pan(at.x - drag.last.x, at.y - drag.last.y),
    move: (at) => show(moveQuad(drag.quad, ...offset(at), stage.size)),
    reshape: (at) => show(moveHandle(drag.quad, drag.handle, ...offset(at), stage.size)),
    turn: (at) => show(rotateQuad(drag.quad, angle(at) - angle(drag.at), stage.size)),
    draw(at) {
      drag.result = clampQuad(rectQuad(stage.toPicture(drag.at), stage.toPicture(at)), stage.size);
      overlay.showDrawn(drag.result);
    },
  };

  const angle = (at) => angleAt(drag.quad, stage.toPicture(at));

  function show(quad) {
    drag.result = quad;
    preview(quad);
  }

  const preview = (quad) =>
    editor.onRegions ? overlay.previewRegion(editor.region, quad) : overlay.preview(editor.selected, quad);

  function up(event) {
    if (!pointers.delete(event.pointerId) || !drag) return;
    if (drag.kind === "pinch") {
      drag = pointers.size ? rest() : null;
      return;
    }
    if (drag.moved) finish();
    else click();
    drag = null;
  }

  /** The finger that stays when the other one of a pinch is lifted goes on panning. */
  function rest() {
    const [at] = pointers.values();
    return { kind: "pan", at, last: at, moved: true };
  }

  function click() {
    if (drag.kind === "pan" && !editor.drawing) choose();
  }

  function choose() {
    if (drag.region !== undefined) return editor.selectRegion(drag.region);
    if (drag.field !== undefined) return editor.selectField(drag.field);
    if (drag.id || !drag.reach) editor.select(drag.id ?? null, { from: "picture", reach: drag.reach });
  }

  function finish() {
    const quad = drag.result && roundQuad(drag.result);
    if (drag.kind === "draw") {
      overlay.showDrawn(null);
      if (quad && !isTooSmall(quad, SMALLEST)) editor.finishDrawing(quad);
    } else if (quad) {
      editor.setActiveQuad(quad);
    }
  }

  function cancel(event) {
    pointers.delete(event.pointerId);
    takeBack();
    drag = null;
  }

  /** What the pointer has begun on a box is shown no longer. */
  function takeBack() {
    if (drag?.result && drag.kind !== "draw") preview(drag.quad);
    overlay.showDrawn(null);
  }
}

/** What a click with Shift, or with Ctrl or Command, does to the selection; see `Editor.select`. */
export const reachOf = (event) => (event.shiftKey ? "to" : event.ctrlKey || event.metaKey ? "also" : null);

const gap = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
const middle = (a, b) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
