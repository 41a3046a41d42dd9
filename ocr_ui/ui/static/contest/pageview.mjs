// One page of a run in a dialog: its picture with the boxes of label and reading, and the text with what differs.
import { make } from "../page/dom.mjs";
import { Panel } from "../compare/panel.mjs";
import { normalizationText, number } from "./told.mjs";
import { explained } from "../viewer/api.mjs";

const MARKS = ["scored", "written"];

export class PageView {
  /** `t` has the words of contests, `own` those of the panel. */
  constructor({ t, own, api, locale, language }) {
    Object.assign(this, { t, api, locale, language, marks: MARKS[0] });
    this.panel = new Panel({
      t: own,
      name: "contest-page",
      signs: { left: "−", right: "+" },
      head: (side) => this.#head(side),
      onclose: () => this.dialog.close(),
    });
    this.sides = make("div", { class: "wb-contest-row", role: "group", "aria-label": t("contest.competitors") });
    this.about = make("p", { class: "wb-contest-about", role: "status", dir: "auto" });
    this.facts = make("ul", { class: "wb-contest-facts" });
    const step = (key, by) => make("button", { type: "button", class: "wb-turn", "data-act": key, textContent: t(`contest.page.${key}`), onclick: ({ currentTarget }) => this.#step(by, currentTarget) });
    this.steps = [step("before", -1), step("after", 1)];
    const bar = make("div", { class: "wb-contest-row" }, this.sides, ...this.steps);
    this.marking = MARKS.map((marks) => make("button", { type: "button", class: "wb-turn", "data-marks": marks, textContent: t(`contest.page.${marks}`), onclick: ({ currentTarget }) => this.#mark(marks, currentTarget) }));
    this.marked = make("p", { class: "wb-contest-hint", role: "status" });
    const choice = make("div", { class: "wb-contest-row wb-contest-marks" }, make("div", { class: "wb-contest-row", role: "group", "aria-label": t("contest.page.marks") }, ...this.marking), this.marked);
    this.dialog = make("dialog", { class: "wb-compare wb-contest-dialog", "aria-label": t("contest.page.title") }, bar, this.about, this.facts, choice, this.panel.element);
  }

  /** @param {{run, key, title}[]} sides who read it; `pages` are the numbers that one steps through */
  open({ sides, side, number: page, pages }) {
    Object.assign(this, { all: sides, pages });
    if (!this.dialog.open) this.dialog.showModal();
    return this.#load(side, page);
  }

  async #step(by, button) {
    const index = this.pages.indexOf(this.page) + by;
    if (index < 0 || index >= this.pages.length) return;
    await this.#load(this.side, this.pages[index]);
    (button.disabled ? this.steps.find((one) => one !== button) : button).focus();
  }

  async #mark(marks, button) {
    this.marks = marks;
    await this.#load(this.side, this.page);
    button.focus();
  }

  async #read(side) {
    await this.#load(side, this.page);
    this.sides.querySelector("[aria-pressed=true]").focus();
  }

  async #load(side, page) {
    const { marks } = this;
    const current = () => this.side === side && this.page === page && this.marks === marks;
    Object.assign(this, { side, page });
    this.#choices();
    this.about.classList.remove("wb-wrong");
    this.about.textContent = this.t("contest.page.loading");
    try {
      const found = await this.api.get(`/v1/runs/${side.run}/pages/${page}?key=${side.key}&as_scored=${marks === MARKS[0]}`);
      if (!current()) return;
      this.#show(found);
    } catch (failure) {
      if (!current()) return;
      this.panel.hide();
      this.facts.replaceChildren();
      this.about.classList.add("wb-wrong");
      this.about.textContent = explained(failure);
    }
  }

  #choices() {
    const index = this.pages.indexOf(this.page);
    this.steps[0].disabled = index <= 0;
    this.steps[1].disabled = index < 0 || index >= this.pages.length - 1;
    for (const button of this.marking) button.setAttribute("aria-pressed", String(button.dataset.marks === this.marks));
    this.sides.replaceChildren(
      ...this.all.map((side) =>
        make("button", { type: "button", class: "wb-turn", "aria-pressed": String(side === this.side), textContent: side.title, dir: "auto", onclick: () => this.#read(side) }),
      ),
    );
  }

  #show(found) {
    const { t, locale } = this;
    const scores = Object.entries(found.result.scores ?? {}).map(([name, value]) => `${t(`contest.metric.${name}`)} ${number(value, 4, locale)}`);
    const seconds = found.result.seconds ? t("contest.page.seconds", { n: number(found.result.seconds, 2, locale) }) : "";
    const failed = found.was_read ? "" : [t("contest.page.unread"), explained(found.result.error)].filter(Boolean).join(" ");
    this.about.textContent = [found.page, failed, ...scores, seconds].filter(Boolean).join(" · ");
    this.about.classList.toggle("wb-wrong", !found.was_read);
    this.facts.replaceChildren(...found.facts.map(({ fact, holds }) => make("li", { "data-holds": String(holds), dir: "auto", textContent: `${t(holds ? "contest.fact.holds" : "contest.fact.fails")}: ${factText(fact, t)}` })));
    this.marked.textContent = t(`contest.page.${this.marks}.about`, { equal: normalizationText(found.normalization, t) });
    this.panel.show({ ...found, left: null, right: null });
  }

  #head(side) {
    const name = side === "left" ? this.t("contest.page.label") : this.side.title;
    return make("div", { class: `wb-cmp-head ${side}` }, make("strong", { dir: "auto", textContent: name }));
  }
}

/** A fact in words. */
export function factText({ kind, text, then = "", around = {} }, t) {
  const beside = Object.entries(around).map(([side, said]) => `${t(`contest.fact.${side}`)} “${said}”`);
  return [t(`contest.fact.${kind}`, { text, then }), ...beside].join(t("contest.comma"));
}
