"""RapidOCR's models, called one by one: find lines, turn upside-down ones, read them."""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ocr_ui.engines.reading_order import is_tall
from ocr_ui.errors import EngineDead

INSTALL = 'pip install "rapidocr==3.10.*" onnxruntime'
FILES = {
    "Det": "PP-OCRv6_det_small.onnx",
    "Cls": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
    "Rec": "PP-OCRv6_rec_small.onnx",
}
MARGIN = 16
"""Pixels of repeated border around a picture for the detector, which misses text that touches the edge."""
READ_HEIGHT = 48
"""The height of a line as the recogniser takes it."""
STEP = 32
"""The detector takes sides that are multiples of this."""


class Stopped(Exception):
    """The reading was stopped from another thread."""


class StopSign:
    """Stops a running model from another thread, also in the middle of a detection."""

    def __init__(self) -> None:
        self._set = threading.Event()
        self._run_options: Any = None

    def set(self) -> None:
        self._set.set()
        if self._run_options is not None:
            self._run_options.terminate = True

    def check(self) -> None:
        """Raises Stopped after `set`."""
        if self._set.is_set():
            raise Stopped

    def run_options(self) -> Any:
        """onnxruntime options whose run ends when `set` is called."""
        from onnxruntime import RunOptions

        options = RunOptions()
        self._run_options = options
        self.check()
        return options


@dataclass(frozen=True, slots=True)
class Reading:
    """What the recogniser made of one crop.

    Attributes:
        score: mean probability of the characters, 0..1.
        places: middle of each character of `text` without blanks, as a share of the crop's width.
    """

    text: str
    score: float
    places: tuple[float, ...] = ()


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def require_package() -> None:
    """Raises EngineDead where rapidocr or onnxruntime is not installed."""
    missing = [name for name in ("rapidocr", "onnxruntime") if find_spec(name) is None]
    if missing:
        raise EngineDead(
            "engine_not_installed",
            f"The CPU engine needs {' and '.join(missing)}.",
            f"Install: {INSTALL}",
            engine="rapidocr",
            packages=", ".join(missing),
            command=INSTALL,
        )


class RapidModels:
    """Detector, direction classifier and recogniser of RapidOCR. Pictures are BGR uint8 as OpenCV has them.

    The detector takes all cores for a picture, the recogniser one for a line: read several lines at once.

    Thread-safe: onnxruntime's sessions are, and nothing is kept between calls.
    """

    def __init__(self, ocr: Any, revision: str) -> None:
        self._detector = ocr._load_det_model()
        self._turner = ocr._load_cls_model()
        self._recogniser = ocr._load_rec_model()
        self.version = version("rapidocr")
        self.model = f"{Path(FILES['Det']).stem} + {Path(FILES['Rec']).stem}"
        self.revision = revision

    @classmethod
    def load(cls) -> RapidModels:
        """Loads the models that the package brings. Takes about half a second; nothing is ever fetched.

        Raises:
            EngineDead: the package or one of its model files is missing.
        """
        require_package()
        import rapidocr

        folder = Path(rapidocr.__file__).parent / "models"
        files = {part: folder / name for part, name in FILES.items()}
        missing = [file.name for file in files.values() if not file.is_file()]
        if missing:
            raise EngineDead(
                "model_file_missing",
                f"The package rapidocr came without {', '.join(missing)}.",
                f"Install it again: {INSTALL}",
                engine="rapidocr",
                files=", ".join(missing),
                command=INSTALL,
            )
        _log_like_the_product()
        params: dict[str, Any] = {f"{part}.model_path": str(file) for part, file in files.items()}
        # Sizes are chosen here (see line_finder), so the detector's own scaling is switched off.
        params |= {"Global.log_level": "warning", "Det.limit_type": "max", "Det.limit_side_len": 1_000_000}
        ocr = rapidocr.RapidOCR(params=params)
        for part, file in files.items():
            ocr.cfg[part]._set_flag("allow_objects", True)
            ocr.cfg[part]["session"] = _session(file, threads=1 if part == "Rec" else 0)
        return cls(ocr, _revision(list(files.values())))

    def find(self, picture: np.ndarray, stop: StopSign) -> np.ndarray:
        """Quads of the lines in a picture, float32 of shape (n, 4, 2), pixels, clockwise from the top left.

        Raises:
            Stopped: `stop` was set.
        """
        padded = _padded(picture)
        options = stop.run_options()
        session = self._detector.session.session
        try:
            answer = session.run(None, {session.get_inputs()[0].name: _detector_input(padded)}, options)
        except Exception:
            stop.check()  # a run that was ended early fails with an error of onnxruntime's
            raise
        quads, _ = self._detector.postprocess_op(answer[0], padded.shape[:2])
        if len(quads) == 0:
            return np.zeros((0, 4, 2), np.float32)
        height, width = picture.shape[:2]
        return np.clip(from_top_left(np.asarray(quads, np.float32)) - MARGIN, 0, (width, height))

    def upside_down(self, crops: Sequence[np.ndarray]) -> list[bool]:
        """Which crops of lines stand on their head, by RapidOCR's classifier at its own threshold."""
        if not crops:
            return []
        answers = self._turner(list(crops)).cls_res
        return [bool("180" in label and score > self._turner.cls_thresh) for label, score in answers]

    def read(self, crops: Sequence[np.ndarray]) -> list[Reading]:
        """Reads upright crops of single lines, one by one: padding them to a common width costs more than it saves."""
        return [self._read_one(crop) for crop in crops]

    def _read_one(self, crop: np.ndarray) -> Reading:
        from rapidocr.ch_ppocr_rec import TextRecInput

        answer = self._recogniser(TextRecInput(img=crop, return_word_box=True))
        text, score = answer.txts[0], float(answer.scores[0])
        word = answer.word_results[0]
        if not text.strip() or word is None or not word.line_txt_len:
            return Reading(text.strip(), score)
        columns = [column for columns in word.word_cols for column in columns]
        return Reading(text.strip(), score, tuple(min(1.0, (c + 0.5) / word.line_txt_len) for c in columns))


