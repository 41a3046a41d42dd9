import assert from "node:assert/strict";
import test from "node:test";
import { GridNodes } from "../../ocr_ui/ui/static/viewer/gridnodes.mjs";
import { commonEnds } from "../../ocr_ui/ui/static/viewer/text.mjs";
import * as E from "../../ocr_ui/ui/static/viewer/tableedits.mjs";
import * as G from "../../ocr_ui/ui/static/viewer/tablegrid.mjs";

/** As much of an element as the grid needs: children in order, each with one parent. */
class Node {
  constructor(name) {
    Object.assign(this, { name, children: [], parent: null });
  }

  replaceChildren() {
    this.children = [];
  }

  remove() {
    this.parent.children.splice(this.parent.children.indexOf(this), 1);
    this.parent = null;
  }

  insertBefore(node, next) {
    const at = next ? this.children.indexOf(next) : this.children.length;
    assert.ok(at >= 0, "the one to stand behind is there");
    this.children.splice(at, 0, node);
    node.parent = this;
  }

  replaceWith(node) {
    this.parent.insertBefore(node, this);
    this.remove();
  }
}

let made = 0;

function drawn(grid) {
  const body = new Node("body");
  const makeCell = (cell) => {
    made += 1;
    return Object.assign(new Node("cell"), { shape: [cell.rows, cell.columns, cell.header] });
  };
  const nodes = new GridNodes({ body, makeRow: () => new Node("row"), makeCell });
  nodes.render(grid);
  return { nodes, body };
}

function check({ nodes, body }, grid) {
  nodes.render(grid);
  const cells = body.children.flatMap((row, index) => row.children.map((node) => [index, node]));
  assert.equal(body.children.length, grid.height);
  assert.deepEqual(cells.map(([, node]) => node.cell), grid.cells);
  assert.deepEqual(cells.map(([row]) => row), grid.cells.map((cell) => cell.row));
  for (const [, { shape, cell }] of cells) assert.deepEqual(shape, [cell.rows, cell.columns, cell.header]);
  for (const [, node] of cells) assert.equal(nodes.nodeOf(node.cell), node);
}

const costOf = (shown, grid) => {
  const before = made;
  check(shown, grid);
  return made - before;
};

const numbered = (height, width) =>
  G.layOut({ rows: Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => ({ text: `${y} ${x}` }))) });

test("what two lists share at both ends is counted once", () => {
  const ends = (a, b) => commonEnds([...a], [...b], (x, y) => x === y);
  assert.deepEqual(ends("abc", "abxc"), [2, 1]);
  assert.deepEqual(ends("aaa", "aaaa"), [3, 0]);
  assert.deepEqual(ends("aaaa", "aa"), [2, 0]);
  assert.deepEqual(ends("", "ab"), [0, 0]);
});

test("a row or a column put into a large table costs its own cells, and taking it out none", () => {
  const grid = numbered(100, 30);
  const shown = drawn(grid);
  assert.equal(costOf(shown, E.insertRow(grid, 50)), 30);
  assert.equal(costOf(shown, grid), 0);
  assert.equal(costOf(shown, E.insertColumn(grid, 10)), 100);
  assert.equal(costOf(shown, grid), 0);
  assert.equal(costOf(shown, E.moveRow(grid, 4, 1)), 0);
});

test("what stands behind a new row or column is the same element as before", () => {
  const grid = numbered(6, 6);
  const shown = drawn(grid);
  const nodeOf = (text) => shown.nodes.nodeOf(shown.nodes.rows.flatMap(({ cells }) => cells).find((cell) => cell.text === text));
  const before = ["0 0", "3 1", "3 4", "5 5"].map(nodeOf);
  for (const next of [E.insertColumn(grid, 2), grid, E.insertRow(grid, 2), grid]) {
    check(shown, next);
    assert.ok(["0 0", "3 1", "3 4", "5 5"].every((text, index) => nodeOf(text) === before[index]));
  }
});

test("merged, split, header, pasted and moved cells stand where the grid has them", () => {
  const start = numbered(6, 5);
  const shown = drawn(start);
  const rect = { top: 1, left: 1, bottom: 3, right: 2 };
  const merged = E.merge(start, rect);
  for (const grid of [
    merged,
    E.insertRow(merged, 2),
    E.insertColumn(merged, 2),
    E.removeRows(merged, 1, 2),
    E.toggleHeader(merged, { top: 0, left: 0, bottom: 0, right: 4 }),
    E.split(merged, rect),
    E.paste(start, numbered(9, 8), 3, 3),
    start,
    G.emptyGrid(0, 0),
    numbered(2, 2),
  ])
    check(shown, grid);
});

test("an open cell stays open only while the grid keeps its shape", () => {
  const grid = numbered(3, 3);
  const { nodes } = drawn(grid);
  assert.ok(nodes.fits(E.setText(grid, 1, 1, "new")));
  assert.ok(!nodes.fits(E.insertRow(grid, 1)));
  assert.ok(!nodes.fits(E.merge(grid, { top: 0, left: 0, bottom: 0, right: 1 })));
});
