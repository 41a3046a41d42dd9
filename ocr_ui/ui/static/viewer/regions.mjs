/** The level of regions: the blocks of a page with their kinds, chosen, drawn, moved and removed; a bar above the list. */

import { h, iconButton, named, setPressed, setText } from "./dom.mjs";
import { roundQuad, samePoints } from "./geometry.mjs";

/** The kinds that a person can choose; a model may have given others, which stay until they are changed. */
export const REGION_KINDS = ["title", "text", "table", "figure", "formula", "header", "footer"];

export const setKind = (doc, index, kind) =>
  !doc.regions[index] || doc.regions[index].kind === kind
    ? doc
    : { ...doc, regions: doc.regions.with(index, { ...doc.regions[index], kind }) };

/** Puts a region behind the one at `after`. */
export const addRegion = (doc, quad, after) => ({
  ...doc,
  regions: doc.regions.toSpliced(after + 1, 0, { kind: "text", quad, text: "" }),
});

/** Gives a region another box. */
export function setQuad(doc, index, wanted) {
  const region = doc.regions[index];
  const quad = roundQuad(wanted);
  return !region || samePoints(region.quad, quad) ? doc : { ...doc, regions: doc.regions.with(index, { ...region, quad }) };
}

/** Moves a region one place on in the order of reading. */
export function moveRegion(doc, index, step) {
  const region = doc.regions[index];
  const there = doc.regions[index + step] !== undefined;
  return region && there ? { ...doc, regions: doc.regions.toSpliced(index, 1).toSpliced(index + step, 0, region) } : doc;
}

export const removeRegion = (doc, index) =>
  doc.regions[index] ? { ...doc, regions: doc.regions.toSpliced(index, 1) } : doc;

/** The kind `step` further on; one that is not of the list goes to its ends. */
export function kindFrom(kind, step, kinds = REGION_KINDS) {
  const { length } = kinds;
  const at = kinds.indexOf(kind);
  return kinds[at < 0 ? (step > 0 ? 0 : length - 1) : (at + step + length) % length];
}

export class RegionBar {
  /** @param {object} parts editor, actions, t */
  constructor({ editor, actions, t }) {
    Object.assign(this, { editor, t });
    this.place = h("span", { class: "vw-subdued" });
    this.text = h("span", { class: "vw-region-text", dir: "auto" });
    this.kind = named(h("select", { class: "vw-kind", onchange: (event) => this.#chosen(event) }), "act_kind", {
      attribute: "title",
      action: "kind",
    });
    const tool = (name, action) => iconButton(name, `act_${action}`, () => actions[action](), { action });
    this.remove = tool("remove", "remove");
    this.draw = tool("draw", "draw");
    this.add = iconButton("plus", "act_add_region", () => actions.add(), { action: "add" });
    this.handle = tool("handle", "handle");
    this.close = tool("cross", "level");
    const parts = [this.place, this.kind, this.text, this.add, this.draw, this.handle, this.remove, this.close];
    this.element = h("div", { class: "vw-regionbar", role: "group", "data-title": "regions", hidden: true }, parts);
  }

  #chosen(event) {
    this.editor.setKind(event.target.value);
  }

  render() {
    const { editor, t } = this;
    this.element.hidden = editor.tools.level !== "region";
    if (this.element.hidden) return;
    const { regions } = editor.doc;
    const region = regions[editor.region];
    const words = region ? "region_of" : regions.length ? "regions_hint" : "regions_none";
    setText(this.place, t(words, { number: editor.region + 1, total: regions.length }));
    setText(this.text, region?.text ?? "");
    this.kind.hidden = !region;
    for (const part of [this.kind, this.draw, this.add]) part.disabled = !editor.canEdit;
    this.remove.disabled = !editor.canEdit || !region;
    this.handle.disabled = !editor.canEdit || !region?.quad;
    setPressed(this.handle, editor.tools.handle !== null);
    if (region) this.#fill(region.kind);
  }

  #fill(kind) {
    const kinds = REGION_KINDS.includes(kind) ? REGION_KINDS : [...REGION_KINDS, kind];
    this.kind.replaceChildren(...kinds.map((name) => h("option", { value: name }, kindWord(this.t, name))));
    this.kind.value = kind;
  }
}

/** A kind in words; what a model has named otherwise is shown as it is. */
export function kindWord(t, kind) {
  const key = `region_${kind}`;
  const word = t(key);
  return word === key ? kind : word;
}
