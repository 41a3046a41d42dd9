import assert from "node:assert/strict";
import test from "node:test";
import { isComposed, setValue, watchComposition } from "../../ocr_ui/ui/static/viewer/dom.mjs";

/** A page's root that hears an event of one of its fields. */
const hear = (root, name, target) =>
  root.dispatchEvent(Object.defineProperty(new Event(name), "target", { value: target }));

test("a word that an input method has begun in a field is not written over, and only there", () => {
  const root = new EventTarget();
  watchComposition(root);
  const [field, other] = [{ value: "价格ni" }, { value: "a" }];
  hear(root, "compositionstart", field);
  assert.ok(isComposed(field) && !isComposed(other));
  setValue(field, "价格");
  setValue(other, "b");
  assert.deepEqual([field.value, other.value], ["价格ni", "b"]);
  hear(root, "compositionend", field);
  setValue(field, "价格你");
  assert.equal(field.value, "价格你");
});
