"""Files for batches, and a process that reads them until it is killed: for the tests of batches."""

from __future__ import annotations

import asyncio
import io
import sys
import zipfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from fakes import Pause, ScriptedEngine, ScriptStep
from PIL import Image
from sampled import RIGHT, script
from stored import open_store

from ocr_ui.images.door import encode_png
from ocr_ui.services.engines import Engines
from ocr_ui.services.jobs import Handed, JobAsk, JobProgress
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import Settings
from tests.images import pdf_files

SAYS = script(RIGHT)
PDF_PAGE = (200.0, 100.0)


def picture(text: str = "1", size: tuple[int, int] = (120, 60)) -> bytes:
    pixels = np.full((size[1], size[0], 3), 255, np.uint8)
    cv2.putText(pixels, text, (8, size[1] - 12), cv2.FONT_HERSHEY_SIMPLEX, 1, (0, 0, 0), 2)
    return encode_png(pixels)


def pdf(pages: int) -> bytes:
    return pdf_files.pages([PDF_PAGE] * pages)


def several(format: str, pages: int) -> bytes:
    """A TIFF of several pages, or an animation."""
    frames = [Image.open(io.BytesIO(picture(str(number)))).convert("RGB") for number in range(1, pages + 1)]
    out = io.BytesIO()
    frames[0].save(out, format, save_all=True, append_images=frames[1:])
    return out.getvalue()


def archive(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return out.getvalue()


def handed(name: str, data: bytes) -> Handed:
    return Handed(name, io.BytesIO(data))


def bench(
    folder: Path,
    engine: ScriptedEngine | None = None,
    engines: Mapping[str, ScriptedEngine] | None = None,
    **settings: Any,
) -> Workbench:
    made = Settings(_env_file=None, data_dir=folder, turn_pages=False, **settings)
    open_store(folder).close()
    return Workbench.open(made, Engines(dict(engines or {"scripted": engine or ScriptedEngine(SAYS)})))


@asynccontextmanager
async def running(folder: Path, *engine: ScriptedEngine, **more: Any) -> AsyncIterator[Workbench]:
    """`bench`, with its engines and its runner started."""
    made = bench(folder, *engine, **more)
    made.engines.start()
    made.runner.start()
    try:
        yield made
    finally:
        await made.close()


async def until(workbench: Workbench, job: int, state: str = "done", done: int = 0, running: int = 0) -> JobProgress:
    for _ in range(3000):
        progress = await workbench.jobs.progress(job)
        if progress.state == state and progress.totals.done >= done and progress.totals.running >= running:
            return progress
        await asyncio.sleep(0.02)
    raise AssertionError(f"{progress.state}: {progress.totals} {progress.failures}")


async def whole(workbench: Workbench, files: Sequence[Handed], ask: JobAsk | None = None) -> JobProgress:
    """A batch from its beginning to its end, in a workbench whose runner was started."""
    begun = await workbench.jobs.create(ask or JobAsk(), files)
    return await until(workbench, begun.job.id)


def slow(seconds: float) -> list[ScriptStep]:
    return [SAYS[0], Pause(seconds), *SAYS[1:]]


async def _read_until_killed(folder: Path, seconds: float, lease: float) -> None:
    workbench = bench(folder, ScriptedEngine(slow(seconds)), batch_at_once=3)
    workbench.runner._lease = lease
    workbench.engines.start()
    workbench.runner.start()
    sys.stdout.write("reading\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


def main() -> None:
    """Reads batches with a scripted engine until it is killed, three pages at once.

    Its arguments: the data folder, the seconds in the middle of each reading, and those of a claim on a page.
    """
    asyncio.run(_read_until_killed(Path(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])))
