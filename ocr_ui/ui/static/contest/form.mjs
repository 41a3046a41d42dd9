// What a contest is held on: pages, competitors, and how texts are compared.
import { make } from "../page/dom.mjs";
import { explained } from "../viewer/api.mjs";
import { groupValue, normalizeList } from "./told.mjs";

const FOLDER = "folder:";
const FORMS = ["", "NFC", "NFKC"];
const EQUAL = ["width", "case", "spaces", "no_spaces", "punctuation"];
const MOST = 26;

/** `values()` is the body of POST /v1/contests; `look()` asks what can be chosen now. */
export class Form {
  constructor({ t, api, language, onchange }) {
    Object.assign(this, { t, api, language, onchange });
    this.mayNameFolders = true;
    this.templates = [];
    this.engines = [];
    this.versions = new Map();
    this.pairs = [];
    this.dropped = new Set();
    this.fit = {};
    this.data = make("select", { id: "contest-data", class: "wb-input", onchange: () => this.#dataChosen() });
    this.folder = make("input", { id: "contest-folder", type: "text", class: "wb-input", placeholder: "/data/labels", onchange: () => this.#dataChosen() });
    this.folderField = this.#labelled(t("contest.folder"), this.folder, t("contest.folder.help"));
    this.about = make("p", { class: "wb-contest-hint wb-contest-set", role: "status", dir: "auto" });
    this.templateList = make("div", { class: "wb-contest-choices" });
    this.engineList = make("div", { class: "wb-contest-choices" });
    this.competitors = make("ol", { class: "wb-contest-competitors" });
    this.cannot = make("p", { class: "wb-contest-hint", role: "status", dir: "auto" });
    this.element = make(
      "div",
      { class: "wb-contest-form" },
      this.#labelled(t("contest.data"), this.data),
      this.folderField,
      this.about,
      this.#group("contest.templates", this.templateList),
      this.#group("contest.engines", this.engineList),
      this.#group("contest.competitors", this.competitors),
      this.cannot,
      this.#normalization(),
      this.#more(),
    );
  }

  #group(key, ...children) {
    const legend = make("legend", { textContent: this.t(key) });
    return make("fieldset", { class: "wb-contest-group" }, legend, ...children);
  }

  #labelled(title, field, help = "") {
    const label = make("label", { for: field.id, textContent: title });
    return make("div", { class: "wb-field" }, label, field, help ? make("small", { textContent: help }) : null);
  }

  #check(attributes, text, small = "") {
    const box = make("input", { type: "checkbox", ...attributes });
    const said = make("span", { dir: "auto" }, make("span", { textContent: text }), small ? make("small", { textContent: ` ${small}` }) : null);
    return make("label", { class: "wb-check" }, box, said);
  }

  #normalization() {
    const { t } = this;
    const options = FORMS.map((form) => make("option", { value: form, textContent: form || t("contest.form.none") }));
    this.form = make("select", { id: "contest-form", class: "wb-input" }, ...options);
    this.form.value = "NFKC";
    this.equal = EQUAL.map((name) => this.#check({ name, id: `contest-equal-${name}` }, t(`contest.make.${name}`)));
    this.equal[EQUAL.indexOf("spaces")].querySelector("input").checked = true;
    const summary = make("summary", { textContent: t("contest.normalization") });
    const about = make("p", { class: "wb-contest-hint", textContent: t("contest.normalization.about") });
    return make("details", { class: "wb-fold", id: "contest-normalization" }, summary, about, this.#labelled(t("contest.form"), this.form), ...this.equal);
  }

  #more() {
    const { t } = this;
    this.atOnce = make("input", { id: "contest-at-once", type: "number", min: "1", max: "64", value: "1", class: "wb-input" });
    const fresh = this.#check({ id: "contest-fresh" }, t("contest.fresh"));
    this.fresh = fresh.querySelector("input");
    const summary = make("summary", { textContent: t("contest.more") });
    const help = t("contest.at_once.help");
    return make("details", { class: "wb-fold" }, summary, this.#labelled(t("contest.at_once"), this.atOnce, help), fresh, make("p", { class: "wb-contest-hint", textContent: t("contest.fresh.help") }));
  }

  // What there is

  async look() {
    const [{ templates }, { engines }, { versions }, { filters }] = await Promise.all(
      ["/v1/templates", "/v1/engines", "/v1/versions", "/v1/saved-filters"].map((path) => this.api.get(path)),
    );
    const first = !this.templates.length;
    this.templates = templates;
    this.engines = engines;
    this.#fillData(versions, filters ?? []);
    this.#fillLists(first);
    if (first) await this.#dataChosen();
  }

  #fillData(versions, filters) {
    const { t } = this;
    const option = (value, textContent) => make("option", { value, textContent });
    const group = (key, options) => (options.length ? [make("optgroup", { label: t(key) }, ...options)] : []);
    const kept = this.data.value || "examples";
    this.data.replaceChildren(
      option("examples", t("contest.data.examples")),
      ...group("contest.data.versions", versions.map(({ name }) => option(name, name))),
      ...group("contest.data.filters", filters.map(({ name }) => option(`filter:${name}`, name))),
      ...(this.mayNameFolders ? [option(FOLDER, t("contest.data.folder"))] : []),
    );
    this.data.value = kept;
    if (!this.data.value) this.data.value = "examples";
    this.folderField.hidden = this.data.value !== FOLDER;
  }

  #fillLists(first) {
    const chosen = (list, otherwise) => (first ? otherwise : this.#chosen(list));
    const templates = chosen(this.templateList, ["full_text"]);
    const engines = chosen(this.engineList, this.engines.slice(0, 1).map(({ name }) => name));
    const box = (kind, name, title, small, checked) => {
      const label = this.#check({ value: name, id: `contest-${kind}-${name}`, checked: checked ? true : null, onchange: () => this.#pair() }, title, small);
      label.querySelector("input").checked = checked;
      return label;
    };
    this.templateList.replaceChildren(
      ...this.templates.map(({ name, title }) => box("template", name, title[this.language] || name, "", templates.includes(name))),
    );
    this.engineList.replaceChildren(
      ...this.engines.map(({ name, kind }) => box("engine", name, name, kind === name ? "" : kind, engines.includes(name))),
    );
    this.#showFit();
    this.#pair();
  }

  #chosen(list) {
    return [...list.querySelectorAll("input:checked")].map(({ value }) => value);
  }

