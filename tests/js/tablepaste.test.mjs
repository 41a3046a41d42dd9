import assert from "node:assert/strict";
import test from "node:test";
import { gridFrom } from "../../ocr_ui/ui/static/viewer/tablepaste.mjs";

const clipboard = (html, text = "") => ({ getData: (kind) => (kind === "text/html" ? html : text) });

test("a table without a cell is no table: the text beside it is taken, or nothing", (t) => {
  globalThis.DOMParser = class {
    parseFromString = () => ({ querySelector: () => ({ rows: [{ cells: [] }, { cells: [] }] }) });
  };
  t.after(() => delete globalThis.DOMParser);
  assert.equal(gridFrom(clipboard("<table><tr></tr><tr></tr></table>")), null);
  const { width, cells } = gridFrom(clipboard("<table><tr></tr><tr></tr></table>", "a\tb"));
  assert.deepEqual([width, cells.map((cell) => cell.text)], [2, ["a", "b"]]);
});
