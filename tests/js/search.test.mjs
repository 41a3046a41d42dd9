import assert from "node:assert/strict";
import test from "node:test";
import { Editor } from "../../ocr_ui/ui/static/viewer/editor.mjs";
import { charactersOf, neighbourOf, USUAL } from "../../ocr_ui/ui/static/viewer/palette.mjs";
import { findAll, replacePlaces } from "../../ocr_ui/ui/static/viewer/search.mjs";
import { SIZES, sizeFrom, TextSize } from "../../ocr_ui/ui/static/viewer/textsize.mjs";
import { FakeStorage, keptIn, keptNowhere } from "./storage.mjs";

const docOf = (texts, more = {}) => ({
  lines: texts.map((text, index) => ({ id: `l${index}`, text, quad: null, confidence: 0.9 })),
  fields: [],
  tables: [],
  regions: [],
  text: "",
  follows: true,
  ...more,
});

test("every place is found, in lines, fields and a text of its own", () => {
  const doc = docOf(["Total total", "none"], {
    fields: [{ name: "a", value: null }, { name: "b", value: "TOTAL" }],
    text: "a total",
    follows: false,
  });
  assert.deepEqual(
    findAll(doc, "total").map(({ kind, index, start }) => [kind, index, start]),
    [["line", 0, 0], ["line", 0, 6], ["field", 1, 0], ["text", 0, 2]],
  );
  assert.deepEqual(findAll(doc, "total", { exact: true }).length, 2);
  assert.deepEqual(findAll({ ...doc, follows: true }, "a total"), []);
  assert.deepEqual(findAll(doc, ""), []);
});

test("signs are meant as they stand, and characters outside the plane are whole", () => {
  const doc = docOf(["a.b*(c) 1-2", "axb", "𠮷野家", "[x]"]);
  for (const [needle, count] of [["a.b*(c)", 1], ["1-2", 1], ["𠮷野", 1], ["[", 1], ["\\", 0], ["$", 0]]) {
    assert.equal(findAll(doc, needle).length, count, needle);
  }
});

test("what is put in is put in as it stands, at every place, and leaves all else alone", () => {
  const doc = docOf(["aXbX", "no"], { fields: [{ name: "f", value: "X", confidence: 0.4, lowest: 0.1 }] });
  const next = replacePlaces(doc, findAll(doc, "X"), "$& $1");
  assert.equal(next.lines[0].text, "a$& $1b$& $1");
  assert.equal(next.lines[1], doc.lines[1]);
  assert.deepEqual(next.fields[0], { name: "f", value: "$& $1", confidence: null });
});

test("replacing all is one step to undo, and nothing on a page that cannot be edited", () => {
  const editor = new Editor();
  const lines = docOf(["a a", "a"]).lines;
  const value = { item: { recognition_id: 1, page: { sha256: "x" } }, lines };
  editor.load(value, "replace");
  editor.replace(findAll(editor.doc, "a"), "b");
  assert.deepEqual(editor.doc.lines.map((line) => line.text), ["b b", "b"]);
  editor.undo();
  assert.deepEqual(editor.doc.lines.map((line) => line.text), ["a a", "a"]);
  editor.load({ ...value, readonly: true }, "replace");
  editor.replace(findAll(editor.doc, "a"), "b");
  assert.equal(editor.doc.lines[0].text, "a a");
});

test("characters are told apart by spaces, each comes once", () => {
  assert.deepEqual(charactersOf("  ¥  ℃ ¥ 〒100 "), ["¥", "℃", "〒100"]);
  assert.equal(charactersOf(USUAL).length, USUAL.split(" ").length, "none twice among the usual ones");
  for (const character of "¥℃☑") assert.ok(USUAL.includes(character));
});

