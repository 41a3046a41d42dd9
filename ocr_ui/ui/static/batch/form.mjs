// The choices of a batch: template with its variables, engine, pages, priority, what is told at its end.
import { make } from "../page/dom.mjs";
import { Rules } from "./rules.mjs";

const PRIORITIES = ["high", "normal", "low"];

/** `values()` are those of the form of POST /v1/jobs; `fill(value)` takes the server's lists of templates and engines. */
export class Choices {
  constructor({ t, onchange, ...more }) {
    this.t = t;
    this.onchange = onchange;
    this.template = this.#select("template", () => this.#templateChosen());
    this.version = this.#select("version", () => this.#versionChosen());
    this.versionLine = this.#field("version", this.version);
    this.engine = this.#select("engine", onchange);
    this.pages = make("input", { id: "jobs-pages", type: "text", class: "wb-input", placeholder: "1-3,7", oninput: onchange });
    this.name = make("input", { id: "jobs-name", type: "text", class: "wb-input", maxlength: "200" });
    this.priority = this.#select("priority");
    this.priority.replaceChildren(
      ...PRIORITIES.map((name) => make("option", { value: name, textContent: t(`jobs.priority.${name}`) })),
    );
    this.priority.value = "normal";
    this.variables = make("div", { class: "wb-jobs-variables" });
    this.cannot = make("p", { class: "wb-jobs-hint wb-wrong", role: "status" });
    this.notify = make("input", { type: "checkbox", id: "jobs-notify", onchange: () => this.#askBrowser() });
    this.webhook = make("input", { type: "checkbox", id: "jobs-webhook" });
    this.told = make("div", { class: "wb-jobs-checks" }, this.#check(this.notify, "notify"));
    this.webhookLine = this.#check(this.webhook, "webhook");
    this.told.append(this.webhookLine);
    this.notify.checked = globalThis.Notification?.permission === "granted";
    this.notify.disabled = !globalThis.Notification || Notification.permission === "denied";
    this.rules = new Rules({ t, ...more });
    this.elements = [
      this.#field("template", this.template),
      this.versionLine,
      this.variables,
      this.#field("engine", this.engine),
      this.cannot,
      this.#field("pages", this.pages, t("jobs.pages.help")),
      this.#field("priority", this.priority),
      this.#field("name", this.name, t("jobs.name.help")),
      this.rules.element,
      this.told,
    ];
  }

  fill({ templates = [], engines = [], field_sets = [], webhook = false }) {
    Object.assign(this, { templates, engines, fieldSets: field_sets });
    this.#options(this.template, templates.map(({ name, title }) => [name, title]));
    this.#options(this.engine, engines.map(({ name, title }) => [name, title]));
    this.webhookLine.hidden = !webhook;
    this.#templateChosen();
  }

  /** Why nothing can be begun with these choices; "" where it can. */
  get problem() {
    const template = this.#chosenTemplate();
    const engine = this.engines?.find(({ name }) => name === this.engine.value);
    if (template && engine && !engine.tasks.includes(template.task)) {
      const able = this.engines.filter(({ tasks }) => tasks.includes(template.task)).map(({ title }) => title);
      return this.t(able.length ? "jobs.cannot" : "jobs.nobody_can", { engine: engine.title, engines: able.join(", ") });
    }
    const missing = this.#inputs().find((field) => field.required && !field.value.trim());
    return missing ? this.t("jobs.missing", { name: missing.dataset.label }) : "";
  }

  values() {
    const variables = Object.fromEntries(this.#inputs().map((field) => [field.dataset.name, field.value]));
    return {
      template: [this.template.value, this.version.value].filter(Boolean).join("@"),
      variables: JSON.stringify(variables),
      engine: this.engine.value,
      pages: this.pages.value.trim(),
      priority: this.priority.value,
      name: this.name.value.trim(),
      webhook: String(this.webhook.checked),
      rules: JSON.stringify(this.rules.values()),
    };
  }

  showProblem() {
    this.cannot.textContent = this.problem;
  }

  #inputs() {
    return [...this.variables.querySelectorAll("[data-name]")];
  }

  /** With what its chosen version asks for. */
  #chosenTemplate() {
    const template = this.templates?.find(({ name }) => name === this.template.value);
    const version = template?.versions.find((one) => one.version === this.version.value);
    return version ? { ...template, task: version.task, variables: version.variables } : template;
  }

  #templateChosen() {
    const versions = this.templates.find(({ name }) => name === this.template.value)?.versions ?? [];
    this.#options(this.version, [["", this.t("jobs.version.newest")], ...versions.map(({ version, title }) => [version, title])]);
    this.versionLine.hidden = !versions.length;
    this.#versionChosen();
  }

  #versionChosen() {
    const kept = Object.fromEntries(this.#inputs().map((field) => [field.dataset.name, field.value]));
    const variables = this.#chosenTemplate()?.variables ?? [];
    const task = this.#chosenTemplate()?.task;
    this.rules.fill((this.engines ?? []).filter(({ tasks }) => tasks.includes(task)), this.template.value);
    this.variables.replaceChildren(...variables.flatMap((variable) => this.#variable(variable, kept[variable.name])));
    this.onchange();
  }

  #variable({ name, label, required, value, choices, many }, kept) {
    const id = `jobs-variable-${name}`;
    const shared = { id, class: "wb-input", "data-name": name, "data-label": label, required };
    const field = choices.length
      ? make("select", { ...shared, onchange: this.onchange }, ...choices.map(([key, title]) => make("option", { value: key, textContent: title })))
      : make("input", { ...shared, type: "text", oninput: this.onchange });
    field.value = kept ?? value;
    const made = [this.#labelled(label, field)];
    if (many && this.fieldSets.length) made.unshift(this.#readySets(field));
    return made;
  }

  #readySets(field) {
    const none = make("option", { value: "", textContent: this.t("jobs.field_set.none") });
    const options = this.fieldSets.map(([title, names]) => make("option", { value: names, textContent: title }));
    const onchange = () => {
      if (sets.value) field.value = sets.value;
      this.onchange();
    };
    const sets = make("select", { id: "jobs-field-set", class: "wb-input", onchange }, none, ...options);
    return this.#labelled(this.t("jobs.field_set"), sets);
  }

  #options(select, pairs) {
    const kept = select.value;
    select.replaceChildren(...pairs.map(([value, textContent]) => make("option", { value, textContent })));
    if (pairs.some(([value]) => value === kept)) select.value = kept;
  }

  #select(name, onchange) {
    return make("select", { id: `jobs-${name}`, class: "wb-input", onchange });
  }

  #field(name, field, help = "") {
    return this.#labelled(this.t(`jobs.${name}`), field, help);
  }

  #labelled(title, field, help = "") {
    const label = make("label", { for: field.id, textContent: title });
    return make("div", { class: "wb-field" }, label, field, help ? make("small", { textContent: help }) : null);
  }

  #check(box, name) {
    return make("label", { class: "wb-check" }, box, make("span", { textContent: this.t(`jobs.${name}`) }));
  }

  async #askBrowser() {
    if (!this.notify.checked || Notification.permission === "granted") return;
    this.notify.checked = (await Notification.requestPermission()) === "granted";
  }
}
