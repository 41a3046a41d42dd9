/**
 * The one table of keys as they come; `keymap.mjs` has what a person made of it. The help sheet and the titles of
 * buttons are made from it; `act_<action>` is the word for each action. Scope "view": focus is in the viewer but not in text; "text": a line is being typed;
 * "any": both; "native": the browser does it and tells us, see `clipboard.mjs`; "grid": focus is on a cell of a table,
 * where the keys of "view" that it does not have mean what they always do; "cell": the text of a cell is being typed;
 * "field": focus is on the row of a field, which has keys of its own as a grid has.
 */

export const KEYS = [
  { action: "next", keys: ["J", "ArrowDown"], scope: "view", group: "lines" },
  { action: "previous", keys: ["K", "ArrowUp"], scope: "view", group: "lines" },
  { action: "next_uncertain", keys: ["U"], scope: "view", group: "lines" },
  { action: "previous_uncertain", keys: ["Shift+U"], scope: "view", group: "lines" },
  { action: "first", keys: ["Home"], scope: "view", group: "lines" },
  { action: "last", keys: ["End"], scope: "view", group: "lines" },
  { action: "mark_next", keys: ["Shift+J"], scope: "view", group: "lines" },
  { action: "mark_previous", keys: ["Shift+K"], scope: "view", group: "lines" },
  { action: "mark_all", keys: ["Ctrl+A"], scope: "view", group: "lines" },
  { action: "edit", keys: ["Enter", "F2"], scope: "view", group: "text" },
  { action: "accept_line", keys: [" "], scope: "view", group: "text" },
  { action: "illegible", keys: ["Shift+I"], scope: "view", group: "text" },
  { action: "text_next", keys: ["Enter"], scope: "text", group: "text" },
  { action: "text_previous", keys: ["Shift+Enter"], scope: "text", group: "text" },
  { action: "text_leave", keys: ["Escape"], scope: "text", group: "text" },
  { action: "split", keys: ["Alt+Enter"], scope: "any", group: "text" },
  { action: "join", keys: ["Shift+M"], scope: "view", group: "text" },
  { action: "copy_lines", keys: ["Ctrl+C"], scope: "native", group: "text" },
  { action: "cut_lines", keys: ["Ctrl+X"], scope: "native", group: "text" },
  { action: "paste_lines", keys: ["Ctrl+V"], scope: "native", group: "text" },
  { action: "original", keys: ["O"], scope: "view", group: "text" },
  { action: "original_all", keys: ["Shift+O"], scope: "view", group: "text" },
  { action: "palette", keys: ["Alt+P"], scope: "any", group: "text" },
  { action: "find", keys: ["Ctrl+F"], scope: "any", group: "text" },
  { action: "replace", keys: ["Ctrl+H"], scope: "any", group: "text" },
  { action: "beside", keys: ["Alt+V"], scope: "any", group: "text" },
  { action: "problem_next", keys: ["F8"], scope: "any", group: "text" },
  { action: "problem_previous", keys: ["Shift+F8"], scope: "any", group: "text" },
  { action: "text_size", keys: ["Alt+="], scope: "any", group: "text" },
  { action: "text_smaller", keys: ["Alt+-"], scope: "any", group: "text" },
  { action: "elsewhere", keys: ["Shift+F"], scope: "view", group: "text" },
  { action: "line_history", keys: ["Y"], scope: "view", group: "text" },
  { action: "invisible", keys: ["I"], scope: "view", group: "text" },
  { action: "nudge_left", keys: ["Alt+ArrowLeft"], scope: "view", group: "boxes" },
  { action: "nudge_right", keys: ["Alt+ArrowRight"], scope: "view", group: "boxes" },
  { action: "nudge_up", keys: ["Alt+ArrowUp"], scope: "view", group: "boxes" },
  { action: "nudge_down", keys: ["Alt+ArrowDown"], scope: "view", group: "boxes" },
  { action: "handle", keys: ["H"], scope: "view", group: "boxes" },
  { action: "rotate_left", keys: [","], scope: "view", group: "boxes" },
  { action: "rotate_right", keys: ["."], scope: "view", group: "boxes" },
  { action: "add", keys: ["N"], scope: "view", group: "boxes" },
  { action: "draw", keys: ["D"], scope: "view", group: "boxes" },
  { action: "give_box", keys: ["G"], scope: "view", group: "boxes" },
  { action: "remove", keys: ["Delete", "Backspace"], scope: "view", group: "boxes" },
  { action: "move_up", keys: ["Alt+Shift+ArrowUp"], scope: "any", group: "boxes" },
  { action: "move_down", keys: ["Alt+Shift+ArrowDown"], scope: "any", group: "boxes" },
  { action: "level", keys: ["L"], scope: "view", group: "boxes" },
  { action: "kind", keys: ["T"], scope: "view", group: "boxes" },
  { action: "kind_back", keys: ["Shift+T"], scope: "view", group: "boxes" },
  { action: "sort", keys: ["Shift+S"], scope: "view", group: "boxes" },
  { action: "reread", keys: ["Shift+R"], scope: "view", group: "boxes" },
  { action: "fields", keys: ["V"], scope: "view", group: "fields" },
  { action: "field_next", keys: ["ArrowDown"], scope: "field", group: "fields" },
  { action: "field_previous", keys: ["ArrowUp"], scope: "field", group: "fields" },
  { action: "field_edit", keys: ["Enter"], scope: "field", group: "fields" },
  { action: "field_rename", keys: ["F2"], scope: "field", group: "fields" },
  { action: "field_kind", keys: ["T"], scope: "field", group: "fields" },
  { action: "field_kind_back", keys: ["Shift+T"], scope: "field", group: "fields" },
  { action: "field_absent", keys: ["Shift+A"], scope: "field", group: "fields" },
  { action: "field_link", keys: ["G"], scope: "field", group: "fields" },
  { action: "field_draw", keys: ["D"], scope: "field", group: "fields" },
  { action: "field_unlink", keys: ["Alt+G"], scope: "field", group: "fields" },
  { action: "field_add", keys: ["N"], scope: "field", group: "fields" },
  { action: "field_remove", keys: ["Delete", "Backspace"], scope: "field", group: "fields" },
  { action: "link_fields", keys: ["Shift+L"], scope: "view", group: "fields" },
  { action: "tables", keys: ["Alt+T"], scope: "view", group: "tables" },
  { action: "grid_up", keys: ["ArrowUp"], scope: "grid", group: "tables" },
  { action: "grid_down", keys: ["ArrowDown"], scope: "grid", group: "tables" },
  { action: "grid_left", keys: ["ArrowLeft"], scope: "grid", group: "tables" },
  { action: "grid_right", keys: ["ArrowRight"], scope: "grid", group: "tables" },
  { action: "grid_next", keys: ["Tab"], scope: "grid", group: "tables" },
  { action: "grid_previous", keys: ["Shift+Tab"], scope: "grid", group: "tables" },
  { action: "grid_first", keys: ["Home"], scope: "grid", group: "tables" },
  { action: "grid_last", keys: ["End"], scope: "grid", group: "tables" },
  { action: "grid_mark_up", keys: ["Shift+ArrowUp"], scope: "grid", group: "tables" },
  { action: "grid_mark_down", keys: ["Shift+ArrowDown"], scope: "grid", group: "tables" },
  { action: "grid_mark_left", keys: ["Shift+ArrowLeft"], scope: "grid", group: "tables" },
  { action: "grid_mark_right", keys: ["Shift+ArrowRight"], scope: "grid", group: "tables" },
  { action: "grid_all", keys: ["Ctrl+A"], scope: "grid", group: "tables" },
  { action: "grid_edit", keys: ["Enter", "F2"], scope: "grid", group: "tables" },
  { action: "cell_down", keys: ["Enter"], scope: "cell", group: "tables" },
  { action: "cell_up", keys: ["Shift+Enter"], scope: "cell", group: "tables" },
  { action: "cell_next", keys: ["Tab"], scope: "cell", group: "tables" },
  { action: "cell_previous", keys: ["Shift+Tab"], scope: "cell", group: "tables" },
  { action: "cell_break", keys: ["Alt+Enter"], scope: "cell", group: "tables" },
  { action: "cell_leave", keys: ["Escape"], scope: "cell", group: "tables" },
  { action: "grid_clear", keys: ["Delete", "Backspace"], scope: "grid", group: "tables" },
  { action: "grid_copy", keys: ["Ctrl+C"], scope: "native", group: "tables" },
  { action: "grid_cut", keys: ["Ctrl+X"], scope: "native", group: "tables" },
  { action: "grid_paste", keys: ["Ctrl+V"], scope: "native", group: "tables" },
  { action: "row_below", keys: ["Alt+R"], scope: "grid", group: "tables" },
  { action: "row_above", keys: ["Alt+Shift+R"], scope: "grid", group: "tables" },
  { action: "row_remove", keys: ["Alt+Delete"], scope: "grid", group: "tables" },
  { action: "row_up", keys: ["Alt+ArrowUp"], scope: "grid", group: "tables" },
  { action: "row_down", keys: ["Alt+ArrowDown"], scope: "grid", group: "tables" },
  { action: "column_after", keys: ["Alt+C"], scope: "grid", group: "tables" },
  { action: "column_before", keys: ["Alt+Shift+C"], scope: "grid", group: "tables" },
  { action: "column_remove", keys: ["Alt+Shift+Delete"], scope: "grid", group: "tables" },
  { action: "column_left", keys: ["Alt+ArrowLeft"], scope: "grid", group: "tables" },
  { action: "column_right", keys: ["Alt+ArrowRight"], scope: "grid", group: "tables" },
  { action: "cells_merge", keys: ["Alt+M"], scope: "grid", group: "tables" },
  { action: "cells_split", keys: ["Alt+S"], scope: "grid", group: "tables" },
  { action: "cells_header", keys: ["Alt+H"], scope: "grid", group: "tables" },
  { action: "table_next", keys: ["Alt+PageDown"], scope: "grid", group: "tables" },
  { action: "table_previous", keys: ["Alt+PageUp"], scope: "grid", group: "tables" },
  { action: "table_add", keys: ["Alt+N"], scope: "grid", group: "tables" },
  { action: "table_remove", keys: ["Alt+X"], scope: "grid", group: "tables" },
  { action: "undo", keys: ["Ctrl+Z"], scope: "any", group: "change" },
  { action: "redo", keys: ["Ctrl+Shift+Z", "Ctrl+Y"], scope: "any", group: "change" },
  { action: "save", keys: ["Ctrl+S"], scope: "any", group: "change" },
  { action: "right", keys: ["R"], scope: "view", group: "change" },
  { action: "wrong", keys: ["W"], scope: "view", group: "change" },
  { action: "mend", keys: ["F"], scope: "view", group: "change" },
  { action: "rewards", keys: ["E"], scope: "view", group: "change" },
  { action: "accept_page", keys: ["A"], scope: "view", group: "queue" },
  { action: "submit_page", keys: ["Ctrl+Enter"], scope: "any", group: "queue" },
  { action: "reject_page", keys: ["X"], scope: "view", group: "queue" },
  { action: "skip_page", keys: ["S"], scope: "view", group: "queue" },
  { action: "next_page", keys: ["]", "PageDown"], scope: "view", group: "queue" },
  { action: "previous_page", keys: ["[", "PageUp"], scope: "view", group: "queue" },
  { action: "comments", keys: ["M"], scope: "view", group: "queue" },
  { action: "guidelines", keys: ["Shift+G"], scope: "view", group: "queue" },
  { action: "leave_queue", keys: ["Q"], scope: "view", group: "queue" },
  { action: "zoom_in", keys: ["+", "="], scope: "view", group: "picture" },
  { action: "zoom_out", keys: ["-"], scope: "view", group: "picture" },
  { action: "fit", keys: ["0"], scope: "view", group: "picture" },
  { action: "fit_width", keys: ["9"], scope: "view", group: "picture" },
  { action: "fit_line", keys: ["Z"], scope: "view", group: "picture" },
  { action: "pan_left", keys: ["Shift+ArrowLeft"], scope: "view", group: "picture" },
  { action: "pan_right", keys: ["Shift+ArrowRight"], scope: "view", group: "picture" },
  { action: "pan_up", keys: ["Shift+ArrowUp"], scope: "view", group: "picture" },
  { action: "pan_down", keys: ["Shift+ArrowDown"], scope: "view", group: "picture" },
  { action: "boxes", keys: ["B"], scope: "view", group: "picture" },
  { action: "clean", keys: ["C"], scope: "view", group: "picture" },
  { action: "help", keys: ["?"], scope: "view", group: "page" },
  { action: "cancel", keys: ["Escape"], scope: "view", group: "page" },
];

