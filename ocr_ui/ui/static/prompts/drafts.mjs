/** What is typed and not saved yet, in this browser, by the name of the template. */

const START = "workbench.template.";

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
    return JSON.parse(localStorage.getItem(START + name));
  } catch {
    return null;
  }
}

/** Args: draft: null forgets it. */
export function keepDraft(name, draft, base) {
  try {
    if (draft === null) localStorage.removeItem(START + name);
    else localStorage.setItem(START + name, JSON.stringify({ draft, base, at: Date.now() }));
  } catch {
    // Storing is forbidden or full: what is typed stays while the page is open.
  }
}

// Objects with their keys in one order, and without those that stand for nothing.
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().filter((key) => value[key] !== "").map((key) => [key, sorted(value[key])]));
}
