"""A page that the engine has no memory for is tried once more at half its pixels."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace

import numpy as np

from ocr_ui.domain.content import ContentWarning
from ocr_ui.engines.base import Engine
from ocr_ui.engines.memory_failures import OUT_OF_MEMORY
from ocr_ui.errors import EngineFailed, noted
from ocr_ui.images.transform import PictureTransform
from ocr_ui.services.reading import Abandoned, Progress, ReadRequest, in_place_of, read_picture
from ocr_ui.settings import Settings

READ_SMALLER = "read_smaller"
SHARE = 0.5
LEAST_PIXELS = 1_000
"""A picture is not made smaller than this: what fails there does not fail for its size."""


async def read_with_retry(
    pixels: np.ndarray,
    page_sha256: str,
    engine: Engine,
    request: ReadRequest,
    settings: Settings,
    stop: asyncio.Event | None = None,
    abandoned: Abandoned | None = None,
) -> AsyncIterator[Progress]:
    """As `read_picture`. Where the engine runs out of memory the page is read ONCE more with half the pixels, said
    by the warning `read_smaller`; where that fails too, the last progress says so in one error.
    """
    stop = stop or asyncio.Event()
    failed: Progress | None = None
    async with aclosing(read_picture(pixels, page_sha256, engine, request, settings, stop, abandoned)) as steps:
        async for step in steps:
            if _ran_out(step) and not stop.is_set() and _pixels(step) * SHARE >= LEAST_PIXELS:
                failed = step
            else:
                yield step
    if failed is None:
        return
    notices = (*request.notices, _read_smaller(failed))
    fewer = int(_pixels(failed) * SHARE)
    again = replace(request, need=None, pixels=fewer, notices=notices)  # same id: Stop means it still
    begun = failed

    def after(step: Progress) -> Progress:
        return _after(begun, _gave_up(step, begun) if _ran_out(step) else in_place_of(step, begun))

    def keep_second(finish: Callable[[], Progress]) -> None:
        if abandoned is not None:
            abandoned(lambda: after(finish()))

    async with aclosing(read_picture(pixels, page_sha256, engine, again, settings, stop, keep_second)) as steps:
        async for step in steps:
            yield after(step)


def _ran_out(step: Progress) -> bool:
    return step.error is not None and step.error.code == OUT_OF_MEMORY


def _engine_size(step: Progress) -> tuple[int, int]:
    assert step.recognition is not None  # noqa: S101 - a failed step is a last one
    return PictureTransform.from_dict(step.recognition.transform).engine_size


def _pixels(step: Progress) -> int:
    width, height = _engine_size(step)
    return width * height


def _read_smaller(failed: Progress) -> ContentWarning:
    width, height = _engine_size(failed)
    said = f"The engine had no memory for {width} x {height} pixels; the page was read again with half as many."
    return ContentWarning(READ_SMALLER, said, details={"width": width, "height": height})


def _after(failed: Progress, step: Progress) -> Progress:
    """Times count from the first try on."""
    first = step.first_line_seconds
    return replace(
        step,
        seconds=failed.seconds + step.seconds,
        first_line_seconds=None if first is None else failed.seconds + first,
    )


def _gave_up(step: Progress, failed: Progress) -> Progress:
    """The end of both tries: one error, and what the try that got further had read."""
    error = EngineFailed(
        "out_of_memory_again",
        "The engine ran out of memory on this page, with half the pixels too; a part of the page may go through.",
        "Lower OCR_UI_MAX_NUM_SEQS or OCR_UI_ENGINE_PIXELS.",
        reason=step.error.details.get("reason", "") if step.error else "",
    )
    kept, other = (failed, step) if len(failed.raw) > len(step.raw) else (step, failed)
    content = kept.content
    if kept is failed:
        content = content.with_warnings(_read_smaller(failed))
    recognition = replace(kept.recognition, content=content, error=noted(error)) if kept.recognition else None
    return in_place_of(replace(kept, content=content, recognition=recognition, error=error), other)
