// Documents that one part of the page hands to the Batch tab, which may not be drawn yet.

const TAB = "#batch-tab-button";

const takers = new Set();
let waiting = [];

/** @param {{name: string, sha256: string}} document that the server has; the Batch tab opens with it */
export function hand(document) {
  if (takers.size) for (const take of takers) take(document);
  else waiting.push(document);
  globalThis.document.querySelector(TAB)?.click();
}

/** `take` gets what was handed over before, and what will be. */
export function onHanded(take, signal) {
  takers.add(take);
  signal.addEventListener("abort", () => takers.delete(take));
  const before = waiting;
  waiting = [];
  before.forEach(take);
}
