// Charts of contests: what they share in form, and points that can be pressed.
import { make } from "../page/dom.mjs";
import { drawChart } from "../page/plotly.mjs";

const COLORS = ["#2563eb", "#d97706", "#059669", "#dc2626", "#7c3aed", "#0891b2", "#65a30d", "#be185d"];
const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "star", "hexagon", "triangle-down"];

/** Competitors differ in colour and in form. */
export const colorOf = (index) => COLORS[index % COLORS.length];
export const symbolOf = (index) => SYMBOLS[index % SYMBOLS.length];

// Names of pages and templates are data; plotly reads tags in texts.
export const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

/** An element with a chart; `onpoint(customdata)` where a point is clicked. Its numbers stand in tables as well. */
export class Chart {
  constructor({ address, label, failed, onpoint = null, height = 300 }) {
    Object.assign(this, { address, label, failed, onpoint, height });
    this.node = make("div", { class: "wb-contest-plot" });
    this.node.style.minHeight = `${height}px`;
    this.element = make("figure", { class: "wb-contest-chart" }, make("figcaption", { textContent: label }), this.node);
  }

  async draw(traces, layout) {
    const wide = {
      height: this.height,
      margin: { l: 60, r: 16, t: 28, b: 44 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      showlegend: traces.length > 1,
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" },
      hoverlabel: { align: "left" },
      ...layout,
      xaxis: { zeroline: false, automargin: true, ...layout.xaxis },
      yaxis: { zeroline: false, automargin: true, ...layout.yaxis },
    };
    try {
      await drawChart(this.address, this.node, this.node, { title: this.label, traces, layout: wide });
    } catch {
      this.node.textContent = this.failed;
      return;
    }
    this.node.removeAllListeners?.("plotly_click");
    if (this.onpoint) this.node.on("plotly_click", ({ points: [point] }) => point.customdata && this.onpoint(point.customdata));
  }
}
