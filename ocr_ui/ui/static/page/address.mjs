// What the page's address names, so that a reload or a link shows it again.

/** `href` with each of `named` set, or without it where it is null; what is new stands last. */
export function naming(href, named) {
  const address = new URL(href);
  for (const [name, value] of Object.entries(named)) {
    const wanted = value == null ? null : String(value);
    if (address.searchParams.get(name) === wanted) continue;
    address.searchParams.delete(name);
    if (wanted !== null) address.searchParams.set(name, wanted);
  }
  return address.href;
}

/** Changes the page's address, without a step in the browser's history. */
export function nameInAddress(named) {
  const href = naming(location.href, named);
  if (href !== location.href) history.replaceState(history.state, "", href);
}

/** Which of `names` the address was given last; undefined where it has none. */
export const lastNamed = (search, names) => [...new URLSearchParams(search).keys()].findLast((name) => names.includes(name));
