import assert from "node:assert/strict";
import { test } from "node:test";
import { hand, onHanded } from "../../ocr_ui/ui/static/page/handed.mjs";

test("what is handed over before a tab is drawn waits for it, and comes once", () => {
  const gone = [];
  const give = (thing, tab) => hand(thing, tab, (path) => gone.push(path.join("/")));
  give({ name: "a.pdf", sha256: "1" });
  give({ item: 7 }, "try");
  const taken = [];
  const leaving = new AbortController();
  onHanded((one) => taken.push(one), leaving.signal);
  give({ name: "b.pdf", sha256: "2" });
  assert.deepEqual(taken.map(({ name }) => name), ["a.pdf", "b.pdf"], "nothing of another tab's");
  leaving.abort();
  onHanded((one) => taken.push(one), new AbortController().signal);
  assert.equal(taken.length, 2);
  onHanded((one) => taken.push(one), new AbortController().signal, "try");
  assert.deepEqual(taken.at(-1), { item: 7 });
  assert.deepEqual(gone, ["batch", "prompts/try", "batch"]);
});
