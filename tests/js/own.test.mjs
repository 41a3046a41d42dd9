import assert from "node:assert/strict";
import test from "node:test";
import { accountIn, scoped } from "../../ocr_ui/ui/static/page/own.mjs";
import { Drafts } from "../../ocr_ui/ui/static/viewer/drafts.mjs";
import { Outbox } from "../../ocr_ui/ui/static/viewer/outbox.mjs";
import { FakeStorage, keptIn } from "./storage.mjs";

test("the account is found among other cookies, and none is none", () => {
  assert.equal(accountIn("workbench_language=en; workbench_account=12"), "12");
  assert.equal(accountIn("not_workbench_account=3"), "");
  assert.equal(accountIn(""), "");
});

test("drafts of one account are seen by no other in the same browser, and wait for their own", () => {
  const browser = new FakeStorage();
  new Drafts(keptIn(scoped(browser, "1"))).put(7, 0, { content: { text: "mine" }, time: 1 });
  for (const other of ["2", "11", ""]) assert.equal(new Drafts(keptIn(scoped(browser, other))).find(7), null, other);
  new Drafts(keptIn(scoped(browser, "2"))).dropAll(7);
  assert.equal(new Drafts(keptIn(scoped(browser, "1"))).find(7).draft.content.text, "mine");
});

test("what one account could not send yet is sent by no other", async () => {
  const browser = new FakeStorage();
  const opened = (account, post) => new Outbox({ kept: keptIn(scoped(browser, account)), post, wait: () => new Promise(() => {}) });
  const away = () => Promise.reject(Object.assign(new Error(), { passes: true }));
  opened("1", away).add({ path: "/v1/corrections", body: { text: "mine" }, recognition: 7 });
  const sent = [];
  const post = (account) => async (path, body) => {
    sent.push([account, body.text]);
    return { version: 1 };
  };
  await opened("2", post("2")).ended;
  assert.deepEqual(sent, []);
  await opened("1", post("1")).ended;
  assert.deepEqual(sent, [["1", "mine"]]);
});

test("without logins it is the browser's own storage", () => {
  const browser = new FakeStorage();
  assert.equal(scoped(browser, ""), browser);
});
