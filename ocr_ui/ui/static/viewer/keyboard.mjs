/** Which action a key press asks for, depending on where the focus is; and doing it. */

import { takesText } from "./dom.mjs";
import { actionOf, keymap } from "./keymap.mjs";
import { isComposing, QUEUE_ACTIONS, REPEATED } from "./keys.mjs";

/** What keys mean nothing to but those that press it. */
const PRESSED = "button,a[href],summary,input[type=checkbox]";
/** Parts around the viewer that have keys of their own. */
const OWN_KEYS = "dialog,.wb-cmp-panel,[role=listbox],[role=menu]";
const STEPS = /^(Arrow|Home$|End$)/;
const ON_SOURCE = ["beside", "problem_next", "problem_previous"];

/**
 * Keys work while the viewer is on the screen and the focus is in it, or nowhere in particular; but for a queue, which
 * has keys of its own around the viewer, also on a button beside it: whoever has pressed Read goes on in the result.
 */
export function listenToKeys({ root, input, actions, toolbar, queue, signal }) {
  document.addEventListener("keydown", down, { signal });
  document.addEventListener("keyup", up, { signal });

  function down(event) {
    if (isComposing(event) && takesText(event.target)) return;
    if (event.defaultPrevented || !isForUs(event)) return;
    const action = actionFor(event);
    if (!action || (!queue && QUEUE_ACTIONS.includes(action))) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat || REPEATED.has(action)) actions[action]();
  }

  function up(event) {
    const name = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    if (keymap.keysOf("clean").some((key) => key.split("+").at(-1) === name)) toolbar.clean.release();
  }

  function isForUs({ target, key }) {
    if (!root.offsetParent || document.querySelector("dialog[open]")) return false;
    return root.contains(target) || target === document.body || (!queue && isBeside(target, key));
  }

  function isBeside(target, key) {
    if (!target.closest?.(PRESSED) || target.closest(OWN_KEYS)) return false;
    return !(STEPS.test(key) && target.closest("[role=tab]"));
  }

  function actionFor(event) {
    const { target } = event;
    if (target === input.element) return lineAction(event);
    if (target.matches?.(".vw-cell-text")) return actionOf(event, "cell") ?? fieldAction(event);
    if (target.closest?.(".vw-grid")) return actionOf(event, "grid") ?? actionOf(event, "view");
    if (takesText(target)) return fieldAction(event);
    const pressesButton = target.closest?.("button,a,summary,input") && ["Enter", " "].includes(event.key);
    if (pressesButton) return null;
    const onField = target.closest?.(".vw-field-table");
    return (onField && actionOf(event, "field")) ?? actionOf(event, "view");
  }

  /** In a line's field: arrows leave it where the caret can go no further. */
  function lineAction(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const plain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (step && plain && input.atEdge(step)) return step < 0 ? "text_previous" : "text_next";
    return actionOf(event, "text");
  }

  /** In other fields: only what concerns the whole page, and undo where the field edits the document. */
  function fieldAction(event) {
    const action = actionOf(event, "text");
    const edits = event.target.matches(".vw-whole, .vw-field-value, .vw-cell-text");
    if (edits && ["find", "replace", "palette", ...ON_SOURCE].includes(action)) return action;
    return ["save", "submit_page"].includes(action) || (edits && ["undo", "redo"].includes(action)) ? action : null;
  }
}
