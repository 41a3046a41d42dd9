"""`python -m ocr_ui calibrate`: how far the confidences of a template can be trusted, from corrected pages; and
`calibrate pixels`: how high text must be for an engine, from labelled pages."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ocr_ui.commands.output import print_json, print_text, write_file
from ocr_ui.domain.counted import counted
from ocr_ui.settings import Settings


def add_calibrate(commands: Any) -> None:
    command = commands.add_parser(
        "calibrate",
        help="from which confidence on lines, cells and fields need not be looked at",
        description="Works out from pages that people corrected or judged right how often what has a confidence is "
        "right, and the threshold that misses no more of the mistakes than is allowed.",
    )
    command.add_argument("--template", metavar="NAME", help="the template whose pages are looked at")
    command.add_argument(
        "--miss-rate", type=float, default=0.05, metavar="SHARE", help="of the mistakes that may be missed (0.05)"
    )
    command.add_argument("--list", action="store_true", help="measure nothing: what was measured, and what is stale")
    command.add_argument("--person", default="", metavar="NAME", help="who measures")
    command.set_defaults(run=calibrate, needs_template=command.error)
    _add_pixels(command.add_subparsers(metavar="pixels"))


def _add_pixels(commands: Any) -> None:
    command = commands.add_parser(
        "pixels",
        help="how high text must be for an engine, for OCR_UI_PIXELS=need",
        description="Reads labelled pages with all pixels, and with as few as OCR_UI_PIXELS=need would give them for "
        "each height of the smallest text; prints the character error rates, what is saved, and the least height that "
        "loses no more than is allowed, and keeps it for this engine, model and revision. What was read before is "
        "kept: the same command goes on where it was interrupted.",
    )
    command.add_argument(
        "--data",
        required=True,
        metavar="DIR_OR_VERSION",
        help="examples, a folder with labels, a frozen version of the dataset, or filter:NAME of a saved filter",
    )
    command.add_argument("--engine", default="", metavar="NAME", help="the engine that is measured")
    command.add_argument(
        "--template", default="full_text", metavar="NAME", help="the template to read with (full_text)"
    )
    command.add_argument(
        "--height",
        type=float,
        action="append",
        default=[],
        metavar="PX",
        help="a height of the smallest text to try, in pixels, once for each (8, 10, 12, 14, 17, 20)",
    )
    command.add_argument(
        "--may-lose", type=float, default=0.005, metavar="CER", help="by how much the error rate may rise (0.005)"
    )
    command.add_argument("--dry-run", action="store_true", help="keep nothing: print what would be kept")
    command.add_argument("--json", type=Path, metavar="FILE", help="write the whole result, page by page")
    command.add_argument("--person", default="", metavar="NAME", help="who measures")
    command.set_defaults(run=calibrate_pixels)


def calibrate_pixels(arguments: argparse.Namespace, settings: Settings) -> int:
    result = asyncio.run(_measure_pixels(arguments, settings))
    if arguments.json:
        write_file(arguments.json, json.dumps(result, ensure_ascii=False, indent=1))
    print_text("\n".join(_table(result)))
    return 0


async def _measure_pixels(arguments: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    from ocr_ui.services.calibrate_pixels import HEIGHTS, Ask, PixelCalibrator
    from ocr_ui.services.engines import Engines
    from ocr_ui.services.templates import open_templates
    from ocr_ui.storage.store import Store

    heights = tuple(arguments.height) or HEIGHTS
    ask = Ask(arguments.data, arguments.template, arguments.engine, heights, arguments.may_lose, not arguments.dry_run)
    chosen = settings.model_copy(update={"engine": arguments.engine}) if arguments.engine else settings
    with Store.open(settings) as store:
        engines = Engines.from_settings(chosen)
        try:
            calibrator = PixelCalibrator(store, engines, open_templates(settings, store), settings)
            async for step in calibrator.run(ask, arguments.person):
                if step.result is None:
                    sys.stderr.write(f"{step.done + 1}/{step.total} {step.page}\n")
                last = step
        finally:
            await engines.close()
    return last.result or {}


def _table(result: Mapping[str, Any]) -> Iterator[str]:
    heights = [one["height"] for one in result["heights"]]
    engine = ", ".join(f"{name} {value}" for name, value in result["engine"].items() if value)
    pages = counted(result["data"]["pages"], "page")
    yield f"{pages} of {result['data']['name']}, template {result['template']}, {engine}"
    yield "text: height of the smallest, pixels; then the error rate with all pixels, and by the height that it keeps"
    yield ""
    yield f"{'page':36}{'size':>12}{'text':>9}{'all':>8}" + "".join(f"{height:>15g}" for height in heights)
    for page in result["pages"]:
        width, height = page["size"]
        text = page["reason"] if page["text_height"] is None else f"{page['text_height']:.1f}"
        tried = {one["height"]: one for one in page["heights"]}
        cells = "".join(_cell(tried.get(height), page["size"]) for height in heights)
        full = "failed" if page["failed"] else f"{page['cer']:.3f}"
        yield f"{page['page'][:35]:36}{f'{width}x{height}':>12}{text:>9}{full:>8}{'' if page['failed'] else cells}"
    yield ""
    yield f"{'height':>8}{'smaller':>9}{'all':>8}{'fewer':>8}{'change, 95%':>20}{'pixels':>8}{'seconds':>16}  verdict"
    for one in result["heights"]:
        if one["reduced"]:
            change = f"{one['low']:+.4f}..{one['high']:+.4f}"
            rates = f"{one['cer_full']:>8.4f}{one['cer']:>8.4f}{change:>20}"
        else:
            rates = f"{'-':>8}{'-':>8}{'-':>20}"
        seconds = f"{one['seconds_full']:.1f} to {one['seconds']:.1f}"
        yield f"{one['height']:>8g}{one['reduced']:>9}{rates}{one['pixels']:>8.0%}{seconds:>16}  {one['verdict']}"
    yield ""
    estimate = result["estimate_seconds"]
    if estimate:
        yield f"choosing took {1000 * estimate['median']:.0f} ms a page, {1000 * estimate['most']:.0f} at most"
    yield _told(result)


def _told(result: Mapping[str, Any]) -> str:
    target, may = result["target"], f"{result['may_lose']:g}"
    kept = "kept" if result["kept"] else "not kept"
    if target is not None:
        return f"{target:g} pixels lose no more than {may}; {kept}"
    if all(one["verdict"] == "few" for one in result["heights"]):
        failed = sum(page["failed"] for page in result["pages"])
        without = f" ({failed} failed, which count for nothing)" if failed else ""
        return f"too few pages were made smaller to tell{without}; nothing is kept"
    return f"no height loses no more than {may}: this engine gets all pixels; {kept}"


def _cell(one: Mapping[str, Any] | None, full: Sequence[int]) -> str:
    if one is None:
        return f"{'':15}"
    share = one["size"][0] * one["size"][1] / (full[0] * full[1])
    return f"{one['cer']:>9.3f} {f'{share:.0%}':>5}"


def calibrate(arguments: argparse.Namespace, settings: Settings) -> int:
    if arguments.template is None:
        arguments.needs_template("the following arguments are required: --template")
    from ocr_ui.services.calibrate import Calibrator
    from ocr_ui.services.thresholds import Thresholds
    from ocr_ui.storage.store import Store

    with Store.open(settings) as store:
        calibrator = Calibrator(store, Thresholds(store, settings))
        if arguments.list:
            found = asyncio.run(calibrator.list(arguments.template))
        else:
            found = asyncio.run(calibrator.measure(arguments.template, arguments.miss_rate, arguments.person))
    print_json({"thresholds": [one.to_dict() for one in found]})
    return 0
