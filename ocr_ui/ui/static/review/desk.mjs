/** The desk: one page of the queue after the other, in the viewer or, of disputes, in the view that merges two people's. */

import { ownInBrowser } from "../page/kept.mjs";
import { clockText } from "../page/moments.mjs";
import { randomKey } from "../page/random.mjs";
import { explained } from "../viewer/api.mjs";
import { ask } from "../viewer/dialogs.mjs";
import { h, keySign, makeWords, relabel, setText, showKeys, takesText } from "../viewer/dom.mjs";
import { Help } from "../viewer/help.mjs";
import { keymap } from "../viewer/keymap.mjs";
import { chord, KEYS, MERGE_KEYS, QUEUE_ACTIONS } from "../viewer/keys.mjs";
import { sharedOutbox } from "../viewer/outbox.mjs";
import { delayBefore, pause } from "../viewer/save.mjs";
import { mount as mountViewer } from "../viewer/viewer.mjs";
import { Activity } from "./activity.mjs";
import { Merge } from "./merge.mjs";
import { forgetPlace, keepPlace } from "./place.mjs";
import { Session } from "./session.mjs";
import { Side } from "./side.mjs";
import { atDesk, desks } from "./tabs.mjs";

const BEAT_MS = 15_000;
const SURE_SECONDS = 60; // of less work a pace says nothing
const REVIEWED = ["submitted", "accepted", "rejected"];

export class Desk {
  /** @param {object | null} parts.place where to go on, see `place.mjs` */
  constructor({ props, api, t, mode, person, query, sort, onleave, place = null }) {
    Object.assign(this, { props, api, t, mode, person, query, sort, onleave, place });
    this.words = JSON.parse(props.viewer_words);
    this.merging = mode === "disputes";
    this.leaving = new AbortController();
    this.spent = new Map(); // seconds by item
    this.outbox = sharedOutbox(api);
    const holder = randomKey();
    const patient = {
      get: (path) => this.#patiently(() => api.get(path)),
      post: (path, data) => this.#patiently(() => api.post(path, data)),
    };
    this.session = new Session({
      api: patient,
      giveBack: (body) => api.post("/v1/queue/release", body),
      holder,
      desks,
      person: () => this.#who,
      query,
      sort,
      load: async (id) => {
        await this.outbox.idle(id);
        return patient.get(this.#address(id));
      },
      preload: (value) => drawn((value.picture ?? value.item.page).url),
    });
    this.activity = new Activity({ idle: Number(props.idle_seconds) });
    this.queue = this.#actions();
    this.side = new Side({
      api,
      t,
      person: () => this.#who,
      line: () => this.#line(),
      online: (id) => this.viewer?.editor.select(id),
      oncount: (number) => this.#counted(number),
      onclose: () => this.#focus(),
    });
    this.#layOut();
  }

  get #who() {
    return this.viewer?.review.person || this.person;
  }

