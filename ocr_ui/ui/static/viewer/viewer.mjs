/**
 * The result viewer and editor: puts the parts together and keeps them in step. `mount` is called by the component's
 * `js_on_load` with what Gradio hands in; it may be called again for the same element.
 *
 * In a queue of items `props.queue` has a function for each of QUEUE_ACTIONS.
 *
 * Value, JSON text from the server: see `ocr_ui.ui.viewer.Viewer`. Events to the server: upload, saved, change.
 */

import { inBrowser, ownInBrowser, ownInTab } from "../page/kept.mjs";
import { followLogin } from "../page/person.mjs";
import { Api } from "./api.mjs";
import { Acceptance } from "./acceptance.mjs";
import { LineClipboard, listenToClipboard } from "./clipboard.mjs";
import { makeActions } from "./actions.mjs";
import { ask } from "./dialogs.mjs";
import { Detail } from "./detail.mjs";
import { Door } from "./door.mjs";
import { h, makeWords, relabel } from "./dom.mjs";
import { Drafts } from "./drafts.mjs";
import { Editor } from "./editor.mjs";
import { Elsewhere } from "./elsewhere.mjs";
import { FindBar } from "./find.mjs";
import { FieldLinks } from "./fieldlinks.mjs";
import { FieldTable } from "./fields.mjs";
import { listenToPointers } from "./gestures.mjs";
import { Help } from "./help.mjs";
import { keymap } from "./keymap.mjs";
import { KEYS } from "./keys.mjs";
import { listenToKeys } from "./keyboard.mjs";
import { fieldPart } from "./limits.mjs";
import { LineHistory } from "./linehistory.mjs";
import { LineInput } from "./lineinput.mjs";
import { LineList } from "./list.mjs";
import { failureText, Notices } from "./notice.mjs";
import { Overlay } from "./overlay.mjs";
import { PageStrip } from "./pages.mjs";
import { Palette } from "./palette.mjs";
import { sharedOutbox } from "./outbox.mjs";
import { PicturePane } from "./pane.mjs";
import { kindWord, RegionBar } from "./regions.mjs";
import { Rereader } from "./reread.mjs";
import { Review } from "./review.mjs";
import { LiveReward } from "./reward.mjs";
import { RewardLine } from "./rewardline.mjs";
import { SourceView } from "./sourceview.mjs";
import { Stage } from "./stage.mjs";
import { arrival, viewOfDifference } from "./state.mjs";
import { isLow } from "./sureness.mjs";
import { StatusLine, WarningList } from "./status.mjs";
import { TableView } from "./tableview.mjs";
import { TextSize } from "./textsize.mjs";
import { Toolbar } from "./toolbar.mjs";
import { VerdictBar } from "./verdict.mjs";
import { Views } from "./views.mjs";
import { momentText } from "../page/moments.mjs";
import { mountPart } from "../page/part.mjs";

let mounted = 0;

export async function mount({ element, props, trigger, watch }) {
  const sheets = ["viewer.css", "editing.css", "parts.css", "source.css"];
  const viewer = await mountPart(element, import.meta.url, sheets, () => new Viewer({ element, props, trigger }));
  watch("value", () => element.mounted === viewer && viewer.receive(props.value));
  watch(["words", "lang"], () => element.mounted === viewer && viewer.speak());
  viewer.speak();
  viewer.receive(props.value);
  viewer.root.dataset.ready = "1";
  return viewer;
}

class Viewer {
  constructor({ element, props, trigger }) {
    Object.assign(this, { element, props, trigger });
    this.queue = props.queue ?? null;
    this.prefix = `vw${(mounted += 1)}`;
    this.leaving = new AbortController();
    this.words = (key) => key;
    this.t = (key, values) => this.words(key, values);
    this.lastText = null;
    this.#makeParts();
    this.#layOut();
    this.#connect();
  }

  destroy() {
    this.review.keepDraft();
    this.leaving.abort();
    this.stage.destroy();
    this.detail.destroy();
    this.fields.destroy();
    this.source.destroy();
    this.reward.destroy();
    this.rewardLine.destroy();
    this.status.destroy();
    this.root.remove();
  }

  // Parts -----------------------------------------------------------------------------------------------------------

