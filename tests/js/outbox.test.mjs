import assert from "node:assert/strict";
import test from "node:test";
import { Failure } from "../../ocr_ui/ui/static/viewer/api.mjs";
import { KeptDrafts } from "../../ocr_ui/ui/static/viewer/keptdrafts.mjs";
import { Outbox } from "../../ocr_ui/ui/static/viewer/outbox.mjs";
import { FakeStorage, keptIn } from "./storage.mjs";

const gone = () => new Failure({ code: "unreachable" });

/** A server that can be away, and counts each key once. */
function served(storage = new FakeStorage()) {
  const server = { up: true, sent: [], applied: new Map(), storage };
  server.post = async (path, body) => {
    server.sent.push([path, body]);
    if (!server.up) throw gone();
    if (body.bad) throw new Failure({ code: "edited_meanwhile" }, 409);
    if (!server.applied.has(body.client_key)) server.applied.set(body.client_key, { version: server.applied.size + 1 });
    if (server.loses) throw gone();
    return server.applied.get(body.client_key);
  };
  let ticks = [];
  const wait = () => new Promise((resolve) => ticks.push(resolve));
  server.tick = async () => {
    for (const resolve of ticks.splice(0)) resolve();
    await settled();
  };
  let time = 0;
  let keys = 0;
  server.open = () =>
    new Outbox({ kept: keptIn(storage), post: server.post, wait, now: () => (time += 1), newKey: () => `key-${(keys += 1)}` });
  return server;
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

test("saves made while the server is away wait in the browser, and come in order, each once", async () => {
  const server = served();
  const outbox = server.open();
  server.up = false;
  const entries = [1, 2, 3].map((recognition) => outbox.add({ path: `/${recognition}`, body: {}, recognition }));
  for (const entry of entries) assert.equal(await entry.handled, null);
  assert.equal(server.storage.length, 3);
  server.loses = server.up = true; // the server takes the first, and the answer is lost
  await server.tick();
  server.loses = false;
  await server.tick();
  await outbox.idle();
  const reached = server.sent.map(([path]) => path);
  assert.deepEqual(reached, ["/1", "/1", "/1", "/2", "/3"]);
  assert.equal(server.applied.size, 3);
  assert.equal(server.storage.length, 0);
});

test("what a page that went away has left is sent by the next one with the same keys", async () => {
  const server = served();
  const first = server.open();
  server.up = false;
  const { body } = first.add({ path: "/1", body: { note: "n" }, recognition: 1 });
  await settled();
  server.up = true;
  const next = server.open();
  const heard = [];
  next.listen((event) => event.type === "outcome" && heard.push([event.entry.left, event.outcome.kind]));
  await next.idle();
  assert.deepEqual(server.sent.at(-1), ["/1", body]);
  assert.deepEqual(heard, [[true, "saved"]]);
});

test("a save on top of one under way follows it", async () => {
  const server = served();
  const outbox = server.open();
  outbox.add({ path: "/1", body: { base_version: 0, base_revision: 0 }, recognition: 1 });
  outbox.add({ path: "/2", body: { base_version: 5 }, recognition: 2 });
  outbox.add({ path: "/1", body: { base_version: 0, base_revision: 0 }, recognition: 1 });
  await outbox.idle(1);
  const bases = server.sent.map(([, body]) => body.base_version);
  assert.deepEqual(bases, [0, 5, 1]);
});

test("a refused save does not hold up the others", async () => {
  const server = served();
  const outbox = server.open();
  const bad = outbox.add({ path: "/1", body: { bad: true }, recognition: 1 });
  const good = outbox.add({ path: "/2", body: {}, recognition: 2 });
  assert.equal((await bad.outcome).kind, "conflict");
  assert.equal((await good.outcome).kind, "saved");
});

test("without room in the browser nobody goes on before the server has it", async () => {
  const server = served();
  const outbox = server.open();
  server.storage.room = 0;
  server.up = false;
  let went = false;
  const entry = outbox.add({ path: "/1", body: {}, recognition: 1 });
  entry.handled.then(() => (went = true));
  await settled();
  assert.equal(went, false);
  server.up = true;
  outbox.hurry();
  assert.equal((await entry.handled).kind, "saved");
});

test("of a draft only the newest state is sent, again while no answer comes", async () => {
  const server = served();
  const told = [];
  let tick;
  const drafts = new KeptDrafts({
    api: { post: server.post },
    browser: "here",
    person: () => "Ann",
    tell: (state, draft) => told.push([state, draft?.note]),
    wait: () => new Promise((resolve) => (tick = resolve)),
  });
  server.up = false;
  for (const note of ["a", "ab", "abc"]) drafts.put(7, false, 2, { note });
  await settled();
  server.up = true;
  tick();
  await settled();
  const notes = server.sent.map(([, body]) => body.draft.note);
  assert.deepEqual(notes, ["a", "abc"]);
  assert.deepEqual(told, [["here", "abc"], ["kept", "abc"]]);
  assert.equal(server.sent[1][0], "/v1/items/7/draft");
  drafts.drop(8, false);
  drafts.drop(7, false);
  await settled();
  assert.deepEqual(server.sent.slice(2).map(([path, body]) => [path, body.draft]), [["/v1/items/7/draft", null]]);
});
