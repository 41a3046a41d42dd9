/** One way to read: template with version and variables, engine, sampling. */

import { make } from "../page/dom.mjs";
import { WordingField } from "../prompts/wordingfield.mjs";
import { optionsOf } from "./options.mjs";

const NUMBERS = [
  ["temperature", 0, 2, 0.1],
  ["top_p", 0.05, 1, 0.05],
  ["repetition_penalty", 1, 2, 0.01],
  ["max_tokens", 1, 100000, 1],
];

export class Way {
  /**
   * @param {object} parts t, language
   * @param {(name: string) => Promise<object[]>} parts.versions of a template, the newest first
   * @param {() => void} parts.onchange
   * @param {(way: Way) => void} parts.onremove
   */
  constructor({ t, language, letter, versions, onchange, onremove }) {
    Object.assign(this, { t, language, versions, onchange, templates: [], engines: [], known: [], own: "" });
    this.id = `try-${letter.toLowerCase()}`;
    this.template = this.#select("template", () => this.#show({ variables: this.#values() }));
    this.version = this.#select("version", () => this.#source({ variables: this.#values() }));
    this.engine = this.#select("engine", () => this.#worded());
    this.variables = make("div", { class: "wb-try-variables" });
    this.numbers = NUMBERS.map(([name, min, max, step]) => this.#number(name, { min, max, step }));
    this.wording = new WordingField({ label: t("tries.wording_of", { letter }), oninput: () => this.#worded() });
    this.wording.field.id = `${this.id}-wording`;
    this.restore = make("button", {
      type: "button",
      id: `${this.id}-restore`,
      class: "wb-cmp-button",
      textContent: t("tries.restore"),
      title: t("tries.restore.title"),
      onclick: () => this.wording.replace(this.own),
    });
    this.unused = make("p", { id: `${this.id}-unused`, class: "wb-try-note", role: "status" });
    this.wording.field.setAttribute("aria-describedby", this.unused.id);
    this.problem = make("p", { class: "wb-try-problem wb-wrong", role: "status" });
    this.remove = make("button", {
      type: "button",
      class: "wb-cmp-button wb-try-remove",
      title: t("tries.remove"),
      "aria-label": t("tries.remove"),
      textContent: "✕",
      onclick: () => onremove(this),
    });
    this.element = make(
      "section",
      { class: "wb-try-way", "data-lane": letter, "aria-label": t("tries.way", { letter }) },
      make("header", {}, make("span", { class: "wb-try-letter", textContent: letter }), this.remove),
      this.#labelled("template", this.template),
      this.#labelled("version", this.version),
      this.#labelled("engine", this.engine),
      this.variables,
      make(
        "details",
        { class: "wb-fold" },
        make("summary", { textContent: t("tries.more") }),
        make("div", { class: "wb-try-numbers" }, ...this.numbers.map((field) => this.#labelled(field.name, field))),
        make("label", { class: "wb-try-note", for: this.wording.field.id, textContent: t("tries.wording") }),
        this.unused,
        this.wording.element,
        this.restore,
      ),
      this.problem,
    );
  }

  /** The server's lists; what was chosen stays where it still is. */
  fill(templates, engines) {
    Object.assign(this, { templates, engines });
    optionsOf(this.template, templates.map(({ name, title }) => [name, title[this.language] ?? name]));
    optionsOf(this.engine, engines.map(({ name, kind }) => [name, name === kind ? name : `${name} (${kind})`]));
    return this.#show({ variables: this.#values(), version: this.version.value, wording: this.#edited });
  }

  /**
   * @param {{template: string, engine: string, variables: object, options: object, wording: string}} chosen a version
   *   stands behind @; `wording` where it is another than the version's
   */
  async choose({ template = "", engine = "", variables = {}, options = {}, wording }) {
    const [name, version = ""] = template.split("@");
    if (this.templates.some((one) => one.name === name)) this.template.value = name;
    if (this.engines.some((one) => one.name === engine)) this.engine.value = engine;
    for (const field of this.numbers) field.value = options[field.name] ?? "";
    await this.#show({ variables, version: version === this.#chosen?.version ? "" : version, wording });
  }

  get value() {
    const options = Object.fromEntries(
      this.numbers.filter(({ value }) => value !== "").map(({ name, value }) => [name, Number(value)]),
    );
    const version = this.version.value ? `@${this.version.value}` : "";
    const wording = this.#edited;
    return { template: `${this.template.value}${version}`, variables: this.#values(), engine: this.engine.value, options, wording };
  }

  #values() {
    return Object.fromEntries(this.#inputs().map((field) => [field.dataset.name, field.value]));
  }

  /** What a person has made of the wording; undefined where it is the version's own. */
  get #edited() {
    const { value } = this.wording.field;
    return value === this.own ? undefined : value;
  }

  /** Why it cannot be read so; "" where it can. */
  check() {
    const engines = this.#chosen?.engines ?? [];
    const able = engines.includes(this.engine.value);
    const missing = this.#inputs().find((field) => field.required && !field.value.trim());
    const wrong = this.numbers.find((field) => !field.checkValidity());
    let said = "";
    if (!able) said = this.t(engines.length ? "tries.cannot" : "tries.nobody_can", { engines: engines.join(", ") });
    else if (missing) said = this.t("tries.missing", { name: missing.dataset.label });
    else if (this.templates.length && !this.wording.field.value.trim()) said = this.t("tries.wording_empty");
    else if (wrong) said = this.t("tries.number", { name: this.t(`tries.${wrong.name}`), min: wrong.min, max: wrong.max });
    this.problem.textContent = said;
    return said;
  }

  get #chosen() {
    return this.templates.find(({ name }) => name === this.template.value);
  }

  /** The chosen template in one of its versions, "" for the one in use. */
  async #show({ variables, version = "", wording }) {
    const template = this.#chosen;
    if (!template) return;
    const asked = (this.asked = {});
    this.known = [];
    this.#versionChoices(version);
    this.#source({ variables, wording });
    const found = await this.versions(template.name);
    if (asked !== this.asked) return;
    this.known = found;
    this.#versionChoices(this.version.value);
    this.#source({ variables: this.#values(), wording: this.#edited });
  }

  /** One that is not known, or not yet, stays chosen: another one is not read unasked. */
  #versionChoices(chosen) {
    const known = this.known.map((one) => [one.version, this.#versionTitle(one)]);
    const other = chosen && !this.known.some(({ version }) => version === chosen) ? [[chosen, `@${chosen.slice(0, 6)}`]] : [];
    optionsOf(this.version, [["", this.t("tries.in_use")], ...known, ...other]);
    this.version.value = chosen;
  }

  /** What the chosen version asks for: its blanks, its wording, its sampling. */
  #source({ variables, wording }) {
    const source = this.known.find(({ version }) => version === this.version.value) ?? this.#chosen;
    const names = source.variables.map(({ name }) => name);
    this.wording.show(source.text, names);
    this.own = this.wording.field.value; // the field has line breaks of its own
    if (wording !== undefined) this.wording.show(wording, names);
    for (const field of this.numbers) field.placeholder = String(source.sampling[field.name] ?? "");
    this.variables.replaceChildren(...source.variables.map((one) => this.#variable(one, variables[one.name])));
    this.#worded();
  }

  #worded() {
    this.restore.hidden = this.#edited === undefined;
    const asked = this.engines.find(({ name }) => name === this.engine.value)?.takes_prompt ?? true;
    this.unused.textContent = asked ? "" : this.t("tries.prompt_unused", { engine: this.engine.value });
    this.onchange();
  }

  #versionTitle({ number, builtin, note }) {
    const name = builtin ? this.t("tries.builtin") : this.t("tries.version_n", { number });
    return note ? `${name}: ${note}` : name;
  }

  #variable({ name, label, default: usual, many, options }, kept) {
    const title = label[this.language] ?? name;
    const shared = {
      id: `${this.id}-variable-${name}`,
      class: "wb-input",
      "data-name": name,
      "data-label": title,
      required: usual === null,
    };
    const field = options.length
      ? make("select", { ...shared, onchange: this.onchange }, ...options.map((one) => option(one.value, one.label[this.language])))
      : make("input", { ...shared, type: "text", placeholder: many ? this.t("tries.many") : "", oninput: this.onchange });
    field.value = kept || (usual ?? "");
    return make("div", { class: "wb-try-field" }, make("label", { for: field.id, textContent: title }), field);
  }

  #inputs() {
    return [...this.variables.querySelectorAll("[data-name]")];
  }

  #select(name, onchange) {
    return make("select", { id: `${this.id}-${name}`, name, class: "wb-input", onchange: () => onchange() });
  }

  #number(name, limits) {
    return make("input", { id: `${this.id}-${name}`, name, type: "number", class: "wb-input", ...limits, oninput: this.onchange });
  }

  #labelled(name, field) {
    const label = make("label", { for: field.id, textContent: this.t(`tries.${name}`) });
    return make("div", { class: "wb-try-field" }, label, field);
  }
}

const option = (value, title) => make("option", { value, textContent: title ?? value });
