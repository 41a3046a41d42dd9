"""`python -m ocr_ui evaluate`: how well templates and engines read pages whose right answer is known."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ocr_ui.commands.output import print_text, write_file
from ocr_ui.domain.counted import counted
from ocr_ui.errors import BadInput
from ocr_ui.settings import Settings

NOT_GOOD_ENOUGH = 3
"""Exit code of an evaluation that breaks a bound of --fail-under, or is a regression under --fail-on-regression."""


def add_evaluate(commands: Any) -> None:
    command = commands.add_parser(
        "evaluate",
        help="how well templates and engines read labelled pages",
        description="Reads labelled pages with every template and engine and says how good each is. What was read "
        "before is kept: the same command goes on where it was interrupted. Exit codes: 0 as good as was asked for, 1 "
        f"the engine or the store failed, 2 the input cannot be used, {NOT_GOOD_ENOUGH} a bound of --fail-under is "
        "broken or, with --fail-on-regression, something is worse than in the last run of the same pages.",
    )
    command.add_argument(
        "--data",
        required=True,
        metavar="DIR_OR_VERSION",
        help="examples, a folder with labels, a frozen version of the dataset, or filter:NAME of a saved filter",
    )
    command.add_argument(
        "--template",
        action="append",
        default=[],
        metavar="NAME",
        help="a template, NAME@VERSION for one of its versions; several are compared with the first (full_text)",
    )
    command.add_argument(
        "--engine", action="append", default=[], metavar="NAME", help="an engine; several are compared with the first"
    )
    command.add_argument(
        "--normalize",
        default="nfkc,spaces",
        metavar="LIST",
        help="what is made equal before texts are compared: nfc, nfkc, width, case, spaces, no_spaces, punctuation, or "
        "exact for nothing (nfkc,spaces)",
    )
    command.add_argument("--at-once", type=int, default=1, metavar="K", help="pages that are read at once (1)")
    command.add_argument("--fresh", action="store_true", help="read again what was read before")
    command.add_argument("--json", type=Path, metavar="FILE", help="write the whole result, page by page")
    command.add_argument("--html", type=Path, metavar="FILE", help="write a report that needs no other file")
    command.add_argument("--language", choices=("en", "zh"), default="en", help="of the report (en)")
    command.add_argument(
        "--fail-under",
        action="append",
        default=[],
        metavar="MEASURE=VALUE",
        help=f"end with {NOT_GOOD_ENOUGH} where a competitor is worse than this: cer=0.05, field_f1=0.9",
    )
    command.add_argument(
        "--fail-on-regression", action="store_true", help=f"end with {NOT_GOOD_ENOUGH} where the last run was better"
    )
    command.add_argument("--person", default="", metavar="NAME", help="who evaluates")
    command.set_defaults(run=evaluate)


def evaluate(arguments: argparse.Namespace, settings: Settings) -> int:
    bounds = read_bounds(arguments.fail_under)
    result = asyncio.run(_run(arguments, settings))
    if arguments.json:
        write_file(arguments.json, json.dumps(result, ensure_ascii=False, indent=1))
    if arguments.html:
        from ocr_ui.render.evaluation_report import report

        made = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")
        write_file(arguments.html, report(result, made, arguments.language))
    print_text("\n".join(_table(result)))
    broken = [*broken_bounds(result, bounds), *(regressions(result) if arguments.fail_on_regression else ())]
    for one in broken:
        sys.stderr.write(f"{one}\n")
    return NOT_GOOD_ENOUGH if broken else 0


async def _run(arguments: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    from ocr_ui.services.engines import Engines
    from ocr_ui.services.evaluate import Ask, Evaluator
    from ocr_ui.services.evaluation_scores import read_normalization
    from ocr_ui.services.templates import open_templates
    from ocr_ui.storage.store import Store

    ask = Ask(
        data=arguments.data,
        templates=tuple(arguments.template) or ("full_text",),
        engines=tuple(arguments.engine) or ("",),
        normalization=read_normalization(arguments.normalize),
        at_once=max(1, arguments.at_once),
        fresh=arguments.fresh,
    )
    with Store.open(settings) as store:
        engines = Engines.from_settings(_with_engine(settings, arguments.engine))
        try:
            steps = Evaluator(store, engines, open_templates(settings, store), settings).run(ask, arguments.person)
            async for step in steps:
                if step.result is None:
                    sys.stderr.write(f"{step.done}/{step.total} {step.competitor}: {step.page}\n")
                last = step
        finally:
            await engines.close()
    return last.result or {}


def _with_engine(settings: Settings, engines: Sequence[str]) -> Settings:
    """Without an engines file there is one engine, the one that is asked for."""
    return settings.model_copy(update={"engine": engines[0]}) if engines else settings


def read_bounds(written: Sequence[str]) -> dict[str, float]:
    """Bounds of `measure=value`.

    Raises:
        BadInput: `bad_bound` (details: value, allowed).
    """
    from ocr_ui.scoring.metrics import METRIC

    bounds: dict[str, float] = {}
    for one in written:
        name, _, value = one.partition("=")
        try:
            bounds[METRIC[name.strip()].key] = float(value)
        except (KeyError, ValueError) as error:
            allowed = ", ".join(METRIC)
            raise BadInput(
                "bad_bound",
                f"{one[:60]!r} is no bound.",
                f"Write --fail-under MEASURE=VALUE with one of: {allowed}.",
                value=one[:60],
                allowed=allowed,
            ) from error
    return bounds


def broken_bounds(result: Mapping[str, Any], bounds: Mapping[str, float]) -> list[str]:
    """What is worse than was asked for, in words. A measure that nobody has is not good enough."""
    lower = {one["key"] for one in result["metrics"] if one["lower"]}
    told = []
    for name, bound in bounds.items():
        have = [one for one in result["competitors"] if name in one["scores"]]
        if not have:
            told.append(f"{name} was not measured: no label says enough, or no template asks for it.")
        for one in have:
            value = one["scores"][name]["value"]
            if value > bound if name in lower else value < bound:
                told.append(f"{one['title']}: {name} is {value:.4f}, the bound {bound:g}.")
    return told


def regressions(result: Mapping[str, Any]) -> list[str]:
    """What is worse than in the last run of the same pages, in words."""
    titles = {one["key"]: one["title"] for one in result["competitors"]}
    told = []
    for one in result["regressions"]:
        worse = [f"{row['metric']} {row['first']:.4f} to {row['second']:.4f}" for row in one["worse"]]
        worse += [f"{counted(len(one['facts_lost']), 'fact')} lost"] if one["facts_lost"] else []
        if worse:
            told.append(f"{titles[one['key']]}: worse than in run {one['run']}: {', '.join(worse)}.")
    return told


def _table(result: Mapping[str, Any]) -> list[str]:
    """The result for a person: a row a measure, a column a competitor, each with its interval."""
    competitors = result["competitors"]
    data = result["data"]
    rows = [f"run {result['run']}: {counted(data['pages'], 'page')} of {data['name']}"]
    rows += [one["title"] for one in competitors] + [""]
    rows.append(f"{'':18}" + "".join(f"{one['key']:>28}" for one in competitors))
    for metric in result["metrics"]:
        scores = [one["scores"].get(metric["key"]) for one in competitors]
        if any(scores):
            rows.append(f"{metric['name']:18}" + "".join(f"{_score(score):>28}" for score in scores))
    for name in ("pages", "failed", "repeated", "cached"):
        rows.append(f"{name:18}" + "".join(f"{one[name]:>28}" for one in competitors))
    for name in ("p50", "p95", "p99"):
        times = [one["seconds"] for one in competitors]
        rows.append(f"{f'seconds, {name}':18}" + "".join(f"{time[name] if time else 0:>28.3f}" for time in times))
    for contest in result["differences"]:
        rows += ["", f"{contest['second']} against {contest['first']}"]
        rows += [_difference(one) for one in contest["metrics"]] or ["  no measure in common"]
    found = regressions(result)
    return [*rows, *(["", "REGRESSION", *found] if found else [])]


def _score(score: Mapping[str, Any] | None) -> str:
    if score is None:
        return "-"
    between = "1 page" if score["pages"] == 1 else f"{score['low']:.4f}..{score['high']:.4f}"
    return f"{score['value']:.4f} ({between})"


def _difference(one: Mapping[str, Any]) -> str:
    change = f"{one['difference']:+.4f} ({one['low']:+.4f}..{one['high']:+.4f})"
    pages = f"better on {one['better']}, equal on {one['equal']}, worse on {counted(one['worse'], 'page')}"
    named = {"worse": "WORSE", "open": "may be chance", "few": "too few pages to tell"}
    said = named.get(one["verdict"], one["verdict"])
    return f"  {one['metric']:18}{change:>30}  {pages}: {said}"
