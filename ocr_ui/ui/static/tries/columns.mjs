/** The readings side by side beside the one picture: as they come, then with what differs, as text, or rendered. */

import { make } from "../page/dom.mjs";
import { Picture } from "../compare/picture.mjs";
import { Rows } from "../compare/rows.mjs";
import { Together } from "./scroll.mjs";
import { explained } from "../viewer/api.mjs";

export const LETTERS = ["A", "B", "C", "D"];
const VIEWS = ["rows", "text", "rendered"];
const side = (index) => `lane-${LETTERS[index].toLowerCase()}`;

export class Columns {
  /**
   * `onstop(index)`; `onbetter(index)`; `onbase(index)`: the others are compared with this one from now on;
   * `onopen(item)`: it is to be corrected.
   */
  constructor({ t, onstop, onbetter, onbase, onopen }) {
    Object.assign(this, { t, onstop, onbetter, onbase, onopen, view: "rows", heads: [], panes: [], hidden: new Set() });
    this.legend = make("div", { class: "wb-try-legend", role: "group", "aria-label": t("tries.boxes") });
    const choose = (row) => this.rows.all[row] && this.rows.choose(row, { focus: true });
    const words = (key) => t(`compare.${key}`);
    this.picture = new Picture({ t: words, sides: LETTERS.map((_, index) => side(index)), legend: [this.legend], onchoose: choose });
    this.rows = new Rows(this.picture);
    this.together = new Together(() => this.linked.checked);
    this.only = this.#check("only", () => this.rows.filter(this.only.checked));
    this.linked = this.#check("linked", () => {});
    this.linked.checked = true;
    this.views = VIEWS.map((view) => this.#viewButton(view));
    this.how = make(
      "div",
      { class: "wb-try-how" },
      make("div", { class: "wb-try-views", role: "group", "aria-label": t("tries.view") }, ...this.views),
      this.only.parentElement,
      this.linked.parentElement,
    );
    this.headRow = make("div", { class: "wb-try-heads" });
    this.body = make("div", { class: "wb-try-body" });
    this.element = make(
      "div",
      { class: "wb-try-shown", hidden: true, onkeydown: (event) => this.#key(event) },
      this.picture.element,
      make("div", { class: "wb-try-right" }, this.how, this.headRow, this.body),
    );
  }

  #check(name, onchange) {
    const box = make("input", { type: "checkbox", id: `tries-${name}`, onchange });
    make("label", { for: box.id, title: this.t(`tries.${name}.title`) }, box, make("span", { textContent: this.t(`tries.${name}`) }));
    return box;
  }

  #viewButton(view) {
    const words = { textContent: this.t(`tries.view.${view}`), title: this.t(`tries.view.${view}.title`) };
    return make("button", { type: "button", class: "wb-cmp-button", "data-view": view, ...words, onclick: () => this.#show(view) });
  }

  // While they come ---------------------------------------------------------------------------------------------------

  /** `titles`: of the ways, in order. */
  begin(picture, titles) {
    this.shown = null;
    this.element.hidden = false;
    this.element.dataset.state = "coming";
    this.hidden.clear();
    this.told = null;
    this.#heads(titles);
    this.picture.show(picture, []);
    this.#panes(titles.map(() => make("pre", { class: "wb-try-pane", dir: "auto", tabindex: "0" })));
  }

  progress({ lanes }) {
    lanes.forEach((lane, index) => {
      const head = this.heads[index];
      head.element.dataset.state = lane.state;
      head.status.textContent = this.#status(lane);
      // Not disabled: the focus would go to another one's.
      head.stop.setAttribute("aria-disabled", String(lane.ended));
      const pane = this.panes[index];
      const error = lane.error ? explained(lane.error) : "";
      const text = lane.text || error;
      if (pane.textContent !== text) this.together.grown(pane, () => (pane.textContent = text));
      pane.classList.toggle("wb-wrong", Boolean(error) && !lane.text);
      head.notes.textContent = lane.text ? error : "";
    });
    this.picture.fill(boxRows(lanes.map(({ quads }) => quads)));
    this.#showBoxes();
  }

  #status({ state, seconds, first_seconds: first, tokens }) {
    const { t } = this;
    if (state === "waiting") return t("tries.state.waiting");
    const rate = tokens && seconds > 0 ? t("tries.rate", { rate: (tokens / seconds).toFixed(1) }) : "";
    return [
      t(`tries.state.${state}`),
      t("tries.seconds", { seconds: seconds.toFixed(1) }),
      first ? t("tries.first", { seconds: first.toFixed(2) }) : "",
      tokens ? t("tries.tokens", { tokens }) : "",
      rate,
    ]
      .filter(Boolean)
      .join(" · ");
  }

  // When they are there -----------------------------------------------------------------------------------------------

  /**
   * `shown`: as /v1/tries gives it; `places`: the column of each of its readings; `lanes`: the last step of all
   * columns, null where it is not known any more.
   */
  show(shown, places, lanes, titles) {
    Object.assign(this, { shown, places, lanes });
    const held = this.headRow.contains(document.activeElement) ? document.activeElement : null;
    this.element.hidden = false;
    this.element.dataset.state = "shown";
    this.#heads(titles);
    if (lanes) lanes.forEach((lane, index) => (this.heads[index].status.textContent = this.#status(lane)));
    shown.readings.forEach((reading, index) => this.#headOf(reading, index));
    this.heads.forEach((head) => (head.stop.hidden = true));
    if (this.told) this.kept(...this.told);
    this.picture.show(shown.picture, shown.rows.map((row) => this.#boxes(row)));
    this.#show(shown.rows.length ? this.view : "text");
    this.#showBoxes();
    if (held) this.#giveBack(held);
  }

  /** Who works by keyboard stays in the column: on the same button, else on the first that is there. */
  #giveBack(held) {
    const head = this.heads[LETTERS.indexOf(held.closest("[data-lane]").dataset.lane)];
    const seen = [head?.[held.dataset.does], head?.better, head?.open].find((one) => one && !one.hidden && !one.disabled);
    seen?.focus({ preventScroll: true });
  }

  #boxes({ quads, differs }) {
    const named = this.places.map((place, index) => [`${side(place)}_quad`, quads[index]]);
    return { ...Object.fromEntries(named), state: differs ? "text" : "same" };
  }

  #headOf(reading, index) {
    const head = this.heads[this.places[index]];
    const { t } = this;
    head.element.dataset.state = reading.outcome;
    if (!this.lanes) {
      const first = ["queue", "first_token"].reduce((sum, stage) => sum + (reading.timings[stage] ?? 0), 0);
      head.status.textContent = this.#status({ state: reading.outcome, seconds: reading.seconds, first_seconds: first, tokens: reading.tokens });
    }
    const about = [reading.engine, reading.model, reading.revision, JSON.stringify(reading.sampling)];
    head.element.title = about.filter(Boolean).join("\n");
    head.better.hidden = head.open.hidden = false;
    head.better.disabled = this.places.length < 2;
    head.open.onclick = () => this.onopen(reading.item);
    head.base.hidden = this.places.length < 2;
    const isBase = index === this.shown.base;
    head.base.textContent = t(isBase ? "tries.is_base" : "tries.base");
    head.base.setAttribute("aria-pressed", String(isBase));
    head.base.onclick = () => this.onbase(index);
    const error = this.lanes?.[this.places[index]]?.error ?? reading.error;
    const failed = explained(error);
    const notes = reading.warnings.map(({ message }) => message);
    if (!reading.takes_prompt && !reading.warnings.some(({ code }) => code === "prompt_unused")) notes.push(t("tries.no_prompt"));
    head.notes.textContent = [failed, ...notes].filter(Boolean).join(" ");
    head.notes.classList.toggle("wb-wrong", Boolean(failed));
  }

  /** What came of a preference: which column, and what was said of it. */
  kept(index, words) {
    this.told = [index, words];
    this.heads.forEach((head, other) => {
      head.better.setAttribute("aria-pressed", String(other === index));
      head.said.textContent = other === index ? words : "";
    });
  }

  #heads(titles) {
    const { t } = this;
    this.element.style.setProperty("--lanes", titles.length);
    const button = (name, onclick, values = {}) =>
      make("button", { type: "button", class: "wb-cmp-button", "data-does": name, textContent: t(`tries.${name}`, values), title: t(`tries.${name}.title`), onclick });
    this.heads = titles.map((title, index) => {
      const head = {
        status: make("span", { class: "wb-try-status", role: "status" }),
        notes: make("span", { class: "wb-try-note", dir: "auto" }),
        said: make("span", { class: "wb-try-note", role: "status" }),
        stop: button("stop", () => head.stop.getAttribute("aria-disabled") === "true" || this.onstop(index)),
        better: button("better", () => this.onbetter(index), { n: index + 1 }),
        base: button("base", () => {}),
        open: button("open", () => {}),
      };
      head.better.classList.add("primary");
      head.better.hidden = head.base.hidden = head.open.hidden = true;
      for (const name of ["stop", "better", "open"]) head[name].setAttribute("aria-label", `${LETTERS[index]}: ${head[name].textContent}`);
      head.element = make(
        "div",
        { class: "wb-try-head", "data-lane": LETTERS[index] },
        make("strong", {}, make("span", { class: "wb-try-letter", textContent: LETTERS[index] }), make("bdi", { textContent: title })),
        head.status,
        make("div", { class: "wb-try-acts" }, head.stop, head.better, head.base, head.open),
        head.said,
        head.notes,
      );
      return head;
    });
    this.headRow.replaceChildren(...this.heads.map(({ element }) => element));
    this.legend.replaceChildren(...titles.map((title, index) => this.#toggle(title, index)));
  }

  #toggle(title, index) {
    const toggle = make("button", {
      type: "button",
      class: "wb-try-toggle",
      "data-lane": LETTERS[index],
      "aria-pressed": String(!this.hidden.has(index)),
      "aria-label": this.t("tries.boxes_of", { letter: LETTERS[index], title }),
      title: this.t("tries.boxes_of", { letter: LETTERS[index], title }),
      textContent: LETTERS[index],
      onclick: () => {
        if (!this.hidden.delete(index)) this.hidden.add(index);
        toggle.setAttribute("aria-pressed", String(!this.hidden.has(index)));
        this.#showBoxes();
      },
    });
    return toggle;
  }

  #showBoxes() {
    LETTERS.forEach((_, index) => {
      const group = this.picture.svg.querySelector(`.${side(index)}`);
      if (group) group.style.display = this.hidden.has(index) ? "none" : "";
    });
  }

  // Views -------------------------------------------------------------------------------------------------------------

  #show(view) {
    if (!this.shown) return;
    this.view = view;
    for (const button of this.views) button.setAttribute("aria-pressed", String(button.dataset.view === view));
    this.views[0].disabled = !this.shown.rows.length;
    this.only.disabled = view !== "rows" || this.shown.rows.every((row) => !row.differs);
    this.linked.disabled = view === "rows";
    if (view === "rows") return this.#showRows();
    this.#panes(this.heads.map((_, index) => this.#pane(view, index)));
  }

  #pane(view, index) {
    const reading = this.shown.readings[this.places.indexOf(index)];
    const element = make(view === "text" ? "pre" : "div", { class: "wb-try-pane", dir: "auto", tabindex: "0" });
    if (!reading) {
      const error = this.lanes?.[index]?.error;
      element.textContent = error ? explained(error) : this.t("tries.nothing");
      element.classList.add("wb-wrong");
    } else if (view === "rendered" && reading.html) {
      const { html } = reading;
      element.classList.add("wb-try-rendered");
      element.innerHTML = html; // made safe by the server; the only markup taken in
    } else {
      element.textContent = reading.text;
    }
    return element;
  }

