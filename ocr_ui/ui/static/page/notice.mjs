// What an engine that is not ready is doing or lacks, and the click that takes another one meanwhile.
import { memoryText, shareText, time } from "./amounts.mjs";
import { make, say } from "./dom.mjs";

/**
 * The notices below the header, one an engine.
 *
 * Elements stay and their texts change, so that the focus and the reader's place stay too.
 */
export class Notices {
  #notices = new Map();
  #taken = new Set(); // engines that a click of these notices took instead of others

  constructor(place, words, locale, take) {
    Object.assign(this, { place, words, locale, take });
  }

  show(engines) {
    const ready = engines.filter((engine) => engine.state === "ready").map((engine) => engine.name);
    const told = engines.filter((engine) => this.#isWorthTelling(engine, engines));
    for (const [name, notice] of this.#notices) {
      if (told.some((engine) => engine.name === name)) continue;
      notice.element.remove();
      this.#notices.delete(name);
    }
    for (const engine of told) this.#notice(engine.name).show(engine, this.#offered(engine, ready));
    this.place.hidden = told.length === 0;
  }

  // A small engine that is the only one and loads for a moment is told well enough by the header.
  #isWorthTelling(engine, engines) {
    if (engine.state === "idle") return engine.message !== "";
    if (engine.state === "ready") return this.#taken.size > 0 && !this.#taken.has(engine.name) && engine === engines[0];
    return engine.state !== "loading" || engines.length > 1 || engine.share !== null || engine.message !== "";
  }

  #offered(engine, ready) {
    if (engine.state === "ready") return engine.name;
    if (engine.state === "degraded" || engine.state === "idle") return null;
    return ready.find((name) => name !== engine.name && !this.#taken.has(name)) ?? null;
  }

  #notice(name) {
    if (!this.#notices.has(name)) {
      const notice = new Notice(name, this.words, this.locale, (chosen) => {
        this.#taken = chosen === name ? new Set() : new Set([chosen]);
        this.take(chosen);
      });
      this.#notices.set(name, notice);
      this.place.append(notice.element);
    }
    return this.#notices.get(name);
  }
}

class Notice {
  #offer = null;

  constructor(name, words, locale, take) {
    Object.assign(this, { name, words, locale });
    this.head = make("strong");
    this.progress = make("progress");
    this.amount = make("span", { class: "wb-amount" });
    this.button = make("button", {
      type: "button",
      onclick: () => {
        this.button.hidden = true;
        take(this.#offer);
      },
    });
    this.message = make("p", { class: "wb-message" });
    this.memory = make("p", { class: "wb-memory" });
    this.element = make(
      "section",
      { class: "wb-notice", "data-engine": name, "aria-label": name },
      make("div", { class: "wb-notice-line" }, this.head, this.progress, this.amount, this.button),
      this.message,
      this.memory,
    );
  }

  show(engine, offered) {
    const { words, locale } = this;
    this.element.dataset.state = engine.state;
    this.head.textContent = stateText(engine, words);
    const loading = engine.state === "loading";
    this.progress.hidden = this.amount.hidden = !loading;
    this.progress.setAttribute("aria-label", this.head.textContent);
    if (engine.share) {
      this.progress.max = Math.max(1, engine.share.total);
      this.progress.value = engine.share.done;
    } else this.progress.removeAttribute("value");
    this.amount.textContent = engine.share ? shareText(engine.share, words, locale) : time(engine.seconds, words);
    put(this.message, engine.message);
    put(this.memory, engine.memory && engine.state !== "ready" ? memoryText(engine.memory, words, locale) : "");
    this.#offer = offered;
    this.button.hidden = offered === null;
    if (offered !== null) this.button.textContent = this.#buttonText(loading, offered);
  }

  #buttonText(loading, offered) {
    const called = this.words[`engine.called.${offered}`] ?? offered;
    return say(this.words, loading ? "engine.use_meanwhile" : "engine.use", { engine: called });
  }
}

function put(element, text) {
  element.textContent = text;
  element.hidden = !text;
}

/** "vllm: fetching the model" while it loads, else its state. */
export function stateText(engine, words) {
  if (engine.state !== "loading" || !engine.phase) return say(words, `engine.${engine.state}`, { engine: engine.name });
  return say(words, "engine.doing", { engine: engine.name, phase: words[`engine.phase.${engine.phase}`] });
}
