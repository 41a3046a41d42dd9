/**
 * Lines on the clipboard. The browser's own clipboard gets their text; the lines with their boxes are kept beside it in
 * this browser, and are pasted where the clipboard still holds that text.
 */

import { takesText } from "./dom.mjs";

const KEY = "workbench.lines";

export class LineClipboard {
  /** @param {Kept} kept where it keeps nothing, lines reach no other tab */
  constructor(kept) {
    this.kept = kept;
    this.taken = [];
  }

  /** Keeps lines; gives the text for the browser's clipboard. */
  keep(lines) {
    this.taken = lines.map(({ text, quad }) => ({ text, quad }));
    this.kept.putValue(KEY, this.taken);
    return textOf(this.taken);
  }

  get lines() {
    return this.kept.value(KEY) ?? this.taken;
  }

  /** The lines that this text of the browser's clipboard stands for; none where it came from elsewhere. */
  matching(text) {
    const { lines } = this;
    return text.replaceAll("\r\n", "\n") === textOf(lines) ? lines : [];
  }
}

const textOf = (lines) => lines.map((line) => line.text).join("\n");

/** Copies, cuts and pastes selected lines, wherever nothing else on the page is meant. */
export function listenToClipboard({ root, editor, clipboard, stage, notices, t, signal }) {
  const on = (name, handler) => document.addEventListener(name, handler, { signal });

  on("copy", (event) => meansLines(event) && copy(event));
  on("cut", (event) => meansLines(event) && editor.canEdit && (copy(event), editor.remove()));
  on("paste", (event) => {
    const lines = meansUs(event) ? clipboard.matching(event.clipboardData?.getData("text/plain") ?? "") : [];
    if (!lines.length || !editor.canEdit) return;
    event.preventDefault();
    editor.paste(lines, stage.size);
  });

  function copy(event) {
    const chosen = new Set(editor.chosen);
    const lines = editor.doc.lines.filter((line) => chosen.has(line.id));
    event.clipboardData.setData("text/plain", clipboard.keep(lines));
    event.preventDefault();
    notices.flash("edit", t("lines_copied", { n: lines.length }));
  }

  function meansUs({ target, defaultPrevented }) {
    if (defaultPrevented || !root.offsetParent || document.querySelector("dialog[open]")) return false;
    return !takesText(target) && (root.contains(target) || target === document.body);
  }

  const meansLines = (event) => meansUs(event) && editor.chosen.length > 0 && getSelection().isCollapsed;
}
