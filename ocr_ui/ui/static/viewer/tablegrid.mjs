/**
 * A table as cells in a grid, from clean HTML and back to it, byte for byte as the server writes it. Pure, without a
 * page's DOM.
 *
 * Grid: {caption, width, height, cells}, the cells in the order of the HTML. Cell: {text, row, column, rows, columns,
 * header, sure, gap}; `sure` is [mean, lowest] of the model's tokens or null; `gap` marks a slot at the end of a row
 * for which the HTML has no cell, and which stays out of it until somebody writes into it.
 */

export const MOST_CELLS = 20_000;
const MOST_COLUMNS = 1_000; // as HTML has it

const TOKEN = /<(\/?)([a-z][a-z0-9]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>/gi;
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00a0" };

const unescaped = (text) =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|nbsp));/gi, (whole, hex, number, name) => {
    if (name) return ENTITIES[name.toLowerCase()];
    const code = hex ? Number.parseInt(hex, 16) : Number(number);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

const spanOf = (name, attributes) => {
  const found = new RegExp(`\\b${name}\\s*=\\s*["']?\\s*(\\d{1,9})`, "i").exec(attributes);
  return Math.max(1, Number(found?.[1] ?? 1));
};

/**
 * The rows of a table's clean HTML: {caption, rows: [[{text, header, columns, rows}]]}. A table within a cell becomes
 * lines of its text, one a row, as the server reads it.
 */
export function readHtml(html) {
  const rows = [];
  const mixed = new Set();
  let [caption, cell, at, inCaption, within] = ["", null, 0, false, 0];
  const take = (text) => {
    if (cell) cell.text += text;
    else if (inCaption) caption += text;
  };
  for (const found of html.matchAll(TOKEN)) {
    take(unescaped(html.slice(at, found.index)));
    at = found.index + found[0].length;
    const [, closing, tag, attributes] = found;
    const name = tag.toLowerCase();
    if (name === "br") take("\n");
    else if (name === "sup" || name === "sub") take(`<${closing}${name}>`);
    else if (name === "table" && cell && (within || !closing)) {
      within += closing ? -1 : 1;
      mixed.add(cell);
      take("\n");
    } else if (within) take(name === "tr" ? "\n" : " ");
    else if (name === "caption") inCaption = !closing;
    else if (name === "tr" || name === "table") {
      cell = null;
      if (name === "tr" && !closing) rows.push([]);
    } else if (name === "td" || name === "th") {
      cell = closing ? null : { text: "", header: name === "th", ...spans(attributes) };
      if (!rows.length) rows.push([]);
      if (cell) rows.at(-1).push(cell);
    }
  }
  for (const one of mixed) one.text = tidy(one.text.replace(/ +/g, " "));
  return { caption, rows };
}

const spans = (attributes) => ({ columns: spanOf("colspan", attributes), rows: spanOf("rowspan", attributes) });

/**
 * Rows of cells to a grid: each cell into the first free slot of its row, spans no larger than the table, slots that
 * nothing covers filled with gaps.
 */
export function layOut({ rows, caption = "" }, confidences = []) {
  const taken = rows.map(() => []);
  const cells = [];
  let number = 0;
  rows.forEach((row, index) => {
    let column = 0;
    for (const { text, header = false, columns = 1, rows: deep = 1 } of row) {
      while (taken[index][column]) column += 1;
      const reach = Math.min(columns, MOST_COLUMNS);
      let wide = 1;
      while (wide < reach && !taken[index][column + wide]) wide += 1;
      const tall = Math.min(deep, rows.length - index);
      for (let y = 0; y < tall; y += 1) for (let x = 0; x < wide; x += 1) taken[index + y][column + x] = true;
      const sure = confidences[number++] ?? null;
      cells.push({ text, row: index, column, rows: tall, columns: wide, header, sure });
      column += wide;
    }
  });
  const width = Math.max(0, ...taken.map((row) => row.length));
  taken.forEach((row, index) => {
    for (let column = 0; column < width; column += 1)
      if (!row[column]) cells.push({ ...emptyCell(index, column), gap: true });
  });
  return inOrder({ caption, width, height: rows.length, cells });
}

export const emptyCell = (row, column, header = false) => ({
  text: "",
  row,
  column,
  rows: 1,
  columns: 1,
  header,
  sure: null,
});

/** The cells in the order in which HTML has them. */
export const inOrder = (grid) => ({
  ...grid,
  cells: grid.cells.toSorted((a, b) => a.row - b.row || a.column - b.column),
});

export const emptyGrid = (height, width) => layOut({ rows: Array.from({ length: height }, () => blank(width)) });

const blank = (width) => Array.from({ length: width }, () => ({ text: "" }));

/** For each slot the cell that covers it: `slots[row][column]`. */
export function slotsOf(grid) {
  const slots = Array.from({ length: grid.height }, () => []);
  for (const cell of grid.cells)
    for (let y = 0; y < cell.rows; y += 1)
      for (let x = 0; x < cell.columns; x += 1) slots[cell.row + y][cell.column + x] = cell;
  return slots;
}

const TIDY = /^(?:\S(?:[^\t\f\v\r\n]*\S)?)?$/;

/** Cell text as it is stored: no tabs, no empty lines, no blanks around lines. */
export const tidy = (text) =>
  TIDY.test(text)
    ? text
    : text
        .replace(/[\t\f\v]+/g, " ")
        .split(/\r\n|\r|\n/)
        .map((line) => line.trim())
        .filter(Boolean)
        .join("\n");

/** The cells of each row that the HTML has: all but the gaps at its end. */
function writtenRows({ height, cells }) {
  const rows = Array.from({ length: height }, () => []);
  for (const cell of cells) rows[cell.row].push(cell);
  for (const row of rows) while (row.at(-1)?.gap) row.pop();
  return rows;
}

/** Clean HTML: rows, cells, spans, breaks, sup and sub; no other tag and no other attribute. */
export function toHtml(grid) {
  const head = grid.caption ? `<caption>${markup(grid.caption)}</caption>` : "";
  const rows = writtenRows(grid).map((row) => `<tr>${row.map(cellHtml).join("")}</tr>`);
  return `<table>${head}${rows.join("")}</table>`;
}

function cellHtml({ text, header, rows, columns }) {
  const tag = header ? "th" : "td";
  const wide = columns > 1 ? ` colspan="${columns}"` : "";
  const deep = rows > 1 ? ` rowspan="${rows}"` : "";
  return `<${tag}${wide}${deep}>${markup(tidy(text))}</${tag}>`;
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Text as HTML; sup and sub are tags only where they are closed in the right order. */
function markup(text) {
  if (!/[&<>\n]/.test(text)) return text;
  const safe = escaped(text);
  const raised = isBalanced(text) ? safe.replace(/&lt;(\/?su[bp])&gt;/g, "<$1>") : safe;
  return raised.replaceAll("\n", "<br>");
}

function isBalanced(text) {
  const open = [];
  for (const [, closing, name] of text.matchAll(/<(\/?)(su[bp])>/g)) {
    if (!closing) open.push(name);
    else if (open.pop() !== name) return false;
  }
  return open.length === 0;
}

/** The text of each slot, a spanned cell's in every slot that it covers. */
export const textsOf = (grid) =>
  slotsOf(grid).map((row) => Array.from({ length: grid.width }, (_, column) => tidy(row[column]?.text ?? "")));

/** What is stored of a grid, see `Table` of the server; `before` gives what the grid does not know (its box). */
export function tableOf(grid, before = {}) {
  const sure = writtenRows(grid).flatMap((row) => row.map((cell) => cell.sure));
  const { confidences: _, ...kept } = before;
  const table = { quad: null, ...kept, html: toHtml(grid), grid: textsOf(grid) };
  if (sure.some(Boolean)) table.confidences = sure;
  GRIDS.set(table, grid);
  return table;
}

const GRIDS = new WeakMap();

/** The grid of a stored table; worked out once a table. */
export function gridOf(table) {
  if (!GRIDS.has(table)) GRIDS.set(table, layOut(readHtml(table.html ?? ""), table.confidences));
  return GRIDS.get(table);
}

/** Tab separated text as spreadsheets put it on the clipboard: cells with breaks, tabs or quotes stand in quotes. */
export function readTsv(text) {
  const rows = [[""]];
  let quoted = false;
  const source = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at];
    const row = rows.at(-1);
    if (quoted) {
      if (char !== '"') row[row.length - 1] += char;
      else if (source[at + 1] === '"') row[row.length - 1] += source[(at += 1)];
      else quoted = false;
    } else if (char === '"' && row.at(-1) === "" && closes(source, at)) quoted = true;
    else if (char === "\t") row.push("");
    else if (char === "\n") rows.push([""]);
    else row[row.length - 1] += char;
  }
  return { rows: rows.map((row) => row.map((cell) => ({ text: tidy(cell) }))) };
}

