"""Coverage-guided fuzzing of the door for pictures: upright RGB pixels or one clear refusal, nothing else.

Decodes in this process, where coverage is seen; the product decodes in a process of its own.
`python fuzz/run.py images --seconds 600` runs it with its corpus.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

with atheris.instrument_imports(include=["ocr_ui.images", "PIL"]):
    from ocr_ui.images import decode

from ocr_ui.errors import WorkbenchError
from ocr_ui.images.limits import Limits
from ocr_ui.images.source import Picture

LIMITS = Limits(max_pixels=1_000_000, max_pages=5)


def opened(data: bytes) -> Picture | WorkbenchError:
    """The last page, or the refusal."""
    try:
        source = decode.open_source(data, LIMITS)
        return decode.read_page(source, source.pages)
    except WorkbenchError as error:
        return error


def one_input(data: bytes) -> None:
    picture = opened(data)
    if isinstance(picture, WorkbenchError):
        assert picture.code
        assert picture.message.endswith("."), picture.message
        return
    height, width, channels = picture.pixels.shape
    assert 0 < height * width <= LIMITS.max_pixels
    assert (channels, picture.pixels.dtype) == (3, "uint8")


def main() -> None:
    warnings.simplefilter("ignore")
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
