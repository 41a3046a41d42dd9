"""`python -m ocr_ui benchmark`: how fast pages are read, always with the conditions."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ocr_ui.commands.output import print_text, write_file
from ocr_ui.domain.counted import counted
from ocr_ui.settings import Settings

_COLD = {"process": "process to engine", "engine": "engine", "first_page": "first page"}
_HEAD = (
    f"  {'':10}{'pages':>6}{'failed':>8}{'p50 s':>9}{'p95 s':>9}{'p99 s':>9}{'first p50':>11}{'Mpx':>7}{'tokens':>8}"
)


def add_benchmark(commands: Any) -> None:
    command = commands.add_parser(
        "benchmark",
        help="how fast pages are read, with all conditions",
        description="Times a cold start, then pages one at a time and several at once, stage by stage and by the kind "
        "of page. Nothing is added to the dataset.",
    )
    command.add_argument("--data", default="examples", metavar="DIR_OR_VERSION", help="as for evaluate (examples)")
    command.add_argument(
        "--template", default="full_text", metavar="NAME", help="a template or NAME@VERSION (full_text)"
    )
    command.add_argument("--engine", default="", metavar="NAME", help="the engine that is timed")
    command.add_argument(
        "--load", type=int, action="append", default=[], metavar="K", help="pages at once, once for each load (1 and 4)"
    )
    command.add_argument("--rounds", type=int, default=1, metavar="N", help="how often each page is read (1)")
    command.add_argument("--pages", type=int, metavar="N", help="only the first pages of the data")
    command.add_argument(
        "--slo", default="", metavar="p99=500ms", help="find the highest load that keeps this, by the kind of page"
    )
    command.add_argument(
        "--layout",
        action="append",
        default=[],
        metavar="PAGE=KIND",
        help="a page is simple, dense or complex, whatever its lines and blocks say",
    )
    command.add_argument("--json", type=Path, metavar="FILE", help="write the whole result")
    command.add_argument("--person", default="", metavar="NAME", help="who measures")
    command.set_defaults(run=benchmark)


def benchmark(arguments: argparse.Namespace, settings: Settings) -> int:
    result = asyncio.run(_run(arguments, settings))
    if arguments.json:
        write_file(arguments.json, json.dumps(result, ensure_ascii=False, indent=1))
    print_text("\n".join(_table(result)))
    return 0


async def _run(arguments: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    from ocr_ui.services.benchmark import Ask, Benchmark, read_bound
    from ocr_ui.services.engines import Engines
    from ocr_ui.services.templates import open_templates, parse_variables
    from ocr_ui.storage.store import Store

    ask = Ask(
        data=arguments.data,
        template=arguments.template,
        engine=arguments.engine,
        loads=tuple(max(1, load) for load in arguments.load) or (1, 4),
        rounds=max(1, arguments.rounds),
        bound=read_bound(arguments.slo) if arguments.slo else None,
        layouts=parse_variables(arguments.layout),
        most=arguments.pages,
    )
    chosen = settings.model_copy(update={"engine": arguments.engine}) if arguments.engine else settings
    last: Any = {}
    with Store.open(settings) as store:
        engines = Engines.from_settings(chosen)
        try:
            steps = Benchmark(store, engines, open_templates(settings, store), settings).run(
                ask, _process_began(), arguments.person
            )
            async for last in steps:
                if isinstance(last, str):
                    sys.stderr.write(f"{last}\n")
        finally:
            await engines.close()
    return last


def _process_began() -> float | None:
    """When this process began, in the seconds of `time.perf_counter`; None where the system does not say."""
    try:
        fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        ticks, up = int(fields[19]), float(Path("/proc/uptime").read_text(encoding="utf-8").split()[0])
        return time.perf_counter() - (up - ticks / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError):
        return None


def _table(result: Mapping[str, Any]) -> Iterator[str]:
    engine = ", ".join(f"{name} {value}" for name, value in result["engine"].items() if value)
    data, cold = result["data"], result["cold_start"]
    pages = counted(data["pages"], "page")
    yield f"run {result['run']}: {pages} of {data['name']}, template {result['template']}, {engine}"
    told = [f"{name} {_seconds(cold[f'{key}_seconds'])}" for key, name in _COLD.items()]
    yield f"cold start: {', '.join(told)}"
    for load in result["loads"]:
        yield ""
        yield f"{load['at_once']} at once: {load['pages_per_second']:.3f} pages/s"
        yield _HEAD
        for kind, found in (("all", load["all"]), *load["kinds"].items()):
            yield f"  {kind:10}{_row(found)}"
        stages = load["all"]["stages"]
        yield "  median of stages: " + ", ".join(f"{name} {one['p50']:.3f}" for name, one in stages.items())
        for card in load["cards"]:
            yield f"  {card['name']}: {card['busy_percent']:.0f} % busy, {card['memory_used_bytes'] / 2**30:.1f} GiB"
    yield from _slo(result.get("slo"))
    yield from _against(result["against"])
    yield ""
    yield "conditions"
    for name, value in result["conditions"].items():
        yield f"  {name}: {json.dumps(value, ensure_ascii=False)}"


def _row(found: Mapping[str, Any]) -> str:
    seconds, first = found["seconds"] or {}, found["first_seconds"] or {}
    times = "".join(_cell(seconds.get(name), 9, 3) for name in ("p50", "p95", "p99"))
    rest = _cell(found["megapixels"], 7, 2) + _cell(found["tokens"], 8, 0)
    return f"{found['pages']:>6}{found['failed']:>8}{times}{_cell(first.get('p50'), 11, 3)}{rest}"


def _cell(value: float | None, width: int, digits: int) -> str:
    return f"{'-':>{width}}" if value is None else f"{value:>{width}.{digits}f}"


def _slo(slo: Mapping[str, Any] | None) -> Iterator[str]:
    if slo is None:
        return
    yield ""
    yield f"highest load with {slo['bound']}"
    for kind, found in slo["kinds"].items():
        best = found["best"]
        if best is None:
            slowest = _seconds(found["tried"][0]["latency"])
            yield f"  {kind:10} none: one page at a time takes {slowest}"
        else:
            speed = f"{best['pages_per_second']:.3f} pages/s"
            yield f"  {kind:10} {best['at_once']} at once, {speed}, {_seconds(best['latency'])}"


def _against(earlier: Mapping[str, Any] | None) -> Iterator[str]:
    """Whether it became slower than in the last measurement of the same."""
    if earlier is None:
        return
    yield ""
    yield f"against run {earlier['run']}"
    for one in earlier["loads"]:
        said = "SLOWER" if one["slower"] else "may be chance" if one["verdict"] == "open" else one["verdict"]
        change = f"{one['difference']:+.3f} s ({one['low']:+.3f}..{one['high']:+.3f})"
        yield f"  {one['at_once']} at once: {one['first']:.3f} s to {one['second']:.3f} s a page, {change}: {said}"
    for one in earlier["changes"]:
        yield f"  changed: {one['what']} from {one['before'] or 'none'} to {one['now'] or 'none'}"


def _seconds(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f} s"
