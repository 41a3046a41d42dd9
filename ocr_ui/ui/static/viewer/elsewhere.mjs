/**
 * The same mistake in other items: looked for once a line has been corrected, shown one by one beside its piece of the
 * picture, and opened in a tab of its own. Nothing is changed from here.
 */

import { h, icon, named, setText } from "./dom.mjs";
import { bounds } from "./geometry.mjs";
import { changedPart } from "./text.mjs";

const HIGHEST = 56; // pixels on the screen of the piece of the picture
const WIDEST = 460;

const part = (tag, text) => text && h(tag, {}, text);

export class Elsewhere {
  /** @param {object} parts editor, api, notices, voice (says it), onfound(number), t */
  constructor(parts) {
    Object.assign(this, parts);
    this.found = null;
    this.title = h("h2", { dir: "auto" });
    this.body = h("div", { class: "vw-elsewhere-body" });
    this.count = h("span", { class: "vw-subdued", role: "status" });
    this.link = h("a", { class: "vw-button primary", target: "_blank" });
    this.element = this.#layOut();
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.editor.on("load", ({ how }) => how === "replace" && this.#forget());
  }

  #layOut() {
    const button = (word, action) => named(h("button", { type: "button", class: "vw-button", onclick: action }), word);
    const close = button("close", () => this.element.close());
    this.previous = button("elsewhere_previous", () => this.#go(-1));
    this.next = button("elsewhere_next", () => this.#go(1));
    const head = h("div", { class: "vw-help-head" }, this.title, close);
    const foot = h("div", { class: "vw-group end" }, this.count, this.previous, this.next, this.link);
    return h("dialog", { class: "vw-dialog vw-elsewhere" }, head, this.body, foot);
  }

  #forget() {
    this.found = null;
    this.onfound(0);
  }

  /** A line's text was left: if it was corrected, looks quietly whether others read the same. */
  async corrected(id) {
    const line = this.editor.doc.lines.find((entry) => entry.id === id);
    const model = this.editor.models.get(id);
    if (!line || !model || model.text === line.text) return;
    try {
      await this.#look(line);
      if (this.found?.places.length) this.voice.textContent = this.words;
    } catch (failure) {
      console.warn("The same mistake was not looked for:", failure.message); // a help only, asked for by nobody
    }
  }

  async #look(line) {
    const { recognition } = this.editor;
    const path = `/v1/items/${recognition}/lines/${encodeURIComponent(line.id)}/elsewhere`;
    const found = await this.api.post(path, { text: line.text });
    if (recognition !== this.editor.recognition) return;
    this.found = found;
    this.onfound(found.places.length);
  }

  get words() {
    const { wrong, places } = this.found;
    return this.t("elsewhere_found", { n: places.length, wrong });
  }

  /** Shows where else the mistake of the selected line stands. */
  async open() {
    const { editor, notices, t } = this;
    const line = editor.selectedLine;
    if (!line || editor.recognition === null) return;
    const model = editor.models.get(line.id);
    if (!model || model.text === line.text) return notices.flash("edit", t("elsewhere_correct_first"));
    try {
      await this.#look(line);
    } catch (failure) {
      return notices.showFailure("edit", failure);
    }
    const { looked, places, wrong } = this.found;
    if (!places.length) return notices.flash("edit", t("elsewhere_none", { n: looked, wrong: wrong ?? model.text }));
    this.at = 0;
    this.#show();
    this.element.showModal();
    this.link.focus();
  }

  #key(event) {
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    this.#go(step);
  }

  #go(step) {
    const { length } = this.found.places;
    this.at = (this.at + step + length) % length;
    this.#show();
  }

  #show() {
    const { t, at } = this;
    const { places } = this.found;
    const place = places[at];
    setText(this.title, this.words);
    setText(this.count, t("found", { number: at + 1, total: places.length }));
    setText(this.link, t("elsewhere_open"));
    this.link.href = `?item=${place.item}&line=${encodeURIComponent(place.line)}`;
    for (const button of [this.previous, this.next]) button.disabled = places.length < 2;
    const { start, removed, added, end } = changedPart(place.text, place.fixed);
    this.body.replaceChildren(
      h("p", { class: "vw-subdued", dir: "auto" }, t("elsewhere_place", { page: place.page, number: place.number })),
      this.#piece(place),
      h("p", { dir: "auto", class: "vw-note" }, start, part("del", removed), part("ins", added), end),
    );
  }

  /** The piece of the other picture on which the line stands. */
  #piece({ quad, url, width }) {
    if (!quad) return h("p", { class: "vw-subdued" }, icon("nobox"), this.t("mark_nobox"));
    const [left, top, right, bottom] = bounds(quad);
    const k = Math.min(HIGHEST / Math.max(1, bottom - top), WIDEST / Math.max(1, right - left));
    const piece = h("div", { class: "vw-crop", role: "img", "aria-label": this.t("elsewhere_piece") });
    Object.assign(piece.style, {
      width: `${(right - left) * k}px`,
      height: `${(bottom - top) * k}px`,
      backgroundImage: `url(${JSON.stringify(url)})`,
      backgroundSize: `${width * k}px auto`,
      backgroundPosition: `${-left * k}px ${-top * k}px`,
    });
    return piece;
  }
}
