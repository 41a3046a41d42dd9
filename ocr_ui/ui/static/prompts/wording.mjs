/** What stands in a wording: its blanks, how it differs from another one, and which official one it is near. Pure. */

import { listDiff } from "../review/linediff.mjs";

const BRACED = /\{\{[^{}\n]*\}\}|\{[a-z_][a-z0-9_]*\}/g;
const BLANK = /^\{\{\s*([a-z_][a-z0-9_]*)\s*\}\}$/; // as ocr_ui/domain/prompt.py has it
const PIECE = /\{\{[^{}\n]*\}\}|[\p{Script=Han}]|[\p{L}\p{N}_]+|\s+|./gsu;
const HAN = /\p{Script=Han}/gu;
const isHan = (text) => /\p{Script=Han}/u.test(text.replace(BRACED, ""));
const LETTER = /\p{L}/gu;

/** Tasks in which the wording is somebody's own question: no wording is official. */
const FREE = ["qa"];

/** As ocr_ui/services/templates.py has it: below that what two wordings share is chance. */
const ALIKE = 0.2;

/** The wording in pieces {text, kind, name}: "text", "known" and "unknown" blanks, and "odd" ones that look like one. */
export function pieces(text, known) {
  const found = [];
  let end = 0;
  const plain = (upTo) => upTo > end && found.push({ text: text.slice(end, upTo), kind: "text", name: "" });
  for (const match of text.matchAll(BRACED)) {
    plain(match.index);
    const name = BLANK.exec(match[0])?.[1] ?? "";
    const kind = !name ? "odd" : known.includes(name) ? "known" : "unknown";
    found.push({ text: match[0], kind, name });
    end = match.index + match[0].length;
  }
  plain(text.length);
  return found;
}

/** What is to be said of a wording: {code, name}. "empty" and "unknown" keep it from being saved. */
export function remarks(text, variables) {
  const found = pieces(text, variables.map(({ name }) => name));
  const each = (kind, key) => [...new Set(found.filter((one) => one.kind === kind).map((one) => one[key]))];
  const used = each("known", "name");
  return [
    ...(text.trim() ? [] : [{ code: "empty", name: "" }]),
    ...each("unknown", "name").map((name) => ({ code: "unknown", name })),
    ...each("odd", "text").map((name) => ({ code: "odd", name })),
    ...variables.filter(({ name }) => name && !used.includes(name)).map(({ name }) => ({ code: "unused", name })),
  ];
}

/** How one wording became another: {kind: "same" | "removed" | "added", text}, neighbours of one kind as one. */
export function textDiff(before, after) {
  const joined = [];
  for (const { kind, text } of listDiff(...[before, after].map((one) => one.match(PIECE) ?? []))) {
    if (joined.at(-1)?.kind === kind) joined.at(-1).text += text;
    else joined.push({ kind, text });
  }
  return joined;
}

/** What differs between two versions beside the text: {key, before, after}, with "" for what is not there. */
export function settingChanges(before, after) {
  const changes = [];
  const note = (key, one, other) => one !== other && changes.push({ key, before: one, after: other });
  note("task", before.task, after.task);
  note("structured", String(!!before.structured), String(!!after.structured));
  for (const key of new Set([...Object.keys(before.sampling), ...Object.keys(after.sampling)])) {
    note(key, String(before.sampling[key] ?? ""), String(after.sampling[key] ?? ""));
  }
  const told = ({ variables }) => variables.map(variableText).join("; ");
  note("variables", told(before), told(after));
  return changes;
}

function variableText({ name, default: value, many, options = [] }) {
  const parts = [many ? "[]" : "", value === null ? "" : ` = ${value}`];
  const choices = options.map((one) => (one.text === null ? one.value : `${one.value} → ${one.text}`));
  return `${name}${parts.join("")}${choices.length ? ` (${choices.join(", ")})` : ""}`;
}

const bare = (text) => text.replace(/\{\{[^{}\n]*\}\}/g, "{{}}").trim();

/**
 * The official wording for the same task that is nearest: {name, title, text, variables, same}; null where none is
 * official. What the blanks are called makes no difference.
 */
export function nearest(text, task, official) {
  if (FREE.includes(task)) return null;
  const some = official.filter((one) => one.task === task);
  const likeness = (one) => {
    const shared = textDiff(bare(one.text), bare(text)).filter(({ kind }) => kind === "same");
    const alike = (2 * shared.reduce((sum, part) => sum + part.text.length, 0)) / (one.text.length + text.length || 1);
    return (isHan(one.text) === isHan(text)) + (alike >= ALIKE ? alike : 0);
  };
  const [best] = some.map((one) => ({ ...one, likeness: likeness(one) })).sort((a, b) => b.likeness - a.likeness);
  return best ? { ...best, same: bare(best.text) === bare(text) } : null;
}

/** "zh" for a wording with more than a few Chinese characters, else "en". */
export function languageOf(text) {
  const count = (pattern) => text.match(pattern)?.length ?? 0;
  return count(HAN) * 4 > count(LETTER) ? "zh" : "en";
}

/** The template that says the same in the other language, by its name: `fields` and `fields_en`; "" where none does. */
export function partnerOf(name, names) {
  const base = name.replace(/_(en|zh)$/, "");
  const wanted = name === base ? [`${name}_en`, `${name}_zh`] : [base, `${base}_${name.endsWith("_en") ? "zh" : "en"}`];
  return wanted.find((one) => names.includes(one)) ?? "";
}

/** A name for the wording in the other language, and for a copy: not taken, short enough. */
export const partnerName = (name, text) => `${name.replace(/_(en|zh)$/, "").slice(0, 38)}_${languageOf(text) === "zh" ? "en" : "zh"}`;

export function copyName(name, names) {
  for (let number = 2; ; number += 1) {
    const made = `${name.slice(0, 36)}_${number}`;
    if (!names.includes(made)) return made;
  }
}

/** The values of a list that is pasted: one a line. */
export const pastedValues = (text) => text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);

/** Variables as they are saved: without the rows of choices in which nothing was typed. */
export function withoutBlankChoices(variables) {
  const isTyped = ({ value, text, label }) => value.trim() || text || Object.values(label).some((word) => word.trim());
  return variables.map(({ options, ...variable }) => ({ ...variable, choices: options.filter(isTyped).map((one) => ({ ...one, value: one.value.trim() })) }));
}
