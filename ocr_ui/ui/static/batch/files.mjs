// The files of a batch before they are sent: dropped folders walked through, and sent in parts.

const PART_BYTES = 32_000_000;
const PART_FILES = 50;
const JUNK = /^(\.DS_Store|Thumbs\.db|desktop\.ini|\._.*)$/i;

/** What was dropped, with the folders it lies in: [{path, file}]. */
export async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return chosen(transfer.files);
  const found = [];
  for (const entry of entries) await walk(entry, found);
  return found.filter(({ file }) => !JUNK.test(file.name));
}

/** What a file field holds; of a folder the paths within it. */
export function chosen(list) {
  const files = [...list].filter((file) => !JUNK.test(file.name));
  return files.map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

async function walk(entry, found) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    found.push({ path: entry.fullPath.replace(/^\//, ""), file });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    // A reader gives at most a hundred entries at once.
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return;
    for (const one of some) await walk(one, found);
  }
}

/** Those that are new, by their paths. */
export function added(files, more) {
  const known = new Set(files.map(({ path }) => path));
  return [...files, ...more.filter(({ path }) => !known.has(path) && known.add(path))];
}

export const sizeOf = (files) => files.reduce((sum, { file }) => sum + file.size, 0);

/** Files in the order given, in parts that one request each may carry. */
export function inParts(files, mostBytes = PART_BYTES, mostFiles = PART_FILES) {
  const parts = [];
  let size = 0;
  for (const one of files) {
    const last = parts.at(-1);
    if (!last || last.length >= mostFiles || size + one.file.size > mostBytes) {
      parts.push([one]);
      size = one.file.size;
    } else {
      last.push(one);
      size += one.file.size;
    }
  }
  return parts;
}
