import assert from "node:assert/strict";
import test from "node:test";
import { Activity } from "../../ocr_ui/ui/static/review/activity.mjs";
import { queryOf, queueAddress, Session } from "../../ocr_ui/ui/static/review/session.mjs";

/** A server with items that others may have or finish meanwhile. */
function served(ids) {
  const server = { ids, taken: new Set(), done: new Set(), lost: new Set(), asked: [], released: [] };
  const api = {
    get: async (path) => (path.endsWith("/claim") ? { person: "Bo" } : { items: ids, total: ids.length }),
    post: async (path, body) => {
      server.asked.push(path);
      const id = body.items?.find((one) => !server.taken.has(one) && !server.done.has(one)) ?? null;
      return { item: id, until: id && "2026-01-31T10:00:00Z" };
    },
  };
  const load = async (id) => {
    if (server.lost.has(id)) throw Object.assign(new Error("not for you"), { status: 400 });
    return { id };
  };
  const giveBack = async (body) => void server.released.push(...(body.items ?? ["all"]));
  server.session = new Session({ api, giveBack, holder: "tab", person: () => "Ann", query: {}, sort: "newest", load, preload: async () => {} });
  return server;
}

const walk = async (session) => {
  const shown = [];
  for (let found = await session.next(); found; found = await session.next()) shown.push(found.id);
  return shown;
};

test("every item comes once, in the order of the list", async () => {
  const { session } = served([5, 3, 9, 1]);
  await session.start();
  assert.deepEqual(await walk(session), [5, 3, 9, 1]);
  assert.equal(session.current, null);
  assert.equal((await session.previous()).id, 1);
});

test("the next item is asked for while the one before is shown", async () => {
  const { session, asked } = served([5, 3, 9]);
  await session.start();
  const first = await session.next();
  await session.ahead;
  assert.deepEqual([first.id, first.number], [5, 1]);
  assert.equal(asked.length, 2);
  assert.deepEqual(session.held, [5, 3]);
});

test("what others have is passed over, and asked for once more at the end", async () => {
  const server = served([5, 3, 9]);
  server.taken.add(3);
  await server.session.start();
  const shown = [(await server.session.next()).id];
  await server.session.ahead;
  server.taken.delete(3);
  shown.push(...(await walk(server.session)));
  assert.deepEqual(shown, [5, 9, 3]);
});

test("what others keep or have done ends the queue, without asking for ever", async () => {
  const server = served([5, 3, 9]);
  server.taken.add(3);
  server.done.add(9);
  await server.session.start();
  assert.deepEqual(await walk(server.session), [5]);
  assert.ok(server.asked.length < 8);
});

test("an item that is nothing for this person is given back", async () => {
  const server = served([5, 3, 9]);
  server.lost.add(3);
  await server.session.start();
  assert.deepEqual(await walk(server.session), [5, 9]);
  assert.deepEqual(server.released, [3]);
});

test("back and forth goes along what was shown", async () => {
  const { session, taken } = served([5, 3, 9]);
  await session.start();
  await session.next();
  await session.next();
  assert.equal((await session.previous()).id, 5);
  assert.equal(await session.previous(), null);
  assert.equal((await session.next()).id, 3);
  taken.add(5);
  const seen = await session.previous();
  assert.deepEqual([seen.value.readonly, seen.taken.person], [true, "Bo"]);
  assert.equal((await session.next()).id, 3);
  assert.equal((await session.next()).id, 9);
});

test("each way of working has its items", () => {
  assert.deepEqual(queryOf("first", { text: "a" }, "Ann"), { text: "a", states: ["pending", "in_progress"] });
  assert.deepEqual(queryOf("first", { state: "skipped" }, "Ann"), { state: "skipped" });
  assert.deepEqual(queryOf("blind", { review: "agreed", text: "a" }, "Ann"), { text: "a", reviews: ["one"], not_reviewers: ["Ann"] });
  assert.deepEqual(queryOf("disputes", { state: "submitted" }, "Ann"), { state: "submitted", reviews: ["disputed"] });
  const address = new URL(queueAddress({ states: ["a", "b"], text: "x y" }, "oldest", "薄"), "http://here");
  assert.deepEqual(address.searchParams.getAll("states"), ["a", "b"]);
  assert.equal(address.searchParams.get("person"), "薄");
});

test("time counts while somebody is at work, and not beyond", () => {
  let now = 0;
  const activity = new Activity({ idle: 60, now: () => now });
  const second = (visible) => ((now += 1), activity.tick(visible));
  for (let n = 0; n < 100; n += 1) second(true);
  assert.equal(activity.take(), 60);
  activity.noticed();
  second(true);
  second(false);
  assert.equal(activity.take(), 1);
  activity.noticed();
  now += 3600;
  activity.noticed();
  assert.ok(activity.take() <= 5, "a machine that slept was not at work");
});

test("a page that was loaded anew goes on with the same list, at the same item, and with the one after it", async () => {
  const before = served([5, 3, 9, 1]);
  await before.session.start();
  await before.session.next();
  const shown = await before.session.next();
  await before.session.ahead;
  const kept = JSON.parse(JSON.stringify(before.session.place));

  const server = served([7]); // the list would be another by now
  server.done.add(9); // and somebody has finished an item meanwhile
  const found = await server.session.resume(kept);
  assert.deepEqual([found.id, found.number, server.session.total], [shown.id, 2, 4]);
  await server.session.ahead;
  assert.deepEqual(server.session.held, [3, 1]);
  assert.equal((await server.session.previous()).id, 5);
  assert.equal((await server.session.next()).id, 3);
  assert.deepEqual(await walk(server.session), [1]);
});

test("an item is asked for with the tabs that are at work here", async () => {
  const bodies = [];
  const api = {
    get: async () => ({ items: [1], total: 1 }),
    post: async (_, body) => (bodies.push(body), { item: 1, until: "" }),
  };
  const load = async (id) => ({ id });
  const parts = { api, giveBack: async () => {}, holder: "tab", desks: async () => ["tab", "other"], person: () => "Ann" };
  const session = new Session({ ...parts, query: {}, sort: "newest", load, preload: async () => {} });
  await session.start();
  await session.next();
  assert.deepEqual([bodies[0].person, bodies[0].alive], ["Ann", ["tab", "other"]]);
});
