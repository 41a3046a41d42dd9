/** What stands beside the work: comments on the page and its lines, and the guidelines of the project. */

import { momentText } from "../page/moments.mjs";
import { randomKey } from "../page/random.mjs";
import { h, setText } from "../viewer/dom.mjs";
import { GuidelinesView } from "./guidelines.mjs";

export class Side {
  /**
   * @param {object} parts
   * @param {() => string} parts.person
   * @param {() => {id: string, number: number} | null} parts.line the line that is chosen
   * @param {(id: string) => void} parts.online a comment's line is to be shown
   * @param {(number: number) => void} parts.oncount comments of the item
   */
  constructor({ api, t, person, line, online, oncount, onclose }) {
    Object.assign(this, { api, t, person, line, online, oncount, onclose });
    this.guidelines = new GuidelinesView({ api, t, person });
    this.title = h("h2", { tabindex: "-1" });
    this.body = h("div", { class: "wb-rv-side-body" });
    const close = h(
      "button",
      { type: "button", class: "wb-rv-button", title: t("close"), "aria-label": t("close"), onclick: () => this.close() },
      "✕",
    );
    const attributes = { class: "wb-rv-side", hidden: true, onkeydown: (event) => this.#key(event) };
    this.element = h("aside", attributes, h("header", {}, this.title, close), this.body);
    this.shown = null;
  }

  #key(event) {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    this.close();
  }

  close() {
    this.element.hidden = true;
    this.shown = null;
    this.onclose();
  }

  toggle(what) {
    if (this.shown === what) return this.close();
    this.shown = what;
    this.element.hidden = false;
    this.element.setAttribute("aria-label", this.t(what));
    this.title.textContent = this.t(what);
    return what === "comments" ? this.#comments(true) : this.#guidelines();
  }

  /** Another item is shown. */
  async item(id, lines) {
    this.id = id;
    this.lines = lines;
    this.found = [];
    this.oncount(0);
    if (this.shown === "comments") this.#draw();
    try {
      const { comments } = await this.api.get(`/v1/items/${id}/comments`);
      if (id === this.id) this.#take(comments);
    } catch {
      // The state line tells of a server that does not answer.
    }
  }

  #take(comments) {
    this.found = comments;
    this.oncount(comments.length);
    if (this.shown === "comments") this.#draw();
  }

  #draw() {
    const said = this.found.map((comment) => this.#comment(comment));
    const list = said.length ? h("ol", {}, said) : h("p", { class: "wb-rv-quiet" }, this.t("comments.none"));
    this.list?.replaceWith(list);
    this.list = list;
  }

  #comment({ line_id: id, person, text, created_at: time }) {
    const number = this.lines.indexOf(id) + 1;
    const words = !id ? this.t("comments.page") : number ? this.t("comments.line", { n: number }) : this.t("comments.gone");
    const place = number
      ? h("button", { type: "button", class: "wb-rv-link", onclick: () => this.online(id) }, words)
      : h("span", {}, words);
    const when = momentText(time);
    const about = h("div", { class: "wb-rv-about" }, place, " · ", h("bdi", {}, person || this.t("somebody")), ` · ${when}`);
    return h("li", {}, about, h("p", { dir: "auto" }, text));
  }

  #comments(focus) {
    this.list = h("ol");
    this.field = h("textarea", { rows: "3", dir: "auto", class: "wb-rv-field", onkeydown: (event) => this.#send(event) });
    this.place = h("p", { class: "wb-rv-quiet" });
    this.told = h("p", { class: "wb-rv-quiet", role: "status" });
    const send = h(
      "button",
      { type: "button", class: "wb-rv-button primary", onclick: () => this.#add() },
      this.t("comments.add"),
      h("kbd", {}, "Ctrl+Enter"),
    );
    this.body.replaceChildren(this.list, this.place, this.field, send, this.told);
    this.#draw();
    this.follow();
    if (focus) this.field.focus();
  }

  /** The comment is on the line that is chosen. */
  follow() {
    if (this.shown !== "comments") return;
    const line = this.line();
    const words = line ? this.t("comments.on_line", { n: line.number }) : this.t("comments.on_page");
    setText(this.place, words);
    this.field.setAttribute("aria-label", words);
  }

  #send(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    this.#add();
  }

  async #add() {
    const text = this.field.value;
    if (!text.trim()) return this.field.focus();
    const { id } = this;
    // One key for one text: sent again after a lost answer, it counts once.
    if (this.sent?.text !== text || this.sent.id !== id) this.sent = { id, text, key: randomKey() };
    const body = { text, line_id: this.line()?.id ?? "", person: this.person(), client_key: this.sent.key };
    try {
      const comment = await this.api.post(`/v1/items/${id}/comments`, body);
      this.sent = null;
      if (id !== this.id) return;
      this.field.value = "";
      setText(this.told, "");
      this.#take([...this.found, comment]);
    } catch (failure) {
      setText(this.told, this.t("failed", { reason: failure.message }));
    }
  }

  async #guidelines() {
    this.body.replaceChildren(this.guidelines.element);
    this.title.focus();
    await this.guidelines.open();
  }
}
