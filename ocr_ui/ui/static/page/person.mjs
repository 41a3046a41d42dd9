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

/** Keeps the name, and tells the parts of the page that go by it. */
export function keepPerson(name) {
  try {
    localStorage.setItem(PERSON_KEY, name);
  } catch {
    // Storing is forbidden: the name is asked for again next time.
  }
  document.dispatchEvent(new CustomEvent("workbench:person"));
}
