// The log of runs: a curve over time for each set of pages, what changed at each point, and any two against each other.
import { make } from "../page/dom.mjs";
import { momentText } from "../page/moments.mjs";
import { Against } from "./against.mjs";
import { dataName } from "./cards.mjs";
import { Chart, colorOf, plain, symbolOf } from "./charts.mjs";
import { changeText, curves, isRegression, metricsOf, number, setsOf, speedCurves } from "./told.mjs";

const LISTED = 200;
const SPEED = "speed";

export class Log {
  /** `onopen(run)`: a run is to be shown; `onpage` as Result has it. */
  constructor({ t, api, locale, plotly, order, onopen, onpage }) {
    Object.assign(this, { t, api, locale, plotly, order, onopen });
    this.runs = [];
    this.set = make("select", { id: "contest-log-set", class: "wb-input", onchange: () => this.#setChosen() });
    this.metric = make("select", { id: "contest-log-metric", class: "wb-input", onchange: () => this.#metricChosen() });
    this.chart = new Chart({ address: plotly, label: t("contest.log.curve"), failed: t("contest.no_chart"), onpoint: ({ run }) => onopen(run), height: 340 });
    this.rows = make("tbody", {});
    this.told = make("p", { class: "wb-contest-hint", role: "status" });
    this.against = new Against({ t, api, locale, plotly, heading: "h2", name: "contest-log", onpage: (side, { page }) => onpage({ sides: [this.against.found.first, this.against.found.second].filter(({ run }) => run === side.run), side, number: page, pages: this.against.found.pages.map((one) => one.number) }) });
    this.empty = make("p", { class: "wb-empty", textContent: t("contest.log.empty") });
    const heads = ["run", "when", "kind", "who", "scores", "changed", "verdict"].map((name) => make("th", { scope: "col", textContent: t(`contest.log.${name}`) }));
    const table = make("table", { class: "wb-contest-table wb-contest-log" }, make("caption", { textContent: t("contest.log.runs") }), make("thead", {}, make("tr", {}, ...heads)), this.rows);
    const field = (key, select) => make("div", { class: "wb-field" }, make("label", { for: select.id, textContent: t(key) }), select);
    this.body = make(
      "div",
      { class: "wb-contest-result" },
      make("div", { class: "wb-contest-row" }, field("contest.log.set", this.set), field("contest.log.metric", this.metric)),
      this.chart.element,
      make("p", { class: "wb-contest-hint", textContent: t("contest.log.about") }),
      make("div", { class: "wb-contest-scroll", tabindex: "0", role: "region", "aria-label": t("contest.log.runs") }, table),
      this.told,
      this.against.element,
    );
    this.element = make("div", {}, this.empty, this.body);
  }

  async look() {
    const { runs } = await this.api.get(`/v1/runs?limit=${LISTED}`);
    if (JSON.stringify(runs) === JSON.stringify(this.runs)) return;
    this.runs = runs;
    this.#show();
  }

  #show() {
    const { t } = this;
    this.empty.hidden = this.runs.length > 0;
    this.body.hidden = !this.runs.length;
    const sets = setsOf(this.runs);
    const kept = this.set.value;
    this.set.replaceChildren(
      ...sets.map(({ sha256, name, pages, runs }) => make("option", { value: sha256, textContent: t("contest.log.option", { name: dataName(name, t), pages, runs, checksum: sha256.slice(0, 6) }) })),
    );
    if (sets.some(({ sha256 }) => sha256 === kept)) this.set.value = kept;
    this.#setChosen();
  }

  #setChosen() {
    const { t } = this;
    this.chosen = this.runs.filter(({ data_sha256: sha256 }) => sha256 === this.set.value);
    const metrics = metricsOf(this.chosen, this.order);
    const speed = this.chosen.some(({ kind }) => kind === "benchmark") ? [SPEED] : [];
    const kept = this.metric.value;
    this.metric.replaceChildren(...[...metrics, ...speed].map((name) => make("option", { value: name, textContent: t(`contest.metric.${name}`) })));
    // What the newest run is judged by, as long as nobody has chosen another.
    const main = this.chosen.flatMap(({ competitors = [] }) => competitors.map((one) => one.main)).find(Boolean);
    const wanted = this.picked ? kept : main;
    if ([...metrics, ...speed].includes(wanted)) this.metric.value = wanted;
    this.#draw();
    const sides = this.chosen.flatMap((run) => (run.competitors ?? []).map(({ key, title }) => ({ run: run.run, key, title: t("contest.log.side", { n: run.run, title }) })));
    // The one before the newest is what the newest is held against.
    this.against.offer(sides, sides.length > 1 ? [sides.find(({ run }) => run !== sides[0].run) ?? sides[1], sides[0]] : []);
  }

  #metricChosen() {
    this.picked = true;
    this.#draw();
  }

  #draw() {
    const speed = this.metric.value === SPEED;
    const found = speed ? speedCurves(this.chosen) : curves(this.chosen, this.metric.value);
    const value = speed ? ({ seconds }) => seconds.p50 : ({ score }) => score.value;
    const spread = speed ? ({ seconds }) => [0, seconds.p95 - seconds.p50] : ({ score }) => [score.value - score.low, score.high - score.value];
    const traces = found.map(({ name, points }, index) => ({
      name: plain(name),
      mode: "lines+markers",
      x: points.map(({ when }) => new Date(when)),
      y: points.map(value),
      error_y: { type: "data", symmetric: false, array: points.map((point) => spread(point)[1]), arrayminus: points.map((point) => spread(point)[0]), thickness: 1 },
      line: { color: colorOf(index) },
      marker: { size: points.map(({ worse }) => (worse ? 14 : 8)), color: points.map(({ worse }) => (worse ? "#b91c1c" : colorOf(index))), symbol: points.map(({ worse }) => (worse ? "x" : symbolOf(index))) },
      text: points.map((point) => this.#pointText(point)),
      customdata: points.map(({ run }) => ({ run })),
      hovertemplate: "%{text}<br>%{y:.4f}<extra>%{fullData.name}</extra>",
    }));
    this.chart.draw(traces, { showlegend: true, xaxis: { type: "date" }, yaxis: { title: { text: this.t(`contest.metric.${this.metric.value}`) } } });
    this.rows.replaceChildren(...this.chosen.map((run) => this.#row(run)));
  }

  #pointText({ run, changes, worse }) {
    const { t } = this;
    const marks = [t("contest.log.number", { n: run }), ...(worse ? [t("contest.regression")] : []), ...changes.map((change) => changeText(change, t))];
    return marks.map(plain).join("<br>");
  }

  #row(run) {
    const { t, locale } = this;
    const benchmark = run.kind === "benchmark";
    const open = benchmark
      ? make("a", { class: "wb-contest-link", href: `/v1/runs/${run.run}`, download: `benchmark-${run.run}.json`, textContent: t("contest.log.number", { n: run.run }) })
      : make("button", { type: "button", class: "wb-open", textContent: t("contest.log.number", { n: run.run }), onclick: () => this.onopen(run.run) });
    const when = momentText(run.made_at, locale);
    const who = benchmark ? [`${run.template} · ${run.engine_name}`] : run.competitors.map(({ title }) => title);
    const changes = (benchmark ? (run.against?.changes ?? []) : run.regressions.flatMap((one) => one.changes)).map((change) => changeText(change, t));
    const worse = benchmark ? this.#slower(run) : this.#worse(run);
    const lines = (texts) => texts.map((textContent) => make("div", { dir: "auto", textContent }));
    return make(
      "tr",
      { "data-run": run.run, "data-regression": String(worse.length > 0) },
      make("th", { scope: "row" }, open),
      make("td", {}, make("time", { datetime: run.made_at, textContent: when }), run.person ? make("small", { dir: "auto", textContent: run.person }) : null),
      make("td", { class: "wb-contest-kind", textContent: t(`contest.log.kind.${run.kind}`) }),
      make("td", {}, ...lines(who)),
      make("td", {}, ...lines(this.#figures(run))),
      make("td", {}, ...lines([...new Set(changes)])),
      make("td", {}, ...(worse.length ? [make("strong", { class: "wb-wrong", textContent: t(benchmark ? "contest.slower" : "contest.regression") }), ...lines(worse)] : [])),
    );
  }

  #figures(run) {
    const { t, locale } = this;
    if (run.kind === "benchmark") {
      return (run.loads ?? []).map((load) => t("contest.log.load", { n: load.at_once, p50: number(load.all.seconds?.p50, 2, locale), p99: number(load.all.seconds?.p99, 2, locale), speed: number(load.pages_per_second, 2, locale) }));
    }
    const metric = this.metric.value;
    return run.competitors.map(({ key, scores }) => `${key}: ${number(scores[metric]?.value, 4, locale)}`);
  }

  #worse(run) {
    const { t, locale } = this;
    return run.regressions.filter(isRegression).flatMap(({ key, run: before, worse, facts_lost: lost }) => [
      t("contest.log.against", { key, run: before }),
      ...worse.map(({ metric, first, second }) => `${t(`contest.metric.${metric}`)} ${number(first, 4, locale)} → ${number(second, 4, locale)}`),
      ...(lost.length ? [t("contest.log.facts", { n: lost.length })] : []),
    ]);
  }

  #slower(run) {
    const { t, locale } = this;
    return (run.against?.loads ?? []).filter(({ slower }) => slower).map(({ at_once: n, first, second }) => t("contest.log.slower", { n, run: run.against.run, first: number(first, 2, locale), second: number(second, 2, locale) }));
  }
}
