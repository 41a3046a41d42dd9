"""Whatever the bytes: a picture or a WorkbenchError, nothing else. `make fuzz` goes on from here."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from ocr_ui.errors import WorkbenchError
from ocr_ui.images import decode
from ocr_ui.images.limits import Limits
from ocr_ui.images.source import Picture
from tests.images import pdf_files

FILES = Path(__file__).resolve().parent.parent / "cases" / "upload" / "files"
LIMITS = Limits(max_pixels=2_000_000)
MAX_SEED_BYTES = 20_000

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:PIL")


def drawn(kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    frames = [Image.effect_noise((40, 30), 90).convert("RGB") for _ in range(2)]
    frames[0].save(out, kind, **options, **({"save_all": True, "append_images": frames[1:]} if options else {}))
    return out.getvalue()


def seeds() -> list[bytes]:
    files = [path.read_bytes() for path in sorted(FILES.iterdir()) if path.stat().st_size <= MAX_SEED_BYTES]
    more = [drawn(kind) for kind in ("WEBP", "BMP", "AVIF", "JPEG")]
    many = [drawn(kind, duration=50) for kind in ("WEBP", "GIF", "PNG")] + [drawn("TIFF", compression="tiff_lzw")]
    return [*files, *more, *many, pdf_files.pages([(72, 36)] * 2), pdf_files.locked()]


SEEDS = seeds()


def last_and_first(data: bytes) -> Picture | WorkbenchError:
    try:
        source = decode.open_source(data, LIMITS)
        decode.read_page(source, source.pages)
        return decode.read_only(source, 1)
    except WorkbenchError as error:
        return error


def opens_or_refuses(data: bytes) -> None:
    result = last_and_first(data)
    if isinstance(result, WorkbenchError):
        assert result.code
        assert result.message.endswith(".")
        return
    height, width, channels = result.pixels.shape
    assert 0 < height * width <= LIMITS.max_pixels
    assert (channels, result.pixels.dtype) == (3, "uint8")


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300))
def test_random_bytes(data: bytes) -> None:
    opens_or_refuses(data)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.sampled_from(SEEDS), st.integers(0, 2**32), st.integers(1, 12))
def test_changed_bytes(seed: bytes, start: int, changes: int) -> None:
    chance = random.Random(start)
    data = bytearray(seed)
    for _ in range(changes):
        # Half of the changes go to the first 200 bytes: most of what decoders believe stands there.
        at = chance.randrange(min(len(data), 200) if chance.random() < 0.5 else len(data))
        data[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
    opens_or_refuses(bytes(data))


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(SEEDS), st.floats(0, 1))
def test_cut_files(seed: bytes, share: float) -> None:
    opens_or_refuses(seed[: int(len(seed) * share)])


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SEEDS), st.sampled_from(SEEDS), st.floats(0, 1))
def test_the_head_of_one_file_on_the_body_of_another(head: bytes, body: bytes, share: float) -> None:
    opens_or_refuses(head[: int(len(head) * share)] + body[int(len(body) * share) :])


@pytest.mark.parametrize(
    "start", [b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"II*\0", b"%PDF-1.4\n", b"BM" + bytes(12) + b"("]
)
def test_a_start_and_nothing_else(start: bytes) -> None:
    opens_or_refuses(start)
    opens_or_refuses(start + bytes(1000))
