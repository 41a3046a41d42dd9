/** The quiet line above the verdict: the reward, why, and what is wrong with the label; all rewards in a sheet. */

import { h, icon, setText } from "./dom.mjs";
import { keyHint } from "./keymap.mjs";
import { failureText } from "./notice.mjs";

const SPEAK_MS = 1500;

/** Never rounded up to 1: only what is wholly right is 1. */
export function valueText(value) {
  if (Number.isInteger(value)) return String(value).replace("-", "−");
  return (Math.floor(value * 100) / 100).toFixed(2).replace("-", "−");
}

export class RewardLine {
  constructor({ editor, reward, review, t, prefix, signal }) {
    Object.assign(this, { editor, reward, review, t });
    const id = `${prefix}-rewards`;
    this.value = h("span", { class: "vw-reward-value" });
    this.button = h(
      "button",
      {
        type: "button",
        class: "vw-reward-open",
        "aria-expanded": "false",
        "aria-controls": id,
        onclick: () => this.toggle(),
      },
      this.value,
      icon("chevron"),
    );
    this.file = h("span", { class: "vw-reward-file" });
    this.reason = h("span", { class: "vw-reward-reason", dir: "auto" });
    this.problem = h("span", { class: "vw-reward-problem", hidden: true });
    this.mendButton = h("button", { type: "button", class: "vw-button small", hidden: true });
    this.mendButton.onclick = () => this.#mend();
    this.sheet = h("div", { class: "vw-rewards", id, role: "group", "data-title": "rewards_all", hidden: true });
    this.voice = h("span", { class: "vw-offscreen", role: "status" });
    this.element = h(
      "div",
      { class: "vw-reward", role: "group", "data-title": "reward_label" },
      this.button,
      this.file,
      this.reason,
      this.problem,
      this.mendButton,
      this.sheet,
      this.voice,
    );
    this.element.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("pointerdown", (event) => this.#outside(event), { signal });
  }

  destroy() {
    clearTimeout(this.speaking);
  }

  /** The button may be gone afterwards; the focus stays beside it. */
  #mend() {
    this.reward.mend();
    if (this.mendButton.hidden) this.button.focus();
  }

  // The sheet -------------------------------------------------------------------------------------------------------

  toggle(open = this.sheet.hidden) {
    this.sheet.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
    this.render();
    if (open) this.button.focus();
  }

