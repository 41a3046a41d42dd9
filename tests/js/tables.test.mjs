import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { Editor } from "../../ocr_ui/ui/static/viewer/editor.mjs";
import * as D from "../../ocr_ui/ui/static/viewer/tabledoc.mjs";
import * as E from "../../ocr_ui/ui/static/viewer/tableedits.mjs";
import * as G from "../../ocr_ui/ui/static/viewer/tablegrid.mjs";

const CASES = JSON.parse(readFileSync(new URL("../cases/clean_tables.json", import.meta.url)));
const read = (html) => G.layOut(G.readHtml(html));
const changeOf = (doc, make) => D.changeTable(doc, 0, make);
const rect = (top, left, bottom = top, right = left) => ({ top, left, bottom, right });
const rows = (grid) => G.textsOf(grid).map((row) => row.join("|"));
const SPANNED = '<table><tr><th rowspan="2">A</th><th colspan="2">B</th></tr><tr><td>b1</td><td>b2</td></tr><tr><td>x</td><td>y</td><td>z</td></tr></table>';

function editorOf(html, text = html, more = {}) {
  const editor = new Editor();
  const item = { recognition_id: 1, page: { sha256: "a", width: 9, height: 9 } };
  editor.load({ item, tables: [{ html, grid: G.textsOf(read(html)), ...more }], text }, "replace");
  return editor;
}

test("clean HTML comes back byte for byte, with the grid that the server works out", () => {
  for (const { name, html, grid } of CASES) {
    assert.equal(G.toHtml(read(html)), html, name);
    assert.deepEqual(G.textsOf(read(html)), grid, name);
  }
});

test("whatever attributes and tags a table has, only cells and spans are written", () => {
  const html = '<table border="1"><tbody><tr style="x"><td width="3" colspan="2"><b>a</b></td></tr></tbody></table>';
  assert.equal(G.toHtml(read(html)), '<table><tr><td colspan="2">a</td></tr></table>');
});

test("markup that is typed stays text", () => {
  const typed = E.setText(read("<table><tr><td></td></tr></table>"), 0, 0, '<img src=x onerror=1> & <sup>2</sup>');
  const html = "<table><tr><td>&lt;img src=x onerror=1&gt; &amp; <sup>2</sup></td></tr></table>";
  assert.equal(G.toHtml(typed), html);
  assert.equal(read(html).cells[0].text, '<img src=x onerror=1> & <sup>2</sup>');
});

test("a short row stays short until somebody writes into its gap", () => {
  const html = "<table><tr><td>a</td><td>b</td><td>c</td></tr><tr><td>d</td></tr></table>";
  const grid = read(html);
  assert.equal(G.toHtml(E.setText(grid, 1, 0, "e")), html.replace(">d<", ">e<"));
  assert.equal(G.toHtml(E.setText(grid, 1, 2, "f")), html.replace("<td>d</td>", "<td>d</td><td></td><td>f</td>"));
});

test("a row within a spanned cell makes that cell longer, one beside it does not", () => {
  const grid = read(SPANNED);
  assert.deepEqual(rows(E.insertRow(grid, 1)), ["A|B|B", "A||", "A|b1|b2", "x|y|z"]);
  assert.deepEqual(rows(E.insertRow(grid, 2)), ["A|B|B", "A|b1|b2", "||", "x|y|z"]);
  assert.deepEqual(rows(E.insertColumn(grid, 2)), ["A|B|B|B", "A|b1||b2", "x|y||z"]);
});

test("a new column has a header where its whole row is one, a new row none", () => {
  const grid = read("<table><tr><th>a</th></tr><tr><td>b</td></tr></table>");
  assert.equal(
    G.toHtml(E.insertColumn(grid, 1)),
    "<table><tr><th>a</th><th></th></tr><tr><td>b</td><td></td></tr></table>",
  );
  assert.match(G.toHtml(E.insertRow(grid, 1)), /<tr><td><\/td><\/tr>/);
});