  // The pages

  get dataName() {
    return this.data.value === FOLDER ? this.folder.value.trim() : this.data.value;
  }

  async #dataChosen() {
    const { t } = this;
    this.folderField.hidden = this.data.value !== FOLDER;
    const name = this.dataName;
    this.fit = {};
    this.setProblem = "";
    this.#showFit();
    if (!name) {
      this.about.textContent = "";
      return this.onchange();
    }
    this.about.classList.remove("wb-wrong");
    this.about.textContent = t("contest.looking");
    try {
      const found = await this.api.get(`/v1/labelled-set?data=${encodeURIComponent(name)}`);
      if (name !== this.dataName) return undefined;
      this.fit = found.templates;
      this.pages = found.pages;
      this.about.textContent = this.#aboutSet(found);
    } catch (failure) {
      if (name !== this.dataName) return undefined;
      this.setProblem = explained(failure);
      this.about.classList.add("wb-wrong");
      this.about.textContent = this.setProblem;
    }
    this.#showFit();
    return this.#pair();
  }

  #aboutSet({ pages, left_out_count: left, groups, facts }) {
    const { t } = this;
    const count = (value) => value.toLocaleString(this.language);
    const parts = [t("contest.set.pages", { n: count(pages) })];
    if (left) parts.push(t("contest.set.left_out", { n: count(left) }));
    if (facts) parts.push(t("contest.set.facts", { n: count(facts) }));
    for (const name of ["language", "kind", "tag"]) {
      const all = Object.entries(groups[name]);
      const some = all.slice(0, 4).map(([value, n]) => `${groupValue(name, value, t)} ${count(n)}`);
      if (all.length > 4) some.push("…");
      if (some.length) parts.push(t("contest.set.group", { name: t(`contest.group.${name}`), values: some.join(t("contest.comma")) }));
    }
    return parts.join(" · ");
  }

  /** Beside each template of how many pages something is known that its answer is compared with. */
  #showFit() {
    const known = Object.keys(this.fit).length > 0;
    for (const label of this.templateList.children) {
      const box = label.querySelector("input");
      const fits = this.fit[box.value];
      label.querySelector("small")?.remove();
      label.classList.toggle("wb-contest-unfit", known && !fits);
      const said = fits ? this.t("contest.fits", { n: fits, all: this.pages }) : this.t("contest.fits.none");
      if (known) label.lastChild.append(make("small", { textContent: ` ${said}` }));
    }
  }

  // Who competes

  /** Every chosen template with every chosen engine that can do it. */
  #pair() {
    const templates = this.#chosen(this.templateList);
    const engines = this.#chosen(this.engineList);
    const able = (template, engine) => this.templates.find(({ name }) => name === template)?.engines.includes(engine);
    const wanted = engines.flatMap((engine) => templates.map((template) => ({ template, engine })));
    const here = ({ template, engine }) => templates.includes(template) && engines.includes(engine);
    const id = ({ template, engine }) => `${template} ${engine}`;
    this.dropped = new Set([...this.dropped].filter((one) => wanted.some((pair) => id(pair) === one)));
    const kept = this.pairs.filter(here);
    const fresh = wanted.filter((pair) => able(pair.template, pair.engine) && !this.dropped.has(id(pair)) && !kept.some((one) => id(one) === id(pair)));
    this.pairs = [...kept, ...fresh.map((pair) => ({ ...pair, version: "" }))];
    this.unable = wanted.filter((pair) => !able(pair.template, pair.engine));
    this.#showPairs();
  }

  #showPairs() {
    this.competitors.replaceChildren(...this.pairs.map((pair, index) => this.#row(pair, index)));
    this.onchange();
  }

  #row(pair, index) {
    const { t } = this;
    const letter = String.fromCharCode(65 + index);
    const title = this.#titleOf(pair.template);
    const name = make("span", { class: "wb-contest-name", dir: "auto" }, make("strong", { textContent: letter }), ` ${title} · ${pair.engine}`);
    const version = make("select", {
      class: "wb-input",
      "aria-label": t("contest.version.of", { letter }),
      onchange: () => (pair.version = version.value),
    });
    this.#fillVersions(pair, version);
    const act = (key, sign, onclick) =>
      make("button", { type: "button", class: "wb-turn", title: t(key), "aria-label": t(`${key}.of`, { letter }), textContent: sign, onclick });
    const again = act("contest.double", "+", () => {
      this.pairs.splice(index + 1, 0, { ...pair });
      this.#showPairs();
      this.competitors.children[index + 1].querySelector("select").focus();
    });
    const gone = act("contest.drop", "✕", () => {
      this.pairs.splice(index, 1);
      if (!this.pairs.some(({ template, engine }) => template === pair.template && engine === pair.engine)) this.dropped.add(`${pair.template} ${pair.engine}`);
      this.#showPairs();
      (this.competitors.children[Math.min(index, this.pairs.length - 1)]?.querySelector("button") ?? this.templateList.querySelector("input"))?.focus();
    });
    return make("li", {}, name, version, again, gone);
  }

  #titleOf(name) {
    return this.templates.find((one) => one.name === name)?.title[this.language] || name;
  }

  async #fillVersions(pair, select) {
    const { t } = this;
    const current = make("option", { value: "", textContent: t("contest.version.current") });
    select.replaceChildren(current);
    let known = this.versions.get(pair.template);
    if (!known) {
      known = this.api.get(`/v1/templates/${encodeURIComponent(pair.template)}`).then(({ versions = [] }) => versions);
      this.versions.set(pair.template, known);
    }
    const versions = await known.catch(() => {
      this.versions.delete(pair.template);
      return [];
    });
    const told = ({ version, number, note, builtin }) =>
      [builtin ? t("contest.version.builtin") : t("contest.version.number", { n: number ?? version }), note].filter(Boolean).join(": ");
    const others = versions.filter((one) => !one.current);
    select.append(...others.map((one) => make("option", { value: one.version, textContent: told(one) })));
    select.value = pair.version;
    select.hidden = !others.length;
  }

  /** The examples with two templates: what shows how it works. */
  chooseExamples() {
    this.data.value = "examples";
    for (const box of this.templateList.querySelectorAll("input")) box.checked = ["full_text", "full_text_plain"].includes(box.value);
    return this.#dataChosen();
  }

  /** Versions may have been added. */
  forget() {
    this.versions.clear();
  }

  /** Why nothing can be begun; "" where it can. */
  get problem() {
    const { t } = this;
    if (this.setProblem) return this.setProblem;
    if (!this.dataName) return t("contest.problem.folder");
    if (!this.pairs.length) return t("contest.problem.nobody");
    if (this.pairs.length > MOST) return t("contest.problem.many", { n: MOST });
    const unfit = Object.keys(this.fit).length ? this.pairs.find(({ template }) => !this.fit[template]) : null;
    if (unfit) return t("contest.problem.unfit", { template: this.#titleOf(unfit.template) });
    return "";
  }

  showProblem() {
    const left = this.unable?.map(({ template, engine }) => `${this.#titleOf(template)} · ${engine}`) ?? [];
    const told = left.length ? this.t("contest.unable", { names: left.join(this.t("contest.comma")) }) : "";
    const problem = this.setProblem ? "" : this.problem;
    this.cannot.classList.toggle("wb-wrong", Boolean(problem));
    this.cannot.textContent = problem || told;
  }

  values() {
    const equal = this.equal.map((label) => label.querySelector("input")).filter(({ checked }) => checked);
    return {
      data: this.dataName,
      competitors: this.pairs.map(({ template, version, engine }) => ({ template, version, engine })),
      normalize: normalizeList(this.form.value, equal.map(({ name }) => name)),
      at_once: Math.min(64, Math.max(1, Number(this.atOnce.value) || 1)),
      fresh: this.fresh.checked,
    };
  }
}
