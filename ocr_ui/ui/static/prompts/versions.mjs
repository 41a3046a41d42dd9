// The versions of a template: when, by whom and why each was saved, how its readings turned out, what it changed.
import { make } from "../page/dom.mjs";
import { hand } from "../page/handed.mjs";
import { momentText } from "../page/moments.mjs";
import { button, difference } from "./field.mjs";
import { settingChanges, textDiff } from "./wording.mjs";

const AGAIN_MS = 200;
const SETTINGS = ["task", "structured", "variables"];

export class Versions {
  /**
   * @param {object} parts
   * @param {() => Promise<object>} parts.load the answer of /v1/templates/NAME
   * @param {((version: string) => void) | null} parts.restore null for who may not
   */
  constructor({ t, language, name, load, restore }) {
    Object.assign(this, { t, language, name, load, restore });
    this.told = make("p", { class: "wb-library-quiet", role: "status" });
    this.list = make("ol", { class: "wb-library-versions" });
    this.element = make("div", {}, this.told, this.list);
  }

  /** Loads them, and again while rewards are still being worked out and this is looked at. */
  async show() {
    clearTimeout(this.timer);
    let found;
    try {
      found = await this.load();
    } catch (failure) {
      this.told.textContent = this.t("library.failed", { reason: failure.message });
      return;
    }
    const { versions, unscored } = found;
    this.told.textContent = this.#summary(versions, unscored);
    // While figures are worked out they alone change: whoever reads or compares below is not disturbed.
    const written = JSON.stringify(versions.map(({ uses, ...rest }) => [rest, !!uses]));
    if (written !== this.written) this.#draw(versions);
    else for (const { version, uses } of versions) this.list.querySelector(`[data-version="${version}"] dl`)?.replaceWith(this.#scores(uses));
    this.written = written;
    if (unscored && this.element.isConnected) this.timer = setTimeout(() => this.element.offsetParent && this.show(), AGAIN_MS);
  }

  #summary(versions, unscored) {
    if (unscored) return this.t("library.scores.pending", { n: unscored.toLocaleString(this.language) });
    return versions.some(({ uses }) => uses) ? this.t("library.scores.about") : this.t("library.scores.none");
  }

  #draw(versions) {
    this.list.replaceChildren(...versions.map((one, place) => this.#row(one, versions, place)));
  }

  #row(one, versions, place) {
    const { t } = this;
    const name = one.builtin ? t("library.version.builtin") : t("library.version", { n: one.number });
    const about = [
      one.saved && momentText(one.saved, this.language),
      one.from_file ? t("library.version.file") : one.person,
    ].filter(Boolean);
    const head = make(
      "div",
      { class: "wb-library-version-head" },
      make("strong", { textContent: name }),
      one.current ? make("span", { class: "wb-badge", "data-kind": "current", textContent: t("library.version.current") }) : null,
      make("code", { textContent: one.version }),
      make("small", { textContent: about.join(" · "), dir: "auto" }),
    );
    const other = versions[place + 1];
    const host = make("div", { hidden: true });
    const acts = make(
      "div",
      { class: "wb-library-acts" },
      versions.length > 1 ? this.#compareButton(one, versions, other ?? versions.find(({ current }) => current) ?? versions[0], host) : null,
      one.current ? null : button(t("library.try_beside"), () => hand({ template: `${this.name}@${one.version}` }, "try"), { "data-act": "try" }),
      one.current || !this.restore ? null : button(t("library.version.restore"), () => this.restore(one.version), { "data-act": "restore" }),
      make("a", { class: "wb-download", download: "", href: `/v1/templates/${this.name}/file?version=${one.version}`, textContent: t("library.version.file.get") }),
    );
    return make(
      "li",
      { "data-version": one.version },
      head,
      one.note ? make("p", { class: "wb-library-note", textContent: one.note, dir: "auto" }) : null,
      this.#scores(one.uses),
      acts,
      host,
    );
  }

  /** Readings, and of the accepted ones the three figures. */
  #scores(uses) {
    const { t, language } = this;
    if (!uses) return null;
    const rate = (value) => (value === null ? "–" : value.toLocaleString(language, { style: "percent", maximumFractionDigits: 1 }));
    const part = (key, value) => make("div", {}, make("dt", { textContent: t(`library.score.${key}`) }), make("dd", { textContent: value }));
    const figures = [
      part("readings", uses.readings.toLocaleString(language)),
      part("accepted", uses.accepted.toLocaleString(language)),
      part("cer", rate(uses.cer)),
      part("edited", rate(uses.edited)),
      part("reward", uses.reward === null ? "–" : uses.reward.toLocaleString(language, { maximumFractionDigits: 3 })),
    ];
    return make("dl", { class: "wb-library-scores" }, ...figures);
  }

  #compareButton(one, versions, first, host) {
    const press = button(this.t("library.version.compare"), () => {
      host.hidden = !host.hidden;
      press.setAttribute("aria-expanded", String(!host.hidden));
      if (!host.hidden) this.#compare(one, versions, first, host);
    }, { "data-act": "compare", "aria-expanded": "false" });
    return press;
  }

  #compare(one, versions, first, host) {
    const { t } = this;
    const label = (other) => (other.builtin ? t("library.version.builtin") : t("library.version", { n: other.number }));
    const others = versions.filter((other) => other !== one);
    const options = others.map((other) => make("option", { value: other.version, textContent: label(other) }));
    const choice = make("select", { class: "wb-input", "aria-label": t("library.version.with") }, ...options);
    const shown = make("div", {});
    const show = () => {
      const before = others.find(({ version }) => version === choice.value);
      const settings = settingChanges(before, one).map(({ key, before: from, after }) =>
        make("li", { textContent: t("library.change", { name: SETTINGS.includes(key) ? t(`library.change.${key}`) : key, before: from || "–", after: after || "–" }), dir: "auto" }),
      );
      const same = before.text === one.text;
      const text = same ? make("p", { class: "wb-library-quiet", textContent: t("library.same_text") }) : difference(textDiff(before.text, one.text));
      shown.replaceChildren(text, make("ul", { class: "wb-library-changes" }, ...settings));
    };
    choice.value = (first === one ? others[0] : first).version;
    choice.addEventListener("change", show);
    host.replaceChildren(make("label", { class: "wb-library-with" }, make("span", { textContent: t("library.version.with") }), choice), shown);
    show();
  }
}
