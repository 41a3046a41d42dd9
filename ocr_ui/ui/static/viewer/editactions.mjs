/** What keys and buttons do to several lines at once, and to one that becomes two. */

import { widthOf } from "./measure.mjs";

const DEGREES = 1; // that a press turns a box

/** @param {object} parts as of `makeActions` */
export function makeEditActions(parts) {
  const { editor } = parts;
  return {
    mark_next: () => editor.step(1, { reach: "to" }),
    mark_previous: () => editor.step(-1, { reach: "to" }),
    mark_all: () => editor.selectAll(),
    split,
    join: () => editor.join() || tell("join_which"),
    rotate_left: () => editor.rotate(-DEGREES, parts.stage.size),
    rotate_right: () => editor.rotate(DEGREES, parts.stage.size),
    copy_lines: () => document.execCommand("copy"),
    cut_lines: () => document.execCommand("cut"),
    paste_lines: () => editor.paste(parts.clipboard.lines, parts.stage.size),
    sort,
    find: () => openFind(),
    replace: () => openFind({ replacing: true }),
    palette: () => parts.palette.toggle(),
    elsewhere: () => parts.elsewhere.open(),
    line_history: () => parts.history.open(),
    level: () => editor.setTool("level", editor.tools.level === "line" ? "region" : "line"),
    kind: () => editor.turnKind(1),
    kind_back: () => editor.turnKind(-1),
    beside: () => (onText(), parts.source.turnBeside()),
    problem_next: () => (onText(), parts.source.goOn(1)),
    problem_previous: () => (onText(), parts.source.goOn(-1)),
    text_size: () => parts.textSize.turn(),
    text_smaller: () => parts.textSize.step(-1),
    reread: () => parts.rereader.readSelected(),
    original_all: () => editor.restoreAll(),
  };

  function onText() {
    if (parts.views.active !== "text") parts.views.show("text");
  }

  function openFind(how) {
    if (!["lines", "fields", "tables", "text"].includes(parts.views.active)) parts.views.show("lines");
    parts.find.open(how);
  }

  function tell(word, values) {
    parts.notices.flash("edit", parts.t(word, values));
  }

  /** At the cursor; where no text is open, it is opened so that the cursor can be put there. */
  function split() {
    const { input, list } = parts;
    if (!editor.selectedLine || !editor.canEdit) return;
    const middle = Math.ceil(editor.selectedLine.text.length / 2);
    if (!input.isOpen) return list.edit(editor.selected, [middle, middle]), tell("split_where");
    if (input.composing) return;
    if (!editor.split(input.id, input.element.selectionStart, widthOf)) return tell("split_where");
    parts.notices.hide("edit");
    list.edit(editor.selected, [0, 0]);
  }

  /** In the order in which a person reads, as the server sees it; what was edited meanwhile is asked about anew. */
  async function sort() {
    const { doc } = editor;
    if (!editor.canEdit || doc.lines.length < 2) return;
    try {
      const { order } = await parts.api.post("/v1/reading-order", { lines: doc.lines });
      if (doc !== editor.doc) return sort();
      tell(editor.order(order) ? "sorted" : "sorted_already");
    } catch (failure) {
      parts.notices.showFailure("edit", failure);
    }
  }
}
