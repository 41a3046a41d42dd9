/** Building the page's elements. Strings always become text nodes or attribute values: nothing here parses markup. */

import { fillIn, setText } from "../page/dom.mjs";
import { ICONS } from "./icons.mjs";
import { keyHint, shortHint } from "./keymap.mjs";

export { setText };

const SVG = "http://www.w3.org/2000/svg";

/** h("button", {class: "x", onclick: f, "aria-pressed": "false"}, "text", child); false, null and "" children go. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== false && child !== undefined));
  return element;
}

export const icon = (name) =>
  svg(
    "svg",
    { class: "vw-icon", viewBox: "0 0 20 20", "aria-hidden": "true" },
    ICONS[name].map((path) => svg("path", { d: path })),
  );

/**
 * A function from word keys to words: t("count_lines", {n: 3}) fills {n}; where n is 1 and the table has
 * "count_lines_one", that word is taken. {key_help} is the key of the action "help" as it is now.
 */
export function makeWords(table) {
  return (key, values = {}) => {
    const word = (values.n === 1 && table[`${key}_one`]) || (table[key] ?? key);
    return fillIn(word, (name) => (name in values ? String(values[name]) : name.startsWith("key_") ? keyHint(name.slice(4)) : null));
  };
}

/** Marks an element as named by a word of the table, so that `relabel` can rename it in another language. */
export function named(element, word, { attribute = "text", action = null } = {}) {
  element.dataset[attribute === "text" ? "word" : "title"] = word;
  if (action) element.dataset.key = action;
  return element;
}

/** A small sign with the key of an action as it is now; `showKeys` keeps it so. */
export const keySign = (action) => h("kbd", { "data-key": action }, keyHint(action));

/** Writes the keys below `root` on the signs and buttons that have one. */
export function showKeys(root) {
  for (const element of root.querySelectorAll("[data-key]")) {
    const hint = keyHint(element.dataset.key);
    if (element.matches("kbd")) setText(element, hint);
    else if (hint) Object.assign(element.dataset, { hint, short: shortHint(element.dataset.key) });
    else for (const name of ["hint", "short"]) delete element.dataset[name];
  }
}

/** Writes all words below `root` in the language of `t`. */
export function relabel(root, t) {
  showKeys(root);
  for (const element of root.querySelectorAll("[data-word]")) element.textContent = t(element.dataset.word);
  for (const element of root.querySelectorAll("[data-title]")) {
    const word = t(element.dataset.title);
    element.setAttribute("aria-label", word);
    if (element.matches("input,textarea")) element.placeholder = word;
    else element.title = element.dataset.hint ? `${word} (${element.dataset.hint})` : word;
  }
}

/** A button with a word on it. */
export const wordButton = (word, onclick, attributes = {}) =>
  named(h("button", { type: "button", class: "vw-button", onclick, ...attributes }), word);

/** A button with an icon, named for the ear and the pointer; its key stands in the title. */
export function iconButton(name, word, onclick, { action = null, ...attributes } = {}) {
  const button = h("button", { type: "button", class: "vw-tool", onclick, ...attributes }, icon(name));
  return named(button, word, { attribute: "title", action });
}

export function setPressed(button, pressed) {
  if (button.getAttribute("aria-pressed") !== String(pressed)) button.setAttribute("aria-pressed", String(pressed));
}

let composed = null;

/** Notes in which field below `root` an input method is at work. */
export function watchComposition(root) {
  root.addEventListener("compositionstart", ({ target }) => (composed = target), true);
  root.addEventListener("compositionend", () => (composed = null), true);
}

if (globalThis.document) watchComposition(document);

export const isComposed = (field) => field === composed;

/** Writes a text into a field, but not over a word that an input method has begun there: it would be lost. */
export function setValue(field, text) {
  if (!isComposed(field) && field.value !== text) field.value = text;
}

/** True where keys belong to the element: it takes text. */
export const takesText = (element) =>
  !!element?.matches?.(
    "textarea,select,[contenteditable=true],input:not([type=checkbox],[type=radio],[type=button],[type=file])",
  );