/** Whether the quote at `start` has its end before a tab, a break or the end of the text; else it is a sign of inches. */
const closes = (source, start) => /^"(?:[^"]|"")*"(?=[\t\n]|$)/.test(source.slice(start, start + 100_000));

/** The texts of a rectangle as tab separated text; a spanned cell's stands in its first slot. */
export function toTsv(grid, { top, left, bottom, right }) {
  const slots = slotsOf(grid);
  const rows = [];
  for (let row = top; row <= bottom; row += 1) {
    const cells = [];
    for (let column = left; column <= right; column += 1) {
      const cell = slots[row][column];
      const first = cell.row === row && cell.column === column;
      cells.push(first ? quotedCell(tidy(cell.text)) : "");
    }
    rows.push(cells.join("\t"));
  }
  return rows.join("\n");
}

export const wholeTsv = (grid) =>
  grid.width ? toTsv(grid, { top: 0, left: 0, bottom: grid.height - 1, right: grid.width - 1 }) : "";

const quotedCell = (text) => (/[\n\t]|^"/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A rectangle as a table of its own; spans that reach out of it end at its edge. */
export function cutOut(grid, { top, left, bottom, right }) {
  const inside = ({ row, column, rows, columns }) =>
    row <= bottom && row + rows > top && column <= right && column + columns > left;
  const cells = grid.cells.filter(inside).map((cell) => {
    const [row, column] = [Math.max(top, cell.row), Math.max(left, cell.column)];
    const rows = Math.min(bottom + 1, cell.row + cell.rows) - row;
    const columns = Math.min(right + 1, cell.column + cell.columns) - column;
    return { ...cell, row: row - top, column: column - left, rows, columns };
  });
  return { caption: "", width: right - left + 1, height: bottom - top + 1, cells };
}
