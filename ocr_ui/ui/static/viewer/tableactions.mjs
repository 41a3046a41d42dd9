/** What keys and buttons do to the tables of the page, by the names of the table of keys. */

import * as Edits from "./tableedits.mjs";

const ARROWS = { up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1] };

/** @param {object} parts as of `makeActions` */
export function makeTableActions(parts) {
  const on = (act) => () => act(parts.tables);
  const actions = {
    tables() {
      parts.views.show("tables");
      parts.tables.focus();
    },
    grid_next: on((tables) => tables.step(1)),
    grid_previous: on((tables) => tables.step(-1)),
    grid_first: on((tables) => tables.goTo(tables.at[0], 0)),
    grid_last: on((tables) => tables.goTo(tables.at[0], tables.grid.width - 1)),
    grid_all: on((tables) => tables.markAll()),
    grid_edit: on((tables) => tables.edit()),
    cell_down: on((tables) => tables.leave(() => tables.move([1, 0]))),
    cell_up: on((tables) => tables.leave(() => tables.move([-1, 0]))),
    cell_next: on((tables) => tables.leave(() => tables.step(1) && tables.edit())),
    cell_previous: on((tables) => tables.leave(() => tables.step(-1) && tables.edit())),
    cell_break: on((tables) => tables.breakLine()),
    cell_leave: on((tables) => tables.takeBack()),
    grid_clear: on((tables) => tables.change(Edits.clear)),
    grid_copy: () => document.execCommand("copy"),
    grid_cut: () => document.execCommand("cut"),
    grid_paste: () => document.execCommand("paste"),
    row_below: on((tables) => tables.insert("row", 1)),
    row_above: on((tables) => tables.insert("row", 0)),
    column_after: on((tables) => tables.insert("column", 1)),
    column_before: on((tables) => tables.insert("column", 0)),
    row_remove: on((tables) => tables.drop("row")),
    column_remove: on((tables) => tables.drop("column")),
    row_up: on((tables) => tables.shift("row", -1)),
    row_down: on((tables) => tables.shift("row", 1)),
    column_left: on((tables) => tables.shift("column", -1)),
    column_right: on((tables) => tables.shift("column", 1)),
    cells_merge: on((tables) => tables.change(Edits.merge, "merge_which")),
    cells_split: on((tables) => tables.change(Edits.split, "split_which")),
    cells_header: on((tables) => tables.change(Edits.toggleHeader)),
    table_next: on((tables) => tables.choose(tables.index + 1)),
    table_previous: on((tables) => tables.choose(tables.index - 1)),
    table_add: on((tables) => tables.add()),
    table_remove: on((tables) => tables.remove()),
  };
  for (const [name, way] of Object.entries(ARROWS)) {
    actions[`grid_${name}`] = on((tables) => tables.move(way));
    actions[`grid_mark_${name}`] = on((tables) => tables.move(way, { marking: true }));
  }
  return actions;
}
