/** The boxes on the picture: one SVG polygon a line, updated by key so that streamed lines cost only themselves. */

import { svg } from "./dom.mjs";
import { bounds, clamp, handlePoints, svgPoints, turningPoint } from "./geometry.mjs";

const RADIUS = 4.5; // of a handle, in pixels of the screen
// Of the area around it that takes the pointer: on a low box, on a large one. Fingers are thicker.
const REACH = globalThis.matchMedia?.("(pointer: coarse)").matches ? [10, 22] : [4, 10];
const TURNING = 24; // how far from its box the handle for turning stands
const SCALES = { "vector-effect": "non-scaling-stroke" };

export class Overlay {
  /** `root` is the <svg>; polygons carry data-id, handles data-handle. */
  constructor(root) {
    this.root = root;
    this.polygons = new Map();
    this.marked = new Set();
    this.boxes = svg("g", { class: "vw-boxes" });
    this.regions = svg("g", { class: "vw-regions" });
    this.fieldBoxes = svg("g", { class: "vw-field-boxes" });
    this.handles = svg("g", { class: "vw-handles" });
    this.drawn = svg("polygon", { class: "vw-drawn", ...SCALES });
    this.reading = svg("polygon", { class: "vw-reading", ...SCALES });
    root.replaceChildren(this.boxes, this.regions, this.fieldBoxes, this.handles);
    this.scale = 1;
    this.chosenField = -1;
  }

  resize({ width, height }) {
    this.root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.root.setAttribute("width", width);
    this.root.setAttribute("height", height);
  }

  /** Draws the lines that have a quad; `isLow` says which are uncertain. */
  render(lines, isLow) {
    const gone = new Set(this.polygons.keys());
    for (const line of lines) {
      if (!line.quad) continue;
      gone.delete(line.id);
      this.#draw(line, isLow(line));
    }
    for (const id of gone) this.#forget(id);
  }

