/**
 * Finding text in the page and replacing it: in lines, in fields, in the cells of tables, and in a whole text that
 * stands for itself. Pure.
 */

import { byPerson, setWholeText } from "./state.mjs";
import { changeTable, standingTables } from "./tabledoc.mjs";
import { gridOf } from "./tablegrid.mjs";

/** The texts of a table: its caption, then its cells. */
const tableTexts = (table) => {
  const { caption, cells } = gridOf(table);
  return [{ text: caption, cell: null }, ...cells.map((cell) => ({ text: cell.text, cell }))];
};

/**
 * Places `{kind: "line" | "field" | "cell" | "text", index, start, end}` of a text, in order; `exact` minds upper and
 * lower case. The texts of tables are counted over all of them; their places name the `table` and the `cell` of its
 * grid, null for the caption. What a table says is found in the table, not once more in the text that it stands in.
 */
export function findAll(doc, needle, { exact = false } = {}) {
  if (needle === "") return [];
  const pattern = new RegExp(escaped(needle), exact ? "gu" : "giu");
  const places = (kind, texts, more = () => ({})) =>
    texts.flatMap((text, index) =>
      [...(text ?? "").matchAll(pattern)].map((match) => ({
        kind,
        index,
        start: match.index,
        end: match.index + match[0].length,
        ...more(index),
      })),
    );
  const inTables = doc.tables.flatMap((table, index) => tableTexts(table).map((part) => ({ ...part, table: index })));
  const tables = standingTables(doc).filter(({ index }) => index >= 0);
  const isOutside = ({ start, end }) => tables.every((table) => end <= table.start || start >= table.end);
  return [
    ...places("line", doc.lines.map((line) => line.text)),
    ...places("field", doc.fields.map((field) => field.value)),
    ...places("cell", inTables.map((part) => part.text), (index) => {
      const { table, cell } = inTables[index];
      return { table, cell };
    }),
    ...(doc.follows ? [] : places("text", [doc.text]).filter(isOutside)),
  ];
}

const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, (sign) => `\\${sign}`);

/** The document with these places replaced, as they were found in it. */
export function replacePlaces(doc, places, replacement) {
  const of = (kind, index) => places.filter((place) => place.kind === kind && place.index === index);
  const change = (text, kind, index) => of(kind, index).reduceRight((now, place) => put(now, place, replacement), text);
  const touched = (kind) => new Set(places.filter((place) => place.kind === kind).map((place) => place.index));
  const [lines, fields] = [touched("line"), touched("field")];
  const next = {
    ...doc,
    lines: doc.lines.map((line, at) => (lines.has(at) ? { ...line, text: change(line.text, "line", at) } : line)),
    fields: doc.fields.map((field, at) =>
      fields.has(at) ? byPerson({ ...field, value: change(field.value, "field", at) }) : field,
    ),
  };
  // Before the cells, which move what stands behind them.
  const inText = doc.follows ? next : setWholeText(next, change(doc.text, "text", 0));
  const cells = places.filter(({ kind }) => kind === "cell");
  return [...new Set(cells.map(({ table }) => table))].reduce(
    (now, table) => changeTable(now, table, (grid) => inCells(grid, cells, table, replacement)),
    inText,
  );
}

/** What is put into a cell is a person's: the model was not sure of it. */
function inCells(grid, places, table, replacement) {
  const groups = new Map();
  for (const place of places) if (place.table === table) groups.set(place.cell, [...(groups.get(place.cell) ?? []), place]);
  const change = (text, key) => (groups.get(key) ?? []).reduceRight((now, place) => put(now, place, replacement), text);
  const cells = grid.cells.map((cell) => {
    const text = change(cell.text, cell);
    return text === cell.text ? cell : { ...cell, text, sure: null };
  });
  return { ...grid, caption: change(grid.caption, null), cells };
}

const put = (text, { start, end }, replacement) => text.slice(0, start) + replacement + text.slice(end);
