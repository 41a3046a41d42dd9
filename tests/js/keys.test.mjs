import assert from "node:assert/strict";
import test from "node:test";
import { makeActions } from "../../ocr_ui/ui/static/viewer/actions.mjs";
import { listenToKeys } from "../../ocr_ui/ui/static/viewer/keyboard.mjs";
import { Keymap, actionOf, keyHint } from "../../ocr_ui/ui/static/viewer/keymap.mjs";
import { GROUPS, KEYS, REPEATED, chord, isComposing, keyNames, shortName } from "../../ocr_ui/ui/static/viewer/keys.mjs";
import { FakeStorage, keptIn, keptNowhere } from "./storage.mjs";

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

test("a changed key is kept by name, and the keys of others stay as they are", () => {
  const storage = new FakeStorage();
  let person = "Ann";
  const map = new Keymap({ kept: keptIn(storage), person: () => person });
  map.change("next_uncertain", "U", "]"); // which is a key of the queue
  assert.equal(map.actionOf(press("]"), "view"), "next_uncertain");
  assert.equal(map.actionOf(press("u"), "view"), null);
  assert.deepEqual(map.keysOf("next_page"), ["PageDown"]);
  const again = new Keymap({ kept: keptIn(storage), person: () => "Ann" });
  assert.deepEqual(again.keysOf("next_uncertain"), ["]"]);
  let told = 0;
  map.listen(() => (told += 1));
  person = "Bo";
  map.reload();
  assert.deepEqual(map.keysOf("next_uncertain"), ["U"]);
  person = "Bob";
  map.reload();
  assert.equal(told, 1, "who has the same keys changes nothing");
  person = "Ann";
  map.reset("next_page");
  assert.deepEqual([map.keysOf("next_page"), map.keysOf("next_uncertain")], [["]", "PageDown"], []]);
  map.reset();
  assert.deepEqual([map.keysOf("next_uncertain"), storage.length], [["U"], 0]);
});

test("conflicts are told only where both keys would mean something", () => {
  const map = new Keymap({ kept: keptNowhere, person: () => "" });
  assert.deepEqual(map.conflicts("reject_page", "J"), ["next", "merge_next"]);
  assert.deepEqual(map.conflicts("field_link", "U"), [], "the row of a field has keys of its own");
  assert.deepEqual(map.conflicts("save", "Enter"), ["edit", "text_next"]);
  assert.deepEqual(map.conflicts("cells_merge", "Alt+R"), ["row_below"]);
});

test("a key that types, that the browser needs or that copies is refused", () => {
  const map = new Keymap({ kept: keptNowhere, person: () => "" });
  assert.equal(map.refusal("undo", "U"), "key_types");
  assert.equal(map.refusal("text_next", "Backspace"), "key_types");
  assert.equal(map.refusal("undo", "Alt+U"), null);
  assert.equal(map.refusal("next", "Ctrl+T"), "key_browser");
  assert.equal(map.refusal("next", "Ctrl+C"), "key_native");
  assert.equal(map.refusal("grid_next", "Tab"), null, "what the table has can be had again");
});

test("what is kept and makes no sense is left alone", () => {
  const storage = new FakeStorage();
  for (const text of ["[1]", "{", '{"next": 3}', '{"nobody": ["A"]}', "null"]) {
    storage.setItem("workbench.keys.", text);
    assert.deepEqual(new Keymap({ kept: keptIn(storage), person: () => "" }).keysOf("next"), ["J", "ArrowDown"]);
  }
  assert.equal(shortName("Ctrl+Shift+Z"), "^⇧Z");
});

test("a key that is held goes on through the lines, but judges, empties and adds once", (t) => {
  globalThis.document = Object.assign(new EventTarget(), { querySelector: () => null });
  t.after(() => delete globalThis.document);
  const done = [];
  const actions = new Proxy({}, { get: (_, action) => () => done.push(action) });
  const root = { offsetParent: {}, contains: () => true };
  listenToKeys({ root, input: {}, actions, toolbar: {}, queue: null });
  const target = { matches: () => false, closest: () => null };
  const hold = (key, more = {}) => {
    for (const repeat of [false, true, true]) {
      const event = Object.assign(new Event("keydown"), press(key, more), { repeat });
      document.dispatchEvent(Object.defineProperty(event, "target", { value: target }));
    }
    return done.splice(0);
  };
  assert.deepEqual(hold("j"), ["next", "next", "next"]);
  assert.deepEqual(hold(" "), ["accept_line"]);
  assert.deepEqual(hold("I", { shiftKey: true }), ["illegible"]);
  assert.deepEqual(hold("r"), ["right"]);
  assert.deepEqual(hold("Delete"), ["remove"]);
  const known = new Set(KEYS.map((row) => row.action));
  assert.deepEqual([...REPEATED].filter((action) => !known.has(action)), []);
});

test("keys go to the viewer from a button beside it, and from nothing that uses them itself", (t) => {
  globalThis.document = Object.assign(new EventTarget(), { querySelector: () => null });
  t.after(() => delete globalThis.document);
  const pressed = (what, key, queue = null) => {
    const done = [];
    const actions = new Proxy({}, { get: (_, action) => () => done.push(action) });
    const root = { offsetParent: {}, contains: () => false };
    const leaving = new AbortController();
    listenToKeys({ root, input: {}, actions, toolbar: {}, queue, signal: leaving.signal });
    // An element by what it is and stands in: a selector finds it by one of these names.
    const closest = (selector) => (what.some((name) => selector.split(",").includes(name)) ? target : null);
    const target = { matches: closest, closest };
    const event = Object.assign(new Event("keydown"), press(key));
    document.dispatchEvent(Object.defineProperty(event, "target", { value: target }));
    leaving.abort();
    return done;
  };
  assert.deepEqual(pressed(["button"], "?"), ["help"]);
  assert.deepEqual(pressed(["button"], "j"), ["next"]);
  assert.deepEqual(pressed(["button"], " "), [], "it presses the button");
  assert.deepEqual(pressed(["button"], "?", {}), [], "a queue has keys of its own");
  assert.deepEqual(pressed(["button", ".wb-cmp-panel"], "j"), []);
  assert.deepEqual(pressed(["button", "[role=tab]"], "j"), ["next"]);
  assert.deepEqual(pressed(["button", "[role=tab]"], "ArrowDown"), [], "it goes to another tab");
  assert.deepEqual(pressed(["textarea"], "j"), [], "somebody types");
  assert.deepEqual(pressed(["select"], "j"), []);
});
