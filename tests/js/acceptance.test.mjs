import assert from "node:assert/strict";
import test from "node:test";
import { Acceptance } from "../../ocr_ui/ui/static/viewer/acceptance.mjs";
import { makeActions } from "../../ocr_ui/ui/static/viewer/actions.mjs";
import { Editor } from "../../ocr_ui/ui/static/viewer/editor.mjs";
import { FakeStorage, keptIn, keptNowhere } from "./storage.mjs";

const box = [[0, 0], [9, 0], [9, 9], [0, 9]]; // prettier-ignore
const lines = ["first", "second", "third"].map((text, at) => ({ id: `l${at}`, text, quad: at < 2 ? box : null, confidence: 0.3 }));
const value = { item: { recognition_id: 7, page: { sha256: "x", width: 99, height: 99 } }, lines, model_lines: lines };

function opened() {
  const editor = new Editor();
  editor.load(value, "replace");
  const told = [];
  const actions = makeActions({ editor, t: (word) => word, notices: { flash: (_, word) => told.push(word) } });
  return { editor, actions, told };
}

test("a line that is right is not asked about again, and the page stays as the model read it", () => {
  const { editor, actions } = opened();
  editor.select("l0");
  actions.accept_line();
  assert.deepEqual([editor.selected, editor.uncertainPlaces.map((place) => place.index)], ["l1", [1, 2]]);
  assert.equal(editor.isUncertain(editor.doc.lines[0]), false);
  assert.equal(editor.history.canUndo, false);
  editor.load({ ...value, item: { recognition_id: 8, page: { sha256: "y" } } }, "replace");
  assert.equal(editor.uncertainPlaces.length, 3, "another page has lines of the same names");
});

test("a line that nobody can read keeps its box and says nothing; one without a box is none", () => {
  const { editor, actions, told } = opened();
  editor.select("l0");
  actions.illegible();
  assert.deepEqual([editor.doc.lines[0].text, editor.doc.lines[0].quad, editor.selected], ["", box, "l1"]);
  editor.select("l2");
  actions.illegible();
  assert.deepEqual([editor.doc.lines[2].text, told], ["third", ["illegible_which"]]);
  editor.undo();
  assert.equal(editor.doc.lines[0].text, "first");
});

test("what was accepted comes back after a reload, whatever the browser keeps", () => {
  const kept = keptIn(new FakeStorage());
  new Acceptance(kept).put(7, new Set(["l1"]));
  assert.deepEqual([...new Acceptance(kept).of(7)], ["l1"]);
  assert.deepEqual([...new Acceptance(kept).of(8)], []);
  const forbidden = new Acceptance(keptNowhere);
  forbidden.put(7, new Set(["l1"]));
  assert.deepEqual([...forbidden.of(7)], []);
});
