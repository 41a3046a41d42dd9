/**
 * The judgement of a result and its way to the server: verdict, error kinds, note; drafts of what is not stored yet;
 * saving, trying again, and what to do when somebody else was faster. Emits "review" on the editor.
 */

import { Saver } from "./save.mjs";
import { contentOf, documentOf, sameDocument } from "./state.mjs";

const DRAFT_MS = 300;
const DIFFERENCE_MS = 700;
const PERSON_KEY = "workbench.person";

export class Review {
  /**
   * @param {object} parts editor, api, drafts, storage (for the person's name)
   * @param {(answer: object) => void} parts.onsaved
   * @param {(kind: string, entry: object) => void} parts.onnotice "draft_restored", "draft_older" or "behind"
   */
  constructor({ editor, api, drafts, storage, onsaved, onnotice }) {
    Object.assign(this, { editor, api, drafts, storage, onsaved, onnotice });
    this.person = read(storage, PERSON_KEY);
    this.draftStored = true;
    this.#reset();
    editor.on("load", ({ how }) => this.#loaded(how));
    editor.on("doc", () => this.#changed());
  }

  /** A second review stands beside the first and is saved by itself: {blind} of the value, or null. */
  get second() {
    return this.editor.value.second ?? null;
  }

  /** Drafts of a second review are not those of the first. */
  get draftOf() {
    return this.second ? `${this.editor.recognition}s` : this.editor.recognition;
  }

  // State -----------------------------------------------------------------------------------------------------------

  #reset() {
    const { value } = this.editor;
    this.version = value.version ?? 0;
    this.revision = value.revision ?? null;
    this.verdict = value.verdict ?? null;
    this.kinds = new Set(value.error_kinds ?? []);
    this.note = value.note ?? "";
    this.byPerson = { verdict: this.verdict !== null, kinds: this.kinds.size > 0 };
    this.difference = null;
    this.#settle("clean");
    this.#markSaved();
  }

  #settle(phase, more = {}) {
    Object.assign(this, { phase, failure: null, seconds: 0, ...more });
  }

