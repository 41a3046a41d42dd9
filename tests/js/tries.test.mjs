import assert from "node:assert/strict";
import { test } from "node:test";
import { boxRows } from "../../ocr_ui/ui/static/tries/columns.mjs";
import { Together, follow } from "../../ocr_ui/ui/static/tries/scroll.mjs";

const pane = (scrollHeight, clientHeight, scrollTop = 0) => ({ scrollHeight, clientHeight, scrollTop });

test("a pane goes the same share of its own way", () => {
  assert.equal(follow(pane(1100, 100, 500), pane(300, 100)), 100);
  assert.equal(follow(pane(1100, 100, 1000), pane(300, 100)), 200);
  assert.equal(follow(pane(100, 100, 0), pane(300, 100)), 0, "one that need not scroll leads nowhere");
  assert.equal(follow(pane(1100, 100, 500), pane(50, 100)), 0);
});

test("linked panes follow the one that a person moves, and do not answer", () => {
  let linked = true;
  const panes = [pane(1100, 100), pane(300, 100), pane(600, 100)];
  const together = new Together(() => linked);
  together.link(panes);
  panes[0].scrollTop = 500;
  panes[0].onscroll();
  assert.deepEqual(panes.map(({ scrollTop }) => scrollTop), [500, 100, 250]);
  panes[1].onscroll();
  assert.equal(panes[0].scrollTop, 500, "what was set is nobody's movement");
  panes[1].scrollTop = 200;
  panes[1].onscroll();
  assert.deepEqual(panes.map(({ scrollTop }) => scrollTop), [1000, 200, 500]);
  linked = false;
  panes[2].scrollTop = 10;
  panes[2].onscroll();
  assert.deepEqual(panes.map(({ scrollTop }) => scrollTop), [1000, 200, 10]);
});

test("boxes of each column are told apart", () => {
  const rows = boxRows([[[[0, 0]]], [], [[[1, 1]], [[2, 2]]]]);
  assert.deepEqual(rows.map((row) => Object.keys(row)[0]), ["lane-a_quad", "lane-c_quad", "lane-c_quad"]);
});
