// The Dataset list: one row an item. Opening a row triggers `select`, turning a page triggers `input`, the button that
// shows one's own rows alone triggers `submit`.
import { Chosen } from "./chosen.mjs";
import { make, parsed, say } from "./dom.mjs";
import { makeExport } from "./export.mjs";
import { clockText, momentElement } from "./moments.mjs";
import { personOf } from "./person.mjs";

const COLUMNS = ["page", "template", "engine", "verdict", "edit_distance", "reviewer", "time"];

export function mount({ element, props, trigger, watch }) {
  const words = parsed(props.words, {});
  const root = element.querySelector(".wb-list");
  const exporting = makeExport(words, props.language);
  let value = { items: [], total: 0, offset: 0, limit: 50 };
  const chosen = new Chosen({
    words,
    language: props.language,
    engines: parsed(props.engines, []),
    oncompare(item, other) {
      document.dispatchEvent(new CustomEvent("workbench:compare", { detail: { item, other } }));
      trigger("select", { index: 0, value: item });
    },
    onchanged: () => trigger("input", { offset: value.offset }),
  });
  const draw = () => {
    value = parsed(props.value, value);
    render(root, value, words, trigger, exporting, chosen);
  };
  watch("value", draw);
  draw();
}

function render(root, value, words, trigger, exporting, chosen) {
  const focused = root.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  exporting.show(value);
  chosen.show(value.items);
  const bar = footer(value, words, trigger, exporting.bar);
  const body = value.items.length ? table(value, words, trigger, chosen) : emptyState(value, words);
  if (exporting.panel.parentNode === root) {
    // What was typed into the panel stays, and the focus in it.
    root.firstChild.replaceWith(bar);
    root.lastChild.replaceWith(body);
  } else root.replaceChildren(bar, exporting.panel, chosen.element, body);
  root.dataset.total = value.total;
  const { query = {}, sort = "newest", total } = value;
  root.listed = { query, sort, total };
  root.dispatchEvent(new CustomEvent("workbench:list", { bubbles: true, detail: root.listed }));
  if (focused) root.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
}

function emptyState(value, words) {
  return make("p", { class: "wb-empty", textContent: words[value.filtered ? "list.no_match" : "list.empty"] });
}

function table(value, words, trigger, chosen) {
  const titles = COLUMNS.map((column) => make("th", { scope: "col", textContent: words[`list.${column}`] }));
  const head = [make("th", { class: "wb-choosing" }, chosen.boxOfAll()), ...titles];
  return make(
    "table",
    { class: "wb-table" },
    make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...value.items.map((item, index) => row(item, index, value.query, words, trigger, chosen))),
  );
}

function row(item, index, query, words, trigger, chosen) {
  const open = () => {
    lookFor(item, query?.text);
    trigger("select", { index, value: item.id });
  };
  return make(
    "tr",
    { "data-id": item.id, onclick: open },
    make(
      "td",
      { class: "wb-choosing", onclick: (event) => event.stopPropagation() },
      chosen.box(item, item.page_name || item.id),
    ),
    make("td", {}, make("div", { class: "wb-page" }, thumbnail(item), nameCell(item, words, open))),
    make("td", { textContent: item.template_title ?? item.template }),
    make("td", { textContent: item.engine }),
    make("td", {}, verdict(item, words)),
    make("td", { class: "wb-number", textContent: item.edit_distance === null ? "–" : String(item.edit_distance) }),
    make("td", {}, make("bdi", { textContent: item.reviewer || "–" }), ...claim(item.claim, words)),
    make("td", {}, momentElement(item.updated_at)),
  );
}

/** The viewer goes to the place that was found. */
function lookFor(item, text) {
  if (item.found?.where !== "text") return;
  document.dispatchEvent(new CustomEvent("workbench:look-for", { detail: { item: item.id, text } }));
}

function thumbnail(item) {
  return make("img", { src: item.thumbnail, alt: "", loading: "lazy", width: 48, height: 56 });
}

function nameCell(item, words, open) {
  const page = { name: item.page_name || item.id, n: item.page_number };
  const name = item.page_number > 1 ? say(words, "list.page_of", page) : page.name;
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
    item.found ? place(item.found, words) : snippet(item, words),
  );
}

function snippet(item, words) {
  return make("p", { class: "wb-snippet", dir: "auto", textContent: item.snippet || words["list.blank"] });
}

/** The place that was looked for, with what stands around it. */
export function place({ before, match, after, where, cut }, words) {
  const around = [(cut[0] ? "…" : "") + before, make("mark", { textContent: match }), after + (cut[1] ? "…" : "")];
  const read = where === "read" && make("span", { class: "wb-found-in", textContent: words["list.found_in.read"] });
  return make("p", { class: "wb-snippet wb-place", dir: "auto" }, ...around, ...(read ? [" ", read] : []));
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

/** Who has the page at this moment, and until when. */
function claim(held, words) {
  if (!held) return [];
  const until = clockText(held.until);
  const values = { person: held.person || words["list.somebody"], time: until };
  return [make("p", { class: "wb-claim", dir: "auto", textContent: say(words, "list.claim", values) })];
}

function footer(value, words, trigger, more) {
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
  const range = { from: offset + 1, to: Math.min(offset + limit, total), total };
  return make(
    "div",
    { class: "wb-list-bar" },
    make("span", { role: "status", textContent: total ? say(words, "list.count", range) : words["list.count_none"] }),
    turn("previous", Math.max(0, offset - limit), offset > 0),
    turn("next", offset + limit, offset + limit < total),
    make("button", {
      type: "button",
      class: "wb-turn",
      id: "list-mine",
      "data-focus": "mine",
      "aria-pressed": String(Boolean(value.mine)),
      title: words["list.mine.title"],
      textContent: words["list.mine"],
      onclick: () => trigger("submit", { person: value.mine ? "" : personOf(), mine: !value.mine }),
    }),
    make("span", { class: "wb-space" }),
    ...more,
  );
}
