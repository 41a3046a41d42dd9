/** What is typed and not saved yet, in this browser, by the name of the template. */

import { ownInBrowser, ownInTab } from "../page/kept.mjs";

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
export const keptDraft = (name) => unstored.get(name) ?? ownInBrowser.value(START + name);

/** Args: draft: null forgets it. */
export function keepDraft(name, draft, base) {
  const kept = draft && { draft: structuredClone(draft), base, at: Date.now() };
  unstored.delete(name);
  if (!kept) ownInBrowser.drop(START + name);
  else if (!ownInBrowser.putValue(START + name, kept)) unstored.set(name, kept);
}

/**
 * What is open in this tab of the browser, over a reload and a change of the language.
 * @returns {{name?: string, begun?: object, beside?: string}} `begun` is a template that is not saved yet
 */
export const keptOpen = () => ownInTab.value(OPEN) ?? {};

export const keepOpen = (open) => ownInTab.putValue(OPEN, open);

// Objects with their keys in one order, and without those that stand for nothing.
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().filter((key) => value[key] !== "").map((key) => [key, sorted(value[key])]));
}
