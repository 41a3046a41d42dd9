"""The report of an evaluation: one HTML file that needs nothing else, not even a network.

Names of pages and all recognised text are data: they are escaped here, in tables and in charts, and a policy in the
file forbids it to load anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

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
summary { cursor: pointer; } .scroll { overflow-x: auto; }
"""
_NOTHING_IN_COMMON = "They have no measure in common: each is held to labels of its own kind."
_COLORS = ("#2563eb", "#d97706", "#059669", "#dc2626", "#7c3aed", "#0891b2", "#65a30d", "#be185d")


def report(result: Mapping[str, Any], made_at: str) -> str:
    """The whole file.

    Args:
        result: as `services.evaluate` gives it, with its pages.
        made_at: when, in words.
    """
    from plotly.offline import get_plotlyjs

    names = {one["key"]: one["name"] for one in result["metrics"]}
    lower = {one["key"] for one in result["metrics"] if one["lower"]}
    title = f"Evaluation {result['run']}: {result['data']['name']}"
    parts = [
        _head(title),
        f"<script>{get_plotlyjs()}</script></head><body>",
        f"<h1>{escape(title)}</h1>",
        f"<p>{_about(result, made_at)}</p>",
        _alarms(result, names),
        "<h2>Scores</h2>",
        _scores(result, names, lower),
        _chart(_interval_figure(result, names)),
        "<h2>Score against time</h2>",
        _chart(_time_figure(result, names)),
        _speed(result),
        *_contests(result, names, lower),
        *_groups(result, names),
        *_facts(result),
        *_worst(result, names),
        "<h2>Conditions</h2>",
        _conditions(result),
        "</body></html>",
    ]
    return "\n".join(parts)


def _head(title: str) -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title><style>{_STYLE}</style>'
    )


def _about(result: Mapping[str, Any], made_at: str) -> str:
    data, equal = result["data"], _equal(result["normalization"])
    left_out = f", {len(data['left_out'])} left out" if data["left_out"] else ""
    draws = result["bootstrap"]
    return escape(
        f"{data['pages']} pages{left_out}, {made_at}. Before texts are compared, {equal}. Intervals hold "
        f"{draws['share']:.0%} of {draws['draws']} draws of the pages with replacement (seed {draws['seed']}); two "
        f"competitors are compared on the same draws."
    )


def _equal(normalization: Mapping[str, Any]) -> str:
    told = {
        "width": "full and half width are made equal",
        "case": "upper and lower case are made equal",
        "spaces": "runs of white space become one blank",
        "no_spaces": "white space is left out",
        "punctuation": "punctuation is left out",
    }
    form = normalization["unicode"]
    words = [f"Unicode is brought to {form}"] if form else []
    words += [words_of for name, words_of in told.items() if normalization[name]]
    return ", ".join(words) or "nothing is made equal"


