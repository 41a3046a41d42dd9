import assert from "node:assert/strict";
import { test } from "node:test";
import { added, chosen, dropped, inParts, sizeOf } from "../../ocr_ui/ui/static/batch/files.mjs";
import { justEnded, measuredSentences, routeSentences, sentence, shownState } from "../../ocr_ui/ui/static/batch/told.mjs";

const file = (name, size = 1) => ({ name, size });
const one = (path, size = 1) => ({ path, file: file(path, size) });

test("parts hold what a request may carry, in order, and large files go alone", () => {
  const files = [one("a", 4), one("b", 5), one("c", 20), one("d", 1), one("e", 1), one("f", 1)];
  const names = (parts) => parts.map((part) => part.map(({ path }) => path).join(""));
  assert.deepEqual(names(inParts(files, 10, 2)), ["ab", "c", "de", "f"]);
  assert.deepEqual(inParts([], 10, 2), []);
  assert.equal(sizeOf(files), 32);
});

test("a file that is dropped twice comes once", () => {
  const paths = added([one("a")], [one("b"), one("a"), one("b")]).map(({ path }) => path);
  assert.deepEqual(paths, ["a", "b"]);
});

test("what systems leave in folders is no file", () => {
  const list = [file("a.png"), file(".DS_Store"), file("Thumbs.db"), file("._a.png"), { ...file("b.png"), webkitRelativePath: "in/b.png" }];
  assert.deepEqual(chosen(list).map(({ path }) => path), ["a.png", "in/b.png"]);
});

test("a folder that is dropped is walked through to its end, however many its reader gives at once", async () => {
  const leaf = (path) => ({ isFile: true, fullPath: `/${path}`, file: (done) => done(file(path.split("/").at(-1))) });
  const folder = (...children) => ({
    isFile: false,
    createReader() {
      const left = [...children];
      return { readEntries: (done) => done(left.splice(0, 2)) };
    },
  });
  const tree = folder(leaf("in/1.png"), leaf("in/2.png"), leaf("in/3.png"), folder(leaf("in/deep/4.png")), leaf("in/.DS_Store"));
  const found = await dropped({ items: [{ webkitGetAsEntry: () => tree }], files: [] });
  assert.deepEqual(found.map(({ path }) => path), ["in/1.png", "in/2.png", "in/3.png", "in/deep/4.png"]);
});

const words = { "engine.seconds": "{n} s", "engine.minutes": "{n} min" };
const t = (key, values) => `${key.replace("jobs.", "")} ${Object.values(values ?? {}).join("/")}`.trim();
const job = { done: 45, failed: 0, cancelled: 0, total: 1200, unopened: 0, pages_per_second: null, seconds_left: null };

test("how far a batch is says only what there is to say", () => {
  assert.equal(sentence(job, t, words, "en"), "count 45/1,200");
  const busy = { ...job, failed: 2, unopened: 3, pages_per_second: 1.449, seconds_left: 800 };
  assert.equal(sentence(busy, t, words, "en"), "count 45/1,200 · unopened 3 · failed 2 · per_second 1.4 · left 13 min");
  assert.match(sentence({ ...job, pages_per_second: 0.05 }, t, words, "en"), /per_minute 3/);
});

test("the end of a batch is told once, and not of those that had ended before", () => {
  const before = new Map([[1, "running"], [2, "done"], [3, "running"], [4, "paused"]]);
  const now = [{ job: 1, state: "done" }, { job: 2, state: "done" }, { job: 3, state: "cancelled" }, { job: 4, state: "done" }, { job: 5, state: "done" }];
  assert.deepEqual(justEnded(before, now).map(({ job }) => job), [1, 4]);
  assert.deepEqual(justEnded(new Map(), now), []);
});

test("where pages went is told with its cost, of the second engine only where there was one", () => {
  const routes = [
    { route: "straight", pages: 1200, seconds: 60.4, second_seconds: 0 },
    { route: "again", pages: 4, seconds: 2.25, second_seconds: 31.2 },
  ];
  assert.deepEqual(routeSentences(routes, t, "en"), [
    "route.once route.straight/1,200/60/0",
    "route.twice route.again/4/2.3/31",
  ]);
  assert.deepEqual(routeSentences(undefined, t), []);
});

test("which limit counts is told of each part, with what it stands on or why it does not", () => {
  const t = (key, told = {}) => [key, ...Object.values(told)].join("|");
  const one = { part: "line", engine: "vllm", threshold: 0.835, count: 1204, miss_rate: 0.02, unused: [] };
  const told = measuredSentences([one, { ...one, part: "field:date", unused: ["model", "few"] }], t);
  assert.deepEqual(told, [
    "jobs.rule.used|part_line|vllm|83.5|1,204|2",
    "jobs.rule.unused|part_field (field_kind_date)|vllm|unused_model, unused_few",
  ]);
});

test("a batch that ended with failures is not shown as one that went well", () => {
  assert.equal(shownState({ state: "done", failed: 0 }), "done");
  assert.equal(shownState({ state: "done", failed: 1 }), "done_failed");
  assert.equal(shownState({ state: "running", failed: 1 }), "running");
});
