"""Fields by rules: drawn pages as lists of lines, without an engine."""

from __future__ import annotations

import pytest

from ocr_ui.domain.content import Field, TextLine
from ocr_ui.domain.geometry import BoundingBox, Quad
from ocr_ui.parsing.field_specs import load_field_specs, spec_for, squeeze
from ocr_ui.parsing.label_value import find_fields, load_field_sets, part_of
from ocr_ui.parsing.value_kinds import value_span


def line(text: str, left: float, top: float, height: float = 20, confidence: float = 0.9) -> TextLine:
    """A line with half its height for a narrow character and all of it for a wide one."""
    width = sum(height if ord(char) > 0x2E7F else height / 2 for char in text)
    return TextLine(text, Quad.from_box(BoundingBox(left, top, left + width, top + height)), confidence)


def values(lines: list[TextLine], *names: str) -> list[str | None]:
    return [found.value for found in find_fields(lines, names)]


RECEIPT = [
    line("*** ACME STORE", 60, 0, 40),
    line("Ltd ***", 350, 2, 40),
    line("12 High Street", 60, 60),
    line("2024-05-01 12:30", 0, 100),
    line("Coffee", 0, 140),
    line("4.50", 300, 140),
    line("Subtotal", 0, 180),
    line("10.00", 300, 180),
    line("VAT 20%", 0, 210),
    line("2.00", 300, 211),
    line("Total", 0, 240),
    line("EUR", 200, 240),
    line("12.00", 300, 241),
    line("Cash", 0, 270),
    line("20.00", 300, 270),
    line("Change", 0, 300),
    line("8.00", 300, 300),
]


def test_a_receipt() -> None:
    names = ["Merchant", "Date", "Time", "Subtotal", "Tax", "Tax rate", "Total", "Paid", "Change", "Currency"]
    assert values(RECEIPT, *names) == [
        "ACME STORE Ltd",
        "2024-05-01",
        "12:30",
        "10.00",
        "2.00",
        "20%",
        "12.00",
        "20.00",
        "8.00",
        "EUR",
    ]


def test_what_is_not_there_is_absent() -> None:
    assert find_fields(RECEIPT, ["Due date", "Nonsense"]) == (
        Field("Due date", None, kind="date"),
        Field("Nonsense", None),
    )


def test_no_lines() -> None:
    assert values([], "Total", "Merchant", "Date", "Currency", "Frobnication") == [None] * 5


def test_a_subtotal_is_no_total() -> None:
    assert values([line("Subtotal 10.00", 0, 0)], "Total") == [None]
    assert values([line("小计：10.00", 0, 0), line("合计：12.00", 0, 30)], "合计", "小计") == ["12.00", "10.00"]


def test_the_longest_label_wins() -> None:
    assert values([line("VAT no 12345", 0, 0)], "Tax", "VAT number") == [None, "12345"]


def test_of_several_totals_the_last_counts() -> None:
    lines = [line("Total 10.00", 0, 0), line("Total 12.00", 0, 300), line("Total 11.00", 0, 100)]
    assert values(lines, "Total") == ["12.00"]


def test_names_in_another_language_find_the_same_label() -> None:
    lines = [line("Rechnungsnummer: R-77", 0, 0), line("Gesamtbetrag 5,00 €", 0, 30)]
    assert values(lines, "Invoice number", "发票号码", "Total", "合计") == ["R-77", "R-77", "5,00 €", "5,00 €"]


@pytest.mark.parametrize(
    "printed", ["INVOICE NO", "Invoice  No.", "InvoiceNo", "Ｉｎｖｏｉｃｅ Ｎｏ", "lnvoice number"]
)
def test_case_blanks_width_and_a_slip_do_not_matter(printed: str) -> None:
    assert values([line(f"{printed}: A-12", 0, 0)], "invoice no") == ["A-12"]


def test_full_width_colon_and_digits() -> None:
    assert values([line("发票号码：０１２３４５", 0, 0)], "Invoice number") == ["０１２３４５"]


def test_value_below_its_label() -> None:
    lines = [line("Due date", 0, 0), line("Amount", 300, 0), line("3 May 2024", 0, 26), line("CHF 3 949.75", 300, 26)]
    assert values(lines, "Due date", "Amount") == ["3 May 2024", "CHF 3 949.75"]


def test_two_labels_in_one_line() -> None:
    lines = [line("Date: 2024-05-01 Time: 12:30", 0, 0), line("性别女民族汉", 0, 40)]
    assert values(lines, "Date", "Time", "性别", "民族") == ["2024-05-01", "12:30", "女", "汉"]


def test_a_bilingual_label_over_its_value() -> None:
    lines = [line("Surname / Nom", 0, 0), line("LINDQVIST", 0, 24), line("Date of expiry / Expire le", 300, 0)]
    assert values([*lines, line("02 05 2034", 300, 24)], "Surname", "Expiry date") == ["LINDQVIST", "02 05 2034"]