  #makeParts() {
    const { t, prefix } = this;
    const { signal } = this.leaving;
    this.root = h("div", { class: "vw", "data-title": "viewer" });
    const editor = (this.editor = new Editor());
    const actions = (this.actions = makeActions(this));
    this.api = new Api({ lang: () => this.props.lang ?? "en" });
    this.notices = new Notices({ t });
    this.input = new LineInput(editor);
    this.textSize = new TextSize({ root: this.root, kept: inBrowser });
    this.palette = new Palette({
      prefix,
      kept: inBrowser,
      signal,
      openText: () => editor.selected && this.editText(editor.selected),
    });
    this.clipboard = new LineClipboard(ownInBrowser);
    this.acceptance = new Acceptance(ownInTab);
    this.list = new LineList({ editor, input: this.input, t, prefix });
    this.detail = new Detail({ editor, t, actions });
    this.links = new FieldLinks({ editor, api: this.api, onfound: () => this.#drawContent() });
    this.fields = new FieldTable({ editor, t, links: this.links, actions });
    this.regionBar = new RegionBar({ editor, actions, t });
    this.tables = new TableView({ editor, t, actions, notices: this.notices });
    this.source = new SourceView({ editor, api: this.api, kept: inBrowser, t, actions });
    this.find = new FindBar({ ...this, source: this.source.source, t });
    this.views = new Views({ ...this, prefix, t, actions });
    this.source.onchange = () => this.#drawSource();
    this.find.views = this.views;
    this.review = this.#makeReview();
    this.views.isStale = () => this.review.contentChanged;
    this.reward = new LiveReward({ editor, api: this.api });
    this.reward.onmend = () => this.#mended();
    this.rewardLine = new RewardLine({ editor, reward: this.reward, review: this.review, t, prefix, signal });
    this.verdict = new VerdictBar({ editor, review: this.review, t, actions });
    followLogin(this.verdict.person, signal, (name) => (this.review.person = name));
    this.status = new StatusLine({ editor, t });
    this.warnings = new WarningList({ editor, t });
    this.help = new Help(
      t,
      KEYS.filter((row) => this.queue || row.group !== "queue"),
    );
    this.toolbar = new Toolbar({ editor, actions, door: this.hasDoor });
    this.door = this.#makeDoor(signal);
    const openPage = (document, number) => this.door.openPage(document.sha256, number, editor.page.id);
    this.pages = new PageStrip({ open: openPage, t });
    this.pane = new PicturePane({ door: this.hasDoor ? this.door : null, t });
    this.overlay = new Overlay(this.pane.svg);
    const { api, notices, overlay, review } = this;
    this.history = new LineHistory({ editor, api, notices, t });
    this.voice = h("div", { class: "vw-offscreen", role: "status" });
    const onfound = (number) => this.detail.showElsewhere(number);
    this.elsewhere = new Elsewhere({ editor, api, notices, voice: this.voice, onfound, t });
    this.rereader = new Rereader({ editor, api, notices, overlay, review, t });
    this.stage = new Stage(this.pane.element, this.pane.board, ({ k }) => this.#zoomed(k));
  }

  get hasDoor() {
    return this.props.door !== false;
  }

  #makeReview() {
    return new Review({
      editor: this.editor,
      api: this.api,
      outbox: sharedOutbox(this.api),
      drafts: new Drafts(ownInBrowser),
      signal: this.leaving.signal,
      onsaved: (answer) => this.#saved(answer),
      onnotice: (kind, entry) => this.#draftNotice(kind, entry),
    });
  }

  #makeDoor(signal) {
    return new Door({
      root: this.root,
      api: this.api,
      notices: this.notices,
      t: this.t,
      mayReplace: () => this.#mayReplace(),
      onpage: (answer) => this.#newPage(answer),
      open: this.hasDoor,
      signal,
    });
  }

