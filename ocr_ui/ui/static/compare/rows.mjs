/** The rows of a panel: one is chosen and takes part in the order of Tab; keys step to others. */

export class Rows {
  /** `picture.choose(index)` shows on the picture what is chosen. */
  constructor(picture) {
    this.picture = picture;
    this.set([]);
  }

  /** @param {{element: HTMLElement, differs: boolean}[]} all */
  set(all) {
    this.all = all;
    this.chosen = null;
  }

  /** Shows all rows, or only those that differ. */
  filter(onlyDiffering) {
    for (const { element, differs } of this.all) element.hidden = onlyDiffering && !differs;
    this.#makeReachable();
  }

  /** The chosen row takes part in the order of Tab, else the first that is seen. */
  #makeReachable() {
    const seen = this.all.filter(({ element }) => !element.hidden);
    const own = seen.find(({ element }) => element === this.all[this.chosen]?.element) ?? seen[0];
    for (const { element } of this.all) element.tabIndex = element === own?.element ? 0 : -1;
  }

  choose(index, { focus = false } = {}) {
    if (this.chosen !== index) {
      this.all[this.chosen]?.element.removeAttribute("aria-current");
      this.chosen = index;
      this.all[index].element.setAttribute("aria-current", "true");
      this.#makeReachable();
    }
    this.picture.choose(index);
    if (focus) this.all[index].element.focus();
  }

  /** The next row that is wanted, or the one before; around the end to the beginning. */
  step(by, wanted = (row) => row.differs) {
    const count = this.all.length;
    const start = this.chosen ?? (by > 0 ? -1 : count);
    for (let n = 1; n <= count; n += 1) {
      const index = (((start + by * n) % count) + count) % count;
      const row = this.all[index];
      if (!row.element.hidden && wanted(row)) return this.choose(index, { focus: true });
    }
    return undefined;
  }
}
