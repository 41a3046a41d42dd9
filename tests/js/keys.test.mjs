import assert from "node:assert/strict";
import test from "node:test";
import { makeActions } from "../../ocr_ui/ui/static/viewer/actions.mjs";
import { GROUPS, KEYS, actionOf, chord, isComposing, keyHint, keyNames } from "../../ocr_ui/ui/static/viewer/keys.mjs";

const press = (key, more = {}) => ({ key, code: "", ...more });

test("no key means two things in one place", () => {
  for (const place of ["view", "text", "grid", "cell", "field"]) {
    const scopes = ["view", "text"].includes(place) ? [place, "any"] : [place]; // those of cells go before "any"
    const keys = KEYS.filter((row) => scopes.includes(row.scope)).flatMap((row) => row.keys);
    assert.deepEqual(
      keys.filter((key, index) => keys.indexOf(key) !== index),
      [],
      place,
    );
  }
});

test("every action of the table can be done and stands in a group of the help sheet", () => {
  const actions = makeActions({ editor: {} });
  for (const { action, group, scope } of KEYS) {
    assert.equal(typeof actions[action], "function", action);
    assert.ok(GROUPS.includes(group), group);
    assert.ok(["view", "text", "any", "native", "grid", "cell", "field"].includes(scope), scope);
  }
});

test("letters mean their key in either case, symbols whichever way they are typed", () => {
  assert.equal(actionOf(press("j"), "view"), "next");
  assert.equal(actionOf(press("U", { shiftKey: true }), "view"), "previous_uncertain");
  assert.equal(actionOf(press("?", { shiftKey: true }), "view"), "help");
  assert.equal(actionOf(press("+", { shiftKey: true }), "view"), "zoom_in");
});

test("Control and Command are one", () => {
  assert.equal(actionOf(press("z", { metaKey: true }), "text"), "undo");
  assert.equal(actionOf(press("Z", { ctrlKey: true, shiftKey: true }), "view"), "redo");
});

test("other alphabets fall back on the place of the key", () => {
  assert.equal(chord(press("о", { code: "KeyJ" })), "J");
  assert.equal(chord(press("Process", { code: "KeyN" })), "N");
  assert.equal(chord(press("é", { code: "Digit2" })), "É");
});

test("letters are text while a line is typed", () => {
  assert.equal(actionOf(press("j"), "text"), null);
  assert.equal(actionOf(press("Delete"), "text"), null);
  assert.equal(actionOf(press("ArrowLeft", { altKey: true }), "text"), null);
  assert.equal(actionOf(press("Enter"), "text"), "text_next");
});

test("composition is noticed in both forms that browsers use", () => {
  assert.ok(isComposing({ isComposing: true, keyCode: 13 }));
  assert.ok(isComposing({ isComposing: false, keyCode: 229 }));
  assert.ok(!isComposing({ isComposing: false, keyCode: 13 }));
});

test("keys are written for people", () => {
  assert.deepEqual(keyNames("Alt+Shift+ArrowUp"), ["Alt", "Shift", "↑"]);
  assert.deepEqual(keyNames("+"), ["+"]);
  assert.equal(keyHint("redo"), "Ctrl+Shift+Z");
  assert.equal(keyHint("photo"), "");
});
