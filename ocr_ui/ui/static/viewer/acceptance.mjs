/** Lines that a person has found right as the model read them, kept in this tab so that a reload asks about none twice. */

const PREFIX = "workbench.accepted.";

export class Acceptance {
  /** @param {() => Storage} storage may throw where the browser forbids storing */
  constructor(storage) {
    this.storage = storage;
  }

  put(recognition, ids) {
    try {
      this.storage().setItem(PREFIX + recognition, JSON.stringify([...ids]));
    } catch {
      // No room: they hold until the page is left.
    }
  }

  of(recognition) {
    try {
      return new Set(JSON.parse(this.storage().getItem(PREFIX + recognition)));
    } catch {
      return new Set();
    }
  }
}
