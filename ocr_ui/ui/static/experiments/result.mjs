/** What came of an experiment: both arms in numbers with their intervals, and what may be chance. */

import { make } from "../page/dom.mjs";
import { shortMomentText } from "../page/moments.mjs";

export const percent = (share) => `${Math.round(share * 1000) / 10} %`;

/** A value with its interval, in percent; a dash where there is none. */
export function withInterval(value, low, high) {
  return value === null || value === undefined ? "–" : `${percent(value)} (${percent(low)} – ${percent(high)})`;
}

/** In points of percent, with a sign. */
export function points(value) {
  const rounded = Math.round(value * 1000) / 10;
  return `${rounded > 0 ? "+" : ""}${rounded === 0 ? 0 : rounded}`;
}

export class Result {
  /** `onshare(share)` 0 to 1; `onback()`: all to A again; `onjudge()`: blind comparisons. */
  constructor({ t, onshare, onback, onjudge }) {
    Object.assign(this, { t, onshare, onback, onjudge });
    this.title = make("h2", { dir: "auto" });
    this.about = make("p", { class: "wb-exp-note" });
    this.stale = make("p", { class: "wb-exp-stale", role: "status", hidden: true });
    this.share = make("input", { type: "number", id: "experiments-new-share", class: "wb-input", min: 0, max: 100, step: 0.1, required: true });
    const button = (name, onclick, more = "") =>
      make("button", { type: "button", id: `experiments-${name}`, class: `wb-cmp-button ${more}`, textContent: t(name), title: t(`${name}.title`), onclick });
    this.judge = button("judge", onjudge);
    this.change = make(
      "span",
      { class: "wb-exp-change" },
      make("label", { for: this.share.id, textContent: t("share") }),
      this.share,
      button("set_share", () => this.share.reportValidity() && onshare(Number(this.share.value) / 100)),
    );
    this.back = button("roll_back", onback, "danger");
    this.body = make("div", { class: "wb-exp-numbers" });
    this.element = make(
      "section",
      { class: "wb-exp-result", hidden: true },
      this.title,
      this.about,
      this.stale,
      make("div", { class: "wb-exp-acts" }, this.judge, this.change, this.back),
      this.body,
    );
  }

  hide() {
    this.element.hidden = true;
  }

  show(experiment, { may, mayJudge, title, titleOf }) {
    const { t } = this;
    this.element.hidden = false;
    this.title.textContent = title;
    const someone = (name) => name || t("nobody");
    this.about.textContent = [
      t("since", { day: shortMomentText(experiment.created_at), person: someone(experiment.person) }),
      experiment.running
        ? t("share_now", { share: percent(experiment.share) })
        : t("until", { day: shortMomentText(experiment.ended_at), person: someone(experiment.ended_by) }),
    ].join(" ");
    const wrong = experiment.stale ? "stale" : experiment.gone ? "gone" : "";
    this.stale.hidden = !wrong;
    this.stale.textContent = wrong && t(wrong);
    this.judge.hidden = !mayJudge;
    this.change.hidden = this.back.hidden = !(may && experiment.running);
    // Somebody may be typing there.
    if (document.activeElement !== this.share) this.share.value = String(Math.round(experiment.share * 1000) / 10);
    this.body.replaceChildren(this.#table(experiment, titleOf), ...this.#sentences(experiment));
  }

  #table({ arms, result }, titleOf) {
    const { t } = this;
    const versions = arms.A.template === arms.B.template && arms.A.version !== arms.B.version;
    const head = (letter) => {
      const { template, version, engine } = arms[letter];
      const words = [titleOf(template), versions ? `@${version.slice(0, 6)}` : "", engine || (letter === "A" ? t("any_engine") : t("same_engine"))];
      return make("th", { scope: "col", "data-arm": letter }, make("span", { class: "wb-exp-letter", textContent: letter }), make("span", { textContent: words.filter(Boolean).join(" · ") }));
    };
    const sides = ["A", "B"].map((letter) => result.arms[letter]);
    const row = (name, shown) =>
      make("tr", {}, make("th", { scope: "row", textContent: t(name), title: t(`${name}.title`) }), ...sides.map((side) => make("td", { textContent: shown(side) })));
    return make(
      "table",
      {},
      make("thead", {}, make("tr", {}, make("td"), head("A"), head("B"))),
      make(
        "tbody",
        {},
        row("pictures", ({ pictures }) => String(pictures)),
        row("judged_pictures", ({ judged, accepted }) => t("judged_of", { judged, accepted })),
        row("wrong", ({ wrong }) => withInterval(wrong.value, wrong.low, wrong.high)),
        row("cer", ({ cer }) => (Array.isArray(cer) ? withInterval(...cer) : "–")),
      ),
    );
  }

  #sentences({ result, fewest }) {
    const { t } = this;
    const apart = (name, found) => {
      const said = found
        ? t(`said.${found.verdict}`, { difference: points(found.difference), low: points(found.low), high: points(found.high), fewest })
        : t("said.none");
      return make("p", { class: "wb-exp-said", "data-verdict": found?.verdict ?? "none" }, make("strong", { textContent: t(name) }), ` ${said}`);
    };
    return [apart("wrong", result.wrong), apart("cer", result.cer), this.#blind(result.blind, fewest)];
  }

  #blind({ better, worse, tie, both_bad: bad, people, verdict }, fewest) {
    const { t } = this;
    const counts = t("blind_counts", { b: better.count, a: worse, tie, bad, people });
    const share = better.of ? withInterval(better.value, better.low, better.high) : "";
    const said = better.of ? t(`blind_said.${verdict}`, { share, fewest }) : t("blind_none");
    return make("p", { class: "wb-exp-said", "data-verdict": better.of ? verdict : "none" }, make("strong", { textContent: t("blind") }), ` ${counts} ${said}`);
  }
}