  #address(id) {
    if (this.merging) return `/v1/items/${id}/dispute`;
    if (this.mode === "first") return `/v1/items/${id}`;
    return `/v1/items/${id}/second?${new URLSearchParams({ person: this.#who, blind: this.mode === "blind" })}`;
  }

  #actions() {
    return {
      accept_page: () => this.#finish("accept"),
      submit_page: () => this.#finish("submit"),
      reject_page: () => this.#finish("reject"),
      skip_page: () => this.#do(() => this.#skip()),
      next_page: () => this.#do(() => this.#go("next")),
      previous_page: () => this.#do(() => this.#go("previous")),
      comments: () => this.current && this.side.toggle("comments"),
      guidelines: () => this.side.toggle("guidelines"),
      leave_queue: () => this.leave(),
    };
  }

  // Layout ------------------------------------------------------------------------------------------------------------

  #layOut() {
    const { t } = this;
    const button = (action, more = "") => {
      const words = h("span", {}, t(`act.${action}`));
      const attributes = { type: "button", class: `wb-rv-button ${more}`, "data-action": action };
      return h("button", { ...attributes, onclick: () => this.queue[action]() }, words, keySign(action));
    };
    const shown = this.merging
      ? ["previous_page", "next_page", "submit_page"]
      : ["previous_page", "next_page", "accept_page", "submit_page", "reject_page", "skip_page"];
    this.buttons = Object.fromEntries(
      [...shown, "comments", "guidelines", "leave_queue"].map((action) => [action, button(action)]),
    );
    const { submit_page: submit, accept_page: accept } = this.buttons;
    (accept ?? submit).classList.add("primary");
    if (this.merging) submit.firstChild.textContent = t("act.merge");
    this.number = h("strong", { class: "wb-rv-number" });
    this.pace = h("span", { class: "wb-rv-quiet" });
    this.claim = h("span", { class: "wb-rv-quiet" });
    this.first = h("p", { class: "wb-rv-first", hidden: true });
    this.told = h("p", { class: "wb-rv-told", role: "status" });
    const help = h(
      "button",
      { type: "button", class: "wb-rv-button", onclick: () => this.help.open() },
      h("span", {}, t("help")),
      keySign("help"),
    );
    const words = makeWords(this.words);
    const group = KEYS.filter((row) => row.group === "queue" || row.action === "help");
    this.help = new Help(words, [...group, ...MERGE_KEYS]);
    relabel(this.help.element, words);
    const bar = h(
      "header",
      { class: "wb-rv-bar" },
      h("div", { class: "wb-rv-row" }, this.number, h("span", {}, t(`mode.${this.mode}`)), this.pace, this.claim, this.told),
      h("div", { class: "wb-rv-row" }, shown.map((action) => this.buttons[action]), h("span", { class: "wb-rv-space" }), [
        this.buttons.comments,
        this.buttons.guidelines,
        this.merging && help,
        this.buttons.leave_queue,
      ]),
      this.first,
    );
    this.main = h("div", { class: "wb-rv-main" });
    this.element = h(
      "section",
      { class: "wb-rv-desk", "aria-label": t("title") },
      bar,
      h("div", { class: "wb-rv-both" }, this.main, this.side.element),
      h("div", { class: "vw wb-rv-help" }, this.help.element), // its looks are the viewer's
    );
  }

  async start() {
    const { signal } = this.leaving;
    this.activity.watch(document, signal);
    atDesk(this.session.holder, signal);
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    const beat = setInterval(() => this.#beat(), BEAT_MS);
    signal.addEventListener("abort", () => clearInterval(beat));
    window.addEventListener("pagehide", () => this.#goodbye(), { signal });
    keymap.listen(() => showKeys(this.element), signal);
    setText(this.told, this.t("loading"));
    await (this.merging ? this.#makeMerge() : this.#makeViewer());
    await this.#do(async () => {
      await this.outbox.idle();
      if (this.place) return this.#resume();
      this.#showPace(await this.session.start());
      await this.#go("next");
    });
  }

  async #resume() {
    const found = await this.session.resume(this.place.session);
    if (found) this.#show(found);
    else this.#end();
    this.#askPace();
  }

  async #makeViewer() {
    const host = h("div", { class: "vw-host" });
    const element = h("div", { class: "wb-rv-viewer" }, host);
    this.main.replaceChildren(element);
    const props = { words: this.props.viewer_words, lang: this.props.language, door: false, value: "", queue: this.queue };
    this.viewer = await mountViewer({ element, props, trigger: () => {}, watch: () => {} });
    this.viewer.review.setPerson(this.person);
    this.viewer.verdict.person.value = this.person;
    this.viewer.editor.on("select", () => this.side.follow());
  }

  #makeMerge() {
    const onchange = () => this.#enable();
    const merge = new Merge({ t: (key, values) => this.t(key, values), kept: ownInBrowser, onchange });
    this.merge = merge;
    this.main.replaceChildren(merge.element);
  }

  // Working -----------------------------------------------------------------------------------------------------------

  /** One thing at a time: a second key press while a page is being saved is not for the next page. */
  async #do(work) {
    if (this.busy) return;
    this.busy = true;
    this.#enable();
    try {
      await work();
    } catch (failure) {
      setText(this.told, this.t("failed", { reason: explained(failure) }));
    } finally {
      this.busy = false;
      this.#enable();
    }
  }

  /** Asks again while the server does not answer. */
  async #patiently(ask) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await ask();
      } catch (failure) {
        if (!failure.passes || this.leaving.signal.aborted) throw failure;
        if (this.busy) setText(this.told, this.t("waiting"));
        await pause(delayBefore(attempt));
      }
    }
  }

  async #go(way) {
    this.#spend();
    const left = this.session.current;
    const found = await this.session[way]();
    if (found) this.#show(found);
    else if (way === "next") this.#end();
    if (left && left !== found?.id) this.#giveBack(left);
  }

  /** A page whose review is still on its way is nobody else's. */
  async #giveBack(id) {
    await this.outbox.idle(id);
    if (id !== this.session.current) this.session.release([id]);
  }

  #show(found) {
    this.current = found;
    this.main.hidden = false;
    this.ended?.remove();
    this.ended = null;
    if (this.merging) this.merge.show(found.value);
    else this.viewer.receive(JSON.stringify(found.value));
    const lines = this.merging ? [] : found.value.lines.map((line) => line.id);
    this.side.item(found.id, lines);
    setText(this.number, this.t("number", { number: found.number, total: this.session.total }));
    setText(this.told, "");
    this.#showClaim(found);
    this.#showFirst(found.value.second);
    this.element.dataset.item = found.id;
    const { mode, query, sort, session } = this;
    keepPlace(this.person, { mode, query, sort, session: session.place });
    this.#enable();
    this.#focus();
  }

  #focus() {
    if (this.merging) this.merge.rows?.[this.merge.chosen]?.element.focus({ preventScroll: true });
    else this.viewer?.list.element.focus({ preventScroll: true });
  }

  /** `taken`: by somebody else before it was shown; `lost`: while this person paused for long. */
  #showClaim({ until, taken = null, lost = null }) {
    const other = taken ?? lost;
    const values = other && { person: other.person || this.t("somebody"), time: clockText(other.until) };
    const words = other ? this.t(taken ? "taken" : "lost", values) : this.t("yours", { time: clockText(until) });
    setText(this.claim, words);
    this.claim.classList.toggle("bad", !!other);
  }

  /** What the first person said, where it is visible. */
  #showFirst(second) {
    const first = this.mode === "visible" && second.first;
    this.first.hidden = !first;
    if (!first) return;
    const verdict = this.t(`verdict.${first.verdict ?? "none"}`);
    const said = this.t("first_said", { person: first.person || this.t("somebody"), verdict });
    setText(this.first, first.note ? `${said} ${first.note}` : said);
  }

  #showPace({ done, seconds, per_hour: rate }) {
    const hourly = !rate || seconds < SURE_SECONDS ? "" : this.t("rate", { rate: Math.round(rate) });
    setText(this.pace, [this.t("done_today", { n: done }), hourly].filter(Boolean).join(" · "));
  }

  #enable() {
    const { busy, session, buttons } = this;
    const open = !!this.current && !busy && !this.current.taken;
    for (const action of ["accept_page", "reject_page", "skip_page"]) if (buttons[action]) buttons[action].disabled = !open;
    buttons.submit_page.disabled = !open || (this.merging && !this.merge?.ready);
    buttons.next_page.disabled = busy || !!this.ended;
    buttons.previous_page.disabled = busy || !session.hasPrevious;
    buttons.comments.disabled = !this.current;
  }

  /** Judges the page, saves it, and goes on once it is on disk, or in the browser while there is no connection. */
  #finish(how) {
    return this.#do(async () => {
      if (!this.current || this.current.taken || this.ended) return;
      if (this.merging ? !this.merge.ready : false) return;
      const stored = this.merging ? how === "submit" && (await this.#resolve()) : await this.#judge(how);
      if (!stored) return;
      await this.#go("next");
      this.#askPace();
    });
  }

  #judge(how) {
    const { review, editor } = this.viewer;
    this.viewer.input.close();
    if (how === "reject") return review.finish("wrong", "rejected");
    if (how === "accept") return review.finish("right", REVIEWED.includes(editor.value.state) ? "accepted" : null);
    return review.finish(review.verdict ?? (review.contentChanged ? "wrong" : "right"));
  }

  async #resolve() {
    const sent = await this.#send("resolution", { ...this.merge.answer, person: this.#who });
    this.merge.forget();
    return sent;
  }

  /** Sends what is said of the page: true once it is stored, or safe in the browser while there is no connection. */
  async #send(what, body) {
    const { id: recognition } = this.current;
    const { handled } = this.outbox.add({ path: `/v1/items/${recognition}/${what}`, body, recognition });
    const outcome = await handled;
    if (outcome?.failure) throw outcome.failure;
    return true;
  }

  /** A second reviewer only goes on; a first one sets the page aside for everybody. */
  async #skip() {
    if (!this.current || this.merging) return;
    if (this.mode === "first") await this.#send("state", { state: "skipped", person: this.#who });
    await this.#go("next");
    this.#askPace();
  }

  #end() {
    this.current = null;
    forgetPlace(this.person);
    this.main.hidden = true;
    delete this.element.dataset.item;
    const done = this.session.trail.length;
    const others = this.session.ids.length - this.session.seen.size;
    const words = [this.t("ended", { n: done }), others > 0 && this.t("ended_others", { n: others })];
    const back = h("button", { type: "button", class: "wb-rv-button primary", onclick: () => this.leave() }, this.t("ended_back"));
    this.ended = h("div", { class: "wb-rv-end" }, words.filter(Boolean).map((line) => h("p", {}, line)), back);
    this.main.before(this.ended);
    setText(this.number, "");
    setText(this.claim, "");
    this.first.hidden = true;
    this.#enable();
    back.focus();
  }

  async leave() {
    if (this.current && this.viewer?.review.dirty) {
      const words = (key) => this.words[key] ?? key;
      const choices = [
        ["", words("cancel")],
        ["leave", words("keep_draft_and_go")],
        ["save", words("save_and_go"), true],
      ];
      const answer = await ask(this.viewer.root, words("unsaved_question"), choices);
      if (answer === "save") await this.viewer.review.save();
      if (!answer || (answer === "save" && this.viewer.review.dirty)) return;
    }
    this.#spend();
    forgetPlace(this.person);
    this.session.release();
    this.onleave();
  }

  destroy() {
    this.leaving.abort();
    this.viewer?.destroy();
  }

  // Time --------------------------------------------------------------------------------------------------------------

  /** Adds the time of work to the page that is shown, and tells the server. */
  #spend(more = {}) {
    const worked = this.#worked();
    if (!worked) return null;
    return this.api.post("/v1/queue/work", { ...worked, ...more }).catch(() => null); // the next one carries the same sum
  }

  #worked() {
    const at = this.current?.id;
    const seconds = this.activity.take(!document.hidden);
    if (!at) return null;
    this.spent.set(at, (this.spent.get(at) ?? 0) + seconds);
    return { holder: this.session.holder, person: this.#who, at, seconds: this.spent.get(at) };
  }

  /** A sign of work: it keeps the pages that this tab has. Whoever is away lets them go in time. */
  async #beat() {
    if (!this.current || this.activity.isIdle) return;
    const { current } = this;
    const answer = await this.#spend({ items: this.session.held });
    if (answer && current === this.current && !current.taken) {
      const lost = answer.lost.find((claim) => claim.item === current.id);
      this.#showClaim({ until: answer.until, lost });
    }
    this.#askPace();
  }

  async #askPace() {
    const midnight = new Date(new Date().setHours(0, 0, 0, 0)).toISOString();
    const query = new URLSearchParams({ person: this.#who, since_today: midnight });
    const pace = await this.api.get(`/v1/pace?${query}`).catch(() => null);
    if (pace) this.#showPace(pace);
  }

  /** The tab goes away: the time of work is kept, and the pages are free for others at once. */
  #goodbye() {
    const worked = this.#worked();
    if (worked) beacon("/v1/queue/work", worked);
    beacon("/v1/queue/release", { holder: this.session.holder });
  }

  // Keys --------------------------------------------------------------------------------------------------------------

  /** The viewer has keys of its own; without it, and outside of it, those of the queue work here. */
  #key(event) {
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
    if (!this.element.offsetParent || !(this.element.contains(event.target) || event.target === document.body)) return;
    const pressed = chord(event);
    const asks = (action) => keymap.keysOf(action).includes(pressed);
    if (takesText(event.target) && !asks("submit_page")) return;
    const action = QUEUE_ACTIONS.find(asks);
    const helps = this.merging && asks("help");
    if (!action && !helps) return;
    event.preventDefault();
    if (event.repeat) return;
    if (helps) this.help.open();
    else this.queue[action]();
  }

  #line() {
    const line = this.viewer?.editor.selectedLine;
    return line ? { id: line.id, number: this.viewer.editor.doc.lines.indexOf(line) + 1 } : null;
  }

  #counted(number) {
    setText(this.buttons.comments.firstChild, number ? `${this.t("act.comments")} (${number})` : this.t("act.comments"));
  }
}

/** Sends while the page goes away. */
function beacon(address, body) {
  navigator.sendBeacon(address, new Blob([JSON.stringify(body)], { type: "application/json" }));
}

/** Resolves once a picture can be drawn; one that cannot be loaded is the viewer's to tell. */
async function drawn(url) {
  const image = new Image();
  image.src = url;
  await image.decode().catch(() => {});
}
