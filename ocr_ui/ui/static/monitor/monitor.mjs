/**
 * The Monitor tab: what limits the speed now, the figures of the moment, and charts of the last 20 minutes, all asked
 * of /v1/monitor, every two seconds while somebody can see it and else not at all.
 */

import { make, setText } from "../page/dom.mjs";
import { mountPart, partOf, watchSight } from "../page/part.mjs";
import { drawChart } from "../page/plotly.mjs";
import { explained } from "../viewer/api.mjs";
import { charts, figures } from "./charts.mjs";

const BEAT_MS = 2000;
const CHART_IDS = ["queue", "seconds", "tokens", "machine", "stages", "errors"];

export function mount({ element, props }) {
  const made = () => new Monitor(element.querySelector(".wb-monitor"), props);
  return mountPart(element, import.meta.url, ["monitor.css"], made);
}

class Monitor {
  constructor(root, props) {
    const own = { charts: new Map(), abort: new AbortController() };
    Object.assign(this, partOf(props), { root, plotly: props.plotly, ...own });
    this.#build();
    this.seen = watchSight(root, (visible) => this.#see(visible));
    document.addEventListener("visibilitychange", () => this.#look(), { signal: this.abort.signal });
  }

  destroy() {
    clearTimeout(this.timer);
    this.seen.disconnect();
    this.abort.abort();
  }

  #build() {
    const { t } = this;
    this.engine = make("p", { class: "wb-monitor-engine" });
    this.message = make("p", { class: "wb-monitor-said", role: "status", textContent: t("monitor.waiting") });
    this.hint = make("p", { class: "wb-monitor-hint" });
    this.verdict = make("section", { class: "wb-monitor-verdict" }, make("h2", { textContent: t("monitor.limit") }), this.message, this.hint, this.engine);
    this.nothing = make("p", { class: "wb-monitor-nothing", textContent: t("monitor.looked.nothing") });
    this.looks = make("ol", { class: "wb-monitor-looks" });
    const looked = make("section", { class: "wb-monitor-looked" }, make("h2", { textContent: t("monitor.looked") }), this.nothing, this.looks);
    this.now = make("dl", { class: "wb-monitor-now" });
    this.grid = make("div", { class: "wb-monitor-charts" });
    this.errors = make("ul", { class: "wb-monitor-errors" });
    const errors = make("section", {}, make("h2", { textContent: t("monitor.errors") }), this.errors);
    this.trouble = make("p", { class: "wb-monitor-trouble", role: "status", hidden: true });
    this.all = make("div", { class: "wb-monitor-all" }, make("div", { class: "wb-monitor-top" }, this.verdict, looked), this.now, this.grid, errors);
    this.root.replaceChildren(this.trouble, this.all);
    for (const id of CHART_IDS) this.#place(id, "");
  }

  #place(id, title) {
    const heading = make("h3", { textContent: title });
    const plot = make("div", { class: "wb-monitor-plot" });
    const figure = make("figure", { "data-chart": id }, heading, plot);
    this.grid.append(figure);
    this.charts.set(id, { figure, heading, plot });
    return this.charts.get(id);
  }

  #see(visible) {
    this.visible = visible;
    this.#look();
  }

  async #look() {
    clearTimeout(this.timer);
    this.timer = null;
    if (!this.#isSeen() || this.looking) return;
    this.looking = true;
    try {
      this.#show(await this.api.get("/v1/monitor"));
      this.at = new Date();
      this.trouble.hidden = true;
    } catch (failure) {
      this.#tell(failure);
    }
    this.looking = false;
    if (this.#isSeen() && !this.refused) this.timer = setTimeout(() => this.#look(), BEAT_MS);
  }

  #isSeen() {
    return this.visible && !document.hidden && !this.abort.signal.aborted;
  }

  #tell(failure) {
    const time = this.at?.toLocaleTimeString(this.language) ?? this.t("monitor.none");
    this.trouble.textContent = explained(failure, this.t("monitor.unreachable", { time }));
    this.trouble.hidden = false;
    // Who may not see it gets nothing to look at; asking again would change nothing.
    this.refused = failure.status === 401 || failure.status === 403;
    this.all.hidden = this.refused;
  }

  #show(told) {
    const { t } = this;
    setText(this.message, told.verdict.message);
    setText(this.hint, told.verdict.hint);
    setText(this.engine, t("monitor.engine", { engine: told.engine }));
    this.verdict.dataset.state = told.verdict.state;
    this.#list(this.looks, told.findings, (one) => [one.name, one.measure || t("monitor.none"), t(`monitor.state.${one.state}`)]);
    for (const [number, one] of told.findings.entries()) this.looks.children[number].dataset.state = one.state;
    this.nothing.hidden = told.findings.length > 0;
    this.#figures(figures(told, t, this.language));
    const errors = told.errors.map((one) => [one.code, t(`monitor.where.${one.where}`), one.count.toLocaleString(this.language)]);
    this.#list(this.errors, errors.length ? errors : [[t("monitor.errors.none")]], (one) => one);
    this.#draw(charts(told, t)).catch((error) => this.#tell(error));
  }

  /** Rows of several texts, changed in place. */
  #list(list, rows, texts) {
    while (list.children.length > rows.length) list.lastElementChild.remove();
    for (const [number, row] of rows.entries()) {
      const item = list.children[number] ?? list.appendChild(make("li"));
      const parts = texts(row);
      while (item.children.length > parts.length) item.lastElementChild.remove();
      for (const [place, text] of parts.entries()) setText(item.children[place] ?? item.appendChild(make("span")), text);
    }
  }

  #figures(rows) {
    for (const [id, text] of rows) {
      let value = this.now.querySelector(`[data-now="${id}"]`);
      if (!value) {
        value = make("dd", { "data-now": id });
        this.now.append(make("div", {}, make("dt", { textContent: this.t(`monitor.now.${id}`) }), value));
      }
      setText(value, text);
    }
  }

  async #draw(shown) {
    const places = CHART_IDS.map((id) => this.charts.get(id));
    while (places.length < shown.length) places.push(this.charts.get("more") ?? this.#place("more", ""));
    for (const [number, { id, title, traces, layout }] of shown.entries()) {
      const { figure, heading, plot } = places[number];
      setText(heading, title);
      figure.dataset.chart = id;
      await drawChart(this.plotly, this.root, plot, { title, traces, layout });
    }
  }
}
