import assert from "node:assert/strict";
import test from "node:test";
import { Editor } from "../../ocr_ui/ui/static/viewer/editor.mjs";
import { bounds } from "../../ocr_ui/ui/static/viewer/geometry.mjs";
import { kindFrom, REGION_KINDS } from "../../ocr_ui/ui/static/viewer/regions.mjs";
import { sameDocument } from "../../ocr_ui/ui/static/viewer/state.mjs";

const quad = [
  [0, 0],
  [9, 0],
  [9, 9],
  [0, 9],
];

function editorOf(...kinds) {
  const editor = new Editor();
  const regions = kinds.map((kind) => ({ kind, quad, text: kind }));
  editor.load({ item: { recognition_id: 1, page: { sha256: "a" } }, regions }, "replace");
  editor.setTool("level", "region");
  return editor;
}

const kinds = (editor) => editor.doc.regions.map((region) => region.kind);

test("kinds go round; one that a model has named otherwise goes to the first", () => {
  assert.equal(kindFrom("title", 1), "text");
  assert.equal(kindFrom("title", -1), "footer");
  assert.equal(kindFrom("section_title", 1), REGION_KINDS[0]);
});

test("a region's kind is changed, undone, and counts as an edit", () => {
  const editor = editorOf("title", "text");
  const before = editor.doc;
  editor.stepRegion(1);
  editor.stepRegion(1);
  editor.stepRegion(1);
  assert.equal(editor.region, 1);
  editor.turnKind(1);
  assert.deepEqual(kinds(editor), ["title", "table"]);
  assert.ok(!sameDocument(before, editor.doc));
  editor.undo();
  assert.deepEqual(kinds(editor), ["title", "text"]);
});

test("a drawn region stands behind the selected one, and a removed one is selected no longer", () => {
  const editor = editorOf("title", "footer");
  editor.selectRegion(0);
  editor.setDrawing("new");
  editor.finishDrawing(quad);
  assert.deepEqual([kinds(editor), editor.region], [["title", "text", "footer"], 1]);
  assert.equal(editor.doc.lines.length, 0, "no line");
  editor.selectRegion(2);
  editor.removeRegion();
  assert.deepEqual([kinds(editor), editor.region], [["title", "text"], 1]);
});

const size = { width: 100, height: 100 };
const boxOf = (editor, index) => bounds(editor.doc.regions[index].quad);

test("a region is moved and reshaped as a line is, and quick presses are one step to undo", () => {
  const editor = editorOf("title", "text");
  editor.nudge(5, 5, size);
  assert.deepEqual(boxOf(editor, 0), [0, 0, 9, 9], "nothing is selected yet");
  editor.selectRegion(1);
  for (let press = 0; press < 3; press += 1) editor.nudge(2, 1, size);
  assert.deepEqual(boxOf(editor, 1), [6, 3, 15, 12]);
  editor.setTool("handle", 2);
  editor.nudge(10, 0, size);
  editor.setTool("handle", 7);
  editor.nudge(-6, 0, size);
  assert.deepEqual(boxOf(editor, 1), [0, 3, 25, 12]);
  editor.rotate(90, size);
  assert.notDeepEqual(boxOf(editor, 1), [0, 3, 25, 12]);
  for (let step = 0; step < 3; step += 1) editor.undo();
  assert.deepEqual(boxOf(editor, 1), [6, 3, 15, 12]);
  editor.undo();
  assert.deepEqual(boxOf(editor, 1), [0, 0, 9, 9]);
  assert.deepEqual(boxOf(editor, 0), [0, 0, 9, 9]);
});

test("the pointer's quad goes to the selected region on the level of regions, and to the line on that of lines", () => {
  const editor = editorOf("title");
  editor.add(quad);
  editor.selectRegion(0);
  const moved = quad.map(([x, y]) => [x + 20, y]);
  editor.setActiveQuad(moved);
  assert.deepEqual([boxOf(editor, 0), bounds(editor.doc.lines[0].quad)], [[20, 0, 29, 9], [0, 0, 9, 9]]);
  editor.setTool("level", "line");
  editor.setActiveQuad(moved);
  assert.deepEqual(bounds(editor.doc.lines[0].quad), [20, 0, 29, 9]);
});

test("a region without a box is given one, and keeps its text and kind", () => {
  const editor = editorOf("title");
  editor.load({ ...editor.value, regions: [{ kind: "formula", quad: null, text: "x" }] }, "replace");
  editor.selectRegion(0);
  editor.setDrawing("give");
  editor.finishDrawing(quad);
  assert.deepEqual(editor.doc.regions, [{ kind: "formula", quad, text: "x" }]);
});

test("regions change places in the order of reading, with the selection", () => {
  const editor = editorOf("title", "text", "footer");
  editor.selectRegion(0);
  editor.move(1);
  assert.deepEqual([kinds(editor), editor.region], [["text", "title", "footer"], 1]);
  editor.move(1);
  editor.move(1);
  assert.deepEqual([kinds(editor), editor.region], [["text", "footer", "title"], 2]);
  editor.undo();
  assert.deepEqual(kinds(editor), ["text", "title", "footer"]);
});

test("another region has no handle chosen", () => {
  const editor = editorOf("title", "text");
  editor.selectRegion(0);
  editor.setTool("handle", 3);
  editor.stepRegion(1);
  assert.equal(editor.tools.handle, null);
});