/** While two people's versions of a page are merged; the keys of the queue work there too. */
export const MERGE_KEYS = [
  { action: "merge_first", keys: ["1"], group: "merge" },
  { action: "merge_second", keys: ["2"], group: "merge" },
  { action: "merge_own", keys: ["3"], group: "merge" },
  { action: "merge_next", keys: ["J", "ArrowDown"], group: "merge" },
  { action: "merge_previous", keys: ["K", "ArrowUp"], group: "merge" },
];

export const GROUPS = ["queue", "merge", "lines", "text", "boxes", "fields", "tables", "change", "picture", "page"];

/** What only a viewer that stands in a queue can do. */
export const QUEUE_ACTIONS = KEYS.filter((row) => row.group === "queue").map((row) => row.action);

const named = (start, ...ends) => ends.map((end) => `${start}_${end}`);

/** What a key does again while it is held: going about, moving. What adds, removes, judges or turns over takes a press. */
export const REPEATED = new Set([
  ...["next", "previous", "next_uncertain", "previous_uncertain", "undo", "redo", "text_size", "text_smaller"],
  ...named("mark", "next", "previous"),
  ...named("text", "next", "previous"),
  ...named("nudge", "left", "right", "up", "down"),
  ...named("rotate", "left", "right"),
  ...named("move", "up", "down"),
  ...named("field", "next", "previous"),
  ...named("grid", "up", "down", "left", "right", "next", "previous"),
  ...named("grid_mark", "up", "down", "left", "right"),
  ...named("cell", "down", "up", "next", "previous", "break"),
  ...named("row", "up", "down"),
  ...named("column", "left", "right"),
  ...named("table", "next", "previous"),
  ...named("problem", "next", "previous"),
  ...named("zoom", "in", "out"),
  ...named("pan", "left", "right", "up", "down"),
]);

