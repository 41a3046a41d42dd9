/** Two answers beside each other, compared without knowing which they are: by keyboard or by click. */

import { make } from "../page/dom.mjs";
import { explained } from "../viewer/api.mjs";

const KEYS = { ArrowLeft: "left", ArrowRight: "right", t: "tie", x: "both_bad" };
const SOON_MS = 500;
const LONGEST_MS = 300_000; // a picture may have to be read first
const CHOICES = ["left", "tie", "both_bad", "right"];

const ROLLOUTS = { next: (id) => `/v1/rollouts/${id}/pair`, judge: (token) => `/v1/rollout-pairs/${token}` };

export class Blind {
  /**
   * `onend(judged)`: it is over; each of `judged` tells which answers a pair was. `paths`: where the next pair of
   * something is asked for, and where one is judged. `onpair(pair)`: another one is shown.
   */
  constructor({ t, api, person, onend, paths = ROLLOUTS, onpair = () => {} }) {
    Object.assign(this, { t, api, person, onend, paths, onpair, judged: [], busy: false });
    this.counted = make("p", { class: "wb-cmp-summary", role: "status" });
    this.alert = make("p", { class: "wb-smp-alert", role: "alert", hidden: true });
    this.sides = Object.fromEntries(["left", "right"].map((side) => [side, this.#side(side)]));
    this.buttons = CHOICES.map((choice) => this.#button(choice, () => this.#choose(choice)));
    this.skip = this.#button("skip", () => this.#next(this.token));
    this.end = this.#button("blind_end", () => this.#over());
    this.element = make(
      "div",
      { class: "wb-smp-blind", hidden: true, tabindex: "-1", role: "group", "aria-label": t("blind_how") },
      this.counted,
      make("div", { class: "wb-smp-sides" }, this.sides.left, this.sides.right),
      make("div", { class: "wb-smp-choices" }, ...this.buttons, this.skip, this.end),
      this.alert,
    );
  }

  #side(side) {
    const list = make("div", { class: "wb-smp-said", "data-side": side, tabindex: "0", role: "group", dir: "auto" });
    list.setAttribute("aria-label", this.t(`side.${side}`));
    return list;
  }

  #button(name, onclick) {
    const words = { textContent: this.t(name), title: this.t(`${name}.title`) };
    return make("button", { type: "button", class: "wb-cmp-button", "data-choice": name, ...words, onclick });
  }

  get shown() {
    return !this.element.hidden;
  }

  hide() {
    this.element.hidden = true;
  }

  async begin(of) {
    Object.assign(this, { of, judged: [], token: "" });
    this.element.hidden = false;
    this.element.focus({ preventScroll: true });
    await this.pending?.catch(() => {}); // of what was ended while it waited
    await this.#next();
  }

  async #next(skip = "") {
    const waiting = setTimeout(() => (this.counted.textContent = this.t("pair_waiting")), SOON_MS);
    const { of } = this;
    const found = await this.#ask(this.paths.next(of), { person: this.person(), skip });
    clearTimeout(waiting);
    if (!found || !this.shown || of !== this.of) return;
    if (!found.pair) return void this.#over();
    const { token, judged, total, left, right } = found.pair;
    Object.assign(this, { token, since: performance.now() });
    this.counted.textContent = this.t("pair_of", { n: judged + 1, total });
    this.#fill(left, right);
    this.onpair(found.pair);
  }

  /** Both texts line by line; lines that the other side has not are marked, without saying which is right. */
  #fill(left, right) {
    const others = { left: new Set(right), right: new Set(left) };
    for (const [side, lines] of Object.entries({ left, right })) {
      const made = lines.map((text) => make("p", { class: others[side].has(text) ? "" : "other", textContent: text }));
      this.sides[side].replaceChildren(...made);
      this.sides[side].scrollTop = 0;
    }
  }

  async #choose(choice) {
    const seconds = (performance.now() - this.since) / 1000;
    const body = { choice, person: this.person(), seconds };
    const told = await this.#ask(this.paths.judge(this.token), body);
    if (!told) return;
    this.judged.push(told);
    await this.#next();
  }

  /** One question at a time. */
  async #ask(path, body) {
    if (this.busy) return null;
    this.busy = true;
    this.alert.hidden = true;
    try {
      this.pending = this.api.post(path, body, { timeout: LONGEST_MS });
      return await this.pending;
    } catch (failure) {
      this.alert.textContent = explained(failure);
      this.alert.hidden = false;
      return null;
    } finally {
      this.busy = false;
    }
  }

  #over() {
    this.hide();
    this.onend(this.judged);
  }

  /** What a key does here; undefined where nothing. A key that is held down judges one pair, not all that follow. */
  key(name, held) {
    if (held) return KEYS[name] || name === "s" ? () => {} : undefined;
    if (KEYS[name]) return () => this.#choose(KEYS[name]);
    return { s: () => this.#next(this.token), Escape: () => this.#over() }[name];
  }
}
