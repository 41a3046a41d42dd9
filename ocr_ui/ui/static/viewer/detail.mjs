/** The bar below the list about the selected line: its piece of the picture, what the model read, what can be done. */

import { Crop } from "./crop.mjs";
import { h, iconButton } from "./dom.mjs";
import { visible } from "./list.mjs";
import { changedPart } from "./text.mjs";

/** Tools of selected lines: icon and action, in groups. */
const MORE = [
  [
    ["reread", "reread"],
    ["split", "split"],
    ["join", "join"],
  ],
  [
    ["palette", "palette"],
    ["elsewhere", "elsewhere"],
    ["history", "line_history"],
  ],
  [
    ["copy", "copy_lines"],
    ["cut", "cut_lines"],
    ["paste", "paste_lines"],
  ],
  [
    ["turn_left", "rotate_left"],
    ["turn_right", "rotate_right"],
  ],
];

const CONTEXT = 24; // characters before a change

/** The end of a text: what stands before a change, short enough that the change is in sight. */
function lastPart(text) {
  const characters = [...text];
  return characters.length > CONTEXT ? `…${characters.slice(-CONTEXT).join("")}` : text;
}

export class Detail {
  constructor({ editor, t, actions }) {
    Object.assign(this, { editor, t });
    const tool = (name, action) => iconButton(name, `act_${action}`, () => actions[action](), { action });
    this.buttons = {
      accept: tool("check", "accept_line"),
      illegible: tool("illegible", "illegible"),
      up: tool("up", "move_up"),
      down: tool("down", "move_down"),
      box: tool("box", "give_box"),
      original: tool("restore", "original"),
      remove: tool("remove", "remove"),
    };
    this.more = MORE.map((group) => group.map(([name, action]) => tool(name, action)));
    this.crop = new Crop();
    this.note = h("div", { class: "vw-note", dir: "auto" });
    const tools = h("div", { class: "vw-tools" }, Object.values(this.buttons));
    const groups = this.more.map((group) => h("div", { class: "vw-group" }, group));
    const more = h("div", { class: "vw-more", role: "toolbar", "data-title": "line_tools" }, groups);
    more.addEventListener("pointerdown", (event) => event.preventDefault()); // the cursor stays where it is in the text
    const row = h("div", { class: "vw-detail-row" }, this.note, tools);
    this.element = h("div", { class: "vw-detail" }, this.crop.element, row, more);
  }

  destroy() {
    this.crop.destroy();
  }

  /** How many other items read the same as what was just corrected. */
  showElsewhere(number) {
    const button = this.more.flat().find((entry) => entry.dataset.title === "act_elsewhere");
    button.classList.toggle("found", number > 0);
    button.dataset.number = number;
  }

  render() {
    const { editor } = this;
    const line = editor.selectedLine;
    this.element.classList.toggle("nothing", !line);
    this.crop.show(editor.page, line?.quad);
    this.note.replaceChildren(...(line ? this.#notes(line) : [this.#hint()]));
    const change = line ? editor.changeOf(line) : "same";
    const buttons = [...Object.values(this.buttons), ...this.more.flat()];
    for (const button of buttons) button.disabled = !editor.canEdit || !line;
    this.buttons.original.disabled ||= change === "same" || change === "added";
  }

  #hint() {
    return this.editor.doc.lines.length ? this.t("detail_hint") : "";
  }

  #notes(line) {
    const { editor, t } = this;
    const warnings = editor.warnings.filter((warning) => warning.id === line.id);
    const model = editor.models.get(line.id);
    const shown = editor.tools.invisible ? [h("span", { class: "vw-shown" }, visible(line.text))] : [];
    if (model && model.text !== line.text) return [...this.#modelText(model, line), ...shown];
    if (warnings.length) {
      const messages = warnings.map((warning) => warning.message).join(" ");
      return [h("span", { class: "vw-warning-text" }, messages), ...shown];
    }
    if (shown.length) return shown;
    const { length } = editor.chosen;
    if (length > 1) return [h("span", { class: "vw-subdued" }, t("lines_selected", { n: length }))];
    const number = editor.doc.lines.indexOf(line) + 1;
    const place = t("line_of", { number, total: editor.doc.lines.length });
    if (!line.quad) return [h("span", {}, t("nobox_hint"))];
    const confidence = line.confidence === null ? "" : ` · ${t("confidence")}\u00a0${line.confidence.toFixed(2)}`;
    return [h("span", { class: "vw-subdued" }, place + confidence)];
  }

  #modelText(model, line) {
    const { start, removed, added, end } = changedPart(model.text, line.text);
    return [
      h("span", { class: "vw-subdued" }, `${this.t("model_read")} `),
      h("bdi", {}, lastPart(start), removed && h("del", {}, removed), added && h("ins", {}, added), end),
    ];
  }
}
