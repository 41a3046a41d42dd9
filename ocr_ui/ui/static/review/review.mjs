/**
 * Reviewing: a start panel above the list, and a desk that takes the list's place. The list tells what its filters
 * find (`workbench:list`); everything else goes over REST, so that the next page is there at once.
 *
 * Events to the server: select {value: name}: the list is to show a saved filter; input: the list has changed.
 */

import { mountPart, partOf } from "../page/part.mjs";
import { followLogin, keepPerson, personOf } from "../page/person.mjs";
import { h } from "../viewer/dom.mjs";
import { Desk } from "./desk.mjs";
import { cameBack, placeOf } from "./place.mjs";
import { queryOf, queueAddress } from "./session.mjs";

const MODES = ["first", "blind", "visible", "disputes"];
const COUNT_MS = 300;

export function mount({ element, props, trigger }) {
  const made = () => new Start({ element, props, trigger });
  return mountPart(element, import.meta.url, ["review.css", "../compare/compare.css"], made);
}

class Start {
  constructor({ element, props, trigger }) {
    Object.assign(this, partOf(props, "review."), { props, trigger });
    // The list may have been drawn before this module was there.
    this.list = document.querySelector(".wb-list")?.listed ?? { query: {}, sort: "newest", total: 0 };
    this.root = element.querySelector(".wb-review");
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    document.addEventListener("workbench:list", ({ detail }) => this.#listed(detail), { signal });
    // The viewer of the desk is not the one that the page's address speaks of.
    this.root.addEventListener("workbench:item", (event) => event.stopPropagation(), { signal });
    this.#layOut();
    this.root.dataset.ready = "1";
    this.#goOn();
  }

  destroy() {
    this.leaving.abort();
    this.desk?.destroy();
  }

  #layOut() {
    const { t } = this;
    this.person = h("input", {
      type: "text",
      dir: "auto",
      autocomplete: "name",
      class: "wb-rv-name",
      id: "review-person",
      oninput: () => this.#named(),
    });
    this.person.value = personOf();
    followLogin(this.person, this.leaving.signal, () => this.#loggedIn());
    this.mode = h(
      "select",
      { id: "review-mode", onchange: () => this.#count() },
      MODES.map((mode) => h("option", { value: mode }, t(`mode.${mode}`))),
    );
    this.button = h(
      "button",
      { type: "button", id: "review-start", class: "wb-rv-button primary", disabled: true, onclick: () => this.#start() },
      t("start"),
    );
    const again = { type: "button", id: "review-resume", class: "wb-rv-button", hidden: true };
    this.resume = h("button", { ...again, onclick: () => this.#start(placeOf(this.#who)) });
    this.told = h("span", { class: "wb-rv-quiet", role: "status", id: "review-told" });
    this.saved = h("select", { id: "review-saved", onchange: () => this.#useSaved() });
    this.name = h("input", { type: "text", dir: "auto", id: "review-filter-name", placeholder: t("saved.name") });
    this.name.setAttribute("aria-label", t("saved.name"));
    const keep = h("button", { type: "button", class: "wb-rv-button", onclick: () => this.#keep() }, t("saved.keep"));
    this.remove = h("button", { type: "button", class: "wb-rv-button", onclick: () => this.#remove() }, t("saved.remove"));
    this.agreement = h("div", { class: "wb-rv-agreement" });
    const details = h("details", { ontoggle: (event) => event.target.open && this.#showAgreement() });
    details.append(h("summary", {}, t("agreement")), this.agreement);
    const label = (words, field) => h("label", { for: field.id }, h("span", {}, words), field);
    this.panel = h(
      "section",
      { class: "wb-rv-start", "aria-label": t("title") },
      h("div", { class: "wb-rv-row" }, label(t("person"), this.person), label(t("mode"), this.mode), this.button, this.resume, this.told),
      h("div", { class: "wb-rv-row" }, label(t("saved"), this.saved), this.remove, this.name, keep),
      details,
    );
    this.root.replaceChildren(this.panel);
    this.#showSaved();
    this.#count();
  }

  #loggedIn() {
    this.person.title = this.t("person.login");
    if (this.button) this.#count();
  }

  get #who() {
    return this.person.value.trim();
  }

  get #query() {
    return queryOf(this.mode.value, this.list.query, this.#who);
  }

  #named() {
    keepPerson(this.#who);
    this.#count();
  }

  #listed(detail) {
    this.list = detail;
    this.#count();
  }

  /** How many pages there are to review, a moment after the last change. */
  #count() {
    this.#offer();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#ask(), COUNT_MS);
  }

  async #ask() {
    const { t } = this;
    const mode = this.mode.value;
    const asked = (this.asked = {});
    if (!this.#who) return this.#say(t("name_first"), false);
    try {
      const { total } = await this.api.get(queueAddress(this.#query, this.list.sort, this.#who));
      if (asked !== this.asked) return;
      const nothing = this.list.total || mode !== "first" ? `nothing.${mode}` : "nothing.store";
      this.#say(total ? t("count", { n: total }) : t(nothing), total > 0);
    } catch (failure) {
      if (asked === this.asked) this.#say(t("failed", { reason: failure.message }), false);
    }
  }

  #say(words, possible) {
    this.told.textContent = words;
    this.button.disabled = !possible;
  }

  /** A page that was loaded anew goes on where it was; one that was opened anew offers to. */
  #goOn() {
    const back = cameBack();
    const place = back === null ? null : placeOf(back);
    if (!place) return;
    if (!this.person.readOnly) this.person.value = back;
    this.#start(place);
  }

  #offer() {
    const place = placeOf(this.#who);
    this.resume.hidden = !place;
    if (!place) return;
    const { trail, at, total, ids } = place.session;
    const number = ids.indexOf(trail[at]) + 1;
    this.resume.textContent = this.t("resume", { number, total, mode: this.t(`mode.${place.mode}`) });
  }

  #start(place = null) {
    const how = place ?? { mode: this.mode.value, query: this.#query, sort: this.list.sort };
    this.mode.value = how.mode;
    this.desk = new Desk({
      props: this.props,
      api: this.api,
      t: this.t,
      mode: how.mode,
      person: this.#who,
      query: how.query,
      sort: how.sort,
      place,
      onleave: () => this.#back(),
    });
    this.root.closest(".tabitem").classList.add("wb-reviewing");
    this.panel.hidden = true;
    this.root.append(this.desk.element);
    this.desk.start();
  }

  #back() {
    this.desk.destroy();
    this.desk.element.remove();
    this.desk = null;
    this.root.closest(".tabitem").classList.remove("wb-reviewing");
    this.panel.hidden = false;
    this.person.value = personOf();
    this.trigger("input", {});
    this.#count();
    this.button.disabled = false;
    this.button.focus();
  }

  // Saved filters -----------------------------------------------------------------------------------------------------

  async #showSaved(chosen = "") {
    const { filters } = await this.api.get("/v1/saved-filters").catch(() => ({ filters: [] }));
    const options = filters.map(({ name }) => h("option", { value: name }, name));
    this.saved.replaceChildren(h("option", { value: "" }, this.t(filters.length ? "saved.choose" : "saved.none")), ...options);
    this.saved.value = chosen;
    this.saved.disabled = !filters.length;
    this.remove.disabled = !chosen;
  }

  #useSaved() {
    const name = this.saved.value;
    this.remove.disabled = !name;
    if (name) this.trigger("select", { index: 0, value: name });
  }

  async #keep() {
    const name = this.name.value.trim();
    if (!name) return this.name.focus();
    const { query, sort } = this.list;
    try {
      await this.api.post("/v1/saved-filters", { name, query: { ...query, sort }, person: this.#who });
      this.name.value = "";
      await this.#showSaved(name);
    } catch (failure) {
      this.told.textContent = this.t("failed", { reason: failure.message });
    }
  }

  async #remove() {
    await this.api.post("/v1/saved-filters/remove", { name: this.saved.value }).catch(() => {});
    await this.#showSaved();
    this.saved.focus();
  }

  // Agreement ---------------------------------------------------------------------------------------------------------

  async #showAgreement() {
    const { t } = this;
    try {
      const { pairs, templates } = await this.api.get("/v1/agreement");
      const tables = [this.#table("pair", pairs), this.#table("template", templates)];
      this.agreement.replaceChildren(...(pairs.length ? tables : [h("p", { class: "wb-rv-quiet" }, t("agreement.none"))]));
    } catch (failure) {
      this.agreement.textContent = t("failed", { reason: failure.message });
    }
  }

  #table(kind, rows) {
    const { t } = this;
    const share = (value) => (value === null ? "–" : value.toLocaleString(this.props.language, { maximumFractionDigits: 3 }));
    const heads = [t(`agreement.${kind}`), ...["items", "same", "disputes", "cer", "box_f1", "fields"].map((key) => t(`agreement.${key}`))];
    const body = rows.map((row) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, h("bdi", {}, row.names.map((name) => name || t("somebody")).join(" · "))),
        [row.items, row.same, row.disputes].map((number) => h("td", {}, String(number))),
        [row.cer, row.box_f1, row.fields].map((value) => h("td", {}, share(value))),
      ),
    );
    const head = h("tr", {}, heads.map((words) => h("th", { scope: "col" }, words)));
    return h("table", { "data-agreement": kind }, h("thead", {}, head), h("tbody", {}, body));
  }
}
