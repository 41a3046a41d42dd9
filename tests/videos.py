"""Videos drawn with PyAV: subtitles over a scene in which something moves."""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence
from fractions import Fraction

import av
import cv2
import numpy as np

FILM = (("", 1.0), ("Good evening", 2.0), ("", 1.0), ("Where were you", 1.5), ("At the harbour", 2.0), ("", 0.5))
"""What is shown for how many seconds."""
TIMES = [(1.0, 3.0), (4.0, 5.5), (5.5, 7.5)]
SIZE = (640, 360)
FPS = 10


def video(
    shown: Sequence[tuple[str, float]] = FILM, format: str = "mp4", codec: str = "mpeg4", turns: int = 0
) -> bytes:
    """A film. Args: turns: quarters to the left that its pictures are stored turned by."""
    out = io.BytesIO()
    with av.open(out, "w", format=format) as container:
        stream = container.add_stream(codec, rate=FPS)
        stream.width, stream.height = SIZE[::-1] if turns % 2 else SIZE
        stream.pix_fmt, stream.bit_rate = "yuvj420p" if codec == "mjpeg" else "yuv420p", 3_000_000
        number = 0
        for text, seconds in shown:
            for _ in range(round(seconds * FPS)):
                frame = av.VideoFrame.from_ndarray(np.rot90(_scene(text, number), turns).copy(), format="rgb24")
                frame.pts = number
                number += 1
                container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return out.getvalue()


def shown_turned(data: bytes, turns: int) -> bytes:
    """An MP4 file whose pictures are shown turned by quarters to the right (ISO/IEC 14496-12, box `tkhd`)."""
    place, one, (width, height) = data.index(b"tkhd") + 44, 1 << 16, SIZE
    across, moved = {1: ((0, one, -one, 0), (height, 0)), 2: ((-one, 0, 0, -one), (width, height))}[turns]
    a, b, c, d = across
    matrix = struct.pack(">9i", a, b, 0, c, d, 0, moved[0] << 16, moved[1] << 16, 1 << 30)
    return data[:place] + matrix + data[place + len(matrix) :]


def pictures_as_film(pictures: Sequence[bytes]) -> bytes:
    """A film of JPEG files, which may differ in size."""
    out = io.BytesIO()
    with av.open(out, "w", format="matroska") as container:
        stream = container.add_stream("mjpeg", rate=FPS)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuvj420p"
        for number, picture in enumerate(pictures):
            packet = av.Packet(picture)
            packet.stream, packet.time_base, packet.pts, packet.dts = stream, Fraction(1, FPS), number, number
            packet.is_keyframe = True
            container.mux(packet)
    return out.getvalue()


def jpeg(text: str, size: tuple[int, int] = SIZE) -> bytes:
    scene = cv2.resize(_scene(text, 0), size)
    return cv2.imencode(".jpg", scene)[1].tobytes()


def _scene(text: str, number: int) -> np.ndarray:
    width, height = SIZE
    pixels = np.full((height, width, 3), 60, np.uint8)
    cv2.circle(pixels, (40 + number * 7 % (width - 80), 100), 40, (90, 120, 160), -1)
    if text:
        cv2.putText(pixels, text, (60, height - 40), cv2.FONT_HERSHEY_SIMPLEX, 1.1, (255, 255, 255), 2, cv2.LINE_AA)
    return pixels
