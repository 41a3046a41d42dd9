/** What keys and buttons do to the fields of the page, by the names of the table of keys. */

import { addField, FIELD_KINDS, freshName, linkTo, removeField, setKind, setPlace } from "./fieldedits.mjs";
import { confirmLinks } from "./fieldlinks.mjs";
import { linesOf } from "./edits.mjs";
import { kindFrom } from "./regions.mjs";

/** @param {object} parts as of `makeActions` */
export function makeFieldActions(parts) {
  const { editor } = parts;
  const tell = (word, values) => parts.notices.flash("edit", parts.t(word, values));
  const field = () => editor.doc.fields[editor.field];
  return {
    fields,
    link_fields: linkAll,
    field_next: () => step(1),
    field_previous: () => step(-1),
    field_edit: () => parts.fields.edit(),
    field_add: add,
    field_rename: () => parts.fields.openName(editor.field),
    field_remove: () => editor.change((doc) => removeField(doc, editor.field)),
    field_absent: () => field() && editor.setField(editor.field, field().value === null ? "" : null),
    field_kind: () => turn(1),
    field_kind_back: () => turn(-1),
    field_link: link,
    field_unlink: () => editor.change((doc) => setPlace(doc, editor.field, null)),
    field_draw: () => field() && editor.setDrawing(editor.drawing ? null : "field"),
  };

  /** To the field that was chosen last; from there back to the lines. */
  function fields() {
    if (parts.views.active === "fields" && parts.fields.hasKeys) {
      parts.views.show("lines");
      return parts.list.element.focus({ preventScroll: true });
    }
    parts.views.show("fields");
    parts.fields.visit(Math.max(0, editor.field));
  }

  function step(by) {
    const { length } = editor.doc.fields;
    if (length) parts.fields.visit(Math.min(length - 1, Math.max(0, editor.field + by)));
  }

  /** Behind the one that is chosen, with its name open. */
  function add() {
    const name = freshName(editor.doc, (n) => parts.t("field_new", { n }));
    let at = -1;
    const added = editor.change((doc) => {
      const [next, index] = addField(doc, editor.field, name);
      at = index;
      return next;
    });
    if (!added) return;
    if (parts.views.active !== "fields") parts.views.show("fields");
    editor.selectField(at);
    parts.fields.openName(at, { fresh: true });
  }

  function turn(by) {
    editor.change((doc) => setKind(doc, editor.field, kindFrom(field()?.kind, by, FIELD_KINDS)));
  }

  /** To the lines that are selected; of the one that says the value, to the part that does. */
  function link() {
    const lines = linesOf(editor.doc, editor.chosen);
    if (!field()) return;
    if (!lines.length) return tell("field_line_which");
    const found = lines.length === 1 && parts.links.placeIn(editor.field, lines[0].id);
    editor.change((doc) => linkTo(doc, editor.field, lines, found || null));
  }

  /** Keeps the boxes that were found for fields without one. */
  function linkAll() {
    const { fields: placed } = parts.links;
    const n = placed.filter((one) => one.found).length;
    const changed = editor.change((doc) => confirmLinks(doc, placed));
    tell(changed ? "links_kept" : "links_none", { n });
  }
}
