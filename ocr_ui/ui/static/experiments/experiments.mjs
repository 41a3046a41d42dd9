/**
 * Experiments in daily use: the form that starts one, the list, what came of each, and the blind comparison, all asked
 * of /v1/experiments.
 */

import { make, say } from "../page/dom.mjs";
import { mountPart, partOf, watchSight } from "../page/part.mjs";
import { personOf } from "../page/person.mjs";
import { Blind } from "../samples/blind.mjs";
import { optionsOf } from "../tries/options.mjs";
import { explained } from "../viewer/api.mjs";
import { percent, Result } from "./result.mjs";

const LATER_MS = 10_000;
const PATHS = {
  next: (id) => `/v1/experiments/${id}/pair`,
  judge: (token) => `/v1/experiment-pairs/${token}`,
};

export function mount({ element, props }) {
  const sheets = ["../compare/compare.css", "../samples/samples.css", "experiments.css"];
  const made = () => new Experiments({ root: element.querySelector(".wb-exp"), props });
  return mountPart(element, import.meta.url, sheets, made);
}

class Experiments {
  constructor({ root, props }) {
    Object.assign(this, partOf(props, "experiments."));
    this.sampled = (key, values) => say(this.words, `samples.${key}`, values);
    this.id = null;
    this.#build(root);
    this.seen = watchSight(root, (visible) => {
      this.visible = visible;
      if (visible) this.#look();
    });
  }

  destroy() {
    this.seen.disconnect();
    clearTimeout(this.timer);
  }

  #build(root) {
    const { t } = this;
    this.told = make("p", { class: "wb-exp-told", role: "status", dir: "auto" });
    this.form = this.#form();
    this.list = make("div", { class: "wb-exp-list" });
    this.empty = make("p", { class: "wb-empty", textContent: t("empty") });
    this.result = new Result({
      t,
      onshare: (share) => this.#change("patch", {}, { share }),
      onback: () => this.#change("post", { path: "/roll-back" }, { person: personOf() }),
      onjudge: () => this.#judge(),
    });
    this.picture = make("img", { class: "wb-exp-picture", alt: t("picture") });
    this.blind = new Blind({
      t: this.sampled,
      api: this.api,
      person: personOf,
      paths: PATHS,
      onpair: ({ picture }) => Object.assign(this.picture, { src: picture.url, alt: picture.name }),
      onend: (judged) => this.#judged(judged),
    });
    this.judging = make(
      "div",
      { class: "wb-exp-judging", hidden: true, onkeydown: (event) => this.#key(event) },
      make("p", { class: "wb-exp-note", textContent: t("blind_how") }),
      make("div", { class: "wb-exp-both" }, this.picture, this.blind.element),
    );
    const side = make("div", { class: "wb-exp-side" }, this.form, make("h2", { textContent: t("all") }), this.list, this.empty);
    root.replaceChildren(side, make("div", { class: "wb-exp-main" }, this.told, this.result.element, this.judging));
  }

  #form() {
    const { t } = this;
    const select = (name) => make("select", { id: `experiments-${name}`, class: "wb-input", onchange: () => this.#fits() });
    this.fields = {
      template: select("template"),
      engine: select("engine"),
      other_template: select("other_template"),
      other_engine: select("other_engine"),
      share: make("input", { id: "experiments-share", type: "number", class: "wb-input", min: 0, max: 100, step: 0.1, required: true, value: "10" }),
      name: make("input", { id: "experiments-name", type: "text", class: "wb-input", maxlength: 200 }),
    };
    const labelled = (name) =>
      make("div", { class: "wb-exp-field" }, make("label", { for: this.fields[name].id, textContent: t(name) }), this.fields[name]);
    const group = (letter, title, ...names) =>
      make("fieldset", { "data-arm": letter }, make("legend", {}, make("span", { class: "wb-exp-letter", textContent: letter }), title), ...names.map(labelled));
    this.start = make("button", { type: "submit", id: "experiments-start", class: "wb-cmp-button primary", textContent: t("start"), title: t("start.title") });
    this.formTold = make("p", { class: "wb-exp-told", role: "status", dir: "auto" });
    return make(
      "form",
      { class: "wb-exp-form", onsubmit: (event) => this.#begin(event) },
      make("h2", { textContent: t("new") }),
      make("p", { class: "wb-exp-note", textContent: t("about") }),
      group("A", t("a"), "template", "engine"),
      group("B", t("b"), "other_template", "other_engine"),
      labelled("share"),
      labelled("name"),
      this.start,
      this.formTold,
    );
  }

  // Looking -----------------------------------------------------------------------------------------------------------

  async #look() {
    clearTimeout(this.timer);
    try {
      const [{ templates }, { engines }, { experiments }, me] = await Promise.all([
        this.api.get("/v1/templates"),
        this.api.get("/v1/engines"),
        this.api.get("/v1/experiments"),
        this.api.get("/v1/me"),
      ]);
      Object.assign(this, { templates, engines, experiments });
      Object.assign(this, { may: me.actions.includes("admin"), mayJudge: me.actions.includes("annotate") });
      if (this.lost) this.#tell("");
      this.lost = false;
      this.#fill();
      await this.#open(this.id ?? experiments[0]?.id ?? null);
    } catch (failure) {
      this.lost = true;
      this.#tell(explained(failure), true);
    }
    if (this.visible) this.timer = setTimeout(() => this.#look(), LATER_MS);
  }

  #fill() {
    const { t, fields } = this;
    const titles = this.templates.map(({ name, title }) => [name, title[this.language] ?? name]);
    optionsOf(fields.template, titles);
    optionsOf(fields.engine, [["", t("any_engine")], ...this.engines.map(({ name }) => [name, name])]);
    optionsOf(fields.other_engine, [["", t("same_engine")], ...this.engines.map(({ name }) => [name, name])]);
    this.#fits();
    this.form.hidden = !this.may;
    this.empty.textContent = t(this.may ? "empty" : "empty_here");
    this.empty.hidden = this.experiments.length > 0;
    this.#rows();
  }

  /** B is another version of the same template, or one of the same task. */
  async #fits() {
    const { t, fields, templates } = this;
    const chosen = templates.find(({ name }) => name === fields.template.value);
    if (!chosen) return;
    const same = templates.filter(({ name, task }) => task === chosen.task && name !== chosen.name);
    const others = same.map(({ name, title }) => [name, title[this.language] ?? name]);
    optionsOf(fields.other_template, [["", t("same_template")], ...others]);
    if (this.versionsOf === chosen.name) return this.#versions(others);
    this.versionsOf = chosen.name;
    this.known = [];
    this.known = await this.api.get(`/v1/templates/${encodeURIComponent(chosen.name)}`).then(({ versions }) => versions, () => []);
    if (this.versionsOf === chosen.name) this.#versions(others);
    return undefined;
  }

