/** Two readings side by side: their rows with what differs, and the picture with both readings' boxes. */

import { make } from "../page/dom.mjs";
import { Picture } from "./picture.mjs";
import { Rows } from "./rows.mjs";

const SIDES = ["left", "right"];
const LETTERS = { left: "A", right: "B" };
const SIGNS = { same: "=", alike: "≈", text: "≠", box: "▭", order: "⇅", left: "A", right: "B" };

const differs = ({ state }) => state !== "same" && state !== "alike";

export class Panel {
  /**
   * `onkeep(id)`: this reading is to be corrected; `onclose()`. `name` is unlike that of any other panel of the page;
   * `head(side, reading)` makes what stands over a side, `signs` what stands before rows that one side alone has.
   */
  constructor({ t, onkeep, onclose, name = "compare", head = null, signs = {} }) {
    Object.assign(this, { t, onkeep, onclose, signs: { ...SIGNS, ...signs } });
    this.head = head ?? ((side, reading) => this.#head(side, reading));
    this.picture = new Picture({ t, onchoose: (index) => this.rows.choose(index, { focus: true }) });
    this.rows = new Rows(this.picture);
    this.title = make("h2", { textContent: t("title"), tabindex: "-1" });
    this.summary = make("p", { class: "wb-cmp-summary", role: "status" });
    this.only = make("input", { type: "checkbox", id: `${name}-only`, onchange: () => this.rows.filter(this.only.checked) });
    this.steps = [
      ["previous", "↑", -1],
      ["next", "↓", 1],
    ].map(([key, sign, step]) => this.#button(key, sign, () => this.rows.step(step)));
    const close = this.#button("close", "✕", onclose);
    close.id = `${name}-close`;
    this.heads = make("div", { class: "wb-cmp-heads" });
    this.body = make("div", { class: "wb-cmp-body" });
    this.list = make("div", { class: "wb-cmp-list" }, this.heads, this.body);
    this.element = make(
      "section",
      { class: "wb-cmp-panel", hidden: true, "aria-label": t("title"), onkeydown: (event) => this.#key(event) },
      make(
        "header",
        {},
        this.title,
        this.summary,
        make("label", { for: `${name}-only` }, this.only, make("span", { textContent: t("only") })),
        ...this.steps,
        close,
      ),
      make("div", { class: "wb-cmp-both" }, this.picture.element, this.list),
    );
  }

  #button(key, sign, onclick) {
    const words = this.t(key);
    const named = { title: words, "aria-label": words };
    return make("button", { type: "button", class: "wb-cmp-button", ...named, textContent: sign, onclick });
  }

  get focused() {
    return this.element.contains(document.activeElement);
  }

  hide() {
    this.element.hidden = true;
  }

  show(comparison) {
    const all = comparison.sections.flatMap((section) => section.rows);
    this.element.hidden = false;
    this.only.checked = false;
    this.picture.show(comparison.picture, all);
    this.heads.replaceChildren(make("span"), ...SIDES.map((side) => this.head(side, comparison[side])));
    const made = [];
    this.body.replaceChildren(...comparison.sections.map((section) => this.#section(section, made)));
    this.rows.set(made);
    this.#summarize(all, comparison.edit_distance);
    this.rows.filter(this.only.checked);
    this.title.focus({ preventScroll: true });
  }

  #head(side, reading) {
    const { t } = this;
    const seconds = Number(reading.seconds).toFixed(1);
    const about = [
      reading.template,
      reading.size ? t("read_at", { size: reading.size.join(" × ") }) : "",
      t("seconds", { seconds }),
      reading.version ? t("corrected", { version: reading.version }) : "",
      reading.outcome === "complete" ? "" : t(`outcome.${reading.outcome}`),
    ];
    const made = [reading.engine, reading.engine_version, reading.model, reading.revision].filter(Boolean).join(" · ");
    return make(
      "div",
      { class: `wb-cmp-head ${side}`, title: made },
      make("strong", {}, make("span", { class: "wb-cmp-letter", textContent: LETTERS[side] }), bidi(reading.engine)),
      make("span", { class: "wb-cmp-about", textContent: about.filter(Boolean).join(" · ") }),
      make("button", {
        type: "button",
        class: "wb-cmp-button",
        "data-keep": side,
        textContent: t("keep"),
        title: t("keep.title"),
        "aria-label": `${t("keep")}: ${LETTERS[side]}, ${reading.engine}`,
        onclick: () => this.onkeep(reading.id),
      }),
    );
  }

  /** The rows that it makes are added to `made`. */
  #section({ kind, rows }, made) {
    const heads = [this.t("how"), "A", "B"].map((name) => make("th", { scope: "col", textContent: name }));
    const table = make(
      "table",
      {},
      make("thead", { class: "wb-cmp-offscreen" }, make("tr", {}, ...heads)),
      make("tbody", {}, ...rows.map((row) => this.#row(row, made))),
    );
    return make(
      "section",
      { "data-section": kind },
      make("h3", { textContent: this.t(`section.${kind}`) }),
      table,
    );
  }

  #row(row, made) {
    const index = made.length;
    const state = this.t(`state.${row.state}`);
    const sign = make("span", { title: state, "aria-hidden": "true", textContent: this.signs[row.state] });
    const said = make("span", { class: "wb-cmp-offscreen", textContent: state });
    const name = row.name ? make("span", { class: "wb-cmp-name", dir: "auto", textContent: row.name }) : null;
    const element = make(
      "tr",
      {
        tabindex: "-1",
        "data-state": row.state,
        onclick: () => this.rows.choose(index),
        onfocus: () => this.rows.choose(index),
      },
      make("th", { scope: "row" }, sign, said, name),
      ...SIDES.map((side) => this.#cell(side, row)),
    );
    made.push({ element, differs: differs(row) });
    return element;
  }

  #cell(side, row) {
    const pieces = row[side];
    const none = row.state === "alike" ? "no_row" : "missing";
    if (pieces === null) return make("td", { class: "wb-cmp-none", textContent: this.t(none) });
    if (!pieces.some(([text]) => text)) return make("td", { class: "wb-cmp-none", textContent: this.t("empty") });
    const parts = pieces.map(([text, marked]) =>
      marked ? make("mark", { class: side, textContent: text }) : document.createTextNode(text),
    );
    return make("td", { dir: "auto" }, ...parts);
  }

  #summarize(rows, characters) {
    const differing = rows.filter(differs).length;
    const key = !rows.length ? "nothing" : differing ? "summary" : "equal";
    this.summary.textContent = this.t(key, { differing, total: rows.length, characters });
    for (const button of this.steps) button.disabled = !differing;
    this.only.disabled = !differing;
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const { rows } = this;
    const any = () => true;
    const arrows = { ArrowDown: () => rows.step(1, any), ArrowUp: () => rows.step(-1, any) };
    const keys = { n: () => rows.step(1), p: () => rows.step(-1), Escape: this.onclose };
    const own = event.target.closest("tr") ? { ...keys, ...arrows } : keys;
    const does = own[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!does) return;
    event.preventDefault();
    event.stopPropagation();
    does();
  }
}

const bidi = (textContent) => make("bdi", { textContent });
