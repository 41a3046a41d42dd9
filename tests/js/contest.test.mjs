import assert from "node:assert/strict";
import { test } from "node:test";
import { changeText, curves, groupValue, intervalText, metricsOf, normalizationText, normalizeList, number, progressText, setsOf, signed, sorted, speedCurves } from "../../ocr_ui/ui/static/contest/told.mjs";

const t = (key, values = {}) => `${key.replace("contest.", "")}${Object.keys(values).length ? ` ${Object.values(values).join("|")}` : ""}`;

test("numbers keep their digits and their sign", () => {
  assert.equal(number(0.05), "0.0500");
  assert.equal(number(1234.5, 1, "de"), "1234,5");
  assert.equal(number(null), "–");
  assert.equal(number(undefined, 2), "–");
  assert.equal(signed(-0.1, 2), "−0.10");
  assert.equal(signed(0.1, 2), "+0.10");
  assert.equal(signed(0, 2), "0.00");
});

test("what is made equal is sent as a list and shown in words", () => {
  assert.equal(normalizeList("NFKC", ["spaces"]), "nfkc,spaces");
  assert.equal(normalizeList("", []), "exact");
  const normalization = { unicode: "NFKC", case: true, spaces: false, no_spaces: false, punctuation: false, width: false };
  assert.equal(normalizationText(normalization, t), "equal.unicode NFKCcommaequal.case");
  assert.equal(normalizationText({ ...normalization, unicode: "", case: false }, t), "equal.nothing");
});

test("a contest says how far it is, and what it waits for", () => {
  const words = { "engine.seconds": "{n} s", "engine.minutes": "{n} min" };
  const contest = { state: "running", done: 3, total: 12, seconds_left: 40.4 };
  assert.equal(progressText(contest, t, words, "en"), "count 3|12 · left 40 s");
  assert.equal(progressText({ ...contest, done: 12, seconds_left: 0 }, t, words, "en"), "count 12|12 · scoring");
  assert.equal(progressText({ ...contest, total: 0 }, t, words, "en"), "preparing");
  assert.equal(progressText({ ...contest, state: "waiting" }, t, words, "en"), "queued");
  assert.equal(progressText({ ...contest, state: "paused", seconds_left: null }, t, words, "en"), "count 3|12");
});

test("rows are sorted either way, those without a value last", () => {
  const rows = [{ v: 2 }, { v: null }, { v: 1 }, {}];
  const value = (row) => row.v;
  assert.deepEqual(sorted(rows, value, false).map(value), [1, 2, null, undefined]);
  assert.deepEqual(sorted(rows, value, true).map(value), [2, 1, null, undefined]);
});

test("a change is told with how it was and how it is", () => {
  assert.equal(changeText({ what: "engine.revision", before: "r1", now: "r2" }, t), "change changed.engine revision|r1|r2");
  assert.equal(changeText({ what: "cards", before: "", now: "H200" }, t), "change changed.cards|changed.none|H200");
});

const score = (value) => ({ value, low: value - 0.1, high: value + 0.1 });
const run = (number, competitors, regressions = []) => ({ run: number, kind: "evaluate", made_at: `2026-11-0${number}`, data: "d", data_sha256: "s", pages: 4, competitors, regressions });
const one = (key, template, scores) => ({ key, template, engine_name: "m", scores });
const worse = { key: "A", changes: [{ what: "template" }], worse: [{}], facts_lost: [] };

test("a curve for each template and engine, the oldest first, with its regressions", () => {
  const runs = [run(2, [one("A", "x", { cer: score(0.3) })], [worse]), run(1, [one("A", "y", { wer: score(0.5) }), one("B", "x", { cer: score(0.2) })])];
  const [only, ...others] = curves(runs, "cer");
  assert.deepEqual(others, []);
  assert.equal(only.name, "x · m");
  assert.deepEqual(only.points.map((point) => [point.run, point.key, point.score.value, point.worse]), [[1, "B", 0.2, false], [2, "A", 0.3, true]]);
  assert.deepEqual(only.points[1].changes, worse.changes);
  assert.deepEqual(metricsOf(runs, ["cer", "wer", "teds"]), ["cer", "wer"]);
  assert.deepEqual(setsOf(runs), [{ sha256: "s", name: "d", pages: 4, runs: 2 }]);
});

test("curves of speed by load, marked where it became slower", () => {
  const load = (p50) => ({ at_once: 4, all: { seconds: { p50, p95: 2 * p50 } } });
  const timed = (number, p50, against = null) => ({ ...run(number), kind: "benchmark", template: "x", engine_name: "m", loads: [load(p50)], against });
  const against = { changes: [], loads: [{ at_once: 4, slower: true }] };
  const [only] = speedCurves([timed(2, 3, against), timed(1, 1)]);
  assert.equal(only.name, "x · m × 4");
  assert.deepEqual(only.points.map(({ seconds, worse: slower }) => [seconds.p50, slower]), [[1, false], [3, true]]);
});

test("a page without a language is told by its writing, and no other group's value is taken for one", () => {
  const writing = (key) => (key === "script.latin" ? "Latin" : key);
  assert.equal(groupValue("language", "latin", writing), "Latin");
  assert.equal(groupValue("language", "de", writing), "de");
  assert.equal(groupValue("tag", "latin", writing), "latin");
  assert.equal(groupValue("kind", "bad_scan", writing), "bad scan");
});

test("a single page has no interval", () => {
  const form = (value) => value.toFixed(1);
  assert.equal(intervalText({ low: 0, high: 1, pages: 2 }, form, t), "interval 0.0|1.0");
  assert.equal(intervalText({ low: 0, high: 0, pages: 1 }, form, t), "interval.none");
  assert.equal(intervalText({ low: 0, high: 0, better: 0, equal: 1, worse: 0 }, form, t), "interval.none");
});
