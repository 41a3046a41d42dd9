/** Where a person stands in a queue, kept in the browser: a page that is loaded anew goes on there. */

import { inBrowser, inTab } from "../page/kept.mjs";

const PREFIX = "workbench.desk.";
const TAB = "workbench.desk";
const LONGEST_MS = 24 * 3600 * 1000; // after that a queue says little of what is left to do

/** @param {object} place {mode, query, sort, session}, see `Session.place` */
export function keepPlace(person, place, now = Date.now()) {
  inBrowser.putValue(PREFIX + person, { ...place, time: now });
  inTab.putText(TAB, person);
}

/** The place of a person; null where there is none, or only one of long ago. */
export function placeOf(person, now = Date.now()) {
  const place = inBrowser.value(PREFIX + person);
  return place && now - place.time < LONGEST_MS ? place : null;
}

export function forgetPlace(person) {
  inBrowser.drop(PREFIX + person);
  inTab.drop(TAB);
}

/** Who was at the desk in this tab when it was loaded anew; null where nobody was, or where it came from elsewhere. */
export function cameBack() {
  const reloaded = performance.getEntriesByType("navigation")[0]?.type === "reload";
  return (reloaded && inTab.text(TAB)) || null;
}
