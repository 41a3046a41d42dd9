import assert from "node:assert/strict";
import test from "node:test";
import { lineDiff } from "../../ocr_ui/ui/static/review/linediff.mjs";

const shown = (before, after) => lineDiff(before, after).map(({ kind, text }) => `${{ same: " ", removed: "-", added: "+" }[kind]}${text}`);

test("lines that stay, go and come are told apart, in order", () => {
  assert.deepEqual(shown("a\nb\nc\nd", "a\nc\nx\nd"), [" a", "-b", " c", "+x", " d"]);
  assert.deepEqual(shown("", "a\n"), ["+a", "+"]);
  assert.deepEqual(shown("a\na\na", "a\na"), [" a", " a", "-a"]);
  assert.deepEqual(shown("same", "same"), [" same"]);
});

test("either text can be put together from what is shown", () => {
  const letters = () => Array.from({ length: 40 }, () => "abc"[Math.floor(Math.random() * 3)]).join("\n");
  for (let round = 0; round < 50; round += 1) {
    const [before, after] = [letters(), letters()];
    const rows = lineDiff(before, after);
    const without = (kind) => rows.filter((row) => row.kind !== kind).map((row) => row.text).join("\n");
    assert.deepEqual([without("added"), without("removed")], [before, after]);
  }
});

test("two long texts without a line in common are answered at once", () => {
  const long = (name) => Array.from({ length: 3000 }, (_, line) => `${name} ${line}`).join("\n");
  assert.equal(lineDiff(long("a"), long("b")).length, 6000);
});
