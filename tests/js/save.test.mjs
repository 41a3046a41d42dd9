import assert from "node:assert/strict";
import test from "node:test";
import { Api, Failure } from "../../ocr_ui/ui/static/viewer/api.mjs";
import { Drafts } from "../../ocr_ui/ui/static/viewer/drafts.mjs";
import { Saver, delayBefore } from "../../ocr_ui/ui/static/viewer/save.mjs";
import { FakeStorage, keptIn } from "./storage.mjs";

const answer = (status, body) => new Response(JSON.stringify(body), { status });

/** A saver whose server gives these answers in turn; an Error is a broken connection. */
function make(answers, { wait = async () => {} } = {}) {
  const sent = [];
  const told = [];
  const fetch = async (path, options) => {
    sent.push({ path, body: JSON.parse(options.body), headers: options.headers });
    const next = answers.shift();
    if (next instanceof Error) throw next;
    return next;
  };
  const api = new Api({ lang: () => "zh", fetch });
  let keys = 0;
  const saver = new Saver({
    send: (body) => api.post("/v1/corrections", body),
    wait,
    newKey: () => `key${(keys += 1)}`,
    tell: (state) => told.push(state.phase),
  });
  return { saver, sent, told };
}

test("a save is sent once, with a key and the language", async () => {
  const { saver, sent, told } = make([answer(200, { version: 1 })]);
  const outcome = await saver.save({ base_version: 0 });
  assert.deepEqual(outcome, { kind: "saved", answer: { version: 1 } });
  assert.deepEqual(sent[0].body, { base_version: 0, client_key: "key1" });
  assert.equal(sent[0].headers["X-Workbench-Lang"], "zh");
  assert.deepEqual(told, ["saving"]);
});

test("a broken connection or a busy server is tried again with the same key and content", async () => {
  const { saver, sent, told } = make([new TypeError("net"), answer(503, {}), answer(200, { version: 1 })]);
  const outcome = await saver.save({ note: "n" });
  assert.equal(outcome.kind, "saved");
  assert.equal(new Set(sent.map((request) => JSON.stringify(request.body))).size, 1);
  assert.deepEqual(told, ["saving", "waiting", "saving", "waiting", "saving"]);
});

test("each save has a key of its own", async () => {
  const { saver, sent } = make([answer(200, {}), answer(200, {})]);
  await saver.save({});
  await saver.save({});
  assert.deepEqual(
    sent.map((request) => request.body.client_key),
    ["key1", "key2"],
  );
});

test("a second call while waiting hurries the first on instead of sending twice", async () => {
  const never = () => new Promise(() => {});
  const { saver, sent } = make([new TypeError("net"), answer(200, { version: 2 })], { wait: never });
  const first = saver.save({ note: "first" });
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = await saver.save({ note: "second" });
  assert.deepEqual(second, { kind: "saved", answer: { version: 2 } });
  assert.equal(await first, second);
  assert.deepEqual(
    sent.map((request) => request.body.note),
    ["first", "first"],
  );
});

test("a conflict is told with its details and not tried again", async () => {
  const error = { code: "edited_meanwhile", message: "m", details: { version: 3, person: "Li" } };
  const { saver, sent } = make([answer(409, { error })]);
  const outcome = await saver.save({});
  assert.equal(outcome.kind, "conflict");
  assert.equal(outcome.failure.details.version, 3);
  assert.equal(sent.length, 1);
});

test("what the server refuses is told in its words", async () => {
  const { saver } = make([answer(400, { error: { code: "note_too_long", message: "Too long.", hint: "Cut it." } })]);
  const { kind, failure } = await saver.save({});
  assert.equal(kind, "refused");
  assert.deepEqual([failure.code, failure.message, failure.hint], ["note_too_long", "Too long.", "Cut it."]);
});

test("an error page without JSON is refused by its status", async () => {
  const { saver } = make([new Response("<html>", { status: 500 })]);
  const { failure } = await saver.save({});
  assert.equal(failure.code, "http_500");
});

test("waiting grows and has an end", () => {
  assert.deepEqual([1, 2, 3, 6, 50].map(delayBefore), [1, 2, 4, 8, 8]);
});

test("only failures that may pass are worth another try", () => {
  assert.ok(new Failure({ code: "unreachable" }).passes);
  assert.ok(new Failure({ code: "x" }, 503).passes);
  assert.ok(!new Failure({ code: "x" }, 400).passes);
});

// Drafts

test("the newest draft of a recognition is found, whatever its version", () => {
  const drafts = new Drafts(keptIn(new FakeStorage()));
  drafts.put(7, 0, { time: 1, note: "old" });
  drafts.put(7, 2, { time: 5, note: "new" });
  drafts.put(71, 9, { time: 9, note: "another page" });
  assert.deepEqual(drafts.find(7), { version: 2, draft: { time: 5, note: "new" } });
  drafts.drop(7, 2);
  assert.equal(drafts.find(7).draft.note, "old");
  drafts.dropAll(7);
  assert.equal(drafts.find(7), null);
  assert.ok(drafts.find(71));
});

test("a browser without room says so", () => {
  const drafts = new Drafts(keptIn(new FakeStorage(10)));
  assert.equal(drafts.put(1, 0, { time: 1, note: "long enough" }), false);
  assert.equal(drafts.find(1), null);
});

test("a broken draft is no draft", () => {
  const storage = new FakeStorage();
  storage.setItem("workbench.draft.1.0", "{");
  assert.equal(new Drafts(keptIn(storage)).find(1), null);
});
