import assert from "node:assert/strict";
import test from "node:test";
import { straightened } from "../../ocr_ui/ui/static/viewer/crop.mjs";

const ROOM = { width: 400, height: 40 };
const turned = (degrees, [x, y], from = [100, 200]) => {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return [from[0] + x * cos - y * sin, from[1] + x * sin + y * cos];
};
const box = (degrees, wide, high) =>
  [[0, 0], [wide, 0], [wide, high], [0, high]].map((corner) => turned(degrees, corner));
const place = ([a, b, c, d, e, f], [x, y]) => [a * x + c * y + e, b * x + d * y + f];
const close = (found, wanted) => found.forEach((value, index) => assert.ok(Math.abs(value - wanted[index]) < 1e-6, `${found}`));

test("a slanted line stands level and fills the room's height", () => {
  for (const degrees of [0, 14, -30, 90, 180]) {
    const quad = box(degrees, 150, 20);
    const matrix = straightened(quad, ROOM);
    close(place(matrix, quad[0]), [0, 0]);
    close(place(matrix, quad[1]), [300, 0]);
    close(place(matrix, quad[2]), [300, 40]);
  }
});

test("a long line fills the room's width and stands in the middle; a small one is enlarged three times at most", () => {
  const long = box(5, 800, 20);
  close(place(straightened(long, ROOM), long[0]), [0, 15]);
  close(place(straightened(long, ROOM), long[2]), [400, 25]);
  const small = box(0, 10, 4);
  close(place(straightened(small, ROOM), small[2]), [30, 26]);
});

test("a box without width is no error", () => {
  assert.ok(straightened([[5, 5], [5, 5], [5, 9], [5, 9]], ROOM).every(Number.isFinite));
});
