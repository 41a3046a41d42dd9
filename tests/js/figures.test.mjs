import assert from "node:assert/strict";
import test from "node:test";
import { charts, events, foundWord, markText, tooFew } from "../../ocr_ui/ui/static/prompts/drifts.mjs";
import { keyOf, load, reliability, row } from "../../ocr_ui/ui/static/prompts/measured.mjs";

const t = (key, told = {}) => [key, ...Object.values(told)].join("|");
const figures = {
  count: 1204,
  wrong: 40,
  error: 0.0312,
  miss_rate: 0.05,
  bins: [{ low: 0.4, high: 0.5, count: 4, confidence: 0.45, right: 0.25 }, { low: 0.9, high: 1, count: 100, confidence: 0.97, right: 0.99 }],
  loads: [{ threshold: 1.0000001, load: 1, caught: 1 }, { threshold: 0.5, load: 0.04, caught: 0.6 }],
  chosen: { threshold: 0.83, load: 0.21, caught: 0.96 },
};
const threshold = { id: 3, part: "field:amount", engine: "vllm", model: "m", revision: "0123456789abcdef", unused: [], figures };

test("a threshold is a row that says whether it is used, and why not", () => {
  const { name, state, texts } = row(threshold, t, "en");
  assert.deepEqual([name, state], ["part_field (field_kind_amount)", "used"]);
  assert.deepEqual(texts, ["vllm · 0123456789ab", "1,204", "40", "3.1%", "5%", "0.83", "21%", "96%", "confidence.used"]);
  assert.equal(row({ ...threshold, id: 0 }, t, "en").state, "seen");
  const stale = row({ ...threshold, unused: ["revision"] }, t, "en");
  assert.deepEqual([stale.state, stale.texts.at(-1)], ["unused", "confidence.unused|unused_revision"]);
  assert.notEqual(keyOf(threshold), keyOf({ ...threshold, revision: "b" }));
});

test("the curves go through what was found, and the choice is marked", () => {
  const curve = reliability(figures, t);
  assert.deepEqual([curve.traces[1].x, curve.traces[1].y], [[0.45, 0.97], [0.25, 0.99]]);
  assert.ok(curve.traces[1].marker.size[1] > curve.traces[1].marker.size[0]);
  const [, line, chosen] = load(figures, t, "en").traces;
  assert.deepEqual([line.x, line.y], [[0.04, 1], [0.6, 1]]);
  assert.deepEqual([chosen.x, chosen.y], [[0.21], [0.96]]);
  assert.equal(line.text[1], "confidence.load|confidence.all|100|100");
});

const told = {
  since: "2026-03-01",
  until: "2026-03-05",
  days: ["2026-03-02", "2026-03-04"],
  pages: [4, 8],
  measures: {
    layout: { complex: [1, 6], simple: [3, 2] },
    size: { low: [1, 1], median: [2, null], high: [3, 3] },
    script: {},
    confidence: { low: [0.8, 0.4], median: [0.9, 0.6], high: [0.95, 0.8] },
    corrected: { right: [2, 0] },
  },
  marks: [
    { day: "2026-03-03", group: "model", what: "revision", name: "vllm", before: "r1", now: "r2" },
    { day: "2026-03-04", group: "configuration", what: "template", name: "full_text", before: "a", now: "b" },
  ],
  shifts: [
    { measure: "layout", group: "data", day: "2026-03-04", before: { complex: 0.25, simple: 0.74, dense: 0.01 }, now: { complex: 0.75, simple: 0.25 }, psi: 1.1, pages_before: 40, pages_now: 1200 },
    { measure: "confidence", group: "model", day: "2026-03-04", before: 0.9, now: 0.6, psi: 0.4, pages_before: 40, pages_now: 35 },
  ],
  events: [{ day: "2026-03-04", shifts: [0, 1], marks: [0, 1], first: "data" }],
  too_few: { script: 0, corrected: 2 },
  least: 30,
};

test("an event says where to look first, then all in the order of looking", () => {
  const [{ first, lines }] = events(told, t, "en");
  assert.equal(first, "drift.first.data");
  assert.deepEqual(lines.map(({ group }) => group), ["data", "configuration", "model", "model"]);
  assert.match(lines[0].text, /drift\.kind\|drift\.layout\.complex\|25%\|75%drift\.commadrift\.kind\|drift\.layout\.simple\|74%\|25%\|40\|1,200\|1\.1$/);
  assert.match(lines[2].text, /drift\.median\|0\.9\|0\.6/);
  assert.equal(events({ ...told, events: [{ ...told.events[0], first: "" }] }, t, "en")[0].first, "drift.first.nothing");
  assert.match(markText(told.marks[1], 2, t), /^drift\.mark\|2\|2026-03-04\|drift\.mark\.template/);
  assert.equal(tooFew(told, t, "en"), "drift.few|drift.few.of|drift.measure.script|0drift.commadrift.few.of|drift.measure.corrected|2|30");
  assert.equal(tooFew({ ...told, too_few: {}, pending: 1200 }, t, "en"), "drift.pending|1,200");
});

test("every measure has its chart, with the changes marked in all and a shift in its own", () => {
  const shown = Object.fromEntries(charts(told, t).map((chart) => [chart.id, chart]));
  assert.deepEqual(Object.keys(shown), ["layout", "size", "script", "confidence", "corrected"]);
  assert.deepEqual(shown.layout.traces[0].y, [0.25, 0.75]);
  assert.deepEqual(shown.size.traces[2].y, [2, null]);
  assert.deepEqual(shown.corrected.traces[0].y, [0, null]);
  const lines = (id) => shown[id].layout.shapes.map(({ line }) => line.dash);
  assert.deepEqual([lines("layout"), lines("size")], [["solid", "dot", "dot"], ["dot", "dot"]]);
  assert.deepEqual(shown.size.layout.annotations.map(({ x, text }) => [x, text]), [["2026-03-02 12:00", "1"], ["2026-03-03 12:00", "2"]]);
});

test("nothing is called unchanged of which too little was read, and a chart without values is told as empty", () => {
  const quiet = { ...told, events: [], too_few: {} };
  const few = Object.fromEntries(Object.keys(told.measures).map((name) => [name, 3]));
  assert.deepEqual(
    [{ ...quiet, days: [] }, told, quiet, { ...quiet, too_few: { script: 0 } }, { ...quiet, too_few: few }].map(foundWord),
    ["drift.none", "drift.found", "drift.nothing", "drift.nothing", "drift.too_early"],
  );
  const measures = { ...told.measures, confidence: { low: [null, null], median: [null, null], high: [null, null] }, corrected: {} };
  const empty = charts({ ...told, measures }, t).filter((chart) => chart.empty);
  assert.deepEqual(empty.map(({ id }) => id), ["script", "confidence", "corrected"]);
  const [bars] = charts(told, t)[0].traces;
  assert.ok(bars.width > 12 * 3_600_000, "a day that stands alone is seen");
});
