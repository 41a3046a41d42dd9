/** The library of templates: found on the left, written on the right, all asked of /v1/templates. */

import { make } from "../page/dom.mjs";
import { hand } from "../page/handed.mjs";
import { mountPart, partOf, watchSight } from "../page/part.mjs";
import { personOf } from "../page/person.mjs";
import { explained } from "../viewer/api.mjs";
import { keepOpen, keptDraft, keptOpen } from "./drafts.mjs";
import { Editor } from "./editor.mjs";
import { button } from "./field.mjs";
import { found } from "./search.mjs";
import { copyName, partnerName, partnerOf } from "./wording.mjs";

const BLANK = { title: {}, description: {}, text: "", task: "text", structured: false, sampling: {}, variables: [], tags: [], builtin: false };

export function mount({ element, props }) {
  const made = () => new Library({ root: element.querySelector(".wb-library"), props });
  return mountPart(element, import.meta.url, ["prompts.css"], made);
}

class Library {
  constructor({ root, props }) {
    Object.assign(this, partOf(props));
    this.templates = [];
    this.may = { write: true, remove: true };
    this.name = keptOpen().name ?? "";
    this.tag = "";
    this.editors = [];
    this.#build(root);
    // It may have been changed on disk or by somebody else whenever it comes into view.
    this.seen = watchSight(root, (visible) => visible && this.look());
    this.abort = new AbortController();
    addEventListener("focus", () => root.offsetParent && this.look(), { signal: this.abort.signal });
  }

  destroy() {
    this.seen.disconnect();
    this.abort.abort();
  }

