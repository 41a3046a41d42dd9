/** The bar above a result: how many answers, how random, by which engine; and the answers that were sampled before. */

import { make } from "../page/dom.mjs";
import { shortMomentText } from "../page/moments.mjs";

export class Bar {
  /** `engines`: [title, name] of those whose answers differ; `onsample(ask)`, `onstop()`, `onopen(id, blind)`. */
  constructor({ t, engines, onsample, onstop, onopen }) {
    Object.assign(this, { t, able: engines.length > 0 });
    this.engine = make("select", { id: "samples-engine" }, ...engines.map(([title, name]) => option(name, title)));
    this.fields = { n: number(8, 2, 64, 1), temperature: number(0.8, 0.1, 2, 0.1), top_p: number(1, 0.05, 1, 0.05) };
    for (const [name, field] of Object.entries(this.fields)) field.id = `samples-${name}`;
    this.blind = make("input", { type: "checkbox", id: "samples-blind" });
    this.go = this.#button("samples-go", "go", () => onsample(this.ask), "primary");
    this.stop = this.#button("samples-stop", "stop", onstop);
    this.earlier = make("select", { id: "samples-earlier", title: t("earlier"), "aria-label": t("earlier") });
    this.open = this.#button("samples-open", "open", () => onopen(Number(this.earlier.value), this.blind.checked));
    this.before = make("div", { class: "wb-cmp-choice", hidden: true }, this.earlier, this.open);
    this.words = make("p", { class: "wb-cmp-words", role: "status", dir: "auto" });
    this.news = make("div", { class: "wb-cmp-news", hidden: true }, this.words);
    const blind = make("label", { for: "samples-blind", title: t("blind.title") }, this.blind, t("blind_first"));
    const settings = this.able
      ? [
          ...Object.keys(this.fields).map((name) => make("span", {}, this.#label(name), this.fields[name])),
          engines.length > 1 ? make("span", {}, this.#label("engine"), this.engine) : null,
          this.go,
          this.stop,
          blind,
        ]
      : [make("span", { class: "wb-smp-none", textContent: t("no_engine") })];
    this.element = make(
      "div",
      { class: "wb-cmp-bar wb-smp-bar" },
      make("div", { class: "wb-cmp-choice", title: t("go.title") }, ...settings),
      this.before,
      this.news,
    );
    this.show(false);
  }

  #button(id, key, onclick, more = "") {
    const named = { type: "button", id, class: `wb-cmp-button ${more}` };
    return make("button", { ...named, textContent: this.t(key), title: this.t(`${key}.title`), onclick });
  }

  #label(name) {
    return make("label", { for: `samples-${name}`, textContent: this.t(name) });
  }

  get ask() {
    const values = Object.entries(this.fields).map(([name, field]) => [name, Number(field.value)]);
    return { ...Object.fromEntries(values), engine: this.engine.value, blind: this.blind.checked };
  }

  /** Is there a result to ask about? */
  show(yes) {
    this.there = yes;
    this.before.hidden = true;
    this.hush();
    this.#enable();
  }

  #enable() {
    this.go.disabled = !this.there || Boolean(this.running);
    this.stop.disabled = !this.running;
    for (const field of [...Object.values(this.fields), this.engine, this.blind]) field.disabled = !this.there;
  }

  focus() {
    (this.able ? this.go : this.open).focus();
  }

  /** What was sampled of this item before, newest first. */
  offer(rollouts) {
    this.earlier.replaceChildren(...rollouts.map((row) => option(row.id, this.#describe(row))));
    this.before.hidden = !rollouts.length;
  }

  #describe({ created_at: created, answers, engine, mark }) {
    const told = this.blind.checked ? "" : ` · ${this.t(`mark.${mark}`)}`;
    return `${shortMomentText(created)} · ${this.t("answers", { n: answers })} · ${engine}${told}`;
  }

  begin() {
    this.running = true;
    this.hush();
    this.#enable();
  }

  progress({ state }) {
    if (state === "waiting") this.#news("running", this.t("waiting"));
    else this.hush();
  }

  end() {
    this.running = false;
    this.#enable();
    this.hush();
  }

  complain(words) {
    this.#news("failed", words);
  }

  #news(state, words) {
    this.news.hidden = false;
    this.news.dataset.state = state;
    this.words.setAttribute("role", state === "failed" ? "alert" : "status");
    this.words.textContent = words;
  }

  hush() {
    this.news.hidden = true;
  }
}

const option = (value, textContent) => make("option", { value: String(value), textContent });

const number = (value, min, max, step) => make("input", { type: "number", value, min, max, step });
