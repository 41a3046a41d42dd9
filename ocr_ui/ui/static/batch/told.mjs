// What is said of a batch, in words.
import { time } from "../page/amounts.mjs";
import { nameOf, percentOf, whyUnused } from "../viewer/limits.mjs";

const OVER = ["done", "cancelled"];

/** "45 of 120 pages · 2 failed · 1.4 pages a second · about 50 s left" */
export function sentence(job, t, words, locale) {
  const number = (value) => value.toLocaleString(locale);
  const ended = job.done + job.failed + job.cancelled;
  const parts = [t("jobs.count", { done: number(job.done), total: number(job.total) })];
  if (job.unopened) parts.push(t("jobs.unopened", { n: number(job.unopened) }));
  if (job.failed) parts.push(t("jobs.failed", { n: number(job.failed) }));
  if (job.cancelled) parts.push(t("jobs.given_up", { n: number(job.cancelled) }));
  if (job.pages_per_second) parts.push(speed(job.pages_per_second, t, locale));
  if (job.seconds_left !== null && ended < job.total) {
    parts.push(t("jobs.left", { time: time(Math.max(1, job.seconds_left), words) }));
  }
  return parts.join(" · ");
}

function speed(perSecond, t, locale) {
  const digits = (value) => value.toLocaleString(locale, { maximumSignificantDigits: 2 });
  return perSecond >= 0.1 ? t("jobs.per_second", { n: digits(perSecond) }) : t("jobs.per_minute", { n: digits(perSecond * 60) });
}

/** Where pages went by the rules, and what it cost: "Sent to review: 4 (12 s of engine time)". */
export function routeSentences(routes = [], t, locale = "en") {
  const seconds = (value) => value.toLocaleString(locale, { maximumFractionDigits: value < 10 ? 1 : 0 });
  return routes.map(({ route, pages, seconds: first, second_seconds: second }) => {
    const where = { route: t(`jobs.route.${route}`), pages: pages.toLocaleString(locale) };
    const cost = { seconds: seconds(first), second: seconds(second) };
    return t(second ? "jobs.route.twice" : "jobs.route.once", { ...where, ...cost });
  });
}

/** Which measured thresholds stand in for the limits of rules, and why others do not: a sentence each. */
export function measuredSentences(thresholds, t, locale = "en") {
  return thresholds.map((one) => {
    const told = { what: nameOf(one.part, t), engine: one.engine };
    if (one.unused.length) return t("jobs.rule.unused", { ...told, why: whyUnused(one, t) });
    const limit = percentOf(Math.min(1, one.threshold)).toLocaleString(locale);
    return t("jobs.rule.used", { ...told, limit, n: one.count.toLocaleString(locale), percent: percentOf(one.miss_rate).toLocaleString(locale) });
  });
}

/** Batches that have ended since they were looked at before. */
export function justEnded(before, now) {
  return now.filter((job) => job.state === "done" && before.has(job.job) && !OVER.includes(before.get(job.job)));
}

/** One that came to its end with failures is not shown as one that went well. */
export const shownState = (job) => (job.state === "done" && job.failed ? "done_failed" : job.state);

export const isOver = (job) => OVER.includes(job.state);
