/** What a spreadsheet puts on the clipboard, as rows of cells. Its HTML is data: rows, cells and spans are taken. */

import { layOut, readTsv, tidy } from "./tablegrid.mjs";

/** A grid of the clipboard's table, else of its tab separated text; null where there is neither. */
export function gridFrom(clipboard) {
  const rows = rowsOf(clipboard.getData("text/html"));
  if (rows?.some((row) => row.length)) return layOut({ rows });
  const text = clipboard.getData("text/plain");
  return text.trim() ? layOut(readTsv(text)) : null;
}

/** A parsed document of its own neither runs nor loads anything. */
function rowsOf(html) {
  const table = html && new DOMParser().parseFromString(html, "text/html").querySelector("table");
  return table ? [...table.rows].map((row) => [...row.cells].map(cellOf)) : null;
}

const cellOf = (cell) => ({
  text: tidy(textOf(cell)),
  header: cell.tagName === "TH",
  columns: Math.max(1, cell.colSpan),
  rows: Math.max(1, cell.rowSpan),
});

const BREAKS = new Set(["BR", "P", "DIV", "LI", "TR"]);
const SILENT = new Set(["SCRIPT", "STYLE", "TEMPLATE"]);
const RAISED = new Set(["SUP", "SUB"]);

function textOf(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data.replace(/\s+/g, " ");
  if (SILENT.has(node.tagName)) return "";
  const inside = [...node.childNodes].map(textOf).join("");
  if (RAISED.has(node.tagName)) return `<${node.tagName.toLowerCase()}>${inside}</${node.tagName.toLowerCase()}>`;
  return BREAKS.has(node.tagName) ? `${inside}\n` : inside;
}
