"""RapidOCR called directly against the product's CPU engine and against the product's whole way, on the same pages.

    python benchmarks/cpu_engine.py [--data examples] [--rounds 5] [--seconds 3600] [--only NAME ...]
                                    [--out FILE]

Three ways take turns in one process, page by page, the order changing from round to round:

    direct   RapidOCR()(file): the package's plain call with its default parameters
    engine   the product's engine, given upright pixels
    product  a file in (door, orientation, store), the engine's copy, engine, content, the reading stored

All run the same three model files with as many threads as there are cores. Seconds to the first line and to the last,
and processor time of this process and of the decoding process beside it; "direct" has no line before the end. CER as in
scripts/accuracy.py. Ratios are of seconds a round, other way to "direct", with the 95% interval over the rounds.

Own share: what "product" spends outside the engine. It is split into stages; `decode` is the file made to pixels, which
"direct" does too, and `orientation` buys something that "direct" does not do.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from importlib.metadata import version
from inspect import isasyncgenfunction, iscoroutinefunction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from rapidocr import RapidOCR

from benchmarks.engine import Measured, Row, ratio
from ocr_ui.domain.prompt import Task
from ocr_ui.engines.base import EngineRequest, LinesDelta
from ocr_ui.engines.orientation import OrientationFinder
from ocr_ui.engines.rapidocr import RapidOcrEngine
from ocr_ui.images import door
from ocr_ui.images.limits import Limits
from ocr_ui.images.transform import prepare
from ocr_ui.imports.known_pages import KnownPage, known_pages
from ocr_ui.scoring.facts import read_fact
from ocr_ui.scoring.text import LENIENT, cer
from ocr_ui.services import pictures, reading, recognize
from ocr_ui.services.reading import ReadRequest
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import Settings
from ocr_ui.storage.pages import Pages
from ocr_ui.storage.pictures import Pictures

WAYS = ("direct", "engine", "product")
NOT_OWN = ("decode", "orientation", "engine")
"""Stages that are not the product's own: RapidOCR decodes too, and does not turn pages."""


@dataclass
class Read:
    """One page read once: seconds to the first line and to the end, of a core and by the clock."""

    first: float
    seconds: float
    processor: float
    text: str


@dataclass
class PageRuns:
    """All rounds of one page."""

    known: KnownPage
    data: bytes
    pixels: np.ndarray
    reads: dict[str, list[Read]] = field(default_factory=lambda: defaultdict(list))

    def median(self, way: str, what: str) -> float:
        return statistics.median(getattr(one, what) for one in self.reads[way])

    def rate(self, way: str) -> float | None:
        told = self.known.truth.text
        return None if told is None else cer(told, self.reads[way][-1].text, LENIENT)


def processor_seconds() -> float:
    """Of this process and of the decoding processes that it started."""
    children = [child for file in Path("/proc/self/task").glob("*/children") for child in file.read_text().split()]
    spent = 0.0
    for child in children:
        try:
            spent += int(Path(f"/proc/{child}/schedstat").read_text().split()[0]) / 1e9
        except OSError:
            continue
    return time.process_time() + spent


