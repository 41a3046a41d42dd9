/** The text of a cell, and a whole table, as elements. */

import { h } from "./dom.mjs";

/** Text as nodes; what stands between sup and sub tags is set high and low. */
export function raised(text) {
  return text.split(/(<su[bp]>[^<]*<\/su[bp]>)/).map((part) => {
    const found = /^<(su[bp])>([^<]*)<\/su[bp]>$/.exec(part);
    return found ? h(found[1], {}, found[2]) : part;
  });
}

/** A grid as a table to be looked at. */
export function tableElement({ caption, height, cells }) {
  const rows = Array.from({ length: height }, () => h("tr"));
  for (const { text, row, rows: deep, columns: wide, header, gap } of cells) {
    const spans = { colspan: wide > 1 && wide, rowspan: deep > 1 && deep };
    if (!gap) rows[row].append(h(header ? "th" : "td", { dir: "auto", ...spans }, raised(text)));
  }
  return h("table", {}, caption && h("caption", {}, caption), h("tbody", {}, rows));
}
