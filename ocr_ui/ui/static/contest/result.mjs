// One run of the log: what became worse, the table, the charts, two against each other, and the worst pages.
import { make } from "../page/dom.mjs";
import { momentText } from "../page/moments.mjs";
import { explained, Failure } from "../viewer/api.mjs";
import { Against } from "./against.mjs";
import { dataName } from "./cards.mjs";
import { Chart, colorOf, plain, symbolOf } from "./charts.mjs";
import { factText } from "./pageview.mjs";
import { groupsTable, scoresTable, speedTable } from "./scores.mjs";
import { changeText, isRegression, normalizationText, number } from "./told.mjs";

const GROUPS = ["language", "kind", "tag"];

export class Result {
  /** `onpage({sides, side, number, pages})`: a page is to be shown. */
  constructor({ t, api, locale, plotly, onpage }) {
    Object.assign(this, { t, api, locale, plotly, onpage });
    this.against = new Against({ t, api, locale, plotly, onpage: (side, { page }) => this.#open(side, page, this.against.found.pages.map(({ number: one }) => one)) });
    const chart = (key) => new Chart({ address: plotly, label: t(key), failed: t("contest.no_chart") });
    this.charts = { scores: chart("contest.chart.scores"), time: chart("contest.chart.time") };
    this.element = make("div", { class: "wb-contest-result" });
  }

  /** Throws a Failure where there is no such run, or one without competitors. */
  async show(number) {
    this.wanted = number;
    const run = await this.api.get(`/v1/runs/${number}?pages=false`);
    if (this.wanted !== number) return;
    if (run.kind !== "evaluate") throw new Failure({ code: "no_competitors", message: this.t("contest.no_competitors", { n: number }) });
    this.run = run;
    this.sides = run.competitors.map(({ key, title }) => ({ run: number, key, title }));
    const { t } = this;
    const row = make("div", { class: "wb-contest-charts" }, this.charts.scores.element, this.charts.time.element);
    this.element.replaceChildren(
      this.#head(),
      ...this.#alarms(),
      scoresTable(run, this),
      make("p", { class: "wb-contest-hint", textContent: t("contest.scores.about", { share: `${Math.round(run.bootstrap.share * 100)}%`, draws: run.bootstrap.draws }) }),
      speedTable(run, this),
      make("p", { class: "wb-contest-hint", textContent: t("contest.speed.about", { n: run.at_once }) }),
      row,
      this.against.element,
      ...this.#groups(),
      this.#worst(),
      this.#conditions(),
    );
    this.against.offer(this.sides);
    this.#draw();
  }

  #head() {
    const { t, run, locale } = this;
    const when = momentText(run.made_at, locale);
    const about = [t("contest.set.pages", { n: run.data.pages.toLocaleString(locale) })];
    if (run.data.left_out.length) about.push(t("contest.set.left_out", { n: run.data.left_out.length }));
    about.push(when, ...(run.person ? [run.person] : []));
    const link = (path, key, name) => make("a", { class: "wb-download", href: `/v1/runs/${run.run}${path}`, download: name, textContent: t(key) });
    const links = make("div", { class: "wb-contest-row" }, link(`/report?language=${locale}`, "contest.report", `evaluation-${run.run}.html`), link("", "contest.json", `evaluation-${run.run}.json`));
    return make(
      "header",
      { class: "wb-contest-head" },
      make("div", {}, make("h2", { dir: "auto", tabindex: "-1", textContent: t("contest.run", { n: run.run, data: dataName(run.data.name, t) }) }), make("p", { textContent: about.join(" · ") }), make("p", { class: "wb-contest-hint", textContent: t("contest.compared", { equal: normalizationText(run.normalization, t) }) })),
      links,
    );
  }

  /** What is worse than in the last run of the same pages, and what had been changed. */
  #alarms() {
    return this.run.regressions.map((one) => this.#alarm(one)).filter(Boolean);
  }

  #alarm(one) {
    const { t, locale } = this;
    const { title } = this.run.competitors.find(({ key }) => key === one.key);
    const changes = one.changes.map((change) => changeText(change, t));
    const changed = t("contest.changed", { changes: changes.join(t("contest.semicolon")) || t("contest.changed.nothing") });
    if (!isRegression(one)) {
      const better = one.better.map(({ metric }) => t(`contest.metric.${metric}`)).join(t("contest.comma"));
      const said = better ? t("contest.no_regression.better", { title, run: one.run, better }) : t("contest.no_regression", { title, run: one.run });
      return make("p", { class: "wb-contest-hint", dir: "auto", textContent: `${said} ${changed}` });
    }
    const worse = one.worse.map((row) => t(row.verdict === "few" ? "contest.worse.few" : "contest.worse", { metric: t(`contest.metric.${row.metric}`), first: number(row.first, 4, locale), second: number(row.second, 4, locale), n: row.worse }));
    const lost = one.facts_lost.map(({ page, fact }) => t("contest.fact.lost", { page, fact: factText(fact, t) }));
    const items = [...worse, ...lost].map((textContent) => make("li", { dir: "auto", textContent }));
    return make("div", { class: "wb-contest-alarm", role: "alert" }, make("h3", { textContent: t("contest.regression") }), make("p", { dir: "auto", textContent: t("contest.regression.of", { title, run: one.run }) }), make("ul", {}, ...items), make("p", { dir: "auto", textContent: changed }));
  }

