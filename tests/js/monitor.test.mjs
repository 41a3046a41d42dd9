import assert from "node:assert/strict";
import { test } from "node:test";
import { charts, figures } from "../../ocr_ui/ui/static/monitor/charts.mjs";
import { coloured } from "../../ocr_ui/ui/static/page/plotly.mjs";

const t = (key, values = {}) => (Object.keys(values).length ? `${key} ${Object.values(values).join("/")}` : key);
const readings = { at: [10, 40], p50: [1, null], p95: [2, null], p99: [3, null], pages: [4, 0], tokens: [null, null], errors: [0, 1] };
const samples = { at: [1, 3], waiting: [0, 2], running: [1, 1], cache: [null, null], processors: [null, 0.5], cards: [] };
const now = { waiting: 2, running: 1, places: null, cache: null, pages_per_minute: 2.25, tokens_per_second: null, seconds: null, stages: { receive: null }, cards: [] };
const span = [0, 1200];
const told = { samples, readings, now, span };

test("a machine without a card has charts of what there is, always the same ones", () => {
  const found = charts(told, t);
  assert.deepEqual(found.map(({ id }) => id), ["queue", "seconds", "pages", "machine", "stages", "errors"]);
  assert.deepEqual(found[0].traces.map(({ y }) => y), [[0, 2], [1, 1]]);
  assert.equal(found[0].traces[0].x[1].getTime(), 3000);
  assert.deepEqual(found[3].traces.map(({ name }) => name), ["monitor.line.processors"]);
  assert.deepEqual(found[4].layout.xaxis.range, [0, 1]);
  assert.deepEqual(found[0].layout.xaxis.range.map((date) => date.getTime()), [0, 1_200_000]);
  assert.deepEqual(found[5].layout.yaxis, { rangemode: "tozero", range: [0, 1.08], dtick: 1 });
  assert.ok(found.every(({ layout, id }) => layout.uirevision === id));
});

test("a card has its use and its memory, and an engine its tokens and its cache", () => {
  const card = { name: "H", busy: [0.5, 1], memory: [1e9, null], memory_bytes: 8e9 };
  const found = charts({ samples: { ...samples, cards: [card], cache: [0.1, 0.2] }, readings: { ...readings, tokens: [5, 6] }, now, span }, t);
  assert.deepEqual(found.map(({ id }) => id), ["queue", "seconds", "tokens", "machine", "memory", "stages", "errors"]);
  assert.deepEqual(found[3].traces.map(({ name }) => name), ["H", "monitor.line.processors", "monitor.line.cache"]);
  assert.deepEqual(found[4].traces.map(({ y }) => y), [[1, null], [8, 8]]);
});

test("the stages of a page stand in their order from the top", () => {
  const found = charts({ ...told, now: { ...now, stages: { receive: 0.1, tokens: 2 } } }, t)[4];
  assert.deepEqual(found.traces[0].y, ["monitor.stage.receive", "monitor.stage.tokens"]);
  assert.deepEqual(found.traces[0].x, [0.1, 2]);
  assert.equal(found.layout.yaxis.autorange, "reversed");
});

test("figures that are not known are dashes, and never fewer", () => {
  const rows = new Map(figures(told, t, "en"));
  assert.equal(rows.get("tokens"), "monitor.none");
  assert.equal(rows.get("p99"), "monitor.none");
  assert.equal(rows.get("per_minute"), "2.3");
  const known = figures({ now: { ...now, places: 64, tokens_per_second: 1234.5, seconds: { p50: 0.42, p95: 12.3, p99: 20 } } }, t, "en");
  assert.deepEqual(known.map(([id]) => id), [...rows.keys()]);
  assert.equal(new Map(known).get("running"), "monitor.of 1/64");
  assert.equal(new Map(known).get("tokens"), "1,235");
  assert.equal(new Map(known).get("p50"), "monitor.seconds 0.4");
  assert.equal(new Map(known).get("p95"), "monitor.seconds 12");
});

test("axes have the page's colours, and keep what else they are", () => {
  const layout = coloured({ xaxis: { type: "date" }, yaxis: {} }, "ink", "grid");
  assert.deepEqual([layout.font.color, layout.xaxis.type, layout.yaxis.gridcolor], ["ink", "date", "grid"]);
});
