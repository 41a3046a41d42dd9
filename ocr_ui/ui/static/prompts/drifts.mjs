/** What the Drift section says and shows of an answer of /v1/drift: sentences, and charts for plotly. Pure. */

import { percentOf } from "../viewer/limits.mjs";

export const GROUPS = ["data", "configuration", "model", "post_processing"];
const GROUP_OF = { layout: "data", size: "data", script: "data", confidence: "model", corrected: "post_processing" };
const COLORS = ["#2563eb", "#d97706", "#15803d", "#9333ea", "#0891b2", "#64748b"];
const [MARK, SHIFT] = ["#9333ea", "#b45309"];
/** Points of percent by which a kind must be another to be named in a sentence. */
const NAMED = 5;
/** Of a bar, in milliseconds: plotly makes a thin line of a day that stands alone. */
const BAR_MS = 0.85 * 86_400_000;

const share = (value, locale) => `${percentOf(value).toLocaleString(locale)}%`;
const kindName = (measure, kind, t) => t(measure === "script" ? `script.${kind}` : `drift.${measure}.${kind}`);

/** "3. 2026-03-04: template full_text, version 0a1b → 2c3d", numbered as in the charts. */
export const markText = (mark, number, t) => t("drift.mark", { n: number, day: mark.day, what: t(`drift.mark.${mark.what}`, mark) });

/** What is another since a day, in words and with how sure that is. */
export function shiftText(one, t, locale) {
  const { before, now } = one;
  const number = (value) => value.toLocaleString(locale, { maximumFractionDigits: 2 });
  const changes = typeof now === "number" ? [t("drift.median", { before: number(before), now: number(now) })] : kindsThatChanged(one, t, locale);
  const sure = { n: one.pages_before.toLocaleString(locale), m: one.pages_now.toLocaleString(locale), psi: number(one.psi) };
  return t("drift.shift", { measure: t(`drift.measure.${one.measure}`), changes: changes.join(t("drift.comma")), ...sure });
}

function kindsThatChanged({ measure, before, now }, t, locale) {
  const kinds = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((kind) => measure !== "corrected" || kind === "corrected");
  const apart = (kind) => Math.abs((now[kind] ?? 0) - (before[kind] ?? 0));
  const sorted = kinds.sort((a, b) => apart(b) - apart(a));
  const named = sorted.filter((kind, place) => place === 0 || apart(kind) * 100 >= NAMED);
  return named.map((kind) => t("drift.kind", { kind: kindName(measure, kind, t), before: share(before[kind] ?? 0, locale), now: share(now[kind] ?? 0, locale) }));
}

/** Events as {day, first, lines}: where to look first, then what shifted and what was changed, in that order. */
export function events(told, t, locale) {
  return told.events.map(({ day, shifts, marks, first }) => {
    const ofGroup = (group) => [
      ...shifts.filter((n) => told.shifts[n].group === group).map((n) => shiftText(told.shifts[n], t, locale)),
      ...marks.filter((n) => told.marks[n].group === group).map((n) => markText(told.marks[n], n + 1, t)),
    ];
    const lines = GROUPS.flatMap((group) => ofGroup(group).map((text) => ({ group, text })));
    return { day, first: t(`drift.first.${first || "nothing"}`), lines };
  });
}

/** What nothing can be told of, or not yet; "" where there is no such thing. */
export function tooFew({ too_few: few, least, pending = 0 }, t, locale) {
  const named = Object.entries(few).map(([measure, n]) => t("drift.few.of", { measure: t(`drift.measure.${measure}`), n: n.toLocaleString(locale) }));
  const said = [named.length && t("drift.few", { which: named.join(t("drift.comma")), least }), pending && t("drift.pending", { n: pending.toLocaleString(locale) })];
  return said.filter(Boolean).join(" ");
}

/** The word for all that was found: nothing can be said to be as before where there is too little of everything. */
export function foundWord({ days, events: found, measures, too_few: few }) {
  if (!days.length) return "drift.none";
  if (found.length) return "drift.found";
  return Object.keys(measures).every((measure) => measure in few) ? "drift.too_early" : "drift.nothing";
}