# ---- tables


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are HTML already; those that begin with a digit or a sign stand at the right."""
    top = "".join(f"<th>{cell}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(html: str) -> str:
    plain = html.lstrip("+−-")
    return f'<td class="n">{html}</td>' if plain[:1].isdigit() else f"<td>{html}</td>"


def _measured(result: Mapping[str, Any]) -> list[str]:
    found = [one["key"] for one in result["metrics"]]
    return [key for key in found if any(key in one["scores"] for one in result["competitors"])]


def _scores(result: Mapping[str, Any], names: Mapping[str, str], lower: set[str]) -> str:
    keys = _measured(result)
    head = ["", *(f"{escape(names[key])} {'↓' if key in lower else '↑'}" for key in keys)]
    rows = []
    for one in result["competitors"]:
        cells = (_score(one["scores"].get(key), result["best"].get(key) == one["key"]) for key in keys)
        rows.append([escape(one["title"]), *cells])
    said = "↓ less is better, ↑ more is better; below each its interval. ★ better than every other beyond chance."
    return _table(head, rows) + f"<p><small>{said}</small></p>"


def _score(score: Mapping[str, Any] | None, best: bool) -> str:
    if score is None:
        return "—"
    star = ' <span class="better">★ best</span>' if best else ""
    return f"{score['value']:.4f}{star}<br><small>{score['low']:.4f} to {score['high']:.4f}</small>"


def _speed(result: Mapping[str, Any]) -> str:
    head = ["", "pages", "left out", "failed", "cut", "repeats stopped", "kept from before", "p50 s", "p95 s", "p99 s"]
    head += ["first p50 s", "first p95 s", "pages/s", "tokens a page"]
    rows = []
    for one in result["competitors"]:
        counts = [str(one[name]) for name in ("pages", "left_out", "failed", "cut", "repeated", "cached")]
        seconds, first = one["seconds"] or {}, one["first_seconds"] or {}
        times = [_number(seconds.get(name)) for name in ("p50", "p95", "p99")]
        times += [_number(first.get(name)) for name in ("p50", "p95")]
        tokens = one["tokens"]["mean"] if one["tokens"] else None
        rows.append([escape(one["title"]), *counts, *times, _number(one["pages_per_second"]), _number(tokens, 0)])
    said = "Times of pages that were kept from before are those of their first reading."
    return _table(head, rows) + f"<p><small>{said} Pages read at once: {result['at_once']}.</small></p>"


def _number(value: float | None, digits: int = 3) -> str:
    return "—" if value is None else f"{value:.{digits}f}"


def _contests(result: Mapping[str, Any], names: Mapping[str, str], lower: set[str]) -> Iterable[str]:
    titles = {one["key"]: one["title"] for one in result["competitors"]}
    for contest in result["differences"]:
        first, second = contest["first"], contest["second"]
        yield f"<h2>{escape(titles[second])} against {escape(titles[first])}</h2>"
        if not contest["metrics"]:
            yield f"<p>{_NOTHING_IN_COMMON}</p>"
            continue
        yield _differences(contest["metrics"], names)
        metric = _common_metric(contest["metrics"])
        if metric:
            yield _chart(_scatter_figure(result, first, second, metric, names[metric]))
        yield _group_differences(contest["groups"], names)
        if contest["pages"]:
            rows = [
                [escape(one["page"]), *(f"{one[side]:.4f}" for side in ("first", "second"))] for one in contest["pages"]
            ]
            yield f"<p>Pages that differ in {escape(names[metric])}, those first where the second is worst:</p>"
            yield _table(["page", "first", "second"], rows)


def _differences(metrics: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    head = ["", "first", "second", "difference", "interval", "better on", "equal on", "worse on", ""]
    rows = [
        [
            escape(names[one["metric"]]),
            f"{one['first']:.4f}",
            f"{one['second']:.4f}",
            f"{one['difference']:+.4f}",
            f"{one['low']:+.4f} to {one['high']:+.4f}",
            str(one["better"]),
            str(one["equal"]),
            str(one["worse"]),
            _verdict(one["verdict"]),
        ]
        for one in metrics
    ]
    return _table(head, rows)


def _group_differences(groups: Mapping[str, Mapping[str, Mapping[str, Any]]], names: Mapping[str, str]) -> str:
    rows = [(group, value, one) for group, values in groups.items() for value, one in values.items()]
    if not rows:
        return ""
    head = ["", "", "measure", "difference", "interval", "better on", "equal on", "worse on", ""]
    cells = [
        [
            group,
            escape(value),
            escape(names[one["metric"]]),
            f"{one['difference']:+.4f}",
            f"{one['low']:+.4f} to {one['high']:+.4f}",
            *(str(one[name]) for name in ("better", "equal", "worse")),
            _verdict(one["verdict"]),
        ]
        for group, value, one in rows
    ]
    return _table(head, cells)


def _verdict(verdict: str) -> str:
    said = {"open": "may be chance", "few": "too few pages to tell"}.get(verdict, verdict)
    return f'<span class="{verdict}">{said}</span>'


def _common_metric(metrics: Sequence[Mapping[str, Any]]) -> str:
    return metrics[0]["metric"] if metrics else ""


def _alarms(result: Mapping[str, Any], names: Mapping[str, str]) -> str:
    titles = {one["key"]: one["title"] for one in result["competitors"]}
    parts = []
    for one in result["regressions"]:
        changed = "; ".join(map(_change, one["changes"])) or "nothing that is recorded"
        against = f"{titles[one['key']]} against run {one['run']} of {one['made_at']} (changed: {changed})"
        if one["worse"] or one["facts_lost"]:
            lost = "".join(
                f"<li>{escape(_fact(row['fact']))} on {escape(row['page'])}</li>" for row in one["facts_lost"]
            )
            listed = f"<p>Facts that held before and do not now:</p><ul>{lost}</ul>" if lost else ""
            worse = _differences(one["worse"], names) if one["worse"] else ""
            parts.append(f'<div class="alarm"><h2>Regression</h2><p>{escape(against)}</p>{worse}{listed}</div>')
        else:
            better = ", ".join(names[row["metric"]] for row in one["better"])
            parts.append(f"<p>{escape(against)}: no regression{escape(f'; better: {better}' if better else '')}.</p>")
    return "".join(parts)


def _change(one: Mapping[str, str]) -> str:
    return f"{one['what'].replace('_', ' ')} from {one['before'] or 'none'} to {one['now'] or 'none'}"


def _groups(result: Mapping[str, Any], names: Mapping[str, str]) -> Iterable[str]:
    yield "<h2>By language, kind and tag</h2>"
    for group in ("language", "kind", "tag"):
        values = sorted({value for one in result["competitors"] for value in one["groups"][group]})
        if not values:
            continue
        shown = [(one, one["main"]) for one in result["competitors"]]
        head = [group, *(f"{escape(one['key'])}: {escape(names[main])}" for one, main in shown if main)]
        rows = []
        for value in values:
            cells = [_group_cell(one["groups"][group].get(value), main) for one, main in shown if main]
            rows.append([escape(value), *cells])
        yield _table(head, rows)


def _group_cell(group: Mapping[str, Any] | None, metric: str) -> str:
    if group is None or metric not in group["scores"]:
        return "—"
    return f"{group['scores'][metric]:.4f} <small>({group['pages']})</small>"


def _facts(result: Mapping[str, Any]) -> Iterable[str]:
    keys = [one["key"] for one in result["competitors"]]
    rows = []
    for page in result["pages"]:
        for number, fact in enumerate(page["facts"]):
            held = [page["results"].get(key, {}).get("facts", []) for key in keys]
            marks = [_held(one[number] if number < len(one) else None) for one in held]
            rows.append([escape(page["page"]), escape(_fact(fact)), *marks])
    if rows:
        yield "<h2>Facts</h2>"
        yield _table(["page", "fact", *map(escape, keys)], rows)


def _held(holds: bool | None) -> str:
    if holds is None:
        return "—"
    return '<span class="better">holds</span>' if holds else '<span class="worse">fails</span>'


def _fact(fact: Mapping[str, Any]) -> str:
    around = ", ".join(f"{side.replace('_', ' ')}: {text}" for side, text in fact.get("around", {}).items())
    said = {
        "present": f"“{fact['text']}” is there",
        "absent": f"“{fact['text']}” is not there",
        "order": f"“{fact['text']}” stands before “{fact.get('then', '')}”",
        "cell": f"a cell holds “{fact['text']}”" + (f" with {around}" if around else ""),
        "math": f"the formula {fact['text']} is there",
    }
    return said[fact["kind"]]


def _worst(result: Mapping[str, Any], names: Mapping[str, str]) -> Iterable[str]:
    titles = {one["key"]: one["title"] for one in result["competitors"]}
    yield "<h2>Worst pages</h2>"
    yield "<p><small><del>missing</del> is on the page and was not read, <ins>invented</ins> was read.</small></p>"
    for one in result["worst"]:
        yield f"<h3>{escape(titles[one['key']])}</h3>"
        if not one["pages"]:
            yield "<p>No page is wrong.</p>"
        for page in one["pages"]:
            heading = f"{page['page']}: {names[page['metric']]} {page['score']:.4f}"
            inside = (
                "".join(map(_shown, page["differences"])) or f"<p>{escape(page['error'] or 'Nothing was read.')}</p>"
            )
            yield f"<details><summary>{escape(heading)}</summary>{inside}</details>"


def _shown(row: Mapping[str, Any]) -> str:
    marks = {"same": "{}", "missing": "<del>{}</del>", "invented": "<ins>{}</ins>"}
    text = "".join(marks[state].format(escape(piece).replace("{", "&#123;")) for state, piece in row["pieces"])
    return f'<p class="quiet">{escape(row["name"])}</p><div class="text">{text}</div>'


def _conditions(result: Mapping[str, Any]) -> str:
    rows = [[escape(name.replace("_", " ")), escape(_told(value))] for name, value in result["conditions"].items()]
    for one in result["competitors"]:
        engine = ", ".join(f"{name} {value}" for name, value in one["engine"].items() if value)
        told = f"template version {one['template_version']}; {engine}; sampling {_told(one['sampling'])}"
        rows.append([escape(one["title"]), escape(told)])
    rows.append(["test set", escape(f"{result['data']['name']}, checksum {result['data']['sha256']}")])
    return _table(["", ""], rows)


def _told(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_told(one)}" for name, one in value.items()) or "none"
    if isinstance(value, list):
        return "; ".join(map(_told, value)) or "none"
    return str(value)


# ---- charts


def _chart(figure: Any) -> str:
    figure.update_layout(template="plotly_white", margin={"l": 60, "r": 20, "t": 30, "b": 50}, height=360)
    return figure.to_html(full_html=False, include_plotlyjs=False, config={"displaylogo": False})


def _interval_figure(result: Mapping[str, Any], names: Mapping[str, str]) -> Any:
    from plotly.graph_objects import Bar, Figure

    figure = Figure()
    for number, one in enumerate(result["competitors"]):
        scores = [(names[key], one["scores"][key]) for key in _measured(result) if key in one["scores"]]
        values = [score["value"] for _, score in scores]
        error = {
            "type": "data",
            "symmetric": False,
            "array": [score["high"] - score["value"] for _, score in scores],
            "arrayminus": [score["value"] - score["low"] for _, score in scores],
        }
        bar = Bar(x=[name for name, _ in scores], y=values, error_y=error, name=escape(one["title"]))
        figure.add_trace(bar.update(marker_color=_COLORS[number % len(_COLORS)]))
    return figure.update_layout(barmode="group", yaxis_title="score")


def _time_figure(result: Mapping[str, Any], names: Mapping[str, str]) -> Any:
    from plotly.graph_objects import Figure, Scatter

    figure = Figure()
    for number, one in enumerate(result["competitors"]):
        if not one["main"] or not one["seconds"]:
            continue
        score, seconds = one["scores"][one["main"]], one["seconds"]
        error = {"type": "data", "symmetric": False, "array": [seconds["p95"] - seconds["p50"]], "arrayminus": [0]}
        point = Scatter(x=[seconds["p50"]], y=[score["value"]], error_x=error, mode="markers", marker={"size": 12})
        named = f"{escape(one['title'])} ({escape(names[one['main']])})"
        figure.add_trace(point.update(name=named, marker_color=_COLORS[number % len(_COLORS)]))
    return figure.update_layout(
        xaxis_title="seconds a page: p50, bar to p95", yaxis_title="main score", showlegend=True
    )


def _scatter_figure(result: Mapping[str, Any], first: str, second: str, metric: str, name: str) -> Any:
    from plotly.graph_objects import Figure, Scatter

    points = [
        (page["results"][first]["scores"][metric], page["results"][second]["scores"][metric], escape(page["page"]))
        for page in result["pages"]
        if all(metric in page["results"].get(key, {}).get("scores", {}) for key in (first, second))
    ]
    xs, ys, pages = ([list(column) for column in zip(*points, strict=True)]) if points else ([], [], [])
    most = max([1e-6, *xs, *ys])
    dots = Scatter(x=xs, y=ys, text=pages, mode="markers", name="pages", marker={"size": 8, "color": _COLORS[0]})
    line = Scatter(x=[0, most], y=[0, most], mode="lines", name="equal", line={"dash": "dot", "color": "#6b7280"})
    return Figure([dots, line]).update_layout(xaxis_title=f"{name}, {first}", yaxis_title=f"{name}, {second}")
