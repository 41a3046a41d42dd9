/** Where a person stands in a queue, kept in the browser: a page that is loaded anew goes on there. */

const PREFIX = "workbench.desk.";
const TAB = "workbench.desk";
const LONGEST_MS = 24 * 3600 * 1000; // after that a queue says little of what is left to do

const tried = (act, fallback = null) => {
  try {
    return act() ?? fallback;
  } catch {
    return fallback; // the browser keeps nothing, or what it keeps makes no sense
  }
};

/** @param {object} place {mode, query, sort, session}, see `Session.place` */
export function keepPlace(person, place, now = Date.now()) {
  tried(() => localStorage.setItem(PREFIX + person, JSON.stringify({ ...place, time: now })));
  tried(() => sessionStorage.setItem(TAB, person));
}

/** The place of a person; null where there is none, or only one of long ago. */
export function placeOf(person, now = Date.now()) {
  const place = tried(() => JSON.parse(localStorage.getItem(PREFIX + person)));
  return place && now - place.time < LONGEST_MS ? place : null;
}

export function forgetPlace(person) {
  tried(() => localStorage.removeItem(PREFIX + person));
  tried(() => sessionStorage.removeItem(TAB));
}

/** Who was at the desk in this tab when it was loaded anew; null where nobody was, or where it came from elsewhere. */
export function cameBack() {
  const reloaded = performance.getEntriesByType("navigation")[0]?.type === "reload";
  return reloaded ? tried(() => sessionStorage.getItem(TAB)) : null;
}
