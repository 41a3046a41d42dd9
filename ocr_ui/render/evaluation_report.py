"""The report of an evaluation: one HTML file that needs nothing else, not even a network.

Names of pages and all recognised text are data: they are escaped here, in tables and in charts, and a policy in the
file forbids it to load anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

from ocr_ui.domain.counted import fill
from ocr_ui.render.contest_words import CONTEST_WORDS
from ocr_ui.render.report_words import REPORT_WORDS
from ocr_ui.render.writing_words import WRITING_WORDS

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "font-src data:"
)
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1f2937; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; } h3 { font-size: 1rem; }
table { border-collapse: collapse; margin: .6rem 0; } th, td { padding: .25rem .7rem; border: 1px solid #d1d5db; }
th { background: #f3f4f6; text-align: left; } td.n { text-align: right; font-variant-numeric: tabular-nums; }
small, .quiet { color: #4b5563; }
.worse { color: #b91c1c; font-weight: 600; } .better { color: #15803d; font-weight: 600; }
.alarm { border-left: 4px solid #b91c1c; padding: .2rem 1rem; background: #fef2f2; }
.text { white-space: pre-wrap; word-break: break-word; background: #f9fafb; padding: .5rem; }
.text { max-height: 22rem; overflow: auto; }
del { background: #fecaca; color: #7f1d1d; text-decoration: none; } ins { background: #bbf7d0; color: #14532d; }
del::before { content: "["; } del::after { content: "]"; } ins { text-decoration: underline; }
summary { cursor: pointer; } details { margin: .3rem 0; } .scroll { overflow-x: auto; }
th:first-child, td:first-child { min-width: 7rem; } .conditions th { font-weight: 400; vertical-align: top; }
"""
_WORDS = {**CONTEST_WORDS, **WRITING_WORDS, **REPORT_WORDS}
_EQUAL = ("width", "case", "spaces", "no_spaces", "punctuation")
_COLORS = ("#2563eb", "#d97706", "#059669", "#dc2626", "#7c3aed", "#0891b2", "#65a30d", "#be185d")


def report(result: Mapping[str, Any], made_at: str, language: str = "en") -> str:
    """The whole file.

    Args:
        result: as `services.evaluate` gives it, with its pages.
        made_at: when, in words.
        language: en or zh.
    """
    return _Report(result, made_at, language).html()


