// Small helpers that every module of the page uses. Text always goes through textContent.

/** A new element with attributes, properties (`textContent`, `onclick`) and children. */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name in node && (typeof value === "function" || name === "textContent" || name === "value")) node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Writes a text only where it differs: what is read aloud, selected or streamed is left alone. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A list's entries, one a text, changed in place. */
export function setEntries(list, texts) {
  while (list.children.length > texts.length) list.lastElementChild.remove();
  for (const [place, text] of texts.entries()) setText(list.children[place] ?? list.appendChild(make("li")), text);
}

/** `words[key]`, for one (`n`) `words[key_one]` where there is one, its {placeholders} filled; else the key itself. */
export function say(words, key, values = {}) {
  const text = (String(values.n) === "1" && words[`${key}_one`]) || (words[key] ?? key);
  return fillIn(text, (name) => values[name]);
}

/** `text` with its {placeholders} filled by `valueOf(name)`; {pages|page|pages} is the number with the word for it. */
export function fillIn(text, valueOf) {
  return text.replace(/\{(\w+)(?:\|([^{}|]*)\|([^{}|]*))?\}/g, (whole, name, one, many) => {
    const value = valueOf(name) ?? null;
    if (value === null) return whole;
    return one === undefined ? String(value) : `${value} ${String(value) === "1" ? one : many}`;
  });
}

/** A JSON prop of a component, or `fallback` where it is empty. */
export function parsed(json, fallback) {
  return json ? JSON.parse(json) : fallback;
}

/** The style sheet at an address, once a page; resolves when it is there, so that nothing jumps. */
export function styleSheet(address) {
  const { href } = new URL(address);
  if ([...document.styleSheets].some((sheet) => sheet.href === href)) return undefined;
  return new Promise((resolve, reject) => {
    const link = make("link", { rel: "stylesheet", href });
    link.onload = resolve;
    link.onerror = () => reject(new Error(`no style sheet at ${href}`));
    document.head.append(link);
  });
}

/** The style sheets that stand beside a module or are named from it. */
export const styleSheets = (module, ...files) => Promise.all(files.map((file) => styleSheet(new URL(file, module))));
