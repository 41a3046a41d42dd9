/**
 * Two people's versions of one page, part by part: for each difference the first, the second or a text of one's own.
 * The picture shows the boxes of both.
 */

import { Picture } from "../compare/picture.mjs";
import { h, keySign, takesText } from "../viewer/dom.mjs";
import { actionOf } from "../viewer/keymap.mjs";
import { isComposing } from "../viewer/keys.mjs";

const PREFIX = "workbench.merge.";
const SIDES = { first: "left", second: "right" };
const SIGNS = { same: "=", text: "≠", kind: "≠", box: "▭", order: "⇅", first: "A", second: "B" };

export class Merge {
  /**
   * @param {Kept} parts.kept keeps what was chosen until the page is merged
   * @param {(ready: boolean) => void} parts.onchange every difference is decided, or not
   */
  constructor({ t, kept, onchange }) {
    Object.assign(this, { t, kept, onchange });
    this.picture = new Picture({ t: (key) => t(`merge.${key}`), onchoose: (index) => this.choose(index, true) });
    this.summary = h("p", { class: "wb-rv-summary", role: "status" });
    this.heads = h("div", { class: "wb-rv-merge-heads" });
    this.body = h("div", { class: "wb-rv-merge-body" });
    const list = h("div", { class: "wb-rv-merge-list" }, this.summary, this.heads, this.body);
    const attributes = { class: "wb-rv-merge wb-compare", onkeydown: (event) => this.#key(event), "aria-label": t("merge") };
    this.element = h("section", attributes, this.picture.element, list);
  }

  show(dispute) {
    this.dispute = dispute;
    this.chosen = null;
    this.choices = new Map();
    this.picture.show(dispute.picture, dispute.parts.map((part) => ({ ...part, state: part.state })));
    const names = [dispute.first.person, dispute.second.person].map((name) => name || this.t("somebody"));
    this.heads.replaceChildren(
      h("span"),
      ...names.map((name, n) => h("strong", {}, `${"AB"[n]} · `, h("bdi", {}, name))),
      h("strong", {}, this.t("merge.own")),
    );
    this.rows = dispute.parts.map((part, index) => this.#row(part, index, names));
    this.body.replaceChildren(...this.rows.map((row) => row.element));
    this.verdict = this.#verdict();
    if (this.verdict) this.body.append(this.verdict.element);
    this.#bringBack();
    this.#tell();
    this.#begin();
  }

  // What was chosen -----------------------------------------------------------------------------------------------

  /** Choices are about two versions: when one of them is another, so is what differs. */
  get #place() {
    return `${PREFIX}${this.dispute.second.id}.${this.dispute.version}`;
  }

  #keep() {
    const choices = [...this.choices].map(([index, take]) => [index, take, this.rows[index].own?.value ?? null]);
    this.kept.putValue(this.#place, choices);
  }

  #bringBack() {
    for (const [index, take, own] of this.kept.value(this.#place) ?? []) {
      const row = this.rows[index];
      if (own !== null && row?.own) row.own.value = own;
      this.#choose(index, take);
    }
  }

  /** The page is merged. */
  forget() {
    this.kept.drop(this.#place);
  }

  #row(part, index, names) {
    const { t } = this;
    const differs = part.state !== "same";
    const state = t(`merge.state.${part.state}`);
    const what = part.name || (part.kind === "line" ? "" : t(`merge.kind.${part.kind}`));
    const sign = h("span", { title: state, "aria-hidden": "true" }, SIGNS[part.state]);
    const head = h("div", { class: "wb-rv-what" }, sign, h("span", { class: "wb-cmp-offscreen" }, state), h("bdi", {}, what));
    const element = h("div", {
      class: "wb-rv-part",
      role: "group",
      tabindex: differs ? "-1" : null,
      "data-state": part.state,
      "aria-label": `${what || t("merge.kind.line")}: ${state}`,
      onclick: () => this.choose(index),
      onfocusin: () => this.choose(index),
    });
    if (!differs) {
      element.append(head, h("div", { class: "wb-rv-same", dir: "auto" }, textOf(part.left) ?? ""));
      return { element, part };
    }
    const buttons = Object.fromEntries(
      ["first", "second"].map((take, n) => {
        const attributes = {
          type: "button",
          class: `wb-rv-take ${SIDES[take]}`,
          "data-take": take,
          "aria-pressed": "false",
          title: t("merge.take", { person: names[n] }),
          onclick: () => this.take(index, take),
        };
        return [take, h("button", attributes, keySign(`merge_${take}`), h("span", {}, pieces(part[SIDES[take]], SIDES[take], t), kindOf(part, SIDES[take], t)))];
      }),
    );
    const field = part.own && this.#own(part, index);
    const own = field && h("div", { class: "wb-rv-mine" }, keySign("merge_own"), field);
    element.append(head, buttons.first, buttons.second, own || h("span"));
    return { element, part, buttons, own: field };
  }

  #own(part, index) {
    const start = textOf(part.left) ?? textOf(part.right) ?? "";
    const many = start.includes("\n");
    const field = h(many ? "textarea" : "input", {
      class: "wb-rv-own",
      type: many ? null : "text",
      rows: many ? String(Math.min(8, start.split("\n").length)) : null,
      dir: "auto",
      "aria-label": this.t("merge.own"),
      title: this.t("merge.own"),
      oninput: () => this.take(index, "own", false),
    });
    field.value = start;
    return field;
  }

