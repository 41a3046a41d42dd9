import assert from "node:assert/strict";
import test from "node:test";
import * as S from "../../ocr_ui/ui/static/viewer/state.mjs";

const quad = (x) => [
  [x, 0],
  [x + 9, 0],
  [x + 9, 5],
  [x, 5],
];
const line = (id, text = id, more = {}) => ({ id, text, quad: quad(1), confidence: 0.9, ...more });
const value = () => ({ lines: [line("l0"), line("l1"), line("l2")], text: "l0\nl1\nl2" });
const modelsOf = (doc) => new Map(doc.lines.map((entry) => [entry.id, entry]));
const ids = (doc) => doc.lines.map((entry) => entry.id);

test("a document has every part, whatever the value leaves out", () => {
  const doc = S.documentOf({ lines: [{ text: "a" }] });
  assert.deepEqual(doc.lines, [{ id: "l0", text: "a", quad: null, confidence: null }]);
  assert.deepEqual(S.contentOf(doc), { lines: doc.lines, regions: [], fields: [], tables: [], text: "a" });
});

test("text that is the lines follows them; text of its own does not", () => {
  const follows = S.setText(S.documentOf(value()), "l1", "new");
  assert.equal(S.wholeText(follows), "l0\nnew\nl2");
  const own = S.documentOf({ ...value(), text: "# Title" });
  assert.equal(S.wholeText(S.setText(own, "l1", "new")), "# Title");
  assert.equal(S.wholeText(S.setWholeText(own, "# Other")), "# Other");
  assert.equal(S.setWholeText(follows, "x"), follows);
});

test("operations leave the old document alone and share what did not change", () => {
  const before = S.documentOf(value());
  const frozen = structuredClone(before);
  const after = S.moveLine(S.removeLine(S.setText(before, "l0", "x"), "l1"), "l2", 0);
  assert.deepEqual(before, frozen);
  assert.deepEqual(ids(after), ["l2", "l0"]);
  assert.equal(after.lines[0], before.lines[2]);
});

test("an operation that changes nothing gives the same document", () => {
  const doc = S.documentOf(value());
  assert.equal(S.setText(doc, "l0", "l0"), doc);
  assert.equal(S.setText(doc, "gone", "x"), doc);
  assert.equal(S.setQuad(doc, "l0", quad(1)), doc);
  assert.equal(S.moveLine(doc, "l0", -3), doc);
  assert.equal(S.removeLine(doc, "gone"), doc);
});

test("lines go in after another one, or at the end", () => {
  const doc = S.documentOf(value());
  assert.deepEqual(ids(S.insertLine(doc, line("n1"), "l0")), ["l0", "n1", "l1", "l2"]);
  assert.deepEqual(ids(S.insertLine(doc, line("n1"), "gone")), ["l0", "l1", "l2", "n1"]);
});

test("moving counts in the list without the line", () => {
  const doc = S.documentOf(value());
  assert.deepEqual(ids(S.moveLine(doc, "l0", 1)), ["l1", "l0", "l2"]);
  assert.deepEqual(ids(S.moveLine(doc, "l0", 99)), ["l1", "l2", "l0"]);
  assert.deepEqual(ids(S.moveLine(doc, "l2", 0)), ["l2", "l0", "l1"]);
});

test("a fresh id is in use nowhere", () => {
  const doc = S.documentOf({ lines: [line("n1"), line("n3")] });
  assert.equal(S.freshId(doc), "n2");
});

test("absent and empty fields are two things", () => {
  const doc = S.documentOf({ fields: [{ name: "total", value: null }] });
  const empty = S.setField(doc, 0, "");
  assert.notEqual(empty, doc);
  assert.equal(S.sameDocument(doc, empty), false);
  assert.equal(S.setField(empty, 0, null).fields[0].value, null);
});

test("merging keeps the objects of lines in which nothing differs", () => {
  const old = S.documentOf(value());
  const next = S.documentOf({ lines: [line("l0"), line("l1", "changed"), line("l2"), line("l3")] });
  const merged = S.mergeDocument(old, next);
  assert.equal(merged.lines[0], old.lines[0]);
  assert.equal(merged.lines[1].text, "changed");
  assert.equal(merged.lines.length, 4);
});

