/** What the browser keeps for the page. Where it forbids storing, or has no room, nothing is kept and nothing fails. */

import { scoped } from "./own.mjs";

export class Kept {
  /** @param {() => Storage} storage may throw where the browser forbids storing */
  constructor(storage) {
    this.storage = storage;
  }

  /** Empty where there is none. */
  text(key) {
    return this.#tried((storage) => storage.getItem(key)) ?? "";
  }

  /** What was put as a value; null where there is none, or nothing that can be read. */
  value(key) {
    return this.#tried((storage) => JSON.parse(storage.getItem(key)));
  }

  /** Gives whether it is kept now. */
  putText(key, text) {
    return this.#tried((storage) => (storage.setItem(key, text), true)) ?? false;
  }

  /** As `putText`, for what JSON can say. */
  putValue(key, value) {
    return this.putText(key, JSON.stringify(value));
  }

  drop(key) {
    this.#tried((storage) => storage.removeItem(key));
  }

  /** All keys that begin so. */
  keys(start) {
    const all = this.#tried((storage) => Array.from({ length: storage.length }, (_, index) => storage.key(index)));
    return (all ?? []).filter((key) => key.startsWith(start));
  }

  #tried(act) {
    try {
      return act(this.storage());
    } catch {
      return null;
    }
  }
}

export const inBrowser = new Kept(() => localStorage);
/** Until the tab is closed. */
export const inTab = new Kept(() => sessionStorage);
/** The same for what is the account's own, see `own.mjs`. */
export const ownInBrowser = new Kept(() => scoped(localStorage));
export const ownInTab = new Kept(() => scoped(sessionStorage));
