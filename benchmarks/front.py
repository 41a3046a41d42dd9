"""What the product itself does while a card reads: pages of an engine that says its answers by the clock.

Usage: python benchmarks/front.py [--loads 32 96] [--tokens 1024] [--turns 6]

The engine stands in for a card, so that no card is needed and nothing but the product's own work is measured. It goes
in steps, as vLLM does: each gives every page that is being read a token, takes in as many new pages as fit, and takes
as long as docs/benchmarks.md has it for an H200 with 1,024 tokens out. `--loads` are pages at once; each place reads
--turns pages, one after the other, with answers of half to one and a half times --tokens. Three ways:

    clock      the engine asked by itself
    followed   the stored picture read as for a tab that shows each step, the result stored
    batch      the same for a batch, which waits for the end

Seconds to those of the clock alone, processor time of a page (of all threads, and of the event loop's alone, which is
what one process has only once), and how late the event loop comes to what is due (p50, p99).
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_lowercase

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from PIL import Image

from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import EngineName, Generation
from ocr_ui.engines.base import (
    Capabilities,
    EngineEvent,
    EngineRequest,
    EngineState,
    Finished,
    Health,
    Started,
    TextDelta,
)
from ocr_ui.engines.vllm_embedded import LONGEST_PAUSE, PAUSE_A_RUN
from ocr_ui.services.engines import Engines
from ocr_ui.services.reading import ReadRequest
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import Settings

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "invoice.png"
STEPS = {32: 0.0035, 96: 0.0077}
"""Seconds of a step, by pages at once."""
PICTURE = 0.042
"""Seconds that a new page adds to a step."""
NEW_PAGES = 7
"""That fit into a step: 16,384 tokens."""
LETTERS = 3
"""Characters a token."""
WAYS = ("clock", "followed", "batch")


def answer(tokens: int) -> list[str]:
    """A page of lines with their boxes, as the model writes them, in tokens. No two lines are the same: a page that
    repeats itself is cut."""
    draw, text, number = random.Random(0), "", 0
    while len(text) < LETTERS * tokens:
        top = 17 * number % 980
        words = " ".join("".join(draw.choices(ascii_lowercase, k=draw.randint(2, 9))) for _ in range(4))
        text += f"{words}({number % 400},{top}),({number % 400 + 420},{top + 14})"
        number += 1
    return [text[at : at + LETTERS] for at in range(0, LETTERS * tokens, LETTERS)]


class ClockEngine:
    """Says a third of `pieces` or more, by the clock, to whoever asks."""

    name = EngineName("vllm", "0", "a clock", "0")
    capabilities = Capabilities(tasks=frozenset(Task), takes_prompt=True)

    def __init__(self, step: float, pieces: list[str], at_once: int) -> None:
        self._seconds, self._pieces = step, pieces
        self._pause = min(LONGEST_PAUSE, PAUSE_A_RUN * at_once)
        self._steps, self._stepped = 0, asyncio.Event()
        self._waiting: list[asyncio.Future[int]] = []
        self._ticking: asyncio.Task[None] | None = None
        self.begin_anew()

    def begin_anew(self) -> None:
        """The next answers are as long as the first ones were."""
        self._draw = random.Random(0)

    async def start(self) -> None:
        self._ticking = asyncio.create_task(self._tick())

    async def _tick(self) -> None:
        due = time.perf_counter()
        while True:
            new, self._waiting = self._waiting[:NEW_PAGES], self._waiting[NEW_PAGES:]
            due = due + self._seconds + PICTURE * len(new)
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            self._steps += 1
            for one in new:
                one.set_result(self._steps)
            told, self._stepped = self._stepped, asyncio.Event()
            told.set()

    async def generate(self, request: EngineRequest) -> AsyncIterator[EngineEvent]:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        yield Started()
        end = self._draw.randint(len(self._pieces) // 3, len(self._pieces))
        first, at = await turn, 0
        while at < end:
            until = min(end, self._steps - first + 1)
            if until > at:
                yield TextDelta("".join(self._pieces[at:until]), until - at)
                at = until
                await asyncio.sleep(self._pause if at < end else 0)
            else:
                await self._stepped.wait()
        yield Finished(Generation("".join(self._pieces[:end]), "stop", end))

    async def abort(self, request_id: str) -> None:
        raise NotImplementedError("nothing is stopped here")

    def health(self) -> Health:
        return Health(EngineState.READY)

    async def close(self) -> None:
        if self._ticking:
            self._ticking.cancel()


def files(number: int) -> list[bytes]:
    """As many pictures, no two of them the same."""
    page, found = Image.open(EXAMPLE).convert("RGB"), []
    for at in range(number):
        page.putpixel((at % page.width, at // page.width), (at % 256, 0, 0))
        out = io.BytesIO()
        page.save(out, "PNG", compress_level=1)
        found.append(out.getvalue())
    return found


@dataclass
class Spent:
    """What some pages took: seconds by the clock, of all threads and of the event loop's, and its delays."""

    seconds: float = 0.0
    processor: float = 0.0
    loop: float = 0.0
    late: list[float] = field(default_factory=list)


