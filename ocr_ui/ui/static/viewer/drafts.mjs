/** Unsaved edits, kept in the browser until they are stored on the server. One draft a recognition and version. */

const PREFIX = "workbench.draft.";

const keyOf = (recognition, version) => `${PREFIX}${recognition}.${version}`;

export class Drafts {
  /** @param {Storage} storage */
  constructor(storage) {
    this.storage = storage;
  }

  /** Returns false where the browser has no room or forbids storing: the caller must warn before leaving. */
  put(recognition, version, draft) {
    try {
      this.storage.setItem(keyOf(recognition, version), JSON.stringify(draft));
      return true;
    } catch {
      return false;
    }
  }

  /** The newest draft of a recognition as {version, draft}, or null. */
  find(recognition) {
    const versions = this.#versions(recognition);
    const found = versions.map((version) => ({ version, draft: this.#read(recognition, version) }));
    return found.filter((entry) => entry.draft).sort((a, b) => b.draft.time - a.draft.time)[0] ?? null;
  }

  drop(recognition, version) {
    try {
      this.storage.removeItem(keyOf(recognition, version));
    } catch {
      // A browser that forbids storing has nothing to remove either.
    }
  }

  dropAll(recognition) {
    for (const version of this.#versions(recognition)) this.drop(recognition, version);
  }

  #versions(recognition) {
    const start = `${PREFIX}${recognition}.`;
    try {
      const keys = Array.from({ length: this.storage.length }, (_, index) => this.storage.key(index));
      return keys.filter((key) => key.startsWith(start)).map((key) => Number(key.slice(start.length)));
    } catch {
      return [];
    }
  }

  #read(recognition, version) {
    try {
      return JSON.parse(this.storage.getItem(keyOf(recognition, version)));
    } catch {
      return null;
    }
  }
}