/** A key event as it is written in the table. Ctrl and Command are one; other alphabets fall back on the place. */
export function chord(event) {
  let key = event.key;
  const place = /^Key([A-Z])$/.exec(event.code ?? "");
  if (place && !/^[\x20-\x7e]$/.test(key)) key = place[1];
  if (key.length === 1) key = key.toUpperCase();
  const symbol = key.length === 1 && !/[A-Z0-9]/.test(key);
  const names = [];
  if (event.ctrlKey || event.metaKey) names.push("Ctrl");
  if (event.altKey) names.push("Alt");
  if (event.shiftKey && !symbol) names.push("Shift");
  return [...names, key].join("+");
}

/** Keys belong to the input method while it composes; 229 is what some browsers send around its end. */
export const isComposing = (event) => event.isComposing || event.keyCode === 229;

const SIGNS = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", "-": "−", " ": "Space" };

/** A key as people read it on the help sheet: ["Ctrl", "Shift", "Z"]. */
export const keyNames = (key) => (key === "+" ? ["+"] : key.split("+").map((part) => SIGNS[part] ?? part));

/** A key in few letters, for a small button: "^Z", "⇧R". */
export const shortName = (key) =>
  keyNames(key)
    .map((name) => ({ Ctrl: "^", Shift: "⇧", Alt: "Alt ", Delete: "Del", Backspace: "⌫", Enter: "⏎" })[name] ?? name)
    .join("");
