/** Who or what wrote the selected line, in a dialog: the engines' readings, the versions, and what is not saved yet. */

import { momentText } from "../page/moments.mjs";
import { h, icon, named } from "./dom.mjs";

const SIGNS = { read: "picture", reread: "reread", saved: "check", deleted: "remove", now: "edited" };

export class LineHistory {
  /** @param {object} parts editor, api, notices, host (for the dialog), t */
  constructor(parts) {
    Object.assign(this, parts);
    this.rows = h("ol", { class: "vw-history-rows" });
    this.title = h("h2");
    this.time = h("p", { class: "vw-subdued", dir: "auto" });
    const close = named(h("button", { type: "button", class: "vw-button" }), "close");
    close.addEventListener("click", () => this.element.close());
    const head = h("div", { class: "vw-help-head" }, this.title, close);
    this.element = h("dialog", { class: "vw-dialog vw-history" }, head, this.rows, this.time);
    this.element.addEventListener("click", (event) => event.target === this.element && this.element.close());
  }

  async open() {
    const { editor, t } = this;
    const line = editor.selectedLine;
    if (!line || editor.recognition === null) return;
    try {
      const item = `/v1/items/${editor.recognition}`;
      const asked = [`${item}/lines/${encodeURIComponent(line.id)}/history`, `${item}/time`];
      const [{ history }, { seconds }] = await Promise.all(asked.map((path) => this.api.get(path)));
      if (line.id !== editor.selected) return;
      this.title.textContent = t("history_of", { n: editor.doc.lines.indexOf(line) + 1 });
      this.#show(line, history);
      this.#showTime(seconds);
      this.element.showModal();
    } catch (failure) {
      this.notices.showFailure("edit", failure);
    }
  }

  /** How long people have worked on the page, without the time in which nothing was done. */
  #showTime(seconds) {
    const format = new Intl.NumberFormat(this.t("locale"), { maximumFractionDigits: 1 });
    const told = Object.entries(seconds).map(([person, spent]) =>
      this.t("history_minutes", { person: person || this.t("somebody"), minutes: format.format(spent / 60) }),
    );
    this.time.hidden = !told.length;
    this.time.textContent = told.length ? this.t("history_time", { people: told.join(", ") }) : "";
  }

  #show(line, history) {
    const last = history.at(-1);
    const unsaved = last?.text === line.text && !last.moved ? [] : [{ kind: "now", text: line.text }];
    this.rows.replaceChildren(...[...history, ...unsaved].reverse().map((entry) => this.#row(entry, line)));
  }

  #row(entry, line) {
    const { t, editor } = this;
    const take = () => {
      editor.setText(line.id, entry.text);
      this.element.close();
    };
    const other = entry.text !== null && entry.text !== editor.selectedLine.text && editor.canEdit;
    const words = entry.text === null ? h("i", {}, t("history_gone")) : h("bdi", { class: "vw-text" }, entry.text);
    return h(
      "li",
      { "data-kind": entry.kind },
      icon(SIGNS[entry.kind]),
      h("div", {}, words, h("div", { class: "vw-subdued" }, this.#who(entry))),
      other && h("button", { type: "button", class: "vw-link", onclick: take }, t("history_take")),
    );
  }

  #who({ kind, person, version, engine, model, revision, template, moved, at }) {
    const { t } = this;
    if (kind === "now") return t("not_saved");
    const time = momentText(at, t("locale"));
    if (["read", "reread"].includes(kind)) {
      const by = [engine, model, revision, template].filter(Boolean).join(" · ");
      return [t(`history_${kind}`, { by }), person && t("history_for", { person }), time].filter(Boolean).join(" · ");
    }
    const who = t(`history_${kind}`, { person: person || t("somebody"), version });
    return [who, moved && t("mark_box"), time].filter(Boolean).join(" · ");
  }
}
