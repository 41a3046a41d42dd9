"""Searchable PDF, a file a document: the pictures of its pages, the text on them unseen, to be found and selected.

The font of the text has glyphs in which nothing is to be seen (`ocr_ui/assets/glyphless.ttf`, made by
`scripts/glyphless_font.py`), so that every script is written the same way and no font of a system matters; what a glyph
means stands in a map of the page. Each line is as wide as its box and runs as it does. Pages are drawn at 200 pixels an
inch.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from functools import cache
from math import dist, hypot
from pathlib import Path
from unicodedata import bidirectional

import pikepdf
from pikepdf import Array, Dictionary, Name

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.geometry import BoundingBox, Point, Quad
from ocr_ui.exports.files import Pages
from ocr_ui.exports.reasons import NO_PICTURE
from ocr_ui.exports.registry import FolderFormat
from ocr_ui.exports.sample import Notes, Options, Sample
from ocr_ui.images.crops import encode_jpeg
from ocr_ui.images.stored import decode_png

PIXELS_AN_INCH = 200
LEAST_SIDE, LONGEST_SIDE = 3.0, 14_400.0
"""Points; what readers of PDF take."""
QUALITY = 85
ADVANCE = 0.5
"""Width of each glyph of the font, in its size."""
TALL = 1.5
MOST_SIGNS = 0xFFFF
_STRONG = ("L", "R", "AL")
_LEFTWARDS = re.compile(r"([0-9A-Za-z٠-٩](?:[0-9A-Za-z٠-٩.,:/%-]*[0-9A-Za-z٠-٩])?)")
_PER_BLOCK = 100
_FONT = Path(__file__).resolve().parent.parent / "assets" / "glyphless.ttf"


class SearchablePdf(FolderFormat):
    name = "pdf"
    file_name = "pdf"
    folder = "pdf"
    pictures = "pdf"
    needs_pictures = True

    def fill(self, folder: Path, samples: Iterable[Sample], notes: Notes, options: Options) -> None:
        place = folder / self.folder
        place.mkdir(exist_ok=True)
        pages = Pages(place)
        for sample in samples:
            if not sample.picture:
                notes.leave_out(sample, NO_PICTURE)
                continue
            picture = folder / sample.picture
            pages.place(sample, ".page").write_bytes(_page(sample, picture.read_bytes()))
            picture.unlink()
        for name, files in pages.documents():
            (place / f"{name}.pdf").write_bytes(_joined(files))


def _page(sample: Sample, png: bytes) -> bytes:
    """A PDF of one page."""
    pixels = decode_png(png)
    high, wide = pixels.shape[:2]
    scale = min(72 / PIXELS_AN_INCH, LONGEST_SIDE / max(high, wide))
    signs = _Signs()
    size = tuple(min(max(side * scale, LEAST_SIDE), LONGEST_SIDE) for side in (wide, high))
    shown = f"q {size[0]:.3f} 0 0 {size[1]:.3f} 0 0 cm /Picture Do Q\n"
    text = "".join(_line(said, quad, scale, high, signs) for said, quad in _placed(sample.label, wide, high))
    with pikepdf.new() as document:
        jpeg = pikepdf.Stream(document, encode_jpeg(pixels, QUALITY))
        jpeg.Type, jpeg.Subtype, jpeg.Filter = Name.XObject, Name.Image, Name.DCTDecode
        jpeg.Width, jpeg.Height, jpeg.BitsPerComponent, jpeg.ColorSpace = wide, high, 8, Name.DeviceRGB
        resources = Dictionary(XObject=Dictionary(Picture=jpeg), Font=Dictionary(Text=signs.font(document)))
        document.add_blank_page(page_size=size)
        page = document.pages[0]
        page.Resources, page.Contents = resources, pikepdf.Stream(document, f"{shown}BT 3 Tr\n{text}ET\n".encode())
        return _saved(document)


def _joined(files: list[Path]) -> bytes:
    with pikepdf.new() as document:
        opened = [pikepdf.open(io.BytesIO(file.read_bytes())) for file in files]
        for one in opened:
            document.pages.extend(one.pages)
        data = _saved(document)
        for one in opened:
            one.close()
    return data


def _saved(document: pikepdf.Pdf) -> bytes:
    """The same pages give the same bytes. Not written by the library itself, whose error of a full disk is none of the
    system's."""
    out = io.BytesIO()
    document.save(out, deterministic_id=True)
    return out.getvalue()


def _placed(content: PageContent, wide: int, high: int) -> Iterator[tuple[str, Quad]]:
    """Texts with their places; what has none is spread over the page from top to bottom, to be found at least."""
    placed = [(line.text, line.quad.as_read()) for line in content.lines if line.quad]
    yield from placed
    if placed:
        return
    texts = [text for text in (content.text or _values(content)).split("\n") if text.strip()]
    step = high / max(1, len(texts))
    for number, text in enumerate(texts):
        top = number * step
        yield text, Quad.from_box(BoundingBox(0, top, wide, top + 0.8 * step))


