"""Character error rate and field F1 of the CPU engine on pictures whose text is known, and which pages were turned.

    python scripts/accuracy.py --data examples
    python scripts/accuracy.py --data DIR --turns

DIR holds pictures with a JSON each ({"file", "text", "fields"}, as the project's examples have) or a manifest.jsonl
({"id", "file", "gt": {"text" or "lines", "fields"}} a line). A picture goes the product's way: door, orientation,
copy for the engine, engine, fields by rules.

CER: Levenshtein distance in characters divided by the length of the reference; both texts in Unicode NFKC (full and
half width are equal) with runs of white space as one blank. Lines are joined by a line feed, so that reading order
counts.
Field F1: over the fields whose value is known; a value is right where it is equal without case, blanks and
punctuation, an amount where the number, a date where the day is equal. A wrong value counts as invented and as missed.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import re
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from dateutil.parser import parse as parse_date

from ocr_ui.domain.content import Field, TextLine
from ocr_ui.domain.prompt import Task
from ocr_ui.engines.base import Engine, EngineRequest, Finished, LinesDelta
from ocr_ui.engines.orientation import OrientationFinder
from ocr_ui.engines.rapidocr import RapidOcrEngine
from ocr_ui.errors import WorkbenchError
from ocr_ui.images.door import open_picture
from ocr_ui.images.limits import Limits
from ocr_ui.images.transform import prepare
from ocr_ui.imports.known_pages import KnownPage, known_pages
from ocr_ui.parsing.field_specs import squeeze
from ocr_ui.parsing.label_value import find_fields
from ocr_ui.parsing.value_kinds import fold
from ocr_ui.scoring.facts import read_fact
from ocr_ui.scoring.text import LENIENT, cer
from ocr_ui.settings import Settings


@dataclass(frozen=True)
class Read:
    lines: tuple[TextLine, ...]
    warnings: tuple[str, ...]
    first: float
    seconds: float

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


@dataclass
class Score:
    """Fields that were found right, invented or missed."""

    right: int = 0
    invented: int = 0
    missed: int = 0

    def add(self, wanted: str, found: Field) -> bool:
        right = found.value is not None and same_value(wanted, found.value, found.kind)
        self.right += right
        self.invented += found.value is not None and not right
        self.missed += not right
        return right

    @property
    def f1(self) -> float:
        total = 2 * self.right + self.invented + self.missed
        return 2 * self.right / total if total else 0.0


def same_value(wanted: str, found: str, kind: str) -> bool:
    if kind == "amount" and number(wanted) is not None:
        return number(wanted) == number(found)
    if kind == "date" and (day := date(wanted)):
        return day == date(found)
    return squeeze(wanted) == squeeze(found)


def date(text: str) -> datetime.date | None:
    """The day, read with the day before the month unless the year comes first; None where it is no date."""
    numbers = re.findall(r"\d+", text) if "年" in text else []
    try:
        if len(numbers) == 3:
            return datetime.date(*map(int, numbers))
        return parse_date(text, dayfirst=not re.match(r"\s*\d{4}", text)).date()
    except (ValueError, OverflowError):
        return None


def number(text: str) -> str | None:
    """The digits of an amount with a point before its cents: "3 949.75" and "3.949,75 EUR" are both 3949.75."""
    digits = re.sub(r"[^\d.,-]", "", fold(text)).strip(".,-")
    whole, _, cents = re.sub(r"[.,](?=\d{1,2}$)", "|", digits).partition("|")
    whole = re.sub(r"\D", "", whole)
    return f"{int(whole)}.{cents:0<2}" if whole else None


def known_fields(known: KnownPage) -> dict[str, str]:
    return {one.name: one.value for one in known.truth.fields or () if one.value is not None}


async def read(engine: Engine, pixels: np.ndarray, settings: Settings) -> Read:
    copy, transform, _ = prepare(pixels, settings.engine_pixels)
    request = EngineRequest("accuracy", copy, bytes, Task.SPOTTING)
    start, first = time.perf_counter(), 0.0
    lines: list[TextLine] = []
    warnings: tuple[str, ...] = ()
    stream: AsyncIterator[Any] = engine.generate(request)
    async for event in stream:
        if isinstance(event, LinesDelta):
            first = first or time.perf_counter() - start
            back = (transform.to_stored(line.quad) if line.quad else None for line in event.lines)
            lines += [TextLine(line.text, quad, line.confidence) for line, quad in zip(event.lines, back, strict=True)]
        elif isinstance(event, Finished):
            warnings = tuple(warning.code for warning in event.warnings)
    return Read(tuple(lines), warnings, first, time.perf_counter() - start)


async def accuracy(folder: Path, only: set[str], show: bool) -> None:
    settings = Settings()
    engine, finder = RapidOcrEngine(settings), OrientationFinder()
    await engine.start()
    total, rates, wrongly_turned = Score(), [], []
    print(f"{'picture':36} {'size':>11} {'turned':>6} {'lines':>5} {'CER':>6} {'fields':>7} {'first':>6} {'all':>6}")
    for known in known_pages(folder, read_fact):
        if only and known.name not in only:
            continue
        try:
            pixels = open_picture(known.picture.read_bytes(), Limits.from_settings(settings)).pixels
        except WorkbenchError as error:
            print(f"{known.name:36} {error}")
            continue
        turns = finder.quarter_turns(pixels, engine.models)
        if known.upright is not None and known.upright is bool(turns):
            wrongly_turned.append(known.name)
        pixels = np.ascontiguousarray(np.rot90(pixels, turns))
        result = await read(engine, pixels, settings)
        rate = None if known.truth.text is None else cer(known.truth.text, result.text, LENIENT)
        rates += [] if rate is None else [rate]
        score, wrong, told = Score(), [], known_fields(known)
        for (name, wanted), found in zip(told.items(), find_fields(result.lines, list(told)), strict=True):
            total.add(wanted, found)
            if not score.add(wanted, found):
                wrong.append(f"    {name}: {found.value!r} instead of {wanted!r}")
        size = f"{pixels.shape[1]}x{pixels.shape[0]}"
        shown = "" if rate is None else f"{rate:.3f}"
        fields = f"{score.right}/{len(told)}" if told else ""
        print(
            f"{known.name:36} {size:>11} {turns * 90:>6} {len(result.lines):>5} {shown:>6} {fields:>7} "
            f"{result.first:>6.2f} {result.seconds:>6.2f} {' '.join(result.warnings)}",
            flush=True,
        )
        if show:
            print("\n".join(wrong) if wrong else "", end="\n" if wrong else "")
            for line in result.lines:
                print("   ", round(line.confidence or 0, 2), line.text)
        else:
            print("\n".join(wrong) + "\n" if wrong else "", end="")
    if rates:
        print(
            f"\nmean CER {sum(rates) / len(rates):.3f}, median {float(np.median(rates)):.3f} of {len(rates)} pictures"
        )
    print(f"fields: {total.right} right, {total.invented} wrong, {total.missed} missed or wrong, F1 {total.f1:.2f}")
    print(f"turned wrongly or not at all: {', '.join(wrongly_turned) or 'none'}")
    await engine.close()


async def turns(folder: Path, only: set[str]) -> None:
    """For each picture and its copies turned by 90, 180 and 270 degrees: by how much the finder turns it."""
    settings = Settings()
    engine, finder = RapidOcrEngine(settings), OrientationFinder()
    await engine.start()
    right = [0, 0]
    print("degrees that the finder turns counter-clockwise; ! where the page is not upright then\n")
    print(f"{'picture':36} {'as it is':>9} {'by 90':>9} {'by 180':>9} {'by 270':>9}   seconds as it is")
    for known in known_pages(folder, read_fact):
        if (only and known.name not in only) or known.truth.text == "":
            continue
        pixels = open_picture(known.picture.read_bytes(), Limits.from_settings(settings)).pixels
        start = time.perf_counter()
        base = finder.quarter_turns(pixels, engine.models)
        seconds = time.perf_counter() - start
        cells = []
        for lie in range(4):
            found = (
                base if lie == 0 else finder.quarter_turns(np.ascontiguousarray(np.rot90(pixels, lie)), engine.models)
            )
            good = (found + lie) % 4 == base if lie else known.upright is not bool(base)
            right[lie > 0] += good
            cells.append(f"{found * 90}{'' if good else '!'}")
        print(f"{known.name:36} " + " ".join(f"{cell:>9}" for cell in cells) + f"   {seconds:.2f}", flush=True)
    print(f"\nas they are: {right[0]} right; turned copies: {right[1]} put right")
    await engine.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with pictures and what they say")
    parser.add_argument("--turns", action="store_true", help="print how turned copies are put right instead")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="these pictures alone")
    parser.add_argument("--show", action="store_true", help="print the lines that were read")
    options = parser.parse_args()
    only = set(options.only)
    asyncio.run(turns(options.data, only) if options.turns else accuracy(options.data, only, options.show))


if __name__ == "__main__":
    main()