test("removing rows shortens the cells that reach over them, and one row stays", () => {
  const grid = read(SPANNED);
  assert.deepEqual(rows(E.removeRows(grid, 0)), ["A|b1|b2", "x|y|z"]);
  assert.deepEqual(rows(E.removeRows(grid, 1)), ["A|B|B", "x|y|z"]);
  assert.deepEqual(rows(E.removeColumns(grid, 1)), ["A|B", "A|b2", "x|z"]);
  assert.equal(E.removeRows(grid, 0, 2), grid);
});

test("rows and columns move, unless a merged cell would be torn", () => {
  const grid = read(SPANNED);
  assert.equal(E.moveRow(grid, 2, -1), grid);
  assert.equal(E.moveRow(grid, 0, -1), grid);
  assert.deepEqual(rows(E.moveColumn(grid, 1, 1)), ["A|B|B", "A|b2|b1", "x|z|y"]);
  const plain = read("<table><tr><td>a</td></tr><tr><td>b</td></tr></table>");
  assert.deepEqual(rows(E.moveRow(plain, 0, 1)), ["b", "a"]);
});

test("merged cells are one with all texts, grown to whole cells; split, the text stays in the first", () => {
  const grid = read(SPANNED);
  const merged = E.merge(grid, rect(1, 1, 2, 1));
  assert.equal(
    G.toHtml(merged),
    '<table><tr><th rowspan="2">A</th><th colspan="2">B</th></tr><tr><td rowspan="2">b1 y</td><td>b2</td></tr><tr><td>x</td><td>z</td></tr></table>',
  );
  assert.deepEqual(E.wholeCells(grid, rect(0, 0, 0, 1)), rect(0, 0, 1, 2));
  assert.equal(E.merge(grid, rect(2, 2)), grid);
  assert.deepEqual(
    rows(E.split(grid, rect(0, 0))),
    ["A|B|B", "|b1|b2", "x|y|z"],
  );
});

test("headers are turned on for all marked cells, then off", () => {
  const on = E.toggleHeader(read(SPANNED), rect(0, 0, 2, 2));
  assert.ok(on.cells.every((cell) => cell.header));
  assert.ok(!E.toggleHeader(on, rect(0, 0, 2, 2)).cells.some((cell) => cell.header));
});

test("tab separated text of a spreadsheet: quotes, breaks, signs of inches", () => {
  const texts = (text) => G.readTsv(text).rows.map((row) => row.map((cell) => cell.text));
  assert.deepEqual(texts('a\t"b ""x""\nc"\r\n3"\t4\r\n'), [
    ["a", 'b "x"\nc'],
    ['3"', "4"],
  ]);
  assert.deepEqual(texts('"open\tb'), [['"open', "b"]]);
});

test("what is copied out comes back by pasting, spans end at the edge of the rectangle", () => {
  const grid = read(SPANNED);
  assert.equal(G.wholeTsv(grid), "A\tB\t\n\tb1\tb2\nx\ty\tz");
  const cut = G.cutOut(grid, rect(0, 1, 1, 1));
  assert.equal(G.toHtml(cut), "<table><tr><th>B</th></tr><tr><td>b1</td></tr></table>");
});

test("pasting makes the table larger and splits what it would cut", () => {
  const other = G.layOut(G.readTsv("1\t2\n3\t4"));
  assert.deepEqual(rows(E.paste(read(SPANNED), other, 2, 2)), ["A|B|B|", "A|b1|b2|", "x|y|1|2", "||3|4"]);
  assert.deepEqual(rows(E.paste(read(SPANNED), other, 0, 0)), ["1|2|", "3|4|b2", "x|y|z"]);
});

test("arrows go past merged cells, the order of reading visits each cell once", () => {
  const grid = read(SPANNED);
  assert.deepEqual(E.neighbour(grid, [0, 1], [0, 1]), [0, 1]);
  assert.deepEqual(E.neighbour(grid, [0, 0], [1, 0]), [2, 0]);
  assert.deepEqual(E.neighbour(grid, [2, 2], [-1, 0]), [1, 2]);
  const visited = [[0, 0]];
  for (let at = [0, 0]; (at = E.following(grid, at, 1)); ) visited.push(at);
  assert.deepEqual(visited, [[0, 0], [0, 1], [1, 1], [1, 2], [2, 0], [2, 1], [2, 2]]);
});

