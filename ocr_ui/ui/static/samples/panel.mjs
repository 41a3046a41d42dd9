/** The answers side by side: as they come, then with what each is worth and where they differ. */

import { make } from "../page/dom.mjs";
import { randomKey } from "../page/random.mjs";
import { Picture } from "../compare/picture.mjs";
import { Rows } from "../compare/rows.mjs";
import { Blind } from "./blind.mjs";
import { explained } from "../viewer/api.mjs";

const shown = (reward) => (reward === null || reward === undefined ? "–" : reward.toFixed(2));

export class Panel {
  /** `person()` gives the name of whoever judges; `onlabel()`: an answer has become the label; `onclose()`. */
  constructor({ t, api, person, onlabel, onclose }) {
    Object.assign(this, { t, api, person, onlabel, onclose, order: [] });
    this.title = make("h2", { tabindex: "-1", textContent: t("title") });
    this.mark = make("span", { class: "wb-smp-mark" });
    this.summary = make("p", { class: "wb-cmp-summary", role: "status" });
    this.only = make("input", { type: "checkbox", id: "samples-only", onchange: () => this.#filter() });
    this.onlyLabel = make("label", { for: "samples-only" }, this.only, t("only"));
    this.judge = this.#button("samples-judge", "judge", () => this.#judge());
    this.ranking = this.#button("samples-rank", "rank", () => this.#rank());
    this.saveRanking = this.#button("samples-rank-save", "rank_save", () => this.#saveRanking(), "primary");
    const close = this.#button("samples-close", "close", onclose);
    close.replaceChildren("✕");
    close.setAttribute("aria-label", t("close"));
    this.notes = make("p", { class: "wb-smp-notes", dir: "auto", hidden: true });
    this.alert = make("p", { class: "wb-smp-alert", role: "alert", dir: "auto", hidden: true });
    this.picture = new Picture({ t, sides: ["left"], onchoose: (row) => this.rows.choose(row, { focus: true }) });
    this.rows = new Rows(this.picture);
    this.table = make("div", { class: "wb-smp-table", role: "table", "aria-label": t("title") });
    this.blind = new Blind({ t, api, person, onend: (judged) => this.#judged(judged) });
    const said = make("div", { class: "wb-smp-stage" }, this.table, this.blind.element);
    this.both = make("div", { class: "wb-cmp-both" }, this.picture.element, said);
    this.tools = [this.onlyLabel, this.judge, this.ranking, this.saveRanking];
    this.element = make(
      "section",
      { class: "wb-cmp-panel wb-smp-panel", hidden: true, "aria-label": t("title"), onkeydown: (e) => this.#key(e) },
      make("header", {}, this.title, this.mark, ...this.tools, close, this.summary, this.notes, this.alert),
      this.both,
    );
  }

  #button(id, name, onclick, more = "") {
    const words = { textContent: this.t(name), title: this.t(`${name}.title`) };
    return make("button", { type: "button", id, class: `wb-cmp-button ${more}`, ...words, onclick });
  }

  get focused() {
    return this.element.contains(document.activeElement);
  }

  hide() {
    this.element.hidden = true;
    this.blind.hide();
  }

  // While they come ---------------------------------------------------------------------------------------------------

  coming(n, blind) {
    this.rollout = null;
    this.element.hidden = false;
    this.element.dataset.state = "coming";
    this.#tell("");
    this.mark.hidden = this.notes.hidden = true;
    for (const tool of this.tools) tool.hidden = true;
    this.blind.hide();
    this.table.hidden = false;
    this.texts = Array.from({ length: n }, () => make("pre", { dir: "auto" }));
    this.heads = this.texts.map((_, index) => make("span", { class: "wb-cmp-about", textContent: String(index + 1) }));
    const columns = this.texts.map((text, index) => make("div", { class: "wb-smp-coming" }, this.heads[index], text));
    this.table.style.setProperty("--columns", n);
    const hidden = make("p", { class: "wb-smp-wait", textContent: this.t("hidden") });
    this.table.replaceChildren(...(blind ? [hidden] : columns));
    this.summary.textContent = this.t("waiting");
    this.title.focus({ preventScroll: true });
  }

  progress({ state, answers, seconds, together }) {
    if (state !== "running") return;
    const ended = answers.filter((answer) => !["waiting", "running"].includes(answer.state)).length;
    const tokens = answers.reduce((sum, answer) => sum + (answer.tokens ?? 0), 0);
    const values = { ended, n: answers.length, tokens, seconds: seconds.toFixed(1) };
    this.summary.textContent = this.t("running", values);
    this.#note(together ? [] : [this.t("apart")]);
    answers.forEach((answer, index) => {
      const text = this.texts[index];
      if (text.textContent !== answer.text) text.textContent = answer.text;
      const done = ["waiting", "running"].includes(answer.state) ? "…" : "✓";
      this.heads[index].textContent = `${index + 1} · ${this.t("tokens", { tokens: answer.tokens ?? 0 })} ${done}`;
      text.scrollTop = text.scrollHeight;
    });
  }

  // When they are there -----------------------------------------------------------------------------------------------

  async show(rollout, blind) {
    Object.assign(this, { rollout, since: performance.now(), order: [] });
    this.element.hidden = false;
    this.element.dataset.state = "shown";
    this.#tell("");
    const rows = rollout.rows.map(({ quad, differs }) => ({ left_quad: quad, state: differs ? "text" : "same" }));
    this.picture.show(rollout.picture, rows);
    this.only.checked = rollout.rows.some((row) => row.differs) && rollout.rows.length > 12;
    if (blind) return this.#judge();
    this.#reveal();
    this.title.focus({ preventScroll: true });
    return undefined;
  }

  #reveal() {
    const { rollout } = this;
    this.blind.hide();
    this.table.hidden = this.mark.hidden = false;
    for (const tool of this.tools) tool.hidden = false;
    this.ranks = false;
    this.#head();
    this.#fill(rollout);
    this.#filter();
    this.#showRanking();
  }

  #head() {
    const { mark, spread, thresholds, label, together, error } = this.rollout;
    this.mark.textContent = this.t(`mark.${mark}`);
    this.mark.dataset.mark = mark;
    const limits = { right: thresholds.right_from, wrong: thresholds.wrong_up_to };
    this.mark.title = this.t(`mark.${mark}.title`, limits);
    const figures = ["mean", "std", "least", "most"].map((name) => [name, shown(spread[name])]);
    const values = { ...Object.fromEntries(figures), n: spread.count };
    this.summary.textContent = spread.count ? this.t("spread", values) : this.t("no_spread");
    this.#note([
      this.t(`mark.${mark}.title`, limits),
      label && !label.judged ? this.t("unjudged") : "",
      together ? "" : this.t("apart"),
      explained(error),
    ]);
  }

