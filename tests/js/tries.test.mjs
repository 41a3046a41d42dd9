import assert from "node:assert/strict";
import { test } from "node:test";
import { boxRows } from "../../ocr_ui/ui/static/tries/columns.mjs";
import { Together, follow } from "../../ocr_ui/ui/static/tries/scroll.mjs";
import { wayOf } from "../../ocr_ui/ui/static/tries/tries.mjs";

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

test("a growing pane stays at its end, unless a person has gone elsewhere; the others do not follow it", () => {
  const panes = [pane(100, 100), pane(900, 100, 300)];
  const together = new Together(() => true);
  together.link(panes);
  const grow = () => together.grown(panes[0], () => (panes[0].scrollHeight += 500));
  grow();
  assert.equal(panes[0].scrollTop, 600);
  panes[0].onscroll();
  assert.equal(panes[1].scrollTop, 300, "nobody has moved it");
  panes[0].scrollTop = 20;
  grow();
  assert.equal(panes[0].scrollTop, 20);
});

test("a reading is asked for again as it was: its version, its own sampling, its own wording", () => {
  const reading = { template: "full_text", template_version: "abc", engine_name: "good", variables: { a: "1" }, sampling: { temperature: 0.5, top_p: 1 }, wording: "Read." };
  const templates = [{ name: "full_text", sampling: { temperature: 0, top_p: 1 } }];
  const asked = { template: "full_text@abc", engine: "good", variables: { a: "1" }, options: { temperature: 0.5 }, wording: "Read." };
  assert.deepEqual(wayOf(reading, templates), asked);
  const hidden = { ...reading, template_version: "", engine_name: "", sampling: {}, wording: null };
  assert.deepEqual(wayOf(hidden, templates), { ...asked, template: "full_text", engine: "", options: {}, wording: undefined });
});
