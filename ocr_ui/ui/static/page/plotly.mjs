// Charts by plotly, whose script is fetched when it is needed first.
import { make } from "./dom.mjs";

let plotly;
function loadPlotly(address) {
  plotly ??= new Promise((resolve, reject) => {
    const script = make("script", { src: address });
    script.onload = () => resolve(globalThis.Plotly);
    script.onerror = () => reject(new Error(`no script at ${address}`));
    document.head.append(script);
  });
  return plotly;
}

/** Draws a chart into `plot`, or changes the one that is there, in the colours of the page as `root` has them. */
export async function drawChart(address, root, plot, { title, traces, layout }) {
  const { react } = await loadPlotly(address);
  const style = getComputedStyle(root);
  const [ink, grid] = ["--body-text-color", "--border-color-primary"].map((name) => style.getPropertyValue(name).trim());
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", title);
  await react(plot, traces, coloured(layout, ink, grid), { displayModeBar: false, responsive: true });
}

/** The layout in the colours of the page. */
export function coloured(layout, ink, grid) {
  const axis = (one) => ({ ...one, gridcolor: grid, linecolor: grid, zerolinecolor: grid });
  return { ...layout, font: { color: ink, size: 11 }, xaxis: axis(layout.xaxis), yaxis: axis(layout.yaxis) };
}
