/** Tables of the document that is edited (see `state.mjs`): pure, a new document each. */

import { gridOf, layOut, readHtml, tableOf, textsOf } from "./tablegrid.mjs";

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

/** The text with other HTML where this table stands; of equal tables the one with the same number. */
function withTable({ follows, tables, text }, index, html) {
  const old = tables[index].html;
  if (follows || !old) return text;
  let at = -1;
  for (let number = 0; number <= index; number += 1)
    if (tables[number].html === old) at = text.indexOf(old, at < 0 ? 0 : at + old.length);
  return at < 0 ? text : text.slice(0, at) + html + text.slice(at + old.length);
}

const TABLE = /<table(?=[\s>])[^]*?<\/table>/g;

/** The tables as a text has them that a person edits as a whole; those that it does not have stay as they are. */
export function tablesOf({ tables }, text) {
  const found = text.match(TABLE) ?? [];
  if (found.length !== tables.length) return tables;
  const changed = found.map((html, index) => (tables[index].html === html ? tables[index] : reread(tables[index], html)));
  return changed.every((table, index) => table === tables[index]) ? tables : changed;
}

function reread({ confidences: _, ...table }, html) {
  return { ...table, html, grid: textsOf(layOut(readHtml(html))) };
}