  #panes(panes) {
    this.panes = panes;
    panes.forEach((pane, index) => {
      pane.setAttribute("role", "group");
      pane.setAttribute("aria-label", LETTERS[index]);
    });
    this.rows.set([]);
    this.body.className = "wb-try-body panes";
    for (const name of ["role", "aria-label"]) this.body.removeAttribute(name);
    this.body.replaceChildren(...panes);
    this.together.link(panes);
  }

  #showRows() {
    this.body.className = "wb-try-body rows";
    this.body.setAttribute("role", "table");
    this.body.setAttribute("aria-label", this.t("tries.readings"));
    this.rows.set(this.shown.rows.map((row, index) => ({ element: this.#row(row, index), differs: row.differs })));
    this.body.replaceChildren(...this.rows.all.map(({ element }) => element));
    this.rows.filter(this.only.checked && !this.only.disabled);
  }

  #row(row, index) {
    const cells = this.heads.map((_, lane) => this.#cell(row, this.places.indexOf(lane), lane));
    const choose = () => this.rows.choose(index);
    return make("div", { class: "wb-try-row", role: "row", tabindex: "-1", "data-differs": row.differs ? "yes" : "no", onclick: choose, onfocus: choose }, ...cells);
  }

  #cell(row, reading, lane) {
    const pieces = reading < 0 ? null : row.texts[reading];
    if (pieces === null) {
      const none = make("span", { class: "wb-cmp-none", textContent: this.t(reading < 0 ? "tries.nothing" : "tries.no_row") });
      return make("div", { role: "cell", "data-lane": LETTERS[lane] }, none);
    }
    const parts = pieces.map(([text, differs]) => (differs ? make("mark", { textContent: text }) : document.createTextNode(text)));
    return make("div", { role: "cell", "data-lane": LETTERS[lane], dir: "auto" }, ...parts);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.target.closest("input, select, textarea")) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const any = () => true;
    const own = event.target.closest(".wb-try-row") ? { ArrowDown: () => this.rows.step(1, any), ArrowUp: () => this.rows.step(-1, any) } : {};
    const steps = this.shown && this.view === "rows" ? { n: () => this.rows.step(1), p: () => this.rows.step(-1), ...own } : {};
    const number = Number(name) - 1;
    const better = this.shown && this.places.includes(number) && this.places.length > 1 ? { [name]: () => event.repeat || this.onbetter(number) } : {};
    const does = { ...steps, ...better }[name];
    if (!does) return;
    event.preventDefault();
    event.stopPropagation();
    does();
  }
}

/** Rows for the picture, of boxes that belong to no row of text yet. `all`: the boxes of each column. */
export function boxRows(all) {
  const rows = [];
  all.forEach((quads, index) => quads.forEach((quad) => rows.push({ [`${side(index)}_quad`]: quad, state: "text" })));
  return rows;
}
