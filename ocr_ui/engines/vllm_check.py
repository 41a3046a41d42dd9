"""The check at every start: pictures read at once must give what each gives alone.

Some versions of vLLM mix up the pictures that are encoded in one step, and nothing fails then: the answers simply
belong to other pages. So an engine is not ready before it has shown that it tells them apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ocr_ui.errors import EngineFailed

DIGITS = {
    0: "111101101101111",
    1: "010110010010111",
    2: "111001111100111",
    3: "111001111001111",
    4: "101101111001001",
    5: "111100111001111",
    6: "111100111101111",
    7: "111001010010010",
    8: "111101111101111",
    9: "111101111001111",
}
"""Three by five dots each, row by row."""

PICTURE_SIZE = (640, 480)
"""Height and width, pixels."""

PROMPT = "OCR"
"""What the engine asks for its own purposes; what the answer says does not matter."""

EXAMPLE_NOT_READ = "example_not_read"

NEAR_TIE = 0.5
"""Natural-log probabilities this close may change places between two runs: batches are added up in another order."""

TOLERANCE = 0.3
"""Two first tokens whose probabilities differ by less than this are held to be the same."""


@dataclass(frozen=True, slots=True)
class Step:
    """One token of an answer: its id, and the log probabilities of the likeliest tokens there, by id."""

    token: int
    likeliest: dict[int, float]


Answer = Sequence[Step]


def number_picture(digits: str, dot: int = 24) -> np.ndarray:
    """A white page with one large number on it: uint8, RGB, of PICTURE_SIZE."""
    height, width = PICTURE_SIZE
    page = np.full((height, width, 3), 255, np.uint8)
    for place, digit in enumerate(digits):
        dots = np.array([int(c) for c in DIGITS[int(digit)]], np.uint8).reshape(5, 3)
        glyph = np.kron(dots, np.ones((dot, dot), np.uint8)).astype(bool)
        top, left = 200, 40 + place * 4 * dot
        page[top : top + 5 * dot, left : left + 3 * dot][glyph] = 0
    return page


def check_pictures() -> list[np.ndarray]:
    """Pictures of one size that no reader confuses: a blank page, a dark one, and numbers."""
    blank = np.full((*PICTURE_SIZE, 3), 255, np.uint8)
    dark = np.zeros_like(blank)
    dark[:, : PICTURE_SIZE[1] // 2] = (30, 60, 200)
    return [number_picture("1234"), blank, number_picture("808"), dark]


def example_pages(folder: Path) -> list[np.ndarray]:
    """The example pictures as they are, uint8 and RGB, for timing; numbers where there are none."""
    import cv2  # a tenth of a second, which only timing should pay

    pages = [cv2.imread(str(file), cv2.IMREAD_COLOR_RGB) for file in _pictures(folder)]
    return [page for page in pages if page is not None] or check_pictures()


def smallest_example(folder: Path, most: int) -> tuple[str, np.ndarray]:
    """The example with the fewest pixels, uint8 and RGB, with its file's name; a number where there is none.

    Args:
        most: pixels that a page may have; a larger one is made smaller.
    """
    import cv2

    read = ((file.name, cv2.imread(str(file), cv2.IMREAD_COLOR_RGB)) for file in _pictures(folder))
    found = [(name, page) for name, page in read if page is not None]
    name, page = min(found or [("a number", number_picture("1234"))], key=lambda pair: pair[1].size)
    scale = math.sqrt(most / (page.shape[0] * page.shape[1]))
    return name, cv2.resize(page, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else page


def example_not_read(name: str, reason: str) -> EngineFailed:
    """What is said of an engine that runs and does not read an example."""
    reason = reason.rstrip(".")
    return EngineFailed(
        EXAMPLE_NOT_READ,
        f"The engine runs, but it did not read the example {name}: {reason}.",
        "Where pages fail too, lower OCR_UI_ENGINE_PIXELS or raise OCR_UI_MAX_MODEL_LEN; the log shows more.",
        example=name,
        reason=reason,
    )


def _pictures(folder: Path) -> list[Path]:
    return sorted(file for file in folder.glob("*") if file.suffix in {".jpg", ".png", ".webp"})


def same_answer(alone: Answer, together: Answer) -> bool:
    """Is `together` the answer `alone`, but for the numerical noise of a near tie?

    At the first token that differs, both tokens must have been nearly as likely; what follows says nothing any more.
    """
    for one, other in zip(alone, together, strict=False):
        if one.token != other.token:
            return near_tie(one, other.token) and near_tie(other, one.token)
    return len(alone) == len(together)


def near_tie(step: Step, token: int) -> bool:
    """Was `token` nearly as likely as the one that was chosen? One that is not listed counts as the least of those."""
    best = step.likeliest[step.token]
    return best - step.likeliest.get(token, min(step.likeliest.values())) < NEAR_TIE


def distance(one: Answer, other: Answer) -> float:
    """How differently two answers begin: the largest gap, 0..1, between the probabilities of their first token."""
    if not one or not other:
        return float(bool(one) != bool(other))
    first, second = one[0].likeliest, other[0].likeliest
    return max(abs(probability(first, token) - probability(second, token)) for token in first.keys() | second.keys())


def probability(likeliest: dict[int, float], token: int) -> float:
    return math.exp(likeliest[token]) if token in likeliest else 0.0


def mixed_up(alone: Sequence[Answer], together: Sequence[Answer]) -> list[int]:
    """Numbers of the pictures whose answer changed when all were read at once.

    An answer counts as changed where its tokens differ beyond a near tie, or where its first token's probabilities
    moved by more than TOLERANCE.
    """
    return [
        i
        for i, (one, other) in enumerate(zip(alone, together, strict=True))
        if not same_answer(one, other) or distance(one, other) > TOLERANCE
    ]


def tells_apart(answers: Sequence[Answer]) -> bool:
    """Do at least two of the answers differ? Where all are alike, the check says nothing."""
    return any(distance(answers[0], other) > TOLERANCE or not same_answer(answers[0], other) for other in answers[1:])
