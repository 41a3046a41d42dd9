/** Finding text in the page and replacing it: in lines, in fields, and in a whole text that stands for itself. Pure. */

import { byPerson } from "./state.mjs";

/**
 * Places `{kind: "line" | "field" | "text", index, start, end}` of a text, in order; `exact` minds upper and lower
 * case.
 */
export function findAll(doc, needle, { exact = false } = {}) {
  if (needle === "") return [];
  const pattern = new RegExp(escaped(needle), exact ? "gu" : "giu");
  const places = (kind, texts) =>
    texts.flatMap((text, index) =>
      [...(text ?? "").matchAll(pattern)].map((match) => ({
        kind,
        index,
        start: match.index,
        end: match.index + match[0].length,
      })),
    );
  return [
    ...places("line", doc.lines.map((line) => line.text)),
    ...places("field", doc.fields.map((field) => field.value)),
    ...(doc.follows ? [] : places("text", [doc.text])),
  ];
}

const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, (sign) => `\\${sign}`);

/** The document with these places replaced, as they were found in it. */
export function replacePlaces(doc, places, replacement) {
  const of = (kind, index) => places.filter((place) => place.kind === kind && place.index === index);
  const change = (text, kind, index) => of(kind, index).reduceRight((now, place) => put(now, place, replacement), text);
  const touched = (kind) => new Set(places.filter((place) => place.kind === kind).map((place) => place.index));
  const [lines, fields] = [touched("line"), touched("field")];
  return {
    ...doc,
    lines: doc.lines.map((line, at) => (lines.has(at) ? { ...line, text: change(line.text, "line", at) } : line)),
    fields: doc.fields.map((field, at) =>
      fields.has(at) ? byPerson({ ...field, value: change(field.value, "field", at) }) : field,
    ),
    text: change(doc.text, "text", 0),
  };
}

const put = (text, { start, end }, replacement) => text.slice(0, start) + replacement + text.slice(end);
