import assert from "node:assert/strict";
import { test } from "node:test";
import { say } from "../../ocr_ui/ui/static/page/dom.mjs";
import { momentText, shortMomentText } from "../../ocr_ui/ui/static/page/moments.mjs";
import { partOf } from "../../ocr_ui/ui/static/page/part.mjs";
import { isSure } from "../../ocr_ui/ui/static/page/sure.mjs";
import { Api, explained, Failure } from "../../ocr_ui/ui/static/viewer/api.mjs";

const away = async () => {
  throw new TypeError("Failed to fetch");
};

test("what went wrong is told with what can be done, and nothing where nothing did", () => {
  assert.equal(explained(new Failure({ code: "x", message: "No.", hint: "Ask." }, 400)), "No. Ask.");
  assert.equal(explained({ message: "No." }), "No.");
  assert.deepEqual([explained(null), explained(undefined)], ["", ""]);
});

test("a server that does not answer is told in words, those of the part where it has some", async () => {
  const api = new Api({ unreachable: "Nobody there.", fetch: away });
  const failures = [api.get("/x"), api.post("/x", {}), api.lines("/x", {}, () => {}, new AbortController().signal)];
  for (const failed of failures) {
    const failure = await failed.catch((error) => error);
    assert.equal(failure.code, "unreachable");
    assert.equal(explained(failure), "Nobody there.");
    assert.equal(explained(failure, "What you typed is kept."), "What you typed is kept.");
  }
});

test("answers in lines come as they came together, the last as the outcome", async () => {
  const parts = ['{"n": 1}\n{"n": 2}\n{"n"', ": 3}\n"].map((text) => new TextEncoder().encode(text));
  const fetch = async () => new Response(ReadableStream.from(parts));
  const { signal } = new AbortController();
  const came = [];
  for await (const steps of new Api({ fetch }).steps("/x", {}, signal)) came.push(steps.map(({ n }) => n));
  assert.deepEqual(came, [[1, 2], [3]]);
  const told = [];
  assert.deepEqual(await new Api({ fetch }).lines("/x", {}, ({ n }) => told.push(n), signal), { n: 3 });
  assert.deepEqual(told, [1, 2]);
});

test("a part has its words by their short names, and those for one thing", () => {
  const words = { "p.n": "{n} pages", "p.n_one": "{n} page", "any.unreachable": "Nobody there." };
  const { t, api, language } = partOf({ words: JSON.stringify(words), language: "zh" }, "p.");
  assert.deepEqual([t("n", { n: 2 }), t("n", { n: 1 }), t("n", { n: "1" }), t("none")], ["2 pages", "1 page", "1 page", "p.none"]);
  assert.deepEqual([api.headers["X-Workbench-Lang"], api.unreachable, language], ["zh", "Nobody there.", "zh"]);
  assert.equal(say({}, "x", { n: 1 }), "x");
});

test("a moment is written in the language that is named", () => {
  const moment = "2026-11-30T09:05:00";
  assert.match(momentText(moment, "en"), /^Nov 30, 2026, 9:05/);
  assert.match(momentText(moment, "zh-CN"), /^2026年11月30日/);
  assert.match(shortMomentText(new Date(moment), "en"), /^11\/30\/26, 9:05/);
});

test("what cannot be taken back is done at the second press, and asked again after a while", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const button = { dataset: {}, textContent: "Delete" };
  const words = { usual: "Delete", sure: "Sure?" };
  assert.deepEqual([isSure(button, words), button.textContent, isSure(button, words)], [false, "Sure?", true]);
  context.mock.timers.tick(60_000);
  assert.deepEqual([button.textContent, isSure(button, words)], ["Delete", false]);
});
