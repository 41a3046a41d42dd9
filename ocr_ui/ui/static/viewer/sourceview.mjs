/** The whole text as it is edited: its source, beside it what it looks like, below it what is wrong and where. */

import { h, icon, iconButton, setPressed, setText } from "./dom.mjs";
import { LiveSource } from "./livesource.mjs";
import { inField, numberAt, numberFrom, placeOf } from "./problems.mjs";
import { SourceField } from "./source.mjs";
import { isMarkup, isTextEditable, wholeText } from "./state.mjs";

const BESIDE_KEY = "workbench.beside";
const SLOW_MS = 700;

export class SourceView {
  /** @param {object} parts editor, api, kept, t, actions */
  constructor({ editor, api, kept, t, actions }) {
    Object.assign(this, { editor, kept, t });
    this.live = new LiveSource({ api, onchange: () => this.onchange() });
    this.onchange = () => this.render();
    this.source = new SourceField({
      ontext: (text) => editor.setWholeText(text),
      oncaret: () => this.#renderStatus(),
    });
    this.source.onscroll = (field) => this.#scrolled(field);
    this.preview = h("div", { class: "vw-rendered", dir: "auto", tabindex: "0", "data-title": "view_rendered" });
    const tool = (name, action) => iconButton(name, `act_${action}`, () => actions[action](), { action });
    this.beside = tool("beside", "beside");
    this.previous = tool("up", "problem_previous");
    this.next = tool("down", "problem_next");
    this.words = h("span", { class: "vw-problem", role: "status", dir: "auto" });
    this.sign = h("span", { class: "vw-problem-sign", "aria-hidden": "true" }, icon("warning"));
    this.status = h("div", { class: "vw-problems" }, this.sign, this.words, this.previous, this.next);
    this.split = h("div", { class: "vw-split" }, this.source.element, this.preview);
    this.element = h("div", { class: "vw-source-view" }, this.split, this.status);
    this.wanted = kept.text(BESIDE_KEY) !== "no";
    editor.on("load", ({ how }) => how === "replace" && this.#forget());
  }

  #forget() {
    this.live.forget();
    this.shown = null;
  }

  destroy() {
    this.live.destroy();
    clearTimeout(this.slow);
  }

  get task() {
    return this.editor.value.item?.task ?? null;
  }

  /** Whether what is typed looks otherwise than its source. */
  get isMarkup() {
    return isMarkup(this.task) && !this.editor.running;
  }

  get isBeside() {
    return this.isMarkup && this.wanted;
  }

  turnBeside() {
    if (!this.isMarkup) return;
    this.wanted = !this.wanted;
    this.kept.putText(BESIDE_KEY, this.wanted ? "yes" : "no");
    this.onchange();
  }

  /** Asks for the text as it is now; gives its markup, or null where there is none yet that is nearer than the stored. */
  follow() {
    if (this.isMarkup) this.live.follow(inField(wholeText(this.editor.doc)), this.task);
    return this.isMarkup ? this.live.html : null;
  }

  render() {
    const { editor, source } = this;
    source.show(inField(wholeText(editor.doc)));
    source.field.readOnly = !isTextEditable(editor.doc) || !editor.canEdit;
    this.beside.hidden = !this.isMarkup;
    setPressed(this.beside, this.isBeside);
    this.element.classList.toggle("beside", this.isBeside);
    this.preview.hidden = !this.isBeside;
    this.status.hidden = !this.isMarkup;
    this.follow();
    source.mark(this.isMarkup ? this.live.problems : []);
    if (this.isBeside) this.#renderPreview();
    this.#renderStatus();
  }

  #renderPreview() {
    const html = this.live.html ?? this.editor.value.html ?? "";
    const key = `${this.t("view_rendered")} ${html}`;
    if (key === this.shown) return;
    this.shown = key;
    const { scrollTop } = this.preview;
    this.preview.innerHTML = html; // made safe by the server; recognised text is never put in otherwise
    nameMistakes(this.preview, this.t);
    this.preview.dataset.empty = this.t("preview_empty");
    this.preview.scrollTop = scrollTop;
  }

  #renderStatus() {
    if (!this.isMarkup) return;
    const { live, t } = this;
    const { problems } = live;
    const settled = live.fresh || problems.length > 0;
    this.status.dataset.state = problems.length ? "wrong" : live.failed ? "failed" : settled ? "right" : "checking";
    for (const button of [this.previous, this.next]) button.disabled = !problems.length;
    clearTimeout(this.slow);
    if (problems.length) return setText(this.words, this.#wordsOf(numberAt(problems, this.source.field.selectionStart)));
    if (live.failed) return setText(this.words, t("preview_failed"));
    if (live.fresh) return setText(this.words, t("preview_right"));
    this.slow = setTimeout(() => setText(this.words, t("preview_checking")), SLOW_MS);
  }

  #wordsOf(number) {
    const { problems, text } = this.live;
    const { line, column } = placeOf(text, problems[number].start);
    const words = this.t(`problem_${problems[number].code}`);
    return this.t("problem_place", { number: number + 1, total: problems.length, line, column, words });
  }

  /** To the next mistake (`step` 1) or the one before. */
  goOn(step) {
    const { problems } = this.live;
    if (!problems.length) return;
    this.source.goTo(problems[numberFrom(problems, this.source.field.selectionStart, step)]);
    this.#renderStatus();
  }

  /** The preview goes along with the source. */
  #scrolled({ scrollTop, scrollHeight, clientHeight }) {
    if (!this.isBeside || scrollHeight <= clientHeight) return;
    const share = scrollTop / (scrollHeight - clientHeight);
    this.preview.scrollTop = share * (this.preview.scrollHeight - this.preview.clientHeight);
  }
}

/** What is shown as it was read says why, in the language of the page. */
export function nameMistakes(root, t) {
  for (const code of root.querySelectorAll(".ocr-formula-error")) code.title = t(`problem_${code.dataset.code}`);
}
