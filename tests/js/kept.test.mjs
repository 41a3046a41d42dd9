import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeStorage, keptIn, keptNowhere } from "./storage.mjs";

test("what is put is there again, as a text or as a value", () => {
  const kept = keptIn(new FakeStorage());
  assert.deepEqual([kept.text("a"), kept.value("a")], ["", null]);
  assert.equal(kept.putText("a", "一"), true);
  assert.equal(kept.putValue("b", { n: [1] }), true);
  assert.deepEqual([kept.text("a"), kept.value("b"), kept.value("a")], ["一", { n: [1] }, null]);
  kept.putText("ab", "x");
  assert.deepEqual(kept.keys("a"), ["a", "ab"]);
  kept.drop("a");
  assert.equal(kept.text("a"), "");
});

test("a browser that keeps nothing fails nothing, and says so", () => {
  for (const kept of [keptNowhere, keptIn(new FakeStorage(2))]) {
    assert.deepEqual([kept.putText("a", "long"), kept.putValue("a", { n: 1 })], [false, false]);
    kept.drop("a");
    assert.deepEqual([kept.text("a"), kept.value("a"), kept.keys("")], ["", null, []]);
  }
});
