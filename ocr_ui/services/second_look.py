"""A page that was read with fewer pixels, and not surely, is read once more with all of them; the better is kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import numpy as np

from ocr_ui.domain.content import ContentWarning, PageContent
from ocr_ui.domain.pixels import PixelChoice, SecondLook
from ocr_ui.domain.recognition import Recognition
from ocr_ui.engines.base import Engine
from ocr_ui.images.transform import PictureTransform
from ocr_ui.services.reading import Abandoned, Progress, ReadRequest, in_place_of
from ocr_ui.services.smaller import read_with_retry
from ocr_ui.settings import Settings


async def read_by_need(
    pixels: np.ndarray,
    page_sha256: str,
    engine: Engine,
    request: ReadRequest,
    settings: Settings,
    stop: asyncio.Event | None = None,
    abandoned: Abandoned | None = None,
) -> AsyncIterator[Progress]:
    """As `smaller.read_with_retry`. A page that was read to its end with fewer pixels, whose mean confidence is below
    `Need.unsure`, is read a second time with all; the last progress is that of the surer reading, with the time of
    both, and the warning `read_in_full` says so. Where the second reading does not come to its end, the first stays.
    """
    stop = stop or asyncio.Event()
    first: Progress | None = None
    async with aclosing(read_with_retry(pixels, page_sha256, engine, request, settings, stop, abandoned)) as steps:
        async for step in steps:
            if _is_unsure(step, request) and not stop.is_set():
                first = step
            else:
                yield step
    if first is None:
        return
    begun = first

    def keep_first(finish: Callable[[], Progress]) -> None:
        if abandoned is not None:
            abandoned(lambda: _better(begun, _after(begun, finish())))

    again = replace(request, need=None, notices=(*request.notices, _going_on(first)))
    async with aclosing(read_with_retry(pixels, page_sha256, engine, again, settings, stop, keep_first)) as steps:
        async for step in steps:
            later = _after(first, step)
            yield later if step.recognition is None else _better(first, later)


async def read_to_the_end(
    pixels: np.ndarray, page_sha256: str, engine: Engine, request: ReadRequest, settings: Settings
) -> Progress:
    """The last progress of `read_by_need`, for whoever has no use for those before."""
    request = replace(request, followed=False)
    async with aclosing(read_by_need(pixels, page_sha256, engine, request, settings)) as steps:
        *_, last = [step async for step in steps]
    return last


def mean_confidence(content: PageContent) -> float | None:
    """Of lines, fields and cells; None where there are none, or the engine gives none."""
    known = [confidence for _, confidence in content.confidences]
    return sum(known) / len(known) if known else None


def _is_unsure(step: Progress, request: ReadRequest) -> bool:
    """Also where nothing was read: a page is only made smaller where there are letters."""
    read = step.recognition
    if request.need is None or not request.need.unsure or read is None or read.pixels is None:
        return False
    if not read.pixels.reduced or read.outcome != "complete":
        return False
    sure = mean_confidence(read.content)
    return not read.generation.text.strip() if sure is None else sure < request.need.unsure


def _better(first: Progress, second: Progress) -> Progress:
    """The surer of two, with what became of the choice of pixels."""
    one, other = _read(first), _read(second)
    small, full = mean_confidence(one.content), mean_confidence(other.content)
    ended = other.outcome == "complete"
    kept = ended and (small is None or full is None or full > small)
    look = SecondLook(small, full if ended else None, kept)
    if not kept:
        second = replace(second, content=one.content, raw=first.raw, state=first.state, error=None)
    read = other if kept else one
    choice = _choice(one).looked_again(look)
    size = PictureTransform.from_dict(other.transform).scaled[1]
    whole = ended and size == choice.full
    # Where the memory did not suffice for all pixels, a reading with more of them says so by itself.
    notes = () if kept and not whole else (_told(choice, look, whole),)
    told = replace(
        read,
        content=_without(read.content).with_warnings(*notes),
        generation=replace(read.generation, seconds=second.seconds),
        timings=_sum(one.timings, other.timings),
        pixels=replace(choice, size=size) if kept else choice,
    )
    shown = replace(second, content=told.content, tokens=read.generation.tokens, recognition=told)
    return replace(shown, replaced=(second.all_tokens or 0) - (shown.own_tokens or 0))


def _sum(one: dict[str, float], other: dict[str, float]) -> dict[str, float]:
    return {stage: one.get(stage, 0.0) + other.get(stage, 0.0) for stage in (*one, *(s for s in other if s not in one))}


def _after(first: Progress, step: Progress) -> Progress:
    """Times count from the first reading on; its first line was there first."""
    timed = replace(step, seconds=first.seconds + step.seconds, first_line_seconds=first.first_line_seconds)
    return in_place_of(timed, first)


def _read(step: Progress) -> Recognition:
    assert step.recognition is not None  # noqa: S101 - a last step has one
    return step.recognition


def _choice(recognition: Recognition) -> PixelChoice:
    assert recognition.pixels is not None  # noqa: S101 - it was reduced
    return recognition.pixels


def _without(content: PageContent) -> PageContent:
    return replace(content, warnings=tuple(one for one in content.warnings if one.code != GOING_ON))


GOING_ON = "reading_in_full"


def _going_on(first: Progress) -> ContentWarning:
    return ContentWarning(GOING_ON, "The page was not read surely with fewer pixels; it is read again with all.")


def _told(choice: PixelChoice, look: SecondLook, whole: bool) -> ContentWarning:
    """Args: whole: the second reading came to its end with all pixels."""
    width, height = choice.size
    details: dict[str, Any] = {"width": width, "height": height}
    sure = "nothing was read"
    if look.small is not None:
        details["percent"] = int(100 * look.small)  # never called surer than it was
        sure = f"the reading was {details['percent']}% sure"
    if look.kept:
        end, code = "this is what was read with all pixels.", "read_in_full"
    elif not whole:
        end = "reading it with all pixels did not come to its end, so this is the first reading."
        code = "read_in_full_broken_off"
    else:
        end, code = "reading it with all pixels was no better, so this is the first reading.", "read_in_full_vainly"
    return ContentWarning(code, f"With {width} x {height} pixels {sure}; {end}", details=details)
