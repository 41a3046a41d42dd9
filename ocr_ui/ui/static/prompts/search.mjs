/** Which templates a search finds. Pure. */

const plain = (text) => text.normalize("NFKC").toLowerCase();

/** Those that hold every word of the search, in their name, titles, descriptions, wording or tags. */
export function found(templates, search) {
  const words = plain(search).split(/\s+/).filter(Boolean);
  return templates.filter((one) => {
    const all = plain([one.name, ...Object.values(one.title), ...Object.values(one.description), one.text, ...(one.tags ?? [])].join("\n"));
    return words.every((word) => all.includes(word));
  });
}
