import assert from "node:assert/strict";
import { test } from "node:test";
import { hand, onHanded } from "../../ocr_ui/ui/static/page/handed.mjs";

test("a document that is handed over before the tab is drawn waits for it, and comes once", () => {
  globalThis.document = { querySelector: () => null };
  const first = { name: "a.pdf", sha256: "1" };
  hand(first);
  const taken = [];
  const leaving = new AbortController();
  onHanded((one) => taken.push(one), leaving.signal);
  hand({ name: "b.pdf", sha256: "2" });
  assert.deepEqual(taken.map(({ name }) => name), ["a.pdf", "b.pdf"]);
  leaving.abort();
  onHanded((one) => taken.push(one), new AbortController().signal);
  assert.equal(taken.length, 2);
});
