/** The piece of the picture in a box, enlarged, over the whole width of the bar that it stands in. */

import { h } from "./dom.mjs";
import { bounds } from "./geometry.mjs";

const HIGHEST = 40; // pixels on the screen
const LARGEST_ZOOM = 3;

export class Crop {
  constructor() {
    this.element = h("div", { class: "vw-crop", "aria-hidden": "true" });
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
    const { style, classList } = this.element;
    classList.toggle("off", !quad || !page);
    if (!quad || !page) return void (style.backgroundImage = "none");
    const [left, top, right, bottom] = bounds(quad);
    const k = Math.min(HIGHEST / Math.max(1, bottom - top), this.width / Math.max(1, right - left), LARGEST_ZOOM);
    const pad = Math.max(0, (HIGHEST - (bottom - top) * k) / 2);
    Object.assign(style, {
      backgroundImage: `url(${JSON.stringify(page.url)})`,
      backgroundSize: `${page.width * k}px ${page.height * k}px`,
      backgroundPosition: `${-left * k}px ${-top * k + pad}px`,
    });
  }
}
