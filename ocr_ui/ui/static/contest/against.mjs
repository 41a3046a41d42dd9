// Two competitors against each other: what differs beyond chance, on how many pages, of which kinds.
import { make } from "../page/dom.mjs";
import { explained } from "../viewer/api.mjs";
import { Chart, plain } from "./charts.mjs";
import { groupValue, intervalText, number, signed, verdictText } from "./told.mjs";

const FEW = 8;
const LISTED = 50;
/** The axes reach at least so far: without errors they would tell of millionths. */
const LEAST = 0.01;

/** `onpage(side, number)`: a page is to be shown as that side read it. */
export class Against {
  /** `heading`: the level that it stands at; `name` begins its ids and is unlike that of any other one of the page. */
  constructor({ t, api, locale, plotly, onpage, heading = "h3", name = "contest" }) {
    Object.assign(this, { t, api, locale, plotly, onpage, name });
    this.first = this.#select("first");
    this.second = this.#select("second");
    this.told = make("p", { class: "wb-contest-hint", role: "status", dir: "auto" });
    this.tables = make("div", { class: "wb-contest-tables" });
    const onpoint = (page) => this.onpage(this.found.second, page);
    this.points = make("ol", { class: "wb-contest-worst" });
    this.more = make("button", { type: "button", class: "wb-open", onclick: () => this.#listMore() });
    this.listed = make("details", { class: "wb-fold", id: `${name}-points` }, make("summary", {}), this.points, this.more);
    this.chart = new Chart({ address: plotly, label: t("contest.scatter"), failed: t("contest.no_chart"), onpoint, height: 340 });
    const choice = make("div", { class: "wb-contest-row" }, this.#labelled("first", this.first), this.#labelled("second", this.second));
    const pages = make("div", { class: "wb-contest-tables" }, this.chart.element, this.listed);
    this.body = make("div", { class: "wb-contest-against-body" }, this.tables, pages);
    this.element = make("section", { class: "wb-contest-against", id: `${name}-against` }, make(heading, { textContent: t("contest.against") }), choice, this.told, this.body);
  }

  #select(name) {
    return make("select", { id: `${this.name}-${name}`, class: "wb-input", onchange: () => this.compare() });
  }

  #labelled(name, field) {
    return make("div", { class: "wb-field" }, make("label", { for: field.id, textContent: this.t(`contest.${name}`) }), field);
  }

  /** @param {{run, key, title}[]} sides that can be chosen; the first two, or those named, are compared */
  offer(sides, [first, second] = []) {
    this.sides = sides;
    const options = () => sides.map(({ title }, index) => make("option", { value: index, textContent: title }));
    for (const select of [this.first, this.second]) select.replaceChildren(...options());
    this.first.value = String(Math.max(0, sides.indexOf(first)));
    this.second.value = String(second ? sides.indexOf(second) : Math.min(1, sides.length - 1));
    this.element.hidden = sides.length < 2;
    if (sides.length > 1) this.compare();
  }

  async compare() {
    const { t } = this;
    const [first, second] = [this.first, this.second].map(({ value }) => this.sides[value]);
    const asked = `${first.run}.${first.key} ${second.run}.${second.key}`;
    this.asked = asked;
    this.told.classList.remove("wb-wrong");
    if (first === second) return this.#nothing(t("contest.same"));
    try {
      const path = `/v1/runs/compare?first=${first.run}.${first.key}&second=${second.run}.${second.key}`;
      const found = await this.api.get(path);
      if (this.asked === asked) this.#show({ ...found, first, second });
    } catch (failure) {
      if (this.asked !== asked) return undefined;
      this.told.classList.add("wb-wrong");
      this.#nothing(explained(failure));
    }
    return undefined;
  }

  #nothing(said) {
    this.told.textContent = said;
    this.body.hidden = true;
  }

