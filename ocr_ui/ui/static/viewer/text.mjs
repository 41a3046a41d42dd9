/** Looking into text: characters that cannot be seen, and where two strings differ. Pure. */

const NAMES = new Map([
  [0x09, "TAB"],
  [0x0a, "LF"],
  [0x0d, "CR"],
  [0xa0, "NBSP"],
  [0xad, "SHY"],
  [0x61c, "ALM"],
  [0x180e, "MVS"],
  [0x200b, "ZWSP"],
  [0x200c, "ZWNJ"],
  [0x200d, "ZWJ"],
  [0x200e, "LRM"],
  [0x200f, "RLM"],
  [0x2028, "LS"],
  [0x2029, "PS"],
  [0x202a, "LRE"],
  [0x202b, "RLE"],
  [0x202c, "PDF"],
  [0x202d, "LRO"],
  [0x202e, "RLO"],
  [0x202f, "NNBSP"],
  [0x2060, "WJ"],
  [0x2066, "LRI"],
  [0x2067, "RLI"],
  [0x2068, "FSI"],
  [0x2069, "PDI"],
  [0x3000, "IDSP"],
  [0xfeff, "BOM"],
]);

const PLAIN_SPACES = new Set([0x09, 0x0a, 0xa0, 0x202f, 0x3000]);

const isHidden = (code) =>
  NAMES.has(code) ||
  code < 0x20 ||
  (code >= 0x7f && code < 0xa0) ||
  (code >= 0x2061 && code <= 0x2064) ||
  (code >= 0xfe00 && code <= 0xfe0f) ||
  (code >= 0xe0000 && code <= 0xe0fff);

export const codeName = (code) => `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;

/** Cuts text into [{text, name}]: `name` is null for what can be seen, else what to show in its place. */
export function splitInvisible(text) {
  const parts = [];
  let seen = "";
  for (const character of text) {
    const code = character.codePointAt(0);
    if (!isHidden(code)) {
      seen += character;
      continue;
    }
    if (seen) parts.push({ text: seen, name: null });
    seen = "";
    parts.push({ text: character, name: NAMES.get(code) ?? codeName(code), code: codeName(code) });
  }
  if (seen) parts.push({ text: seen, name: null });
  return parts;
}

/** True where text holds something that deceives the eye: zero width, direction marks, control characters. */
export function hidesSomething(text) {
  for (const character of text) {
    const code = character.codePointAt(0);
    if (isHidden(code) && !PLAIN_SPACES.has(code)) return true;
  }
  return false;
}

/**
 * How many items two lists have in common at their beginnings and, behind those, at their ends: [head, tail]. Of two
 * strings, their units.
 */
export function commonEnds(before, after, same = (a, b) => a === b) {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && same(before[head], after[head])) head += 1;
  let tail = 0;
  while (tail < most - head && same(before.at(-1 - tail), after.at(-1 - tail))) tail += 1;
  return [head, tail];
}

/** What two strings share at both ends, in whole characters: {start, removed, added, end}. */
export function changedPart(before, after) {
  const a = [...before];
  const b = [...after];
  const [head, tail] = commonEnds(a, b);
  return {
    start: a.slice(0, head).join(""),
    removed: a.slice(head, a.length - tail).join(""),
    added: b.slice(head, b.length - tail).join(""),
    end: a.slice(a.length - tail).join(""),
  };
}

const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/gu;
const LETTER = /\p{L}/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\u3000-\u303f\uff00-\uffef]/u;

const countOf = (text, pattern) => text.match(pattern)?.length ?? 0;

/** True where most letters are of a script that is written from right to left. */
export const runsFromRight = (text) => countOf(text, FROM_RIGHT) * 2 > countOf(text, LETTER);

/** Two texts as one: with a space between, except where either side is written without spaces. */
export function joinTexts(first, second) {
  const [end, start] = [[...first.trimEnd()].at(-1) ?? "", [...second.trimStart()][0] ?? ""];
  const spaced = end && start && !UNSPACED.test(end) && !UNSPACED.test(start);
  return `${first.trimEnd()}${spaced ? " " : ""}${second.trimStart()}`;
}
