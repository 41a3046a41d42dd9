/** Lines that a person has found right as the model read them, kept in this tab so that a reload asks about none twice. */

const PREFIX = "workbench.accepted.";

export class Acceptance {
  /** @param {Kept} kept */
  constructor(kept) {
    this.kept = kept;
  }

  put(recognition, ids) {
    this.kept.putValue(PREFIX + recognition, [...ids]);
  }

  of(recognition) {
    return new Set(this.kept.value(PREFIX + recognition));
  }
}
