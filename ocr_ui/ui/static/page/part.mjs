/** What the parts of the page begin alike with: their place, their words, their way to the server, and being looked at. */

import { Api } from "../viewer/api.mjs";
import { parsed, say, styleSheets } from "./dom.mjs";

/**
 * Puts a part into its element; the one that was there goes. Its style sheets come first, so that nothing jumps.
 * @param {string} module the address that style sheets are named from
 * @param {() => object} made gives the part; `destroy()` ends it
 */
export async function mountPart(element, module, sheets, made) {
  element.mounted?.destroy();
  await styleSheets(module, ...sheets);
  element.mounted = made();
  return element.mounted;
}

/** {words, language, t, api} of a part with these props; `prefix` is what the keys of its words begin with. */
export function partOf({ words: json, language }, prefix = "") {
  const words = parsed(json, {});
  return { words, language, t: (key, values) => say(words, prefix + key, values), api: apiOf(words, language) };
}

export const apiOf = (words, language) => new Api({ lang: () => language, unreachable: words["any.unreachable"] });

/**
 * Calls `look` with whether an element can be seen, whenever that changes.
 * @returns {{disconnect: () => void}}
 */
export function watchSight(element, look) {
  const observer = new IntersectionObserver(([entry]) => look(entry.isIntersecting));
  observer.observe(element);
  return observer;
}