test("a table of 100 rows and 30 columns is edited cell by cell and stays whole", () => {
  const line = (row) => `<tr>${Array.from({ length: 30 }, (_, column) => `<td>${row}.${column}</td>`).join("")}</tr>`;
  const html = `<table>${Array.from({ length: 100 }, (_, row) => line(row)).join("")}</table>`;
  const editor = editorOf(html);
  const change = (make) => editor.change((doc) => changeOf(doc, make));
  assert.ok(change((grid) => E.setText(grid, 99, 29, "end")));
  assert.ok(change((grid) => E.merge(grid, rect(10, 10, 19, 19))));
  assert.ok(change((grid) => E.split(grid, rect(10, 10))));
  const [table] = editor.doc.tables;
  assert.equal(table.html.match(/<td>/g).length, 3000);
  assert.ok(table.html.endsWith("<td>end</td></tr></table>"));
  assert.ok(table.grid[10][10].startsWith("10.10 10.11"));
  for (let step = 0; step < 3; step += 1) editor.undo();
  assert.equal(editor.doc.tables[0].html, html);
});

test("the text of the page follows its tables, and the tables follow the text", () => {
  const html = "<table><tr><td>a</td></tr></table>";
  const editor = editorOf(html, `Head\n\n${html}\n\nTail`);
  editor.change((doc) => changeOf(doc, (grid) => E.setText(grid, 0, 0, "b")));
  assert.equal(editor.doc.text, "Head\n\n<table><tr><td>b</td></tr></table>\n\nTail");
  editor.setWholeText(editor.doc.text.replace(">b<", ">c<"));
  assert.deepEqual(editor.doc.tables[0].grid, [["c"]]);
  editor.undo();
  editor.undo();
  assert.equal(editor.doc.tables[0].html, html);
  assert.equal(editor.doc.text, `Head\n\n${html}\n\nTail`);
});

test("of two equal tables the one that is meant changes in the text", () => {
  const html = "<table><tr><td>a</td></tr></table>";
  const doc = { lines: [], fields: [], regions: [], follows: false, text: html + html, tables: [{ html }, { html }] };
  const next = D.changeTable(doc, 1, (grid) => E.setText(grid, 0, 0, "b"));
  assert.equal(next.text, html + html.replace(">a<", ">b<"));
  assert.equal(D.removeTable(next, 0).text, html.replace(">a<", ">b<"));
  assert.deepEqual(D.addTable(doc, G.emptyGrid(1, 1)).tables.length, 3);
});

test("how sure the model was stays with its cell, and goes where a person writes", () => {
  const html = "<table><tr><td>a</td><td>b</td></tr></table>";
  const editor = editorOf(html, html, { confidences: [[0.9, 0.5], [0.8, 0.4]] });
  editor.change((doc) => changeOf(doc, (grid) => E.insertColumn(grid, 1)));
  assert.deepEqual(editor.doc.tables[0].confidences, [[0.9, 0.5], null, [0.8, 0.4]]);
  editor.change((doc) => changeOf(doc, (grid) => E.setText(grid, 0, 0, "x")));
  assert.deepEqual(editor.doc.tables[0].confidences, [null, null, [0.8, 0.4]]);
});

