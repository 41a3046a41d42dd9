"""Makes `ocr_ui/assets/glyphless.ttf`: the font of text that is searched and selected in a PDF, but not seen.

    pip install fonttools && python scripts/glyphless_font.py

Its glyph is half as wide as it is high, with nothing to be seen in it but a dot in two of its corners: viewers take its
size from them, to mark what is selected as large as it stands on the picture.
"""

from __future__ import annotations

from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

TARGET = Path(__file__).resolve().parent.parent / "ocr_ui" / "assets" / "glyphless.ttf"
EM, WIDTH = 1000, 500


def corners() -> object:
    """Two triangles of a thousandth of the size."""
    pen = TTGlyphPen(None)
    for x, y, step in ((0, 0, 1), (WIDTH, EM, -1)):
        pen.moveTo((x, y))
        pen.lineTo((x, y + step))
        pen.lineTo((x + step, y))
        pen.closePath()
    return pen.glyph()


def main() -> None:
    builder = FontBuilder(EM, isTTF=True)
    names = [".notdef", "corners"]
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({0x20: "corners"})
    builder.setupGlyf(dict.fromkeys(names, corners()))
    builder.setupHorizontalMetrics(dict.fromkeys(names, (WIDTH, 0)))
    builder.setupHorizontalHeader(ascent=EM, descent=0)
    builder.setupNameTable({"familyName": "Glyphless", "styleName": "Regular", "psName": "Glyphless"})
    builder.setupOS2(sTypoAscender=EM, sTypoDescender=0, usWinAscent=EM, usWinDescent=0)
    builder.setupPost(keepGlyphNames=False)
    builder.font["head"].created = builder.font["head"].modified = 0
    builder.font.recalcTimestamp = False
    builder.save(TARGET)


if __name__ == "__main__":
    main()
