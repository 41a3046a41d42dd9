import assert from "node:assert/strict";
import test from "node:test";
import { Editor } from "../../ocr_ui/ui/static/viewer/editor.mjs";
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
