import assert from "node:assert/strict";
import test from "node:test";
import * as E from "../../ocr_ui/ui/static/viewer/edits.mjs";
import { Editor } from "../../ocr_ui/ui/static/viewer/editor.mjs";
import * as G from "../../ocr_ui/ui/static/viewer/geometry.mjs";
import { joinTexts, runsFromRight } from "../../ocr_ui/ui/static/viewer/text.mjs";

const { quadAroundAll, rectQuad, rotateQuad, splitQuad, turningPoint } = G;
const SIZE = { width: 400, height: 300 };
const box = (left, top, right, bottom) => rectQuad([left, top], [right, bottom]);
const line = (id, text, quad = null, more = {}) => ({ id, text, quad, confidence: 0.9, ...more });
const docOf = (...lines) => ({ lines, fields: [], tables: [], regions: [], text: "", follows: true });
const ids = (doc) => doc.lines.map((entry) => entry.id);
const letters = (text) => text.length;

function editorOf(...lines) {
  const editor = new Editor();
  const item = { recognition_id: 1, page: { sha256: "a", ...SIZE } };
  editor.load({ item, lines, model_lines: lines, text: lines.map((entry) => entry.text).join("\n") }, "replace");
  return editor;
}

test("a line is cut where its letters are, and keeps nothing of the space at the cut", () => {
  const doc = E.splitLine(docOf(line("l0", "ab cdefg", box(0, 0, 80, 10))), "l0", 3, letters);
  assert.deepEqual(
    doc.lines.map(({ id, text, quad }) => [id, text, quad]),
    [
      ["l0", "ab", box(0, 0, 30, 10)],
      ["n1", "cdefg", box(30, 0, 80, 10)],
    ],
  );
});

test("the first part of a line from the right stands on the right, of one that runs down on top", () => {
  const hebrew = E.splitLine(docOf(line("l0", "שלום רב", box(0, 0, 70, 10))), "l0", 5, letters);
  assert.deepEqual(hebrew.lines[0].quad, box(20, 0, 70, 10));
  const column = E.splitLine(docOf(line("l0", "春眠不覚暁", box(0, 0, 10, 50))), "l0", 2, letters);
  assert.deepEqual(column.lines.map((entry) => entry.quad), [box(0, 0, 10, 20), box(0, 20, 10, 50)]);
});

test("there is no cut at an end, in a gap before it, or without text", () => {
  const doc = docOf(line("l0", " ab "));
  for (const at of [0, 1, 3, 4]) assert.equal(E.splitLine(doc, "l0", at, letters), doc);
  assert.equal(E.splitLine(doc, "gone", 1, letters), doc);
});

test("a slanting box is cut across its text", () => {
  const slanting = rotateQuad(box(100, 100, 200, 120), 30, SIZE);
  const [first, second] = splitQuad(slanting, 0.25);
  assert.deepEqual(first[1], second[0]);
  assert.ok(Math.abs(Math.hypot(first[1][0] - first[0][0], first[1][1] - first[0][1]) - 25) < 1e-9);
});

test("joined lines are one under the first id, with the least confidence and a box around all", () => {
  const doc = docOf(
    line("l0", "Total", box(0, 0, 50, 10), { lowest: 0.5 }),
    line("l1", "12.50", box(60, 1, 100, 11), { confidence: 0.4, lowest: 0.2 }),
    line("l2", "rest"),
  );
  const joined = E.joinLines(doc, ["l1", "l0"]);
  assert.deepEqual(ids(joined), ["l0", "l2"]);
  const [first] = joined.lines;
  assert.deepEqual([first.text, first.confidence, first.lowest], ["Total 12.50", 0.4, 0.2]);
  assert.deepEqual(first.quad, box(0, 0, 100, 11));
  assert.equal(E.joinLines(doc, ["l0"]), doc);
});

test("a box around slanting boxes slants as they do", () => {
  const whole = rotateQuad(box(100, 100, 200, 120), 20, SIZE);
  const around = quadAroundAll(splitQuad(whole, 0.4));
  around.flat().forEach((value, index) => assert.ok(Math.abs(value - whole.flat()[index]) < 1e-6));
});

test("texts are joined with a space only where both sides are written with spaces", () => {
  assert.equal(joinTexts("Total ", "12"), "Total 12");
  assert.equal(joinTexts("合計", "金額"), "合計金額");
  assert.equal(joinTexts("合計", "12"), "合計12");
  assert.equal(joinTexts("", "12"), "12");
});

test("a script from the right is known by most letters", () => {
  assert.ok(runsFromRight("مرحبا 2024 AB"));
  assert.ok(!runsFromRight("Total 12"));
  assert.ok(!runsFromRight("12.50"));
});

test("lines come in the order asked for; others stay behind the line they stood behind", () => {
  const doc = docOf(line("a", "a"), line("b", "b"), line("c", "c"), line("d", "d"));
  assert.deepEqual(ids(E.orderLines(doc, ["d", "a", "c"])), ["d", "a", "b", "c"]);
  assert.equal(E.orderLines(doc, ["a", "b", "c", "d"]), doc);
});

test("a box turns around its middle and stays in the picture", () => {
  const turned = rotateQuad(box(0, 0, 100, 20), 90, SIZE);
  assert.deepEqual(
    turned.map((point) => point.map(Math.round)),
    [
      [60, 0],
      [60, 100],
      [40, 100],
      [40, 0],
    ],
  );
  assert.deepEqual(turningPoint(box(0, 50, 100, 70), 10), [50, 40]);
});

