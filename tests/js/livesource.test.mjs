import assert from "node:assert/strict";
import test from "node:test";
import { LiveSource } from "../../ocr_ui/ui/static/viewer/livesource.mjs";

/** A server that answers when it is told to. */
class Server {
  asked = [];

  post(path, { text, task }) {
    assert.equal(path, "/v1/source-previews");
    return new Promise((resolve, reject) => this.asked.push({ text, task, answer: (answer) => resolve(answer), fail: reject }));
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

function started(t, text) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const api = new Server();
  const seen = [];
  const live = new LiveSource({ api, onchange: () => seen.push(live.html), pause: 200, again: 3000 });
  live.follow(text, "document");
  t.mock.timers.tick(0);
  return { api, live, seen, tick: (ms) => t.mock.timers.tick(ms) };
}

const answerOf = (html, ...starts) => ({ html, problems: starts.map((start) => ({ code: "x", start, end: start + 1 })) });

test("a page is asked for at once, what is typed when typing pauses, and once for many keys", async (t) => {
  const { api, live, tick } = started(t, "a");
  assert.deepEqual(api.asked.map(({ text }) => text), ["a"]);
  api.asked[0].answer(answerOf("<p>a"));
  await settled();
  for (const text of ["ab", "abc", "abcd"]) {
    live.follow(text, "document");
    tick(150);
  }
  assert.equal(api.asked.length, 1);
  assert.equal(live.html, "<p>a", "what was there stays until the answer");
  tick(60);
  assert.deepEqual(api.asked.map(({ text }) => text), ["a", "abcd"]);
});

test("one question at a time; a late answer is shown with its mistakes where they stand by then", async (t) => {
  const { api, live, tick } = started(t, "a{");
  live.follow("xxa{", "document");
  tick(1000);
  assert.equal(api.asked.length, 1);
  api.asked[0].answer(answerOf("<p>a{", 1));
  await settled();
  assert.deepEqual(live.problems.map(({ start }) => start), [3]);
  assert.equal(live.fresh, false);
  tick(200);
  assert.equal(api.asked[1].text, "xxa{");
  api.asked[1].answer(answerOf("<p>xxa{", 3));
  await settled();
  assert.equal(live.fresh, true);
  tick(10_000);
  assert.equal(api.asked.length, 2);
});

test("without an answer it is tried again, and what was there stays", async (t) => {
  const { api, live, seen, tick } = started(t, "a");
  api.asked[0].answer(answerOf("<p>a"));
  await settled();
  live.follow("ab", "document");
  tick(200);
  api.asked[1].fail(new Error("no connection"));
  await settled();
  assert.deepEqual([live.failed, live.html, seen.length], [true, "<p>a", 2]);
  tick(2900);
  assert.equal(api.asked.length, 2);
  tick(100);
  api.asked[2].answer(answerOf("<p>ab"));
  await settled();
  assert.deepEqual([live.failed, live.html], [false, "<p>ab"]);
});

test("an answer about another item is never shown", async (t) => {
  const { api, live, tick } = started(t, "first");
  live.forget();
  live.follow("second", "formula");
  tick(0);
  api.asked[0].answer(answerOf("<p>first"));
  await settled();
  assert.equal(live.html, null);
  assert.deepEqual([api.asked[1].text, api.asked[1].task], ["second", "formula"]);
  api.asked[1].answer(answerOf("<p>second"));
  await settled();
  assert.equal(live.html, "<p>second");
});
