/**
 * Saves on their way to the server. Each is kept in the browser until it is answered, and they are sent one after the
 * other in the order in which they were made; while no answer comes, again and again with the same `client_key`, also
 * after the page was loaded anew. Sent twice, by two tabs say, a save still counts once.
 */

import { ownInBrowser } from "../page/kept.mjs";
import { randomKey } from "../page/random.mjs";
import { pause, Saver } from "./save.mjs";

const PREFIX = "workbench.outbox.";

let shared = null;

/** The one of this page: the viewer of the Read tab and that of the desk send through the same. */
export function sharedOutbox(api) {
  if (!shared) {
    shared = new Outbox({ kept: ownInBrowser, post: (path, body) => api.post(path, body) });
    window.addEventListener("online", () => shared.hurry());
  }
  return shared;
}

export class Outbox {
  /**
   * @param {object} parts
   * @param {Kept} parts.kept
   * @param {(path: string, body: object) => Promise<object>} parts.post answers, or throws a Failure
   */
  constructor({ kept, post, wait = pause, now = Date.now, newKey = () => randomKey() }) {
    Object.assign(this, { kept, post, wait, now, newKey });
    this.listeners = new Set();
    this.stuck = false;
    this.count = 0;
    this.entries = this.#left();
    this.ended = this.#run();
  }

  /** `listener` gets {type: "state", entry, state} and {type: "outcome", entry, outcome}, see `Saver`. */
  listen(listener, signal) {
    this.listeners.add(listener);
    signal?.addEventListener("abort", () => this.listeners.delete(listener));
  }

  /**
   * Takes a save.
   * @param {object} save {path, body, recognition} and whatever its listeners want to know again
   * @returns {object} the entry: `outcome` as of `Saver.save`; `handled` is the same, but null as soon as the save has
   *   to wait and is safe in the browser
   */
  add(save) {
    const id = `${String(this.now()).padStart(15, "0")}.${String((this.count += 1)).padStart(6, "0")}.${this.newKey()}`;
    const before = this.pending(save.recognition);
    const body = { ...save.body, client_key: save.body.client_key ?? this.newKey() };
    const entry = this.#entry({ ...save, id, body, after: before?.body.client_key ?? null });
    this.entries.push(entry);
    this.#keep(entry);
    if (this.stuck) this.#mayGoOn(entry);
    if (!this.running) this.ended = this.#run();
    return entry;
  }

  /** The newest save of an item that is not answered yet. */
  pending(recognition) {
    return this.entries.findLast((entry) => entry.recognition === recognition) ?? null;
  }

  /** Tries at once instead of at the end of the waiting time. */
  hurry() {
    this.saver?.hurry();
  }

  /** Resolves when all saves are answered, or those of one item. */
  async idle(recognition = null) {
    for (;;) {
      const entry = recognition === null ? this.entries.at(-1) : this.pending(recognition);
      if (!entry) return;
      await entry.outcome;
    }
  }

  #entry(data) {
    let resolve, handle;
    const outcome = new Promise((done) => (resolve = done));
    const handled = new Promise((done) => (handle = done));
    const entry = { ...data };
    // What is not data is not kept.
    const live = { outcome, resolve, handled, handle, kept: false };
    for (const [name, value] of Object.entries(live)) Object.defineProperty(entry, name, { value, writable: true });
    return entry;
  }

  #keep(entry) {
    entry.kept = this.kept.putValue(PREFIX + entry.id, entry); // where not, whoever waits for it goes on waiting
  }

  #mayGoOn(entry) {
    if (entry.kept) entry.handle(null);
  }

  /** What a page that went away has left. */
  #left() {
    const left = this.kept.keys(PREFIX).sort().map((key) => this.kept.value(key));
    return left.filter(Boolean).map((data) => this.#entry({ ...data, left: true }));
  }

  async #run() {
    this.running = true;
    while (this.entries.length) {
      const [entry] = this.entries;
      this.saver = new Saver({
        send: (body) => this.post(entry.path, body),
        wait: this.wait,
        tell: (state) => this.#state(entry, state),
      });
      this.#answered(entry, await this.saver.save(entry.body));
    }
    this.running = false;
  }

  #state(entry, state) {
    if (state.phase === "waiting") {
      this.stuck = true;
      for (const one of this.entries) this.#mayGoOn(one);
    }
    this.#tell({ type: "state", entry, state });
  }

  #answered(entry, outcome) {
    this.stuck = false;
    this.entries.shift();
    this.kept.drop(PREFIX + entry.id);
    if (outcome.kind === "saved") this.#follow(entry, outcome.answer);
    this.#tell({ type: "outcome", entry, outcome });
    entry.resolve(outcome);
    entry.handle(outcome);
  }

  /** A save that was made on top of one under way has that one's version as its base. */
  #follow(entry, { version, revision = null }) {
    for (const next of this.entries.filter((one) => one.after === entry.body.client_key)) {
      if (!("base_version" in next.body)) continue;
      next.body = { ...next.body, base_version: version ?? next.body.base_version, base_revision: revision };
      this.#keep(next);
    }
  }

  #tell(event) {
    for (const listener of this.listeners) listener(event);
  }
}
