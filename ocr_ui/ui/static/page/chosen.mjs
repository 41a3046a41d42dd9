// What is done with the rows that are ticked: reading again, comparing, deleting.
import { explained, Failure } from "../viewer/api.mjs";
import { ask } from "../viewer/dialogs.mjs";
import { make, say } from "./dom.mjs";
import { apiOf } from "./part.mjs";
import { personOf } from "./person.mjs";
import { Question } from "./question.mjs";

/** The two items that can be compared, or null: two, of one picture. */
export function comparable(items) {
  return items.length === 2 && items[0].picture === items[1].picture ? items : null;
}

export class Chosen {
  /** `engines`: [title, name] each; `oncompare(item, other)`; `onchanged()`: rows are gone. */
  constructor({ words, language, engines, oncompare, onchanged }) {
    Object.assign(this, { words, oncompare, onchanged });
    this.api = apiOf(words, language);
    this.shown = [];
    this.ids = new Set();
    this.count = make("span", { class: "wb-chosen-count" });
    this.question = new Question({ engines, api: this.api, language, t: (key) => this.#say(key) });
    this.again = this.#button("again", () => this.#readAgain());
    this.compare = this.#button("compare", () => this.oncompare(...comparable(this.items).map((item) => item.id)));
    this.remove = this.#button("delete", () => this.#delete());
    this.told = make("p", { class: "wb-chosen-told", role: "status", dir: "auto" });
    this.element = make(
      "div",
      { class: "wb-chosen", role: "group", "aria-label": this.#say("what") },
      this.count,
      make("span", { class: "wb-chosen-again" }, this.again, ...this.question.elements),
      this.compare,
      this.remove,
      this.told,
    );
    this.#askRights();
  }

  get items() {
    return this.shown.filter((item) => this.ids.has(item.id));
  }

  /** Other rows: only what is seen stays ticked. */
  show(items) {
    this.shown = items;
    const there = new Set(items.map((item) => item.id));
    this.ids = new Set([...this.ids].filter((id) => there.has(id)));
    this.element.hidden = items.length === 0;
    if (items.length) this.question.load();
    this.#render();
  }

  /** The box of one row. */
  box(item, name) {
    const change = (yes) => (yes ? this.ids.add(item.id) : this.ids.delete(item.id));
    return this.#box(`one-${item.id}`, say(this.words, "list.choose", { name }), this.ids.has(item.id), change);
  }

  /** The box of all rows. */
  boxOfAll() {
    this.all = this.#box("all", this.#say("all"), false, (yes) => {
      this.ids = new Set(yes ? this.shown.map((item) => item.id) : []);
      for (const box of this.all.closest("table").querySelectorAll("tbody .wb-choose")) box.checked = yes;
    });
    this.#render();
    return this.all;
  }

  #box(key, label, checked, change) {
    const onchange = (event) => {
      change(event.target.checked);
      this.told.textContent = "";
      this.#render();
    };
    const box = make("input", { type: "checkbox", class: "wb-choose", "aria-label": label, onchange });
    box.dataset.focus = `choose-${key}`;
    box.checked = checked;
    return box;
  }

  #render() {
    const { items } = this;
    const n = items.length;
    this.count.textContent = say(this.words, n === 1 ? "list.chosen_one" : "list.chosen", { n });
    this.again.disabled = this.question.disabled = !n || !this.may("recognize");
    this.compare.disabled = !comparable(items);
    this.remove.disabled = !n || !this.may("admin");
    this.remove.title = this.#say(this.may("admin") ? "delete.title" : "delete.not_allowed");
    if (!this.all) return;
    this.all.checked = n > 0 && n === this.shown.length;
    this.all.indeterminate = n > 0 && n < this.shown.length;
  }

  may(action) {
    return !this.actions || this.actions.includes(action);
  }

  async #askRights() {
    try {
      this.actions = (await this.api.get("/v1/me")).actions;
    } catch {
      return; // the server refuses what is not allowed, and says so
    }
    this.#render();
  }

  async #readAgain() {
    const items = this.items.map((item) => item.id);
    await this.#doing(this.again, async () => {
      const body = { items, ...this.question.value, person: personOf() };
      const { jobs } = await this.api.post("/v1/jobs/again", body);
      document.dispatchEvent(new CustomEvent("workbench:job"));
      return this.#say("again.begun", { jobs: jobs.map((job) => job.job).join(", ") });
    });
  }

  async #delete() {
    const items = this.items.map((item) => item.id);
    const n = items.length;
    if (!(await this.#agreed(this.#say(n === 1 ? "delete.sure_one" : "delete.sure", { n }), "delete.yes"))) return;
    await this.#doing(this.remove, async () => (await this.#deleted(items, false)) ?? "");
  }

  async #deleted(items, frozen) {
    try {
      const gone = await this.api.post("/v1/items/delete", { items, frozen }, { timeout: 120_000 });
      this.ids.clear();
      this.onchanged();
      return this.#say("delete.done", { items: gone.items, pictures: gone.pictures });
    } catch (failure) {
      if (failure.code !== "item_frozen" || !(await this.#agreed(failure.message, "delete.frozen"))) throw failure;
      return this.#deleted(items, true);
    }
  }

  async #agreed(words, yes) {
    const choices = [
      ["no", this.#say("delete.no"), true],
      ["yes", this.#say(yes)],
    ];
    return (await ask(this.element, words, choices)) === "yes";
  }

  async #doing(button, work) {
    button.setAttribute("aria-busy", "true");
    this.told.textContent = this.#say("doing");
    try {
      this.told.textContent = await work();
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      this.told.textContent = explained(failure, this.#say("unreachable"));
    } finally {
      button.removeAttribute("aria-busy");
    }
  }

  #button(key, onclick) {
    const text = { textContent: this.#say(key), title: this.#say(`${key}.title`) };
    return make("button", { type: "button", class: "wb-turn", id: `chosen-${key}`, ...text, onclick });
  }

  #say(key, values = {}) {
    return say(this.words, `list.${key}`, values);
  }
}