  #layOut() {
    const left = h("div", { class: "vw-left" }, this.toolbar.element, this.pages.element, this.pane.element, this.notices.element);
    const right = h("div", { class: "vw-right" }, this.warnings.element, this.regionBar.element, this.views.element);
    const body = h("div", { class: "vw-body" }, left, right, this.door.progress);
    this.root.append(
      this.status.element,
      body,
      this.rewardLine.element,
      this.verdict.element,
      this.help.element,
      this.voice,
      this.palette.element,
      this.history.element,
      this.elsewhere.element,
      ...this.door.parts,
    );
    if (this.hasDoor) this.root.append(this.door.cover);
    (this.element.querySelector(".vw-host") ?? this.element).append(this.root);
  }

  // Keeping in step -------------------------------------------------------------------------------------------------

  #connect() {
    const { editor } = this;
    const { signal } = this.leaving;
    editor.on("load", (detail) => this.#loaded(detail));
    document.addEventListener("workbench:look-for", ({ detail }) => (this.lookedFor = detail), { signal });
    editor.on("doc", () => this.#drawContent());
    // What is undone after another edit would be that edit.
    editor.on("doc", () => editor.doc !== this.mendedDoc && this.notices.hide("mend"));
    editor.on("select", (detail) => this.#drawSelection(detail));
    editor.on("region", () => this.#drawChosenRegion());
    editor.on("hover", () => this.#drawHover());
    editor.on("field", () => this.#drawField());
    editor.on("tools", () => this.#drawTools());
    editor.on("review", () => this.#drawReview());
    editor.on("reward", () => this.rewardLine.render());
    editor.on("accept", () => this.#accepted());
    keymap.listen(() => this.speak(), signal);
    this.input.onclose = (id) => {
      this.list.closed(id);
      this.elsewhere.corrected(id);
      this.pane.closeEditor();
    };
    this.views.onshow = (name) => this.#shown(name);
    this.fields.onfocus = (field) => field?.quad && this.stage.reveal(field.quad, { readable: true });
    listenToPointers({ ...this, pane: this.pane.element, editInPlace: (id) => this.#editInPlace(id), signal });
    listenToKeys({ ...this, signal });
    listenToClipboard({ ...this, signal });
    window.addEventListener("pagehide", () => this.review.keepDraft(), { signal });
    window.addEventListener("online", () => this.review.keptDrafts.hurry(), { signal });
    window.addEventListener("beforeunload", (event) => this.#beforeLeaving(event), { signal });
  }

  /** Takes a value of the server: JSON text, so that Gradio does not wrap every line of it in a proxy. */
  receive(text) {
    if (text === this.lastText) return;
    this.lastText = text;
    const value = typeof text === "string" && text ? JSON.parse(text) : (text ?? {});
    const { dirty, version } = this.review;
    const how = arrival(this.editor.value, value || {}, { dirty, version });
    if (how === "replace") this.#leaveItem();
    this.editor.load(value || {}, how);
  }

  #leaveItem() {
    this.review.keepDraft();
    this.input.close();
    this.notices.clear();
  }

  #loaded({ how, samePage }) {
    const { editor } = this;
    const { page } = editor;
    this.root.classList.toggle("has-page", !!page);
    this.pages.leave(page?.sha256);
    this.root.dataset.run = this.editor.value.run?.state ?? "idle";
    this.#tellItem();
    if (!samePage || this.pane.url !== page?.url) this.#showPage(page);
    this.views.choose({ fresh: how === "replace" });
    this.#shown(this.views.active);
    if (how === "replace") this.#showEdits();
    if (how === "replace") this.#goToAddressed();
    if (how === "replace") this.#goToFound();
    if (how === "replace") editor.accepted = this.acceptance.of(editor.recognition);
    this.list.epoch += this.editor.running ? 0 : 1;
    this.status.render();
    this.warnings.render();
    this.#drawContent();
    this.#drawTools();
    this.#drawSelection({ from: "server" });
    this.#drawHover();
  }

  /** A draft that came back opens where its edits are. */
  #showEdits() {
    const view = viewOfDifference(this.review.saved.doc, this.editor.doc);
    if (view) this.views.show(view);
  }

  /** The line that the page's address names, once, as long as it is about this item. */
  #goToAddressed() {
    const asked = new URLSearchParams(location.search);
    const line = asked.get("line");
    if (this.wentThere || !line || Number(asked.get("item")) !== this.editor.recognition) return;
    this.wentThere = true;
    this.views.show("lines");
    this.editor.select(line, { from: "address" });
  }

  /** The place of the text by which a list found this item, once. */
  #goToFound() {
    const { item, text } = this.lookedFor ?? {};
    if (item !== this.editor.recognition) return;
    this.lookedFor = null;
    this.find.open({ text });
  }

  /** Tells the page around which item is shown, so that its address can name it. */
  #tellItem() {
    const { recognition_id: id = null, page = null } = this.editor.value.item ?? {};
    const detail = { id, page: page?.id ?? null };
    this.root.dispatchEvent(new CustomEvent("workbench:item", { bubbles: true, detail }));
  }

  #showPage(page) {
    this.pane.show(page);
    if (!page) return;
    const size = { width: page.width || 1, height: page.height || 1 };
    this.overlay.resize(size);
    this.stage.show(size);
  }

  #drawContent() {
    const { editor } = this;
    this.overlay.render(editor.doc.lines, editor.isUncertain);
    this.overlay.renderFields(this.links.fields, (field) => isLow(field, editor.limitOf(fieldPart(field))));
    this.#drawRegions();
    this.views.render();
    this.#drawMarked();
    this.input.follow();
    this.overlay.showHandles(this.#handledQuad, editor.tools.handle);
    this.detail.render();
    this.toolbar.render();
  }

  get #handledQuad() {
    return this.editor.canEdit ? this.editor.activeQuad : null;
  }

  #drawSelection({ from, edit = false }) {
    const { editor } = this;
    const line = editor.selectedLine;
    if (from === "warning" && this.views.active !== "lines") this.views.show("lines");
    this.overlay.select(editor.selected);
    this.overlay.showHandles(this.#handledQuad, editor.tools.handle);
    this.list.select(editor.selected);
    this.#drawMarked();
    this.detail.render();
    this.fields.mark();
    this.toolbar.render();
    if (line?.quad && !["picture", "server", "new"].includes(from)) this.stage.reveal(line.quad, { readable: true });
    if (edit) this.editText(editor.selected);
    else if (from !== "server") this.#say(line);
  }

  /** What a person has looked at is no longer asked about; kept until the tab is closed. */
  #accepted() {
    this.acceptance.put(this.editor.recognition, this.editor.accepted);
    this.list.repaint();
    this.#drawContent();
  }

  #shown(name) {
    this.root.classList.toggle("showing-fields", name === "fields");
    this.root.classList.toggle("showing-source", name === "text" && this.source.isBeside);
  }

  /** What is typed was rendered, or is to stand beside its source. */
  #drawSource() {
    this.#shown(this.views.active);
    if (["text", "rendered"].includes(this.views.active)) this.views.render();
  }

  #drawMarked() {
    const { marked } = this.editor;
    this.overlay.mark(marked);
    this.list.mark(marked);
  }

  #say(line) {
    if (!line || this.list.element.contains(document.activeElement)) return;
    const number = this.editor.doc.lines.indexOf(line) + 1;
    this.voice.textContent = `${this.t("line_of", { number, total: this.editor.doc.lines.length })}: ${line.text}`;
  }

  #drawChosenRegion() {
    this.#drawRegions({ reveal: true });
    this.overlay.showHandles(this.#handledQuad, this.editor.tools.handle);
    this.toolbar.render();
  }

  #drawRegions({ reveal = false } = {}) {
    const { editor, t } = this;
    const shown = editor.tools.level === "region" ? editor.doc.regions : [];
    this.overlay.renderRegions(shown, editor.region, (kind) => kindWord(t, kind));
    this.regionBar.render();
    const region = shown[editor.region];
    if (reveal && region?.quad) this.stage.reveal(region.quad);
    if (reveal && region) this.voice.textContent = `${editor.region + 1}: ${kindWord(t, region.kind)}`;
  }

  #drawHover() {
    this.overlay.hover(this.editor.hovered);
    this.list.hover(this.editor.hovered);
  }

  #drawField() {
    this.overlay.hoverField(this.editor.hoveredField);
    this.overlay.chooseField(this.editor.field);
    this.fields.hover(this.editor.hoveredField);
    this.fields.mark();
  }

  #drawTools() {
    const { tools, drawing } = this.editor;
    const flags = {
      "boxes-off": !tools.boxes,
      clean: tools.clean,
      drawing: drawing !== null,
      "on-regions": tools.level === "region",
    };
    this.#drawRegions();
    for (const [name, on] of Object.entries(flags)) this.root.classList.toggle(name, on);
    this.toolbar.render();
    this.overlay.showHandles(this.#handledQuad, tools.handle);
    if (this.shownInvisible !== tools.invisible) this.list.repaint();
    this.shownInvisible = tools.invisible;
    this.views.render();
    this.detail.render();
  }

  #drawReview() {
    this.verdict.render();
    this.rewardLine.render();
  }

  #zoomed(k) {
    this.overlay.rescale(k);
    this.toolbar.showZoom(k);
    this.pane.follow();
  }

  /** All words again, after the language changed. */
  speak() {
    this.words = makeWords(JSON.parse(this.props.words));
    this.root.lang = this.props.lang ?? "en";
    relabel(this.root, this.t);
    this.pages.render();
    this.list.repaint();
    this.fields.forget();
    this.tables.forget();
    this.#drawContent();
    this.status.render();
    this.warnings.render();
    this.verdict.relabel();
    this.rewardLine.relabel();
  }

  // Typing ----------------------------------------------------------------------------------------------------------

  /** Opens the text field in the row of the list. */
  editText(id) {
    if (!this.editor.canEdit) return;
    if (this.views.active !== "lines") this.views.show("lines");
    this.list.edit(id);
  }

  #editInPlace(id) {
    const line = this.editor.doc.lines.find((entry) => entry.id === id);
    this.editor.select(id, { from: "picture" });
    const host = this.pane.openEditor(line.quad, this.stage);
    const number = this.editor.doc.lines.indexOf(line) + 1;
    this.input.open(id, host, { label: this.t("line_text", { n: number }) });
  }

  /** Ends typing; keys work on lines again. */
  leaveText() {
    const inPicture = this.input.host?.closest(".vw-over");
    this.input.close();
    (inPicture ? this.pane.element : this.list.element).focus({ preventScroll: true });
  }

  // Server ----------------------------------------------------------------------------------------------------------

  #saved(answer) {
    const detail = { recognition_id: this.editor.recognition, version: answer.version };
    this.trigger("saved", detail);
    this.trigger("change", detail);
    this.notices.hide("draft");
    this.views.render();
    this.status.render();
  }

  #newPage({ page, warnings = [], document = null, number = 1, turned = false, value: read = null }) {
    const value = read ?? { item: { recognition_id: null, page }, warnings, run: { state: "idle" } };
    if (!turned) this.pages.show(document, number, page.name);
    this.pages.known.add(page.sha256);
    this.lastText = JSON.stringify(value);
    this.#leaveItem();
    this.editor.load(value, "replace");
    this.props.value = this.lastText;
    this.trigger("upload", { page, warnings });
  }

  /** A mend is seen where it was made, and can be taken back. */
  #mended() {
    const { t, actions } = this;
    this.mendedDoc = this.editor.doc;
    this.notices.show({ topic: "mend", words: t("mended"), buttons: [[t("act_undo"), actions.undo]] });
  }

  async #mayReplace() {
    if (this.editor.running) {
      this.notices.show({ topic: "door", kind: "bad", words: this.t("stop_first") });
      return false;
    }
    if (!this.review.dirty) return true;
    const { t } = this;
    const choices = [
      ["", t("cancel")],
      ["replace", t("keep_draft_and_go")],
      ["save", t("save_and_go"), true],
    ];
    const answer = await ask(this.root, t("unsaved_question"), choices);
    if (answer === "save") await this.review.save();
    return answer === "replace" || (answer === "save" && !this.review.dirty);
  }

  #draftNotice(kind, { draft, version, name, failure }) {
    const { t, review } = this;
    if (kind === "lost") return this.#tellLost(name, failure);
    const time = draft && momentText(draft.time, t("locale"));
    const discard = [t("discard"), () => review.discard()];
    const buttons = {
      draft_restored: [discard],
      draft_older: [[t("bring_mine_back"), () => (review.useDraft(draft), this.#showEdits())], discard],
      behind: [],
    };
    this.notices.show({ topic: "draft", words: t(kind, { time, version }), buttons: buttons[kind] });
  }

  /** A save of a page that is not shown any more was refused. */
  #tellLost(name, failure) {
    const words = this.t("save_lost", { name, reason: failureText(this.t, failure) });
    this.notices.show({ topic: `lost-${name}`, kind: "bad", words, lasting: true });
  }

  #beforeLeaving(event) {
    this.review.keepDraft();
    if (!this.review.mayLeave) event.preventDefault();
  }
}
