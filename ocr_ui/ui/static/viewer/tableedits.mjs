/**
 * What is done to a grid (see `tablegrid.mjs`): pure functions that return a new grid, or the same one where nothing
 * changes. A rectangle is {top, left, bottom, right}, its edges included.
 */

import { emptyCell, inOrder, MOST_CELLS, slotsOf } from "./tablegrid.mjs";

const changeCell = (grid, cell, change) => ({
  ...grid,
  cells: grid.cells.with(grid.cells.indexOf(cell), { ...cell, ...change }),
});

export const cellAt = (grid, row, column) =>
  grid.cells.find(
    (cell) =>
      cell.row <= row && row < cell.row + cell.rows && cell.column <= column && column < cell.column + cell.columns,
  ) ?? null;

/** What a person wrote has no confidence of the model's. */
export function setText(grid, row, column, text) {
  const cell = cellAt(grid, row, column);
  return !cell || cell.text === text ? grid : changeCell(grid, cell, { text, sure: null, gap: false });
}

/** A cell as it was before: its text, how sure the model was of it, and whether the HTML had it at all. */
export function restore(grid, row, column, { text, sure, gap }) {
  const cell = cellAt(grid, row, column);
  return !cell || cell.text === text ? grid : changeCell(grid, cell, { text, sure, gap });
}

/** The cells that touch a rectangle. */
export const cellsIn = (grid, { top, left, bottom, right }) =>
  grid.cells.filter(
    (cell) =>
      cell.row <= bottom && cell.row + cell.rows > top && cell.column <= right && cell.column + cell.columns > left,
  );

function changeCells(grid, wanted, change) {
  const chosen = new Set(wanted);
  return chosen.size ? { ...grid, cells: grid.cells.map((cell) => (chosen.has(cell) ? change(cell) : cell)) } : grid;
}

export function clear(grid, rect) {
  const full = cellsIn(grid, rect).filter((cell) => cell.text !== "");
  return changeCells(grid, full, (cell) => ({ ...cell, text: "", sure: null }));
}

/** Header cells where one of them was none yet, else plain ones. */
export function toggleHeader(grid, rect) {
  const cells = cellsIn(grid, rect);
  const header = !cells.every((cell) => cell.header);
  return changeCells(grid, cells, (cell) => ({ ...cell, header, gap: false }));
}

/** The smallest rectangle around this one that cuts no cell. */
export function wholeCells(grid, rect) {
  let grown = rect;
  for (;;) {
    const cells = cellsIn(grid, grown);
    const next = {
      top: Math.min(grown.top, ...cells.map((cell) => cell.row)),
      left: Math.min(grown.left, ...cells.map((cell) => cell.column)),
      bottom: Math.max(grown.bottom, ...cells.map((cell) => cell.row + cell.rows - 1)),
      right: Math.max(grown.right, ...cells.map((cell) => cell.column + cell.columns - 1)),
    };
    if (Object.keys(next).every((edge) => next[edge] === grown[edge])) return grown;
    grown = next;
  }
}

/** One cell of all that touch the rectangle; their texts follow each other, a blank between them. */
export function merge(grid, rect) {
  const { top, left, bottom, right } = wholeCells(grid, rect);
  const merged = cellsIn(grid, { top, left, bottom, right });
  if (merged.length < 2) return grid;
  const text = merged.map((cell) => cell.text).filter(Boolean);
  const sure = text.length === 1 ? merged.find((cell) => cell.text).sure : null;
  const shape = { row: top, column: left, rows: bottom - top + 1, columns: right - left + 1 };
  const cell = { ...merged[0], ...shape, text: text.join(" "), sure, gap: false };
  return inOrder({ ...grid, cells: [...grid.cells.filter((one) => !merged.includes(one)), cell] });
}

/** Cells that span several slots, as cells of one slot each; the text stays in the first. */
export function split(grid, rect) {
  const spanned = cellsIn(grid, rect).filter((cell) => cell.rows * cell.columns > 1);
  if (!spanned.length) return grid;
  const parts = spanned.flatMap((cell) => {
    const rest = [];
    for (let y = 0; y < cell.rows; y += 1)
      for (let x = 0; x < cell.columns; x += 1)
        if (y || x) rest.push(emptyCell(cell.row + y, cell.column + x, cell.header));
    return [{ ...cell, rows: 1, columns: 1 }, ...rest];
  });
  return inOrder({ ...grid, cells: [...grid.cells.filter((cell) => !spanned.includes(cell)), ...parts] });
}

/** Rows as columns and the other way round, so that what is done to rows can be done to columns. */
export const turned = (grid) => ({
  ...grid,
  width: grid.height,
  height: grid.width,
  cells: grid.cells.map((cell) => ({
    ...cell,
    row: cell.column,
    column: cell.row,
    rows: cell.columns,
    columns: cell.rows,
  })),
});

const onColumns = (change) => (grid, ...more) => {
  const before = turned(grid);
  const after = change(before, ...more);
  return after === before ? grid : inOrder(turned(after));
};

