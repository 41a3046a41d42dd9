/** The line on top: how the reading goes or went. And the warnings beside the result. */

import { h, icon, setText } from "./dom.mjs";
import { pixelsSaid } from "./pixels.mjs";

const TICK_MS = 100;
const KNOWN_ENDS = ["repeated", "length", "timeout"];
const SIGNS = { complete: "check", stopped: "stop", cut: "warning", failed: "warning", running: "clock" };

export class StatusLine {
  constructor({ editor, t }) {
    Object.assign(this, { editor, t });
    this.sign = h("span", { class: "vw-sign" });
    this.words = h("span", { class: "vw-status-words", role: "status" });
    this.numbers = h("span", { class: "vw-numbers" });
    this.origin = h("span", { class: "vw-origin" });
    this.bar = h("div", { class: "vw-progress", role: "progressbar", "aria-valuemin": "0", "data-title": "progress" });
    this.fill = this.bar.appendChild(h("div"));
    this.element = h("div", { class: "vw-status" }, this.sign, this.words, this.numbers, this.origin, this.bar);
  }

  destroy() {
    clearInterval(this.timer);
  }

  render() {
    const { value } = this.editor;
    const run = value.run ?? {};
    this.arrived = performance.now();
    const state = run.state ?? "idle";
    if (this.element.dataset.state !== state) this.#showState(state);
    setText(this.words, this.#sentence(state, run));
    setText(this.origin, this.#origin(value.item ?? {}));
    this.#renderNumbers();
    this.#renderProgress(state, run);
    this.#tick(state === "running");
  }

  #showState(state) {
    this.element.dataset.state = state;
    this.sign.replaceChildren(...(SIGNS[state] ? [icon(SIGNS[state])] : []));
  }

  #tick(running) {
    if (running && !this.timer) this.timer = setInterval(() => this.#renderNumbers(), TICK_MS);
    if (!running) this.timer = clearInterval(this.timer);
  }

  #sentence(state, run) {
    if (state !== "idle") return run.message || run.error?.message || this.t(wordOf(state, run));
    const { page, hasResult } = this.editor;
    if (!page) return this.t("no_picture");
    return hasResult ? "" : this.t("not_read_yet");
  }

  #origin({ engine, template, method, page, experiment, pixels }) {
    const size = page?.width ? `${page.width} × ${page.height}` : "";
    const arm = experiment ? this.t(experiment.arm ? "arm" : "arm_hidden", { arm: experiment.arm }) : "";
    return [template, engine, arm, this.#method(method), size, pixelsSaid(pixels, this.t)].filter(Boolean).join(" · ");
  }

  #method(name) {
    const key = `method_${name}`;
    const words = name ? this.t(key) : "";
    return words === key ? name : words;
  }

  #renderNumbers() {
    const run = this.editor.value.run ?? {};
    if ((run.state ?? "idle") === "idle") return setText(this.numbers, "");
    const running = run.state === "running";
    const seconds = (run.seconds ?? 0) + (running ? (performance.now() - this.arrived) / 1000 : 0);
    setText(this.numbers, this.#facts(run, seconds, running).filter(Boolean).join(" · "));
  }

  #facts(run, seconds, running) {
    const { t } = this;
    const lines = run.lines ?? this.editor.doc.lines.length;
    const count = run.total_lines && running ? "lines_so_far" : "count_lines";
    return [
      t("seconds", { seconds: seconds.toFixed(1) }),
      run.first_line_seconds != null && t("first_line", { seconds: run.first_line_seconds.toFixed(2) }),
      (lines > 0 || !run.tokens) && t(count, { n: lines, total: run.total_lines }),
      run.rate && t(run.tokens ? "tokens_rate" : "lines_rate", { rate: run.rate.toFixed(1) }),
      run.tokens && t("count_tokens", { n: run.tokens }),
    ];
  }

  #renderProgress(state, run) {
    this.bar.hidden = state !== "running";
    if (this.bar.hidden) return;
    const total = run.total_lines;
    this.bar.classList.toggle("unknown", !total);
    const share = total ? Math.min(1, (run.lines ?? this.editor.doc.lines.length) / total) : 0;
    this.fill.style.transform = `scaleX(${share})`;
    if (total) this.bar.setAttribute("aria-valuenow", Math.round(share * 100));
    else this.bar.removeAttribute("aria-valuenow");
    this.bar.setAttribute("aria-valuemax", "100");
  }
}

/** Why a reading was cut off says more than that it was. */
const wordOf = (state, run) =>
  run.waiting ? "run_waiting" : state === "cut" && KNOWN_ENDS.includes(run.finish) ? `run_cut_${run.finish}` : `run_${state}`;

export class WarningList {
  constructor({ editor, t }) {
    Object.assign(this, { editor, t });
    this.element = h("ul", { class: "vw-warnings", "data-title": "warnings" });
  }

  render() {
    const { warnings } = this.editor;
    const signature = JSON.stringify([warnings, this.t("locale")]);
    if (signature === this.signature) return;
    this.signature = signature;
    this.element.hidden = !warnings.length;
    this.element.replaceChildren(...warnings.map((warning) => this.#row(warning)));
  }

  #row({ message, code, id, line }) {
    const select = () => this.editor.select(id, { from: "warning" });
    const link =
      id && h("button", { type: "button", class: "vw-link", onclick: select }, this.t("line_n", { n: line + 1 }));
    return h("li", { "data-code": code }, icon("warning"), h("span", { dir: "auto" }, message), link);
  }
}
