/** The library of templates: found on the left, shown on the right, all asked of /v1/templates. */

import { make, parsed, say, styleSheets } from "../page/dom.mjs";
import { Api } from "../viewer/api.mjs";
import { found } from "./search.mjs";

export async function mount({ element, props }) {
  element.library?.destroy();
  await styleSheets(import.meta.url, "prompts.css");
  element.library = new Library({ root: element.querySelector(".wb-library"), props });
  return element.library;
}

class Library {
  constructor({ root, props }) {
    const words = parsed(props.words, {});
    this.language = props.language;
    this.t = (key, values) => say(words, key, values);
    this.api = new Api({ lang: () => props.language });
    this.templates = [];
    this.name = "";
    this.#build(root);
    // It may have been changed on disk or by somebody else whenever it comes into view.
    this.seen = new IntersectionObserver(([entry]) => entry.isIntersecting && this.#look());
    this.seen.observe(root);
  }

  destroy() {
    this.seen.disconnect();
  }

  #build(root) {
    const { t } = this;
    this.search = make("input", { type: "search", class: "wb-input", "aria-label": t("library.search"), placeholder: t("library.search"), oninput: () => this.#show() });
    this.told = make("p", { class: "wb-library-told wb-wrong", role: "status", dir: "auto" });
    this.list = make("div", { class: "wb-library-list" });
    this.shown = make("div", { class: "wb-library-shown" });
    const side = make("nav", { class: "wb-library-side", "aria-label": t("library.list") }, this.search, this.told, this.list);
    root.replaceChildren(side, this.shown);
  }

  async #look() {
    try {
      ({ templates: this.templates } = await this.api.get("/v1/templates"));
      this.told.textContent = "";
    } catch (failure) {
      this.told.textContent = this.t("library.failed", { reason: failure.message });
      return;
    }
    if (!this.templates.some(({ name }) => name === this.name)) this.name = this.templates[0]?.name ?? "";
    this.#show();
  }

  #show() {
    const hits = found(this.templates, this.search.value);
    const group = (key, some) => (some.length ? [make("h3", { textContent: this.t(key) }), ...some.map((one) => this.#row(one))] : []);
    const none = make("p", { class: "wb-empty", textContent: this.t("library.none") });
    const rows = [...group("library.own", hits.filter(({ builtin }) => !builtin)), ...group("library.builtin", hits.filter(({ builtin }) => builtin))];
    this.list.replaceChildren(...(rows.length ? rows : [none]));
    this.#open();
  }

  #row({ name, title, task }) {
    const words = [make("strong", { textContent: title[this.language] ?? name, dir: "auto" }), make("small", { textContent: this.t(`task.${task}`) })];
    const onclick = () => {
      this.name = name;
      for (const row of this.list.querySelectorAll("button")) row.setAttribute("aria-current", String(row.dataset.name === name));
      this.#open();
    };
    return make("button", { type: "button", class: "wb-library-row", "data-name": name, "aria-current": String(name === this.name), onclick }, ...words);
  }

  #open() {
    const template = this.templates.find(({ name }) => name === this.name);
    if (!template) return this.shown.replaceChildren();
    const { name, title, description, text, task } = template;
    const about = make("p", { class: "wb-library-about" }, make("code", { textContent: name }), make("span", { class: "wb-badge", textContent: this.t(`task.${task}`) }));
    this.shown.replaceChildren(
      make("h2", { textContent: title[this.language] ?? name, dir: "auto" }),
      about,
      make("p", { textContent: description[this.language] ?? "", dir: "auto" }),
      make("pre", { class: "wb-library-text", textContent: text, dir: "auto", tabindex: "0" }),
    );
  }
}
