/** Drift by day: what shifted and where to look first, over charts in that order, all asked of /v1/drift. */

import { make } from "../page/dom.mjs";
import { mountPart, partOf, watchSight } from "../page/part.mjs";
import { drawChart } from "../page/plotly.mjs";
import { explained } from "../viewer/api.mjs";
import { charts, events, foundWord, GROUPS, markText, tooFew } from "./drifts.mjs";
import { button, labelled } from "./field.mjs";
import { fillTemplates } from "./templatelist.mjs";

const DAYS = [7, 30, 90, 365];
const START = 30;

export function mount({ element, props }) {
  const made = () => new Drift(element.querySelector(".wb-drift"), props);
  return mountPart(element, import.meta.url, ["prompts.css", "charts.css"], made);
}

class Drift {
  constructor(root, props) {
    Object.assign(this, partOf(props), { root, plotly: props.plotly, plots: new Map() });
    this.#build();
    this.seen = watchSight(root, (visible) => visible && this.look());
  }

  destroy() {
    this.seen.disconnect();
  }

  #build() {
    const { t } = this;
    const options = DAYS.map((n) => make("option", { value: n, textContent: t("drift.days", { n }) }));
    this.days = make("select", { class: "wb-input", id: "drift-days", onchange: () => this.look() }, ...options);
    this.days.value = START;
    this.template = make("select", { class: "wb-input", id: "drift-template", onchange: () => this.look() });
    this.told = make("p", { class: "wb-figures-told", role: "status", "data-first": "" });
    this.few = make("p", { class: "wb-drift-quiet" });
    this.events = make("div", { class: "wb-figures-shown" });
    this.groups = new Map(GROUPS.map((group) => [group, this.#group(group)]));
    this.shown = make("div", { class: "wb-figures-shown" }, ...[...this.groups.values()].map(({ section }) => section));
    this.root.replaceChildren(
      make("p", { textContent: t("drift.about") }),
      make(
        "div",
        { class: "wb-figures-bar" },
        labelled(t("drift.span"), this.days),
        labelled(t("drift.template"), this.template),
        make("div", { class: "wb-figures-acts" }, button(t("drift.refresh"), () => this.look(), { id: "drift-refresh" })),
      ),
      this.told,
      this.few,
      this.events,
      this.shown,
    );
    this.shown.hidden = true;
  }

  #group(group) {
    const figures = make("div", { class: "wb-figures-charts" });
    const marks = make("ul", { "data-marks": group });
    const section = make("section", { "data-group": group }, make("h2", { textContent: this.t(`drift.group.${group}`) }), marks, figures);
    return { section, figures, marks };
  }

  async look() {
    const asked = (this.asked = {});
    this.told.textContent ||= this.t("drift.looking");
    try {
      await fillTemplates(this.template, this.api, this.language, [["", this.t("drift.template.all")]]);
      const query = new URLSearchParams({ days: this.days.value, template: this.template.value });
      const told = await this.api.get(`/v1/drift?${query}`);
      if (asked === this.asked) this.#show(told);
    } catch (failure) {
      this.told.textContent = explained(failure);
    }
  }

  #show(told) {
    const { t, language } = this;
    this.shown.hidden = !told.days.length;
    const found = events(told, t, language);
    this.told.textContent = t(foundWord(told), { n: found.length });
    this.few.textContent = told.days.length ? tooFew(told, t, language) : "";
    this.events.replaceChildren(...found.map((event) => this.#event(event)));
    for (const [group, { marks }] of this.groups) {
      const texts = told.marks.flatMap((mark, n) => (mark.group === group ? [markText(mark, n + 1, t)] : []));
      if (group === "data") marks.hidden = true;
      else marks.replaceChildren(...(texts.length ? texts : [t("drift.marks.none")]).map((textContent) => make("li", { textContent, dir: "auto" })));
    }
    if (told.days.length) for (const chart of charts(told, t)) this.#draw(chart);
  }

  #event({ day, first, lines }) {
    const listed = lines.map(({ group, text }) => make("li", { dir: "auto" }, make("strong", { textContent: this.t(`drift.in.${group}`) }), text));
    const heading = make("h3", { textContent: this.t("drift.event", { day }) });
    return make("article", { class: "wb-drift-event", "data-day": day }, heading, make("strong", { textContent: first }), make("ul", {}, ...listed));
  }

  #draw(chart) {
    if (!this.plots.has(chart.id)) {
      const plot = make("div", { class: "wb-figures-plot" });
      const none = make("p", { class: "wb-drift-quiet", textContent: this.t(`drift.chart.none.${chart.id}`) });
      this.groups.get(chart.group).figures.append(make("figure", { "data-chart": chart.id }, make("h3", { textContent: chart.title }), plot, none));
      this.plots.set(chart.id, { plot, none });
    }
    const { plot, none } = this.plots.get(chart.id);
    plot.hidden = chart.empty;
    none.hidden = !chart.empty;
    if (!chart.empty) drawChart(this.plotly, this.root, plot, chart).catch((error) => (this.told.textContent = error.message));
  }
}