  #draw(line, low) {
    const entry = this.polygons.get(line.id) ?? this.#create(line.id);
    if (entry.quad !== line.quad) entry.element.setAttribute("points", svgPoints(line.quad));
    if (entry.low !== low) entry.element.classList.toggle("low", low);
    entry.quad = line.quad;
    entry.low = low;
  }

  #create(id) {
    const element = svg("polygon", { "data-id": id, ...SCALES });
    const entry = { element, quad: null, low: false };
    this.boxes.append(element);
    this.polygons.set(id, entry);
    if (id === this.selected) element.classList.add("selected");
    return entry;
  }

  #forget(id) {
    this.polygons.get(id).element.remove();
    this.polygons.delete(id);
  }

  /** Shows a quad that is not in the document yet, while it is dragged. */
  preview(id, quad) {
    const entry = this.polygons.get(id);
    entry.element.setAttribute("points", svgPoints(quad));
    entry.quad = quad;
    this.showHandles(quad, this.activeHandle);
  }

  previewRegion(index, quad) {
    this.regions.querySelector(`polygon[data-region="${index}"]`)?.setAttribute("points", svgPoints(quad));
    this.shownRegions = null;
    this.showHandles(quad, this.activeHandle);
  }

  select(id) {
    this.#swap("selected", id);
    const element = this.polygons.get(id)?.element;
    if (element && element !== this.boxes.lastChild) this.boxes.append(element);
  }

  /** Marks the boxes of further selected lines. */
  mark(ids) {
    for (const id of this.marked) if (!ids.has(id)) this.polygons.get(id)?.element.classList.remove("marked");
    for (const id of ids) this.polygons.get(id)?.element.classList.add("marked");
    this.marked = new Set(ids);
  }

  hover(id) {
    this.#swap("hovered", id);
  }

  #swap(name, id) {
    this.polygons.get(this[name])?.element.classList.remove(name);
    this.polygons.get(id)?.element.classList.add(name);
    this[name] = id;
  }

  /** Handles on a quad, none for null; `active` is the one that the keyboard moves. */
  showHandles(quad, active = null) {
    this.activeHandle = active;
    this.handled = quad;
    if (!quad) return this.handles.replaceChildren();
    if (!this.handles.childElementCount) this.placed = null;
    if (!this.handles.childElementCount) this.handles.replaceChildren(...makeHandles());
    for (const element of this.handles.children) {
      element.classList.toggle("active", Number(element.dataset.handle) === active);
    }
    this.rescale(this.scale);
  }

  /** Handles keep their size on the screen. */
  rescale(k) {
    const same = k === this.scale && this.handled === this.placed;
    this.scale = k;
    if (!this.handled || same) return;
    this.placed = this.handled;
    const reach = this.#reach(k);
    const places = [...handlePoints(this.handled), turningPoint(this.handled, TURNING / k)];
    for (const element of this.handles.children) {
      const [x, y] = places[element.dataset.handle];
      element.setAttribute("cx", x);
      element.setAttribute("cy", y);
      element.setAttribute("r", (element.classList.contains("reach") ? reach : RADIUS) / k);
    }
  }

  /** The middle of a low box must stay free: it moves the box. */
  #reach(k) {
    const [left, top, right, bottom] = bounds(this.handled);
    return clamp((Math.min(right - left, bottom - top) * k) / 3, ...REACH);
  }

  /** The rectangle being drawn, none for null. */
  showDrawn(quad) {
    if (!quad) return this.drawn.remove();
    this.drawn.setAttribute("points", svgPoints(quad));
    if (!this.drawn.parentNode) this.root.append(this.drawn);
  }

  /** The box that is being read anew, none for null. */
  showReading(quad) {
    if (!quad) return this.reading.remove();
    this.reading.setAttribute("points", svgPoints(quad));
    this.root.append(this.reading);
  }

  renderFields(fields, isLow) {
    if (fields === this.fields) return;
    this.fields = fields;
    const boxes = fields.map(
      (field, index) =>
        field.quad &&
        svg("polygon", {
          "data-field": index,
          class: [isLow(field) && "low", field.found && "found"].filter(Boolean).join(" ") || null,
          points: svgPoints(field.quad),
          ...SCALES,
        }),
    );
    this.fieldBoxes.replaceChildren(...boxes.filter(Boolean));
    this.chooseField(this.chosenField);
  }

  /** Draws the regions with their kinds, as `word` names them; `chosen` is the number of the selected one. */
  renderRegions(regions, chosen, word) {
    const key = JSON.stringify([regions.map(({ kind, quad }) => [word(kind), quad]), chosen]);
    if (key === this.shownRegions) return;
    this.shownRegions = key;
    // Large ones first: a small one that lies in a large one can be reached by the pointer.
    const drawn = regions.map((region, index) => ({ ...region, index })).filter(({ quad }) => quad);
    this.regions.replaceChildren(
      ...drawn.toSorted((a, b) => areaOf(b.quad) - areaOf(a.quad)).flatMap(({ kind, quad, index }) => {
        const [left, top] = bounds(quad);
        const name = index === chosen ? "selected" : null;
        return [
          svg("polygon", { "data-region": index, class: name, points: svgPoints(quad), ...SCALES }),
          svg("text", { x: left, y: top, class: name }, `${index + 1} ${word(kind)}`),
        ];
      }),
    );
  }

  chooseField(index) {
    this.chosenField = index;
    for (const box of this.fieldBoxes.children) box.classList.toggle("chosen", Number(box.dataset.field) === index);
  }

  hoverField(index) {
    for (const box of this.fieldBoxes.children) box.classList.toggle("hovered", Number(box.dataset.field) === index);
  }
}

function areaOf(quad) {
  const [left, top, right, bottom] = bounds(quad);
  return (right - left) * (bottom - top);
}

/** Number of the handle that turns the box; the others are those of `moveHandle`. */
export const TURN = 8;
export const isCorner = (handle) => handle < 4;
const KIND_OF_HANDLE = ["corner", "edge", "turn"];

const makeHandles = () =>
  ["reach", "dot"].flatMap((part) =>
    Array.from({ length: TURN + 1 }, (_, index) =>
      svg("circle", { class: `${part} ${KIND_OF_HANDLE[index >> 2]}`, "data-handle": index, ...SCALES }),
    ),
  );
