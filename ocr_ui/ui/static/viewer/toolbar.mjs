/** The tools above the picture. */

import { h, iconButton, setPressed, setText } from "./dom.mjs";

const GROUPS = [
  ["open", "photo"],
  ["zoom_out", "zoom_in", "fit", "fit_width"],
  ["boxes", "level", "clean"],
  ["rotate"],
  ["draw", "sort", "remove", "undo", "redo"],
  ["help"],
];

const ICON = {
  open: "open",
  photo: "camera",
  zoom_out: "minus",
  zoom_in: "plus",
  fit: "fit",
  fit_width: "width",
  boxes: "boxes",
  clean: "clean",
  level: "level",
  rotate: "rotate",
  draw: "draw",
  sort: "sort",
  remove: "remove",
  undo: "undo",
  redo: "redo",
  help: "help",
};

export class Toolbar {
  constructor({ editor, actions, door }) {
    this.editor = editor;
    this.buttons = {};
    this.zoom = h("span", { class: "vw-zoom" });
    const groups = GROUPS.map((names) =>
      this.#group(
        names.filter((name) => door || !["open", "photo", "rotate"].includes(name)),
        actions,
      ),
    );
    groups.find((group) => group.contains(this.buttons.zoom_in)).insertBefore(this.zoom, this.buttons.zoom_in);
    this.element = h("div", { class: "vw-toolbar", role: "toolbar", "data-title": "toolbar" }, groups);
    this.#holdClean();
  }

  #group(names, actions) {
    for (const name of names) {
      const act = name === "clean" ? () => {} : (event) => actions[name](event);
      this.buttons[name] = iconButton(ICON[name], `act_${name}`, act, { action: name, "data-action": name });
    }
    return h(
      "div",
      { class: "vw-group" },
      names.map((name) => this.buttons[name]),
    );
  }

  /** A press shows the clean picture until the next one; held, only as long as it is held. */
  #holdClean() {
    const hold = new Hold(
      (on) => this.editor.setTool("clean", on),
      () => this.editor.tools.clean,
    );
    this.clean = hold;
    const button = this.buttons.clean;
    button.addEventListener("pointerdown", () => hold.press());
    button.addEventListener("pointerup", () => hold.release());
    button.addEventListener("pointercancel", () => hold.release());
    button.addEventListener("click", (event) => event.detail === 0 && (hold.press(), hold.release()));
  }

  showZoom(k) {
    setText(this.zoom, `${Math.round(k * 100)} %`);
  }

  render() {
    const { editor, buttons } = this;
    const { tools, history, canEdit, page, running } = editor;
    setPressed(buttons.boxes, tools.boxes);
    setPressed(buttons.level, tools.level === "region");
    buttons.level.disabled = !page;
    setPressed(buttons.clean, tools.clean);
    setPressed(buttons.draw, editor.drawing !== null);
    for (const name of ["zoom_out", "zoom_in", "fit", "fit_width", "boxes", "clean"]) buttons[name].disabled = !page;
    for (const name of ["open", "photo"]) if (buttons[name]) buttons[name].disabled = running;
    if (buttons.rotate) buttons.rotate.disabled = !page || running;
    buttons.draw.disabled = !canEdit;
    buttons.sort.disabled = !canEdit || editor.doc.lines.length < 2;
    buttons.remove.disabled = !canEdit || (editor.onRegions ? editor.region < 0 : !editor.selected);
    buttons.undo.disabled = !canEdit || !history.canUndo;
    buttons.redo.disabled = !canEdit || !history.canRedo;
  }
}

const HOLD_MS = 350;

/** A switch that a short press turns over and a long press turns on only while it lasts. */
export class Hold {
  constructor(set, get, now = () => performance.now()) {
    Object.assign(this, { set, get, now });
    this.since = null;
  }

  press() {
    if (this.since !== null) return;
    this.since = this.now();
    this.was = this.get();
    this.set(true);
  }

  release() {
    if (this.since === null) return;
    const long = this.now() - this.since > HOLD_MS;
    this.since = null;
    this.set(long ? false : !this.was);
  }
}
