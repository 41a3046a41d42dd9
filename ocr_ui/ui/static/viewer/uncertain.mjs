/** What a model was not sure of, wherever it stands: lines, fields and table cells, in that order. */

import { fieldPart } from "./limits.mjs";
import { isUncertain } from "./state.mjs";
import { isLow } from "./sureness.mjs";

export const KINDS = ["line", "field", "cell"];
/** The view that shows each kind. */
export const VIEW_OF = { line: "lines", field: "fields", cell: "rendered" };

const CELL = /<t[dh](?=[\s>])/g;

/** The mean and the lowest probability of each cell of all tables, in order; null where there is none. */
export const cellsOf = (doc) =>
  doc.tables.flatMap(({ html = "", confidences }) => {
    const number = html.match(CELL)?.length ?? 0;
    return Array.from({ length: number }, (_, index) => confidences?.[index] ?? null);
  });

const isLowCell = (pair, limit) => pair !== null && isLow({ confidence: pair[0], lowest: pair[1] }, limit);

/** Numbers of the uncertain cells, counted over all tables. */
export const uncertainCells = (doc, limit) =>
  cellsOf(doc).flatMap((pair, index) => (isLowCell(pair, limit) ? [index] : []));

/** All uncertain places `{kind, index}` in order; `index` counts the lines, fields or cells. `limitOf` is an editor's. */
export function uncertainPlaces(doc, limitOf, models) {
  const indexes = (items, wanted) => items.flatMap((item, index) => (wanted(item) ? [index] : []));
  const found = {
    line: indexes(doc.lines, (line) => isUncertain(line, limitOf("line"), models)),
    field: indexes(doc.fields, (field) => isLow(field, limitOf(fieldPart(field)))),
    cell: uncertainCells(doc, limitOf("cell")),
  };
  return KINDS.flatMap((kind) => found[kind].map((index) => ({ kind, index })));
}

const after = (a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || a.index - b.index;

/** The place after (`step` 1) or before (-1) `from`, after the last one the first; null where there is none. */
export function nextPlace(places, from, step) {
  const ordered = step > 0 ? places : places.toReversed();
  return ordered.find((place) => from && after(place, from) * step > 0) ?? ordered[0] ?? null;
}
