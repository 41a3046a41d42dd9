/**
 * Contests: who competes on which pages, how far it is, what came of it, and the log of all runs, all asked of
 * /v1/contests and /v1/runs.
 */

import { nameInAddress } from "../page/address.mjs";
import { make, parsed, say } from "../page/dom.mjs";
import { momentText } from "../page/moments.mjs";
import { mountPart, partOf, watchSight } from "../page/part.mjs";
import { personOf } from "../page/person.mjs";
import { explained } from "../viewer/api.mjs";
import { Card, dataName } from "./cards.mjs";
import { Form } from "./form.mjs";
import { Log } from "./log.mjs";
import { PageView } from "./pageview.mjs";
import { Result } from "./result.mjs";

const SOON_MS = 1000;
const LATER_MS = 5000;
const LISTED = 30;
const OVER = ["done", "cancelled"];
const ADDRESS = "run";

export function mount({ element, props }) {
  const made = () => new Contest({ root: element.querySelector(".wb-contest"), props });
  return mountPart(element, import.meta.url, ["contest.css", "../compare/compare.css"], made);
}

class Contest {
  constructor({ root, props }) {
    Object.assign(this, partOf(props));
    this.plotly = props.plotly;
    this.mayStart = true;
    this.cards = new Map();
    this.states = new Map();
    this.shown = null;
    this.asked = Number(new URLSearchParams(location.search).get(ADDRESS)) || null;
    /** The contest that was begun here, as long as nobody has looked at anything else since. */
    this.awaited = null;
    this.abort = new AbortController();
    this.#build(root, parsed(props.metrics, []));
    this.seen = watchSight(root, (visible) => visible && this.#opened());
  }

  destroy() {
    this.seen.disconnect();
    clearTimeout(this.timer);
    this.abort.abort();
  }

  #build(root, order) {
    const { t, api } = this;
    const locale = this.language;
    const { plotly } = this;
    this.root = root;
    this.form = new Form({ t, api, language: this.language, onchange: () => this.#refresh() });
    this.start = make("button", { type: "button", id: "contest-start", class: "wb-contest-start", textContent: t("contest.start"), onclick: () => this.#begin() });
    this.told = make("p", { class: "wb-told", role: "status", dir: "auto" });
    this.come = make("button", { type: "button", class: "wb-turn", id: "contest-come", hidden: true, textContent: t("contest.ended.show"), onclick: () => this.#open(this.ended) });
    this.list = make("div", { class: "wb-contest-cards" });
    const own = (key, values) => say(this.words, `contest.panel.${key}` in this.words ? `contest.panel.${key}` : `compare.${key}`, values);
    this.view = new PageView({ t, own, api, locale, language: this.language });
    const onpage = (what) => {
      this.awaited = null;
      this.view.open(what);
    };
    this.result = new Result({ t, api, locale, plotly, onpage });
    this.log = new Log({ t, api, locale, plotly, order, onpage, onopen: (run) => this.#open(run) });
    this.which = make("select", { id: "contest-run", class: "wb-input", onchange: () => this.#open(Number(this.which.value)) });
    this.whichField = make("div", { class: "wb-field wb-contest-which" }, make("label", { for: "contest-run", textContent: t("contest.which") }), this.which);
    this.exampleButton = make("button", { type: "button", class: "wb-turn", id: "contest-examples", textContent: t("contest.empty.examples"), onclick: () => this.#examples() });
    this.empty = make("div", { class: "wb-empty" }, make("p", { textContent: t("contest.empty") }), this.exampleButton);
    const tab = (name) => make("button", { type: "button", role: "tab", id: `contest-tab-${name}`, "aria-controls": `contest-panel-${name}`, textContent: t(`contest.tab.${name}`), onclick: () => this.#tabChosen(name), onkeydown: (event) => this.#tabKey(event) });
    this.tabs = { result: tab("result"), log: tab("log") };
    const panel = (name, ...children) => make("div", { role: "tabpanel", id: `contest-panel-${name}`, "aria-labelledby": `contest-tab-${name}` }, ...children);
    this.panels = { result: panel("result", this.empty, this.whichField, this.result.element), log: panel("log", this.log.element) };
    this.readOnly = make("p", { class: "wb-contest-hint", hidden: true, textContent: t("contest.read_only") });
    const side = make("div", { class: "wb-contest-side" }, this.readOnly, this.form.element, this.start, this.told, this.come);
    const main = make("div", { class: "wb-contest-main" }, this.list, make("div", { class: "wb-contest-tabs", role: "tablist" }, ...Object.values(this.tabs)), ...Object.values(this.panels));
    root.replaceChildren(side, main, this.view.dialog);
    this.#tab("result");
    const on = (target, name, handler) => target.addEventListener(name, handler, { signal: this.abort.signal });
    on(document, "keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !root.offsetParent || this.view.dialog.open) return;
      event.preventDefault();
      this.#begin();
    });
    on(document, "visibilitychange", () => !document.hidden && root.offsetParent && this.#look());
  }

  #tab(name) {
    for (const [own, button] of Object.entries(this.tabs)) {
      button.setAttribute("aria-selected", String(own === name));
      button.tabIndex = own === name ? 0 : -1;
      this.panels[own].hidden = own !== name;
    }
    // Charts that were drawn out of sight have no width yet.
    globalThis.dispatchEvent(new Event("resize"));
  }

  #tabKey(event) {
    if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    event.preventDefault();
    const other = event.currentTarget === this.tabs.result ? "log" : "result";
    this.#tabChosen(other);
    this.tabs[other].focus();
  }

  #tabChosen(name) {
    this.awaited = null;
    this.#tab(name);
  }

  async #opened() {
    this.form.forget();
    try {
      await Promise.all([this.#askRights().then(() => this.form.look()), this.log.look()]);
    } catch (failure) {
      this.#complain(failure);
    }
    this.#look();
  }

  async #askRights() {
    const actions = await this.api.get("/v1/me").then((me) => me.actions, () => null);
    if (!actions) return; // the server refuses what is not allowed, and says so
    this.form.mayNameFolders = actions.includes("admin");
    this.mayStart = actions.includes("recognize");
    this.readOnly.hidden = this.mayStart;
    for (const part of [this.form.element, this.start, this.exampleButton]) part.hidden = !this.mayStart;
  }

  #refresh() {
    if (!this.start) return;
    this.form.showProblem();
    // Not disabled: the focus would go elsewhere.
    this.start.setAttribute("aria-disabled", String(Boolean(this.sending || this.form.problem)));
  }

  #complain(failure) {
    this.#tell(explained(failure), true);
  }

  #tell(words, wrong = false) {
    this.told.classList.toggle("wb-wrong", wrong);
    this.told.textContent = words;
    this.come.hidden = true;
  }

  async #begin() {
    if (this.sending || this.form.problem || !this.mayStart) return;
    this.sending = true;
    this.#refresh();
    try {
      const { contest } = await this.api.post("/v1/contests", { ...this.form.values(), person: personOf() });
      this.awaited = contest;
      this.#tell(this.t("contest.begun"));
    } catch (failure) {
      this.#complain(failure);
    }
    this.sending = false;
    this.#refresh();
    this.#look();
  }

  async #examples() {
    await this.form.chooseExamples();
    this.start.focus();
  }

  async #act(number, what) {
    try {
      this.cards.get(number)?.update(await this.api.post(`/v1/contests/${number}/${what}`, {}));
      this.#tell("");
    } catch (failure) {
      this.#complain(failure);
    }
    this.#look();
  }

  // What is under way, and what came of it

  async #look() {
    clearTimeout(this.timer);
    let wait = LATER_MS;
    try {
      const { contests } = await this.api.get(`/v1/contests?limit=${LISTED}`);
      this.#showCards(contests);
      if (contests.some(({ state }) => ["waiting", "running"].includes(state)) && !document.hidden) wait = SOON_MS;
      const ended = contests.find(({ contest, state }) => state === "done" && this.states.has(contest) && !OVER.includes(this.states.get(contest)));
      this.states = new Map(contests.map(({ contest, state }) => [contest, state]));
      if (ended) await this.log.look();
      await this.#showRuns(ended);
    } catch {
      // The page's top tells a server that does not answer; contests go on there.
    }
    clearTimeout(this.timer);
    if (!this.abort.signal.aborted && this.root.offsetParent) this.timer = setTimeout(() => this.#look(), wait);
  }

  #showCards(contests) {
    const going = contests.filter(({ state }) => !OVER.includes(state));
    for (const [number, card] of this.cards) {
      if (going.some(({ contest }) => contest === number)) continue;
      card.element.remove();
      this.cards.delete(number);
    }
    for (const contest of going.toReversed()) {
      const card = this.cards.get(contest.contest);
      if (card) {
        card.update(contest);
        continue;
      }
      const made = new Card({ t: this.t, words: this.words, locale: this.language, may: this.mayStart, act: (number, what) => this.#act(number, what), contest });
      this.cards.set(contest.contest, made);
      this.list.prepend(made.element);
    }
  }

  /** `ended` is the contest that has just come to its result. */
  async #showRuns(ended) {
    const { t } = this;
    const runs = this.log.runs.filter(({ kind }) => kind === "evaluate");
    this.empty.hidden = runs.length > 0;
    this.whichField.hidden = !runs.length;
    const names = runs.map(({ run, data, made_at: when, competitors }) => [run, t("contest.which.option", { n: run, data: dataName(data, t), when: momentText(when, this.language), count: competitors.length })]);
    if (JSON.stringify(names) !== this.named) {
      this.named = JSON.stringify(names);
      this.which.replaceChildren(...names.map(([value, textContent]) => make("option", { value, textContent })));
    }
    if (ended) {
      this.#tell(t("contest.ended", { n: ended.run }));
      this.ended = ended.run;
      // Whoever looks at something else is not taken away from it.
      if (ended.contest === this.awaited) await this.#open(ended.run);
      else this.come.hidden = false;
    } else if (this.asked) {
      await this.#open(this.asked);
    }
    this.asked = null;
    if (this.shown === null && runs.length) await this.#show(runs[0].run);
    if (this.shown !== null) this.which.value = String(this.shown);
  }

  /** Shows a run that somebody wants to see; the address names it from then on. */
  async #open(run) {
    this.awaited = null;
    this.come.hidden = true;
    this.#tab("result");
    await this.#show(run);
    nameInAddress({ [ADDRESS]: this.shown });
  }

  async #show(run) {
    const before = this.shown;
    this.shown = run;
    this.which.value = String(run);
    try {
      await this.result.show(run);
    } catch (failure) {
      if (this.shown === run) this.shown = before;
      this.#complain(failure);
    }
  }
}
