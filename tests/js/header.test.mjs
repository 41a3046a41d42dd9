import assert from "node:assert/strict";
import { test } from "node:test";
import { pause } from "../../ocr_ui/ui/static/page/header.mjs";

const soon = 2000;
const of = (...states) => pause({ engines: states.map((state) => ({ state })) });

test("an engine that may be started at any time is looked at often, steady ones are not", () => {
  assert.ok(of("ready", "idle") <= soon);
  assert.ok(of("idle", "loading") < of("ready", "idle"));
  assert.ok(of("ready", "degraded", "dead") > soon);
});

test("a server that does not answer is asked again soon", () => {
  assert.ok(pause(null) <= soon);
});
