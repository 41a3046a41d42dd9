import assert from "node:assert/strict";
import test from "node:test";
import { csvCell, fieldsCsv, fileName, json, linesCsv } from "../../ocr_ui/ui/static/viewer/files.mjs";

test("no cell starts a formula, and numbers stay numbers", () => {
  for (const text of ["=1+1", "+cmd|x", "-a", "@SUM(A1)", " =1", "\t=1", "＝1", "-1+2"]) {
    assert.equal(csvCell(text), `"'${text}"`, text);
  }
  for (const text of ["-12.50", "+3", "-1,000.5%", "a=b", ""]) assert.equal(csvCell(text), `"${text}"`, text);
});

test("quotes and line breaks stay inside their cell", () => {
  assert.equal(csvCell('say "hi"\nnow'), '"say ""hi""\nnow"');
});

test("lines as CSV: byte order mark, a head, one row a line, empty corners without a box", () => {
  const text = linesCsv([
    {
      text: "文",
      confidence: 0.5,
      quad: [
        [1, 2],
        [3, 4],
        [5, 6],
        [7, 8],
      ],
    },
    { text: "", confidence: null, quad: null },
  ]);
  const rows = text.split("\r\n");
  assert.equal(text.charCodeAt(0), 0xfeff);
  assert.equal(rows[1], '"1","文","0.5","1","2","3","4","5","6","7","8"');
  assert.equal(rows[2], `"2","",""${',""'.repeat(8)}`);
  assert.equal(rows.length, 4);
});

test("fields as CSV say what is absent and what is empty", () => {
  const rows = fieldsCsv([
    { name: "a", value: null },
    { name: "b", value: "" },
  ]).split("\r\n");
  assert.equal(rows[1], '"a","","yes",""');
  assert.equal(rows[2], '"b","","no",""');
});

test("JSON is exact", () => {
  const value = [{ text: "=1\u200b\u202e" }];
  assert.deepEqual(JSON.parse(json(value)), value);
});

test("file names are safe on every system", () => {
  assert.equal(fileName("scan 1.png", "lines", "csv"), "scan 1.lines.csv");
  assert.equal(fileName("../a\\b:c\u202e.jpg", "raw", "txt"), "_a_b_c_.raw.txt");
  assert.equal(fileName("", "text", "txt"), "page.text.txt");
  assert.equal(fileName(undefined, "text", "txt"), "page.text.txt");
  assert.ok(fileName("x".repeat(500), "text", "txt").length < 100);
});
