import assert from "node:assert/strict";
import test from "node:test";
import * as G from "../../ocr_ui/ui/static/viewer/geometry.mjs";

const PAGE = { width: 100, height: 100 };
const QUAD = [
  [10, 10],
  [50, 12],
  [49, 30],
  [9, 28],
];

test("moving keeps the shape and stops at the edge of the page", () => {
  assert.deepEqual(G.moveQuad(QUAD, -100, -100, PAGE), [
    [1, 0],
    [41, 2],
    [40, 20],
    [0, 18],
  ]);
  assert.deepEqual(G.moveQuad(QUAD, 500, 0, PAGE)[1], [100, 12]);
});

test("a quad that reaches beyond the page can be moved back in but not further out", () => {
  const outside = [
    [-5, 10],
    [20, 10],
    [20, 20],
    [-5, 20],
  ];
  assert.deepEqual(G.moveQuad(outside, -3, 0, PAGE)[0], [-5, 10]);
  assert.deepEqual(G.moveQuad(outside, 5, 0, PAGE)[0], [0, 10]);
});

test("a corner moves alone, an edge moves its two corners, four corners stay", () => {
  assert.deepEqual(G.moveHandle(QUAD, 2, 500, 10, PAGE), [QUAD[0], QUAD[1], [100, 40], QUAD[3]]);
  assert.deepEqual(G.moveHandle(QUAD, 7, -2, 0, PAGE), [[8, 10], QUAD[1], QUAD[2], [7, 28]]);
  assert.deepEqual(QUAD[2], [49, 30]);
});

test("no handle goes past the other side: a box that is flat, crossed or mirrored holds no text", () => {
  const upright = G.rectQuad([20, 20], [60, 40]);
  const [left, right] = [G.moveHandle(upright, 5, -90, 0, PAGE)[0][0], G.moveHandle(upright, 5, -90, 0, PAGE)[1][0]];
  assert.ok(left === 20 && right > 20 && right < 21, `${left} ${right}`);
  const corner = G.moveHandle(upright, 0, 80, 80, PAGE);
  assert.ok(corner[0][0] < 60 && corner[0][1] < 40, `${corner[0]}`);
  const flat = G.rectQuad([20, 20], [20, 40]);
  assert.equal(G.moveHandle(flat, 5, 10, 0, PAGE)[1][0], 30, "a flat one can be opened");
});

test("eight handles: corners, then the middles of the edges that start at them", () => {
  const points = G.handlePoints(G.rectQuad([0, 0], [10, 4]));
  assert.deepEqual(points.slice(4), [
    [5, 0],
    [10, 2],
    [5, 4],
    [0, 2],
  ]);
});

test("a rectangle starts at its top left corner whichever way it was drawn", () => {
  const expected = [
    [1, 2],
    [9, 2],
    [9, 8],
    [1, 8],
  ];
  for (const [from, to] of [
    [
      [1, 2],
      [9, 8],
    ],
    [
      [9, 8],
      [1, 2],
    ],
    [
      [9, 2],
      [1, 8],
    ],
  ]) {
    assert.deepEqual(G.rectQuad(from, to), expected);
  }
});

test("a new box stands below the one beside it, above it at the end of the page, never outside", () => {
  const [, below] = G.bounds(G.quadBeside(QUAD, PAGE));
  assert.ok(below > 30);
  const last = G.rectQuad([10, 80], [50, 98]);
  const [, top, , bottom] = G.bounds(G.quadBeside(last, PAGE));
  assert.ok(bottom < 80 && top >= 0);
  const [left, , right] = G.bounds(G.quadAround([2, 50], 60, PAGE));
  assert.deepEqual([left, right], [0, 32]);
});

test("points are rounded to tenths of a pixel", () => {
  assert.deepEqual(
    G.roundQuad([
      [1.26, 2],
      [3.04, 0],
      [0, 0],
      [0, 0],
    ])[0],
    [1.3, 2],
  );
});

test("missing boxes are the same as each other and as nothing else", () => {
  assert.ok(G.samePoints(null, null));
  assert.ok(!G.samePoints(null, QUAD));
  assert.ok(G.samePoints(QUAD, structuredClone(QUAD)));
});