async def timed(read: Callable[[int], Awaitable[None]], load: int, turns: int) -> Spent:
    spent = Spent()

    async def look() -> None:
        while True:
            due = time.perf_counter() + 0.01
            await asyncio.sleep(0.01)
            spent.late.append(time.perf_counter() - due)

    async def place(number: int) -> None:
        for turn in range(turns):
            await read(turn * load + number)

    looking = asyncio.create_task(look())
    begun, processor, loop = time.perf_counter(), time.process_time(), time.thread_time()
    await asyncio.gather(*[place(number) for number in range(load)])
    spent.seconds = time.perf_counter() - begun
    spent.processor, spent.loop = time.process_time() - processor, time.thread_time() - loop
    looking.cancel()
    return spent


async def measure(load: int, given: argparse.Namespace, folder: Path) -> None:
    settings = Settings(_env_file=None, data_dir=folder, turn_pages=False)
    engine = ClockEngine(STEPS[load], answer(given.tokens * 3 // 2), load)
    workbench = Workbench.open(settings, Engines({"vllm": engine}))
    await workbench.engines.ready()
    template, numbers = workbench.templates.get("full_text"), []
    for at, data in enumerate(files(load * given.turns)):
        numbers.append((await workbench.pictures.receive(data, f"{at}.png")).page_id)

    async def clock(number: int) -> None:
        async for _ in engine.generate(None):  # type: ignore[arg-type]
            pass

    def product(followed: bool) -> Callable[[int], Awaitable[None]]:
        async def read(number: int) -> None:
            request = ReadRequest(template, followed=followed)
            async for step in workbench.recognizer.read(numbers[number], request):
                last = step
            if last.recognition_id is None or last.progress.state != "complete":
                raise RuntimeError(f"{last.progress.state}: {last.progress.error}")

        return read

    alone: Spent | None = None
    for way, read in zip(WAYS, (clock, product(True), product(False)), strict=True):
        engine.begin_anew()
        spent = await timed(read, load, given.turns)
        alone = alone or spent
        pages = load * given.turns
        late = statistics.quantiles(spent.late, n=100)
        print(
            f"{load:3} {way:9} {pages / spent.seconds:6.2f} pages/s {spent.seconds / alone.seconds:6.3f} of the clock's"
            f" {1000 * spent.processor / pages:7.1f} ms {1000 * spent.loop / pages:7.1f} ms of the loop"
            f" {1000 * late[49]:6.1f} / {1000 * late[98]:.1f} ms late",
            flush=True,
        )
    await workbench.engines.close()
    workbench.store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loads", type=int, nargs="*", default=sorted(STEPS), choices=sorted(STEPS))
    parser.add_argument("--tokens", type=int, default=1024)
    parser.add_argument("--turns", type=int, default=6, help="pages that each place reads")
    given = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    print(f"{platform.machine()}, {cores} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}")
    for load in given.loads:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(measure(load, given, Path(folder)))


if __name__ == "__main__":
    main()
