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

test("what is taken back does not come back by undo or redo", () => {
  const { history } = make();
  const setText = (text) => (doc) => (doc.text === text ? doc : { ...doc, text });
  const same = (a, b) => a.text === b.text && a.box === b.box;
  history.reset({ text: "old", box: 0 });
  history.push({ text: "old", box: 1 });
  const mark = history.mark();
  history.push({ text: "typed", box: 1 });
  history.push({ text: "typed", box: 2 });
  history.push({ text: "typed more", box: 2 });
  history.undo();
  history.rewrite(mark, setText("old"), same);
  assert.deepEqual(history.present, { text: "old", box: 2 });
  assert.equal(history.canRedo, false);
  const seen = [];
  while (history.undo()) seen.push(history.present);
  assert.deepEqual(seen, [
    { text: "old", box: 1 },
    { text: "old", box: 0 },
  ]);
});

test("taking back where nothing was done leaves undo and redo alone", () => {
  const { history } = make();
  history.push("b");
  history.undo();
  const mark = history.mark();
  history.rewrite(mark, (step) => step, (a, b) => a === b);
  assert.ok(history.redo());
  assert.equal(history.present, "b");
});
