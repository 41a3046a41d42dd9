import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { randomKey } from "../../ocr_ui/ui/static/page/random.mjs";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const plainHttp = { getRandomValues: (bytes) => globalThis.crypto.getRandomValues(bytes) };

test("keys are random UUIDs, with https and without", () => {
  for (const crypto of [undefined, plainHttp]) {
    const keys = new Set(Array.from({ length: 200 }, () => randomKey(crypto)));
    assert.equal(keys.size, 200);
    for (const key of keys) assert.match(key, UUID);
  }
});

test("no module makes up keys in another way", () => {
  const root = new URL("../../ocr_ui/ui/static/", import.meta.url);
  const others = readdirSync(root, { recursive: true }).filter((file) => /(?<!random)\.mjs$/.test(file));
  assert.ok(others.length > 50);
  const found = others.filter((file) => /randomUUID|Math\.random/.test(readFileSync(new URL(file, root), "utf8")));
  assert.deepEqual(found, []);
});
