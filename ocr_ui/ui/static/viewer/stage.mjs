/** The picture's place in its pane: zoom, pan, fit. One CSS transform moves picture and boxes together. */

import { bounds, clamp } from "./geometry.mjs";

const SMALLEST = 0.02;
const LARGEST = 20;
const READABLE = 12; // pixels on the screen below which a line's box is too low to read
const MARGIN = 32;
const NO_PICTURE = { width: 1, height: 1 };

export class Stage {
  /** `pane` clips, `board` carries the picture; `onchange` runs after each change of zoom or place. */
  constructor(pane, board, onchange) {
    Object.assign(this, { pane, board, onchange });
    this.size = NO_PICTURE;
    this.view = { k: 1, x: 0, y: 0 };
    this.mode = "fit";
    this.room = { width: 0, height: 0 };
    this.#measure();
    this.resizing = new ResizeObserver(() => this.#resized());
    this.resizing.observe(pane);
  }

  destroy() {
    this.resizing.disconnect();
  }

  show(size) {
    this.size = size;
    this.fit();
  }

  /** The pane's size, kept so that reading it never makes the browser lay out the page. */
  #measure() {
    this.room = { width: this.pane.clientWidth, height: this.pane.clientHeight };
  }

  #set(k, x, y, mode = "free") {
    this.view = { k, x, y };
    this.mode = mode;
    if (k !== this.scale) this.board.style.setProperty("--vw-k", (this.scale = k));
    this.board.style.transform = `translate(${x}px,${y}px) scale(${k})`;
    this.onchange(this.view);
  }

  fit() {
    const { width, height } = this.room;
    const k = Math.min(width / this.size.width, height / this.size.height) * 0.98 || 1;
    this.#set(k, (width - this.size.width * k) / 2, (height - this.size.height * k) / 2, "fit");
  }

  fitWidth() {
    const { width } = this.room;
    const k = (width / this.size.width) * 0.98 || 1;
    this.#set(k, (width - this.size.width * k) / 2, Math.min(8, Math.max(8, this.view.y)), "width");
  }

  /** Zooms so that a box fills the pane comfortably. */
  fitQuad(quad) {
    const [left, top, right, bottom] = bounds(quad);
    const { width, height } = this.room;
    const wide = (width - 2 * MARGIN) / Math.max(1, right - left);
    const high = (height - 2 * MARGIN) / Math.max(1, bottom - top);
    const k = clamp(Math.min(wide, high, 3), SMALLEST, LARGEST);
    this.#center((left + right) / 2, (top + bottom) / 2, k);
  }

  /** Puts a place of the picture in the middle, as far as the picture reaches around it. */
  #center(x, y, k) {
    const { width, height } = this.room;
    this.#set(
      k,
      filled(width / 2 - x * k, this.size.width * k, width),
      filled(height / 2 - y * k, this.size.height * k, height),
    );
  }

  /** Zooms by a factor around a point of the pane, its middle where none is given. */
  zoom(factor, at = { x: this.room.width / 2, y: this.room.height / 2 }) {
    const k = clamp(this.view.k * factor, SMALLEST, LARGEST);
    const real = k / this.view.k;
    this.#set(k, at.x - (at.x - this.view.x) * real, at.y - (at.y - this.view.y) * real);
  }

  pan(dx, dy) {
    this.#set(this.view.k, this.view.x + dx, this.view.y + dy);
  }

  /** Place in the pane of a pointer event. */
  inPane(event) {
    const rect = this.pane.getBoundingClientRect();
    return { x: event.clientX - rect.left, y: event.clientY - rect.top };
  }

  /** Place in the picture, in its pixels, of a place in the pane. */
  toPicture({ x, y }) {
    return [(x - this.view.x) / this.view.k, (y - this.view.y) / this.view.k];
  }

  /** The middle of what is seen, in pixels of the picture. */
  get middle() {
    return this.toPicture({ x: this.room.width / 2, y: this.room.height / 2 });
  }

  /** Brings a box into sight with the least movement; zooms in only where it is too small to read. */
  reveal(quad, { readable = false } = {}) {
    const [left, top, right, bottom] = bounds(quad);
    const { width, height } = this.room;
    if (!width) return;
    if (readable && (bottom - top) * this.view.k < READABLE) {
      const k = Math.min((2 * READABLE) / Math.max(1, bottom - top), (width - MARGIN) / Math.max(1, right - left));
      if (k > this.view.k * 1.2) this.#center((left + right) / 2, (top + bottom) / 2, Math.min(k, LARGEST));
    }
    const { k, x, y } = this.view;
    const dx = shift(left * k + x, right * k + x, width);
    const dy = shift(top * k + y, bottom * k + y, height);
    if (dx || dy) this.pan(dx, dy);
  }

  #resized() {
    this.#measure();
    if (!this.room.width || this.size === NO_PICTURE) return;
    if (this.mode === "fit") this.fit();
    else if (this.mode === "width") this.fitWidth();
  }
}

/** A start for a span of this length that leaves no more of the room empty than it must. */
function filled(start, length, room) {
  if (length <= room) return (room - length) / 2;
  return clamp(start, room - length - 8, 8);
}

/** How far to move a span so that it stands inside 0..room: nothing where it does already. */
function shift(start, end, room) {
  if (start >= 0 && end <= room) return 0;
  if (end - start > room - 2 * MARGIN) return MARGIN - start;
  return start < 0 ? MARGIN - start : room - MARGIN - end;
}
