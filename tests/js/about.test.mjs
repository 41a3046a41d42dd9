import assert from "node:assert/strict";
import { test } from "node:test";
import { aboutEngine } from "../../ocr_ui/ui/static/page/about.mjs";

const words = {
  "engine.kind": "Kind: {kind}",
  "engine.comma": ", ",
  "engine.memory": "cache {cache}, {pages} pages",
  "engine.drafts.on": "On",
  "engine.drafts.off": "Off",
  "engine.drafts.one": "1 page",
  "engine.drafts.many": "up to {n} pages",
  "engine.drafts.tokens": "{tokens} tokens",
  "engine.drafts.saves": "saves {share}",
  "engine.drafts.costs": "costs {share}",
  "engine.drafts.why.cuda": "CUDA {cuda}",
};
const engine = { name: "vllm", kind: "vllm", message: "", memory: null, drafts: null };

test("an engine without more to say is its state alone", () => {
  assert.deepEqual(aboutEngine(engine, "vllm: ready", words, "en"), ["vllm: ready"]);
  assert.deepEqual(aboutEngine({ ...engine, name: "office" }, "office: ready", words, "en"), ["office: ready", "Kind: vllm"]);
});

test("drafts tell what they give at each load, and what is not known is left out", () => {
  const loads = [
    { pages: 1, tokens: 5.24, saved: 0.42 },
    { pages: 16, tokens: null, saved: -0.1 },
    { pages: 64, tokens: 3, saved: null },
  ];
  const said = aboutEngine({ ...engine, drafts: { on: true, reason: null, loads } }, "ready", words, "en");
  assert.deepEqual(said.slice(1), ["On", "1 page: 5.2 tokens, saves 42%", "up to 16 pages: costs 10%", "up to 64 pages: 3.0 tokens"]);
});

test("drafts that are off say why", () => {
  const drafts = { on: false, reason: { code: "cuda", text: "", values: { cuda: "12.8" } }, loads: [] };
  assert.deepEqual(aboutEngine({ ...engine, drafts }, "ready", words, "en").slice(1), ["Off · CUDA 12.8"]);
});
