/** How far confidences can be trusted: measured, looked at, kept, all asked of /v1/calibrations. */

import { make } from "../page/dom.mjs";
import { mountPart, partOf, watchSight } from "../page/part.mjs";
import { personOf } from "../page/person.mjs";
import { drawChart } from "../page/plotly.mjs";
import { explained } from "../viewer/api.mjs";
import { button, labelled } from "./field.mjs";
import { keyOf, load, reliability, row } from "./measured.mjs";
import { fillTemplates } from "./templatelist.mjs";

const COLUMNS = ["part", "engine", "count", "wrong", "error", "missed", "threshold", "load", "caught", "state"];
const CHARTS = ["reliability", "load"];

export function mount({ element, props }) {
  const made = () => new Confidence(element.querySelector(".wb-confidence"), props);
  return mountPart(element, import.meta.url, ["prompts.css", "charts.css"], made);
}

class Confidence {
  constructor(root, props) {
    const own = { rows: [], chosen: "", kept: true, leaving: new AbortController() };
    Object.assign(this, partOf(props), { root, plotly: props.plotly, ...own });
    this.#build();
    this.seen = watchSight(root, (visible) => visible && this.look());
  }

  destroy() {
    this.seen.disconnect();
    this.leaving.abort();
  }

  #build() {
    const { t } = this;
    this.template = make("select", { class: "wb-input", id: "confidence-template", onchange: () => this.list() });
    this.missed = make("input", { type: "number", class: "wb-input", id: "confidence-missed", min: "0", max: "99.9", step: "0.5", value: "5" });
    // A handler that gives back false keeps the key from the field.
    this.missed.onkeydown = (event) => void (event.key === "Enter" && this.measure(false));
    this.measuring = button(t("confidence.measure"), () => this.measure(false), { id: "confidence-measure" });
    this.keeping = button(t("confidence.keep"), () => this.measure(true), { id: "confidence-keep" });
    this.told = make("p", { class: "wb-figures-told", role: "status" });
    this.bar = make("progress", { max: 1, "aria-label": t("confidence.measuring") });
    this.count = make("span");
    this.far = make("p", { class: "wb-figures-told", hidden: true }, this.bar, " ", this.count);
    this.table = make("table", { class: "wb-table" });
    this.plots = new Map(CHARTS.map((id) => [id, make("div", { class: "wb-figures-plot" })]));
    const figure = (id) => make("figure", { "data-chart": id }, make("h2", { textContent: t(`confidence.chart.${id}`) }), this.plots.get(id));
    const charts = make("div", { class: "wb-figures-charts" }, ...CHARTS.map(figure));
    this.shown = make("div", { class: "wb-figures-shown" }, make("div", { class: "wb-figures-scroll" }, this.table), charts);
    this.root.replaceChildren(
      make("p", { textContent: t("confidence.about") }),
      make(
        "div",
        { class: "wb-figures-bar" },
        labelled(t("confidence.template"), this.template),
        labelled(t("confidence.missed"), this.missed, t("confidence.missed.help")),
        make("div", { class: "wb-figures-acts" }, this.measuring, this.keeping),
      ),
      this.told,
      this.far,
      this.shown,
    );
    this.#show([], true);
  }

  /** What there is, when the section comes into view; what was measured and not kept stays. */
  async look() {
    try {
      await fillTemplates(this.template, this.api, this.language);
      if (this.kept) await this.list();
    } catch (failure) {
      this.#fail(failure);
    }
  }

  async list() {
    const asked = this.template.value;
    try {
      const { thresholds } = await this.api.get(`/v1/calibrations?template=${encodeURIComponent(asked)}`);
      if (asked !== this.template.value) return;
      this.#show(thresholds, true);
    } catch (failure) {
      this.#fail(failure);
    }
  }

  async measure(keep) {
    if (this.busy || (keep && this.keeping.disabled)) return;
    if (!this.missed.reportValidity()) return;
    this.#work(true);
    this.told.textContent = this.t("confidence.measuring");
    const template = this.template.value;
    try {
      const asked = { template, miss_rate: Number(this.missed.value) / 100, keep, person: personOf(), progress: true };
      const { thresholds } = await this.api.lines("/v1/calibrations", asked, (step) => this.#progress(step), this.leaving.signal);
      if (template === this.template.value) this.#show(thresholds, keep);
    } catch (failure) {
      this.#fail(failure);
    }
    this.#work(false);
  }

  /** Shown from the second step on: what is done at once has no bar that comes and goes. */
  #progress({ done, total }) {
    this.far.hidden = !done;
    this.bar.value = total ? done / total : 0;
    const [at, all] = [done, total].map((value) => value.toLocaleString(this.language));
    this.count.textContent = this.t("confidence.far", { done: at, total: all });
  }

  #work(busy) {
    this.busy = busy;
    this.far.hidden = true;
    this.measuring.setAttribute("aria-busy", String(busy));
    this.measuring.disabled = busy;
    this.keeping.disabled = busy || this.kept;
  }

  #fail(failure) {
    this.told.textContent = explained(failure);
  }

  #show(rows, kept) {
    Object.assign(this, { rows, kept });
    this.keeping.disabled = kept;
    this.told.textContent = this.t(rows.length ? (kept ? "confidence.kept" : "confidence.not_kept") : "confidence.none");
    this.shown.hidden = !rows.length;
    if (!rows.length) return;
    if (!rows.some((one) => keyOf(one) === this.chosen)) this.chosen = keyOf(rows[0]);
    const head = COLUMNS.map((name) => make("th", { scope: "col", textContent: this.t(`confidence.column.${name}`) }));
    this.table.replaceChildren(make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows.map((one) => this.#row(one))));
    this.#draw();
  }

  #row(one) {
    const { name, texts, state } = row(one, this.t, this.language);
    const key = keyOf(one);
    const choose = button(name, () => this.#choose(key), { "data-part": one.part, "aria-pressed": String(key === this.chosen) });
    const cells = texts.map((textContent) => make("td", { textContent, dir: "auto" }));
    return make("tr", { "data-state": state }, make("th", { scope: "row" }, choose), ...cells);
  }

  #choose(key) {
    this.chosen = key;
    for (const [number, one] of this.rows.entries()) {
      this.table.tBodies[0].rows[number].querySelector("button").setAttribute("aria-pressed", String(keyOf(one) === key));
    }
    this.#draw();
  }

  #draw() {
    const { figures } = this.rows.find((one) => keyOf(one) === this.chosen);
    const shown = [reliability(figures, this.t), load(figures, this.t, this.language)];
    for (const [number, id] of CHARTS.entries()) {
      drawChart(this.plotly, this.root, this.plots.get(id), shown[number]).catch((error) => this.#fail(error));
    }
  }
}
