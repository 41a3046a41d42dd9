/** Unsaved edits, kept in the browser until they are stored on the server. One draft a recognition and version. */

const PREFIX = "workbench.draft.";

const keyOf = (recognition, version) => `${PREFIX}${recognition}.${version}`;

export class Drafts {
  /** @param {Kept} kept */
  constructor(kept) {
    this.kept = kept;
  }

  /** Returns false where the browser has no room or forbids storing: the caller must warn before leaving. */
  put(recognition, version, draft) {
    return this.kept.putValue(keyOf(recognition, version), draft);
  }

  /** The newest draft of a recognition as {version, draft}, or null. */
  find(recognition) {
    const versions = this.#versions(recognition);
    const found = versions.map((version) => ({ version, draft: this.kept.value(keyOf(recognition, version)) }));
    return found.filter((entry) => entry.draft).sort((a, b) => b.draft.time - a.draft.time)[0] ?? null;
  }

  drop(recognition, version) {
    this.kept.drop(keyOf(recognition, version));
  }

  dropAll(recognition) {
    for (const version of this.#versions(recognition)) this.drop(recognition, version);
  }

  #versions(recognition) {
    const start = `${PREFIX}${recognition}.`;
    return this.kept.keys(start).map((key) => Number(key.slice(start.length)));
  }
}
