/**
 * The judgement of a result and its way to the server: verdict, error kinds, note; drafts of what is not stored yet;
 * saving, trying again, and what to do when somebody else was faster. Emits "review" on the editor.
 */

import { inBrowser } from "../page/kept.mjs";
import { keepPerson, PERSON_KEY } from "../page/person.mjs";
import { randomKey } from "../page/random.mjs";
import { KeptDrafts } from "./keptdrafts.mjs";
import { contentOf, documentOf, sameDocument } from "./state.mjs";

const DRAFT_MS = 300; // after the first edit that no draft has yet: on disk within a second, however long one types
const DIFFERENCE_MS = 700;
const BROWSER_KEY = "workbench.browser";

export class Review {
  /**
   * @param {object} parts editor, api, outbox, drafts, signal (ends listening)
   * @param {(answer: object) => void} parts.onsaved
   * @param {(kind: string, entry: object) => void} parts.onnotice "draft_restored", "draft_older", "behind" or "lost"
   */
  constructor({ editor, api, outbox, drafts, signal, onsaved, onnotice }) {
    Object.assign(this, { editor, api, outbox, drafts, onsaved, onnotice });
    this.person = inBrowser.text(PERSON_KEY);
    this.draftStored = true;
    this.draftKept = "";
    this.sent = new Map(); // what was saved by entries of the outbox that this viewer has sent
    this.keptDrafts = new KeptDrafts({
      api,
      browser: browserName(),
      person: () => this.person,
      tell: (state, draft) => this.#draftTold(state, draft),
    });
    outbox.listen((event) => this.#heard(event), signal);
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

  /** True where nobody has said yet whether it is right: the label is what was read, word for word. */
  get untouched() {
    return !this.version && this.verdict === null && !this.contentChanged;
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
    if (how === "behind") this.onnotice("behind", { version: this.editor.value.version });
    if (how === "replace") this.sent.clear();
    if (how === "replace" || how === "merge") {
      const { savedAt } = this;
      this.#reset();
      this.savedAt = fresh ? null : savedAt;
      if (fresh || how === "replace") this.#offerDraft();
    }
    this.#tell();
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
    keepPerson(person);
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
    this.draftKept = "";
    this.draftTimer ??= setTimeout(() => this.keepDraft(), DRAFT_MS);
  }

  /** Writes the draft now: the page may go away. */
  keepDraft() {
    clearTimeout(this.draftTimer);
    this.draftTimer = null;
    const { recognition, doc } = this.editor;
    if (recognition === null) return;
    if (!this.dirty) {
      this.draftStored = true;
      this.draft = null;
      this.keptDrafts.drop(recognition, this.second);
      return this.drafts.drop(this.draftOf, this.version);
    }
    const { verdict, note, byPerson } = this;
    const draft = { time: Date.now(), content: contentOf(doc), verdict, kinds: [...this.kinds], note, byPerson };
    this.draft = draft;
    this.draftStored = this.drafts.put(this.draftOf, this.version, draft);
    this.keptDrafts.put(recognition, this.second, this.version, draft);
  }

  /** `state` is "kept" where the server has the draft on its disk, "here" where only this browser has it. */
  #draftTold(state, draft) {
    if (!draft || draft !== this.draft) return;
    this.draftKept = state;
    this.#tell();
  }

  get mayLeave() {
    return !this.dirty || this.draftStored;
  }

  #offerDraft() {
    const { recognition } = this.editor;
    if (recognition === null || this.editor.value.readonly) return;
    const found = this.drafts.find(this.draftOf);
    if (found) this.#offer(found);
    else this.#askForDraft();
  }