class Stages:
    """Seconds by the clock and of a core that named parts of the product take, one after the other."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.processor: dict[str, float] = defaultdict(float)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        begun, spent = time.perf_counter(), processor_seconds()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - begun
            self.processor[name] += processor_seconds() - spent

    def watch(self, owner: Any, attribute: str, name: str) -> None:
        """Adds up what calls of `owner.attribute` take, whether it is a function, a coroutine or a stream."""
        inner = getattr(owner, attribute)

        @wraps(inner)
        def called(*given: Any, **named: Any) -> Any:
            with self.stage(name):
                return inner(*given, **named)

        @wraps(inner)
        async def awaited(*given: Any, **named: Any) -> Any:
            with self.stage(name):
                return await inner(*given, **named)

        @wraps(inner)
        async def streamed(*given: Any, **named: Any) -> AsyncIterator[Any]:
            with self.stage(name):
                async for one in inner(*given, **named):
                    yield one

        outer = streamed if isasyncgenfunction(inner) else awaited if iscoroutinefunction(inner) else called
        setattr(owner, attribute, outer)

    def watch_product(self) -> None:
        self.watch(pictures, "open_picture", "decode")
        self.watch(pictures.Upright, "turn", "orientation")
        self.watch(pictures, "encode_png", "png")
        self.watch(pictures, "thumbnail", "thumbnail")
        for write in ("put", "put_thumbnail"):
            self.watch(Pictures, write, "picture on disk")
        self.watch(Pages, "add_document", "page stored")
        self.watch(pictures.PageStore, "load", "picture again")
        self.watch(reading, "engine_copy", "engine's copy")
        self.watch(RapidOcrEngine, "generate", "engine")
        self.watch(reading.ReadingRun, "finish", "content")
        self.watch(recognize, "add_reading", "reading stored")


class Ways:
    """The three ways of reading a page."""

    def __init__(self, workbench: Workbench, engine: RapidOcrEngine) -> None:
        self._workbench, self._engine = workbench, engine
        self._direct = RapidOCR(params={"Global.log_level": "warning"})
        self._template = workbench.templates.get("full_text")
        self._sizes = workbench.settings.engine_pixels

    async def read(self, way: str, page: PageRuns) -> Read:
        begun, spent = time.perf_counter(), processor_seconds()
        first, text = await getattr(self, way)(page)
        seconds, processor = time.perf_counter() - begun, processor_seconds() - spent
        return Read(first or seconds, seconds, processor, text)

    async def direct(self, page: PageRuns) -> tuple[float, str]:
        answer = await asyncio.to_thread(self._direct, page.data)
        return 0.0, "\n".join(answer.txts or ())

    async def engine(self, page: PageRuns) -> tuple[float, str]:
        copy, _, _ = prepare(page.pixels, self._sizes)
        begun, first, lines = time.perf_counter(), 0.0, []
        async for event in self._engine.generate(EngineRequest("benchmark", copy, bytes, Task.SPOTTING)):
            if isinstance(event, LinesDelta):
                first = first or time.perf_counter() - begun
                lines += [line.text for line in event.lines]
        return first, "\n".join(lines)

    async def product(self, page: PageRuns) -> tuple[float, str]:
        """First line counts from the picture that is stored: that is when a person can press Read."""
        received = await self._workbench.pictures.receive(page.data, page.known.picture.name)
        begun, first = time.perf_counter(), 0.0
        async for step in self._workbench.recognizer.read(received.page_id, ReadRequest(self._template)):
            if step.progress.content.lines and not first:
                first = time.perf_counter() - begun
        self._workbench.store.pictures.remove(received.page.sha256)  # the next round writes it anew
        return first, step.progress.content.text


async def pages_of(folder: Path, only: set[str], settings: Settings, engine: RapidOcrEngine) -> list[PageRuns]:
    finder, found = OrientationFinder(), []
    for known in known_pages(folder, read_fact):
        if only and known.name not in only:
            continue
        data = known.picture.read_bytes()
        pixels = door.open_picture(data, Limits.from_settings(settings)).pixels
        turns = finder.quarter_turns(pixels, engine.models)
        found.append(PageRuns(known, data, np.ascontiguousarray(np.rot90(pixels, turns))))
    return found


async def measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    settings = Settings(_env_file=None, data_dir=folder, engine="rapidocr")
    workbench = Workbench.open(settings)
    workbench.engines.start()
    engine: Any = await workbench.engines.ready("rapidocr", 120)
    pages = await pages_of(options.data, set(options.only), settings, engine)
    ways, stages = Ways(workbench, engine), Stages()
    for way in WAYS:
        await ways.read(way, pages[0])
    stages.watch_product()
    rounds: dict[str, dict[str, Row]] = {what: {way: Row(way, 1) for way in WAYS} for what in ("seconds", "processor")}
    loads = []
    until = time.monotonic() + options.seconds
    for number in range(options.rounds):
        if time.monotonic() > until:
            break
        order = WAYS[number % 3 :] + WAYS[: number % 3]
        for page in pages:
            for way in order:
                kept = stages.seconds.copy(), stages.processor.copy()
                page.reads[way].append(await ways.read(way, page))
                if way != "product":  # the engine alone is watched too
                    stages.seconds, stages.processor = kept
        loads.append(os.getloadavg()[0])
        for what, rows in rounds.items():
            for way, row in rows.items():
                spent = sum(getattr(page.reads[way][-1], what) for page in pages)
                row.rounds.append(Measured(spent, 0, [], [], [], len(pages)))
        print(f"round {number + 1}, load {loads[-1]:.1f}", file=sys.stderr, flush=True)
    await workbench.engines.close()
    workbench.store.close()
    return summary(pages, rounds, stages, loads, engine)


def summary(
    pages: list[PageRuns], rounds: dict[str, dict[str, Row]], stages: Stages, loads: list[float], engine: RapidOcrEngine
) -> dict[str, Any]:
    count = len(loads) * len(pages)
    whole = {
        "seconds": sum(one.seconds for page in pages for one in page.reads["product"]),
        "processor": sum(one.processor for page in pages for one in page.reads["product"]),
    }
    told = {"seconds": dict(stages.seconds), "processor": dict(stages.processor)}
    for what, total in whole.items():
        told[what]["rest"] = total - sum(told[what].values())
    return {
        "about": {
            "models": engine.name.model,
            "versions": f"rapidocr {version('rapidocr')}, onnxruntime {version('onnxruntime')}",
            "machine": f"{platform.machine()}, {len(os.sched_getaffinity(0))} cores",
            "load": f"{min(loads):.1f} to {max(loads):.1f}",
            "date": time.strftime("%Y-%m-%d"),
        },
        "pages": [page_row(page) for page in pages],
        "ratios": [
            {"what": what, "way": way, **ratio(rows["direct"], rows[way])}
            for what, rows in rounds.items()
            for way in WAYS[1:]
        ],
        "stages": [
            {
                "stage": name,
                "ms": 1000 * seconds / count,
                "processor ms": 1000 * told["processor"][name] / count,
                "share": seconds / whole["seconds"],
                "processor share": told["processor"][name] / whole["processor"],
            }
            for name, seconds in told["seconds"].items()
        ],
    }


def page_row(page: PageRuns) -> dict[str, Any]:
    row: dict[str, Any] = {"page": page.known.name, "size": f"{page.pixels.shape[1]}x{page.pixels.shape[0]}"}
    for way in WAYS:
        for what in ("first", "seconds", "processor"):
            row[f"{way} {what}"] = page.median(way, what)
        row[f"{way} CER"] = page.rate(way)
    return row


def told_rate(rate: float | None) -> str:
    return "     " if rate is None else f"{rate:.3f}"


def printed(result: dict[str, Any]) -> Iterator[str]:
    yield from (f"{name}: {value}" for name, value in result["about"].items())
    yield f"\n{'':36}{'direct':>17}{'engine':>24}{'product':>24}"
    head = f"{'first':>6}{'all':>6}{'core':>6}{'CER':>6}"
    yield f"{'page':24}{'size':>12}{'all':>6}{'core':>6}{'CER':>6}{head}{head}"
    for row in result["pages"]:
        line = f"{row['page'][:24]:24}{row['size']:>12}"
        for way in WAYS:
            first = "" if way == "direct" else f"{row[f'{way} first']:6.2f}"
            line += f"{first}{row[f'{way} seconds']:6.2f}{row[f'{way} processor']:6.2f} {told_rate(row[f'{way} CER'])}"
        yield line
    rates = {way: [row[f"{way} CER"] for row in result["pages"] if row[f"{way} CER"] is not None] for way in WAYS}
    if rates["direct"]:
        means = ", ".join(f"{way} {statistics.fmean(rates[way]):.3f}" for way in WAYS)
        yield f"mean CER of {len(rates['direct'])} pages: {means}"
    yield ""
    for one in result["ratios"]:
        interval = f" ({one['low']:.3f} to {one['high']:.3f})" if "low" in one else ""
        yield f"{one['what']:>10}, {one['way']} to direct: {one['ratio']:.3f}{interval}, {one['rounds']} rounds"
    yield f"\n{'product, a page':20}{'ms':>8}{'share':>8}{'core ms':>10}{'share':>8}"
    for one in result["stages"]:
        yield (
            f"{one['stage']:20}{one['ms']:8.1f}{one['share']:8.1%}"
            f"{one['processor ms']:10.1f}{one['processor share']:8.1%}"
        )
    own = [one for one in result["stages"] if one["stage"] not in NOT_OWN]
    shares = (sum(one[name] for one in own) for name in ("share", "processor share"))
    yield "own share, without {}: {:.1%} of the time, {:.1%} of the processor's".format(", ".join(NOT_OWN), *shares)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("examples"), help="folder with pictures and what they say")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3600, help="no new round after this many")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="these pictures alone")
    parser.add_argument("--out", type=Path, help="everything as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = asyncio.run(measure(options, Path(folder)))
    print("\n".join(printed(result)))
    if options.out:
        options.out.write_text(json.dumps(result, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
