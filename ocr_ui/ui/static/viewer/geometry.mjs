/**
 * Quads on a picture: pure functions. A quad is four [x, y] corners in pixels of the stored picture, top left first
 * as the text is read, then clockwise. A size is {width, height} of that picture.
 */

export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

export const clampQuad = (quad, { width, height }) => quad.map(([x, y]) => [clamp(x, 0, width), clamp(y, 0, height)]);

/** [left, top, right, bottom] of the upright rectangle around a quad. */
export function bounds(quad) {
  const xs = quad.map((point) => point[0]);
  const ys = quad.map((point) => point[1]);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** Moves the whole quad without changing its shape; it stops at the edge of the picture. */
export function moveQuad(quad, dx, dy, { width, height }) {
  const [left, top, right, bottom] = bounds(quad);
  const x = clamp(dx, Math.min(0, -left), Math.max(0, width - right));
  const y = clamp(dy, Math.min(0, -top), Math.max(0, height - bottom));
  return quad.map(([px, py]) => [px + x, py + y]);
}

/** 1 or -1: the way round of four corners that enclose something; 0 for a flat, crossed or dented quad. */
function wayRound(quad) {
  const turns = quad.map(([x, y], index) => {
    const [[bx, by], [cx, cy]] = [quad[(index + 1) % 4], quad[(index + 2) % 4]];
    return (bx - x) * (cy - by) - (by - y) * (cx - bx);
  });
  return turns.every((turn) => turn >= 1) ? 1 : turns.every((turn) => turn <= -1) ? -1 : 0;
}

/**
 * Moves one handle. Handles 0 to 3 are the corners, 4 to 7 the edges that start at corner 0 to 3.
 * The quad keeps its four corners and stays inside the picture. It goes no further than to where it would be flat,
 * crossed or mirrored, which nothing could be read from.
 */
export function moveHandle(quad, handle, dx, dy, size) {
  const first = handle % 4;
  const second = handle < 4 ? first : (first + 1) % 4;
  const moved = (share) =>
    clampQuad(
      quad.map(([x, y], index) => (index === first || index === second ? [x + dx * share, y + dy * share] : [x, y])),
      size,
    );
  const way = wayRound(quad);
  if (way === 0 || wayRound(moved(1)) === way) return moved(1);
  let [least, most] = [0, 1];
  for (let step = 0; step < 12; step += 1) {
    const middle = (least + most) / 2;
    if (wayRound(moved(middle)) === way) least = middle;
    else most = middle;
  }
  return moved(least);
}

/** Where the eight handles stand, in the order of `moveHandle`. */
export function handlePoints(quad) {
  const middles = quad.map(([x, y], index) => {
    const [nextX, nextY] = quad[(index + 1) % 4];
    return [(x + nextX) / 2, (y + nextY) / 2];
  });
  return [...quad, ...middles];
}

/** The upright quad between two opposite corners, whichever way they were drawn. */
export function rectQuad([x0, y0], [x1, y1]) {
  const [left, right] = x0 < x1 ? [x0, x1] : [x1, x0];
  const [top, bottom] = y0 < y1 ? [y0, y1] : [y1, y0];
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

/** A box of the same size as `quad` just below it; above it where the picture ends there. */
export function quadBeside(quad, size) {
  const [left, top, right, bottom] = bounds(quad);
  const step = (bottom - top) * 1.15;
  const dy = bottom + step <= size.height ? step : -step;
  return clampQuad(rectQuad([left, top + dy], [right, bottom + dy]), size);
}

/** A flat box around a point, `wide` pixels wide. */
export function quadAround([x, y], wide, size) {
  const high = wide / 8;
  return clampQuad(rectQuad([x - wide / 2, y - high / 2], [x + wide / 2, y + high / 2]), size);
}

/** A block around a point, half as high as it is wide. */
export const blockAround = ([x, y], wide, size) =>
  clampQuad(rectQuad([x - wide / 2, y - wide / 4], [x + wide / 2, y + wide / 4]), size);

const TALL = 1.5; // as in engines/reading_order.py: higher than wide by this, text runs down the page

const middleOf = (a, b) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
const between = (a, b, share) => [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share];
const distance = (a, b) => Math.hypot(b[0] - a[0], b[1] - a[1]);

export const center = (quad) => middleOf(middleOf(quad[0], quad[2]), middleOf(quad[1], quad[3]));

export const isTall = (quad) => distance(quad[0], quad[3]) >= TALL * distance(quad[0], quad[1]);

/** Moves a quad into the picture without changing its shape, as far as it fits there. */
export function fitQuad(quad, size) {
  const [left, top, right, bottom] = bounds(quad);
  const dx = left < 0 ? -left : Math.min(0, size.width - right);
  const dy = top < 0 ? -top : Math.min(0, size.height - bottom);
  return clampQuad(
    quad.map(([x, y]) => [x + dx, y + dy]),
    size,
  );
}

/** Turns a quad around its middle, clockwise on the screen. */
export function rotateQuad(quad, degrees, size) {
  const [cx, cy] = center(quad);
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const turned = quad.map(([x, y]) => [
    cx + (x - cx) * cos - (y - cy) * sin,
    cy + (x - cx) * sin + (y - cy) * cos,
  ]);
  return fitQuad(turned, size);
}

/** The angle at a point, in degrees clockwise, as seen from the middle of a quad. */
export function angleAt(quad, [x, y]) {
  const [cx, cy] = center(quad);
  return (Math.atan2(y - cy, x - cx) * 180) / Math.PI;
}

/** Where the handle for turning stands: over the middle of the top edge, `reach` pixels of the picture away. */
export function turningPoint(quad, reach) {
  const top = middleOf(quad[0], quad[1]);
  const [cx, cy] = center(quad);
  const length = distance([cx, cy], top) || 1;
  return [top[0] + ((top[0] - cx) / length) * reach, top[1] + ((top[1] - cy) / length) * reach];
}

/**
 * Cuts a quad in two across its text; `share` (0..1) of its length goes to the first part, which stands on the left,
 * on the right where the text runs `fromRight`, on top where `down`.
 */
export function splitQuad([a, b, c, d], share, { fromRight = false, down = false } = {}) {
  if (down) {
    const [left, right] = [between(a, d, share), between(b, c, share)];
    return [
      [a, b, right, left],
      [left, right, c, d],
    ];
  }
  const at = fromRight ? 1 - share : share;
  const [top, bottom] = [between(a, b, at), between(d, c, at)];
  const parts = [
    [a, top, bottom, d],
    [top, b, c, bottom],
  ];
  return fromRight ? parts.reverse() : parts;
}

/** The smallest box around several quads that lies as the longest of them does. */
export function quadAroundAll(quads) {
  const longest = quads.toSorted((p, q) => distance(q[0], q[1]) - distance(p[0], p[1]))[0];
  const length = distance(longest[0], longest[1]) || 1;
  const [ux, uy] = [(longest[1][0] - longest[0][0]) / length, (longest[1][1] - longest[0][1]) / length];
  const places = quads.flat().map(([x, y]) => [x * ux + y * uy, y * ux - x * uy]);
  const [left, top, right, bottom] = bounds(places);
  return rectQuad([left, top], [right, bottom]).map(([along, across]) => [
    along * ux - across * uy,
    along * uy + across * ux,
  ]);
}

export const isTooSmall = (quad, pixels) => {
  const [left, top, right, bottom] = bounds(quad);
  return right - left < pixels || bottom - top < pixels;
};

/** Tenths of a pixel: what is stored, and finer than any hand. */
export const roundQuad = (quad) => quad.map((point) => point.map((value) => Math.round(value * 10) / 10));

export const samePoints = (a, b) =>
  a === b || (!!a && !!b && a.every((point, index) => point[0] === b[index][0] && point[1] === b[index][1]));

/** The `points` attribute of an SVG polygon. */
export const svgPoints = (quad) => quad.map((point) => point.join(",")).join(" ");
