/** The guidelines of the project beside the work: shown, written, and their older versions seen, compared, brought back. */

import { momentText } from "../page/moments.mjs";
import { explained } from "../viewer/api.mjs";
import { h, setText } from "../viewer/dom.mjs";
import { lineDiff } from "./linediff.mjs";

const SIGNS = { same: " ", removed: "−", added: "+" };

export class GuidelinesView {
  /** @param {() => string} parts.person */
  constructor({ api, t, person }) {
    Object.assign(this, { api, t, person });
    this.element = h("div", { class: "wb-rv-rules" });
  }

  async open() {
    this.element.replaceChildren();
    await this.#try(async () => this.#show(await this.api.get("/v1/guidelines")));
  }

  async #try(work) {
    try {
      await work();
    } catch (failure) {
      this.element.append(h("p", { role: "alert" }, this.t("failed", { reason: failure.message })));
    }
  }

  #button(word, onclick, more = {}) {
    return h("button", { type: "button", class: "wb-rv-button", ...more, onclick }, this.t(word));
  }

  /** The newest version. */
  #show(newest) {
    this.newest = newest;
    const { version } = newest;
    const word = version ? "guidelines.edit" : "guidelines.write";
    const buttons = [this.#button(word, () => this.#edit(newest.text))];
    if (version > 1) buttons.push(this.#button("guidelines.versions", () => this.#try(() => this.#versions())));
    const none = h("p", { class: "wb-rv-quiet" }, this.t("guidelines.none"));
    const parts = version ? [this.#about(newest), rendered(newest.html)] : [none];
    this.element.replaceChildren(...parts, h("div", { class: "wb-rv-row" }, buttons));
  }

  #about({ version, person, saved_at: time }) {
    const when = time && momentText(time);
    const values = { version, person: person || this.t("somebody"), time: when };
    return h("p", { class: "wb-rv-quiet" }, this.t("guidelines.version", values));
  }

  async #versions() {
    const { versions } = await this.api.get("/v1/guidelines/versions");
    const older = versions.filter(({ version }) => version < this.newest.version);
    const option = (one) => h("option", { value: one.version }, this.#about(one).textContent);
    const choice = h("select", { class: "wb-rv-choice", "aria-label": this.t("guidelines.versions") }, older.map(option));
    const shown = h("div", { class: "wb-rv-rules" });
    choice.addEventListener("change", () => this.#try(() => this.#older(choice.value, shown)));
    const back = this.#button("guidelines.newest", () => this.#show(this.newest));
    this.element.replaceChildren(choice, shown, h("div", { class: "wb-rv-row" }, back));
    await this.#older(choice.value, shown);
    choice.focus();
  }

  async #older(version, host) {
    const old = await this.api.get(`/v1/guidelines?version=${version}`);
    const text = rendered(old.html);
    const compare = this.#button("guidelines.compare", () => this.#turn(compare, text, changes), { "aria-pressed": "false" });
    const changes = this.#changes(old);
    changes.hidden = true;
    // Brought back by hand: what is saved is a new version, and who does it sees what that will be.
    const restore = this.#button("guidelines.restore", () => this.#edit(old.text));
    host.replaceChildren(h("div", { class: "wb-rv-row" }, compare, restore), text, changes);
  }

  #turn(button, text, changes) {
    changes.hidden = !changes.hidden;
    text.hidden = !changes.hidden;
    button.setAttribute("aria-pressed", String(!changes.hidden));
  }

  /** What became of an old version, as its source. */
  #changes(old) {
    const rows = lineDiff(old.text, this.newest.text);
    if (rows.every(({ kind }) => kind === "same")) return h("p", { class: "wb-rv-quiet" }, this.t("guidelines.same"));
    const line = ({ kind, text }) => {
      const tag = { same: "span", removed: "del", added: "ins" }[kind];
      return h("li", { "data-kind": kind }, h("span", { "aria-hidden": "true" }, SIGNS[kind]), h(tag, { dir: "auto" }, text));
    };
    return h("ol", { class: "wb-rv-changes" }, rows.map(line));
  }

  #edit(text) {
    let { version } = this.newest;
    const field = h("textarea", { class: "wb-rv-field", rows: "16", dir: "auto", "aria-label": this.t("guidelines.text") });
    field.value = text;
    const told = h("p", { class: "wb-rv-quiet", role: "status" }, this.t("guidelines.markdown"));
    const keep = async () => {
      try {
        const body = { text: field.value, base_version: version, person: this.person() };
        this.#show(await this.api.post("/v1/guidelines", body));
      } catch (failure) {
        if (failure.code === "guidelines_changed") version = failure.details.version;
        setText(told, explained(failure));
      }
    };
    const save = this.#button("guidelines.save", keep, { class: "wb-rv-button primary" });
    const cancel = this.#button("cancel", () => this.#show(this.newest));
    this.element.replaceChildren(field, told, h("div", { class: "wb-rv-row" }, save, cancel));
    field.focus();
  }
}

function rendered(html) {
  const text = h("div", { class: "wb-rv-guidelines", tabindex: "0", dir: "auto" });
  text.innerHTML = html; // made safe by the server, see ocr_ui.render
  return text;
}
