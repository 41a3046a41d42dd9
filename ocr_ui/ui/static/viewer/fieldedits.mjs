/** Operations on the fields of the document. Pure, as those of `state.mjs`: what changes nothing gives the same document. */

import { quadAroundAll, roundQuad, samePoints } from "./geometry.mjs";
import { setField } from "./state.mjs";
import { joinTexts } from "./text.mjs";

/** What a value can be, in the order in which a key goes through them; the server checks all but the first. */
export const FIELD_KINDS = ["text", "amount", "date", "number", "time", "rate"];

function changeField(doc, index, change) {
  const field = doc.fields[index];
  const next = field && change(field);
  return !field || next === field ? doc : { ...doc, fields: doc.fields.with(index, next) };
}

/** A field keeps its name where the new one is blank. */
export const rename = (doc, index, name) =>
  changeField(doc, index, (field) => (name.trim() === "" || name === field.name ? field : { ...field, name }));

export const setKind = (doc, index, kind) =>
  changeField(doc, index, (field) => (field.kind === kind ? field : { ...field, kind }));

/** The first of `word(1)`, `word(2)`, ... that no field has as its name. */
export function freshName(doc, word) {
  const used = new Set(doc.fields.map((field) => field.name));
  let number = doc.fields.length + 1;
  while (used.has(word(number))) number += 1;
  return word(number);
}

/** An empty field behind the one at `index`, behind all for -1: [document, its index]. */
export function addField(doc, index, name) {
  const at = index < 0 ? doc.fields.length : index + 1;
  const field = { name, value: "", quad: null, confidence: null, kind: "text", alternatives: [] };
  return [{ ...doc, fields: doc.fields.toSpliced(at, 0, field) }, at];
}

export const removeField = (doc, index) =>
  doc.fields[index] ? { ...doc, fields: doc.fields.toSpliced(index, 1) } : doc;

/** Gives a field a box, or none for null. */
export const setPlace = (doc, index, quad) =>
  changeField(doc, index, (field) => (samePoints(field.quad, quad) ? field : { ...field, quad: quad && roundQuad(quad) }));

/**
 * Links a field to lines: it gets their box, or `part` of it where that is given, and their text where it says nothing
 * yet. Lines without a box leave it where it is.
 */
export function linkTo(doc, index, lines, part = null) {
  const field = doc.fields[index];
  if (!field || !lines.length) return doc;
  const quads = lines.map((line) => line.quad).filter(Boolean);
  const quad = part ?? (quads.length ? quadAroundAll(quads) : field.quad);
  const text = lines.map((line) => line.text).reduce(joinTexts);
  return setPlace(field.value ? doc : setField(doc, index, text), index, quad);
}

/** Whether another field has the same name: exports that go by names keep one of them. */
export const isTwice = (doc, index) =>
  doc.fields.some((field, at) => at !== index && field.name === doc.fields[index].name);
