/**
 * The rows and cells of a grid as elements. What stays is kept in its place: a row that is put into a large table
 * costs a row, not the table.
 */

import { commonEnds } from "./text.mjs";

const sameShape = (a, b) => a.rows === b.rows && a.columns === b.columns && a.header === b.header;

/** Whether two cells look the same, wherever they stand. */
const sameCell = (a, b) => a === b || (a.text === b.text && sameShape(a, b));

const sameRow = (before, after) =>
  before.cells.length === after.length && after.every((cell, index) => sameCell(before.cells[index], cell));

function rowsOf({ cells, height }) {
  const rows = Array.from({ length: height }, () => []);
  for (const cell of cells) rows[cell.row].push(cell);
  return rows;
}

export class GridNodes {
  /**
   * @param {object} parts body: where the rows stand
   * @param {() => Element} parts.makeRow
   * @param {(cell: object) => Element} parts.makeCell an element without content; as a property it has its cell
   */
  constructor({ body, makeRow, makeCell }) {
    Object.assign(this, { body, makeRow, makeCell });
    this.clear();
  }

  clear() {
    this.body.replaceChildren();
    this.rows = [];
    this.nodes = new Map();
  }

  nodeOf(cell) {
    return this.nodes.get(cell) ?? null;
  }

  /** Whether the elements stand as this grid has its cells, whatever their texts. */
  fits(grid) {
    const rows = rowsOf(grid);
    const fit = ({ cells }, row) => cells.length === row.length && row.every((cell, at) => sameShape(cells[at], cell));
    return rows.length === this.rows.length && rows.every((row, index) => fit(this.rows[index], row));
  }

  render(grid) {
    const wanted = rowsOf(grid);
    const [head, tail] = commonEnds(this.rows, wanted, sameRow);
    const old = this.rows.slice(head, this.rows.length - tail);
    const changed = wanted.slice(head, wanted.length - tail);
    for (const row of old.splice(changed.length)) row.element.remove();
    const rest = this.rows.slice(this.rows.length - tail);
    const added = changed.slice(old.length).map(() => ({ element: this.makeRow(), nodes: [], cells: [] }));
    const next = rest[0]?.element ?? null;
    for (const { element } of added) this.body.insertBefore(element, next);
    const between = [...old, ...added];
    between.forEach((row, index) => this.#renderRow(row, changed[index]));
    this.rows = [...this.rows.slice(0, head), ...between, ...rest];
    this.#name(wanted);
  }

  #renderRow(row, cells) {
    const [head, tail] = commonEnds(row.cells, cells, sameCell);
    const old = row.nodes.slice(head, row.nodes.length - tail);
    const changed = cells.slice(head, cells.length - tail);
    for (const node of old.splice(changed.length)) node.remove();
    const rest = row.nodes.slice(row.nodes.length - tail);
    const made = changed.map((cell, index) => {
      const kept = old[index];
      if (kept && sameShape(kept.cell, cell)) return kept;
      const node = this.makeCell(cell);
      if (kept) kept.replaceWith(node);
      else row.element.insertBefore(node, rest[0] ?? null);
      return node;
    });
    row.nodes = [...row.nodes.slice(0, head), ...made, ...rest];
  }

  #name(wanted) {
    this.nodes = new Map();
    this.rows.forEach((row, index) => {
      row.cells = wanted[index];
      row.nodes.forEach((node, at) => {
        node.cell = row.cells[at];
        this.nodes.set(node.cell, node);
      });
    });
  }
}
