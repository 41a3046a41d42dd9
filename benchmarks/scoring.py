"""Time to score many pages, on one core: `python benchmarks/scoring.py`. Exits with 1 where the bound is broken.

Each page has 1,000 characters in 25 lines with boxes, read with the mistakes of a good engine (3 % of the characters, a
lost line, boxes a little off). Bound: 10,000 pages in 20 s of one core, by all measures of a spotting template.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.domain.geometry import BoundingBox, Quad
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.truth import Truth
from ocr_ui.scoring.contest import difference
from ocr_ui.scoring.metrics import score_page
from ocr_ui.scoring.text import LENIENT

LINES, LETTERS, BOUND = 25, 40, 20.0
ALPHABET = {"latin": "etaoinshrdlucm .,0123456789", "chinese": "的一是不了人我在有他这中大来上国个到说们为子和你地"}


def line(text: str, row: int, shift: float) -> TextLine:
    box = BoundingBox(100 + shift, 40 * row + shift, 900 + shift, 40 * row + 28 + shift)
    return TextLine(text, Quad.from_box(box), 0.9)


def page(drawn: random.Random, letters: str) -> tuple[Truth, PageContent]:
    right = ["".join(drawn.choices(letters, k=LETTERS)) for _ in range(LINES)]
    read = ["".join(drawn.choice(letters) if drawn.random() < 0.03 else char for char in text) for text in right]
    del read[drawn.randrange(LINES)]
    truth = Truth(text="\n".join(right), lines=tuple(line(text, row, 0) for row, text in enumerate(right)))
    return truth, PageContent(lines=tuple(line(text, row, drawn.uniform(0, 4)) for row, text in enumerate(read)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000)
    options = parser.parse_args()
    drawn, broken = random.Random(1), 0
    for name, letters in ALPHABET.items():
        some = [page(drawn, letters) for _ in range(200)]
        start = time.process_time()
        scores = [score_page(*some[n % len(some)], Task.SPOTTING, LENIENT) for n in range(options.pages)]
        took = time.process_time() - start
        broken += took > BOUND
        print(f"{name:8} {options.pages} pages of {LINES * LETTERS} characters: {took:.2f} s of one core", flush=True)
        start = time.process_time()
        difference(scores, scores[1:] + scores[:1], "cer")
        print(f"{name:8} interval of a difference over as many pages: {time.process_time() - start:.2f} s", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