test("changes against the model are told apart", () => {
  const model = S.documentOf(value());
  const models = modelsOf(model);
  const changed = S.setQuad(S.setText(model, "l0", "x"), "l0", quad(4));
  assert.equal(S.changeOf(changed.lines[0], models), "both");
  assert.equal(S.changeOf(S.setText(model, "l1", "x").lines[1], models), "text");
  assert.equal(S.changeOf(S.setQuad(model, "l1", null).lines[1], models), "box");
  assert.equal(S.changeOf(line("n1"), models), "added");
  assert.equal(S.changeOf(line("n1"), new Map()), "same");
  assert.deepEqual(S.deletedLines(S.removeLine(model, "l1"), models), [model.lines[1]]);
});

test("restoring gives back text and box and keeps the rest", () => {
  const model = S.documentOf(value());
  const changed = S.setQuad(S.setText(model, "l0", "x"), "l0", null);
  assert.ok(S.sameDocument(S.restoreLine(changed, model.lines[0]), model));
});

test("a line below the limit is uncertain until a person has corrected it", () => {
  const model = S.documentOf({ lines: [line("l0", "a", { confidence: 0.5 }), line("l1", "b", { confidence: null })] });
  const models = modelsOf(model);
  assert.ok(S.isUncertain(model.lines[0], 0.8, models));
  assert.ok(!S.isUncertain(model.lines[0], 0.5, models));
  assert.ok(!S.isUncertain(model.lines[1], 0.8, models));
  assert.ok(!S.isUncertain(S.setText(model, "l0", "A").lines[0], 0.8, models));
});

test("stepping starts at the nearer end and skips what is not wanted", () => {
  const { lines } = S.documentOf(value());
  assert.equal(S.neighbour(lines, null, 1), "l0");
  assert.equal(S.neighbour(lines, null, -1), "l2");
  assert.equal(
    S.neighbour(lines, "l0", 1, (entry) => entry.id === "l2"),
    "l2",
  );
  assert.equal(S.neighbour(lines, "l2", 1), null);
});

test("undo is shown at the first line that differs", () => {
  const before = S.documentOf(value());
  assert.equal(S.firstDifference(before, S.setText(before, "l1", "x")), "l1");
  assert.equal(S.firstDifference(before, S.removeLine(before, "l2")), null);
});

test("what a value from the server means", () => {
  const shown = (state, id, sha256 = "p", version = 0) => ({
    item: { recognition_id: id, page: { sha256 } },
    run: { state },
    version,
  });
  const clean = { dirty: false, version: 0 };
  const dirty = { dirty: true, version: 0 };
  assert.equal(S.arrival({}, shown("running", null), clean), "replace");
  assert.equal(S.arrival(shown("idle", null), shown("running", null), clean), "replace");
  assert.equal(S.arrival(shown("running", null), shown("running", null), clean), "merge");
  assert.equal(S.arrival(shown("running", null), shown("complete", 7), clean), "merge");
  assert.equal(S.arrival(shown("complete", 7), shown("complete", 8), dirty), "replace");
  assert.equal(S.arrival(shown("complete", 7), shown("complete", 7, "q"), dirty), "replace");
  assert.equal(S.arrival(shown("complete", 7), shown("complete", 7), clean), "merge");
  assert.equal(S.arrival(shown("complete", 7), shown("complete", 7), dirty), "messages");
  assert.equal(S.arrival(shown("complete", 7), shown("complete", 7, "p", 3), dirty), "behind");
});

test("a result opens in the view that shows it best", () => {
  assert.equal(S.bestView({ fields: [{}], lines: [{}] }), "fields");
  assert.equal(S.bestView({ lines: [{}], html: "<p>" }), "lines");
  assert.equal(S.bestView({ lines: [], html: "<p>", text: "a" }), "rendered");
  assert.equal(S.bestView({ text: "a" }), "text");
  assert.equal(S.bestView({}), "lines");
});

test("the view of a difference is that where a person sees it", () => {
  const doc = S.documentOf({ lines: [{ id: "a", text: "x" }], fields: [{ name: "n", value: "1" }], text: "# x" });
  assert.equal(S.viewOfDifference(doc, doc), null);
  assert.equal(S.viewOfDifference(doc, S.setField(doc, 0, "2")), "fields");
  assert.equal(S.viewOfDifference(doc, S.setText(doc, "a", "y")), "lines");
  assert.equal(S.viewOfDifference(doc, S.setText(S.setField(doc, 0, null), "a", "y")), "lines");
  assert.equal(S.viewOfDifference(doc, S.setWholeText(doc, "# y")), "text");
});

