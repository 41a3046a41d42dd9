/** The bar below the result: right or wrong, what kind of error, a note, and whether all of it is stored. */

import { clockText } from "../page/moments.mjs";
import { h, icon, keySign, named, setPressed, setText, wordButton } from "./dom.mjs";
import { failureText } from "./notice.mjs";

/** The kinds of `ocr_ui.domain.review.ErrorKind`, in its order. */
export const ERROR_KINDS = [
  "missing_line",
  "invented_line",
  "wrong_character",
  "look_alike",
  "wrong_order",
  "box_off",
  "format_broken",
  "repeated",
  "other",
];

export class VerdictBar {
  constructor({ editor, review, t, actions }) {
    Object.assign(this, { editor, review, t });
    this.right = this.#verdictButton("right", "check", actions);
    this.wrong = this.#verdictButton("wrong", "cross", actions);
    this.chips = ERROR_KINDS.map((kind) =>
      wordButton(`kind_${kind}`, () => review.toggleKind(kind), { class: "vw-chip", "data-kind": kind }),
    );
    this.note = named(
      h("input", { type: "text", dir: "auto", class: "vw-note-input", oninput: (e) => review.setNote(e.target.value) }),
      "note",
      { attribute: "title" },
    );
    this.person = named(
      h("input", {
        type: "text",
        dir: "auto",
        class: "vw-person",
        autocomplete: "name",
        oninput: (event) => review.setPerson(event.target.value.trim()),
      }),
      "person",
      { attribute: "title" },
    );
    this.person.value = review.person;
    this.saveWord = named(h("span"), "save");
    const attributes = { type: "button", class: "vw-button primary", onclick: actions.save };
    this.save = h("button", attributes, this.saveWord, keySign("save"));
    this.state = h("div", { class: "vw-saved", role: "status" });
    this.queued = h("div", { class: "vw-queued", role: "status", hidden: true });
    this.element = this.#layOut();
  }

  #verdictButton(verdict, sign, actions) {
    const label = named(h("span"), verdict);
    const attributes = { type: "button", class: `vw-button verdict ${verdict}`, onclick: actions[verdict] };
    return h("button", attributes, icon(sign), label, keySign(verdict));
  }

  #layOut() {
    const verdict = named(h("div", { class: "vw-group", role: "group" }, this.right, this.wrong), "verdict_label", {
      attribute: "title",
    });
    const kinds = named(h("div", { class: "vw-kinds", role: "group" }, this.chips), "kinds_label", {
      attribute: "title",
    });
    this.conflict = h("div", { class: "vw-conflict", role: "alert", hidden: true });
    return h(
      "div",
      { class: "vw-verdict" },
      this.conflict,
      h("div", { class: "vw-verdict-row" }, verdict, kinds),
      h("div", { class: "vw-verdict-row" }, this.note, this.person, this.queued, this.state, this.save),
    );
  }

  render() {
    const { review } = this;
    setPressed(this.right, review.verdict === "right");
    setPressed(this.wrong, review.verdict === "wrong");
    for (const chip of this.chips) setPressed(chip, review.kinds.has(chip.dataset.kind));
    for (const part of [this.right, this.wrong, this.note, ...this.chips]) part.disabled = !review.canJudge;
    if (this.note.value !== review.note) this.note.value = review.note;
    this.save.disabled = !review.canSave || !review.dirty || review.phase === "saving";
    this.#renderState();
    this.#renderQueued();
    this.#renderConflict();
  }

  /** Saves of other pages that wait for the server. */
  #renderQueued() {
    const { outbox } = this.review;
    const others = outbox.entries.filter((entry) => entry.recognition !== this.editor.recognition).length;
    this.queued.hidden = !outbox.stuck || !others;
    setText(this.queued, this.queued.hidden ? "" : this.t("saves_wait", { n: others }));
  }

  #renderState() {
    const { kind, words, buttons = [] } = this.#describe();
    const signature = JSON.stringify([kind, words, buttons.map(([word]) => word)]);
    if (signature === this.signature) return;
    this.signature = signature;
    this.state.className = `vw-saved ${kind}`;
    const links = buttons.map(([word, action]) =>
      h("button", { type: "button", class: "vw-link", onclick: action }, this.t(word)),
    );
    this.state.replaceChildren(h("span", { class: "vw-dot", "aria-hidden": "true" }), h("bdi", {}, words), ...links);
  }

  #describe() {
    const { review, t } = this;
    if (!review.canSave)
      return { kind: "none", words: t(this.editor.value.readonly ? "read_only" : "nothing_to_save") };
    if (review.phase === "saving") return { kind: "busy", words: t("saving") };
    if (review.phase === "waiting") return this.#waiting();
    if (review.phase === "conflict") return { kind: "bad", words: t("not_saved_conflict") };
    if (review.phase === "failed") return { kind: "bad", words: failureText(t, review.failure) };
    if (review.dirty) return { kind: "open", words: this.#notSaved() };
    return { kind: "good", words: this.#savedWords() };
  }

  #notSaved() {
    const { difference, contentChanged, draftStored, draftKept } = this.review;
    if (!draftStored && draftKept !== "kept") return this.t("not_saved_no_draft");
    const changes = difference && contentChanged;
    const words = changes ? this.t("not_saved_changes", { n: difference.edit_distance }) : this.t("not_saved");
    return draftKept ? `${words} · ${this.t(draftKept === "kept" ? "draft_kept" : "draft_here")}` : words;
  }

  #waiting() {
    const words = this.t("save_waiting", { seconds: this.review.seconds });
    return { kind: "bad", words, buttons: [["try_now", () => this.review.save()]] };
  }

  /** Somebody else was faster: what happened, what can be done, and that nothing is lost either way. */
  #renderConflict() {
    const { review, t } = this;
    this.conflict.hidden = review.phase !== "conflict";
    if (this.conflict.hidden || review.failure === this.told) return;
    this.told = review.failure;
    const theirs = wordButton("show_theirs", () => review.showTheirs(), { class: "vw-button primary" });
    const mine = wordButton("save_mine", () => review.saveMine());
    setText(theirs, t("show_theirs"));
    setText(mine, t("save_mine"));
    const words = h("div", {}, h("strong", { dir: "auto" }, this.#conflictWords()), t("conflict_hint"));
    this.conflict.replaceChildren(icon("warning"), words, theirs, mine);
  }

  #conflictWords() {
    const { review, t } = this;
    const { person, version, saved_at: time } = review.failure.details;
    const values = { person: person || t("somebody"), version, time: this.#time(time) };
    return t(version === undefined ? "conflict_review" : "conflict", values);
  }

  #savedWords() {
    const { version, savedAt } = this.review;
    if (savedAt) return this.t(version ? "saved_as" : "saved_at", { time: this.#time(savedAt), version });
    if (version) return this.t("version", { version });
    return this.t(this.review.saved.verdict === null ? "model_output" : "judged");
  }

  #time(value) {
    const date = new Date(value);
    if (Number.isNaN(date.getTime())) return String(value ?? "");
    return clockText(date, this.t("locale"));
  }

  relabel() {
    this.signature = null;
    this.told = null;
    this.render();
  }
}
