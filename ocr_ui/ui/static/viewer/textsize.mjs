/** How large the texts of the result are shown; remembered in the browser. */

const KEY = "workbench.textsize";
export const SIZES = [12, 14, 16, 18, 21, 24, 28]; // pixels
const USUAL = 14;

/** The size `step` further on; it stops at the ends. */
export function sizeFrom(size, step) {
  const at = SIZES.indexOf(size);
  return SIZES[Math.min(SIZES.length - 1, Math.max(0, (at < 0 ? SIZES.indexOf(USUAL) : at) + step))];
}

export class TextSize {
  constructor({ root, kept }) {
    Object.assign(this, { root, kept });
    this.#show(sizeFrom(Number(kept.text(KEY)), 0));
  }

  #show(size) {
    this.size = size;
    this.root.style.setProperty("--vw-text-size", `${size}px`);
  }

  step(step) {
    this.#set(sizeFrom(this.size, step));
  }

  /** On to the next size, after the largest the smallest. */
  turn() {
    this.#set(this.size === SIZES.at(-1) ? SIZES[0] : sizeFrom(this.size, 1));
  }

  #set(size) {
    this.#show(size);
    this.kept.putText(KEY, String(size));
  }
}