def test_a_qualifier_after_a_label_does_not_take_its_value() -> None:
    lines = [line("Geg. BAR", 0, 0), line("20,00", 300, 0), line("Rückgeld BAR", 0, 30), line("9,44", 300, 30)]
    assert values(lines, "given", "change") == ["20,00", "9,44"]


def test_a_label_inside_a_sentence_has_no_far_value() -> None:
    assert values([line("Please pay the amount due within 30 days.", 0, 0)], "Total", "Amount") == [None, None]


def test_a_date_is_wanted_where_a_date_belongs() -> None:
    lines = [line("Date", 0, 0), line("Page 1", 100, 0), line("01.07.2020", 0, 26)]
    assert values(lines, "Date") == ["01.07.2020"]


def test_an_unknown_name_is_looked_for_as_a_label() -> None:
    lines = [line("Frobnication level: high", 0, 0), line("Service 10%", 0, 40), line("3.15", 300, 40)]
    assert values(lines, "frobnication level", "Service") == ["high", "3.15"]


def test_a_value_over_two_lines() -> None:
    lines = [line("住址北京市朝阳区某某路", 0, 0), line("100号", 40, 24), line("公民身份号码110101199001011234", 0, 80)]
    assert values(lines, "地址", "身份证号") == ["北京市朝阳区某某路100号", "110101199001011234"]


def test_known_by_pattern_without_label() -> None:
    lines = [line("DE89 3704 0044 0532 0130 00", 0, 0), line("UST DE202748117", 0, 40), line("Debit card", 0, 80)]
    assert values(lines, "IBAN", "VAT ID", "Payment method") == [
        "DE89 3704 0044 0532 0130 00",
        "DE202748117",
        "Debit card",
    ]


def test_a_slanting_page() -> None:
    rise = 0.05
    quads = [
        Quad(((0, 0), (50, 2.5), (50, 22.5), (0, 20))),
        Quad(((600, 600 * rise), (650, 650 * rise), (650, 20 + 650 * rise), (600, 20 + 600 * rise))),
        Quad(((600, 0), (650, 2.5), (650, 22.5), (600, 20))),
        Quad(((0, 200), (600, 230), (600, 250), (0, 220))),
    ]
    texts = ["Total", "12.00", "99.00", "A long line that shows how the page slants"]
    lines = [TextLine(text, quad, 0.9) for text, quad in zip(texts, quads, strict=True)]
    assert values(lines, "Total") == ["12.00"]


def test_box_and_confidence_are_the_values_own() -> None:
    (found,) = find_fields([line("Total: 12.00", 100, 50, confidence=0.7)], ["Total"])
    assert found.quad is not None
    assert found.quad.bounds == BoundingBox(170, 50, 220, 70)
    assert (found.confidence, found.kind) == (0.7, "amount")


def test_part_of_a_slanting_line_lies_on_it() -> None:
    part = part_of(TextLine("abcd", Quad(((0, 0), (80, 40), (80, 60), (0, 20)))), 2, 4)
    assert part is not None
    assert part.points == ((40, 20), (80, 40), (80, 60), (40, 40))


def test_lines_without_boxes_work_too() -> None:
    lines = [TextLine("Total: 12.00"), TextLine("Due date"), TextLine("3 May 2024")]
    assert values(lines, "Total", "Due date") == ["12.00", "3 May 2024"]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("CHF 3'949.75", "amount", "CHF 3'949.75"),
        ("1.234,56 €", "amount", "1.234,56 €"),
        ("¥1,280.00元", "amount", "¥1,280.00元"),
        ("-2,00 A", "amount", "-2,00"),
        ("2 x 3.00 6.00", "amount", "6.00"),
        ("19 % 01.07.2020 12:30", "amount", None),
        ("DE202748117", "amount", None),
        ("on 1st May 2024", "date", "1st May 2024"),
        ("２０２４年５月１日", "date", "２０２４年５月１日"),
        ("7.7 %", "rate", "7.7 %"),
        ("# INV-2024/001", "number", "INV-2024/001"),
        ("nothing", "number", None),
        (" : ", "text", None),
    ],
)
def test_value_span(text: str, kind: str, value: str | None) -> None:
    span = value_span(text, kind)
    assert (span and text[slice(*span)]) == value


def test_the_ready_sets_ask_for_known_fields() -> None:
    sets = load_field_sets()
    assert list(sets) == ["invoice", "receipt", "identity_card", "contract"]
    for field_set in sets.values():
        assert set(field_set.title) == {"en", "zh"}
        for names in field_set.names.values():
            keys = [spec_for(name).key for name in names]
            assert all(keys), f"{field_set.key}: {names[keys.index('')]} is not known"
            assert len(set(keys)) == len(keys), f"{field_set.key} asks twice for one field"


def test_labels_are_listed_once_a_field_and_point_to_known_fields() -> None:
    specs = load_field_specs()
    for spec in specs.values():
        squeezed = [squeeze(label) for label in spec.labels]
        assert len(set(squeezed)) == len(squeezed), f"{spec.key}: a label stands twice"
        assert spec.instead in {"", *specs}
