// Contests that are under way, and what can be done with them.
import { make, setText } from "../page/dom.mjs";
import { explained } from "../viewer/api.mjs";
import { progressText } from "./told.mjs";

const ACTS = { waiting: ["pause", "cancel"], running: ["pause", "cancel"], paused: ["resume", "cancel"] };

export class Card {
  /** `act(contest, what)`; `may` is whether the person may do so. */
  constructor({ t, words, locale, may, act, contest }) {
    Object.assign(this, { t, words, locale, may });
    this.title = make("strong", { dir: "auto" });
    this.badge = make("span", { class: "wb-badge" });
    this.bar = make("progress", { max: 1, "aria-label": t("contest.progress") });
    this.line = make("p", { class: "wb-contest-line" });
    this.page = make("p", { class: "wb-contest-hint wb-contest-now", dir: "auto" });
    this.reason = make("p", { class: "wb-contest-line wb-wrong", dir: "auto" });
    this.buttons = Object.fromEntries(
      ["pause", "resume", "cancel"].map((what) => [what, make("button", { type: "button", class: "wb-turn", "data-act": what, textContent: t(`contest.${what}`), onclick: () => act(contest.contest, what) })]),
    );
    const head = make("header", {}, this.title, this.badge);
    this.element = make("article", { class: "wb-contest-card", "data-contest": contest.contest }, head, this.bar, this.line, this.page, this.reason, make("div", { class: "wb-contest-row" }, ...Object.values(this.buttons)));
    this.update(contest);
  }

  update(contest) {
    const { t } = this;
    this.element.dataset.state = contest.state;
    setText(this.title, t("contest.named", { n: contest.contest, data: dataName(contest.data, t), count: contest.competitors.length }));
    setText(this.badge, t(`contest.state.${contest.state}`));
    if (contest.total) this.bar.value = contest.done / contest.total;
    else if (contest.state === "running") this.bar.removeAttribute("value");
    else this.bar.value = 0;
    setText(this.line, progressText(contest, t, this.words, this.locale));
    setText(this.page, contest.state === "running" ? contest.page : "");
    setText(this.reason, explained(contest.reason));
    this.reason.hidden = !contest.reason;
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    for (const [what, button] of Object.entries(this.buttons)) button.hidden = !this.may || !ACTS[contest.state]?.includes(what);
    if (focused?.hidden) Object.values(this.buttons).find((button) => !button.hidden)?.focus();
  }
}

/** The name of a set of pages, in words. */
export function dataName(data, t) {
  if (data === "examples") return t("contest.data.examples");
  return data.startsWith("filter:") ? t("contest.data.filter", { name: data.slice("filter:".length) }) : data;
}
