/** The keys as this person has them: the table of `keys.mjs` and what was changed, kept in the browser by name. */

import { inBrowser } from "../page/kept.mjs";
import { PERSON_KEY, personOf } from "../page/person.mjs";
import { chord, keyNames, KEYS, MERGE_KEYS, shortName } from "./keys.mjs";

const PREFIX = "workbench.keys.";
const ROWS = [...KEYS, ...MERGE_KEYS];
const BY_ACTION = new Map(ROWS.map((row) => [row.action, row]));

/** Keys that a browser keeps for itself or for going about the page. */
const BROWSERS_OWN = /^(Ctrl\+(Shift\+)?[WTN]|Ctrl\+(Shift\+)?Tab|Alt\+F4|F11|(Shift\+)?Tab|Escape)$/;
/** What types, moves the cursor or uses the clipboard while a text is open. */
const TYPES = /^((Shift\+)?(.|Backspace|Delete|Arrow\w+|Home|End|Space)|Ctrl\+[ACVX])$/;

/** Where the keys of a row mean something: two rows that share a place cannot share a key. */
function placesOf({ scope = "merge", group, action }) {
  if (scope === "any") return group === "queue" ? ["view", "text", "merge"] : ["view", "text"];
  if (scope === "native") return ["view", "text", "grid", "cell", "field"];
  return group === "queue" || action === "help" ? [scope, "merge"] : [scope];
}

const meet = (one, other) => placesOf(one).some((place) => placesOf(other).includes(place));

export class Keymap {
  /**
   * @param {Kept} parts.kept
   * @param {() => string} parts.person whose keys these are
   */
  constructor({ kept = inBrowser, person = personOf } = {}) {
    Object.assign(this, { kept, person });
    this.listeners = new Set();
    this.whose = null;
  }

  /** Changes by action: the keys that it has instead of those of the table. */
  get #own() {
    const person = this.person();
    if (person !== this.whose) Object.assign(this, { whose: person, own: this.#read(person) });
    return this.own;
  }

  #read(person) {
    const isText = (key) => typeof key === "string";
    const valid = ([action, keys]) => BY_ACTION.has(action) && Array.isArray(keys) && keys.every(isText);
    return new Map(Object.entries(this.kept.value(PREFIX + person) ?? {}).filter(valid));
  }

  #keep() {
    if (this.own.size) this.kept.putValue(PREFIX + this.whose, Object.fromEntries(this.own));
    else this.kept.drop(PREFIX + this.whose);
    this.#tell();
  }

  #tell() {
    for (const listener of this.listeners) listener();
  }

  /** `listener` is called when any key has changed. */
  listen(listener, signal) {
    this.listeners.add(listener);
    signal?.addEventListener("abort", () => this.listeners.delete(listener));
  }

  /** Somebody else is at work here now, or another tab has changed keys. */
  reload() {
    const before = JSON.stringify([...(this.own ?? [])]);
    this.whose = null;
    if (JSON.stringify([...this.#own]) !== before) this.#tell();
  }

  keysOf(action) {
    return this.#own.get(action) ?? BY_ACTION.get(action)?.keys ?? [];
  }

  isChanged(action) {
    return this.#own.has(action);
  }

  get hasChanges() {
    return this.#own.size > 0;
  }

  /** The action that a key event asks for in a scope, or null. */
  actionOf(event, scope) {
    const key = chord(event);
    const scopes = ["view", "text"].includes(scope) ? [scope, "any"] : [scope];
    const own = this.#own; // read once: whose keys they are stands in the browser's storage
    const has = (row) => (own.get(row.action) ?? row.keys).includes(key);
    return ROWS.find((row) => scopes.includes(row.scope ?? "merge") && has(row))?.action ?? null;
  }

  /** Actions that have this key already where `action` would have it. */
  conflicts(action, key) {
    const mine = BY_ACTION.get(action);
    const others = ROWS.filter((row) => row !== mine && meet(row, mine) && this.keysOf(row.action).includes(key));
    return others.map((row) => row.action);
  }

  /** Why an action cannot have a key, as a word of the page, or null. */
  refusal(action, key) {
    const row = BY_ACTION.get(action);
    const places = placesOf(row);
    if (BROWSERS_OWN.test(key) && !row.keys.includes(key)) return "key_browser";
    if (places.some((place) => ["text", "cell"].includes(place)) && TYPES.test(key)) return "key_types";
    return this.conflicts(action, key).some((other) => BY_ACTION.get(other).scope === "native") ? "key_native" : null;
  }

  /** Gives an action the key `to` in the place of `from`, as one more where that is null; others lose it. */
  change(action, from, to) {
    for (const other of this.conflicts(action, to)) this.#set(other, this.keysOf(other).filter((key) => key !== to));
    const keys = this.keysOf(action);
    const at = keys.indexOf(from);
    this.#set(action, [...new Set(at < 0 ? [...keys, to] : keys.with(at, to))]);
    this.#keep();
  }

  /** The keys of the table again, of one action or of all; another action that has one of them loses it. */
  reset(action = null) {
    const own = this.#own;
    if (action === null) own.clear();
    else {
      own.delete(action);
      for (const key of this.keysOf(action))
        for (const other of this.conflicts(action, key)) this.#set(other, this.keysOf(other).filter((one) => one !== key));
    }
    this.#keep();
  }

  #set(action, keys) {
    const { keys: usual } = BY_ACTION.get(action);
    if (keys.length === usual.length && keys.every((key, index) => key === usual[index])) this.#own.delete(action);
    else this.#own.set(action, keys);
  }
}

export const keymap = new Keymap();

/** The action that a key event asks for in a scope, or null. */
export const actionOf = (event, scope) => keymap.actionOf(event, scope);

/** The first key of an action in one word, for the title of its button; empty where it has none. */
export function keyHint(action) {
  const [key] = keymap.keysOf(action);
  return key ? keyNames(key).join("+") : "";
}

/** The same in few letters. */
export function shortHint(action) {
  const [key] = keymap.keysOf(action);
  return key ? shortName(key) : "";
}

if (globalThis.window) {
  window.addEventListener("storage", ({ key }) => (key === PERSON_KEY || key?.startsWith(PREFIX)) && keymap.reload());
  document.addEventListener("workbench:person", () => keymap.reload());
}
