"""Lines sorted as a person reads them, whatever the writing."""

from __future__ import annotations

from ocr_ui.domain.content import TextLine
from ocr_ui.domain.geometry import BoundingBox, Quad
from ocr_ui.services.ordering import line_order


def line(text: str, left: float, top: float, wide: float = 300, high: float = 20) -> TextLine:
    return TextLine(text, Quad.from_box(BoundingBox(left, top, left + wide, top + high)))


def read(*lines: TextLine) -> list[str]:
    return [lines[index].text for index in line_order(lines)]


def test_columns_of_prose_come_one_after_the_other() -> None:
    columns = [line(f"{x}{y}", x * 400, y * 30) for y in range(4) for x in (0, 1)]
    assert read(*columns) == ["00", "01", "02", "03", "10", "11", "12", "13"]


def test_a_page_from_the_right_is_read_from_the_right() -> None:
    cells = [line("שלום", 0, 0, 60), line("עולם", 100, 0, 60), line("תודה", 50, 40, 60)]
    assert read(*cells) == ["עולם", "שלום", "תודה"]
    assert read(*[TextLine("ab", cell.quad) for cell in cells][:2], line("c", 50, 40, 60)) == ["ab", "ab", "c"]


def test_vertical_columns_come_from_the_right() -> None:
    columns = [line(text, x, 0, 20, 200) for text, x in (("春眠", 0), ("不覚", 40), ("暁", 80))]
    assert read(*columns) == ["暁", "不覚", "春眠"]


def test_a_line_without_a_box_stays_behind_the_line_it_stood_behind() -> None:
    below, above, loose, first = line("below", 0, 100), line("above", 0, 0), TextLine("loose"), TextLine("first")
    assert read(first, below, loose, above) == ["first", "above", "below", "loose"]
    assert read(loose, first) == ["loose", "first"]
    assert read() == []