/** The charts as [{id, group, title, empty, traces, layout}], always the same ones, in the order of GROUPS. */
export function charts(told, t) {
  return Object.entries(told.measures).map(([id, values]) => {
    const title = t(`drift.measure.${id}`);
    const traces = id === "corrected" ? rate(values, told, t) : "median" in values ? spread(values, told, t) : kinds(id, values, told, t);
    const empty = traces.every(({ y }) => y.every((value) => value === null));
    return { id, group: GROUP_OF[id], title, empty, traces, layout: layout(id, told) };
  });
}

function kinds(measure, values, { days }, t) {
  const totals = days.map((_, place) => Object.values(values).reduce((sum, counts) => sum + counts[place], 0));
  return Object.entries(values).map(([kind, counts], n) => ({
    type: "bar",
    name: kindName(measure, kind, t),
    x: days,
    y: counts.map((count, place) => (totals[place] ? count / totals[place] : 0)),
    width: BAR_MS,
    customdata: counts,
    hovertemplate: `%{x|%Y-%m-%d}: %{y:.0%} (%{customdata})`,
    marker: { color: COLORS[n % COLORS.length] },
  }));
}

function spread({ low, median, high }, { days }, t) {
  const edge = { type: "scatter", mode: "lines", x: days, line: { width: 0 }, showlegend: false, hoverinfo: "skip" };
  return [
    { ...edge, y: low },
    { ...edge, y: high, fill: "tonexty", fillcolor: "rgba(37,99,235,.18)", name: t("drift.half"), showlegend: true },
    { type: "scatter", mode: "lines+markers", name: t("drift.median.name"), x: days, y: median, line: { color: COLORS[0], width: 1.8 }, marker: { color: COLORS[0], size: 5 } },
  ];
}

function rate({ corrected = [], right = [] }, { days }, t) {
  const count = (list, place) => list[place] ?? 0;
  const judged = days.map((_, place) => count(corrected, place) + count(right, place));
  const y = judged.map((n, place) => (n ? count(corrected, place) / n : null));
  const text = judged.map((n, place) => t("drift.judged", { n: count(corrected, place), m: n }));
  return [{ type: "scatter", mode: "lines+markers", name: t("drift.corrected.corrected"), x: days, y, text, hovertemplate: "%{x|%Y-%m-%d}: %{y:.0%}, %{text}<extra></extra>", line: { color: COLORS[0], width: 1.8 }, marker: { color: COLORS[0], size: 5 } }];
}

function layout(id, { since, until, marks, shifts }) {
  const upright = (day, color, dash) => ({ type: "line", x0: day, x1: day, yref: "paper", y0: 0, y1: 1, line: { color, width: 1.6, dash } });
  const found = shifts.filter((one) => one.measure === id).map((one) => upright(half(one.day), SHIFT, "solid"));
  const days = [...new Set(marks.map(({ day }) => day))];
  const numbers = (day) => marks.flatMap((mark, n) => (mark.day === day ? [n + 1] : [])).join(",");
  return {
    height: 220,
    barmode: "stack",
    margin: { l: 44, r: 12, t: 34, b: 24 },
    showlegend: id !== "corrected",
    legend: { orientation: "h", y: 1.06, yanchor: "bottom", x: 0 },
    xaxis: { type: "date", range: [half(since), half(until, 1)], tickformat: "%m-%d", hoverformat: "%Y-%m-%d" },
    yaxis: id === "size" ? { rangemode: "tozero" } : { tickformat: ".0%", range: [0, 1.02] },
    shapes: [...found, ...days.map((day) => upright(half(day), MARK, "dot"))],
    annotations: days.map((day) => ({ x: half(day), y: 1, yref: "paper", yanchor: "bottom", text: numbers(day), showarrow: false, font: { size: 10, color: MARK } })),
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
  };
}

/** Noon of the day before, or of so many days after it: where its bar begins. */
function half(day, more = 0) {
  const moment = new Date(`${day}T12:00:00Z`);
  moment.setUTCDate(moment.getUTCDate() - 1 + more);
  return moment.toISOString().slice(0, 16).replace("T", " ");
}
