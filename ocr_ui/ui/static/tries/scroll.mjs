/** Panes that scroll together, each by its own length: the same share of the way. */

/** Where a pane stands that another one leads. Lengths in pixels: of what there is, and of what is seen. */
export function follow({ scrollTop, scrollHeight, clientHeight }, other) {
  const way = scrollHeight - clientHeight;
  const theirs = Math.max(0, other.scrollHeight - other.clientHeight);
  return way > 0 ? Math.round((scrollTop / way) * theirs) : 0;
}

export class Together {
  /** `on()`: are they linked now? */
  constructor(on) {
    this.on = on;
    this.panes = [];
    this.set = new WeakMap();
  }

  /** @param {HTMLElement[]} panes */
  link(panes) {
    this.panes = panes;
    for (const pane of panes) pane.onscroll = () => this.#scrolled(pane);
  }

  /** Goes to the end of a pane that grows, unless a person has gone elsewhere in it. @param {() => void} grow */
  grown(pane, grow) {
    const wasThere = pane.scrollHeight - pane.scrollTop - pane.clientHeight < 4;
    grow();
    if (!wasThere) return;
    pane.scrollTop = pane.scrollHeight;
    this.set.set(pane, pane.scrollTop);
  }

  #scrolled(pane) {
    // What was set here is no movement of a person's.
    if (!this.on() || Math.abs((this.set.get(pane) ?? -9) - pane.scrollTop) < 2) return this.set.delete(pane);
    for (const other of this.panes) {
      if (other === pane) continue;
      const top = follow(pane, other);
      if (Math.abs(other.scrollTop - top) < 2) continue;
      this.set.set(other, top);
      other.scrollTop = top;
    }
    return undefined;
  }
}