  #note(notes) {
    this.notes.textContent = notes.filter(Boolean).join(" ");
    this.notes.hidden = !this.notes.textContent;
  }

  #fill({ answers, rows }) {
    this.table.style.setProperty("--columns", answers.length);
    const corner = make("div", { class: "wb-smp-label", role: "columnheader", textContent: this.t("label") });
    const head = make("div", { class: "wb-smp-heads", role: "row" }, corner, ...answers.map((one) => this.#column(one)));
    this.rows.set(rows.map((row, index) => ({ element: this.#row(row, index), differs: row.differs })));
    const none = rows.length ? [] : [make("p", { class: "wb-smp-wait", textContent: this.t("nothing") })];
    this.table.replaceChildren(head, ...this.rows.all.map(({ element }) => element), ...none);
  }

  #column(answer) {
    const { t } = this;
    const [first, ...others] = answer.rewards;
    const mean = answer.logprobs ? t("sure", { share: Math.round(Math.exp(answer.logprobs.mean) * 100) }) : "";
    const about = [
      answer.tokens === null ? "" : t("tokens", { tokens: answer.tokens }),
      mean,
      answer.edit_distance === null ? "" : t("distance", { characters: answer.edit_distance }),
      answer.outcome === "complete" ? "" : t(`outcome.${answer.outcome}`),
    ];
    const reasons = [first, ...others].filter(Boolean).map((one) => `${this.#rule(one.name)} ${shown(one.reward)}: ${one.reason}`);
    const name = t("answer", { n: answer.number + 1 });
    const action = (id, edit) =>
      make("button", {
        type: "button",
        class: "wb-cmp-button",
        "data-does": id,
        textContent: t(id),
        title: t(`${id}.title`),
        "aria-label": `${name}: ${t(id)}`,
        disabled: ["failed", "stopped"].includes(answer.outcome),
        onclick: () => this.#choose(answer.number, edit),
      });
    const rank = make("button", {
      type: "button",
      class: "wb-smp-number",
      "data-number": answer.number,
      textContent: String(answer.number + 1),
      "aria-label": name,
      onclick: () => this.ranks && this.#place(answer.number),
    });
    return make(
      "div",
      { class: "wb-smp-head", role: "columnheader", title: reasons.join("\n") },
      make("strong", {}, rank, make("span", { class: "wb-smp-reward", textContent: shown(answer.reward) })),
      make("span", { class: "wb-cmp-about", textContent: about.filter(Boolean).join(" · ") }),
      make("span", { class: "wb-smp-reason", textContent: first?.reason ?? t("unscored") }),
      make("span", { class: "wb-smp-acts" }, action("take", false), action("edit", true)),
    );
  }

  /** A team's own function goes by its own name. */
  #rule(name) {
    return ["official", "clean", "judge"].includes(name) ? this.t(`rule.${name}`) : name;
  }

  #row(row, index) {
    const cells = row.texts.map((pieces) => this.#cell(pieces));
    const label = row.label === null ? this.#none(this.t("not_in_label")) : document.createTextNode(row.label);
    return make(
      "div",
      {
        class: "wb-smp-row",
        role: "row",
        tabindex: "-1",
        "data-differs": row.differs ? "yes" : "no",
        onclick: () => this.rows.choose(index),
        onfocus: () => this.rows.choose(index),
      },
      make("div", { class: "wb-smp-label", role: "rowheader", dir: "auto" }, label),
      ...cells,
    );
  }

  #cell(pieces) {
    if (pieces === null) return make("div", { role: "cell" }, this.#none(this.t("missing")));
    const parts = pieces.map(([text, differs]) =>
      differs ? make("mark", { class: "right", textContent: text }) : document.createTextNode(text),
    );
    return make("div", { role: "cell", dir: "auto" }, ...parts);
  }

  #none(textContent) {
    return make("span", { class: "wb-cmp-none", textContent });
  }

  // Rows --------------------------------------------------------------------------------------------------------------

  #filter() {
    this.only.disabled = this.rows.all.every((row) => !row.differs);
    this.rows.filter(this.only.checked);
  }

  // Judging -----------------------------------------------------------------------------------------------------------

  get seconds() {
    return (performance.now() - this.since) / 1000;
  }

  async #choose(answer, edit) {
    const { id, version } = this.rollout;
    const body = { answer, edit, base_version: version, person: this.person(), seconds: this.seconds };
    if (await this.#send(`/v1/rollouts/${id}/best`, { ...body, client_key: randomKey() })) this.onlabel();
  }

  #rank() {
    this.ranks = !this.ranks;
    this.order = [];
    this.#showRanking();
    if (this.ranks) this.table.querySelector(".wb-smp-number")?.focus();
  }

  /** One answer more in the order, or taken out of it again. */
  #place(number) {
    this.order = this.order.includes(number) ? this.order.filter((one) => one !== number) : [...this.order, number];
    this.#showRanking();
  }

  #showRanking() {
    this.ranking.setAttribute("aria-pressed", String(Boolean(this.ranks)));
    this.saveRanking.hidden = !this.ranks;
    this.saveRanking.disabled = this.order.length < 2;
    this.table.classList.toggle("ranking", Boolean(this.ranks));
    for (const button of this.table.querySelectorAll(".wb-smp-number")) {
      const place = this.order.indexOf(Number(button.dataset.number));
      button.dataset.place = place < 0 ? "" : this.t("place", { place: place + 1 });
    }
    if (this.ranks) this.summary.textContent = this.t("rank_how");
    else if (this.rollout) this.#head();
  }

  async #saveRanking() {
    const { id } = this.rollout;
    const body = { answers: this.order, person: this.person(), seconds: this.seconds, client_key: randomKey() };
    if (!(await this.#send(`/v1/rollouts/${id}/ranking`, body))) return;
    this.ranks = false;
    this.#showRanking();
    this.summary.textContent = this.t("ranked");
  }

  async #send(path, body) {
    this.#tell("");
    try {
      return await this.api.post(path, body);
    } catch (failure) {
      this.#tell(explained(failure));
      return null;
    }
  }

  #tell(words) {
    this.alert.textContent = words;
    this.alert.hidden = !words;
  }

  async #judge() {
    this.table.hidden = this.mark.hidden = this.notes.hidden = true;
    for (const tool of this.tools) tool.hidden = true;
    this.summary.textContent = this.t("blind_how");
    await this.blind.begin(this.rollout.id);
  }

  /** No pair is left, or whoever judged has had enough: what was judged is told now. */
  #judged(judged) {
    this.#reveal();
    this.title.focus({ preventScroll: true });
    if (!judged.length) return;
    const told = judged.map(({ left, right, choice }) =>
      this.t(`told.${choice}`, {
        left: left.number + 1,
        right: right.number + 1,
        left_reward: shown(left.reward),
        right_reward: shown(right.reward),
      }),
    );
    this.#note([this.t("judged", { n: judged.length }), told.join("; ")]);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.target.closest("input")) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const does = this.blind.shown ? this.blind.key(name, event.repeat) : this.#does(name, event);
    if (!does) return;
    event.preventDefault();
    event.stopPropagation();
    does();
  }

  #does(name, event) {
    const { rows } = this;
    const any = () => true;
    const arrows = { ArrowDown: () => rows.step(1, any), ArrowUp: () => rows.step(-1, any) };
    const leave = () => (this.ranks ? this.#rank() : this.onclose());
    const always = { Escape: leave };
    if (!this.rollout) return always[name];
    const keys = { n: () => rows.step(1), p: () => rows.step(-1), b: () => this.#judge() };
    const number = Number(name) - 1;
    if (this.ranks && this.rollout.answers[number]) return () => this.#place(number);
    const own = event.target.closest(".wb-smp-row") ? arrows : {};
    return { ...always, ...keys, r: () => this.#rank(), ...own }[name];
  }
}
