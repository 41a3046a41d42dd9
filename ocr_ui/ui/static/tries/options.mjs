/** Fills a list of choices. */

import { make } from "../page/dom.mjs";

/** @param {[string, string][]} pairs value and title; what was chosen stays where it is still there */
export function optionsOf(select, pairs) {
  const kept = select.value;
  select.replaceChildren(...pairs.map(([value, textContent]) => make("option", { value, textContent })));
  if (pairs.some(([value]) => value === kept)) select.value = kept;
}
