/**
 * Reading a box anew: asks the server, shows how it goes, and puts what was read into the page. What a person wrote
 * stays: what the engine reads there is offered, and taken over only by a press.
 */

import { linesOf } from "./edits.mjs";
import { center, quadAroundAll, roundQuad } from "./geometry.mjs";
import { h, icon, setText } from "./dom.mjs";

const TICK_MS = 200;

/** Ids of the lines whose middle lies in an upright box. */
export function idsInside(doc, quad) {
  const [[left, top], , [right, bottom]] = quad;
  const inside = ([x, y]) => x >= left && x <= right && y >= top && y <= bottom;
  return doc.lines.filter((line) => line.quad && inside(center(line.quad))).map((line) => line.id);
}

export class Rereader {
  /** @param {object} parts editor, api, notices, overlay, review (for the person's name), t */
  constructor(parts) {
    Object.assign(this, parts);
    this.leaving = null;
    this.editor.on("reread", ({ quad }) => this.read(quad, idsInside(this.editor.doc, quad)));
    this.editor.on("load", ({ how }) => how === "replace" && this.stop());
  }

  get running() {
    return this.leaving !== null;
  }

  stop() {
    this.leaving?.abort();
  }

  /** The boxes of the selected lines; without any, a box that is drawn now. */
  readSelected() {
    const { editor } = this;
    if (!editor.canEdit || this.running) return;
    const lines = linesOf(editor.doc, editor.chosen).filter((line) => line.quad);
    if (!lines.length) return editor.setDrawing(editor.drawing ? null : "reread");
    const quads = lines.map((line) => line.quad);
    const quad = quads.length === 1 ? quads[0] : roundQuad(quadAroundAll(quads));
    this.read(quad, lines.map((line) => line.id));
  }

  async read(quad, ids) {
    const { editor, api, notices } = this;
    const { doc, recognition } = editor;
    const leaving = (this.leaving = new AbortController());
    const body = { lines: doc.lines, quad, ids, person: this.review.person };
    const show = this.#progress(quad);
    try {
      const answer = await api.lines(`/v1/items/${recognition}/rereads`, body, show, leaving.signal);
      if (recognition === editor.recognition) this.#took(answer, doc);
    } catch (failure) {
      if (failure.code === "aborted") notices.hide("reread");
      else notices.showFailure("reread", failure);
    } finally {
      clearInterval(this.timer);
      this.leaving = null;
      this.overlay.showReading(null);
    }
  }

  #progress(quad) {
    const { t } = this;
    const begin = performance.now();
    const words = h("span", { class: "vw-rereading" });
    const notice = this.notices.show({ topic: "reread", words, buttons: [[t("cancel"), () => this.stop()]] });
    notice.prepend(icon("clock"));
    this.overlay.showReading(quad);
    let step = { state: "running", text: "" };
    const tick = () => {
      const seconds = ((performance.now() - begin) / 1000).toFixed(1);
      const doing = t(step.state === "waiting" ? "run_waiting" : "rereading", { seconds });
      setText(words, `${doing} ${step.text.slice(-60)}`);
    };
    tick();
    this.timer = setInterval(tick, TICK_MS);
    return (now) => (step = now);
  }

  #took({ splice, reread }, doc) {
    const { editor, notices, t } = this;
    if (!splice) return notices.show({ topic: "reread", words: t("reread_nothing") });
    notices.hide("reread");
    editor.learn(reread);
    const [moved, free] = editor.splice(splice, doc);
    const offered = [...splice.offered, ...moved];
    if (offered.length) return this.#offer(offered, editor.doc);
    const before = linesOf(doc, splice.replaces).map((line) => line.text);
    const after = free.map((line) => line.text);
    const same = before.join("\n") === after.join("\n");
    notices.flash("reread", t(same ? "reread_same" : "reread_done", { text: after.join(" ").slice(0, 80) }), "good");
  }

  /** The engine read something where a person's text stands: shown beside it, and never taken over by itself. */
  #offer(offered, doc) {
    const { editor, notices, t } = this;
    const [first] = offered;
    const number = doc.lines.findIndex((line) => line.id === first.id) + 1;
    const same = doc.lines[number - 1]?.text === first.text;
    if (same) return notices.flash("reread", t("reread_same"), "good");
    notices.show({
      topic: "reread",
      words: t("reread_locked", { number, text: first.text.slice(0, 120) }),
      buttons: number ? [[t("reread_take"), () => editor.setText(first.id, first.text)]] : [],
    }).prepend(icon("lock"));
  }
}
