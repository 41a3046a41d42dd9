// The Dataset list: one row an item. Opening a row triggers `select`, turning a page triggers `input`.
import { make, parsed, say } from "./dom.mjs";

const FORMATS = {
  files: ["jsonl", "csv", "xlsx", "docx"],
  tools: ["page-xml", "label-studio", "ppocrlabel", "coco-text"],
  datasets: ["datasets", "imagefolder"],
  sft: ["sft-a", "sft-b", "trl-sft", "llama-factory", "ms-swift"],
  preference: ["trl-dpo", "trl-kto"],
  reward: ["verl", "verl-plain", "easyr1", "trl-grpo"],
};
const COLUMNS = ["page", "template", "engine", "verdict", "edit_distance", "reviewer", "time"];

export function mount({ element, props, trigger, watch }) {
  const words = parsed(props.words, {});
  const root = element.querySelector(".wb-list");
  root.dataset.format ??= FORMATS.files[0];
  const draw = () => render(root, parsed(props.value, { items: [], total: 0, offset: 0, limit: 50 }), words, trigger);
  watch("value", draw);
  draw();
}

function render(root, value, words, trigger) {
  const focused = root.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  root.replaceChildren(
    footer(value, words, trigger, root.dataset),
    example(value, words, root.dataset),
    value.items.length ? table(value, words, trigger) : emptyState(value, words),
  );
  root.dataset.total = value.total;
  const { query = {}, sort = "newest", total } = value;
  root.listed = { query, sort, total };
  root.dispatchEvent(new CustomEvent("workbench:list", { bubbles: true, detail: root.listed }));
  if (focused) root.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
}

function emptyState(value, words) {
  return make("p", { class: "wb-empty", textContent: words[value.filtered ? "list.no_match" : "list.empty"] });
}

function table(value, words, trigger) {
  const head = COLUMNS.map((column) => make("th", { scope: "col", textContent: words[`list.${column}`] }));
  return make(
    "table",
    { class: "wb-table" },
    make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...value.items.map((item, index) => row(item, index, words, trigger))),
  );
}

function row(item, index, words, trigger) {
  const open = () => trigger("select", { index, value: item.id });
  return make(
    "tr",
    { "data-id": item.id, onclick: open },
    make("td", {}, make("div", { class: "wb-page" }, thumbnail(item), nameCell(item, words, open))),
    make("td", { textContent: item.template_title ?? item.template }),
    make("td", { textContent: item.engine }),
    make("td", {}, verdict(item, words)),
    make("td", { class: "wb-number", textContent: item.edit_distance === null ? "–" : String(item.edit_distance) }),
    make("td", {}, make("bdi", { textContent: item.reviewer || "–" })),
    make("td", {}, time(item.updated_at)),
  );
}

function thumbnail(item) {
  return make("img", { src: item.thumbnail, alt: "", loading: "lazy", width: 48, height: 56 });
}

function nameCell(item, words, open) {
  const name = item.page_name || item.id;
  return make(
    "div",
    {},
    make(
      "button",
      {
        type: "button",
        class: "wb-open",
        "data-focus": `open-${item.id}`,
        "aria-label": say(words, "list.open", { name }),
        onclick: (event) => (event.stopPropagation(), open()),
      },
      make("bdi", { textContent: name }),
    ),
    make("p", { class: "wb-snippet", dir: "auto", textContent: item.snippet || words["list.blank"] }),
  );
}

function verdict(item, words) {
  const cell = make("div", { class: "wb-verdict" });
  const key = item.verdict ?? "none";
  cell.append(
    make("span", { class: "wb-badge", "data-verdict": key, textContent: words[`verdict.${key}`] }),
    make("span", { class: "wb-state", textContent: words[`state.${item.state}`] ?? item.state }),
  );
  if (item.error_kinds?.length) {
    const kinds = item.error_kinds.map((kind) => words[`kind.${kind}`] ?? kind).join(", ");
    cell.append(make("span", { class: "wb-kinds", textContent: kinds }));
  }
  if (["agreed", "disputed", "resolved"].includes(item.reviews)) {
    const attributes = { class: "wb-reviews", "data-reviews": item.reviews };
    cell.append(make("span", { ...attributes, textContent: words[`reviews.${item.reviews}`] }));
  }
  return cell;
}

function time(iso) {
  const when = new Date(iso);
  const short = when.toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  return make("time", { datetime: iso, title: when.toLocaleString(), textContent: short });
}

function footer(value, words, trigger, chosen) {
  const { offset, limit, total } = value;
  const turn = (key, to, possible) =>
    make("button", {
      type: "button",
      class: "wb-turn",
      "data-focus": key,
      disabled: !possible,
      textContent: words[`list.${key}`],
      onclick: () => trigger("input", { offset: to }),
    });
  const range = { from: total ? offset + 1 : 0, to: Math.min(offset + limit, total), total };
  return make(
    "div",
    { class: "wb-list-bar" },
    make("span", { role: "status", textContent: say(words, "list.count", range) }),
    turn("previous", Math.max(0, offset - limit), offset > 0),
    turn("next", offset + limit, offset + limit < total),
    make("span", { class: "wb-space" }),
    ...download(value, words, chosen),
  );
}

/** The format and the link that downloads what the filters found in it; the choice outlasts a redrawing. */
function download(value, words, chosen) {
  const link = make("a", { class: "wb-download", download: "", textContent: words["list.download"] });
  const aim = () => (link.href = address(value, chosen));
  const formats = make(
    "select",
    {
      class: "wb-format",
      "data-focus": "format",
      "aria-label": words["list.format"],
      onchange: (event) => {
        chosen.format = event.target.value;
        aim();
        event.target.closest(".wb-list").querySelector(".wb-sample").replaceWith(example(value, words, chosen));
      },
    },
    ...Object.entries(FORMATS).map(([group, names]) =>
      make(
        "optgroup",
        { label: words[`list.group.${group}`] },
        ...names.map((name) => make("option", { value: name, textContent: words[`list.format.${name}`] })),
      ),
    ),
  );
  formats.value = chosen.format;
  aim();
  return [formats, link];
}

const address = (value, chosen, part = "") =>
  `/v1/exports/${chosen.format}${part}?${new URLSearchParams(value.query ?? {})}`;

/** One real record of the format, fetched when it is opened, and the command that starts its trainer. */
function example(value, words, chosen) {
  const record = make("pre", { class: "wb-record", dir: "auto", tabindex: "0" });
  const command = make("code", { class: "wb-command" });
  const told = make("p", { role: "status" });
  const show = async (event) => {
    if (!event.target.open || told.textContent) return;
    told.textContent = words["list.example.wait"];
    const headers = { "X-Workbench-Lang": document.documentElement.lang.slice(0, 2) };
    const reply = await fetch(address(value, chosen, "/example"), { headers });
    const found = await reply.json();
    record.textContent = found.record ?? "";
    command.textContent = found.command ?? "";
    told.textContent = reply.ok
      ? words[found.record ? "list.example.one" : "list.example.no_text"]
      : say(words, "list.example.none", { reason: found.error?.message ?? "" });
  };
  return make(
    "details",
    { class: "wb-sample", ontoggle: show },
    make("summary", { "data-focus": "example", textContent: words["list.example"] }),
    told,
    record,
    command,
  );
}
