/** The pane with the picture: the picture itself, its boxes, the field for typing in place, and the door while empty. */

import { h, named, svg } from "./dom.mjs";
import { bounds } from "./geometry.mjs";

export class PicturePane {
  constructor({ door, t }) {
    this.t = t;
    this.image = h("img", { alt: "", draggable: "false", decoding: "async" });
    this.svg = svg("svg", { class: "vw-svg", "aria-hidden": "true" });
    this.board = h("div", { class: "vw-board" }, this.image, this.svg);
    this.over = h("div", { class: "vw-over", hidden: true });
    this.broken = named(h("p", { class: "vw-broken", hidden: true, role: "alert" }), "picture_broken");
    this.hint = named(h("p", { class: "vw-draw-hint" }), "draw_hint");
    this.element = h(
      "div",
      { class: "vw-pane", tabindex: "0", role: "group", "data-title": "picture_label" },
      this.board,
      this.hint,
      this.broken,
      this.over,
      door?.element,
    );
    this.image.addEventListener("error", () => (this.broken.hidden = false));
    this.image.addEventListener("load", () => (this.broken.hidden = true));
  }

  show(page) {
    this.url = page?.url;
    this.broken.hidden = true;
    if (!page) return this.image.removeAttribute("src");
    this.image.src = page.url;
    this.image.alt = page.name ?? "";
    this.image.style.width = `${page.width}px`;
    this.image.style.height = `${page.height}px`;
  }

  /** Room for typing just below a box, so that the text on the picture stays readable. */
  openEditor(quad, stage) {
    Object.assign(this, { quad, stage });
    this.over.replaceChildren();
    this.over.hidden = false;
    this.follow();
    return this.over;
  }

  /** Keeps that room beside its box while the picture moves. */
  follow() {
    if (!this.over.childElementCount && this.over.hidden) return;
    const [left, top, right, bottom] = bounds(this.quad);
    const { k, x, y } = this.stage.view;
    const { width, height } = this.stage.room;
    const wide = Math.min(width - 16, Math.max(220, (right - left) * k + 24));
    const below = bottom * k + y + 6;
    Object.assign(this.over.style, {
      width: `${wide}px`,
      left: `${Math.min(Math.max(8, left * k + x - 8), width - wide - 8)}px`,
      top: below + 40 < height ? `${Math.max(8, below)}px` : `${Math.max(8, top * k + y - 44)}px`,
    });
  }

  closeEditor() {
    this.over.hidden = true;
  }
}