  #show(found) {
    const { t } = this;
    this.found = found;
    this.body.hidden = false;
    const sure = found.metrics.filter(({ verdict }) => ["better", "worse"].includes(verdict));
    const said = sure.map(({ metric, verdict }) => t(`contest.said.${verdict}`, { metric: t(`contest.metric.${metric}`) }));
    this.told.textContent = said.length ? t("contest.said", { title: found.second.title, said: said.join(t("contest.comma")) }) : t("contest.said.nothing");
    const measures = found.metrics.map((one) => [t(`contest.metric.${one.metric}`), one]);
    const groups = Object.entries(found.groups).flatMap(([name, values]) =>
      Object.entries(values).map(([value, one]) => [`${t(`contest.group.${name}`)}: ${groupValue(name, value, t)}`, one]),
    );
    const main = t(`contest.metric.${found.metrics[0].metric}`);
    this.tables.replaceChildren(
      this.#table(t("contest.by_measure"), "measure", measures),
      ...(groups.length ? [this.#folded(this.#table(t("contest.by_group", { metric: main }), "group", groups), groups.length)] : []),
    );
    this.#draw(found, main);
    this.points.replaceChildren();
    this.#listMore();
  }

  /** The chart's points again, for who has no pointer: the next of them, in their order from worse to better. */
  #listMore() {
    const { t, locale } = this;
    const { pages, second } = this.found;
    const from = this.points.children.length;
    const rows = pages.slice(from, from + LISTED).map(({ page, number: at, first, second: after }) => {
      const said = t("contest.points.row", { page, first: number(first, 4, locale), second: number(after, 4, locale) });
      return make("li", {}, make("button", { type: "button", class: "wb-open", dir: "auto", textContent: said, onclick: () => this.onpage(second, { page: at }) }));
    });
    const hadFocus = document.activeElement === this.more;
    this.points.append(...rows);
    const left = pages.length - from - rows.length;
    this.listed.querySelector("summary").textContent = t("contest.points", { n: pages.length.toLocaleString(locale) });
    this.more.textContent = t("contest.points.more", { n: left.toLocaleString(locale) });
    this.more.hidden = !left;
    if (hadFocus) rows[0]?.firstElementChild.focus();
  }

  /** Many rows are folded away under their name; whoever has opened them keeps them open. */
  #folded(table, rows) {
    const { textContent } = table.querySelector("caption");
    table.querySelector("caption").remove();
    const fold = make("details", { class: "wb-fold", open: this.unfolded ?? rows <= FEW, ontoggle: () => (this.unfolded = fold.open) }, make("summary", { textContent }), table);
    return fold;
  }

  #table(caption, what, rows) {
    const { t, locale } = this;
    const heads = [what, "first", "second", "difference", "better", "equal", "worse", "verdict"];
    const head = make("tr", {}, ...heads.map((name) => make("th", { scope: "col", class: name === "verdict" ? "wb-contest-said" : null, textContent: t(`contest.col.${name}`) })));
    const digits = (value) => number(value, 4, locale);
    const body = rows.map(([name, one]) =>
      make(
        "tr",
        { "data-verdict": one.verdict },
        make("th", { scope: "row", dir: "auto", textContent: name }),
        make("td", { textContent: digits(one.first) }),
        make("td", { textContent: digits(one.second) }),
        make("td", {}, make("span", { textContent: signed(one.difference, 4, locale) }), make("small", { textContent: intervalText(one, (value) => signed(value, 4, locale), t) })),
        ...["better", "equal", "worse"].map((side) => make("td", { textContent: one[side].toLocaleString(locale) })),
        make("td", { class: "wb-contest-said" }, make("span", { class: "wb-contest-verdict", textContent: verdictText(one.verdict, t) })),
      ),
    );
    return make("div", { class: "wb-contest-scroll", tabindex: "0", role: "region", "aria-label": caption }, make("table", { class: "wb-contest-table" }, make("caption", { textContent: caption }), make("thead", {}, head), make("tbody", {}, ...body)));
  }

  #draw({ pages, first, second }, name) {
    const [xs, ys] = ["first", "second"].map((side) => pages.map((page) => page[side]));
    const most = Math.max(LEAST, ...xs, ...ys);
    const dots = {
      x: xs,
      y: ys,
      mode: "markers",
      type: pages.length > 2000 ? "scattergl" : "scatter",
      marker: { size: 8, color: "#2563eb", opacity: 0.75 },
      text: pages.map(({ page }) => plain(page)),
      customdata: pages.map(({ number: page }) => ({ page })),
      hovertemplate: "%{text}<br>%{x:.4f} → %{y:.4f}<extra></extra>",
      name: this.t("contest.each_page"),
    };
    const line = { x: [0, most], y: [0, most], mode: "lines", line: { dash: "dot", color: "#6b7280" }, hoverinfo: "skip", name: this.t("contest.equal") };
    this.chart.draw([dots, line], { xaxis: { title: { text: `${name}: ${plain(first.title)}` } }, yaxis: { title: { text: `${name}: ${plain(second.title)}` } } });
  }
}
