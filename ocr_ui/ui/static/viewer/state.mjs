/**
 * The document that is edited, and every operation on it: pure functions that return a new document and share what
 * did not change, so that views can compare by reference.
 *
 * Document: {lines, fields, tables, regions, text, follows}. `follows` says that the whole text is the lines joined
 * by line feeds; otherwise `text` (Markdown, a translation, an answer) stands for itself and is edited as a whole.
 */

import { samePoints } from "./geometry.mjs";
import { isLow } from "./sureness.mjs";
import { sameTable, tablesOf } from "./tabledoc.mjs";

export const EMPTY = Object.freeze({ lines: [], fields: [], tables: [], regions: [], text: "", follows: true });

export const isRunning = (value) => value?.run?.state === "running";

const joined = (lines) => lines.map((line) => line.text).join("\n");

export const readLine = (line, index) => ({
  id: line.id || `l${index}`,
  text: line.text ?? "",
  quad: line.quad ?? null,
  confidence: line.confidence ?? null,
  ...(line.lowest == null ? {} : { lowest: line.lowest }),
});

const PLAIN = new Set(["spotting", "text", "subtitles", "fields"]);

/** What a model gives for these is Markdown or LaTeX; for the others it is text, in which nothing is marked up. */
export const isMarkup = (task) => !!task && !PLAIN.has(task);

/** The document in a value from the server. Markup stands for itself even where there is none of it yet. */
export function documentOf(value) {
  const lines = (value.lines ?? []).map(readLine);
  const text = value.text ?? "";
  return {
    lines,
    fields: (value.fields ?? []).map((field) => ({ ...field, value: field.value ?? null, quad: field.quad ?? null })),
    tables: value.tables ?? [],
    regions: value.regions ?? [],
    text,
    follows: text.trimEnd() === joined(lines).trimEnd() ? lines.length > 0 || !isMarkup(value.item?.task) : text === "",
  };
}

/** The same as `next`, with the line objects of `old` wherever nothing in them differs. */
export function mergeDocument(old, next) {
  const known = new Map(old.lines.map((line) => [line.id, line]));
  const lines = next.lines.map((line) => (sameLine(known.get(line.id), line) ? known.get(line.id) : line));
  return { ...next, lines };
}

export const sameLine = (a, b) =>
  a === b || (!!a && a.id === b.id && a.text === b.text && sameSure(a, b) && samePoints(a.quad, b.quad));

const sameSure = (a, b) =>
  (a.confidence ?? null) === (b.confidence ?? null) && (a.lowest ?? null) === (b.lowest ?? null);

const sameField = (a, b) =>
  a === b || (a.name === b.name && a.value === b.value && a.kind === b.kind && samePoints(a.quad, b.quad));

const sameRegion = (a, b) => a === b || (a.kind === b.kind && a.text === b.text && samePoints(a.quad, b.quad));

const sameList = (a, b, same) => a === b || (a.length === b.length && a.every((item, index) => same(item, b[index])));

/** True where a person sees no difference between two documents. */
export const sameDocument = (a, b) =>
  a === b ||
  (sameList(a.lines, b.lines, sameLine) &&
    sameList(a.fields, b.fields, sameField) &&
    sameList(a.regions, b.regions, sameRegion) &&
    sameList(a.tables, b.tables, sameTable) &&
    wholeText(a) === wholeText(b));

export const wholeText = (doc) => (doc.follows ? joined(doc.lines) : doc.text);

/** What is stored: the shape of the server's page content. */
export const contentOf = (doc) => ({
  lines: doc.lines,
  regions: doc.regions,
  fields: doc.fields,
  tables: doc.tables,
  text: wholeText(doc),
});

export const indexOf = (lines, id) => (id === null ? -1 : lines.findIndex((line) => line.id === id));

export const lineOf = (doc, id) => doc.lines[indexOf(doc.lines, id)] ?? null;

function changeLine(doc, id, change) {
  const index = indexOf(doc.lines, id);
  if (index < 0) return doc;
  const line = change(doc.lines[index]);
  return sameLine(doc.lines[index], line) ? doc : { ...doc, lines: doc.lines.with(index, line) };
}

export const setText = (doc, id, text) => changeLine(doc, id, (line) => ({ ...line, text }));

export const setQuad = (doc, id, quad) => changeLine(doc, id, (line) => ({ ...line, quad }));

/** Text and box as the model gave them. */
export const restoreLine = (doc, model) =>
  changeLine(doc, model.id, (line) => ({ ...line, text: model.text, quad: model.quad }));

/** Puts a line after the line `after`, at the end where there is none. */
export function insertLine(doc, line, after = null) {
  const index = indexOf(doc.lines, after);
  return { ...doc, lines: doc.lines.toSpliced(index < 0 ? doc.lines.length : index + 1, 0, line) };
}

export function removeLine(doc, id) {
  const index = indexOf(doc.lines, id);
  return index < 0 ? doc : { ...doc, lines: doc.lines.toSpliced(index, 1) };
}

/** Moves a line so that it stands at `to`, counted in the list without it. */
export function moveLine(doc, id, to) {
  const from = indexOf(doc.lines, id);
  const target = Math.min(doc.lines.length - 1, Math.max(0, to));
  if (from < 0 || from === target) return doc;
  return { ...doc, lines: doc.lines.toSpliced(from, 1).toSpliced(target, 0, doc.lines[from]) };
}

/** A field that a person wrote: it has no confidence of the model's. */
export function byPerson({ lowest: _, ...field }) {
  return { ...field, confidence: null };
}

/** `value` null says that the field is absent from the picture, which is not the same as empty: it has no box there. */
export function setField(doc, index, value) {
  const field = doc.fields[index];
  if (!field || field.value === value) return doc;
  const quad = value === null ? null : field.quad;
  return { ...doc, fields: doc.fields.with(index, byPerson({ ...field, value, quad })) };
}

