/**
 * Saving a correction: tries again while the server does not answer, with one `client_key` for all tries, so that a
 * correction whose answer got lost is not stored twice.
 */

import { randomKey } from "../page/random.mjs";

const DELAYS = [1, 2, 4, 8];

/** Seconds to wait before try number `attempt` (1 is the first repetition). */
export const delayBefore = (attempt) => DELAYS[Math.min(attempt, DELAYS.length) - 1];

export class Saver {
  /**
   * @param {object} parts
   * @param {(body: object) => Promise<object>} parts.send answers, or throws a Failure
   * @param {(seconds: number) => Promise<void>} parts.wait
   * @param {() => string} parts.newKey
   * @param {(state: {phase: string, seconds?: number}) => void} parts.tell phases: saving, waiting
   */
  constructor({ send, wait = pause, newKey = () => randomKey(), tell = () => {} }) {
    Object.assign(this, { send, wait, newKey, tell });
    this.running = null;
    this.hurry = () => {};
  }

  /**
   * Sends a correction; a second call while one is under way hurries it on and gets its outcome.
   * @returns {Promise<{kind: "saved", answer: object} | {kind: "conflict" | "refused", failure: Failure}>}
   */
  save(correction) {
    if (this.running) this.hurry();
    else this.running = this.#run({ ...correction, client_key: correction.client_key ?? this.newKey() });
    return this.running;
  }

  async #run(body) {
    try {
      for (let attempt = 1; ; attempt += 1) {
        this.tell({ phase: "saving" });
        const outcome = await this.#attempt(body);
        if (outcome) return outcome;
        const seconds = delayBefore(attempt);
        this.tell({ phase: "waiting", seconds });
        await Promise.race([this.wait(seconds), new Promise((resolve) => (this.hurry = resolve))]);
      }
    } finally {
      this.running = null;
      this.hurry = () => {};
    }
  }

  /** One try: an outcome, or null where trying again makes sense. */
  async #attempt(body) {
    try {
      return { kind: "saved", answer: await this.send(body) };
    } catch (failure) {
      if (failure.passes) return null;
      return { kind: failure.status === 409 ? "conflict" : "refused", failure };
    }
  }
}

export const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
