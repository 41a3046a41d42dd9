import assert from "node:assert/strict";
import test from "node:test";
import { History } from "../../ocr_ui/ui/static/viewer/history.mjs";

function make(options = {}) {
  const clock = { time: 0 };
  return { clock, history: new History("a", { now: () => clock.time, ...options }) };
}

test("undo and redo walk the same way", () => {
  const { history } = make();
  history.push("b");
  history.push("c");
  assert.ok(history.undo() && history.undo());
  assert.equal(history.present, "a");
  assert.equal(history.undo(), false);
  assert.ok(history.redo() && history.redo());
  assert.equal(history.present, "c");
  assert.equal(history.redo(), false);
});

test("a new step after undo forgets what was undone", () => {
  const { history } = make();
  history.push("b");
  history.undo();
  history.push("c");
  assert.equal(history.canRedo, false);
  history.undo();
  assert.equal(history.present, "a");
});

test("quick steps with the same key are one step", () => {
  const { history, clock } = make();
  history.push("b", "text l1");
  clock.time = 500;
  history.push("c", "text l1");
  history.undo();
  assert.equal(history.present, "a");
});

test("another key, a pause or an end of merging starts a step of its own", () => {
  for (const between of [
    ({ history }) => history.push("c", "text l2"),
    ({ history, clock }) => ((clock.time = 5000), history.push("c", "text l1")),
    ({ history }) => (history.endMerging(), history.push("c", "text l1")),
  ]) {
    const parts = make();
    parts.history.push("b", "text l1");
    between(parts);
    parts.history.undo();
    assert.equal(parts.history.present, "b");
  }
});

test("typing after an undo does not merge into what was undone to", () => {
  const { history } = make();
  history.push("b", "k");
  history.push("c");
  history.undo();
  history.push("d", "k");
  history.undo();
  assert.equal(history.present, "b");
});

test("the same value is no step", () => {
  const { history } = make();
  history.push("a");
  assert.equal(history.canUndo, false);
});

test("the oldest steps go first at the limit", () => {
  const { history } = make({ limit: 2 });
  for (const value of ["b", "c", "d"]) history.push(value);
  while (history.undo());
  assert.equal(history.present, "b");
});
