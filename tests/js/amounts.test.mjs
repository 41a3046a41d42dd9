import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, memoryText, shareText, time } from "../../ocr_ui/ui/static/page/amounts.mjs";
import { say } from "../../ocr_ui/ui/static/page/dom.mjs";
import { makeWords } from "../../ocr_ui/ui/static/viewer/dom.mjs";

const words = {
  "engine.share": "{done} of {total} ({percent})",
  "engine.speed": "{speed}/s",
  "engine.left": "about {time} left",
  "engine.seconds": "{n} s",
  "engine.minutes": "{n} min",
  "engine.comma": ", ",
  "engine.memory": "{weights} {vision} {draft} {work} {cache} {card} {pages}",
};

test("bytes in the unit that suits them", () => {
  assert.equal(bytes(500, "en"), "1 kB");
  assert.equal(bytes(999_400, "en"), "999 kB");
  assert.equal(bytes(1_234_567_890, "en"), "1,235 MB");
  assert.equal(bytes(12_340_000_000, "en"), "12.3 GB");
});

test("time in seconds, then in minutes", () => {
  assert.equal(time(119, words), "119 s");
  assert.equal(time(150, words), "3 min");
});

test("a running download tells share, speed and time left", () => {
  const share = { done: 750e6, total: 2700e6, per_second: 35e6 };
  assert.equal(shareText(share, words, "en"), "750 MB of 2,700 MB (28%), 35 MB/s, about 56 s left");
});

test("without a speed, and at the end, only the share is told", () => {
  assert.equal(shareText({ done: 0, total: 2e6, per_second: 0 }, words, "en"), "0 kB of 2 MB (0%)");
  assert.equal(shareText({ done: 2e6, total: 2e6, per_second: 5e6 }, words, "en"), "2 MB of 2 MB (100%)");
  assert.equal(shareText({ done: 0, total: 0, per_second: 0 }, words, "en"), "0 kB of 0 kB (100%)");
});

test("memory in gigabytes, pages as a number", () => {
  const memory = { weights: 1.2e9, vision: 8e8, draft: 0, work: 1.5e9, cache: 9.36e9, card: 16e9, pages: 1234 };
  assert.equal(memoryText(memory, words, "en"), "1.2 GB 0.8 GB 0.0 GB 1.5 GB 9.4 GB 16.0 GB 1,234");
});

test("one of a kind has its own word, also where several are counted in one sentence", () => {
  const words = { set: "{name}: {pages|page|pages}, {runs|run|runs}" };
  assert.equal(say(words, "set", { name: "a", pages: 1, runs: 2 }), "a: 1 page, 2 runs");
  assert.equal(say(words, "set", { name: "a", pages: "1,200", runs: "1" }), "a: 1,200 pages, 1 run");
  assert.equal(say(words, "set", { name: "a", runs: 0 }), "a: {pages|page|pages}, 0 runs");
  assert.equal(makeWords(words)("set", { name: "a", pages: 1, runs: 0 }), "a: 1 page, 0 runs");
});
