/** The bar above a result: read it again, compare it with another reading, and how far a second reading is. */

import { make } from "../page/dom.mjs";
import { shortMomentText } from "../page/moments.mjs";

export class Bar {
  /** `engines`: [title, name] each; `onagain(engine)`, `oncompare(id)`, `ontry()`. */
  constructor({ t, engines, onagain, oncompare, ontry }) {
    Object.assign(this, { t });
    this.names = new Map(engines.map(([title, name]) => [name, title]));
    this.engine = make("select", { id: "again-engine" }, ...engines.map(([title, name]) => option(name, title)));
    this.go = make("button", {
      type: "button",
      id: "again-go",
      class: "wb-cmp-button primary",
      textContent: t("go"),
      title: t("go.title"),
      onclick: () => onagain(this.engine.value),
    });
    this.tries = make("button", {
      type: "button",
      id: "again-try",
      class: "wb-cmp-button",
      textContent: t("try"),
      title: t("try.title"),
      onclick: () => ontry(),
    });
    this.other = make("select", { id: "again-other" });
    this.compare = make("button", {
      type: "button",
      id: "again-compare",
      class: "wb-cmp-button",
      textContent: t("open"),
      onclick: () => oncompare(Number(this.other.value)),
    });
    this.earlier = make(
      "div",
      { class: "wb-cmp-choice", hidden: true },
      make("label", { for: "again-other", textContent: t("earlier") }),
      this.other,
      this.compare,
    );
    this.words = make("p", { class: "wb-cmp-words", role: "status", dir: "auto" });
    this.share = make("progress", { "aria-label": t("again") });
    this.text = make("pre", { class: "wb-cmp-text", dir: "auto" });
    this.news = make("div", { class: "wb-cmp-news", hidden: true }, this.words, this.share, this.text);
    this.element = make(
      "div",
      { class: "wb-cmp-bar empty" },
      make(
        "div",
        { class: "wb-cmp-choice" },
        make("label", { for: "again-engine", textContent: t("again") }),
        this.engine,
        this.go,
        this.tries,
      ),
      this.earlier,
      this.news,
    );
    this.show(false);
  }

  /** Is there a result to read again? */
  show(yes) {
    this.element.classList.toggle("empty", !yes);
    this.engine.disabled = !yes;
    this.go.disabled = !yes || Boolean(this.running);
    this.tries.disabled = !yes;
    this.hush();
    this.earlier.hidden = true;
  }

  focus() {
    this.go.focus();
  }

  /** The other readings of the page, newest first; and an engine that has not read this one. */
  offer(readings, item) {
    const own = readings.find((reading) => reading.id === item);
    const others = readings.filter((reading) => reading.id !== item);
    const sized = new Set(readings.map(({ size }) => String(size))).size > 1;
    this.other.replaceChildren(...others.map((reading) => option(reading.id, describe(reading, sized))));
    this.earlier.hidden = !others.length;
    const fresh = [...this.names.keys()].find((name) => name !== own?.engine_name);
    if (!this.running && own && this.engine.value === own.engine_name && fresh) this.engine.value = fresh;
  }

  // A second reading --------------------------------------------------------------------------------------------------

  begin(engine) {
    this.running = true;
    this.go.disabled = true;
    this.progress({ engine, run: { state: "running", waiting: true }, text: "" });
  }

  /** Shows how far it is; false once it has ended. */
  progress({ engine, run, text }) {
    if (run.state !== "running") return false;
    this.#news("running", this.#sentence(this.names.get(engine) ?? engine, run));
    this.share.hidden = false;
    if (run.total_lines) Object.assign(this.share, { max: run.total_lines, value: run.lines });
    else this.share.removeAttribute("value");
    this.text.hidden = !text;
    if (this.text.textContent !== text) this.text.textContent = text;
    this.text.scrollTop = this.text.scrollHeight;
    return true;
  }

  #sentence(engine, { waiting, lines, tokens, seconds = 0 }) {
    if (waiting) return this.t("waiting", { engine });
    const values = { engine, lines, tokens, seconds: seconds.toFixed(1) };
    return this.t(tokens ? "running_tokens" : "running", values);
  }

  end() {
    this.running = false;
    this.go.disabled = this.element.classList.contains("empty");
    this.hush();
  }

  /** It ended with nothing to compare. */
  tell({ engine, run }) {
    if (run.state === "stopped") return this.#news("stopped", this.t("stopped"));
    return this.complain(this.t("failed", { engine: this.names.get(engine) ?? engine, message: run.message ?? "" }));
  }

  complain(words) {
    this.#news("failed", words);
  }

  #news(state, words) {
    this.news.hidden = false;
    this.news.dataset.state = state;
    this.share.hidden = this.text.hidden = true;
    this.words.setAttribute("role", state === "failed" ? "alert" : "status");
    if (this.words.textContent !== words) this.words.textContent = words;
  }

  hush() {
    if (!this.running) this.news.hidden = true;
  }
}

const option = (value, textContent) => make("option", { value: String(value), textContent });

/** A reading in the list. `sized`: readings of the page had copies of different sizes. */
export function describe({ engine, template, size, created_at: created }, sized) {
  const copy = sized && size ? [size.join(" × ")] : [];
  return [engine, template, ...copy, shortMomentText(created)].join(" · ");
}
