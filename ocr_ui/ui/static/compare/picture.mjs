/** The one picture with the boxes of both readings: A solid, B dashed, each in its own colour. */

import { make } from "../page/dom.mjs";
import { svg } from "../viewer/dom.mjs";
import { svgPoints } from "../viewer/geometry.mjs";

const STEP = 1.4;
const SMALLEST = 1;
const LARGEST = 8;

export class Picture {
  /** `onchoose(index)`: a box of this row was clicked; `sides`: whose boxes there are; `legend`: who they are. */
  constructor({ t, onchoose, sides = ["left", "right"], legend = null }) {
    this.sides = sides;
    this.zoomed = 1;
    this.boxes = new Map();
    this.image = make("img", { alt: "", draggable: "false", decoding: "async" });
    this.svg = svg("svg", { "aria-hidden": "true", preserveAspectRatio: "none" });
    this.svg.addEventListener("click", (event) => {
      const row = event.target.closest("[data-row]")?.dataset.row;
      if (row !== undefined) onchoose(Number(row));
    });
    this.board = make("div", { class: "wb-cmp-board" }, this.image, this.svg);
    const reached = { tabindex: "0", role: "group", "aria-label": t("picture") };
    this.pane = make("div", { class: "wb-cmp-pane", ...reached }, this.board);
    const zoom = (key, sign, factor) =>
      make("button", {
        type: "button",
        class: "wb-cmp-button",
        title: t(key),
        "aria-label": t(key),
        textContent: sign,
        onclick: () => this.zoom(factor),
      });
    const tools = make(
      "div",
      { class: "wb-cmp-tools" },
      ...(legend ?? sides.map((side) => make("span", { class: `wb-cmp-legend ${side}`, textContent: t(`legend.${side}`) }))),
      zoom("zoom_out", "−", 1 / STEP),
      zoom("zoom_in", "+", STEP),
    );
    this.element = make("div", { class: "wb-cmp-picture" }, tools, this.pane);
  }

  show({ url, width, height, name }, rows) {
    Object.assign(this.image, { src: url, alt: name ?? "", width, height });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.board.style.aspectRatio = `${width} / ${height}`;
    this.fill(rows);
    this.#scale(1);
    this.pane.scrollTo(0, 0);
  }

  /** Other boxes on the same picture. */
  fill(rows) {
    this.boxes = new Map();
    this.svg.replaceChildren(...this.sides.map((side) => this.#boxesOf(side, rows)));
  }

  #boxesOf(side, rows) {
    const group = svg("g", { class: side });
    rows.forEach((row, index) => {
      const quad = row[`${side}_quad`];
      if (!quad) return;
      const box = svg("polygon", { points: svgPoints(quad), "data-row": index, "data-state": row.state });
      this.boxes.set(index, [...(this.boxes.get(index) ?? []), box]);
      group.append(box);
    });
    return group;
  }

  /** Marks the boxes of a row and brings them into sight; none for null. */
  choose(index) {
    for (const box of this.svg.querySelectorAll(".chosen")) box.classList.remove("chosen");
    const boxes = this.boxes.get(index) ?? [];
    for (const box of boxes) box.classList.add("chosen");
    if (boxes.length) this.#reveal(boxes[0].getBoundingClientRect(), this.pane.getBoundingClientRect());
  }

  #reveal(box, pane) {
    if (box.top < pane.top || box.bottom > pane.bottom) {
      this.pane.scrollTop += (box.top + box.bottom - pane.top - pane.bottom) / 2;
    }
    if (box.left < pane.left || box.right > pane.right) this.pane.scrollLeft += box.left - pane.left - 8;
  }

  zoom(factor) {
    const { pane } = this;
    const middle = [pane.scrollLeft + pane.clientWidth / 2, pane.scrollTop + pane.clientHeight / 2];
    const before = this.zoomed;
    this.#scale(Math.min(LARGEST, Math.max(SMALLEST, before * factor)));
    const real = this.zoomed / before;
    pane.scrollTo(middle[0] * real - pane.clientWidth / 2, middle[1] * real - pane.clientHeight / 2);
  }

  #scale(zoomed) {
    this.zoomed = zoomed;
    this.board.style.width = `${zoomed * 100}%`;
  }
}
