// One template that is open: its wording with what is to be said of it, its settings, its versions.
import { make } from "../page/dom.mjs";
import { momentText } from "../page/moments.mjs";
import { personOf } from "../page/person.mjs";
import { isSure } from "../page/sure.mjs";
import { explained } from "../viewer/api.mjs";
import { ABOUT, draftOf, isSame, keepDraft, keptDraft, WORDING } from "./drafts.mjs";
import { area, button, difference, fold, labelled, line } from "./field.mjs";
import { aboutForm, isFit, newVariable, samplingForm, variableForms } from "./settings.mjs";
import { Versions } from "./versions.mjs";
import { languageOf, nearest, remarks, textDiff, withoutBlankChoices } from "./wording.mjs";
import { WordingField } from "./wordingfield.mjs";

const TASKS = ["spotting", "text", "fields", "translate", "qa", "document", "table", "formula", "chart", "layout", "subtitles"];
const BLOCKING = ["empty", "unknown"];

export class Editor {
  /**
   * @param {object} parts t, language, api
   * @param {object} parts.template as /v1/templates has it; `name` is a proposal where `isNew`
   * @param {object} parts.lists official, limits, names
   * @param {{write: boolean, remove: boolean}} parts.may
   * @param {(name: string, what: "saved" | "deleted" | "closed") => void} parts.done
   * @param {() => void} parts.drafted there is a draft now, or there is none any more
   * @param {{word: string, act: () => void}[]} parts.acts what else can be done with it
   */
  constructor({ t, language, api, template, lists, may, done, drafted, acts = [], isNew = false }) {
    Object.assign(this, { t, language, api, template, lists, may, done, drafted, acts, isNew });
    this.key = isNew ? `+${template.name}` : template.name;
    this.name = template.name;
    this.stored = draftOf(template);
    this.base = template.version;
    const kept = may.write ? keptDraft(this.key) : null;
    this.draft = kept ? { ...structuredClone(this.stored), ...kept.draft } : structuredClone(this.stored);
    if (kept) this.base = kept.base;
    if (kept && isNew) this.name = kept.draft.name ?? this.name;
    this.#build();
    if (kept && (isNew || this.isChanged)) this.say(t("library.draft.back", { time: momentText(kept.at, this.language) }));
    if (kept && !isNew && kept.base !== template.version) this.say(t("library.draft.old"), true);
    this.#refresh();
  }

  get isChanged() {
    return !isSame(this.draft, this.stored, [...WORDING, ...ABOUT]);
  }

  /** Where somebody is in it, for the editor that takes its place once it is saved. */
  get place() {
    const { field } = this.wording;
    const part = document.activeElement === field ? "wording" : this.element.contains(document.activeElement) ? "save" : "";
    const folds = Object.fromEntries([...this.element.querySelectorAll("details[data-part]")].map(({ dataset, open }) => [dataset.part, open]));
    return { part, start: field.selectionStart, end: field.selectionEnd, folds };
  }

  goTo({ part, start, end, folds }) {
    for (const fold of this.element.querySelectorAll("details[data-part]")) fold.open = folds[fold.dataset.part] ?? fold.open;
    if (part === "wording") {
      this.wording.field.focus({ preventScroll: true });
      this.wording.field.setSelectionRange(start, end);
    } else if (part) this.save.focus({ preventScroll: true });
  }

  /** What is told below the Save button. */
  say(text, wrong = false) {
    this.told.classList.toggle("wb-wrong", wrong);
    this.told.textContent = text;
  }

