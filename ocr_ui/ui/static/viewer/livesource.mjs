/**
 * What is typed, as the server renders it and with what is wrong in it. The server is asked when typing pauses, once at
 * a time; an answer that comes late is shown all the same, its mistakes where they stand by then.
 */

import { inUnits, moved } from "./problems.mjs";

const PAUSE_MS = 200;
const AGAIN_MS = 3000;

export class LiveSource {
  /**
   * @param {object} parts api
   * @param {() => void} parts.onchange after each answer and failure
   */
  constructor({ api, onchange = () => {}, pause = PAUSE_MS, again = AGAIN_MS }) {
    Object.assign(this, { api, onchange, pause, again });
    this.forget();
  }

  /** Another item: nothing of the one before is shown. */
  forget() {
    this.destroy();
    Object.assign(this, { text: null, task: null, answer: null, failed: false, key: {} });
  }

  destroy() {
    clearTimeout(this.timer);
    this.timer = null;
  }

  /** The markup of the last answer, null before the first. Made safe by the server. */
  get html() {
    return this.answer?.html ?? null;
  }

  /** The answer is about what is typed now. */
  get fresh() {
    return this.answer?.text === this.text;
  }

  /** The mistakes where they stand in the text as it is now. */
  get problems() {
    return this.answer ? moved(this.answer.problems, this.answer.text, this.text) : [];
  }

  follow(text, task) {
    if (text === this.text && task === this.task) return;
    const first = this.text === null;
    Object.assign(this, { text, task });
    this.#schedule(first ? 0 : this.pause);
  }

  #schedule(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#ask(), wait);
  }

  async #ask() {
    this.timer = null;
    const { text, task, key } = this;
    if (this.asking === key) return;
    this.asking = key;
    const answer = await this.api.post("/v1/source-previews", { text, task }).catch(() => null);
    this.asking = null;
    if (key !== this.key) return;
    this.failed = answer === null;
    if (answer) this.answer = { text, html: answer.html, problems: inUnits(text, answer.problems) };
    if (this.timer === null && (this.failed || !this.fresh)) this.#schedule(this.failed ? this.again : this.pause);
    this.onchange();
  }
}
