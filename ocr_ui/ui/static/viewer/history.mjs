/** Undo and redo over values that are never changed in place, so that a step costs a reference, not a copy. */

export const LIMIT = 2000;
const MERGE_MS = 1200;

const distinct = (steps, same) => steps.filter((step, index) => index === 0 || !same(step, steps[index - 1]));

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

  /** Where the history stands now, for `rewrite`. */
  mark() {
    return { present: this.present, future: this.future };
  }

  /**
   * Applies `change` to every step since `mark`, and drops steps that are then the `same` as the one before. A mark
   * that was undone since is no bound any more: the present alone is changed then, as a step of its own.
   */
  rewrite(mark, change, same) {
    this.endMerging();
    const start = this.present === mark.present ? this.past.length : this.past.lastIndexOf(mark.present);
    if (start < 0) return this.push(change(this.present));
    const steps = distinct([...this.past.slice(start), this.present].map(change), same);
    this.present = steps.pop();
    this.past = [...this.past.slice(0, start), ...steps];
    if (this.future === mark.future) return;
    const ahead = [this.present, ...this.future.map(change).reverse()];
    this.future = distinct(ahead, same).slice(1).reverse();
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
