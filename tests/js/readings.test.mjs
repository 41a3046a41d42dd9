import assert from "node:assert/strict";
import { test } from "node:test";

import { describe } from "../../ocr_ui/ui/static/compare/bar.mjs";

const reading = { engine: "vllm", template: "full_text", size: [666, 943], created_at: "2026-03-01T12:00:00Z" };

test("readings are told apart by the size at which they were read, where it differs", (t) => {
  globalThis.document = { documentElement: { lang: "en" } };
  t.after(() => delete globalThis.document);
  assert.match(describe(reading, true), /^vllm · full_text · 666 × 943 · ./);
  assert.match(describe(reading, false), /^vllm · full_text · (?!666)/);
  assert.match(describe({ ...reading, size: null }, true), /^vllm · full_text · (?!null)/, "nobody may know it yet");
});
