/** What is typed and not saved yet, in this browser, by the name of the template. */

import { scoped } from "../page/own.mjs";

const START = "workbench.template.";
const OPEN = "workbench.templates.open";

/** Drafts that the browser does not store, because it is forbidden or full: they last as long as the page. */
const unstored = new Map();

/** Parts that make two drafts the same thing to save. */
export const WORDING = ["text", "task", "structured", "sampling", "variables"];
export const ABOUT = ["title", "description", "tags"];

export const isSame = (one, other, keys) => keys.every((key) => JSON.stringify(sorted(one[key])) === JSON.stringify(sorted(other[key])));

/** What can be edited of a template. */
export function draftOf(template) {
  const { text, task, structured, sampling, title, description, tags } = template;
  const variables = template.variables.map(({ name, label, default: value, many, options }) => ({ name, label, default: value, many, options }));
  return structuredClone({ text, task, structured, sampling, variables, title, description, tags, note: "" });
}

/** @returns {{draft: object, base: string, at: number} | null} */
export function keptDraft(name) {
  try {
    return unstored.get(name) ?? JSON.parse(scoped(localStorage).getItem(START + name));
  } catch {
    return null;
  }
}

/** Args: draft: null forgets it. */
export function keepDraft(name, draft, base) {
  const kept = draft && { draft: structuredClone(draft), base, at: Date.now() };
  unstored.delete(name);
  try {
    if (kept) scoped(localStorage).setItem(START + name, JSON.stringify(kept));
    else scoped(localStorage).removeItem(START + name);
  } catch {
    if (kept) unstored.set(name, kept);
  }
}

/**
 * What is open in this tab of the browser, over a reload and a change of the language.
 * @returns {{name?: string, begun?: object, beside?: string}} `begun` is a template that is not saved yet
 */
export function keptOpen() {
  try {
    return JSON.parse(scoped(sessionStorage).getItem(OPEN)) ?? {};
  } catch {
    return {};
  }
}

export function keepOpen(open) {
  try {
    scoped(sessionStorage).setItem(OPEN, JSON.stringify(open));
  } catch {
    // The library then begins with its first template.
  }
}

// Objects with their keys in one order, and without those that stand for nothing.
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().filter((key) => value[key] !== "").map((key) => [key, sorted(value[key])]));
}
