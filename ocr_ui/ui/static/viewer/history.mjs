/** Undo and redo over values that are never changed in place, so that a step costs a reference, not a copy. */

export const LIMIT = 2000;
const MERGE_MS = 1200;

export class History {
  constructor(present, { limit = LIMIT, now = () => Date.now() } = {}) {
    this.limit = limit;
    this.now = now;
    this.reset(present);
  }

  reset(present) {
    this.present = present;
    this.past = [];
    this.future = [];
    this.endMerging();
  }

  get canUndo() {
    return this.past.length > 0;
  }

  get canRedo() {
    return this.future.length > 0;
  }

  /**
   * Makes `next` the present. Steps with the same `mergeKey` that follow each other quickly become one step: a word
   * typed into one line, a box nudged ten times.
   */
  push(next, mergeKey = null) {
    if (next === this.present) return;
    const merges = mergeKey !== null && mergeKey === this.mergeKey && this.now() - this.mergeTime < MERGE_MS;
    if (!merges) this.past.push(this.present);
    if (this.past.length > this.limit) this.past.shift();
    this.present = next;
    this.future = [];
    this.mergeKey = mergeKey;
    this.mergeTime = this.now();
  }

  /** The next push starts a step of its own. */
  endMerging() {
    this.mergeKey = null;
    this.mergeTime = 0;
  }

  undo() {
    return this.#step(this.past, this.future);
  }

  redo() {
    return this.#step(this.future, this.past);
  }

  #step(from, to) {
    if (!from.length) return false;
    to.push(this.present);
    this.present = from.pop();
    this.endMerging();
    return true;
  }
}
