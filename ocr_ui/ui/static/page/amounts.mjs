// Bytes, times and shares in words.
import { say } from "./dom.mjs";

/** 1234567890 as "1,235 MB", from 10 GB on as "12.3 GB", under a megabyte as "123 kB". */
export function bytes(count, locale) {
  const [number, unit, digits] =
    count < 1e6 ? [count / 1e3, "kB", 0] : count < 1e10 ? [count / 1e6, "MB", 0] : [count / 1e9, "GB", 1];
  return `${number.toLocaleString(locale, { maximumFractionDigits: digits })} ${unit}`;
}

/** 2345678901 as "2.3 GB". */
export function gigabytes(count, locale) {
  return `${(count / 1e9).toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} GB`;
}

/** Seconds below two minutes, minutes above. */
export function time(seconds, words) {
  const [key, n] = seconds < 120 ? ["engine.seconds", seconds] : ["engine.minutes", seconds / 60];
  return say(words, key, { n: Math.round(n) });
}

/** "750 MB of 2,700 MB (27%), 35 MB/s, about 56 s left". */
export function shareText({ done, total, per_second: speed }, words, locale) {
  const percent = (total ? done / total : 1).toLocaleString(locale, { style: "percent" });
  const parts = [say(words, "engine.share", { done: bytes(done, locale), total: bytes(total, locale), percent })];
  if (speed > 0 && done < total) {
    parts.push(say(words, "engine.speed", { speed: bytes(speed, locale) }));
    parts.push(say(words, "engine.left", { time: time((total - done) / speed, words) }));
  }
  return parts.join(words["engine.comma"]);
}

/** Where the memory of an engine's card goes, and how many pages fit. */
export function memoryText(memory, words, locale) {
  const sizes = Object.entries(memory).filter(([name]) => name !== "pages");
  return say(words, "engine.memory", {
    ...Object.fromEntries(sizes.map(([name, count]) => [name, gigabytes(count, locale)])),
    pages: memory.pages.toLocaleString(locale),
  });
}