/**
 * An empty row before row `at`; cells that reach over this place grow. It has headers where whole columns are, which
 * one row alone does not show (`alone`: it does).
 */
export function insertRow(grid, at, alone = false) {
  if (grid.width * (grid.height + 1) > MOST_CELLS) return grid;
  const cells = grid.cells.map((cell) => {
    if (cell.row >= at) return { ...cell, row: cell.row + 1 };
    return cell.row + cell.rows > at ? { ...cell, rows: cell.rows + 1 } : cell;
  });
  const covered = new Set(cells.filter((cell) => cell.row <= at && at < cell.row + cell.rows).flatMap(columnsOf));
  const plain = new Set(grid.cells.filter((cell) => !cell.header).flatMap(columnsOf));
  const isHeader = (column) => (alone || grid.height > 1) && !plain.has(column);
  for (let column = 0; column < grid.width; column += 1)
    if (!covered.has(column)) cells.push(emptyCell(at, column, isHeader(column)));
  return inOrder({ ...grid, height: grid.height + 1, cells });
}

const columnsOf = (cell) => Array.from({ length: cell.columns }, (_, step) => cell.column + step);

/** Without the rows from `first` to `last`; the last row of a table stays. Text of a cell that reaches out stays. */
export function removeRows(grid, first, last = first) {
  const count = last - first + 1;
  if (count >= grid.height) return grid;
  const cells = grid.cells.flatMap((cell) => {
    const end = cell.row + cell.rows;
    const lost = Math.max(0, Math.min(end, last + 1) - Math.max(cell.row, first));
    if (lost === cell.rows) return [];
    const row = cell.row > last ? cell.row - count : Math.min(cell.row, first);
    return [{ ...cell, row, rows: cell.rows - lost }];
  });
  return inOrder({ ...grid, height: grid.height - count, cells });
}

/** Row `at` one place up (`step` -1) or down; the same grid where a spanned cell would be torn, or at an end. */
export function moveRow(grid, at, step) {
  const [first, second] = step > 0 ? [at, at + 1] : [at - 1, at];
  if (first < 0 || second >= grid.height) return grid;
  const covers = (cell, row) => cell.row <= row && row < cell.row + cell.rows;
  const torn = grid.cells.some((cell) => cell.rows > 1 && covers(cell, first) !== covers(cell, second));
  if (torn) return grid;
  const row = (cell) => ({ [first]: second, [second]: first })[cell.row] ?? cell.row;
  const cells = grid.cells.map((cell) => (cell.rows === 1 ? { ...cell, row: row(cell) } : cell));
  return inOrder({ ...grid, cells });
}

export const insertColumn = onColumns((grid, at) => insertRow(grid, at, true));
export const removeColumns = onColumns(removeRows);
export const moveColumn = onColumns(moveRow);

/**
 * Puts the cells of another grid over this one from a slot on; the table grows where they reach further. Spans of this
 * one that would be cut are split first.
 */
export function paste(grid, other, top, left) {
  const rect = { top, left, bottom: top + other.height - 1, right: left + other.width - 1 };
  if (!other.cells.length || (rect.bottom + 1) * Math.max(grid.width, rect.right + 1) > MOST_CELLS) return grid;
  let grown = grid;
  while (grown.height <= rect.bottom) grown = insertRow(grown, grown.height);
  while (grown.width <= rect.right) grown = insertColumn(grown, grown.width);
  const cut = cellsIn(grown, rect).filter((cell) => !isWithin(cell, rect));
  for (const cell of cut) grown = split(grown, rectOf(cell));
  const covered = new Set(cellsIn(grown, rect));
  const put = other.cells.map((cell) => ({
    ...cell,
    row: cell.row + top,
    column: cell.column + left,
    sure: null,
    gap: false,
  }));
  return inOrder({ ...grown, cells: [...grown.cells.filter((cell) => !covered.has(cell)), ...put] });
}

const isWithin = (cell, { top, left, bottom, right }) =>
  cell.row >= top && cell.column >= left && cell.row + cell.rows <= bottom + 1 && cell.column + cell.columns <= right + 1;

export const rectOf = ({ row, column, rows, columns }) => ({
  top: row,
  left: column,
  bottom: row + rows - 1,
  right: column + columns - 1,
});

/** The slot beyond the cell at [row, column] in a direction, or the same one at the edge. */
export function neighbour(grid, [row, column], [down, right]) {
  const cell = cellAt(grid, row, column);
  if (!cell) return [row, column];
  const next = [
    down > 0 ? cell.row + cell.rows : down < 0 ? cell.row - 1 : row,
    right > 0 ? cell.column + cell.columns : right < 0 ? cell.column - 1 : column,
  ];
  const there = next[0] >= 0 && next[0] < grid.height && next[1] >= 0 && next[1] < grid.width;
  return there ? next : [row, column];
}

/** The first slot of the cell before or after the one at [row, column] in the order of reading, or null at an end. */
export function following(grid, [row, column], step) {
  const next = grid.cells[grid.cells.indexOf(slotsOf(grid)[row]?.[column]) + step];
  return next ? [next.row, next.column] : null;
}
