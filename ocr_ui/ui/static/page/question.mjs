// What rows of the list are read again with: engine, template, and what the template asks for.
import { optionsOf } from "../tries/options.mjs";
import { make } from "./dom.mjs";

export class Question {
  /** `engines`: [title, name] each; `api`: of the server; `t(key)`: a word; `language`: of titles. */
  constructor({ engines, api, t, language }) {
    Object.assign(this, { api, t, language, templates: [] });
    this.engine = make(
      "select",
      { id: "chosen-engine", "aria-label": t("engine_again") },
      make("option", { value: "", textContent: t("same_engine") }),
      ...engines.map(([title, name]) => make("option", { value: name, textContent: title })),
    );
    const label = { id: "chosen-template", "aria-label": t("template_again") };
    this.template = make("select", { ...label, onchange: () => this.#templateChosen() });
    this.variables = make("span", { class: "wb-chosen-variables" });
    this.elements = [this.engine, this.template, this.variables];
    this.#fill();
  }

  set disabled(yes) {
    for (const field of [this.engine, this.template, ...this.#inputs()]) field.disabled = yes;
  }

  /** For `POST /v1/jobs/again`; what is left blank stays as the item has it. */
  get value() {
    const typed = this.#inputs().filter((field) => field.value.trim());
    const variables = Object.fromEntries(typed.map((field) => [field.dataset.name, field.value]));
    return { engine: this.engine.value, template: this.template.value, variables };
  }

  /** The templates as they are now; without an answer those that are known. */
  async load() {
    try {
      this.templates = (await this.api.get("/v1/templates")).templates;
    } catch {
      return; // the same template is always there
    }
    this.#fill();
  }

  #fill() {
    const before = this.template.value;
    const titles = this.templates.map(({ name, title }) => [name, title[this.language] ?? name]);
    optionsOf(this.template, [["", this.t("same_template")], ...titles]);
    if (this.template.value !== before) this.#templateChosen();
  }

  #templateChosen() {
    const template = this.templates.find(({ name }) => name === this.template.value);
    this.variables.replaceChildren(...(template?.variables ?? []).map((variable) => this.#variable(variable)));
  }

  #variable({ name, label, default: usual, options }) {
    const title = label[this.language] ?? name;
    const shared = { id: `chosen-variable-${name}`, "data-name": name, "aria-label": title, title };
    if (!options.length) return make("input", { ...shared, type: "text", placeholder: title, value: usual ?? "" });
    const choices = options.map((one) => make("option", { value: one.value, textContent: one.label[this.language] ?? one.value }));
    const field = make("select", shared, ...choices);
    if (usual !== null) field.value = usual;
    return field;
  }

  #inputs() {
    return [...this.variables.children];
  }
}