test("a table that is typed into the text, or taken out of it, comes and goes with it", () => {
  const [a, b, c] = ["a", "b", "c"].map((text) => `<table><tr><td>${text}</td></tr></table>`);
  const editor = editorOf(a, `${a}\n\n${c}`);
  editor.load({ ...editor.value, tables: [{ html: a, quad: [[1, 1]] }, { html: c, quad: [[2, 2]] }] }, "replace");
  const shown = () => editor.doc.tables.map((table) => [table.html, table.quad]);
  editor.setWholeText(`${a}\n\n${b}\n\n${c}`);
  assert.deepEqual(shown(), [[a, [[1, 1]]], [b, null], [c, [[2, 2]]]]);
  editor.setWholeText(`${b}\n\n${c}`);
  assert.deepEqual(shown(), [[b, null], [c, [[2, 2]]]]);
  editor.setWholeText(`${b}\n\n${c.replace(">c<", ">d<")}`);
  assert.deepEqual(shown()[1], [c.replace(">c<", ">d<"), [[2, 2]]]);
  editor.setWholeText("no table");
  assert.deepEqual(shown(), []);
});

test("a table that is open for a moment while it is typed keeps its place on the picture", () => {
  const html = "<table><tr><td>a</td></tr></table>";
  const editor = editorOf(html, `${html}\n\ntail`, { quad: [[1, 1]] });
  editor.setWholeText("<table><tr><td>a</td></tr></tab\n\ntail");
  assert.deepEqual(editor.doc.tables.map((table) => [table.html, table.quad]), [["<table><tr><td>a</td></tr>", [[1, 1]]]]);
  editor.setWholeText(`${html}\n\ntail`);
  assert.deepEqual(editor.doc.tables.map((table) => [table.html, table.quad]), [[html, [[1, 1]]]]);
});

test("a table within a cell is part of its table, as lines of the cell's text", () => {
  const inner = "<table><tr><td>x</td><td>1</td></tr><tr><th>y</th><td>2</td></tr></table>";
  const nested = `<table><tr><td>a ${inner} b</td><td>c</td></tr></table>`;
  const html = "<table><tr><td>z</td></tr></table>";
  const editor = editorOf(html, `${html}\n\ntail`);
  editor.setWholeText(`${nested}\n\n${html}\n\ntail`);
  assert.deepEqual(editor.doc.tables.map((table) => table.grid), [[["a\nx 1\ny 2\nb", "c"]], [["z"]]]);
  assert.equal(editor.doc.tables[0].html, nested);
});

test("a table that is not closed ends before the next one, and a closing tag alone is none", () => {
  const [open, closed] = ["<table><tr><td>a</td></tr>", "<TABLE class=x><tr><td>b</td></tr></TABLE>"];
  const text = `</table>${open} between ${closed} tail`;
  assert.deepEqual(D.placesOf(text).map(([start, end]) => text.slice(start, end)), [open, closed]);
});

test("tables that never stood in the text stay as they are", () => {
  const html = "<table><tr><td>a</td></tr></table>";
  const editor = editorOf(html, "text of its own");
  editor.setWholeText("another text");
  assert.equal(editor.doc.tables[0].html, html);
  editor.setWholeText(`another text ${html.replace(">a<", ">b<")}`);
  assert.deepEqual(editor.doc.tables.map((table) => table.grid[0][0]), ["b", "a"]);
});

test("what is typed into a table's text takes from its cell alone how sure the model was", () => {
  const html = "<table><tr><td>a</td><td>b</td></tr></table>";
  const editor = editorOf(html, html, { confidences: [[0.9, 0.5], [0.8, 0.4]] });
  editor.setWholeText(html.replace(">a<", ">x<"));
  assert.deepEqual(editor.doc.tables[0].confidences, [null, [0.8, 0.4]]);
});

test("a table that the text writes otherwise is edited there too, and stays what it is while the text around it is typed", () => {
  const html = "<table><tr><td>a</td></tr></table>";
  const editor = editorOf(html, 'x <TABLE border="1"><tr><td>a</td></tr></TABLE> y');
  editor.setWholeText(`${editor.doc.text}!`);
  assert.equal(editor.doc.tables[0].html, html);
  editor.change((doc) => changeOf(doc, (grid) => E.setText(grid, 0, 0, "b")));
  assert.equal(editor.doc.text, "x <table><tr><td>b</td></tr></table> y!");
  editor.setWholeText(`${editor.doc.text}!`);
  assert.deepEqual(editor.doc.tables[0].grid, [["b"]]);
});
