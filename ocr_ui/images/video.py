"""Frames of a video whose lower part changes, where subtitles stand, and single frames of it as pictures.

Runs in the decoding process. What the upper part of the picture does is not looked at: films move all the time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

import av
import numpy as np

from ocr_ui.images import refusals
from ocr_ui.images.limits import Limits
from ocr_ui.images.source import Picture

LOWER = 0.4
"""Share of the height, from below, that subtitles stand in."""
SAMPLES_A_SECOND = 4.0
_WIDTH = 320
"""Of the small copies that are compared, pixels."""
_EDGE = 90
"""Sum of two differences of neighbours' grey values, 0..510, from which on a pixel is an outline: letters are sharper
than what was filmed."""
_NOTHING = 15
"""So few outlined pixels are no text."""
_SAME = 0.3
"""Share of the outlined pixels of two frames that may be outlined in one of them alone; of two other words of the same
length it is half and more."""


@dataclass(slots=True)
class _Stretch:
    """Attributes: mask: the outlines at its first sample. last: time of its newest sample, seconds."""

    start: float
    last: float
    mask: np.ndarray


def stretches(data: IO[bytes], kind: str, limits: Limits, most_seconds: float) -> list[tuple[float, float]]:
    """From when to when, in seconds, something stands in the lower part and does not change.

    Raises:
        BadInput: `damaged`, `video_without_picture`. TooLarge: `video_too_long`, and those of a picture's size.
    """
    found: list[tuple[float, float]] = []
    now: _Stretch | None = None
    with _opened(data, kind) as (container, stream):
        _check(stream, limits)
        if container.duration and container.duration / av.time_base > most_seconds:
            raise refusals.video_too_long(container.duration / av.time_base, most_seconds)
        stream.codec_context.skip_frame = "NONREF"  # a quarter of a second is more than their distance
        end = 0.0
        for time, frame in _sampled(container, stream):
            if time > most_seconds:
                raise refusals.video_too_long(time, most_seconds)
            end = time + 1 / SAMPLES_A_SECOND
            mask = _outlines(frame)
            if now is not None and _alike(now.mask, mask):
                now.last = time
                continue
            if now is not None and now.mask.sum() >= _NOTHING:
                found.append((now.start, time))
            now = _Stretch(time, time, mask)
        if now is None:
            raise refusals.damaged("video")
        if now.mask.sum() >= _NOTHING:
            found.append((now.start, end))
    return found


def frame_at(data: IO[bytes], kind: str, limits: Limits, time: float) -> Picture:
    """The frame that is shown at a time, in seconds. Raises as `stretches`."""
    with _opened(data, kind) as (container, stream):
        _check(stream, limits)
        start = stream.start_time or 0
        container.seek(start + int(time / stream.time_base), stream=stream, backward=True)
        shown = None
        for frame in _frames(container, stream):
            if frame.time is not None and shown is not None and frame.time - _begin(stream) > time:
                break
            shown = frame
        if shown is None:
            raise refusals.damaged("video")
        pixels = shown.to_ndarray(format="rgb24")
    return Picture(np.ascontiguousarray(np.rot90(pixels, _turns(shown))), "video")


@contextmanager
def _opened(data: IO[bytes], kind: str) -> Iterator[tuple[Any, Any]]:
    """The one demuxer that the file's beginning tells of, so that no list of other files is ever followed."""
    try:
        with av.open(data, format=kind) as container:
            if not container.streams.video:
                raise refusals.video_without_picture()
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            stream.codec_context.thread_count = 2
            yield container, stream
    except (av.FFmpegError, ValueError, EOFError) as error:
        raise refusals.damaged("video") from error


def _check(stream: Any, limits: Limits) -> None:
    width, height = stream.codec_context.width, stream.codec_context.height
    if width < 1 or height < 1:
        raise refusals.damaged("video")
    if width * height > limits.max_pixels:
        raise refusals.too_many_pixels(width, height, limits.max_pixels)


def _begin(stream: Any) -> float:
    return float((stream.start_time or 0) * stream.time_base)


def _sampled(container: Any, stream: Any) -> Iterator[tuple[float, Any]]:
    """Time from the video's beginning and frame, at most SAMPLES_A_SECOND of them."""
    following, begin = 0.0, _begin(stream)
    for frame in _frames(container, stream):
        time = max(0.0, frame.time - begin) if frame.time is not None else following
        if time >= following - 1e-6:
            following = (math.floor(time * SAMPLES_A_SECOND + 1e-6) + 1) / SAMPLES_A_SECOND
            yield time, frame


def _frames(container: Any, stream: Any) -> Iterator[Any]:
    """All that can be decoded: a damaged place costs its own frames, not those behind it."""
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets, None)
        except av.FFmpegError:
            return  # the container itself ends here
        if packet is None:
            return
        try:
            frames = packet.decode()
        except av.FFmpegError:
            continue
        yield from frames


def _turns(frame: Any) -> int:
    """Quarters to the left that a frame is turned by to stand upright; telephones write films that lie."""
    return round((frame.rotation or 0) / 90) % 4


def _outlines(frame: Any) -> np.ndarray:
    """Where the lower part of a frame has sharp outlines: bool (height, width) of a small, upright copy."""
    turns = _turns(frame)
    across, down = (frame.height, frame.width) if turns % 2 else (frame.width, frame.height)
    high = max(2, round(down * _WIDTH / across))
    width, height = (high, _WIDTH) if turns % 2 else (_WIDTH, high)
    small = frame.reformat(width=width, height=height, format="gray").to_ndarray()
    grey = np.rot90(small, turns).astype(np.int16)
    part = grey[round(high * (1 - LOWER)) :]
    beside, below = np.abs(np.diff(part, axis=1))[:-1], np.abs(np.diff(part, axis=0))[:, :-1]
    return (beside + below) > _EDGE


def _alike(one: np.ndarray, other: np.ndarray) -> bool:
    if one.shape != other.shape:  # a stream may change its size on the way
        return False
    apart = int((one ^ other).sum())
    return apart < _NOTHING or apart <= _SAME * int(one.sum() + other.sum())
