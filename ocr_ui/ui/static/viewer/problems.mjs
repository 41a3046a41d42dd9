/** Mistakes in a source that is being typed: where they are now, how they are shown and gone to. Pure. */

import { commonEnds } from "./text.mjs";

/** Offsets in characters, as the server counts, as offsets in a string of JavaScript. */
export function inUnits(text, problems) {
  if (!/[\ud800-\udbff][\udc00-\udfff]/.test(text)) return problems;
  const wanted = new Set(problems.flatMap(({ start, end }) => [start, end]));
  const places = new Map();
  let [count, at] = [0, 0];
  for (const character of text) {
    if (wanted.has(count)) places.set(count, at);
    count += 1;
    at += character.length;
  }
  const placeOf = (offset) => places.get(offset) ?? at;
  return problems.map((problem) => ({ ...problem, start: placeOf(problem.start), end: placeOf(problem.end) }));
}

/** A text as a text field has it: there, every line ends in a line feed. */
export const inField = (text) => (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text);

/** An offset in a text as one in its text field. */
export const offsetInField = (text, offset) => inField(text.slice(0, offset)).length;

/** The mistakes of one text where they stand in another one; those that were typed into are gone until it is checked. */
export function moved(problems, before, after) {
  if (before === after || !problems.length) return problems;
  const [head, tail] = commonEnds(before, after);
  const shift = after.length - before.length;
  return problems.flatMap((problem) => {
    if (problem.end <= head) return [problem];
    if (problem.start < before.length - tail) return [];
    return [{ ...problem, start: problem.start + shift, end: problem.end + shift }];
  });
}

/** Line and column of an offset, counted from 1, columns in characters. */
export function placeOf(text, offset) {
  const before = text.slice(0, offset);
  const begin = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: [...before.slice(begin)].length + 1 };
}

/** The number of the mistake that keys go to from an offset: the next one (`step` 1) or the one before, round at the ends. */
export function numberFrom(problems, offset, step) {
  const ahead = problems.findIndex((problem) => problem.start > offset);
  const behind = problems.findLastIndex((problem) => problem.start < offset);
  if (step > 0) return ahead < 0 ? 0 : ahead;
  return behind < 0 ? problems.length - 1 : behind;
}

/** The number of the mistake at an offset, or of the first one behind it, or of the last. */
export function numberAt(problems, offset) {
  const found = problems.findIndex((problem) => problem.end >= offset);
  return found < 0 ? problems.length - 1 : found;
}

/**
 * The lines of a text as pieces to draw: [{text, wrong}] each. A mistake over several lines is marked in each of them;
 * those within one another are one mark.
 */
export function markedLines(text, problems) {
  let at = 0;
  return text.split("\n").map((line) => {
    const [begin, end] = [at, at + line.length];
    at = end + 1;
    const here = problems.filter((problem) => problem.start <= end && problem.end > begin);
    return here.length ? piecesOf(line, begin, here) : [{ text: line, wrong: false }];
  });
}

function piecesOf(line, begin, problems) {
  const wrong = new Array(line.length).fill(false);
  for (const { start, end } of problems) wrong.fill(true, Math.max(0, start - begin), Math.max(0, end - begin));
  const pieces = [];
  for (let at = 0; at < line.length; at += 1) {
    if (pieces.at(-1)?.wrong === wrong[at]) pieces.at(-1).text += line[at];
    else pieces.push({ text: line[at], wrong: wrong[at] });
  }
  return pieces.length ? pieces : [{ text: "", wrong: true }];
}
