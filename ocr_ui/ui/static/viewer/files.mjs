/** What Copy and Download give. Making the text is pure; `copyText` and `downloadText` touch the page. */

const FORMULA_START = /^[\s]*[=+\-@\t\r＝＋－＠]/;
const PLAIN_NUMBER = /^[+-]?[\d.,]+%?$/;

/** One cell that no spreadsheet runs as a formula: a leading apostrophe is what they show as text. */
export function csvCell(value) {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** Rows as CSV for spreadsheets: UTF-8 with byte order mark, CRLF, every cell quoted. */
export const csv = (rows) => `\ufeff${rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("")}`;

const corners = ["x1", "y1", "x2", "y2", "x3", "y3", "x4", "y4"];

export function linesCsv(lines) {
  const head = ["number", "text", "confidence", ...corners];
  const rows = lines.map((line, index) => [
    index + 1,
    line.text,
    line.confidence,
    ...(line.quad ? line.quad.flat() : corners.map(() => "")),
  ]);
  return csv([head, ...rows]);
}

export function fieldsCsv(fields) {
  const rows = fields.map((field) => [field.name, field.value, field.value === null ? "yes" : "no", field.confidence]);
  return csv([["name", "value", "absent", "confidence"], ...rows]);
}

/** Exact: every character as it is, no value changed for the eye. */
export const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** A file name from a page's name, safe on every system; `part` says which view. */
export function fileName(pageName, part, extension) {
  const stem = (pageName ?? "").replace(/\.[^.]{1,5}$/, "");
  const safe = stem.replace(/[\\/:*?"<>|\u0000-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, "_").trim();
  return `${safe.replace(/^\.+/, "").slice(0, 80) || "page"}.${part}.${extension}`;
}

const TYPES = { txt: "text/plain", md: "text/markdown", csv: "text/csv", json: "application/json" };

export function downloadText(name, text) {
  const type = TYPES[name.split(".").at(-1)] ?? "text/plain";
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Copies; false where the browser refuses. Pages on plain HTTP have no clipboard object, hence the second way. */
export async function copyText(text, host) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text, host);
  }
}

function copyBySelection(text, host) {
  const focused = document.activeElement;
  const area = Object.assign(document.createElement("textarea"), { value: text, className: "vw-offscreen" });
  host.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  focused?.focus?.({ preventScroll: true });
  return copied;
}