  #versions(others) {
    const name = this.versionsOf;
    const older = this.known
      .filter(({ current }) => !current)
      .map(({ version, number, builtin, note }) => [
        `${name}@${version}`,
        [builtin ? this.t("builtin") : this.t("version_n", { number }), note].filter(Boolean).join(": "),
      ]);
    optionsOf(this.fields.other_template, [["", this.t("same_template")], ...older, ...others]);
  }

  #rows() {
    // Made anew only where something is another: a row keeps the focus.
    const shown = JSON.stringify(this.experiments.map((one) => [one.id, one.name || this.#what(one), one.running, one.share]));
    if (shown === this.listed) return;
    this.listed = shown;
    this.list.replaceChildren(
      ...this.experiments.map((one) =>
        make(
          "button",
          { type: "button", class: "wb-exp-row", "aria-current": String(one.id === this.id), "data-id": one.id, onclick: () => this.#choose(one.id) },
          make("strong", { textContent: one.name || this.#what(one), dir: "auto" }),
          make("small", { textContent: one.running ? this.t("runs", { share: percent(one.share) }) : this.t("ended") }),
        ),
      ),
    );
  }

  #titleOf(template) {
    return this.templates.find(({ name }) => name === template)?.title[this.language] ?? template;
  }

  #what({ arms: { A, B } }) {
    const engine = B.engine || A.engine;
    return A.template === B.template && A.version === B.version ? `${this.#titleOf(A.template)}: ${engine}` : `${this.#titleOf(A.template)} / ${this.#titleOf(B.template)}`;
  }

  async #choose(id) {
    this.judging.hidden = true;
    this.blind.hide();
    this.#tell("");
    try {
      await this.#open(id);
    } catch (failure) {
      this.#tell(explained(failure), true);
    }
  }

  async #open(id) {
    if (id === null) return this.result.hide();
    const shown = await this.api.get(`/v1/experiments/${id}`);
    this.id = id;
    for (const row of this.list.children) row.setAttribute("aria-current", String(Number(row.dataset.id) === id));
    if (this.judging.hidden) this.result.show(shown, { may: this.may, mayJudge: this.mayJudge, title: shown.name || this.#what(shown), titleOf: (name) => this.#titleOf(name) });
    return undefined;
  }

  // Changing ----------------------------------------------------------------------------------------------------------

  async #begin(event) {
    event.preventDefault();
    const { fields } = this;
    const body = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value.trim()]));
    this.start.disabled = true;
    try {
      const made = await this.api.post("/v1/experiments", { ...body, share: Number(fields.share.value) / 100, person: personOf() });
      this.id = made.id;
      fields.name.value = "";
      this.#tell("", false, this.formTold);
      await this.#look();
    } catch (failure) {
      this.#tell(explained(failure), true, this.formTold);
    }
    this.start.disabled = false;
  }

  async #change(method, { path = "" }, body) {
    this.#tell("");
    try {
      await this.api[method](`/v1/experiments/${this.id}${path}`, body);
      await this.#look();
    } catch (failure) {
      this.#tell(explained(failure), true);
    }
  }

  async #judge() {
    this.#tell("");
    this.result.hide();
    this.judging.hidden = false;
    await this.blind.begin(this.id);
  }

  #judged(judged) {
    this.judging.hidden = true;
    const count = { A: 0, B: 0 };
    for (const { choice, left, right } of judged) if (choice in { left, right }) count[{ left, right }[choice]] += 1;
    const { length: n } = judged;
    this.#look().then(() => {
      this.#tell(n ? this.t("judged", { n, a: count.A, b: count.B }) : this.t("no_pairs"));
      this.result.judge.focus();
    });
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const does = this.blind.shown && this.blind.key(event.key.length === 1 ? event.key.toLowerCase() : event.key, event.repeat);
    if (!does) return;
    event.preventDefault();
    event.stopPropagation();
    does();
  }

  #tell(words, wrong = false, place = this.told) {
    place.textContent = words;
    place.classList.toggle("wb-wrong", wrong);
  }
}