  #groups() {
    const { t, run } = this;
    const main = run.competitors.find((one) => one.main)?.main;
    const tables = main ? GROUPS.map((name) => groupsTable(run, name, main, this)).filter(Boolean) : [];
    if (!tables.length) return [];
    const summary = make("summary", { textContent: t("contest.groups", { metric: t(`contest.metric.${main}`) }) });
    return [make("details", { class: "wb-fold", id: "contest-groups" }, summary, ...tables)];
  }

  #worst() {
    const { t } = this;
    const select = make("select", { id: "contest-worst", class: "wb-input", onchange: () => this.#listWorst(this.sides[select.value]) }, ...this.sides.map(({ title }, index) => make("option", { value: index, textContent: title })));
    this.worstList = make("ol", { class: "wb-contest-worst" });
    const field = make("div", { class: "wb-field" }, make("label", { for: "contest-worst", textContent: t("contest.worst.of") }), select);
    this.#listWorst(this.sides[0]);
    return make("section", {}, make("h3", { textContent: t("contest.worst") }), field, this.worstList);
  }

  #listWorst(side) {
    const { t, locale } = this;
    const { pages } = this.run.worst.find(({ key }) => key === side.key);
    const order = pages.map(({ number: one }) => one);
    const items = pages.map((row, index) => {
      const said = t("contest.worst.row", { page: row.page, metric: t(`contest.metric.${row.metric}`), score: number(row.score, 4, locale) });
      const open = make("button", { type: "button", class: "wb-open", dir: "auto", textContent: said, onclick: () => this.#open(side, order[index], order) });
      return make("li", {}, open, row.error ? make("small", { class: "wb-wrong", dir: "auto", textContent: explained(row.error) }) : null);
    });
    this.worstList.replaceChildren(...(items.length ? items : [make("li", { class: "wb-contest-hint", textContent: t("contest.worst.none") })]));
  }

  #open(side, page, pages) {
    const sides = this.sides.some(({ key, run }) => key === side.key && run === side.run) ? this.sides : [side];
    const own = sides.find(({ key, run }) => key === side.key && run === side.run);
    this.onpage({ sides, side: own, number: page, pages });
  }

  #conditions() {
    const { t, run } = this;
    const told = (value) => (value && typeof value === "object" ? JSON.stringify(value) : String(value));
    const rows = [
      ...run.competitors.map((one) => [one.title, `${t("contest.version.short", { version: one.template_version })} · ${told(one.engine)} · ${told(one.sampling)}`]),
      [t("contest.checksum"), run.data.sha256],
      ...Object.entries(run.conditions).map(([name, value]) => [t(`contest.condition.${name}`), told(value)]),
    ];
    const body = rows.map(([name, value]) => make("tr", {}, make("th", { scope: "row", dir: "auto", textContent: name }), make("td", { dir: "auto", textContent: value })));
    return make("details", { class: "wb-fold", id: "contest-conditions" }, make("summary", { textContent: t("contest.conditions") }), make("table", { class: "wb-grid" }, make("tbody", {}, ...body)));
  }

  // Charts

  #draw() {
    const { t, run } = this;
    const measured = run.metrics.filter(({ key }) => run.competitors.some(({ scores }) => scores[key]));
    const bars = run.competitors.map((one, index) => {
      const scores = measured.filter(({ key }) => one.scores[key]).map(({ key }) => [t(`contest.metric.${key}`), one.scores[key]]);
      return {
        type: "bar",
        name: plain(one.title),
        x: scores.map(([name]) => name),
        y: scores.map(([, score]) => score.value),
        error_y: { type: "data", symmetric: false, array: scores.map(([, score]) => score.high - score.value), arrayminus: scores.map(([, score]) => score.value - score.low) },
        marker: { color: colorOf(index) },
      };
    });
    this.charts.scores.draw(bars, { barmode: "group", yaxis: { title: { text: t("contest.chart.score") } } });
    const timed = run.competitors.map((one, index) => [one, index]).filter(([one]) => one.main && one.seconds);
    const points = timed.map(([one, index]) => ({
      name: `${plain(one.title)} (${t(`contest.metric.${one.main}`)})`,
      mode: "markers",
      x: [one.seconds.p50],
      y: [one.scores[one.main].value],
      error_x: { type: "data", symmetric: false, array: [one.seconds.p95 - one.seconds.p50], arrayminus: [0] },
      marker: { size: 12, color: colorOf(index), symbol: symbolOf(index) },
    }));
    this.charts.time.draw(points, { showlegend: true, xaxis: { title: { text: t("contest.chart.seconds") }, rangemode: "tozero" }, yaxis: { title: { text: t("contest.chart.main") }, rangemode: "tozero" } });
  }
}