  /** Where only the verdicts differ, or differ too, the page says which is right; the same page with both needs a choice. */
  #verdict() {
    const { first, second, parts } = this.dispute;
    if (first.verdict === second.verdict || parts.some((part) => part.state !== "same")) return null;
    const index = parts.length;
    const buttons = Object.fromEntries(
      ["first", "second"].map((take) => {
        const words = this.t(`verdict.${this.dispute[take].verdict ?? "none"}`);
        const attributes = {
          type: "button",
          class: `wb-rv-take ${SIDES[take]}`,
          "data-take": take,
          "aria-pressed": "false",
          onclick: () => this.take(index, take),
        };
        return [take, h("button", attributes, keySign(`merge_${take}`), words)];
      }),
    );
    const head = h("div", { class: "wb-rv-what" }, h("span", { "aria-hidden": "true" }, "≠"), this.t("merge.verdict"));
    const element = h(
      "div",
      { class: "wb-rv-part", role: "group", tabindex: "-1", "data-state": "text", onfocusin: () => this.choose(index) },
      head,
      buttons.first,
      buttons.second,
      h("span"),
    );
    const row = { element, buttons, part: { state: "text", verdict: true } };
    this.rows.push(row);
    return row;
  }

  get #open() {
    return this.rows.filter((row, index) => row.part.state !== "same" && !this.choices.has(index)).length;
  }

  get ready() {
    return this.#open === 0;
  }

  #tell() {
    const total = this.rows.filter((row) => row.part.state !== "same").length;
    this.summary.textContent = this.t(this.#open ? "merge.open" : "merge.ready", { n: this.#open, total });
    this.onchange(this.ready);
  }

  /** Decides a difference; `on` goes to the next one that is open. */
  take(index, take, on = true) {
    if (!this.#choose(index, take)) return;
    this.#keep();
    this.#tell();
    if (on) this.step(1);
  }

  #choose(index, take) {
    const row = this.rows[index];
    if (!row || row.part.state === "same" || (take === "own" && !row.own)) return false;
    this.choices.set(index, take);
    for (const [name, button] of Object.entries(row.buttons)) button.setAttribute("aria-pressed", String(name === take));
    row.own?.classList?.toggle("taken", take === "own");
    row.element.dataset.taken = take;
    return true;
  }

  choose(index, focus = false) {
    if (this.chosen !== index) {
      this.rows[this.chosen]?.element.removeAttribute("aria-current");
      this.chosen = index;
      this.rows[index].element.setAttribute("aria-current", "true");
      this.picture.choose(index);
    }
    if (focus) {
      this.rows[index].element.focus({ preventScroll: true });
      this.rows[index].element.scrollIntoView({ block: "nearest" });
    }
  }

  /** Numbers of the rows that differ. */
  get #places() {
    return this.rows.flatMap((row, index) => (row.part.state === "same" ? [] : [index]));
  }

  /** At the first difference that is not decided yet. */
  #begin() {
    const places = this.#places;
    if (places.length) this.choose(places.find((index) => !this.choices.has(index)) ?? places[0], true);
  }

  step(by) {
    const places = this.#places;
    if (!places.length) return;
    this.choose(places[places.indexOf(this.chosen) + by] ?? (by > 0 ? places.at(-1) : places[0]), true);
  }

  /** What POST /v1/items/{id}/resolution takes, without person and key. */
  get answer() {
    const { second, version, parts } = this.dispute;
    const choices = [...this.choices]
      .filter(([index]) => index < parts.length)
      .map(([part, take]) => ({ part, take, text: take === "own" ? this.rows[part].own.value : "" }));
    const verdict = this.verdict && this.dispute[this.choices.get(this.rows.indexOf(this.verdict))]?.verdict;
    return { second_id: second.id, base_version: version, choices, verdict: verdict ?? null };
  }

  #key(event) {
    if (isComposing(event) || event.defaultPrevented) return;
    if (takesText(event.target)) return this.#typing(event);
    const action = actionOf(event, "merge");
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    if (action === "merge_next" || action === "merge_previous") return this.step(action === "merge_next" ? 1 : -1);
    const take = action.replace("merge_", "");
    if (take !== "own") return this.take(this.chosen, take);
    const { own } = this.rows[this.chosen] ?? {};
    if (!own) return;
    own.focus();
    own.select();
  }

  /** Enter takes what was typed and goes on; Escape goes back to the row. */
  #typing(event) {
    if (event.key !== "Escape" && (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") this.take(this.chosen, "own");
    else this.choose(this.chosen, true);
  }
}

const textOf = (side) => side?.map(([text]) => text).join("") ?? null;

/** The type of a field's value, where the two say another one. */
function kindOf(part, side, t) {
  const { left_kind: left, right_kind: right } = part;
  return left && right && left !== right ? h("small", {}, ` (${t(`field_kind_${part[`${side}_kind`]}`)})`) : "";
}

function pieces(side, name, t) {
  if (side === null) return h("span", { class: "wb-cmp-none" }, t("merge.missing"));
  if (!textOf(side)) return h("span", { class: "wb-cmp-none" }, t("merge.empty"));
  return h("span", { dir: "auto" }, side.map(([text, differs]) => (differs ? h("mark", { class: name }, text) : text)));
}
