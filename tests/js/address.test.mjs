import assert from "node:assert/strict";
import { test } from "node:test";
import { lastNamed, naming } from "../../ocr_ui/ui/static/page/address.mjs";

test("what is named anew stands last, what is named again stays where it is", () => {
  assert.equal(naming("http://here/?try=1.2&item=5", { try: "3" }), "http://here/?item=5&try=3");
  assert.equal(naming("http://here/?run=7&item=5", { run: 7 }), "http://here/?run=7&item=5");
  assert.equal(naming("http://here/?item=5&picture=2", { item: 6, picture: null }), "http://here/?item=6");
});

test("a page that is loaded again goes to what was named last", () => {
  const names = ["item", "picture", "try", "run"];
  assert.equal(lastNamed("?item=5&run=7", names), "run");
  assert.equal(lastNamed("?run=7&item=5&lang=zh", names), "item");
  assert.equal(lastNamed("", names), undefined);
});