  #build() {
    const { t, draft } = this;
    this.wording = new WordingField({ label: t("library.wording"), oninput: (text) => ((draft.text = text), this.#changed()) });
    this.wording.field.readOnly = !this.may.write;
    this.remarks = make("ul", { class: "wb-library-remarks", "aria-live": "polite" });
    this.official = make("div", { class: "wb-library-official" });
    this.variables = fold(t("library.variables"), { "data-part": "variables" });
    this.sampling = fold(t("library.sampling"), { "data-part": "sampling" });
    this.about = fold(t("library.about"), { "data-part": "about", open: this.isNew });
    this.note = area(draft.note, (value) => ((draft.note = value), this.#changed()), { rows: "1", maxlength: "1000" });
    this.save = make("button", { type: "button", class: "wb-library-save", "aria-keyshortcuts": "Control+S", onclick: () => this.keep() });
    this.discard = button(t("library.discard"), () => this.#discard(), { "data-act": "discard" });
    this.told = make("p", { class: "wb-told", role: "status", dir: "auto" });
    const bar = make("div", { class: "wb-library-bar", hidden: !this.may.write }, labelled(t("library.note"), this.note), this.save, this.discard);
    this.element = make(
      "section",
      { class: "wb-library-editor", "data-template": this.key, "aria-label": this.name },
      this.#head(),
      make("h3", { textContent: this.isNew ? t("library.wording") : t(`library.wording.${languageOf(this.stored.text)}`) }),
      this.wording.element,
      this.remarks,
      this.official,
      bar,
      this.told,
      this.variables,
      this.sampling,
      this.about,
      this.isNew ? null : this.#versions(),
    );
    this.element.addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.keep();
    });
    this.#drawForms();
  }

  #head() {
    const { t, template } = this;
    const badge = (word, kind = "") => make("span", { class: "wb-badge", "data-kind": kind, textContent: word });
    if (this.isNew) {
      const name = line(this.name, (value) => ((this.name = value.trim()), this.#changed()), { maxlength: "41", "data-part": "name", spellcheck: "false" });
      const task = make("select", { class: "wb-input", onchange: () => ((this.draft.task = task.value), this.#changed()) }, ...TASKS.map((one) => make("option", { value: one, textContent: t(`task.${one}`) })));
      task.value = this.draft.task;
      const fields = make("div", { class: "wb-fields" }, labelled(t("library.name"), name, t("library.name.help")), labelled(t("library.task"), task));
      return make("header", {}, make("h2", { textContent: t("library.new.title") }), fields);
    }
    const official = this.lists.official.some(({ name }) => name === template.name);
    const own = template.builtin ? "library.builtin.one" : official ? "library.instead" : "library.own.one";
    const parts = [make("code", { textContent: template.name }), badge(t(`task.${template.task}`)), badge(t(own), "own"), ...template.tags.map((tag) => badge(tag, "tag"))];
    const acts = this.acts.map(({ word, act, kind }) => button(t(word), act, { "data-act": kind }));
    const file = make("a", { class: "wb-download", download: "", href: `/v1/templates/${template.name}/file`, textContent: t("library.file") });
    const refusal = this.may.remove ? {} : { disabled: true, title: t("library.delete.not_allowed") };
    const remove = template.builtin || official ? null : button(t("library.delete"), () => this.#sure(remove), { "data-act": "delete", ...refusal });
    const title = template.title[this.language] ?? Object.values(template.title)[0] ?? template.name;
    const description = template.description[this.language];
    return make(
      "header",
      {},
      make("h2", { textContent: title, dir: "auto" }),
      make("p", { class: "wb-library-about" }, ...parts),
      description ? make("p", { class: "wb-library-quiet", textContent: description, dir: "auto" }) : null,
      make("div", { class: "wb-library-acts" }, ...acts, file, remove),
    );
  }

  #versions() {
    const { t, language, name } = this;
    this.history = new Versions({
      t,
      language,
      name,
      load: () => this.api.get(`/v1/templates/${name}`),
      restore: this.may.write ? (version) => this.#try(() => this.api.post(`/v1/templates/${name}/restore`, { version })) : null,
    });
    return fold(t("library.versions"), { open: true, "data-part": "versions" }, this.history.element);
  }

  // What is typed

  #changed() {
    const isDraft = this.isNew || this.isChanged;
    keepDraft(this.key, isDraft ? { ...this.draft, name: this.name } : null, this.base);
    if (String(isDraft) !== this.element.dataset.draft) this.drafted();
    this.element.dataset.draft = String(isDraft);
    this.say("");
    this.#refresh();
  }

  #drawForms() {
    const { t, draft } = this;
    const changed = () => this.#changed();
    const put = (host, ...inside) => host.replaceChildren(host.firstElementChild, ...inside);
    const structured = draft.task === "fields" ? [this.#structured()] : [];
    put(this.variables, ...variableForms({ t, draft, changed, redraw: () => this.#drawForms() }), ...structured);
    put(this.sampling, samplingForm({ t, draft, limits: this.lists.limits, changed }));
    put(this.about, aboutForm({ t, draft, builtin: this.template.builtin && !this.isNew, changed }));
    if (this.may.write) return;
    for (const form of [this.variables, this.sampling, this.about])
      for (const field of form.querySelectorAll("input, textarea, button")) field.disabled = true;
  }

  #structured() {
    const box = make("input", { type: "checkbox", onchange: () => ((this.draft.structured = box.checked), this.#changed()) });
    box.checked = this.draft.structured;
    return make("label", { class: "wb-check" }, box, make("span", { textContent: this.t("library.structured") }));
  }

  #refresh() {
    const { t, draft } = this;
    const said = remarks(draft.text, draft.variables);
    this.wording.show(draft.text, draft.variables.map(({ name }) => name));
    this.remarks.replaceChildren(...said.map((one) => this.#remark(one)));
    this.#showOfficial();
    this.variables.firstElementChild.textContent = t("library.variables.n", { n: draft.variables.length });
    const misfit = Object.entries(draft.sampling).find(([key, value]) => !isFit(value, this.lists.limits[key]));
    this.problem = misfit ? t("library.sampling.wrong", { name: misfit[0] }) : "";
    const blocked = !!this.problem || said.some(({ code }) => BLOCKING.includes(code));
    this.ready = this.may.write && !blocked && (this.isNew || this.isChanged);
    const makesVersion = this.isNew || !isSame(draft, this.stored, WORDING);
    const word = this.isNew ? "library.save.new" : makesVersion ? (this.template.builtin ? "library.save.instead" : "library.save") : "library.save.about";
    this.save.textContent = t(word);
    this.save.setAttribute("aria-disabled", String(!this.ready));
    this.note.closest(".wb-field").hidden = !makesVersion;
    this.discard.hidden = !this.isNew && !this.isChanged;
    this.discard.textContent = t(this.isNew ? "library.close" : "library.discard");
  }

  #remark({ code, name }) {
    const { t, draft } = this;
    const add = () => {
      draft.variables.push(newVariable(name));
      this.variables.open = true;
      this.#drawForms();
      this.#changed();
      this.variables.querySelector("fieldset:last-of-type input")?.focus();
    };
    const wrong = BLOCKING.includes(code) ? "wb-wrong" : "wb-library-quiet";
    return make("li", { class: wrong, "data-code": code }, make("span", { textContent: t(`library.remark.${code}`, { name }) }), code === "unknown" ? button(t("library.variable.add", { name }), add) : null);
  }

  #showOfficial() {
    const { t, draft } = this;
    const found = nearest(draft.text, draft.task, this.lists.official);
    this.official.hidden = !found || !draft.text.trim();
    if (!found) return;
    this.official.dataset.same = String(found.same);
    if (found.same) {
      this.official.replaceChildren(make("p", { textContent: t("library.official.same") }));
      return;
    }
    const take = button(t("library.official.take"), () => this.#takeOfficial(found), { "data-act": "official" });
    const title = found.title[this.language] ?? found.name;
    this.official.replaceChildren(make("p", { textContent: t("library.official.differs", { title }) }), difference(textDiff(found.text, draft.text)), ...(this.may.write ? [take] : []));
  }

  #takeOfficial(found) {
    const have = this.draft.variables.map(({ name }) => name);
    const { variables } = draftOf(found);
    this.draft.variables.push(...variables.filter(({ name }) => !have.includes(name)));
    this.wording.replace(found.text);
    this.#drawForms();
    this.#changed();
  }

  #discard() {
    const before = structuredClone(this.draft);
    keepDraft(this.key, null);
    this.element.dataset.draft = "false";
    if (this.isNew) return this.done(this.name, "closed");
    this.drafted();
    this.#take(structuredClone(this.stored));
    const undo = button(this.t("library.undo"), () => {
      this.#take(before);
      this.#changed();
    });
    this.told.replaceChildren(this.t("library.discarded"), " ", undo);
    return undo.focus();
  }

  #take(draft) {
    Object.assign(this.draft, draft);
    this.base = this.template.version;
    this.note.value = this.draft.note;
    this.#drawForms();
    this.#refresh();
  }

  // What is saved

  async keep() {
    if (!this.ready || this.saving) {
      if (this.problem) this.say(this.problem, true);
      return;
    }
    this.saving = true;
    await this.#try(() => (this.isNew ? this.#create() : this.#saveChanges()));
    this.saving = false;
  }

  #create() {
    const { draft, name } = this;
    const title = Object.keys(draft.title).some((one) => draft.title[one].trim()) ? draft.title : { [this.language]: name };
    return this.api.post("/v1/templates", { ...this.#wordingBody(), name, title, description: draft.description, tags: draft.tags });
  }

  async #saveChanges() {
    const { draft, stored, template } = this;
    const path = `/v1/templates/${template.name}`;
    // Only what was changed: somebody else may have changed the rest.
    const said = Object.fromEntries(ABOUT.filter((key) => !isSame(draft, stored, [key])).map((key) => [key, draft[key]]));
    if (Object.keys(said).length) await this.api.post(`${path}/about`, said);
    if (!isSame(draft, stored, WORDING)) await this.api.post(`${path}/versions`, { ...this.#wordingBody(), expected: this.base });
  }

  #wordingBody() {
    const { text, task, sampling, structured, variables, note } = this.draft;
    return { text, task, sampling, structured: structured && task === "fields", variables: withoutBlankChoices(variables), note, person: personOf() };
  }

  async #try(work, what = "saved") {
    this.say(this.t("library.saving"));
    try {
      await work();
    } catch (failure) {
      if (failure.code === "template_changed") this.base = failure.details.version;
      this.say(explained(failure, this.t("library.unreachable")), true);
      return;
    }
    if (what === "saved") keepDraft(this.key, null);
    this.done(this.name, what);
  }

  /** A second press within a while deletes. */
  #sure(press) {
    const words = { usual: this.t("library.delete"), sure: this.t("library.delete.sure") };
    if (!isSure(press, words)) return undefined;
    return this.#try(() => this.api.delete(`/v1/templates/${this.template.name}`), "deleted");
  }
}
