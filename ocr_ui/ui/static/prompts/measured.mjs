/** What the Confidence section shows of measured thresholds: rows, and charts for plotly. Pure. */

import { nameOf, percentOf, whyUnused } from "../viewer/limits.mjs";

const [BLUE, GREY, AMBER] = ["#2563eb", "#94a3b8", "#b45309"];

export const keyOf = ({ part, engine, model, revision }) => JSON.stringify([part, engine, model, revision]);

/** Texts of a row, in the order of the columns, and whether what it says is used: "used", "unused" or "seen". */
export function row(one, t, locale) {
  const number = (value) => value.toLocaleString(locale);
  const share = (value) => `${percentOf(value).toLocaleString(locale)}%`;
  const { count, wrong, error, chosen, miss_rate: missed } = one.figures;
  const state = one.unused.length ? "unused" : one.id ? "used" : "seen";
  const said = state === "unused" ? t("confidence.unused", { why: whyUnused(one, t) }) : t(`confidence.${state}`);
  return {
    state,
    name: nameOf(one.part, t),
    texts: [
      [one.engine, one.revision.slice(0, 12)].filter(Boolean).join(" · "),
      number(count),
      number(wrong),
      share(error),
      share(missed),
      limit(chosen.threshold, t, locale),
      share(chosen.load),
      share(chosen.caught),
      said,
    ],
  };
}

/** A threshold above every confidence means that all is looked at. */
const limit = (threshold, t, locale) =>
  threshold > 1 ? t("confidence.all") : threshold.toLocaleString(locale, { minimumFractionDigits: 2, maximumFractionDigits: 3 });

/** How often what has a confidence is right, beside what it would be if confidences meant what they say. */
export function reliability({ bins }, t) {
  const sizes = bins.map(({ count }) => count);
  const most = Math.max(1, ...sizes);
  const hover = bins.map(({ low, high, count, right }) => t("confidence.bin", { low: low.toFixed(1), high: high.toFixed(1), n: count, percent: percentOf(right) }));
  const ideal = { type: "scatter", mode: "lines", name: t("confidence.ideal"), x: [0, 1], y: [0, 1], line: { color: GREY, dash: "dot", width: 1.4 }, hoverinfo: "skip" };
  const found = {
    type: "scatter",
    mode: "lines+markers",
    name: t("confidence.found"),
    x: bins.map(({ confidence }) => confidence),
    y: bins.map(({ right }) => right),
    line: { color: BLUE, width: 1.8 },
    marker: { color: BLUE, size: sizes.map((size) => 6 + 14 * Math.sqrt(size / most)) },
    text: hover,
    hovertemplate: "%{text}<extra></extra>",
  };
  return { title: t("confidence.chart.reliability"), traces: [ideal, found], layout: layout(t("confidence.axis.confidence"), t("confidence.axis.right")) };
}

/** Review load against mistakes caught, with the threshold that was chosen. */
export function load({ loads, chosen }, t, locale) {
  const ordered = [...loads].sort((a, b) => a.load - b.load || a.caught - b.caught);
  const hover = (one) => t("confidence.load", { limit: limit(one.threshold, t, locale), load: percentOf(one.load), caught: percentOf(one.caught) });
  const line = { type: "scatter", mode: "lines+markers", name: t("confidence.thresholds"), x: ordered.map((one) => one.load), y: ordered.map((one) => one.caught), line: { color: BLUE, width: 1.8 }, marker: { color: BLUE, size: 5 }, text: ordered.map(hover), hovertemplate: "%{text}<extra></extra>" };
  const point = { type: "scatter", mode: "markers", name: t("confidence.chosen"), x: [chosen.load], y: [chosen.caught], marker: { color: AMBER, size: 13, symbol: "diamond" }, text: [hover(chosen)], hovertemplate: "%{text}<extra></extra>" };
  const chance = { type: "scatter", mode: "lines", name: t("confidence.chance"), x: [0, 1], y: [0, 1], line: { color: GREY, dash: "dot", width: 1.4 }, hoverinfo: "skip" };
  return { title: t("confidence.chart.load"), traces: [chance, line, point], layout: layout(t("confidence.axis.load"), t("confidence.axis.caught")) };
}

function layout(x, y) {
  const axis = (title) => ({ title: { text: title, standoff: 6 }, range: [-0.03, 1.05], tickformat: ".0%" });
  return {
    height: 320,
    margin: { l: 56, r: 12, t: 26, b: 44 },
    legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0 },
    xaxis: axis(x),
    yaxis: axis(y),
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
  };
}
