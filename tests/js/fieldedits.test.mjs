import assert from "node:assert/strict";
import test from "node:test";
import { Editor } from "../../ocr_ui/ui/static/viewer/editor.mjs";
import * as F from "../../ocr_ui/ui/static/viewer/fieldedits.mjs";
import { contentOf, documentOf, setField, viewOfDifference } from "../../ocr_ui/ui/static/viewer/state.mjs";

const box = (left, top = 0) => [[left, top], [left + 40, top], [left + 40, top + 10], [left, top + 10]]; // prettier-ignore
const value = {
  item: { recognition_id: 1, page: { sha256: "x", width: 100, height: 100 } },
  lines: [
    { id: "a", text: "Total 12.50", quad: box(0) },
    { id: "b", text: "Thank you", quad: box(0, 20) },
    { id: "c", text: "no box", quad: null },
  ],
  fields: [
    { name: "Sum", value: "12.50", quad: box(20), confidence: 0.4, lowest: 0.1, kind: "amount", alternatives: ["12.5"] },
    { name: "Day", value: null, quad: null, confidence: null, kind: "date", alternatives: [] },
  ],
};

test("fields are added behind the chosen one, renamed and removed; a blank name is none", () => {
  const doc = documentOf(value);
  const [added, at] = F.addField(doc, 0, "Tax");
  assert.deepEqual([at, added.fields.map((field) => field.name)], [1, ["Sum", "Tax", "Day"]]);
  assert.equal(F.addField(doc, -1, "Tax")[1], 2);
  assert.equal(F.rename(added, 1, "  "), added);
  assert.equal(F.rename(added, 1, "VAT").fields[1].name, "VAT");
  assert.deepEqual(F.rename(doc, 0, "Total").fields[0].alternatives, ["12.5"]);
  assert.deepEqual(F.removeField(added, 1).fields, doc.fields);
  assert.equal(F.removeField(doc, 9), doc);
  assert.equal(F.freshName(F.rename(doc, 0, "Field 3"), (n) => `Field ${n}`), "Field 4");
  assert.deepEqual([F.isTwice(doc, 0), F.isTwice(F.rename(doc, 1, "Sum"), 0)], [false, true]);
});

test("a link takes the box of the lines, and their text only where the field says nothing", () => {
  const doc = documentOf(value);
  const [first] = F.linkTo(doc, 0, [doc.lines[1]]).fields;
  assert.deepEqual([first.quad, first.value, first.confidence], [box(0, 20), "12.50", 0.4]);
  const second = F.linkTo(doc, 1, doc.lines.slice(0, 2)).fields[1];
  assert.deepEqual([second.value, second.quad[2]], ["Total 12.50 Thank you", [40, 30]]);
  assert.deepEqual(F.linkTo(doc, 0, [doc.lines[0]], box(20)), doc); // the part that has the value, as it was
  assert.deepEqual(F.linkTo(doc, 0, [doc.lines[2]]).fields[0].quad, box(20)); // a line without a box
  assert.equal(F.linkTo(doc, 0, []), doc);
  assert.equal(F.setPlace(doc, 0, null).fields[0].quad, null);
  assert.equal(setField(doc, 0, null).fields[0].quad, null, "what is absent stands nowhere");
  assert.deepEqual(setField(doc, 0, "").fields[0].quad, box(20));
  assert.equal(F.setKind(doc, 0, "amount"), doc);
});

test("each edit of a field is one step to undo, and stands in drafts and in what is saved", () => {
  const editor = new Editor();
  editor.load(value, "replace");
  const before = editor.doc;
  editor.change((doc) => F.rename(doc, 0, "Total"));
  editor.change((doc) => F.setKind(doc, 1, "text"));
  editor.change((doc) => F.setPlace(doc, 1, box(1)));
  editor.change((doc) => F.removeField(doc, 0));
  const [{ name, kind, quad }] = contentOf(editor.doc).fields;
  assert.deepEqual([name, kind, quad], ["Day", "text", box(1)]);
  assert.equal(viewOfDifference(before, documentOf(contentOf(editor.doc))), "fields");
  for (let step = 0; step < 4; step += 1) editor.undo();
  assert.equal(editor.doc, before);
  assert.equal(editor.history.canUndo, false);
});

test("the field that is chosen is let go with the last field, and gets the box that is drawn for it", () => {
  const editor = new Editor();
  editor.load(value, "replace");
  editor.selectField(1);
  editor.setDrawing("field");
  editor.finishDrawing(box(3));
  assert.deepEqual(editor.doc.fields[1].quad, box(3));
  assert.equal(editor.doc.lines.length, 3);
  editor.change((doc) => F.removeField(doc, 1));
  assert.equal(editor.field, 0);
  editor.load({ ...value, item: { recognition_id: 2, page: { sha256: "y" } } }, "replace");
  assert.equal(editor.field, -1);
});
