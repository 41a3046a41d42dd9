import assert from "node:assert/strict";
import { test } from "node:test";
import { goBack, keepTabs } from "../../ocr_ui/ui/static/page/tabs.mjs";

/** A page with tabs, of which some are not shown; gives those that were gone to. */
function page({ open = [], hidden = [] }) {
  const gone = [];
  const kept = new Map();
  const tab = (id) => ({ id, dataset: { tabId: id }, offsetParent: {}, click: () => gone.push(id) });
  globalThis.sessionStorage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  };
  globalThis.document = {
    querySelector: (selector) => tab(selector.match(/data-tab-id=(\w+)/)[1]),
    querySelectorAll: () => open.map(tab),
  };
  globalThis.getComputedStyle = ({ id }) => ({ display: hidden.includes(id) ? "none" : "flex" });
  return gone;
}

test("the page in the other language opens on the tabs that were open, once", async () => {
  const gone = page({ open: ["prompts", "try"] });
  keepTabs();
  await goBack();
  assert.deepEqual(gone, ["prompts", "try"]);
  await goBack();
  assert.deepEqual(gone, ["prompts", "try"]);
});

test("a tab that somebody is not shown any more is not opened", async () => {
  const gone = page({ open: ["monitor"], hidden: ["monitor"] });
  keepTabs();
  await goBack();
  assert.deepEqual(gone, []);
});
