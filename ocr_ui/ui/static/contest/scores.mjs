// The table of a run: a row for each competitor, in the order of the column that was pressed.
import { make } from "../page/dom.mjs";
import { groupValue, intervalText, number, sorted } from "./told.mjs";

/** A sortable table. `columns`: {key, title, help, lower, value(row), cell(row) -> nodes}. */
export class Sortable {
  constructor({ t, caption, columns, rows, head }) {
    Object.assign(this, { t, columns, rows, head });
    this.by = null;
    this.headings = columns.map((column) => this.#heading(column));
    this.body = make("tbody", {});
    const first = make("th", { scope: "col", textContent: t("contest.competitor") });
    const top = make("thead", {}, make("tr", {}, first, ...this.headings));
    this.element = make("div", { class: "wb-contest-scroll", tabindex: "0", role: "region", "aria-label": caption }, make("table", { class: "wb-contest-table" }, make("caption", { textContent: caption }), top, this.body));
    this.#show();
  }

  #heading(column) {
    const arrow = column.lower === undefined ? "" : column.lower ? " ↓" : " ↑";
    const button = make("button", { type: "button", "data-column": column.key, title: [column.help, this.t("contest.sort")].filter(Boolean).join(" "), textContent: column.title + arrow, onclick: () => this.#sort(column) });
    return make("th", { scope: "col", "aria-sort": "none" }, button);
  }

  /** The better end first; pressed once more, the other one. */
  #sort(column) {
    const descending = this.by?.column === column ? !this.by.descending : column.lower === false;
    this.by = { column, descending };
    this.headings.forEach((heading, index) => {
      const mine = this.columns[index] === column;
      heading.setAttribute("aria-sort", mine ? (descending ? "descending" : "ascending") : "none");
    });
    this.#show();
  }

  #show() {
    const rows = this.by ? sorted(this.rows, this.by.column.value, this.by.descending) : this.rows;
    this.body.replaceChildren(
      ...rows.map((row) =>
        make("tr", {}, make("th", { scope: "row", dir: "auto" }, this.head(row)), ...this.columns.map((column) => make("td", {}, ...column.cell(row)))),
      ),
    );
  }
}

/** Every measure that somebody has, with its interval; the best is marked where that is no chance. */
export function scoresTable(run, { t, locale }) {
  const measured = run.metrics.filter(({ key }) => run.competitors.some(({ scores }) => scores[key]));
  const columns = measured.map(({ key, lower }) => ({
    key,
    lower,
    title: t(`contest.metric.${key}`),
    help: t(`contest.help.${key}`),
    value: ({ scores }) => scores[key]?.value,
    cell: ({ key: own, scores }) => {
      const score = scores[key];
      if (!score) return [document.createTextNode("–")];
      const best = run.best?.[key] === own ? make("span", { class: "wb-contest-best", textContent: `★ ${t("contest.best")}` }) : null;
      const between = intervalText(score, (value) => number(value, 4, locale), t);
      return [make("span", { textContent: number(score.value, 4, locale) }), best, make("small", { textContent: between })];
    },
  }));
  return new Sortable({ t, caption: t("contest.scores"), columns, rows: run.competitors, head: nameOf(t) }).element;
}

/** How fast, how much, and what went wrong. */
export function speedTable(run, { t, locale }) {
  const plain = (name, lower, value, digits) => ({
    key: name,
    lower,
    title: t(`contest.speed.${name}`),
    help: t(`contest.speed.help.${name}`),
    value,
    cell: (row) => [document.createTextNode(number(value(row), digits, locale))],
  });
  const columns = [
    plain("pages", undefined, ({ pages }) => pages, 0),
    plain("failed", true, ({ failed }) => failed, 0),
    plain("cut", true, ({ cut }) => cut, 0),
    plain("repeated", true, ({ repeated }) => repeated, 0),
    plain("first", true, ({ first_seconds: one }) => one?.p50, 2),
    ...["p50", "p95", "p99"].map((name) => plain(name, true, ({ seconds }) => seconds?.[name], 2)),
    plain("per_second", false, ({ pages_per_second: one }) => one, 2),
    plain("tokens", undefined, ({ tokens }) => tokens?.mean, 0),
    plain("cached", undefined, ({ cached }) => cached, 0),
  ];
  return new Sortable({ t, caption: t("contest.speed"), columns, rows: run.competitors, head: nameOf(t) }).element;
}

/** One measure of every competitor by language, kind or tag; null where pages carry none. */
export function groupsTable(run, name, metric, { t, locale }) {
  const measured = ({ groups }) => Object.keys(groups[name]).filter((value) => groups[name][value].scores[metric] !== undefined);
  const values = [...new Set(run.competitors.flatMap(measured))].sort();
  if (!values.length) return null;
  const { lower } = run.metrics.find(({ key }) => key === metric);
  const columns = values.map((value) => ({
    key: value,
    lower,
    title: groupValue(name, value, t),
    help: t(`contest.group.${name}`),
    value: ({ groups }) => groups[name][value]?.scores[metric],
    cell: ({ groups }) => {
      const group = groups[name][value];
      if (group?.scores[metric] === undefined) return [document.createTextNode("–")];
      return [make("span", { textContent: number(group.scores[metric], 4, locale) }), make("small", { textContent: t("contest.pages", { n: group.pages }) })];
    },
  }));
  return new Sortable({ t, caption: t(`contest.group.${name}`), columns, rows: run.competitors, head: nameOf(t) }).element;
}

const nameOf = (t) => (row) => {
  const version = make("small", { textContent: t("contest.version.short", { version: row.template_version.slice(0, 6) }) });
  return make("span", { class: "wb-contest-name", title: [row.engine.model, row.engine.revision].filter(Boolean).join(" · ") }, row.title, " ", version);
};
