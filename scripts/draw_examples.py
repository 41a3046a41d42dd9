"""Draws the example pictures and writes what each says: `python scripts/draw_examples.py --out examples`.

The same script gives the same files. It needs the libraries of requirements-dev.txt and, from Debian:

    apt-get install fonts-liberation fonts-dejavu-core fonts-noto-cjk fonts-lxgw-wenkai fonts-lmodern \
        fonts-ebgaramond fonts-lato fonts-ocr-b fonts-dancingscript libfribidi0

The drawn pictures are part of the project, so this is only needed to change them. All companies, persons, places,
numbers and codes in them are invented or reserved for examples.
"""

from __future__ import annotations

import argparse
import zlib
from importlib import import_module
from pathlib import Path

import numpy as np
from examples_drawing.example import Example
from examples_drawing.sheet import Sheet

NAMES = (
    "receipt",
    "invoice",
    "chinese_form",
    "table",
    "formula_page",
    "two_columns",
    "phone_photo",
    "chinese_receipt",
    "chart",
    "newsletter",
    "film_still",
    "identity_card",
    "long_receipt",
    "bad_scan",
    "sideways_page",
    "blank_page",
)
"""Modules of examples_drawing that draw a picture, in the order of the gallery."""


LARGE = ("invoice", "chinese_form", "table", "formula_page", "two_columns", "chart", "newsletter", "sideways_page")
"""Those that can be drawn twice as large: nothing is done to the finished picture that goes by its size."""


def draw(name: str) -> Example:
    """Draws one example.

    Raises:
        examples_drawing.fonts.FontMissing: a font is not installed.
    """
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    return import_module(f"examples_drawing.{name}").draw(rng)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("examples"), help="folder to write to")
    parser.add_argument("--only", nargs="*", choices=NAMES, default=NAMES, help="draw only these")
    parser.add_argument(
        "--large", action="store_true", help="twice as wide and high, for measurements, of those that can be"
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    Sheet.large = options.large
    for name in [name for name in options.only if name in LARGE or not options.large]:
        example = draw(name)
        example.save(options.out, NAMES.index(name) + 1)
        size = (options.out / (name + example.suffix)).stat().st_size
        print(f"{name + example.suffix:24} {example.picture.image.size} {size / 1024:6.0f} KiB")


if __name__ == "__main__":
    main()
