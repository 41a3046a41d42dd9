/** Tables of the document that is edited (see `state.mjs`): pure, a new document each. */

import { commonEnds } from "./text.mjs";
import { gridOf, layOut, readHtml, tableOf } from "./tablegrid.mjs";

export const sameTable = (a, b) => a === b || a.html === b.html;

/** Changes the grid of a table. The whole text, where that table stands in it, says the same afterwards. */
export function changeTable(doc, index, change) {
  const table = doc.tables[index];
  const grid = table && gridOf(table);
  const next = table ? change(grid) : grid;
  if (next === grid) return doc;
  const changed = tableOf(next, table);
  return { ...doc, tables: doc.tables.with(index, changed), text: withTable(doc, index, changed.html) };
}

/** A table at the end of the page, on a line of its own in the whole text. */
export function addTable(doc, grid) {
  const table = tableOf(grid);
  const text = doc.follows ? doc.text : [doc.text, table.html].filter(Boolean).join("\n\n");
  return { ...doc, tables: [...doc.tables, table], text };
}

export function removeTable(doc, index) {
  if (!doc.tables[index]) return doc;
  return { ...doc, tables: doc.tables.toSpliced(index, 1), text: withTable(doc, index, "").trim() };
}

/** The text with other HTML where this table stands, however it is written there. */
function withTable(doc, index, html) {
  const { text } = doc;
  const place = standingTables(doc).find((one) => one.index === index);
  return place ? text.slice(0, place.start) + html + text.slice(place.end) : text;
}

const TABLE_TAG = /<(\/?)table(?=[\s>])[^<>]*>?/gi;
const LAST_TAG = /^[^]*<\/?(?:table|t[rdh]|thead|tbody|tfoot|caption)(?=[\s>])[^<>]*>/i;

/**
 * Where the tables of a text stand: [start, end] each; a table within a cell is part of its table. One that is not
 * closed ends with its last tag, and no later than where the next one begins.
 */
export function placesOf(text) {
  const tags = [...text.matchAll(TABLE_TAG)].map(({ 0: found, 1: closing, index }) => ({ closing, start: index, end: index + found.length }));
  const places = [];
  for (let at = 0; at < tags.length; ) {
    const close = tags[at].closing ? at : closingOf(tags, at);
    if (close === at) {
      at += 1; // closes nothing
    } else if (close > 0) {
      places.push([tags[at].start, tags[close].end]);
      at = close + 1;
    } else {
      const found = text.slice(tags[at].start, tags[at + 1]?.start);
      places.push([tags[at].start, tags[at].start + (LAST_TAG.exec(found)?.[0] ?? found).length]);
      at += 1;
    }
  }
  return places;
}

/** Which of the tags closes the table that one of them opens; -1 where none does. */
function closingOf(tags, opening) {
  let depth = 0;
  for (let at = opening; at < tags.length; at += 1) {
    depth += tags[at].closing ? -1 : 1;
    if (depth === 0) return at;
  }
  return -1;
}

/**
 * The tables in a text that stands for itself, {start, end, html, index} each; `index` is the number of the table of
 * the document that is meant, -1 where it has none of it.
 */
export function standingTables({ follows, tables, text }) {
  if (follows) return [];
  const places = placesOf(text).map(([start, end]) => ({ start, end, html: text.slice(start, end) }));
  if (places.length === tables.length) return places.map((place, index) => ({ ...place, index }));
  let next = 0;
  return places.map((place) => {
    const found = tables.findIndex((table, index) => index >= next && table.html === place.html);
    if (found >= 0) next = found + 1;
    return { ...place, index: found };
  });
}

/**
 * The tables as a text has them that a person edits as a whole: changed ones keep their place on the picture, new ones
 * are there too, and those that left the text are gone. Tables that never stood in it stay.
 */
export function tablesOf(doc, text) {
  const before = standingTables(doc);
  const after = placesOf(text).map(([start, end]) => text.slice(start, end));
  const [head, tail] = commonEnds(before, after, (place, html) => place.html === html);
  const added = after.length - before.length;
  const placeOf = (at) => {
    if (at < head || at < Math.min(before.length, after.length) - tail) return before[at];
    return at < after.length - tail ? null : before[at - added];
  };
  const standing = after.flatMap((html, at) => {
    const place = placeOf(at);
    if (!place) return [reread({}, html)];
    const table = doc.tables[place.index];
    return table ? [[table.html, place.html].includes(html) ? table : reread(table, html)] : [];
  });
  const stood = new Set(before.map((place) => place.index));
  const tables = [...standing, ...doc.tables.filter((_, index) => !stood.has(index))];
  const same = tables.length === doc.tables.length && tables.every((table, index) => table === doc.tables[index]);
  return same ? doc.tables : tables;
}

/** How sure the model was stays with the cells whose texts stay. */
function reread(table, html) {
  const grid = layOut(readHtml(html), table.confidences);
  const before = gridOf(table).cells;
  const stays = (cell, index) => before.length === grid.cells.length && before[index].text === cell.text;
  const cells = grid.cells.map((cell, index) => (stays(cell, index) ? cell : { ...cell, sure: null }));
  return Object.assign(tableOf({ ...grid, cells }, table), { html });
}
