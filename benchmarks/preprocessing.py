"""What cleaning a page does to the CPU engine's character error rate and time, step by step.

    python benchmarks/preprocessing.py --data examples --data DIR [--keep FILE]

DIR as for scripts/accuracy.py, whose way a picture goes here too. Three parts:

1. What is measured of each page, what that costs, and the steps that it asks for.
2. Pages that ask for a step, read as they are, with each such step alone, with those of auto together, and with all.
3. The pages of --spoil with a defect drawn on them, read in the same ways.

Times are those of the processor, all cores together. With --keep what was read stands in a file, and the same command
goes on from there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ocr_ui.domain.prompt import Task
from ocr_ui.engines.base import EngineRequest, LinesDelta
from ocr_ui.engines.orientation import OrientationFinder
from ocr_ui.engines.rapidocr import RapidOcrEngine
from ocr_ui.images.clean_steps import Deskew
from ocr_ui.images.cleaning import AUTO, STEPS, clean, steps_of
from ocr_ui.images.condition import light, noise, skew, specks
from ocr_ui.images.door import open_picture
from ocr_ui.images.ink import ground_color
from ocr_ui.images.limits import Limits
from ocr_ui.images.transform import prepare
from ocr_ui.imports.known_pages import KnownPage, known_pages
from ocr_ui.scoring.facts import read_fact
from ocr_ui.scoring.text import LENIENT, cer
from ocr_ui.settings import Settings

SPOILT = ("invoice", "chinese_form", "newsletter")
Picture = np.ndarray
Spoil = Callable[[Picture], Picture]


def askew(degrees: float) -> Spoil:
    return lambda pixels: Deskew(-degrees, ground_color(pixels)).apply(pixels)


def grainy(sigma: float) -> Spoil:
    def spoil(pixels: Picture) -> Picture:
        rng = np.random.default_rng(1)
        grain = rng.normal(0, sigma, pixels.shape[:2])[..., None] + rng.normal(0, sigma / 2, pixels.shape)
        return np.clip(pixels + grain, 0, 255).astype(np.uint8)

    return spoil


def speckled(share: float) -> Spoil:
    def spoil(pixels: Picture) -> Picture:
        pixels, dice = pixels.copy(), np.random.default_rng(2).random(pixels.shape[:2])
        pixels[dice < share / 2], pixels[dice > 1 - share / 2] = 0, 255
        return pixels

    return spoil


def shaded(least: float) -> Spoil:
    """A lamp at the upper left, and a shadow with an edge across the page."""

    def spoil(pixels: Picture) -> Picture:
        height, width = pixels.shape[:2]
        x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
        lamp = 1 - (1 - least) * (0.6 * x + 0.4 * y)
        shadow = 1 - 0.45 / (1 + np.exp(-40 * (y - 0.35 - 0.25 * x)))
        return (pixels * (lamp * shadow)[..., None]).astype(np.uint8)

    return spoil


def faint(share: float) -> Spoil:
    return lambda pixels: (255 - (255 - pixels.astype(np.float32)) * share).astype(np.uint8)


def all_of(*spoils: Spoil) -> Spoil:
    def spoil(pixels: Picture) -> Picture:
        for one in spoils:
            pixels = one(pixels)
        return pixels

    return spoil


DEFECTS: dict[str, Spoil] = {
    "askew 2": askew(2),
    "askew -5": askew(-5),
    "askew 10": askew(10),
    "grain 50": grainy(50),
    "specks 3%": speckled(0.03),
    "shade": shaded(0.4),
    "faint": faint(0.15),
    "faint, dark, grain": all_of(faint(0.2), shaded(0.3), grainy(4)),
    "askew 3, shade, grain 20": all_of(askew(3), shaded(0.4), grainy(20)),
}


class Bench:
    """Reads pictures with the CPU engine; what was read is kept under a name."""

    def __init__(self, keep: Path | None) -> None:
        self.settings = Settings()
        self.engine, self.finder = RapidOcrEngine(self.settings), OrientationFinder()
        self._keep = keep
        self._kept = json.loads(keep.read_text()) if keep and keep.exists() else {}

    def pixels(self, known: KnownPage) -> Picture:
        pixels = open_picture(known.picture.read_bytes(), Limits.from_settings(self.settings)).pixels
        key = f"turns of {known.name}"
        if key not in self._kept:
            self._keep_as(key, self.finder.quarter_turns(pixels, self.engine.models))
        return np.ascontiguousarray(np.rot90(pixels, self._kept[key]))

    async def read(self, name: str, pixels: Picture, wanted: str) -> dict:
        """Steps that were done, the text, and the seconds of all cores together that cleaning and reading took."""
        key = f"{name}|{wanted}"
        if key not in self._kept:
            begin = time.process_time()
            seen, transform, _ = clean(pixels, wanted)
            cleaned = time.process_time()
            copy, _, _ = prepare(seen, self.settings.engine_pixels)
            lines: list[str] = []
            async for event in self.engine.generate(EngineRequest("bench", copy, bytes, Task.SPOTTING)):
                lines += [line.text for line in event.lines] if isinstance(event, LinesDelta) else []
            found = {
                "steps": [step.kind for step in transform.steps],
                "cleaning": cleaned - begin,
                "reading": time.process_time() - cleaned,
                "text": "\n".join(lines),
            }
            self._keep_as(key, found)
        return self._kept[key]

    def _keep_as(self, key: str, value: Any) -> None:
        self._kept[key] = value
        if self._keep:
            self._keep.write_text(json.dumps(self._kept))


def error_rate(known: KnownPage, text: str) -> str:
    """CER, and the share of the characters that are missing wherever they stand: the order of blocks is no matter of
    legibility. Where only parts of the text are known, how many of them were read."""
    if known.truth.text is not None:
        wanted, found = (
            Counter("".join(unicodedata.normalize("NFKC", one).split())) for one in (known.truth.text, text)
        )
        missing = (wanted - found).total() / max(1, wanted.total())
        return f"{cer(known.truth.text, text, LENIENT):.3f} {missing:.3f}"
    parts = [one.value for one in known.truth.fields or () if one.value]
    return f"{sum(part in text for part in parts)}/{len(parts)}" if parts else ""


def together(asked: list[str]) -> list[str]:
    """What lets several of the steps be done."""
    automatic = [step for step in asked if step in steps_of(AUTO)]
    return [AUTO] * (len(automatic) > 1) + [",".join(STEPS)] * (len(asked) > max(1, len(automatic)))


async def ways(bench: Bench, known: KnownPage, name: str, pixels: Picture) -> None:
    """One row."""
    asked = [step for step in STEPS if STEPS[step](pixels) is not None]
    cells = []
    for wanted in ["off", *asked, *together(asked)]:
        read = await bench.read(name, pixels, wanted)
        shown = "all" if "," in wanted else wanted
        times = f"{1000 * read['cleaning']:.0f} ms + {read['reading']:.1f} s" if asked else f"{read['reading']:.1f} s"
        cells.append(f"{shown} {error_rate(known, read['text'])} ({times})")
    print(f"{name:44} " + "; ".join(cells), flush=True)


def measured(known: KnownPage, pixels: Picture) -> list[str]:
    """Prints what is measured of a page, and gives the steps that it asks for."""
    begin = time.process_time()
    lines, grain, dots, seen = skew(pixels), noise(pixels), specks(pixels), light(pixels)
    took = time.process_time() - begin
    asked = [step for step in STEPS if STEPS[step](pixels) is not None]
    print(
        f"{known.name:36} {lines.degrees:7.2f} {lines.sharpness:6.1f} {lines.gain:5.1f} {grain:5.1f} "
        f"{100 * dots:5.2f} {seen.evenness:5.2f} {seen.contrast:5.0f} {1000 * took:5.0f}  {' '.join(asked)}"
    )
    return asked


async def run(folders: list[Path], spoil: list[str], keep: Path | None) -> None:
    bench = Bench(keep)
    await bench.engine.start()
    pages = [(known, bench.pixels(known)) for folder in folders for known in known_pages(folder, read_fact)]
    print(f"{'page':36} {'degrees':>7} {'sharp':>6} {'gain':>5} {'grain':>5} {'spk %':>5} {'even':>5} {'ink':>5}    ms")
    asking = [(known, pixels) for known, pixels in pages if measured(known, pixels)]
    print(f"\n{len(asking)} of {len(pages)} pages ask for a step: character error rate, characters missing, times\n")
    for known, pixels in asking:
        await ways(bench, known, known.name, pixels)
    print("\nspoilt pages\n")
    by_name = {known.name: (known, pixels) for known, pixels in pages}
    for defect, make in DEFECTS.items():
        for name in spoil:
            known, pixels = by_name[name]
            await ways(bench, known, f"{name}, {defect}", make(pixels))
    await bench.engine.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", required=True, help="folder of pictures and their text")
    parser.add_argument("--spoil", nargs="*", default=list(SPOILT), metavar="NAME", help="pages that are spoilt")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="what was read stands there")
    options = parser.parse_args()
    asyncio.run(run(options.data, options.spoil, options.keep))


if __name__ == "__main__":
    main()