test("arrows go round in the row and stop at top and bottom", () => {
  assert.equal(neighbourOf(0, "ArrowLeft", 25), 24);
  assert.equal(neighbourOf(24, "ArrowRight", 25), 0);
  assert.equal(neighbourOf(3, "ArrowDown", 25), 13);
  assert.equal(neighbourOf(20, "ArrowDown", 25), 20);
  assert.equal(neighbourOf(3, "ArrowUp", 25), 3);
});

test("the size of the text stops at its ends, goes round by its button, and is remembered", () => {
  assert.equal(sizeFrom(SIZES.at(-1), 1), SIZES.at(-1));
  assert.equal(sizeFrom(99, 0), 14);
  const kept = keptIn(new FakeStorage());
  const shown = {};
  const root = { style: { setProperty: (name, value) => (shown[name] = value) } };
  const size = new TextSize({ root, kept });
  assert.equal(shown["--vw-text-size"], "14px");
  size.turn();
  assert.equal(new TextSize({ root, kept }).size, 16);
  for (let step = 0; step < SIZES.length; step += 1) size.turn();
  assert.equal(size.size, 16);
  new TextSize({ root, kept: keptNowhere }).step(-1);
  assert.equal(shown["--vw-text-size"], "12px");
});

const cells = (...texts) => `<table><tr>${texts.map((text) => `<td>${text}</td>`).join("")}</tr></table>`;

function pageOf(text, tables, more = {}) {
  const editor = new Editor();
  const item = { recognition_id: 1, page: { sha256: "x" } };
  editor.load({ item, text, tables: tables.map((html) => ({ html })), ...more }, "replace");
  return editor;
}

test("what a table says is found in its cells and caption, once, and its tags are no text", () => {
  const html = "<table><caption>tea</caption><tr><td>green tea, tea</td><td>td</td></tr></table>";
  const { doc } = pageOf(`tea\n\n${html}\n\ntea td`, [html]);
  assert.deepEqual(
    findAll(doc, "tea").map(({ kind, index, start }) => [kind, index, start]),
    [["cell", 0, 0], ["cell", 1, 6], ["cell", 1, 11], ["text", 0, 0], ["text", 0, doc.text.length - 6]],
  );
  assert.deepEqual(findAll(doc, "td").map(({ kind }) => kind), ["cell", "text"]);
});

test("what is replaced in cells and in the text around them says the same in both", () => {
  const [first, second] = [cells("a &amp; x", "x"), cells("x", "b")];
  const editor = pageOf(`x ${first} x ${second} x`, [first, second]);
  editor.replace(findAll(editor.doc, "x"), "<x>");
  const [one, two] = [cells("a &amp; &lt;x&gt;", "&lt;x&gt;"), cells("&lt;x&gt;", "b")];
  assert.equal(editor.doc.text, `<x> ${one} <x> ${two} <x>`);
  assert.deepEqual(editor.doc.tables.map((table) => table.html), [one, two]);
  assert.deepEqual(editor.doc.tables[1].grid, [["<x>", "b"]]);
  editor.undo();
  assert.equal(editor.doc.text, `x ${first} x ${second} x`);
});

test("how sure the model was goes with what is replaced in a cell, and stays in the others", () => {
  const html = cells("a", "b");
  const lines = [{ id: "l0", text: "b", confidence: 0.9 }];
  const editor = pageOf("b", [], { lines, tables: [{ html, confidences: [[0.9, 0.5], [0.8, 0.4]] }] });
  editor.replace(findAll(editor.doc, "b"), "c");
  assert.deepEqual(editor.doc.tables[0].confidences, [[0.9, 0.5], null]);
  assert.equal(editor.doc.lines[0].text, "c");
});

test("a hundred rows are searched and replaced at once", () => {
  const row = `<tr>${"<td>x1</td>".repeat(30)}</tr>`;
  const editor = pageOf("", [`<table>${row.repeat(100)}</table>`]);
  const places = findAll(editor.doc, "x");
  assert.equal(places.length, 3000);
  editor.replace(places, "y");
  assert.equal(findAll(editor.doc, "y1").length, 3000);
});
