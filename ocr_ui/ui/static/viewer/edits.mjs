/**
 * Operations on several lines of the document, and on one that becomes several. Pure, as those of `state.mjs`: what
 * changes nothing gives the same document.
 */

import { isTall, quadAroundAll, roundQuad, samePoints, splitQuad } from "./geometry.mjs";
import { freshId, indexOf, sameLine, setQuad } from "./state.mjs";
import { joinTexts, runsFromRight } from "./text.mjs";

/** The lines of these ids, in the order of the document. */
export function linesOf(doc, ids) {
  const wanted = new Set(ids);
  return doc.lines.filter((line) => wanted.has(line.id));
}

/** The ids from one line to another, both included. */
export function idsBetween(doc, from, to) {
  const [start, end] = [indexOf(doc.lines, from), indexOf(doc.lines, to)].sort((a, b) => a - b);
  return start < 0 ? [] : doc.lines.slice(start, end + 1).map((line) => line.id);
}

/**
 * Cuts a line in two before the character at `at` (counted as in a string). Spaces at the cut go.
 * @param {(text: string) => number} widthOf how long a text is where it is drawn: only the ratio counts
 */
export function splitLine(doc, id, at, widthOf) {
  const index = indexOf(doc.lines, id);
  const line = doc.lines[index];
  const [first, second] = line ? [line.text.slice(0, at), line.text.slice(at)] : ["", ""];
  if (!first.trim() || !second.trim()) return doc;
  const quads = line.quad ? splitQuad(line.quad, shareOf(line, at, widthOf), wayOf(line)) : [null, null];
  const parts = [
    { ...line, text: first.trimEnd(), quad: quads[0] && roundQuad(quads[0]) },
    { ...line, id: freshId(doc), text: second.trimStart(), quad: quads[1] && roundQuad(quads[1]) },
  ];
  return { ...doc, lines: doc.lines.toSpliced(index, 1, ...parts) };
}

/** Upright letters one below the other are as high as they are wide; others are as long as they are drawn. */
function shareOf(line, at, widthOf) {
  const measure = isTall(line.quad) ? (text) => [...text].length : widthOf;
  const whole = measure(line.text);
  return whole > 0 ? measure(line.text.slice(0, at)) / whole : 0.5;
}

const wayOf = (line) => ({ fromRight: runsFromRight(line.text), down: isTall(line.quad) });

const least = (values) => (values.some((value) => value == null) ? null : Math.min(...values));

/** Makes one line of several; it stands where the first of them stood, under its id. */
export function joinLines(doc, ids) {
  const lines = linesOf(doc, ids);
  if (lines.length < 2) return doc;
  const quads = lines.map((line) => line.quad).filter(Boolean);
  const { lowest: _, ...first } = lines[0];
  const lowest = least(lines.map((line) => line.lowest));
  const joined = {
    ...first,
    text: lines.map((line) => line.text).reduce(joinTexts),
    quad: quads.length ? roundQuad(quadAroundAll(quads)) : null,
    confidence: least(lines.map((line) => line.confidence)),
    ...(lowest === null ? {} : { lowest }),
  };
  const rest = removeLines(doc, ids.filter((id) => id !== joined.id));
  return { ...rest, lines: rest.lines.with(indexOf(rest.lines, joined.id), joined) };
}

export function removeLines(doc, ids) {
  const gone = new Set(ids);
  const lines = doc.lines.filter((line) => !gone.has(line.id));
  return lines.length === doc.lines.length ? doc : { ...doc, lines };
}

/** Puts lines behind the line `after`, at the end where there is none, under ids of their own: [document, ids]. */
export function insertCopies(doc, lines, after) {
  const index = indexOf(doc.lines, after);
  const copies = [];
  for (const line of lines) {
    const id = freshId({ lines: [...doc.lines, ...copies] });
    copies.push({ id, text: line.text, quad: line.quad, confidence: null });
  }
  const at = index < 0 ? doc.lines.length : index + 1;
  return [{ ...doc, lines: doc.lines.toSpliced(at, 0, ...copies) }, copies.map((line) => line.id)];
}

/** The lines in the order of `ids`; one that is not named stays behind the one it stood behind. */
export function orderLines(doc, ids) {
  const known = new Map(doc.lines.map((line) => [line.id, line]));
  const lines = ids.map((id) => known.get(id)).filter(Boolean);
  const named = new Set(ids);
  doc.lines.forEach((line, index) => {
    if (named.has(line.id)) return;
    lines.splice(lines.indexOf(doc.lines[index - 1]) + 1, 0, line);
  });
  return lines.every((line, index) => line === doc.lines[index]) ? doc : { ...doc, lines };
}

/**
 * Puts what an engine read in the place of the lines that it replaces, behind the line `after` where it replaces none;
 * `after` null stands for the beginning.
 */
export function spliceLines(doc, { lines, replaces, after }) {
  const known = new Map(doc.lines.map((line) => [line.id, line]));
  const first = doc.lines.findIndex((line) => replaces.includes(line.id));
  const at = first < 0 ? indexOf(doc.lines, after) + 1 : first;
  const gone = new Set(replaces);
  const placed = lines.map((line) => (sameLine(known.get(line.id), line) ? known.get(line.id) : line));
  const kept = (part) => part.filter((line) => !gone.has(line.id));
  const next = [...kept(doc.lines.slice(0, at)), ...placed, ...kept(doc.lines.slice(at))];
  return next.every((line, index) => line === doc.lines[index]) && next.length === doc.lines.length
    ? doc
    : { ...doc, lines: next };
}

/** Gives each of these lines the quad that `change` makes of its own. */
export function changeQuads(doc, ids, change) {
  return linesOf(doc, ids).reduce(
    (next, line) => (line.quad ? setQuad(next, line.id, roundQuad(change(line.quad))) : next),
    doc,
  );
}

/** True where all these lines stand on the document just as they are: pasted there, they would cover themselves. */
export const coversItself = (doc, lines) =>
  lines.every((line) => doc.lines.some((other) => other.text === line.text && samePoints(other.quad, line.quad)));
