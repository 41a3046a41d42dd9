"""Videos drawn with PyAV: subtitles over a scene in which something moves."""

from __future__ import annotations

import io
from collections.abc import Sequence

import av
import cv2
import numpy as np

FILM = (("", 1.0), ("Good evening", 2.0), ("", 1.0), ("Where were you", 1.5), ("At the harbour", 2.0), ("", 0.5))
"""What is shown for how many seconds."""
TIMES = [(1.0, 3.0), (4.0, 5.5), (5.5, 7.5)]
SIZE = (640, 360)
FPS = 10


def video(shown: Sequence[tuple[str, float]] = FILM, format: str = "mp4", codec: str = "mpeg4") -> bytes:
    out = io.BytesIO()
    with av.open(out, "w", format=format) as container:
        stream = container.add_stream(codec, rate=FPS)
        stream.width, stream.height, stream.pix_fmt, stream.bit_rate = *SIZE, "yuv420p", 3_000_000
        number = 0
        for text, seconds in shown:
            for _ in range(round(seconds * FPS)):
                frame = av.VideoFrame.from_ndarray(_scene(text, number), format="rgb24")
                frame.pts = number
                number += 1
                container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return out.getvalue()


def _scene(text: str, number: int) -> np.ndarray:
    width, height = SIZE
    pixels = np.full((height, width, 3), 60, np.uint8)
    cv2.circle(pixels, (40 + number * 7 % (width - 80), 100), 40, (90, 120, 160), -1)
    if text:
        cv2.putText(pixels, text, (60, height - 40), cv2.FONT_HERSHEY_SIMPLEX, 1.1, (255, 255, 255), 2, cv2.LINE_AA)
    return pixels