test("Shift marks from where it began, Ctrl one by one, and a plain selection ends it", () => {
  const editor = editorOf(line("a", "a"), line("b", "b"), line("c", "c"), line("d", "d"));
  editor.select("b");
  editor.step(1, { reach: "to" });
  editor.step(1, { reach: "to" });
  assert.deepEqual(editor.chosen, ["b", "c", "d"]);
  editor.step(-1, { reach: "to" });
  assert.deepEqual(editor.chosen, ["b", "c"]);
  editor.select("a", { reach: "also" });
  assert.deepEqual(editor.chosen, ["a", "b", "c"]);
  editor.select("b", { reach: "also" });
  editor.select("d", { reach: "also" });
  assert.deepEqual(editor.chosen, ["a", "c", "d"]);
  editor.select("c");
  assert.deepEqual(editor.chosen, ["c"]);
});

test("what is done to several lines is one step to undo", () => {
  const editor = editorOf(line("a", "a", box(0, 0, 9, 9)), line("b", "b", box(0, 20, 9, 29)), line("c", "c"));
  editor.selectAll();
  editor.nudge(5, 0, SIZE);
  assert.deepEqual(editor.doc.lines[1].quad, box(5, 20, 14, 29));
  editor.undo();
  assert.deepEqual(editor.doc.lines[0].quad, box(0, 0, 9, 9));
  editor.selectAll();
  editor.remove();
  assert.deepEqual([editor.doc.lines.length, editor.selected], [0, null]);
  editor.undo();
  assert.deepEqual(ids(editor.doc), ["a", "b", "c"]);
});

test("only neighbours are joined; one line alone is joined with the next", () => {
  const editor = editorOf(line("a", "a"), line("b", "b"), line("c", "c"));
  editor.select("a");
  editor.select("c", { reach: "also" });
  assert.equal(editor.join(), false);
  editor.select("b");
  assert.ok(editor.join());
  assert.deepEqual(editor.doc.lines.map((entry) => entry.text), ["a", "b c"]);
  assert.equal(editor.join(), false);
});

test("pasted lines get ids of their own and stand beside themselves, elsewhere where they stood", () => {
  const editor = editorOf(line("a", "a", box(0, 0, 50, 10)), line("b", "b"));
  editor.select("a");
  editor.paste([{ text: "a", quad: box(0, 0, 50, 10) }], SIZE);
  assert.deepEqual(ids(editor.doc), ["a", "n1", "b"]);
  assert.deepEqual(editor.doc.lines[1].quad, box(0, 11.5, 50, 21.5));
  assert.deepEqual(editor.chosen, ["n1"]);
  editor.paste([{ text: "far", quad: box(380, 0, 500, 10) }, { text: "none", quad: null }], SIZE);
  assert.deepEqual(editor.doc.lines[2].quad, box(280, 0, 400, 10));
  assert.equal(editor.chosen.length, 2);
});

test("what an engine read stands where the lines stood that it replaces", () => {
  const doc = docOf(line("a", "a"), line("b", "b"), line("c", "c"));
  const splice = { lines: [line("b", "B"), line("r1-1", "new")], replaces: ["b"], after: null };
  assert.deepEqual(E.spliceLines(doc, splice).lines.map((entry) => entry.text), ["a", "B", "new", "c"]);
  const behind = (after) => E.spliceLines(doc, { lines: [line("n", "n")], replaces: [], after }).lines.map((l) => l.id);
  assert.deepEqual(behind("b"), ["a", "b", "n", "c"]);
  assert.deepEqual(behind(null), ["n", "a", "b", "c"]);
  assert.equal(E.spliceLines(doc, { lines: [line("b", "b")], replaces: ["b"], after: null }), doc);
});

test("a line is locked while it says what no engine has read", () => {
  const editor = editorOf(line("a", "a"), line("b", "b"));
  const [first] = editor.doc.lines;
  assert.ok(!editor.isLocked(first));
  assert.ok(editor.isLocked({ ...first, text: "x" }));
  assert.ok(!editor.isLocked({ ...first, text: " " }));
  editor.learn({ id: 1, lines: [line("a", "x")] });
  assert.ok(!editor.isLocked({ ...first, text: "x" }));
  assert.equal(editor.changeOf({ ...first, text: "x" }), "reread");
  assert.ok(editor.isLocked({ id: "n1", text: "x", quad: null }), "another line");
});

test("a reading never takes what was edited while it ran", () => {
  const editor = editorOf(line("a", "a"), line("b", "b"));
  const seen = editor.doc;
  editor.setText("a", "mine");
  const answer = { lines: [line("a", "theirs"), line("b", "B")], replaces: ["a", "b"], after: null, offered: [] };
  const [moved, free] = editor.splice(answer, seen);
  assert.deepEqual([moved[0].text, free[0].text], ["theirs", "B"]);
  assert.deepEqual(editor.doc.lines.map((entry) => entry.text), ["mine", "B"]);
  editor.undo();
  assert.deepEqual(editor.doc.lines.map((entry) => entry.text), ["mine", "b"]);
});

test("all lines go back to what the model read, deleted ones too, in one step", () => {
  const editor = editorOf(line("a", "a"), line("b", "b"), line("c", "c"));
  editor.setText("a", "x");
  editor.select("b");
  editor.remove();
  editor.add(box(0, 0, 9, 9));
  editor.restoreAll();
  assert.deepEqual(editor.doc.lines.map((entry) => entry.text).sort(), ["", "a", "b", "c"]);
  editor.undo();
  assert.equal(editor.doc.lines[0].text, "x");
});
