import assert from "node:assert/strict";
import test from "node:test";
import { limitOf, limitSentences } from "../../ocr_ui/ui/static/viewer/limits.mjs";
import { documentOf, mergeDocument, setField } from "../../ocr_ui/ui/static/viewer/state.mjs";
import { isLow } from "../../ocr_ui/ui/static/viewer/sureness.mjs";
import { cellsOf, nextPlace, uncertainPlaces } from "../../ocr_ui/ui/static/viewer/uncertain.mjs";

const table = (...pairs) => ({
  html: `<table><tr>${pairs.map(() => "<td>x</td>").join("")}</tr></table>`,
  ...(pairs.some(Boolean) ? { confidences: pairs } : {}),
});
const value = {
  lines: [
    { id: "l0", text: "sure", confidence: 0.99, lowest: 0.9 },
    { id: "l1", text: "one odd letter", confidence: 0.95, lowest: 0.2 },
    { id: "l2", text: "old engine", confidence: 0.5 },
  ],
  fields: [
    { name: "a", value: "1", confidence: 0.3, lowest: 0.3 },
    { name: "b", value: "2", confidence: 0.99, lowest: 0.98 },
  ],
  tables: [table(null, null), table([0.99, 0.99], null, [0.4, 0.1])],
};
const places = (doc, models = new Map()) =>
  uncertainPlaces(doc, () => 0.8, models).map(({ kind, index }) => `${kind} ${index}`);

test("a mean below the limit or one token below half of it is uncertain", () => {
  assert.equal(isLow({ confidence: 0.79 }, 0.8), true);
  assert.equal(isLow({ confidence: 0.8 }, 0.8), false);
  assert.equal(isLow({ confidence: 0.9, lowest: 0.39 }, 0.8), true);
  assert.equal(isLow({ confidence: 0.9, lowest: 0.4 }, 0.8), false);
  assert.equal(isLow({}, 0.8), false);
});

test("lines, fields and cells are found, cells counted over all tables", () => {
  const doc = documentOf(value);
  assert.equal(cellsOf(doc).length, 5);
  assert.deepEqual(places(doc), ["line 1", "line 2", "field 0", "cell 4"]);
});

test("what a person has written is not the model's to doubt", () => {
  const doc = documentOf(value);
  const models = new Map(doc.lines.map((line) => [line.id, line]));
  const edited = { ...setField(doc, 0, "7"), lines: doc.lines.with(1, { ...doc.lines[1], text: "put right" }) };
  assert.deepEqual(places(edited, models), ["line 2", "cell 4"]);
  assert.equal(edited.fields[0].confidence, null);
  assert.equal("lowest" in edited.fields[0], false);
});

test("the next place comes after this one and goes round, forwards and backwards", () => {
  const found = uncertainPlaces(documentOf(value), () => 0.8, new Map());
  const from = (kind, index, step) => nextPlace(found, kind && { kind, index }, step);
  assert.deepEqual(from(null, 0, 1), { kind: "line", index: 1 });
  assert.deepEqual(from("line", 1, 1), { kind: "line", index: 2 });
  assert.deepEqual(from("line", 2, 1), { kind: "field", index: 0 });
  assert.deepEqual(from("field", -1, 1), { kind: "field", index: 0 });
  assert.deepEqual(from("cell", 4, 1), { kind: "line", index: 1 });
  assert.deepEqual(from("line", 1, -1), { kind: "cell", index: 4 });
  assert.deepEqual(from("field", 0, -1), { kind: "line", index: 2 });
  assert.equal(nextPlace([], null, 1), null);
});

test("probabilities that come with the last value are not lost to a line that looked the same", () => {
  const before = documentOf({ lines: [{ id: "l0", text: "a", confidence: null }] });
  const after = mergeDocument(before, documentOf({ lines: [{ id: "l0", text: "a", confidence: 0.9, lowest: 0.3 }] }));
  assert.equal(after.lines[0].lowest, 0.3);
});

test("a measured threshold stands in for the fixed limit of its part, unless it does not count", () => {
  const measured = (part, threshold, unused = []) => ({ part, threshold, unused, count: 1204, wrong: 40, miss_rate: 0.025 });
  const held = { ...value, low_confidence: 0.8 };
  held.thresholds = [measured("line", 0.45), measured("field:amount", 1), measured("cell", 0.2, ["revision", "few"])];
  const limit = (part) => limitOf(held, part);
  const fields = [...value.fields, { name: "c", value: "3", confidence: 0.99, kind: "amount" }];
  const doc = documentOf({ ...held, fields });
  const found = uncertainPlaces(doc, limit, new Map()).map(({ kind, index }) => `${kind} ${index}`);
  assert.deepEqual(found, ["line 1", "field 0", "field 2", "cell 4"], "line 2 is sure enough, the third field is not");
  const said = (kind) => limitSentences({ value: held, doc }, kind, (key, told = {}) => [key, ...Object.values(told)].join(" "));
  assert.deepEqual(said("line"), ["limit_measured part_line 0.45 1204 2.5"]);
  assert.deepEqual(said("cell"), ["limit_unused part_cell 0.80 unused_revision, unused_few"]);
  assert.deepEqual(said("field"), [
    "limit_fixed part_field (field_kind_text) 0.80",
    "limit_measured part_field (field_kind_amount) 1.00 1204 2.5",
  ]);
});
