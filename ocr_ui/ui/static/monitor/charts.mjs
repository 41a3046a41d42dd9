/** What the charts show of an answer of /v1/monitor: data and layout for plotly. Pure. */

const COLORS = ["#2563eb", "#d97706", "#15803d", "#9333ea", "#dc2626", "#0891b2"];
const HEIGHT = 210;
const GB = 1e9;

const dates = (at) => at.map((seconds) => new Date(seconds * 1000));
const known = (values) => values.some((value) => value !== null && value !== undefined);

function line(name, at, values, number, more = {}) {
  // A line through points that are apart tells what happened between two of them; a lonely point is seen as such.
  return { type: "scatter", mode: "lines+markers", marker: { size: 4 }, line: { width: 1.6 }, name, x: dates(at), y: values, color: COLORS[number], connectgaps: false, ...more };
}

function bars(name, at, values, number) {
  return { type: "bar", name, x: dates(at), y: values, color: COLORS[number] };
}

/** An axis for what is counted: from 0, never without a height, in whole numbers. */
function counts(...lists) {
  const most = Math.max(0, ...lists.flat().filter((value) => value !== null && value !== undefined));
  return { range: [0, Math.max(1, most) * 1.08], ...(most <= 5 ? { dtick: 1 } : {}) };
}

/**
 * The charts as [{id, title, traces, layout}], in the order in which they stand; always the same ones for one machine,
 * so that nothing jumps.
 * @param t words by key and values
 */
export function charts({ samples, readings, now, span }, t) {
  const title = (id) => t(`monitor.chart.${id}`);
  const percent = { tickformat: ".0%", range: [0, 1.02] };
  const machine = samples.cards.length
    ? samples.cards.map((card, n) => line(samples.cards.length > 1 ? `${n}: ${card.name}` : card.name, samples.at, card.busy, n))
    : [];
  machine.push(line(t("monitor.line.processors"), samples.at, samples.processors, 4));
  if (known(samples.cache)) machine.push(line(t("monitor.line.cache"), samples.at, samples.cache, 5));
  const found = [
    chart("queue", title("queue"), [
      line(t("monitor.line.waiting"), samples.at, samples.waiting, 1, { line: { width: 1.6, shape: "hv" } }),
      line(t("monitor.line.running"), samples.at, samples.running, 0, { line: { width: 1.6, shape: "hv" } }),
    ], counts(samples.waiting, samples.running)),
    chart("seconds", title("seconds"), ["p50", "p95", "p99"].map((name, n) => line(name, readings.at, readings[name], n)), counts(readings.p99)),
    known(readings.tokens)
      ? chart("tokens", title("tokens"), [line(t("monitor.line.tokens"), readings.at, readings.tokens, 0)], counts(readings.tokens))
      : chart("pages", title("pages"), [bars(t("monitor.line.pages"), readings.at, readings.pages, 0)], counts(readings.pages)),
    chart("machine", title("machine"), machine, percent),
    stages(title("stages"), now.stages, t),
    chart("errors", title("errors"), [bars(t("monitor.line.errors"), readings.at, readings.errors, 4)], counts(readings.errors)),
  ];
  if (samples.cards.length) found.splice(4, 0, chart("memory", title("memory"), memory(samples, t)));
  for (const { layout } of found) if (layout.xaxis.type === "date") layout.xaxis.range = dates(span);
  return found;
}

function memory({ at, cards }, t) {
  return cards.flatMap((card, n) => {
    const before = cards.length > 1 ? `${n}: ` : "";
    return [
      line(`${before}${t("monitor.line.memory")}`, at, card.memory.map((bytes) => bytes && bytes / GB), n),
      line(`${before}${t("monitor.line.memory_bytes")}`, at, at.map(() => card.memory_bytes / GB), n, { mode: "lines", line: { width: 1, dash: "dot" } }),
    ];
  });
}

function stages(title, seconds, t) {
  const names = Object.keys(seconds);
  const trace = { type: "bar", orientation: "h", name: "", x: names.map((name) => seconds[name]), y: names.map((name) => t(`monitor.stage.${name}`)), color: COLORS[0] };
  const found = chart("stages", title, [trace]);
  const most = Math.max(0, ...trace.x);
  found.layout = { ...found.layout, xaxis: { range: [0, most ? most * 1.08 : 1] }, yaxis: { autorange: "reversed", automargin: true } };
  return found;
}

function chart(id, title, traces, yaxis = {}) {
  const painted = traces.map(({ color, ...trace }) => ({ ...trace, marker: { ...trace.marker, color }, line: trace.line && { ...trace.line, color } }));
  const layout = {
    height: HEIGHT,
    margin: { l: 44, r: 12, t: 8, b: 28 },
    showlegend: painted.length > 1,
    legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0 },
    xaxis: { type: "date", tickformat: "%H:%M", hoverformat: "%H:%M:%S" },
    yaxis: { rangemode: "tozero", ...yaxis },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    bargap: 0.2,
    // What a person has chosen (a line hidden, a part enlarged) stays when new figures come.
    uirevision: id,
  };
  if (painted.length > 1) layout.margin.t = 24;
  return { id, title, traces: painted, layout };
}

/** The figures of now as [[id, text]]: always the same ones, a dash where something is not known. */
export function figures({ now }, t, locale) {
  const none = t("monitor.none");
  const number = (value, digits = 0) => (value === null || value === undefined ? none : value.toLocaleString(locale, { maximumFractionDigits: digits }));
  const within = (name) => (now.seconds ? t("monitor.seconds", { n: number(now.seconds[name], now.seconds[name] < 10 ? 1 : 0) }) : none);
  const running = now.places ? t("monitor.of", { n: number(now.running), all: number(now.places) }) : number(now.running);
  return [
    ["waiting", number(now.waiting)],
    ["running", running],
    ["per_minute", number(now.pages_per_minute, 1)],
    ["tokens", number(now.tokens_per_second, 0)],
    ["p50", within("p50")],
    ["p95", within("p95")],
    ["p99", within("p99")],
  ];
}
