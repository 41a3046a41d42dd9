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

/**
 * Moves one handle. Handles 0 to 3 are the corners, 4 to 7 the edges that start at corner 0 to 3.
 * The quad keeps its four corners and stays inside the picture.
 */
export function moveHandle(quad, handle, dx, dy, size) {
  const first = handle % 4;
  const second = handle < 4 ? first : (first + 1) % 4;
  return clampQuad(
    quad.map(([x, y], index) => (index === first || index === second ? [x + dx, y + dy] : [x, y])),
    size,
  );
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