  /** Another browser of this person may have been at work, or this one has lost what it kept. */
  async #askForDraft() {
    const { recognition, doc } = this.editor;
    const found = await this.keptDrafts.find(recognition, this.second);
    if (found && doc === this.editor.doc && recognition === this.editor.recognition && !this.dirty) this.#offer(found);
  }

  #offer(found) {
    if (this.#saysNothingNew(found.draft)) return this.#dropDrafts();
    if (found.version !== this.version) return this.onnotice("draft_older", found);
    this.useDraft(found.draft);
    this.onnotice("draft_restored", found);
  }

  #dropDrafts() {
    this.keptDrafts.forget(this.editor.recognition, this.second);
    this.drafts.dropAll(this.draftOf);
  }

  /** Of the item that is shown. */
  #documentOf(content) {
    return documentOf({ ...content, item: this.editor.value.item });
  }

  #saysNothingNew(draft) {
    const same = sameDocument(documentOf(draft.content), this.editor.doc);
    return same && draft.verdict === this.verdict && draft.note === this.note;
  }

  useDraft(draft) {
    Object.assign(this, { verdict: draft.verdict, kinds: new Set(draft.kinds), note: draft.note });
    this.byPerson = { ...draft.byPerson };
    this.editor.adopt(this.#documentOf(draft.content));
    this.#edited();
  }

  /** Back to what is stored. */
  discard() {
    this.#dropDrafts();
    this.verdict = this.saved.verdict;
    this.kinds = new Set(splitKinds(this.saved));
    this.note = this.saved.note;
    this.editor.adopt(this.saved.doc);
    this.#edited();
  }

  // Saving ----------------------------------------------------------------------------------------------------------

  async save() {
    if (this.outbox.pending(this.editor.recognition)) return this.outbox.hurry();
    if (this.canSave && this.dirty) await this.#send().outcome;
  }

  /**
   * Judges the page and saves it whether or not anything was changed.
   * @param {string} verdict the server stores "wrong" where the page is not what the model read
   * @param {string | null} state where the item is to stand; null for what follows from the verdict
   * @returns {Promise<boolean>} whether it is stored, or sure to be sent: there is no connection, and the browser has it
   */
  async finish(verdict, state = null) {
    if (!this.canSave) return false;
    this.verdict = verdict;
    this.byPerson.verdict = true;
    const entry = this.#send(state && !this.second ? { state } : {});
    const outcome = await entry.handled;
    if (outcome === null) entry.outcome.then(({ failure }) => this.#stillShown(entry, failure));
    return outcome === null || outcome.kind === "saved";
  }

  /** A save that had to wait was refused while its page is about to be left. */
  #stillShown({ recognition, name }, failure) {
    if (failure && recognition === this.editor.recognition) this.onnotice("lost", { name, failure });
  }

  #send(more = {}) {
    const { recognition, doc, value } = this.editor;
    const snapshot = this.#snapshot();
    const entry = this.outbox.add({
      path: this.second ? "/v1/second-reviews" : "/v1/corrections",
      body: { ...this.#request(recognition, this.version, doc), ...more },
      recognition,
      judges: true,
      second: !!this.second,
      base: this.version,
      draftOf: this.draftOf,
      name: value.item?.page?.name ?? "",
    });
    this.sent.set(entry.id, snapshot);
    return entry;
  }

  /** Something happened to a save, of whichever page and from whichever viewer. */
  #heard({ type, entry, state, outcome }) {
    if (!entry.judges) return this.#tell();
    const shown = entry.recognition === this.editor.recognition && entry.second === !!this.second;
    if (type === "state" && shown) this.#settle(state.phase, state);
    if (type === "outcome") this.#answered(entry, outcome, shown);
    this.#tell();
  }

  #answered(entry, { kind, answer, failure }, shown) {
    const stored = kind === "saved";
    const snapshot = this.sent.get(entry.id) ?? (shown && entry.left && this.#snapshotOf(entry));
    if (stored) this.#draftSaved(entry, answer);
    if (shown && stored) {
      this.#settle("clean");
      if (snapshot) this.#stored(answer, snapshot);
    } else if (shown) this.#settle(kind === "conflict" ? "conflict" : "failed", { failure });
    else if (!stored) this.onnotice("lost", { name: entry.name, failure });
  }

  /** A page that was loaded anew shows the draft of what the one before has sent; one without it shows what was. */
  #snapshotOf({ body, base }) {
    if (base !== this.version) return null;
    if (!this.dirty) return void this.showTheirs();
    const { content, verdict, error_kinds: kinds, note } = body;
    return { doc: this.#documentOf(content), verdict, kinds: [...(kinds ?? this.kinds)].sort().join(), note };
  }

  /** What was saved is no draft any more; what was typed since it was sent is one of the new version. */
  #draftSaved({ recognition, second, draftOf, base, body }, { version = base }) {
    const found = this.drafts.find(draftOf);
    if (found?.version !== base) return;
    const same = sameDocument(documentOf(found.draft.content), documentOf(body.content)) && found.draft.note === body.note;
    this.drafts.drop(draftOf, base);
    if (same) this.keptDrafts.forget(recognition, second);
    else this.drafts.put(draftOf, version, found.draft);
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
    if (answer.experiment) Object.assign(this.editor.value.item, answer.asked, { experiment: answer.experiment });
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

/** A name that this browser makes up for itself. */
function browserName() {
  const name = inBrowser.text(BROWSER_KEY) || randomKey();
  inBrowser.putText(BROWSER_KEY, name);
  return name;
}

const splitKinds = (snapshot) => snapshot.kinds.split(",").filter(Boolean);
