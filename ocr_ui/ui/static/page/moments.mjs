/** Days and times of day, each way of writing them once. */

import { make } from "./dom.mjs";

const pageLanguage = () => document.documentElement.lang;
const written = (moment, locale, parts) => new Date(moment).toLocaleString(locale ?? pageLanguage(), parts);

/** "Nov 30, 2026, 9:05 AM". `moment` as `Date` takes it; in the page's language unless another is named. */
export const momentText = (moment, locale) => written(moment, locale, { dateStyle: "medium", timeStyle: "short" });

/** "11/30/26, 9:05 AM", for where there is little room. */
export const shortMomentText = (moment, locale) => written(moment, locale, { dateStyle: "short", timeStyle: "short" });

/** "09:05 AM". */
export const clockText = (moment, locale) => written(moment, locale, { hour: "2-digit", minute: "2-digit" });

/** A moment as an element that says it exactly, too. */
export const momentElement = (moment) =>
  make("time", { datetime: new Date(moment).toISOString(), title: written(moment), textContent: momentText(moment) });
