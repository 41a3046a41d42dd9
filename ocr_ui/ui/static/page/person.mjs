/** The name that a person has typed in this browser, or is logged in by: one place for all parts of the page. */

import { inBrowser } from "./kept.mjs";

export const PERSON_KEY = "workbench.person";

let loggedIn = "";

/** Empty where nobody has typed one, or where the browser keeps nothing. */
export const personOf = () => loggedIn || inBrowser.text(PERSON_KEY);

/** Keeps the name, and tells the parts of the page that go by it. */
export function keepPerson(name) {
  inBrowser.putText(PERSON_KEY, name);
  document.dispatchEvent(new CustomEvent("workbench:person"));
}

/** From now on this is the name, whatever is typed: the server takes no other. */
export function logIn(name) {
  loggedIn = name;
  keepPerson(name);
}

/** A field for the name shows that of the login, and lets no other be typed. `told` hears of it. */
export function followLogin(input, signal, told = () => undefined) {
  const show = () => {
    if (!loggedIn || input.readOnly) return;
    input.readOnly = true;
    input.value = loggedIn;
    told(loggedIn);
  };
  document.addEventListener("workbench:person", show, { signal });
  show();
}
