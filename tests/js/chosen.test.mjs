import assert from "node:assert/strict";
import { test } from "node:test";
import { comparable } from "../../ocr_ui/ui/static/page/chosen.mjs";

const item = (id, picture) => ({ id, picture });

test("two rows of one picture can be compared, and nothing else", () => {
  const pair = [item(1, "a"), item(2, "a")];
  assert.equal(comparable(pair), pair);
  assert.equal(comparable([item(1, "a"), item(2, "b")]), null);
  assert.equal(comparable([item(1, "a")]), null);
  assert.equal(comparable([...pair, item(3, "a")]), null);
});
