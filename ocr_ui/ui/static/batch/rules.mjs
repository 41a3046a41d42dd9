// Rules for pages that are read with little confidence: rows of a form, as POST /v1/jobs takes them.
import { make } from "../page/dom.mjs";
import { measuredSentences } from "./told.mjs";

const KINDS = ["any", "line", "amount", "date", "number", "text"];
const BELOW = [0.99, 0.95, 0.9, 0.8, 0.7, 0.5];
const START = { kind: "any", below: 0.8, then: "review" };

export class Rules {
  /** @param measured gives the thresholds that were measured with a template */
  constructor({ t, language, measured }) {
    Object.assign(this, { t, language, measured, template: "" });
    this.engines = [];
    this.rows = make("div", { class: "wb-jobs-rules" });
    const add = make("button", { type: "button", class: "wb-turn", id: "jobs-rule-add", textContent: t("jobs.rule.add"), onclick: () => this.#add() });
    const about = make("p", { class: "wb-jobs-hint", textContent: t("jobs.rule.about") });
    const summary = make("summary", { textContent: t("jobs.rules") });
    this.found = make("ul", { class: "wb-jobs-hint", id: "jobs-rules-measured" });
    const ontoggle = () => this.#tell();
    this.element = make("details", { class: "wb-fold", id: "jobs-rules", ontoggle }, summary, about, this.found, this.rows, add);
  }

  /** @param {{name: string, title: string}[]} engines that may read a page again; template: that pages are read with */
  fill(engines, template) {
    Object.assign(this, { engines, template });
    this.#tell();
    for (const row of this.rows.children) this.#thens(row.querySelector("[name=then]"));
  }

  /** As the server takes them. */
  values() {
    return [...this.rows.children].map((row) => {
      const [kind, below, then] = ["kind", "below", "then"].map((name) => row.querySelector(`[name=${name}]`).value);
      const [action, keep, engine] = then.split(":");
      const { checked: measured } = row.querySelector("[name=measured]");
      return { kind, below: Number(below), then: action, measured, ...(engine ? { engine, keep } : {}) };
    });
  }

  /** What was measured with the template, while somebody looks at the rules. */
  async #tell() {
    const { template } = this;
    if (!template || !this.element.open) return;
    const thresholds = await this.measured(template).catch(() => []);
    if (template !== this.template) return;
    const sentences = thresholds.length ? measuredSentences(thresholds, this.t, this.language) : [this.t("jobs.rule.none_measured")];
    this.found.replaceChildren(...sentences.map((textContent) => make("li", { textContent })));
  }

  #add() {
    const { t } = this;
    const kind = this.#select("kind", KINDS.map((name) => [name, t(`jobs.rule.kind.${name}`)]), START.kind);
    const below = this.#select("below", BELOW.map((share) => [share, t("jobs.rule.below", { n: Math.round(share * 100) })]), START.below);
    const then = this.#select("then", [], "");
    this.#thens(then);
    const box = make("input", { type: "checkbox", name: "measured" });
    box.checked = true;
    const measured = make("label", { class: "wb-check" }, box, make("span", { textContent: t("jobs.rule.measured") }));
    const label = t("jobs.rule.remove");
    const gone = make("button", { type: "button", class: "wb-turn", "aria-label": label, title: label, textContent: "✕" });
    const row = make("div", { class: "wb-jobs-rule", role: "group", "aria-label": t("jobs.rule") }, kind, below, then, measured, gone);
    gone.onclick = () => row.remove();
    this.rows.append(row);
    kind.focus();
  }

  #thens(select) {
    const { t } = this;
    const again = this.engines.flatMap(({ name, title }) => [
      [`again:better:${name}`, t("jobs.rule.better", { engine: title })],
      [`again:both:${name}`, t("jobs.rule.both", { engine: title })],
    ]);
    const kept = select.value;
    const options = [["review", t("jobs.rule.review")], ...again];
    select.replaceChildren(...options.map(([value, textContent]) => make("option", { value, textContent })));
    select.value = options.some(([value]) => value === kept) ? kept : "review";
  }

  #select(name, pairs, value) {
    const options = pairs.map(([key, textContent]) => make("option", { value: key, textContent }));
    const select = make("select", { name, class: "wb-input", "aria-label": this.t(`jobs.rule.${name}`) }, ...options);
    select.value = value;
    return select;
  }
}
