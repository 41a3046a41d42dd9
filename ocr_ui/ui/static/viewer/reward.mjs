/**
 * What the model's answer is worth against the label as it is edited, asked of the server while a person edits, and
 * what mends a label that cannot be scored. Emits "reward" on the editor.
 */

import { contentOf, documentOf } from "./state.mjs";

const REWARD_MS = 700;
const FILE_TIMEOUT_MS = 300_000; // a team's function may load for minutes; the server ends one that hangs

export class LiveReward {
  constructor({ editor, api, delay = REWARD_MS }) {
    Object.assign(this, { editor, api, delay });
    this.#forget();
    editor.on("load", () => this.#loaded());
    editor.on("doc", () => this.#changed());
  }

  destroy() {
    clearTimeout(this.timer);
  }

  /**
   * scored: the server's answer, or null; failure: why there is none; doc: what it is of. file: the reward of the
   * team's own function, asked after it and by itself; fileDoc: what that is of. wish: the code of a problem that is
   * mended as soon as the label as it stands now has been looked at.
   */
  #forget() {
    Object.assign(this, { scored: null, failure: null, doc: null, file: null, fileDoc: null, wish: null });
    this.answers = new WeakMap();
  }

  /** True where what is shown is of the label as it stands. */
  get fresh() {
    return this.doc === this.editor.doc && this.failure === null && this.scored !== null;
  }

  get fileFresh() {
    return this.fileDoc === this.editor.doc;
  }

  get possible() {
    return this.editor.recognition !== null && !this.editor.running;
  }

  get problems() {
    return this.scored?.label_problems ?? [];
  }

  /** The problem that comes first: one that can be mended, where there is one. */
  get problem() {
    return this.problems.find((problem) => problem.content) ?? this.problems[0] ?? null;
  }

  #loaded() {
    if (this.editor.recognition !== this.shown) this.#forget();
    this.shown = this.editor.recognition;
    if (this.possible && this.doc !== this.editor.doc) this.#schedule(0);
    this.editor.emit("reward");
  }

  #changed() {
    const known = this.answers.get(this.editor.doc);
    if (known) this.#take(known, this.editor.doc);
    else if (this.possible) this.#schedule(this.delay);
    this.editor.emit("reward");
  }

  #schedule(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#ask(), delay);
  }

  async #ask() {
    clearTimeout(this.timer);
    const { doc, recognition } = this.editor;
    if (!this.possible) return;
    try {
      const answer = await this.#post(recognition, doc, "rules");
      if (!this.#isOf(recognition, doc)) return;
      this.answers.set(doc, answer);
      this.#take(answer, doc);
    } catch (failure) {
      if (!this.#isOf(recognition, doc)) return;
      Object.assign(this, { failure, wish: null });
    }
    this.editor.emit("reward");
  }

  /** An answer to an older edit never takes the place of a newer one. */
  #isOf(recognition, doc) {
    return recognition === this.editor.recognition && doc === this.editor.doc;
  }

  #take(answer, doc) {
    clearTimeout(this.timer);
    Object.assign(this, { scored: answer, failure: null, doc });
    if (answer.file && this.fileDoc !== doc) this.#askFile();
    if (this.wish !== null) this.mend(this.wish);
  }

  /** One question at a time: the function may take long, and only the newest label matters then. */
  async #askFile() {
    if (this.askingFile) return;
    this.askingFile = true;
    const { doc, recognition } = this.editor;
    let found;
    try {
      [found = null] = (await this.#post(recognition, doc, "file")).rewards;
    } catch (failure) {
      found = { reward: null, failure };
    }
    this.askingFile = false;
    if (this.#isOf(recognition, doc)) {
      Object.assign(this, { file: found, fileDoc: doc });
      this.editor.emit("reward");
    } else if (this.fresh && this.scored.file) this.#askFile();
  }

  #post(recognition, doc, part) {
    const timeout = part === "file" ? FILE_TIMEOUT_MS : undefined;
    return this.api.post(`/v1/items/${recognition}/rewards`, { content: contentOf(doc), part }, { timeout });
  }

  // Mending ---------------------------------------------------------------------------------------------------------

  /** Takes the label without a problem, as one step to undo: the one named, or what can be mended first. */
  mend(code = this.problem?.code) {
    this.wish = null;
    const problem = this.problems.find((one) => one.code === code && one.content);
    if (!problem || !this.editor.canEdit) return;
    if (this.fresh) {
      this.editor.adopt(documentOf(problem.content));
      this.onmend?.(problem);
    } else {
      this.wish = code; // the label has changed since: it is looked at once more first
      this.#ask();
    }
  }
}
