/** Seconds of work: those in which the page is in sight and somebody did something not long ago. */

const SIGNS = ["keydown", "pointerdown", "pointermove", "wheel", "input"];
const LONGEST_TICK = 5; // seconds: a laptop that slept in between was not at work

export class Activity {
  /** @param {number} idle seconds without a sign after which time does not count */
  constructor({ idle, now = () => performance.now() / 1000 }) {
    Object.assign(this, { idle, now });
    this.seconds = 0;
    this.sign = this.ticked = now();
  }

  /** Listens on a document, and counts once a second. */
  watch(page, signal) {
    for (const name of SIGNS) page.addEventListener(name, () => this.noticed(), { signal, capture: true, passive: true });
    const timer = setInterval(() => this.tick(!page.hidden), 1000);
    signal.addEventListener("abort", () => clearInterval(timer));
  }

  noticed() {
    this.sign = this.now();
  }

  get isIdle() {
    return this.now() - this.sign > this.idle;
  }

  tick(visible = true) {
    const now = this.now();
    const passed = Math.min(now - this.ticked, LONGEST_TICK);
    this.ticked = now;
    if (visible && !this.isIdle) this.seconds += passed;
  }

  /** The seconds since it was last asked. */
  take(visible = true) {
    this.tick(visible);
    const { seconds } = this;
    this.seconds = 0;
    return seconds;
  }
}
