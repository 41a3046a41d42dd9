import assert from "node:assert/strict";
import test from "node:test";
import * as P from "../../ocr_ui/ui/static/viewer/problems.mjs";

const at = (start, end = start + 1, code = "unclosed_brace") => ({ code, start, end });
const spans = (problems) => problems.map(({ start, end }) => [start, end]);

test("offsets in characters become those of a string", () => {
  assert.deepEqual(spans(P.inUnits("a𝑥b{", [at(3)])), [[4, 5]]);
  assert.deepEqual(spans(P.inUnits("𝑥{", [at(1)])), [[2, 3]]);
  assert.deepEqual(spans(P.inUnits("𝑥{", [at(0, 2)])), [[0, 3]]);
});

test("mistakes go along with what is typed before them, and go where somebody types into them", () => {
  const before = "a { b } c";
  const problems = [at(2), at(6)];
  assert.deepEqual(spans(P.moved(problems, before, `xx${before}`)), [[4, 5], [8, 9]]);
  assert.deepEqual(spans(P.moved(problems, before, "a { bbbb } c")), [[2, 3], [9, 10]]);
  assert.deepEqual(spans(P.moved(problems, before, "a  b } c")), [[5, 6]]);
  assert.deepEqual(spans(P.moved(problems, before, `${before} d`)), [[2, 3], [6, 7]]);
  assert.deepEqual(P.moved(problems, before, ""), []);
});

test("a place is told by line and column, columns in characters", () => {
  assert.deepEqual(P.placeOf("a\n𝑥𝑥{", 6), { line: 2, column: 3 });
  assert.deepEqual(P.placeOf("{", 0), { line: 1, column: 1 });
});

test("keys go from mistake to mistake and round at the ends", () => {
  const problems = [at(2), at(6), at(9)];
  assert.equal(P.numberFrom(problems, 0, 1), 0);
  assert.equal(P.numberFrom(problems, 2, 1), 1);
  assert.equal(P.numberFrom(problems, 9, 1), 0);
  assert.equal(P.numberFrom(problems, 9, -1), 1);
  assert.equal(P.numberFrom(problems, 2, -1), 2);
  assert.equal(P.numberAt(problems, 0), 0);
  assert.equal(P.numberAt(problems, 8), 2);
  assert.equal(P.numberAt(problems, 40), 2);
});

test("marks stand in each line that a mistake reaches, also in an empty one", () => {
  const pieces = (text, problems) =>
    P.markedLines(text, problems).map((line) => line.map(({ text, wrong }) => (wrong ? `[${text}]` : text)).join(""));
  assert.deepEqual(pieces("ab{c", [at(2)]), ["ab[{]c"]);
  assert.deepEqual(pieces("a$$\nx\n\n$$b", [at(1, 9)]), ["a[$$]", "[x]", "[]", "[$$]b"]);
  assert.deepEqual(pieces("abc\nd", [at(0, 2), at(1, 3)]), ["[abc]", "d"]);
  assert.deepEqual(pieces("a\nb", [at(2)]), ["a", "[b]"]);
});

test("a text that came with other line ends is counted as the text field counts it", () => {
  const text = "a\r\nb\rc {";
  assert.equal(P.inField(text), "a\nb\nc {");
  assert.equal(P.inField(text)[P.offsetInField(text, text.indexOf("{"))], "{");
});