const linesOf = (doc) => doc.lines.map(({ id, text }) => `${id} ${text}`);

test("the text of lines without boxes is edited as a whole; lines that nobody touched stay", () => {
  const doc = S.documentOf({ lines: ["one", "two", "three"].map((text, n) => ({ id: `l${n}`, text, confidence: 0.5 })) });
  const cases = [
    ["one\nTWO\nthree", ["l0 one", "l1 TWO", "l2 three"]],
    ["one\nthree", ["l0 one", "l2 three"]],
    ["one\ntwo\nnew\nthree", ["l0 one", "l1 two", "n1 new", "l2 three"]],
    ["zero\none\ntwo\nthree", ["n1 zero", "l0 one", "l1 two", "l2 three"]],
    ["one\ntwo\nthree\n", ["l0 one", "l1 two", "l2 three", "n1 "]],
    ["one\ntw\no\nthree", ["l0 one", "l1 tw", "n1 o", "l2 three"]],
    ["onetwo\nthree", ["l0 onetwo", "l2 three"]],
    ["", []],
    ["\n\n", ["l0 ", "l1 ", "l2 "]],
  ];
  for (const [text, lines] of cases) {
    const next = S.setWholeText(doc, text);
    assert.deepEqual(linesOf(next), lines, text);
    assert.equal(S.wholeText(next), text);
    for (const line of next.lines) if (doc.lines.some(({ text }) => text === line.text)) assert.ok(doc.lines.includes(line));
  }
  assert.deepEqual(linesOf(S.setWholeText(S.EMPTY, "a\nb")), ["n1 a", "n2 b"]);
});

test("equal lines, and all texts near them, come out as they are typed", () => {
  const texts = ["", "a", "a\na", "a\n\na", "\na", "a\n", "aa", "a\naa\na", "\n\n\n"];
  for (const before of texts) {
    for (const after of texts) {
      const doc = S.setWholeText(S.EMPTY, before);
      const next = S.setWholeText(doc, after);
      assert.equal(S.wholeText(next), after, JSON.stringify([before, after]));
      assert.equal(new Set(next.lines.map(({ id }) => id)).size, next.lines.length);
    }
  }
});

test("a formula over several rows stays one line while it alone is typed into", () => {
  const doc = S.documentOf({ lines: [{ id: "l0", text: "x &= 1 \\\\\ny &= 2" }, { id: "l1", text: "z" }] });
  const next = S.setWholeText(doc, "x &= 1 \\\\\ny &= 23\\\\\nw\nz");
  assert.deepEqual(linesOf(next), ["l0 x &= 1 \\\\\ny &= 23\\\\\nw", "l1 z"]);
});

test("the text of lines with boxes follows them and is edited there", () => {
  const quad = [[0, 0], [9, 0], [9, 9], [0, 9]];
  const doc = S.documentOf({ lines: [{ id: "a", text: "x", quad }] });
  assert.equal(S.isTextEditable(doc), false);
  assert.equal(S.setWholeText(doc, "y"), doc);
});

test("Markdown and formulas open as source and rendered, side by side", () => {
  const lines = [{ text: "x" }];
  assert.equal(S.bestView({ item: { task: "document" }, lines, text: "# x", html: "<h1>" }), "text");
  assert.equal(S.bestView({ item: { task: "formula" }, lines, text: "x^2" }), "text");
  assert.equal(S.bestView({ item: { task: "spotting" }, lines, text: "x" }), "lines");
});

test("Markdown that is not there yet is typed as a text of its own, tables and all; an empty page of lines gets lines", () => {
  const typed = "# A\n\n<table><tr><td>1</td></tr></table>";
  const markdown = S.setWholeText(S.documentOf({ item: { task: "document" } }), typed);
  assert.deepEqual([markdown.lines, markdown.text, markdown.tables.length], [[], typed, 1]);
  const emptied = S.setWholeText(markdown, "");
  const back = S.documentOf({ ...S.contentOf(emptied), item: { task: "document" } });
  assert.equal(S.setWholeText(back, typed).tables.length, 1);
  const lines = S.setWholeText(S.documentOf({ item: { task: "text" } }), "a\nb");
  assert.deepEqual(lines.lines.map((one) => one.text), ["a", "b"]);
});