class _Report:
    """Attributes: names: of measures. lower: those of which less is better. titles: of competitors by their keys."""

    def __init__(self, result: Mapping[str, Any], made_at: str, language: str) -> None:
        self._result, self._made_at, self._language = result, made_at, language
        self._names = {one["key"]: self._t(f"contest.metric.{one['key']}") for one in result["metrics"]}
        self._lower = {one["key"] for one in result["metrics"] if one["lower"]}
        self._titles = {one["key"]: one["title"] for one in result["competitors"]}

    def _t(self, key: str, **values: object) -> str:
        one = _WORDS.get(f"{key}_one", {}) if values.get("n") == 1 else {}
        return fill(one.get(self._language, _WORDS[key][self._language]), **values)

    def html(self) -> str:
        from plotly.offline import get_plotlyjs

        title = self._t("report.title", n=self._result["run"], data=self._data_name())
        parts = [
            self._head(title),
            f"<script>{get_plotlyjs()}</script></head><body>",
            f"<h1>{escape(title)}</h1>",
            f"<p>{escape(self._about())}</p>",
            self._alarms(),
            self._h2("contest.scores"),
            self._scores(),
            _chart(self._interval_figure()),
            self._h2("contest.chart.time"),
            _chart(self._time_figure()),
            self._h2("contest.speed"),
            self._speed(),
            *self._contests(),
            *self._groups(),
            *self._facts(),
            *self._worst(),
            self._h2("contest.conditions"),
            self._conditions(),
            "</body></html>",
        ]
        return "\n".join(parts)

    def _head(self, title: str) -> str:
        return (
            f'<!doctype html><html lang="{self._language}"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">'
            f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title><style>{_STYLE}</style>'
        )

    def _h2(self, key: str) -> str:
        return f"<h2>{escape(self._t(key))}</h2>"

    def _data_name(self) -> str:
        name = self._result["data"]["name"]
        return self._t("contest.data.examples") if name == "examples" else name

    def _about(self) -> str:
        data, draws = self._result["data"], self._result["bootstrap"]
        pages = [self._t("contest.set.pages", n=data["pages"])]
        if data["left_out"]:
            pages.append(self._t("contest.set.left_out", n=len(data["left_out"])))
        return self._t(
            "report.about",
            pages=self._listed(pages),
            made=self._made_at,
            equal=self._equal(self._result["normalization"]),
            share=f"{draws['share']:.0%}",
            draws=draws["draws"],
            seed=draws["seed"],
        )

    def _equal(self, normalization: Mapping[str, Any]) -> str:
        form = normalization["unicode"]
        words = [self._t("contest.equal.unicode", form=form)] if form else []
        words += [self._t(f"contest.equal.{name}") for name in _EQUAL if normalization[name]]
        return self._listed(words) or self._t("contest.equal.nothing")

    def _listed(self, words: Iterable[str]) -> str:
        return self._t("contest.comma").join(words)

    # Tables

    def _measured(self) -> list[str]:
        found = [one["key"] for one in self._result["metrics"]]
        return [key for key in found if any(key in one["scores"] for one in self._result["competitors"])]

    def _named(self, key: str) -> str:
        """A measure's name and which way is better."""
        return f"{self._names[key]} {'↓' if key in self._lower else '↑'}"

    def _scores(self) -> str:
        keys, draws = self._measured(), self._result["bootstrap"]
        rows = []
        for one in self._result["competitors"]:
            cells = (self._score(one["scores"].get(key), self._result["best"].get(key) == one["key"]) for key in keys)
            rows.append([escape(one["title"]), *cells])
        said = self._t("contest.scores.about", share=f"{draws['share']:.0%}", draws=draws["draws"])
        return _table(["", *(escape(self._named(key)) for key in keys)], rows) + _small(said)

    def _score(self, score: Mapping[str, Any] | None, best: bool) -> str:
        if score is None:
            return "—"
        star = f' <span class="better">★ {escape(self._t("contest.best"))}</span>' if best else ""
        return f"{score['value']:.4f}{star}<br><small>{self._interval(score, _plain)}</small>"

    def _interval(self, one: Mapping[str, Any], form: Callable[[float], str]) -> str:
        """All draws of a single page are the same: that says nothing of others."""
        pages = one["pages"] if "pages" in one else one["better"] + one["equal"] + one["worse"]
        if pages == 1:
            return escape(self._t("contest.interval.none"))
        return escape(self._t("contest.interval", low=form(one["low"]), high=form(one["high"])))

    def _speed(self) -> str:
        head = ["contest.speed.pages", "report.left_out"]
        head += [f"contest.speed.{name}" for name in ("failed", "cut", "repeated", "cached", "p50", "p95", "p99")]
        head += ["report.first.p50", "report.first.p95", "contest.speed.per_second", "contest.speed.tokens"]
        rows = []
        for one in self._result["competitors"]:
            counts = [str(one[name]) for name in ("pages", "left_out", "failed", "cut", "repeated", "cached")]
            seconds, first = one["seconds"] or {}, one["first_seconds"] or {}
            times = [_number(seconds.get(name)) for name in ("p50", "p95", "p99")]
            times += [_number(first.get(name)) for name in ("p50", "p95")]
            tokens = one["tokens"]["mean"] if one["tokens"] else None
            rows.append([escape(one["title"]), *counts, *times, _number(one["pages_per_second"]), _number(tokens, 0)])
        said = self._t("contest.speed.about", n=self._result["at_once"])
        return _table(["", *(escape(self._t(key)) for key in head)], rows) + _small(said)

    def _contests(self) -> Iterable[str]:
        for contest in self._result["differences"]:
            first, second = contest["first"], contest["second"]
            versus = self._t("report.versus", first=self._titles[first], second=self._titles[second])
            yield f"<h2>{escape(versus)}</h2>"
            if not contest["metrics"]:
                yield f"<p>{escape(self._t('report.nothing_common'))}</p>"
                continue
            yield self._differences(contest["metrics"])
            metric = contest["metrics"][0]["metric"]
            yield _chart(self._scatter_figure(first, second, metric))
            yield self._group_differences(contest["groups"])
            if contest["pages"]:
                rows = [
                    [escape(one["page"]), *(f"{one[side]:.4f}" for side in ("first", "second"))]
                    for one in contest["pages"]
                ]
                yield f"<p>{escape(self._t('report.differ', metric=self._names[metric]))}</p>"
                yield _table(self._heads("report.page", "contest.col.first", "contest.col.second"), rows)

    def _heads(self, *keys: str) -> list[str]:
        return [escape(self._t(key)) if key else "" for key in keys]

    def _differences(self, metrics: Sequence[Mapping[str, Any]]) -> str:
        head = self._heads("", "contest.col.first", "contest.col.second", *_COMPARED)
        rows = [
            [escape(self._named(one["metric"])), f"{one['first']:.4f}", f"{one['second']:.4f}", *self._compared(one)]
            for one in metrics
        ]
        return _table(head, rows)

    def _group_differences(self, groups: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
        rows = [
            [
                escape(self._t(f"contest.group.{group}")),
                escape(self._group_value(group, value)),
                escape(self._named(one["metric"])),
                *self._compared(one),
            ]
            for group, values in groups.items()
            for value, one in values.items()
        ]
        if not rows:
            return ""
        table = _table(self._heads("", "", "report.measure", *_COMPARED), rows)
        return f"<details><summary>{escape(self._t('report.groups'))}</summary>{table}</details>"

    def _group_value(self, group: str, value: str) -> str:
        """Where nobody has named a page's language, its writing stands there."""
        if group == "kind":
            return value.replace("_", " ")
        writing = group == "language" and f"script.{value}" in WRITING_WORDS
        return self._t(f"script.{value}") if writing else value

    def _compared(self, one: Mapping[str, Any]) -> list[str]:
        """The cells of _COMPARED."""
        counts = [str(one[name]) for name in ("better", "equal", "worse")]
        verdict = escape(self._t(f"contest.verdict.{one['verdict']}"))
        said = f'<span class="{escape(one["verdict"])}">{verdict}</span>'
        return [_signed(one["difference"]), self._interval(one, _signed), *counts, said]

    def _alarms(self) -> str:
        return "".join(map(self._alarm, self._result["regressions"]))

    def _alarm(self, one: Mapping[str, Any]) -> str:
        changed = self._t("contest.semicolon").join(map(self._change, one["changes"]))
        against = self._t(
            "report.against",
            title=self._titles[one["key"]],
            run=one["run"],
            made=one["made_at"],
            changes=changed or self._t("contest.changed.nothing"),
        )
        if not (one["worse"] or one["facts_lost"]):
            better = self._listed(self._names[row["metric"]] for row in one["better"])
            key = "report.better" if better else "report.no_regression"
            return f"<p>{escape(self._t(key, against=against, better=better))}</p>"
        told = (self._t("report.fact_on", fact=self._fact(row["fact"]), page=row["page"]) for row in one["facts_lost"])
        lost = "".join(f"<li>{escape(each)}</li>" for each in told)
        listed = f"<p>{escape(self._t('report.facts_lost'))}</p><ul>{lost}</ul>" if lost else ""
        worse = self._differences(one["worse"]) if one["worse"] else ""
        return f'<div class="alarm">{self._h2("contest.regression")}<p>{escape(against)}</p>{worse}{listed}</div>'

    def _change(self, one: Mapping[str, str]) -> str:
        group, *rest = one["what"].split(".")
        what = " ".join([self._t(f"contest.changed.{group}"), *rest])
        none = self._t("contest.changed.none")
        return self._t("contest.change", what=what, before=one["before"] or none, now=one["now"] or none)

    def _groups(self) -> Iterable[str]:
        shown = [(one, one["main"]) for one in self._result["competitors"] if one["main"]]
        tables = []
        for group in ("language", "kind", "tag"):
            values = sorted({value for one, main in shown for value in _measured(one["groups"][group], main)})
            if not values:
                continue
            told = [self._t("report.of", side=one["key"], metric=self._named(main)) for one, main in shown]
            head = [escape(cell) for cell in (self._t(f"contest.group.{group}"), *told)]
            rows = [
                [
                    escape(self._group_value(group, value)),
                    *(_group_cell(one["groups"][group].get(value), main) for one, main in shown),
                ]
                for value in values
            ]
            tables.append(_table(head, rows))
        return [self._h2("report.groups"), *tables] if tables else []

    def _group_row(self, group: str, value: str, shown: Iterable[tuple[Mapping[str, Any], str]]) -> list[str]:
        cells = (_group_cell(one["groups"][group].get(value), main) for one, main in shown)
        return [escape(self._group_value(group, value)), *cells]

    def _facts(self) -> Iterable[str]:
        keys = list(self._titles)
        rows = []
        for page in self._result["pages"]:
            for number, fact in enumerate(page["facts"]):
                held = [page["results"].get(key, {}).get("facts", []) for key in keys]
                marks = [self._held(one[number] if number < len(one) else None) for one in held]
                rows.append([escape(page["page"]), escape(self._fact(fact)), *marks])
        if rows:
            yield self._h2("report.facts")
            yield _table([*self._heads("report.page", "report.fact"), *map(escape, keys)], rows)

    def _held(self, holds: bool | None) -> str:
        if holds is None:
            return "—"
        kind, key = ("better", "contest.fact.holds") if holds else ("worse", "contest.fact.fails")
        return f'<span class="{kind}">{escape(self._t(key))}</span>'

    def _fact(self, fact: Mapping[str, Any]) -> str:
        around = (f"{self._t(f'contest.fact.{side}')} “{text}”" for side, text in fact.get("around", {}).items())
        said = self._t(f"contest.fact.{fact['kind']}", text=fact["text"], then=fact.get("then", ""))
        return self._listed([said, *around])

    def _worst(self) -> Iterable[str]:
        missing = f"<del>{escape(self._t('report.missing'))}</del>"
        invented = f"<ins>{escape(self._t('report.invented'))}</ins>"
        yield self._h2("contest.worst")
        yield f"<p><small>{self._t('report.marks', missing=missing, invented=invented)}</small></p>"
        for one in self._result["worst"]:
            yield f"<h3>{escape(self._titles[one['key']])}</h3>"
            if not one["pages"]:
                yield f"<p>{escape(self._t('contest.worst.none'))}</p>"
            yield from map(self._worst_page, one["pages"])

    def _worst_page(self, page: Mapping[str, Any]) -> str:
        score = f"{page['score']:.4f}"
        heading = self._t("contest.worst.row", page=page["page"], metric=self._names[page["metric"]], score=score)
        error = page["error"]
        why = f"{error['message']} {error['hint']}".strip() if error else self._t("report.unread")
        nothing = f"<p>{escape(why)}</p>"
        inside = "".join(map(self._shown, page["differences"])) or nothing
        return f"<details><summary>{escape(heading)}</summary>{inside}</details>"

    def _shown(self, row: Mapping[str, Any]) -> str:
        marks = {"same": "{}", "missing": "<del>{}</del>", "invented": "<ins>{}</ins>"}
        text = "".join(marks[state].format(escape(piece)) for state, piece in row["pieces"])
        name = row["name"] if row["kind"] == "field" else self._t(f"report.row.{row['kind']}")
        return f'<p class="quiet">{escape(name)}</p><div class="text">{text}</div>'

    def _conditions(self) -> str:
        told = self._result["conditions"].items()
        rows = [[escape(self._t(f"contest.condition.{name}")), escape(self._told(value))] for name, value in told]
        for one in self._result["competitors"]:
            engine = ", ".join(f"{name} {value}" for name, value in one["engine"].items() if value)
            sampling = self._told(one["sampling"])
            setup = self._t("report.setup", version=one["template_version"], engine=engine, sampling=sampling)
            rows.append([escape(one["title"]), escape(setup)])
        data = self._result["data"]
        checksum = self._t("report.checksum", name=self._data_name(), sha256=data["sha256"])
        rows.append([escape(self._t("report.test_set")), escape(checksum)])
        body = "".join(f'<tr><th scope="row">{name}</th><td>{value}</td></tr>' for name, value in rows)
        return f'<table class="conditions"><tbody>{body}</tbody></table>'

    def _told(self, value: Any) -> str:
        if isinstance(value, Mapping):
            return ", ".join(f"{name} {self._told(one)}" for name, one in value.items()) or self._none()
        if isinstance(value, list):
            return "; ".join(map(self._told, value)) or self._none()
        return str(value) or self._none()

    def _none(self) -> str:
        return self._t("contest.changed.none")

    # Charts

    def _interval_figure(self) -> Any:
        from plotly.graph_objects import Bar, Figure

        figure = Figure()
        for number, one in enumerate(self._result["competitors"]):
            scores = [(self._named(key), one["scores"][key]) for key in self._measured() if key in one["scores"]]
            values = [score["value"] for _, score in scores]
            error = {
                "type": "data",
                "symmetric": False,
                "array": [score["high"] - score["value"] for _, score in scores],
                "arrayminus": [score["value"] - score["low"] for _, score in scores],
            }
            bar = Bar(x=[name for name, _ in scores], y=values, error_y=error, name=escape(one["title"]))
            figure.add_trace(bar.update(marker_color=_COLORS[number % len(_COLORS)]))
        return figure.update_layout(barmode="group", yaxis_title=self._t("contest.chart.score"))

    def _time_figure(self) -> Any:
        from plotly.graph_objects import Figure, Scatter

        figure = Figure()
        for number, one in enumerate(self._result["competitors"]):
            if not one["main"] or not one["seconds"]:
                continue
            score, seconds = one["scores"][one["main"]], one["seconds"]
            error = {"type": "data", "symmetric": False, "array": [seconds["p95"] - seconds["p50"]], "arrayminus": [0]}
            point = Scatter(x=[seconds["p50"]], y=[score["value"]], error_x=error, mode="markers", marker={"size": 12})
            named = escape(f"{one['title']} ({self._named(one['main'])})")
            figure.add_trace(point.update(name=named, marker_color=_COLORS[number % len(_COLORS)]))
        axes = {"xaxis_title": self._t("contest.chart.seconds"), "yaxis_title": self._t("contest.chart.main")}
        return figure.update_layout(**axes, showlegend=True)

    def _scatter_figure(self, first: str, second: str, metric: str) -> Any:
        from plotly.graph_objects import Figure, Scatter

        points = [
            (page["results"][first]["scores"][metric], page["results"][second]["scores"][metric], escape(page["page"]))
            for page in self._result["pages"]
            if all(metric in page["results"].get(key, {}).get("scores", {}) for key in (first, second))
        ]
        xs, ys, pages = ([list(column) for column in zip(*points, strict=True)]) if points else ([], [], [])
        most = max([0.01, *xs, *ys])  # without errors the axes would tell of millionths
        words = {"mode": "markers", "name": self._t("contest.each_page"), "marker": {"size": 8, "color": _COLORS[0]}}
        dots = Scatter(x=xs, y=ys, text=pages, **words)
        dotted = {"dash": "dot", "color": "#6b7280"}
        line = Scatter(x=[0, most], y=[0, most], mode="lines", name=self._t("contest.equal"), line=dotted)
        axes = {
            f"{axis}_title": escape(f"{self._named(metric)}, {self._titles[key]}")
            for axis, key in (("xaxis", first), ("yaxis", second))
        }
        return Figure([dots, line]).update_layout(**axes)


_COMPARED = (
    "contest.col.difference",
    "report.interval",
    "contest.col.better",
    "contest.col.equal",
    "contest.col.worse",
    "contest.col.verdict",
)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are HTML already; those behind the first that begin with a digit or a sign stand at the right."""
    top = "".join(f"<th>{cell}</th>" for cell in head)
    body = "".join(f"<tr><td>{row[0]}</td>{''.join(map(_cell, row[1:]))}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(html: str) -> str:
    plain = html.lstrip("+−-")
    return f'<td class="n">{html}</td>' if plain[:1].isdigit() else f"<td>{html}</td>"


def _plain(value: float) -> str:
    return f"{value:.4f}"


def _signed(value: float) -> str:
    """With its sign; zero has none."""
    return f"{value:+.4f}".replace("-", "−") if round(value, 4) else "0.0000"


def _small(text: str) -> str:
    return f"<p><small>{escape(text)}</small></p>"


def _number(value: float | None, digits: int = 3) -> str:
    return "—" if value is None else f"{value:.{digits}f}"


def _measured(groups: Mapping[str, Mapping[str, Any]], metric: str) -> Iterable[str]:
    return (value for value, group in groups.items() if metric in group["scores"])


def _group_cell(group: Mapping[str, Any] | None, metric: str) -> str:
    if group is None or metric not in group["scores"]:
        return "—"
    return f"{group['scores'][metric]:.4f} <small>({group['pages']})</small>"


def _chart(figure: Any) -> str:
    figure.update_layout(template="plotly_white", margin={"l": 60, "r": 20, "t": 30, "b": 50}, height=360)
    return figure.to_html(full_html=False, include_plotlyjs=False, config={"displaylogo": False})