  #build(root) {
    const { t } = this;
    this.search = make("input", { type: "search", class: "wb-input", "aria-label": t("library.search"), placeholder: t("library.search"), oninput: () => this.#list() });
    this.tags = make("div", { class: "wb-library-tags", role: "group", "aria-label": t("library.tags") });
    this.told = make("div", { class: "wb-library-told", role: "status", dir: "auto" });
    this.rows = make("div", { class: "wb-library-list", onkeydown: (event) => this.#step(event) });
    this.shown = make("div", { class: "wb-library-shown" });
    this.file = make("input", { type: "file", accept: ".md,.zip", multiple: true, class: "wb-library-file", tabindex: "-1", "aria-hidden": "true", onchange: () => this.#import() });
    this.pack = make("a", { class: "wb-download", download: "", href: "/v1/templates.zip", textContent: t("library.export") });
    this.writing = [
      button(t("library.new"), () => this.#begin({ ...BLANK, name: "my_template" }), { "data-act": "new", disabled: true }),
      button(t("library.import"), () => this.file.click(), { "data-act": "import", disabled: true }),
    ];
    const acts = make("div", { class: "wb-library-acts" }, ...this.writing, this.pack);
    this.readOnly = make("p", { class: "wb-library-quiet", "data-part": "read-only", textContent: t("library.read_only"), hidden: true });
    const side = make("nav", { class: "wb-library-side", "aria-label": t("library.list") }, this.search, this.tags, acts, this.readOnly, this.told, this.rows, this.file);
    root.replaceChildren(side, this.shown);
  }

  /** Asks for what there is now; what is being typed stays. */
  async look(name = this.name) {
    let found, actions;
    try {
      [found, { actions }] = await Promise.all([this.api.get("/v1/templates"), this.api.get("/v1/me")]);
    } catch (failure) {
      this.#say(this.t("library.failed", { reason: failure.message }), true);
      return;
    }
    const before = this.templates;
    this.templates = found.templates;
    this.lists = { official: found.official, limits: found.limits, names: found.templates.map((one) => one.name) };
    this.problems = found.problems;
    const there = this.lists.names.includes(name);
    const other = this.#allow(actions);
    const changed = other || name !== this.name || !this.editors.length || !isSameOf(before, this.templates, this.editors);
    if (!this.begun) this.name = there ? name : (this.lists.names[0] ?? "");
    this.#list();
    if (this.#beginAgain()) return;
    if (changed && !this.begun) this.#open();
    else for (const editor of this.editors) editor.history?.show();
  }

  /** Opens the new template that somebody was writing when the page was loaded anew; false where there is none. */
  #beginAgain() {
    const { begun, beside } = keptOpen();
    if (!begun || this.begun || this.editors.length || !this.may.write) return false;
    this.#begin(begun, beside && this.#of(beside));
    return true;
  }

  /** What the person may do; true where that is other than it was. */
  #allow(actions) {
    const may = { write: actions.includes("review"), remove: actions.includes("admin") };
    const isOther = JSON.stringify(may) !== JSON.stringify(this.may);
    this.may = may;
    for (const press of this.writing) {
      press.disabled = false;
      press.hidden = !may.write;
    }
    this.readOnly.hidden = may.write;
    return isOther;
  }

  #list() {
    const { t, templates, may } = this;
    const all = [...new Set(templates.flatMap(({ tags }) => tags))].sort(new Intl.Collator(this.language, { numeric: true }).compare);
    if (!all.includes(this.tag)) this.tag = "";
    const press = (tag) => () => ((this.tag = this.tag === tag ? "" : tag), this.#list(), this.tags.querySelector(`[data-tag="${CSS.escape(tag)}"]`)?.focus());
    const { scrollTop } = this.tags;
    this.tags.replaceChildren(...all.map((tag) => button(tag, press(tag), { "data-tag": tag, "aria-pressed": String(tag === this.tag) })));
    this.tags.scrollTop = scrollTop;
    const hits = found(templates, this.search.value).filter(({ tags }) => !this.tag || tags.includes(this.tag));
    const group = (key, some) => (some.length ? [make("h2", { textContent: t(key) }), ...some.map((one) => this.#row(one))] : []);
    const own = hits.filter(({ builtin }) => !builtin);
    const rows = [...group("library.own", own), ...group("library.builtin", hits.filter(({ builtin }) => builtin))];
    const broken = (this.problems ?? []).map(({ message }) => make("p", { class: "wb-library-broken wb-wrong", textContent: message, dir: "auto" }));
    const none = templates.length ? [make("p", { class: "wb-empty", textContent: t("library.none") })] : [];
    const noneOwn = templates.length && templates.every(({ builtin }) => builtin) ? [make("p", { class: "wb-library-quiet", textContent: t(may.write ? "library.own.none" : "library.own.none.here") })] : [];
    const focused = this.rows.contains(document.activeElement) && document.activeElement.dataset.template;
    this.rows.replaceChildren(...broken, ...noneOwn, ...(rows.length ? rows : none));
    if (focused) this.rows.querySelector(`[data-template="${focused}"]`)?.focus();
    this.pack.hidden = templates.every(({ builtin }) => builtin);
  }

  /** The arrow keys go through the list. */
  #step(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const rows = [...this.rows.querySelectorAll("button")];
    rows[rows.indexOf(document.activeElement) + by]?.focus();
  }

  #row({ name, title, task, readings }) {
    const parts = [make("strong", { textContent: title[this.language] ?? Object.values(title)[0] ?? name, dir: "auto" })];
    if (this.may.write && keptDraft(name)) parts.push(make("span", { class: "wb-library-dot", title: this.t("library.draft"), role: "img", "aria-label": this.t("library.draft") }));
    parts.push(make("small", { textContent: readings ? this.t("library.readings", { n: readings.toLocaleString(this.language) }) : this.t(`task.${task}`) }));
    const onclick = () => {
      this.begun = null;
      this.name = name;
      for (const row of this.rows.querySelectorAll("button")) row.setAttribute("aria-current", String(row.dataset.template === name));
      this.#open();
    };
    return make("button", { type: "button", class: "wb-library-row", "data-template": name, "aria-current": String(name === this.name && !this.begun), onclick }, ...parts);
  }

  #open() {
    const template = this.#of(this.name);
    if (!template) return;
    keepOpen({ name: template.name });
    const places = new Map(this.editors.map((editor) => [editor.key, editor.place]));
    const { names } = this.lists;
    const partner = this.#of(partnerOf(template.name, names));
    const copy = { word: "library.copy", kind: "copy", act: () => this.#begin(likeness(template, copyName(template.name, names))) };
    const other = partnerName(template.name, template.text);
    const beside = { word: "library.other", kind: "other", act: () => this.#begin(likeness(template, other), template) };
    const tried = { word: "library.try", kind: "try", act: () => hand({ template: template.name }, "try") };
    const written = partner ? [copy] : [copy, beside];
    this.#show([this.#editor(template, { acts: [tried, ...(this.may.write ? written : [])] }), ...(partner ? [this.#editor(partner)] : [])]);
    for (const editor of this.editors) if (places.has(editor.key)) editor.goTo(places.get(editor.key));
  }

  /** A template that is not there yet, alone or beside the one whose wording it says in the other language. */
  #begin(template, beside = null) {
    this.begun = template;
    keepOpen({ name: this.name, begun: template, beside: beside?.name });
    const made = this.#editor(template, { isNew: true });
    this.#show(beside ? [this.#editor(beside), made] : [made]);
    for (const row of this.rows.querySelectorAll("button")) row.setAttribute("aria-current", "false");
    made.element.querySelector("input, textarea")?.focus();
  }

  #show(editors) {
    this.editors = editors;
    this.shown.replaceChildren(...editors.map(({ element }) => element));
    for (const editor of editors) editor.history?.show();
  }

  #editor(template, { acts = [], isNew = false } = {}) {
    const { t, language, api, lists, may } = this;
    return new Editor({ t, language, api, template, lists, may, acts, isNew, drafted: () => this.#list(), done: (name, what) => this.#done(name, what) });
  }

  async #done(name, what) {
    const before = this.name;
    const places = new Map(this.editors.map((editor) => [editor.name, editor.place]));
    this.gone = this.#of(name)?.version;
    this.begun = null;
    this.editors = [];
    keepOpen({ name: before });
    this.#say("");
    await this.look(what === "deleted" ? "" : what === "closed" || partnerOf(name, [before]) ? before : name);
    if (what === "deleted") return this.#offerBack(name);
    for (const editor of this.editors) if (places.has(editor.name)) editor.goTo(places.get(editor.name));
    if (what === "saved") this.editors.find((editor) => editor.name === name)?.say(this.t("library.saved", { name }));
    return undefined;
  }

  async #offerBack(name) {
    const back = button(this.t("library.undo"), async () => {
      try {
        await this.api.post(`/v1/templates/${name}/restore`, { version: this.gone });
        this.#say("");
        await this.look(name);
      } catch (failure) {
        this.#say(failure.message, true);
      }
    });
    this.told.replaceChildren(this.t("library.deleted", { name }), " ", back);
    back.focus();
  }

  async #import() {
    const form = new FormData();
    for (const file of this.file.files) form.append("files", file, file.name);
    form.append("person", personOf());
    this.file.value = "";
    this.#say(this.t("library.importing"));
    try {
      const { files } = await this.api.send("/v1/templates/import", form, () => {});
      const line = ({ file, template, outcome, error }) => make("li", { class: error ? "wb-wrong" : "", textContent: error ? error.message : this.t(`library.import.${outcome}`, { file, name: template }), dir: "auto" });
      await this.look(files.find(({ template }) => template)?.template);
      this.told.classList.remove("wb-wrong");
      this.told.replaceChildren(make("ul", {}, ...files.map(line)));
    } catch (failure) {
      this.#say(explained(failure), true);
    }
  }

  #of(name) {
    return this.templates.find((one) => one.name === name);
  }

  #say(text, wrong = false) {
    this.told.classList.toggle("wb-wrong", wrong);
    this.told.textContent = text;
  }
}

/** A new template with another's content; its titles tell it apart by the end of its name. */
function likeness(template, name) {
  const title = Object.fromEntries(Object.entries(template.title).map(([language, words]) => [language, `${words} (${name.split("_").at(-1)})`]));
  return { ...template, name, title, builtin: false };
}

/** Are the templates that are open as they were? */
function isSameOf(before, now, editors) {
  const told = (templates, wanted) => {
    const { readings, engines, ...rest } = templates.find(({ name }) => name === wanted) ?? {};
    return JSON.stringify(rest);
  };
  return editors.every(({ template: { name } }) => told(before, name) === told(now, name));
}
