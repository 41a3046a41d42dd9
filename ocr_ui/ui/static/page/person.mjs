/** The name that a person has typed in this browser: one place for all parts of the page. */

export const PERSON_KEY = "workbench.person";

/** Empty where nobody has typed one, or where the browser keeps nothing. */
export function personOf() {
  try {
    return localStorage.getItem(PERSON_KEY) ?? "";
  } catch {
    return "";
  }
}