/** Whether the whole text is edited as such: it stands for itself, or no line of it has a place on the picture. */
export const isTextEditable = (doc) => !doc.follows || doc.lines.every((line) => !line.quad);

export function setWholeText(doc, text) {
  if (!isTextEditable(doc) || wholeText(doc) === text) return doc;
  return doc.follows ? linesFrom(doc, text) : { ...doc, text, tables: tablesOf(doc, text) };
}

/**
 * The lines that a text stands for; those whose texts are not touched stay what they are. One line that has line breaks
 * (a formula over several rows) keeps them while it alone is typed into.
 */
function linesFrom(doc, text) {
  const { lines } = doc;
  const ends = (line, at) => text.startsWith(line.text, at) && [undefined, "\n"].includes(text[at + line.text.length]);
  const begins = (line, end) => text.endsWith(line.text, end) && [undefined, "\n"].includes(text[end - line.text.length - 1]);
  let [head, start] = [0, 0];
  while (head < lines.length && start <= text.length && ends(lines[head], start)) start += lines[head++].text.length + 1;
  let [tail, end] = [0, text.length];
  for (let line; (line = lines[lines.length - 1 - tail]) && head + tail < lines.length; tail += 1) {
    if (end - line.text.length < start || !begins(line, end)) break;
    end -= line.text.length + 1;
  }
  const old = lines.slice(head, lines.length - tail);
  const piece = start <= end && text !== "" ? [text.slice(start, end)] : [];
  const texts = old.length === 1 && old[0].text.includes("\n") ? piece : piece.flatMap((part) => part.split("\n"));
  return { ...doc, lines: lines.toSpliced(head, old.length, ...retold(doc, old, texts)) };
}

/** These lines with other texts; further ones are new. */
function retold(doc, old, texts) {
  const made = [];
  for (const [index, text] of texts.entries()) {
    if (old[index]) made.push({ ...old[index], text });
    else made.push({ id: freshId({ lines: [...doc.lines, ...made] }), text, quad: null, confidence: null });
  }
  return made;
}

/** An id that no line of the document has. */
export function freshId(doc) {
  const used = new Set(doc.lines.map((line) => line.id));
  let number = 1;
  while (used.has(`n${number}`)) number += 1;
  return `n${number}`;
}

/** What a person did to a line: "same", "text", "box", "both" or "added". `models` maps ids to the model's lines. */
export function changeOf(line, models) {
  const model = models.get(line.id);
  if (!model) return models.size ? "added" : "same";
  const text = model.text !== line.text;
  const box = !samePoints(model.quad, line.quad);
  if (text && box) return "both";
  if (text) return "text";
  return box ? "box" : "same";
}

/**
 * Whether a person wrote what a line says: no engine has read it so. `readings` maps ids to the texts that engines
 * gave since the first reading. Such a line is locked: no later reading overwrites it.
 */
export function isLocked(line, models, readings) {
  if (line.text.trim() === "" || models.get(line.id)?.text === line.text) return false;
  return !readings.get(line.id)?.has(line.text);
}

/** Lines of the model that are not in the document any more. */
export function deletedLines(doc, models) {
  const kept = new Set(doc.lines.map((line) => line.id));
  return [...models.values()].filter((line) => !kept.has(line.id));
}

/** Below the limit, and not yet corrected by a person. */
export function isUncertain(line, limit, models) {
  if (!isLow(line, limit)) return false;
  const model = models.get(line.id);
  return !model || model.text === line.text;
}

/** The id of the line `step` lines on that passes `wanted`, or null. With nothing selected it starts at the end. */
export function neighbour(lines, id, step, wanted = () => true) {
  const start = indexOf(lines, id);
  let index = start < 0 && step < 0 ? lines.length - 1 : start + step;
  for (; index >= 0 && index < lines.length; index += step) {
    if (wanted(lines[index])) return lines[index].id;
  }
  return null;
}

/** The first line in which two documents differ: where an undo happened. */
export function firstDifference(before, after) {
  const index = after.lines.findIndex((line, at) => line !== before.lines[at]);
  return after.lines[index]?.id ?? null;
}

/** The view in which a person sees how two documents differ, or null where they do not. */
export function viewOfDifference(before, after) {
  if (!sameList(before.lines, after.lines, sameLine)) return "lines";
  if (!sameList(before.fields, after.fields, sameField)) return "fields";
  if (!sameList(before.tables, after.tables, sameTable)) return "tables";
  return wholeText(before) === wholeText(after) ? null : "text";
}

/**
 * What a value from the server means for what is on the screen:
 * "replace": something else is shown now; "merge": the same thing with more or newer content; "messages": the same
 * content, unsaved edits stay; "behind": a newer version was stored elsewhere, unsaved edits stay.
 */
export function arrival(shown, next, { dirty, version }) {
  const page = shown.item?.page?.sha256 ?? null;
  if (page !== (next.item?.page?.sha256 ?? null)) return "replace";
  if (isRunning(shown)) return "merge";
  if ((shown.item?.recognition_id ?? null) !== (next.item?.recognition_id ?? null)) return "replace";
  if (isRunning(next)) return "replace";
  if (!dirty) return "merge";
  return (next.version ?? 0) > version ? "behind" : "messages";
}

/** The view that shows a result best. */
export function bestView(value) {
  if (value.fields?.length) return "fields";
  if (value.text && ["formula", "document"].includes(value.item?.task)) return "text";
  if (value.lines?.length) return "lines";
  if (value.html || value.tables?.length) return "rendered";
  return value.text ? "text" : "lines";
}
