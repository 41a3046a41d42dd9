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

/** `words[key]` with its {placeholders} filled; the key itself where there is no such word. */
export function say(words, key, values = {}) {
  const text = words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** A JSON prop of a component, or `fallback` where it is empty. */
export function parsed(json, fallback) {
  return json ? JSON.parse(json) : fallback;
}
