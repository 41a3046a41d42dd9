/**
 * One person's way through a list: which item is next, claimed for this tab before it is shown and loaded ahead while
 * another is being worked on. Knows nothing of the page.
 */

const CANDIDATES = 200;

/** What the list's filters mean for a way of working: "first", "blind", "visible" or "disputes". */
export function queryOf(mode, query, person) {
  const { review: _, reviews: __, ...rest } = query;
  if (mode === "disputes") return { ...rest, reviews: ["disputed"] };
  if (mode !== "first") return { ...rest, reviews: ["one"], not_reviewers: [person] };
  return query.state || query.states ? query : { ...query, states: ["pending", "in_progress"] };
}

/** The address of the queue; lists become several values of one name. */
export function queueAddress(query, sort, person, now = new Date()) {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const values = new URLSearchParams({ sort, person, since_today: midnight.toISOString() });
  for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) values.append(name, one);
  return `/v1/queue?${values}`;
}

export class Session {
  /**
   * @param {object} parts
   * @param {object} parts.api get and post, see `viewer/api.mjs`
   * @param {(body: object) => Promise<object>} parts.giveBack sends once
   * @param {string} parts.holder names this tab
   * @param {() => Promise<string[]>} parts.desks holders that are at work in this browser
   * @param {() => string} parts.person
   * @param {(id: number) => Promise<object>} parts.load what is shown of an item
   * @param {(value: object) => Promise<void>} parts.preload resolves once its picture can be drawn
   */
  constructor({ api, giveBack, holder, desks = async () => [], person, query, sort, load, preload }) {
    Object.assign(this, { api, giveBack, holder, desks, person, query, sort, load, preload });
    this.trail = [];
    this.at = -1;
    this.seen = new Set();
    this.cursor = 0;
    this.loaded = null;
    this.passed = null; // in the second round: those that are still not free
    this.ahead = null;
  }

  async start() {
    const line = await this.api.get(queueAddress(this.query, this.sort, this.person()));
    this.#line(line.items, line.total);
    return line;
  }

  #line(ids, total) {
    this.ids = ids;
    this.total = total;
    this.places = new Map(ids.map((id, index) => [id, index + 1]));
  }

  /** Where this way through the list stands, as plain data for `resume`. */
  get place() {
    const { ids, total, trail, at } = this;
    return { ids, total, trail, at };
  }

  /** Goes on at a place: the item that was shown there, as it is now; null where the list had ended. */
  async resume({ ids, total, trail, at }) {
    this.#line(ids, total);
    Object.assign(this, { trail, at, seen: new Set(trail) });
    this.cursor = Math.max(0, ...trail.map((id) => this.places.get(id)));
    if (this.current === null) return this.next();
    const found = await this.#again(at);
    this.#lookAhead();
    return found;
  }

  get current() {
    return this.trail[this.at] ?? null;
  }

  get hasPrevious() {
    return this.at > 0;
  }

  /** Items that this tab has: the one that is shown and the one that is loaded ahead. */
  get held() {
    return [this.current, this.loaded].filter(Boolean);
  }

  /** The item after the one that is shown: {id, number, value, until}; null where nothing is left. */
  async next() {
    if (this.at < this.trail.length - 1) return this.#again(this.at + 1);
    const found = await (this.ahead ?? this.#find());
    this.ahead = null;
    this.loaded = null;
    if (!found) {
      this.at = this.trail.length; // behind the last one, which is the previous one now
      return null;
    }
    this.trail.push(found.id);
    this.at = this.trail.length - 1;
    this.#lookAhead();
    return found;
  }

  #lookAhead() {
    this.ahead = this.#find();
    this.ahead.catch(() => (this.ahead = null)); // asked for again when it is needed
  }

  async previous() {
    return this.hasPrevious ? this.#again(this.at - 1) : null;
  }

  /** An item that was shown before, as it is now; readonly with `taken` where somebody else has it. */
  async #again(at) {
    const id = this.trail[at];
    const { item, until } = await this.#take([id], null);
    const taken = item === null ? await this.api.get(`/v1/items/${id}/claim`) : null;
    const value = await this.load(id);
    this.at = at;
    return { id, number: this.places.get(id), value: taken ? { ...value, readonly: true } : value, taken, until };
  }

  async #take(items, query) {
    const asked = { holder: this.holder, person: this.person(), alive: await this.desks() };
    return this.api.post("/v1/queue/take", { ...asked, items, query });
  }

  async #find() {
    for (;;) {
      const candidates = this.#candidates();
      if (!candidates.length) return null;
      const { item: id, until } = await this.#take(candidates, this.query);
      this.cursor = Math.max(this.cursor, this.places.get(id ?? candidates.at(-1)));
      if (id === null) {
        for (const one of candidates) this.passed?.add(one);
        continue;
      }
      this.seen.add(id);
      this.loaded = id;
      const value = await this.#loadOrLeave(id);
      if (value) return { id, number: this.places.get(id), value, until, taken: null };
    }
  }

  /** The next ones in order; at the end once more those that others had when they were asked for. */
  #candidates() {
    const free = (ids) => ids.filter((id) => !this.seen.has(id)).slice(0, CANDIDATES);
    const some = free(this.ids.slice(this.cursor));
    if (some.length) return some;
    this.passed ??= new Set();
    return free(this.ids.filter((id) => !this.passed.has(id)));
  }

  async #loadOrLeave(id) {
    try {
      const value = await this.load(id);
      await this.preload(value);
      return value;
    } catch (failure) {
      if (failure.status < 400 || failure.status >= 500) throw failure;
      this.loaded = null;
      this.release([id]); // it is nothing for this person any more
      return null;
    }
  }

  /** Gives items back; what is not told ends with its time. */
  release(items = null) {
    return this.giveBack({ holder: this.holder, items }).catch(() => {});
  }
}
