/** The pages of a document of which one is open: their pictures in a row, the one before and the one after. */

import { hand } from "../page/handed.mjs";
import { h, named, wordButton } from "./dom.mjs";

export class PageStrip {
  /**
   * @param {(document: object, number: number) => void} parts.open
   * @param {(key: string, values?: object) => string} parts.t
   */
  constructor({ open, t }) {
    Object.assign(this, { open, t, document: null, number: 0, known: new Set() });
    this.before = wordButton("page_before", () => this.#turn(-1));
    this.after = wordButton("page_after", () => this.#turn(1));
    this.place = h("span", { class: "vw-pages-place", role: "status" });
    this.batch = wordButton("pages_as_batch", () => this.#asBatch());
    this.row = named(h("div", { class: "vw-pages-row", role: "group" }), "pages", { attribute: "title" });
    const bar = h("div", { class: "vw-pages-bar" }, this.before, this.place, this.after, this.batch);
    this.element = h("div", { class: "vw-pages", hidden: true }, bar, this.row);
  }

  /** @param {{sha256: string, pages: number} | null} document null for a picture of its own */
  show(document, number, name) {
    const same = document && this.document?.sha256 === document.sha256;
    if (!same) this.known.clear();
    Object.assign(this, { document, number, name });
    this.element.hidden = !document;
    if (!document) return;
    if (!same) this.row.replaceChildren(...Array.from({ length: document.pages }, (_, index) => this.#thumb(index + 1)));
    this.render();
  }

  /** Another picture than a page of this document has come: the row goes. */
  leave(sha256) {
    if (this.document && !this.known.has(sha256)) this.show(null);
  }

  render() {
    if (!this.document) return;
    const { number, document } = this;
    this.place.textContent = this.t("page_place", { page: number, pages: document.pages });
    this.before.disabled = number <= 1;
    this.after.disabled = number >= document.pages;
    for (const button of this.row.children) {
      const here = Number(button.dataset.page) === number;
      button.setAttribute("aria-current", String(here));
      button.setAttribute("aria-label", this.t("page_place", { page: button.dataset.page, pages: document.pages }));
      if (here) button.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }

  #thumb(page) {
    const src = `/v1/documents/${this.document.sha256}/pages/${page}/thumbnail`;
    const picture = h("img", { src, alt: "", loading: "lazy", width: 44, height: 56 });
    const onclick = () => page !== this.number && this.open(this.document, page);
    return h("button", { type: "button", class: "vw-pages-thumb", "data-page": page, onclick }, picture, h("span", {}, String(page)));
  }

  #turn(by) {
    this.open(this.document, this.number + by);
  }

  #asBatch() {
    hand({ name: this.name, sha256: this.document.sha256 });
  }
}
