/** One way to read: template with version and variables, engine, sampling. */

import { make } from "../page/dom.mjs";
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
    Object.assign(this, { t, language, versions, onchange, templates: [], engines: [] });
    this.id = `try-${letter.toLowerCase()}`;
    this.template = this.#select("template", () => this.#templateChosen());
    this.version = this.#select("version", onchange);
    this.engine = this.#select("engine", onchange);
    this.variables = make("div", { class: "wb-try-variables" });
    this.numbers = NUMBERS.map(([name, min, max, step]) => this.#number(name, { min, max, step }));
    this.wording = make("pre", { class: "wb-try-wording", dir: "auto", tabindex: "0" });
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
        make("p", { class: "wb-try-note", textContent: t("tries.wording") }),
        this.wording,
      ),
      this.problem,
    );
  }

  /** The server's lists; what was chosen stays where it still is. */
  fill(templates, engines) {
    Object.assign(this, { templates, engines });
    optionsOf(this.template, templates.map(({ name, title }) => [name, title[this.language] ?? name]));
    optionsOf(this.engine, engines.map(({ name, kind }) => [name, name === kind ? name : `${name} (${kind})`]));
    return this.#templateChosen();
  }

  /** @param {{template: string, engine: string, variables: object}} chosen a version stands behind @ */
  async choose({ template = "", engine = "", variables = {}, options = {} }) {
    const [name, version = ""] = template.split("@");
    if (this.templates.some((one) => one.name === name)) this.template.value = name;
    if (this.engines.some((one) => one.name === engine)) this.engine.value = engine;
    for (const field of this.numbers) field.value = options[field.name] ?? "";
    await this.#templateChosen(variables, version);
  }

  get value() {
    const options = Object.fromEntries(
      this.numbers.filter(({ value }) => value !== "").map(({ name, value }) => [name, Number(value)]),
    );
    const version = this.version.value ? `@${this.version.value}` : "";
    const variables = Object.fromEntries(this.#inputs().map((field) => [field.dataset.name, field.value]));
    return { template: `${this.template.value}${version}`, variables, engine: this.engine.value, options };
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
    else if (wrong) said = this.t("tries.number", { name: this.t(`tries.${wrong.name}`), min: wrong.min, max: wrong.max });
    this.problem.textContent = said;
    return said;
  }

  get #chosen() {
    return this.templates.find(({ name }) => name === this.template.value);
  }

  async #templateChosen(variables = this.value.variables, version = "") {
    const template = this.#chosen;
    if (!template) return;
    this.wording.textContent = template.text;
    for (const field of this.numbers) field.placeholder = String(template.sampling[field.name] ?? "");
    this.variables.replaceChildren(...template.variables.map((one) => this.#variable(one, variables[one.name])));
    optionsOf(this.version, [["", this.t("tries.in_use")]]);
    this.onchange();
    const found = await this.versions(template.name);
    if (this.#chosen !== template) return;
    optionsOf(this.version, [["", this.t("tries.in_use")], ...found.map((one) => [one.version, this.#versionTitle(one)])]);
    if (found.some((one) => one.version === version)) this.version.value = version;
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