  #markSaved(snapshot = this.#snapshot()) {
    this.saved = snapshot;
  }

  #snapshot() {
    return { doc: this.editor.doc, verdict: this.verdict, kinds: [...this.kinds].sort().join(), note: this.note };
  }

  get contentChanged() {
    return !sameDocument(this.editor.doc, this.saved.doc);
  }

  get dirty() {
    const now = this.#snapshot();
    const judged = ["verdict", "kinds", "note"].some((name) => now[name] !== this.saved[name]);
    return this.editor.recognition !== null && (judged || this.contentChanged);
  }

  get canSave() {
    return this.editor.recognition !== null && !this.editor.running && !this.editor.value.readonly;
  }

  get canJudge() {
    return this.canSave;
  }

  #loaded(how) {
    const { recognition } = this.editor;
    const fresh = recognition !== this.shown;
    this.shown = recognition;
    if (fresh || !this.saver) this.#newSaver();
    if (how === "behind") this.onnotice("behind", { version: this.editor.value.version });
    if (how === "replace" || how === "merge") {
      const { savedAt } = this;
      this.#reset();
      this.savedAt = fresh ? null : savedAt;
      if (fresh || how === "replace") this.#offerDraft();
    }
    this.#tell();
  }

  #newSaver() {
    const recognition = this.editor.recognition;
    this.saver = new Saver({
      send: (body) => this.api.post("blind" in body ? "/v1/second-reviews" : "/v1/corrections", body),
      tell: (state) => recognition === this.editor.recognition && (this.#settle(state.phase, state), this.#tell()),
    });
  }

  #tell() {
    this.editor.emit("review");
  }

  // Judging ---------------------------------------------------------------------------------------------------------

  setVerdict(verdict) {
    if (!this.canJudge) return;
    // Saying what was only assumed confirms it; saying it a second time takes it back.
    this.verdict = this.byPerson.verdict && this.verdict === verdict ? null : verdict;
    this.byPerson.verdict = true;
    this.#edited();
  }

  toggleKind(kind) {
    if (!this.canJudge) return;
    if (!this.kinds.delete(kind)) this.kinds.add(kind);
    this.byPerson.kinds = true;
    if (this.verdict === null) this.verdict = "wrong";
    this.#edited();
  }

  setNote(note) {
    this.note = note;
    this.#edited();
  }

  setPerson(person) {
    this.person = person;
    write(this.storage, PERSON_KEY, person);
  }

  /** What was corrected was wrong: the verdict follows the first edit until a person says otherwise. */
  #changed() {
    if (!this.byPerson.verdict) this.verdict = this.contentChanged ? "wrong" : this.saved.verdict;
    this.#edited();
    this.#scheduleDifference();
  }

  #edited() {
    if (this.phase === "failed") this.#settle("clean");
    this.#scheduleDraft();
    this.#tell();
  }

  #scheduleDifference() {
    clearTimeout(this.differenceTimer);
    if (this.editor.recognition !== null) {
      this.differenceTimer = setTimeout(() => this.#askDifference(), DIFFERENCE_MS);
    }
  }

  async #askDifference() {
    const { doc, recognition } = this.editor;
    try {
      const answer = await this.api.post("/v1/differences", { recognition_id: recognition, content: contentOf(doc) });
      if (doc === this.editor.doc) this.#takeDifference(answer);
    } catch (failure) {
      console.warn("The kinds of error could not be computed:", failure.message); // a help only: saving computes them too
    }
  }

  #takeDifference(answer) {
    this.difference = answer;
    // An assumed "wrong" goes with the difference that it followed from.
    if (!this.byPerson.verdict && this.contentChanged) this.verdict = answer.changed === false ? null : "wrong";
    if (!this.byPerson.kinds) this.kinds = new Set(this.contentChanged ? answer.error_kinds : splitKinds(this.saved));
    this.#scheduleDraft();
    this.#tell();
  }

  // Drafts ----------------------------------------------------------------------------------------------------------

  #scheduleDraft() {
    clearTimeout(this.draftTimer);
    this.draftTimer = setTimeout(() => this.keepDraft(), DRAFT_MS);
  }

  /** Writes the draft now: the page may go away. */
  keepDraft() {
    clearTimeout(this.draftTimer);
    const { recognition, doc } = this.editor;
    if (recognition === null) return;
    if (!this.dirty) {
      this.draftStored = true;
      return this.drafts.drop(this.draftOf, this.version);
    }
    const { verdict, note, byPerson } = this;
    const draft = { time: Date.now(), content: contentOf(doc), verdict, kinds: [...this.kinds], note, byPerson };
    this.draftStored = this.drafts.put(this.draftOf, this.version, draft);
  }

  get mayLeave() {
    return !this.dirty || this.draftStored;
  }

  #offerDraft() {
    const { recognition } = this.editor;
    if (recognition === null || this.editor.value.readonly) return;
    const found = this.drafts.find(this.draftOf);
    if (!found) return;
    if (this.#saysNothingNew(found.draft)) return this.drafts.dropAll(this.draftOf);
    if (found.version !== this.version) return this.onnotice("draft_older", found);
    this.useDraft(found.draft);
    this.onnotice("draft_restored", found);
  }

  #saysNothingNew(draft) {
    const same = sameDocument(documentOf(draft.content), this.editor.doc);
    return same && draft.verdict === this.verdict && draft.note === this.note;
  }

  useDraft(draft) {
    Object.assign(this, { verdict: draft.verdict, kinds: new Set(draft.kinds), note: draft.note });
    this.byPerson = { ...draft.byPerson };
    this.editor.adopt(documentOf(draft.content));
    this.#edited();
  }

  /** Back to what is stored. */
  discard() {
    this.drafts.dropAll(this.draftOf);
    this.verdict = this.saved.verdict;
    this.kinds = new Set(splitKinds(this.saved));
    this.note = this.saved.note;
    this.editor.adopt(this.saved.doc);
    this.#edited();
  }

  // Saving ----------------------------------------------------------------------------------------------------------

  async save() {
    if (this.canSave && this.dirty) await this.#send();
  }

  /**
   * Judges the page and saves it whether or not anything was changed.
   * @param {string} verdict the server stores "wrong" where the page is not what the model read
   * @param {string | null} state where the item is to stand; null for what follows from the verdict
   * @returns {Promise<boolean>} whether it is stored
   */
  async finish(verdict, state = null) {
    const { recognition } = this.editor;
    await this.saver?.running;
    if (!this.canSave || recognition !== this.editor.recognition) return false;
    this.verdict = verdict;
    this.byPerson.verdict = true;
    return this.#send(state && !this.second ? { state } : {});
  }

  async #send(more = {}) {
    const { recognition, doc } = this.editor;
    const base = this.version;
    const draftOf = this.draftOf;
    const snapshot = this.#snapshot();
    const outcome = await this.saver.save({ ...this.#request(recognition, base, doc), ...more });
    const stored = outcome.kind === "saved";
    if (stored) this.drafts.drop(draftOf, base);
    if (recognition !== this.editor.recognition || base !== this.version) return stored;
    if (stored) this.#stored(outcome.answer, snapshot);
    else this.#settle(outcome.kind === "conflict" ? "conflict" : "failed", { failure: outcome.failure });
    this.#tell();
    return stored;
  }

  #request(recognition, base, doc) {
    const place = this.second ? { blind: this.second.blind } : { base_version: base, base_revision: this.revision };
    return {
      recognition_id: recognition,
      ...place,
      content: contentOf(doc),
      verdict: this.verdict,
      error_kinds: this.byPerson.kinds ? [...this.kinds] : null, // null: the server takes what it finds by comparing
      note: this.note,
      person: this.person,
    };
  }

  #stored(answer, snapshot) {
    this.version = answer.version ?? this.version; // a second review makes no version of the item
    this.revision = answer.revision ?? null;
    Object.assign(this.editor.value, { version: this.version, state: answer.state ?? this.editor.value.state });
    this.savedAt = answer.saved_at ? new Date(answer.saved_at) : new Date();
    if (answer.edit_distance !== undefined) this.difference = answer;
    this.#settle("clean");
    this.#takeJudgement(answer, snapshot);
    this.keepDraft();
    this.onsaved(answer);
  }

  /** The server may know better: a page that was changed was not right, and kinds are found by comparing. */
  #takeJudgement(answer, snapshot) {
    const kinds = [...(answer.error_kinds ?? [])].sort().join();
    const stored = { ...snapshot, verdict: answer.verdict ?? snapshot.verdict, kinds };
    if (this.verdict === snapshot.verdict) this.verdict = stored.verdict;
    if ([...this.kinds].sort().join() === snapshot.kinds) this.kinds = new Set(answer.error_kinds);
    this.#markSaved(stored);
  }

  /** After a conflict: the other version stays, and mine becomes the one after it. */
  saveMine() {
    const { version = this.version, revision = null } = this.failure.details;
    Object.assign(this, { version, revision });
    return this.save();
  }

  /** After a conflict: shows the other version; mine stays as a draft that is offered at once. */
  async showTheirs() {
    const { recognition, value } = this.editor;
    this.keepDraft();
    try {
      const item = await this.api.get(`/v1/items/${recognition}`);
      if (recognition === this.editor.recognition) this.editor.load({ ...value, ...item }, "replace");
    } catch (failure) {
      this.#settle("failed", { failure });
      this.#tell();
    }
  }
}

const splitKinds = (snapshot) => snapshot.kinds.split(",").filter(Boolean);

function read(storage, key) {
  try {
    return storage.getItem(key) ?? "";
  } catch {
    return ""; // storing is forbidden: the name is asked for again
  }
}

function write(storage, key, value) {
  try {
    storage.setItem(key, value);
  } catch {
    // Storing is forbidden: the name is asked for again next time.
  }
}