def _values(content: PageContent) -> str:
    return "\n".join(f"{field.name}: {field.value}" for field in content.fields if field.value)


def _line(text: str, quad: Quad, scale: float, high: int, signs: _Signs) -> str:
    """Operators that write a text into a quad: from its lower left corner, as wide and high as it is."""
    codes = signs.codes(text)
    top_left, top_right, bottom_right, bottom_left = _turned(quad) if len(codes) > 1 else quad.points
    along = (bottom_right[0] - bottom_left[0], bottom_right[1] - bottom_left[1])
    width, size = hypot(*along), max(dist(top_left, bottom_left), dist(top_right, bottom_right))
    if not codes or width <= 0 or size <= 0:
        return ""
    cos, sin = along[0] / width, -along[1] / width
    x, y = bottom_left[0] * scale, (high - bottom_left[1]) * scale
    stretch = 100 * width / (len(codes) * ADVANCE * size)
    written = "".join(f"{code:04X}" for code in codes)
    place = f"{cos:.5f} {sin:.5f} {-sin:.5f} {cos:.5f} {x:.3f} {y:.3f} Tm"
    return f"/Text {size * scale:.3f} Tf {stretch:.3f} Tz {place} <{written}> Tj\n"


def _turned(quad: Quad) -> tuple[Point, Point, Point, Point]:
    """The corners; of a column of several characters so that it runs downwards."""
    a, b, c, d = quad.points
    return (b, c, d, a) if dist(a, d) > TALL * dist(a, b) else (a, b, c, d)


def _as_it_lies(text: str) -> str:
    """The characters from left to right, which readers expect: a line of Arabic or Hebrew from its end, with the
    numbers and foreign words in it as they are."""
    strong = (bidirectional(sign) for sign in text)
    if next((one for one in strong if one in _STRONG), "L") == "L":
        return text
    runs = _LEFTWARDS.split(text)
    return "".join(run if number % 2 else run[::-1] for number, run in reversed(list(enumerate(runs))))


class _Signs:
    """The characters of a page, numbered as they come: what the font's codes mean."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def codes(self, text: str) -> list[int]:
        clean = text.encode("utf-16-le", "replace").decode("utf-16-le")
        found = []
        for sign in _as_it_lies(" ".join(clean.split())):
            if sign not in self._codes and len(self._codes) >= MOST_SIGNS:
                continue
            found.append(self._codes.setdefault(sign, len(self._codes) + 1))
        return found

    def font(self, document: pikepdf.Pdf) -> pikepdf.Object:
        file = pikepdf.Stream(document, _glyphless())
        file.Length1 = len(_glyphless())
        descriptor = Dictionary(
            Type=Name.FontDescriptor,
            FontName=Name.Glyphless,
            Flags=5,
            FontBBox=Array([0, 0, 500, 1000]),
            ItalicAngle=0,
            Ascent=1000,
            Descent=0,
            CapHeight=1000,
            StemV=80,
            FontFile2=file,
        )
        glyphs = pikepdf.Stream(document, b"\0\1" * (len(self._codes) + 1))
        below = Dictionary(
            Type=Name.Font,
            Subtype=Name.CIDFontType2,
            BaseFont=Name.Glyphless,
            CIDSystemInfo=Dictionary(Registry=b"Adobe", Ordering=b"Identity", Supplement=0),
            FontDescriptor=document.make_indirect(descriptor),
            DW=500,
            CIDToGIDMap=glyphs,
        )
        return document.make_indirect(
            Dictionary(
                Type=Name.Font,
                Subtype=Name.Type0,
                BaseFont=Name.Glyphless,
                Encoding=Name("/Identity-H"),
                DescendantFonts=Array([document.make_indirect(below)]),
                ToUnicode=pikepdf.Stream(document, self._meanings()),
            )
        )

    def _meanings(self) -> bytes:
        """The map from codes to characters, in blocks as long as the format allows."""
        rows = [f"<{code:04X}> <{sign.encode('utf-16-be').hex().upper()}>" for sign, code in self._codes.items()]
        blocks = (rows[start : start + _PER_BLOCK] for start in range(0, len(rows), _PER_BLOCK))
        body = "".join(f"{len(block)} beginbfchar\n{chr(10).join(block)}\nendbfchar\n" for block in blocks)
        return (
            "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
            "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n"
            "/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
            "1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n"
            f"{body}endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
        ).encode()


@cache
def _glyphless() -> bytes:
    return _FONT.read_bytes()
