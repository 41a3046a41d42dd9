// What is said of contests and runs, in words and numbers.
import { time } from "../page/amounts.mjs";

const EQUAL = ["width", "case", "spaces", "no_spaces", "punctuation"];

/** A score or an amount with so many digits behind the point; "–" for none. */
export function number(value, digits = 4, locale = "en") {
  if (value === null || value === undefined) return "–";
  return value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false });
}

/** As `number`, with its sign. */
export function signed(value, digits = 4, locale = "en") {
  return (value > 0 ? "+" : value < 0 ? "−" : "") + number(Math.abs(value), digits, locale);
}

/** What is made equal before texts are compared. */
export function normalizationText(normalization, t) {
  const form = normalization.unicode ? [t("contest.equal.unicode", { form: normalization.unicode })] : [];
  const words = [...form, ...EQUAL.filter((name) => normalization[name]).map((name) => t(`contest.equal.${name}`))];
  return words.length ? words.join(t("contest.comma")) : t("contest.equal.nothing");
}

/** The list that /v1/contests takes, of a Unicode form ("" for none) and what else is made equal. */
export function normalizeList(form, names) {
  const parts = [...(form ? [form.toLowerCase()] : []), ...names];
  return parts.length ? parts.join(",") : "exact";
}

/** "45 of 120 pages · about 50 s left" */
export function progressText(contest, t, words, locale) {
  const count = (value) => value.toLocaleString(locale);
  if (contest.state === "waiting") return t("contest.queued");
  if (!contest.total) return t(contest.state === "running" ? "contest.preparing" : "contest.not_begun");
  const parts = [t("contest.count", { done: count(contest.done), total: count(contest.total) })];
  if (contest.state === "running" && contest.done === contest.total) parts.push(t("contest.scoring"));
  else if (contest.seconds_left !== null) parts.push(t("contest.left", { time: time(Math.max(1, contest.seconds_left), words) }));
  return parts.join(" · ");
}

/** Rows in the order of what `value` gives of each; those without one last. */
export function sorted(rows, value, descending) {
  const sign = descending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [one, other] = [value(a), value(b)];
    const [without, alsoWithout] = [one, other].map((each) => each === null || each === undefined);
    if (without || alsoWithout) return without - alsoWithout;
    return one < other ? -sign : one > other ? sign : 0;
  });
}

/** What a difference comes to, in words. */
export function verdictText(verdict, t) {
  return t(`contest.verdict.${verdict}`);
}

/** "engine.revision: r1 → r2" */
export function changeText({ what, before, now }, t) {
  const [group, ...rest] = what.split(".");
  const name = [t(`contest.changed.${group}`), ...rest].join(" ");
  const shown = (value) => value || t("contest.changed.none");
  return t("contest.change", { what: name, before: shown(before), now: shown(now) });
}

/** Is something worse than it was? */
export const isRegression = ({ worse, facts_lost }) => worse.length > 0 || facts_lost.length > 0;

/** Every set of pages that the log has, the one that was read last first: [{sha256, name, runs}]. */
export function setsOf(runs) {
  const found = new Map();
  for (const { data, data_sha256, pages } of runs) {
    const entry = found.get(data_sha256) ?? { sha256: data_sha256, name: data, pages, runs: 0 };
    entry.runs += 1;
    found.set(data_sha256, entry);
  }
  return [...found.values()];
}

/** The measures that any of the runs has, in the order in which they are shown. */
export function metricsOf(runs, order) {
  const have = new Set(runs.flatMap(({ competitors }) => (competitors ?? []).flatMap(({ scores }) => Object.keys(scores))));
  return order.filter((name) => have.has(name));
}

/** For each template and engine its scores over time, oldest first: [{name, points: [{run, key, when, score, changes, worse}]}]. */
export function curves(runs, metric) {
  const found = new Map();
  for (const run of runs.filter(({ kind }) => kind === "evaluate").toReversed()) {
    for (const one of run.competitors) {
      const score = one.scores[metric];
      if (!score) continue;
      const name = `${one.template} · ${one.engine_name}`;
      const against = run.regressions.find(({ key }) => key === one.key);
      const point = { run: run.run, key: one.key, when: run.made_at, score, changes: against?.changes ?? [] };
      point.worse = against ? isRegression(against) : false;
      found.set(name, [...(found.get(name) ?? []), point]);
    }
  }
  return [...found].map(([name, points]) => ({ name, points }));
}

/** For each template, engine and load the seconds of a page over time, oldest first. */
export function speedCurves(runs) {
  const found = new Map();
  for (const run of runs.filter(({ kind }) => kind === "benchmark").toReversed()) {
    for (const load of run.loads ?? []) {
      const name = `${run.template} · ${run.engine_name} × ${load.at_once}`;
      const against = run.against?.loads.find(({ at_once }) => at_once === load.at_once);
      const point = { run: run.run, when: run.made_at, seconds: load.all.seconds, changes: run.against?.changes ?? [] };
      point.worse = against?.slower ?? false;
      if (point.seconds) found.set(name, [...(found.get(name) ?? []), point]);
    }
  }
  return [...found].map(([name, points]) => ({ name, points }));
}

/** A value of a group of pages: where nobody has named a page's language, its writing stands there. */
export function groupValue(group, value, t) {
  if (group === "kind") return value.replaceAll("_", " ");
  const writing = `script.${value}`;
  return group === "language" && t(writing) !== writing ? t(writing) : value;
}

/** An interval in words; all draws of a single page are the same, which says nothing of others. */
export function intervalText({ low, high, pages, better, equal, worse }, form, t) {
  const count = pages ?? better + equal + worse;
  return count === 1 ? t("contest.interval.none") : t("contest.interval", { low: form(low), high: form(high) });
}
