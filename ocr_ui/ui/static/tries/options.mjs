/** Fills a list of choices. */

import { make } from "../page/dom.mjs";

/**
 * Nothing is touched where they are as they were: an open list would close under somebody's hands.
 * @param {[string, string][]} pairs value and title; what was chosen stays where it is still there
 */
export function optionsOf(select, pairs) {
  const there = [...select.options].map(({ value, textContent }) => [value, textContent]);
  if (JSON.stringify(there) === JSON.stringify(pairs.map((pair) => pair.map(String)))) return;
  const kept = select.value;
  select.replaceChildren(...pairs.map(([value, textContent]) => make("option", { value, textContent })));
  if (pairs.some(([value]) => value === kept)) select.value = kept;
}
