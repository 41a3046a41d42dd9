/** The boxes on the picture: one SVG polygon a line, updated by key so that streamed lines cost only themselves. */

import { svg } from "./dom.mjs";
import { bounds, clamp, handlePoints, svgPoints } from "./geometry.mjs";

const RADIUS = 4.5; // of a handle, in pixels of the screen
const REACH = [4, 10]; // of the area around it that takes the pointer: on a low box, on a large one
const SCALES = { "vector-effect": "non-scaling-stroke" };

export class Overlay {
  /** `root` is the <svg>; polygons carry data-id, handles data-handle. */
  constructor(root) {
    this.root = root;
    this.polygons = new Map();
    this.boxes = svg("g", { class: "vw-boxes" });
    this.fieldBoxes = svg("g", { class: "vw-field-boxes" });
    this.handles = svg("g", { class: "vw-handles" });
    this.drawn = svg("polygon", { class: "vw-drawn", ...SCALES });
    root.replaceChildren(this.boxes, this.fieldBoxes, this.handles);
    this.scale = 1;
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

  select(id) {
    this.#swap("selected", id);
    const element = this.polygons.get(id)?.element;
    if (element && element !== this.boxes.lastChild) this.boxes.append(element);
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
    if (this.handles.childElementCount !== 16) this.handles.replaceChildren(...makeHandles());
    const places = handlePoints(quad);
    for (const element of this.handles.children) {
      const index = Number(element.dataset.handle);
      element.setAttribute("cx", places[index][0]);
      element.setAttribute("cy", places[index][1]);
      element.classList.toggle("active", index === active);
    }
    this.rescale(this.scale);
  }

  /** Handles keep their size on the screen. */
  rescale(k) {
    this.scale = k;
    if (!this.handled) return;
    const reach = this.#reach(k);
    for (const element of this.handles.children) {
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

  renderFields(fields, isLow) {
    if (fields === this.fields) return;
    this.fields = fields;
    const boxes = fields.map(
      (field, index) =>
        field.quad &&
        svg("polygon", {
          "data-field": index,
          class: isLow(field) ? "low" : null,
          points: svgPoints(field.quad),
          ...SCALES,
        }),
    );
    this.fieldBoxes.replaceChildren(...boxes.filter(Boolean));
  }

  hoverField(index) {
    for (const box of this.fieldBoxes.children) box.classList.toggle("hovered", Number(box.dataset.field) === index);
  }
}

const makeHandles = () =>
  ["reach", "dot"].flatMap((part) =>
    Array.from({ length: 8 }, (_, index) =>
      svg("circle", { class: `${part} ${index < 4 ? "corner" : "edge"}`, "data-handle": index, ...SCALES }),
    ),
  );
