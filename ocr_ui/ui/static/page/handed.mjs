// What one part of the page hands to another one, which may not be drawn yet.
import { goTo } from "./tabs.mjs";

const PATHS = { batch: ["batch"], try: ["prompts", "try"], run: ["prompts", "contest"] };

const takers = { batch: new Set(), try: new Set() };
const waiting = { batch: [], try: [] };

/**
 * Gives something to a tab, and goes there.
 * @param {object} thing batch: {name, sha256}, a document that the server has; try: {item} or {template}
 */
export function hand(thing, tab = "batch", go = goTo) {
  if (takers[tab].size) for (const take of takers[tab]) take(thing);
  else waiting[tab].push(thing);
  go(PATHS[tab]);
}

/** `take` gets what was handed over before, and what will be. */
export function onHanded(take, signal, tab = "batch") {
  takers[tab].add(take);
  signal.addEventListener("abort", () => takers[tab].delete(take));
  const before = waiting[tab];
  waiting[tab] = [];
  before.forEach(take);
}

/** Goes to a tab that shows by itself what the address names. */
export const reveal = (tab) => goTo(PATHS[tab]);
