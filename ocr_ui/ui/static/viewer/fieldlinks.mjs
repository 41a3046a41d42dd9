/** Where the values of fields stand in the picture and whether they look like their kind, as the server sees it. */

const PAUSE_MS = 400;

export class FieldLinks {
  /** @param {() => void} parts.onfound is called when something new is known */
  constructor({ editor, api, onfound }) {
    Object.assign(this, { editor, api, onfound });
    this.asked = null;
    this.known = null;
  }

  /** Asks about the document as it is, once it has rested; what is not answered is asked again with the next edit. */
  look() {
    const { lines, fields } = this.editor.doc;
    if (!fields.length || (this.asked?.lines === lines && this.asked.fields === fields)) return;
    this.asked = { lines, fields };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#ask(this.asked), PAUSE_MS);
  }

  async #ask(asked) {
    const answer = await this.api.post("/v1/field-links", asked).catch(() => null);
    if (!answer || this.asked !== asked) return;
    this.known = { ...asked, links: answer.fields, placed: placed(asked.fields, answer.fields) };
    this.onfound();
  }

  /** The fields with the boxes that were found for those without one; the same array while nothing changes. */
  get fields() {
    const { fields } = this.editor.doc;
    return this.known?.fields === fields ? this.known.placed : fields;
  }

  /** The box of a field's value in this line, as far as it is known; null where the value does not stand there. */
  placeIn(index, line) {
    const link = this.known?.fields === this.editor.doc.fields ? this.known.links[index] : null;
    return link?.line === line ? link.quad : null;
  }

  fits(index) {
    return this.known?.fields !== this.editor.doc.fields || this.known.links[index].fits;
  }
}

/** `found` marks a box that nobody has confirmed yet. */
const placed = (fields, links) =>
  fields.map((field, index) =>
    field.quad || !links[index].quad ? field : { ...field, quad: links[index].quad, found: true },
  );

/** The document with the boxes that were found, as its own. */
export function confirmLinks(doc, fields) {
  if (!fields.some((field) => field.found)) return doc;
  return { ...doc, fields: fields.map(({ found: _, ...field }) => field) };
}
