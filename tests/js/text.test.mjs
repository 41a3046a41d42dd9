import assert from "node:assert/strict";
import test from "node:test";
import { changedPart, hidesSomething, splitInvisible } from "../../ocr_ui/ui/static/viewer/text.mjs";

test("characters without a shape are named, the rest stays together", () => {
  assert.deepEqual(splitInvisible("a\u200bb"), [
    { text: "a", name: null },
    { text: "\u200b", name: "ZWSP", code: "U+200B" },
    { text: "b", name: null },
  ]);
  const names = (text) => splitInvisible(text).map((part) => part.name);
  assert.deepEqual(names("\u202e\u2066\ufeff\u0007\u{e0041}"), ["RLO", "LRI", "BOM", "U+0007", "U+E0041"]);
  assert.deepEqual(names("字 é 𝒳"), [null]);
});

test("the parts together are the text", () => {
  const text = "x\u00a0\u3000y\u202e\ud83d\ude00\u200d";
  assert.equal(
    splitInvisible(text)
      .map((part) => part.text)
      .join(""),
    text,
  );
});

test("spaces of all widths are honest, zero width and direction marks are not", () => {
  for (const text of ["a b", "a\u3000b", "a\u00a0b", "a\tb"]) assert.ok(!hidesSomething(text), text);
  for (const text of ["a\u200bb", "\u202eb", "a\u0000", "a\ufeff"]) assert.ok(hidesSomething(text), text);
});

test("the changed part is what is left between common ends", () => {
  assert.deepEqual(changedPart("19.88 kg", "19.80 kg"), { start: "19.8", removed: "8", added: "0", end: " kg" });
  assert.deepEqual(changedPart("aa", "aaa"), { start: "aa", removed: "", added: "a", end: "" });
  assert.deepEqual(changedPart("same", "same"), { start: "same", removed: "", added: "", end: "" });
});

test("characters beyond 16 bits are never cut in two", () => {
  assert.deepEqual(changedPart("\u{20000}x", "\u{20001}x"), {
    start: "",
    removed: "\u{20000}",
    added: "\u{20001}",
    end: "x",
  });
});
