/** How one text became another, line by line or in other pieces. Pure. */

import { commonEnds } from "../viewer/text.mjs";

const MOST = 4_000_000; // pairs of pieces that are compared; above that all between the common ends is another text

/** Rows {kind: "same" | "removed" | "added", text} that lead from `before` to `after`. */
export function lineDiff(before, after) {
  return listDiff(...[before, after].map((text) => (text === "" ? [] : text.split("\n"))));
}

/** As `lineDiff`, of lists of texts. */
export function listDiff(a, b) {
  const [head, tail] = commonEnds(a, b);
  const rows = (kind, lines) => lines.map((text) => ({ kind, text }));
  const middle = between(a.slice(head, a.length - tail), b.slice(head, b.length - tail), rows);
  return [...rows("same", a.slice(0, head)), ...middle, ...rows("same", a.slice(a.length - tail))];
}

function between(a, b, rows) {
  if (a.length * b.length > MOST) return [...rows("removed", a), ...rows("added", b)];
  const common = longestCommon(a, b);
  const found = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) found.push({ kind: "same", text: a[(j += 1, i++)] });
    else if (common[i + 1][j] >= common[i][j + 1]) found.push({ kind: "removed", text: a[i++] });
    else found.push({ kind: "added", text: b[j++] });
  }
  return [...found, ...rows("removed", a.slice(i)), ...rows("added", b.slice(j))];
}

/** `table[i][j]`: how many pieces the ends of both from i and j on have in common, in order. */
function longestCommon(a, b) {
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  return table;
}
