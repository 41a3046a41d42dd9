/** The piece of the picture in a box, straightened and enlarged, over the whole width of the bar that it stands in. */

import { h } from "./dom.mjs";

const HIGHEST = 40; // pixels on the screen
const LARGEST_ZOOM = 3;

export class Crop {
  constructor() {
    this.picture = h("div", { class: "vw-crop-picture" });
    this.element = h("div", { class: "vw-crop", "aria-hidden": "true" }, this.picture);
    this.width = 400;
    this.sizing = new ResizeObserver(([entry]) => this.#resized(entry.contentRect.width));
    this.sizing.observe(this.element);
  }

  destroy() {
    this.sizing.disconnect();
  }

  #resized(width) {
    if (!width || width === this.width) return;
    this.width = width;
    const [page, quad] = this.asked ?? [];
    this.shown = null;
    this.show(page, quad);
  }

  /** Shows nothing where there is no page or no box. */
  show(page, quad) {
    this.asked = [page, quad];
    const shown = [page?.url, quad];
    if (shown.every((part, index) => part === this.shown?.[index])) return;
    this.shown = shown;
    const { style } = this.picture;
    this.element.classList.toggle("off", !quad || !page);
    if (!quad || !page) return void (style.backgroundImage = "none");
    Object.assign(style, {
      backgroundImage: `url(${JSON.stringify(page.url)})`,
      width: `${page.width}px`,
      height: `${page.height}px`,
      transform: `matrix(${straightened(quad, { width: this.width, height: HIGHEST })})`,
    });
  }
}

/**
 * The numbers of a CSS matrix that lays a box's top edge level, its start on the left, as large as the room allows.
 * @param {[number, number][]} quad in pixels of the picture, from its top left corner clockwise
 */
export function straightened([a, b, , d], room) {
  const [wide, high] = [Math.hypot(b[0] - a[0], b[1] - a[1]), Math.hypot(d[0] - a[0], d[1] - a[1])];
  const k = Math.min(room.height / Math.max(1, high), room.width / Math.max(1, wide), LARGEST_ZOOM);
  const [cos, sin] = wide ? [(k * (b[0] - a[0])) / wide, (k * (b[1] - a[1])) / wide] : [k, 0];
  const pad = Math.max(0, (room.height - high * k) / 2);
  return [cos, -sin, sin, cos, -(cos * a[0] + sin * a[1]), pad + sin * a[0] - cos * a[1]];
}