def from_top_left(quads: np.ndarray) -> np.ndarray:
    """The quads, shape (n, 4, 2), each beginning with the corner whose edge to the next one runs most to the right.

    The detector orders corners by their x, which for a long, tall and slanting box begins at one of its long sides,
    as if the text ran that way.
    """
    edges = np.roll(quads, -1, axis=1) - quads
    rightward = edges[..., 0] / np.maximum(np.linalg.norm(edges, axis=2), 1e-6)
    return np.stack(
        [np.roll(quad, -first, axis=0) for quad, first in zip(quads, rightward.argmax(axis=1), strict=True)]
    )


def crop_line(picture: np.ndarray, quad: np.ndarray) -> tuple[np.ndarray, bool]:
    """The line inside a quad made level, and whether it was tall and so turned left by a quarter.

    The recogniser was trained on vertical text turned like that (PP-OCR's get_rotate_crop_image).
    """
    crop, tall = cut_out(picture, quad), is_tall(quad)
    return (np.ascontiguousarray(np.rot90(crop)) if tall else crop), tall


def cut_out(picture: np.ndarray, quad: np.ndarray) -> np.ndarray:
    """The inside of a quad as a picture of its own, its first corner at the top left.

    Large text is averaged down: the recogniser reads 48 pixels of height, and sampling from more loses strokes.
    """
    quad = quad.astype(np.float32)
    edges = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)
    width, height = max(1, round(float(max(edges[0], edges[2])))), max(1, round(float(max(edges[1], edges[3]))))
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(quad, corners)
    crop = cv2.warpPerspective(picture, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE, flags=cv2.INTER_CUBIC)
    shrink = 2 * READ_HEIGHT / min(width, height)
    if shrink >= 1:
        return crop
    size = max(1, round(width * shrink)), max(1, round(height * shrink))
    return cv2.resize(crop, size, interpolation=cv2.INTER_AREA)


def _session(file: Path, threads: int) -> Any:
    """A session with so many threads for one run (0: one a core), which sleep while they wait.

    By default they spin: seen to cost a fifth (detector) to a half (recogniser) more CPU time, which on a shared
    machine is taken from whoever else needs it, this product's server included.
    """
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = False
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return InferenceSession(str(file), sess_options=options, providers=["CPUExecutionProvider"])


def _padded(picture: np.ndarray) -> np.ndarray:
    """The picture with a border, its sides multiples of STEP."""
    height, width = picture.shape[:2]
    below = MARGIN + -(height + 2 * MARGIN) % STEP
    right = MARGIN + -(width + 2 * MARGIN) % STEP
    return cv2.copyMakeBorder(picture, MARGIN, below, MARGIN, right, cv2.BORDER_REPLICATE)


def _detector_input(picture: np.ndarray) -> np.ndarray:
    """Float32 of shape (1, 3, height, width) in -1..1: RapidOCR's mean and deviation of 0.5, in one quick pass."""
    return cv2.dnn.blobFromImage(picture, 1 / 127.5, mean=(127.5, 127.5, 127.5))


def _revision(files: Sequence[Path]) -> str:
    """Twelve hex digits over the model files."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _log_like_the_product() -> None:
    """rapidocr writes to the console itself; its warnings go to our logging instead."""
    from rapidocr.utils.log import logger

    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    logger.propagate = True
    logger.setLevel(logging.WARNING)
