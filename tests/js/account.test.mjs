import assert from "node:assert/strict";
import { test } from "node:test";
import { keyState } from "../../ocr_ui/ui/static/page/account.mjs";

const now = new Date("2026-06-01T00:00:00Z");
const state = (key) => keyState({ revoked_at: null, until: null, ...key }, now);

test("a key is told as what it is now", () => {
  assert.equal(state({}), "open");
  assert.equal(state({ until: "2026-06-02T00:00:00Z" }), "until");
  assert.equal(state({ until: "2026-06-01T00:00:00Z" }), "over");
  assert.equal(state({ until: "2026-06-02T00:00:00Z", revoked_at: "2026-05-01T00:00:00Z" }), "revoked");
});
