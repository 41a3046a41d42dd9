/**
 * Drafts on the server's disk: what is typed is sent within a second, the newest state of a page only, and again while
 * no answer comes. Beside `Drafts`, which keeps them in this browser even while there is no connection.
 */

import { delayBefore, pause } from "./save.mjs";

export class KeptDrafts {
  /**
   * @param {object} parts
   * @param {string} parts.browser names this browser
   * @param {() => string} parts.person
   * @param {(state: "kept" | "here", draft: object | null) => void} parts.tell
   */
  constructor({ api, browser, person, tell = () => {}, wait = pause }) {
    Object.assign(this, { api, browser, person, tell, wait });
    this.wanted = new Map();
    this.known = new Set(); // places of which the server has a draft
    this.hurry = () => {}; // ends the wait before the next try
  }

  put(recognition, second, version, draft) {
    this.#want({ recognition, second, version, draft });
  }

  /** Forgets a draft that this page has put or found. */
  drop(recognition, second) {
    if (this.known.has(placeOf(recognition, second))) this.forget(recognition, second);
  }

  /** Forgets a draft, whoever put it. */
  forget(recognition, second) {
    this.#want({ recognition, second, version: 0, draft: null });
  }

  /** The newest draft of this browser or person as {version, draft}, or null, also where the server does not answer. */
  async find(recognition, second) {
    const query = new URLSearchParams({ browser: this.browser, person: this.person(), second: !!second });
    try {
      const { draft, base_version: version } = await this.api.get(`/v1/items/${recognition}/draft?${query}`);
      if (draft) this.known.add(placeOf(recognition, second));
      return draft && { version, draft };
    } catch {
      return null;
    }
  }

  #want(one) {
    const place = placeOf(one.recognition, one.second);
    this.wanted.set(place, one);
    this.known.add(place);
    if (this.away) this.tell("here", one.draft);
    if (!this.sending) this.sending = this.#send().finally(() => (this.sending = null));
  }

  async #send() {
    for (let failed = 0; this.wanted.size; ) {
      const [place, one] = this.wanted.entries().next().value;
      const kept = await this.#sent(one);
      failed = kept === null ? failed + 1 : 0;
      if (kept !== null && this.wanted.get(place) === one) this.wanted.delete(place);
      if (kept && !one.draft) this.known.delete(place);
      this.away = kept === null;
      if (kept !== null) this.tell(kept ? "kept" : "here", one.draft);
      else await this.#pass(failed);
    }
  }

  async #pass(failed) {
    for (const { draft } of this.wanted.values()) this.tell("here", draft);
    await Promise.race([this.wait(delayBefore(failed)), new Promise((resolve) => (this.hurry = resolve))]);
  }

  /** Whether the server has taken it; null where trying again makes sense. */
  async #sent({ recognition, second, version, draft }) {
    const body = { browser: this.browser, person: this.person(), second: !!second, base_version: version, draft };
    try {
      await this.api.post(`/v1/items/${recognition}/draft`, body);
      return true;
    } catch (failure) {
      if (failure.passes) return null;
      console.warn("The server does not keep this draft:", failure.message); // the browser has it
      return false;
    }
  }
}

const placeOf = (recognition, second) => `${recognition}${second ? "s" : ""}`;
