import { Kept } from "../../ocr_ui/ui/static/page/kept.mjs";

/** A browser's storage, as far as the page uses it; texts longer than `room` are refused. */
export class FakeStorage {
  items = new Map();
  constructor(room = Infinity) {
    this.room = room;
  }
  get length() {
    return this.items.size;
  }
  key(index) {
    return [...this.items.keys()][index];
  }
  getItem(key) {
    return this.items.get(key) ?? null;
  }
  setItem(key, text) {
    if (text.length > this.room) throw new Error("QuotaExceededError");
    this.items.set(key, text);
  }
  removeItem(key) {
    this.items.delete(key);
  }
}

export const keptIn = (storage) => new Kept(() => storage);

/** Of a browser that forbids storing. */
export const keptNowhere = new Kept(() => {
  throw new Error("SecurityError");
});