  #key(event) {
    if (event.key !== "Escape" || this.sheet.hidden) return;
    event.preventDefault();
    event.stopPropagation();
    this.toggle(false);
    this.button.focus();
  }

  #outside(event) {
    if (!this.sheet.hidden && !this.element.contains(event.target)) this.toggle(false);
  }

  // Drawing ---------------------------------------------------------------------------------------------------------

  render() {
    const { reward } = this;
    const stale = reward.possible && !reward.fresh && reward.failure === null;
    this.element.classList.toggle("stale", stale);
    this.element.setAttribute("aria-busy", String(stale));
    this.button.disabled = reward.scored === null;
    if (reward.scored === null && !this.sheet.hidden) this.toggle(false);
    this.button.title = `${this.t("act_rewards")} (${keyHint("rewards")})`;
    setText(this.value, this.#headline());
    setText(this.reason, this.#why());
    this.reason.title = this.reason.textContent;
    this.#renderFile();
    this.#renderProblem();
    if (!this.sheet.hidden) this.#renderSheet();
    this.#speak(stale);
  }

  #headline() {
    const { reward, t } = this;
    if (!reward.possible) return t("reward_later");
    if (reward.scored === null) return reward.failure ? t("reward_none") : t("reward_asking");
    return this.#valued(reward.scored.reward);
  }

  #valued(value) {
    return value === null ? this.t("reward_none") : this.t("reward_of", { value: valueText(value) });
  }

  #why() {
    const { reward } = this;
    if (!reward.possible) return "";
    if (reward.failure) return failureText(this.t, reward.failure);
    if (reward.problem) return "";
    if (reward.scored?.reward === 1 && this.review.untouched) return this.t("reward_itself");
    return reward.scored?.reason ?? "";
  }

  /** The team's own function beside it: what training will see. */
  #renderFile() {
    const { reward, t } = this;
    const name = this.#fileName;
    this.file.hidden = !name;
    if (!name) return;
    const value = reward.file?.reward;
    const words = reward.fileFresh ? (value === null ? t("reward_no_value") : valueText(value)) : "…";
    setText(this.file, `${shortName(name)} ${words}`);
    this.file.title = this.#fileReason();
  }

  /** "" where there is none, and where there is no label that it could be asked about. */
  get #fileName() {
    const { reward } = this;
    const unasked = reward.fileFresh && reward.file === null;
    return reward.possible && !unasked ? (reward.scored?.file ?? "") : "";
  }

  #fileReason() {
    const { reward, t } = this;
    if (!reward.fileFresh) return t("reward_file_asked", { file: reward.scored.file });
    return reward.file.failure ? failureText(t, reward.file.failure) : reward.file.reason;
  }

  #renderProblem() {
    const { reward, t } = this;
    const problem = reward.possible && !reward.failure ? reward.problem : null;
    const mends = !!problem?.content && this.editor.canEdit;
    this.problem.hidden = !problem;
    this.mendButton.hidden = !mends;
    setText(this.mendButton, t("mend_key", { key: keyHint("mend") }));
    this.mendButton.title = problem ? t(`mend_${problem.code}`) : "";
    const words = problem ? [problem.message, mends ? "" : problem.hint].filter(Boolean).join(" ") : "";
    const signature = JSON.stringify([words]);
    if (signature === this.shownProblem) return;
    this.shownProblem = signature;
    this.problem.title = words;
    this.problem.replaceChildren(...(problem ? [icon("warning"), h("span", { dir: "auto" }, words)] : []));
  }

  #renderSheet() {
    const { reward, t } = this;
    const { scored } = reward;
    const rules = scored.rewards.flatMap((one) => this.#row(t(`reward_${one.name}`), one.reward, one.reason));
    const value = reward.fileFresh ? reward.file?.reward : "…";
    const file = this.#fileName ? this.#row(scored.file, value, this.#fileReason()) : [];
    const label = h("pre", { dir: "auto", tabindex: "0", "data-title": "reward_label_text" }, scored.reference);
    label.setAttribute("aria-label", t("reward_label_text"));
    this.sheet.replaceChildren(
      h("p", { class: "vw-subdued" }, t(`scored_as_${scored.scored_as}`)),
      h("dl", {}, rules, file),
      h("ul", {}, reward.problems.map((problem) => this.#problemRow(problem))),
      scored.reference && h("details", {}, h("summary", {}, t("reward_label_text")), label),
    );
  }

  #row(name, value, reason) {
    const words = value === null ? this.t("reward_no_value") : value === "…" ? value : valueText(value);
    return [h("dt", { dir: "auto" }, name), h("dd", {}, h("b", {}, words), h("span", { dir: "auto" }, reason))];
  }

  #problemRow(problem) {
    const { t } = this;
    const mends = problem.content && this.editor.canEdit;
    const button = h("button", { type: "button", class: "vw-button small" }, mends ? t(`mend_${problem.code}`) : "");
    button.onclick = () => (this.toggle(false), this.reward.mend(problem.code));
    return h(
      "li",
      { "data-code": problem.code },
      icon("warning"),
      h("span", { dir: "auto" }, problem.message, mends ? "" : ` ${problem.hint}`),
      mends && button,
    );
  }

  /** For the ear, once the hands are still: not at every key. */
  #speak(stale) {
    clearTimeout(this.speaking);
    const words = [this.value, this.reason, this.problem].map((part) => part.textContent).filter(Boolean).join(". ");
    if (stale || !this.reward.scored || words === this.spoken) return;
    this.speaking = setTimeout(() => {
      this.spoken = words;
      this.voice.textContent = words;
    }, SPEAK_MS);
  }

  relabel() {
    this.shownProblem = null;
    setText(this.voice, "");
    this.spoken = null;
    this.render();
  }
}

/** `team.py:compute_score` as `team.py`. */
const shortName = (name) => name.split(":")[0];
