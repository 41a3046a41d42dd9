"""Two readings beside each other: what belongs together, and what is said to differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from stored import ANN, add_item, content, line, open_store, recognition

from ocr_ui.domain.content import Field, PageContent, Table, TextLine
from ocr_ui.domain.recognition import EngineName
from ocr_ui.errors import BadInput, NotFound
from ocr_ui.images.transform import Pad, PictureTransform, Scale
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.compare import Comparer, Comparison, Row, Section, comparison_value, reading_value
from ocr_ui.storage.store import Store


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path) as opened:
        yield opened


def second(store: Store, first: int, said: PageContent, engine: EngineName | None = None) -> int:
    """Another reading of the same page."""
    page = store.pages.get(store.recognitions.get(first).page_id)
    value = recognition(page.page.sha256, said)
    value = replace(value, engine=engine or EngineName("openai", "1.2", "HunyuanOCR", "r9", "office"))
    return store.recognitions.add(value, page.id)


async def compared(store: Store, left: PageContent, right: PageContent) -> Comparison:
    one = add_item(store, left)
    return await Comparer(store, Annotator(store)).compare(one, second(store, one, right))


def section(comparison: Comparison, kind: str) -> Section:
    return next(section for section in comparison.sections if section.kind == kind)


def told(rows: tuple[Row, ...]) -> list[tuple[str | None, str | None, str]]:
    """The rows as (left, right, state), what differs in square brackets."""

    def marked(pieces: tuple | None) -> str | None:
        return None if pieces is None else "".join(f"[{text}]" if differs else text for text, differs in pieces)

    return [(marked(row.left), marked(row.right), row.state) for row in rows]


async def test_lines_are_paired_by_what_they_say_and_where_not_by_their_numbers(store: Store) -> None:
    bare = content("Alpha", "Beta"), content("A heading", "Alpha", "Beta")
    without_boxes = [PageContent(lines=tuple(replace(one, quad=None) for one in said.lines)) for said in bare]
    assert told(section(await compared(store, *without_boxes), "lines").rows) == [
        (None, "[A heading]", "right"),
        ("Alpha", "Alpha", "same"),
        ("Beta", "Beta", "same"),
    ]
    left = PageContent(lines=(line("Total 12.50", 0, "l0"), line("Thank you", 1, "l1"), line("VAT", 2, "l2")))
    right = PageContent(lines=(line("New line", 9, "l0"), line("Tota1 12.50", 0, "l1"), line("Thank you", 1, "l2")))
    found = await compared(store, left, right)
    assert told(section(found, "lines").rows) == [
        (None, "[New line]", "right"),
        ("Tota[l] 12.50", "Tota[1] 12.50", "text"),
        ("Thank you", "Thank you", "same"),
        ("[VAT]", None, "left"),
    ]


async def test_the_same_text_elsewhere_or_in_another_order_is_told(store: Store) -> None:
    left = PageContent(lines=(line("one", 0), line("two", 1), line("three", 2)))
    right = PageContent(lines=(line("three", 2), line("one", 0), line("two", 30)))
    states = [(row.right[0][0], row.state) for row in section(await compared(store, left, right), "lines").rows]
    assert states == [("three", "order"), ("one", "same"), ("two", "box")]


async def test_boxes_come_with_their_rows(store: Store) -> None:
    left, right = content("one"), PageContent(lines=(TextLine("one"),))
    row = section(await compared(store, left, right), "lines").rows[0]
    assert (row.left_quad, row.right_quad) == (left.lines[0].quad, None)


async def test_an_engine_without_lines_is_compared_by_its_text(store: Store) -> None:
    left, right = content("Heading", "Some text"), PageContent(text="Heading\n\nSome test")
    found = await compared(store, left, right)
    assert [section.kind for section in found.sections] == ["lines"]
    assert told(found.sections[0].rows) == [
        ("Heading", "Heading", "same"),
        ("Some te[x]t", "Some te[s]t", "text"),
    ]


async def test_fields_are_compared_one_by_one(store: Store) -> None:
    left = PageContent(fields=(Field("Total", "34.60"), Field("Date", None), Field("Shop", "A"), Field("Tip", None)))
    right = PageContent(
        fields=(Field("Date", "1 May"), Field("Total", "34.80"), Field("Till", "4"), Field("Tip", None))
    )
    found = await compared(store, left, right)
    rows = section(found, "fields").rows
    assert [row.name for row in rows] == ["Total", "Date", "Shop", "Tip", "Till"]
    assert told(rows) == [
        ("34.[6]0", "34.[8]0", "text"),
        (None, "[1 May]", "right"),
        ("[A]", None, "left"),
        (None, None, "same"),
        (None, "[4]", "right"),
    ]


async def test_an_empty_field_is_not_an_absent_one(store: Store) -> None:
    left = PageContent(fields=(Field("Tip", ""), Field("Total", ""), Field("Tax", "")))
    right = PageContent(fields=(Field("Tip", None), Field("Total", "2"), Field("Tax", "")))
    states = [row.state for row in section(await compared(store, left, right), "fields").rows]
    assert states == ["left", "text", "same"]


async def test_tables_are_compared_row_by_row_and_markdown_beside_lines(store: Store) -> None:
    table = Table("<table></table>", (("Item", "Price"), ("Tea", "3.10")))
    other = Table("<table></table>", (("Item", "Price"), ("Tea", "3.70")))
    left = PageContent(tables=(table,), text="# Menu", lines=(line("Menu"),))
    right = PageContent(tables=(other,), text="## Menu", lines=(line("Menu"),))
    found = await compared(store, left, right)
    assert [section.kind for section in found.sections] == ["lines", "tables", "text"]
    assert told(section(found, "tables").rows) == [
        ("Item | Price", "Item | Price", "same"),
        ("Tea | 3.[1]0", "Tea | 3.[7]0", "text"),
    ]
    assert told(section(found, "text").rows) == [("# Menu", "#[#] Menu", "text")]


async def test_nothing_on_both_sides_gives_nothing(store: Store) -> None:
    found = await compared(store, PageContent(), PageContent())
    assert (found.sections, found.edit_distance) == ((), 0)


async def test_a_corrected_side_is_compared_as_corrected(store: Store) -> None:
    one = add_item(store, ("Tota1",))
    two = second(store, one, content("Total"))
    comparer = Comparer(store, Annotator(store))
    assert (await comparer.compare(one, two)).edit_distance == 1
    store.corrections.add(one, 0, content("Total"), ANN)
    value = comparison_value(await comparer.compare(one, two))
    assert (value["edit_distance"], value["left"]["version"], value["right"]["version"]) == (0, 1, 0)
    assert [row["state"] for row in value["sections"][0]["rows"]] == ["same"]


async def test_each_side_says_who_read_it(store: Store) -> None:
    one = add_item(store, ("x",))
    two = second(store, one, content("x"))
    value = comparison_value(await Comparer(store, Annotator(store)).compare(one, two))
    assert (value["left"]["engine"], value["right"]["engine"]) == ("rapidocr", "office (openai)")
    assert (value["right"]["model"], value["right"]["revision"]) == ("HunyuanOCR", "r9")
    assert (value["picture"]["width"], value["picture"]["height"]) == (1000, 800)


async def test_it_is_told_at_what_size_each_was_read(store: Store) -> None:
    read = store.recognitions.get(add_item(store, ("x",)))
    whole = PictureTransform(1000, 800)
    sizes = {}
    for transform in (whole, whole.then(Scale(500, 400)).then(Pad(0, 0, 9, 0, (0, 0, 0)))):
        item = store.recognitions.add(replace(read.recognition, transform=transform.to_dict()), read.page_id)
        sizes[item] = list(transform.scaled[1])
    comparer = Comparer(store, Annotator(store))
    rows = [reading_value(row) for row in await comparer.readings(read.id)]
    assert {row["id"]: row["size"] for row in rows} == {read.id: None, **sizes}
    value = comparison_value(await comparer.compare(*sizes))
    assert (value["left"]["size"], value["right"]["size"]) == ([1000, 800], [500, 400])


async def test_readings_of_a_page_come_newest_first(store: Store) -> None:
    one, other_page = add_item(store, ("x",)), add_item(store, ("y",), shade=5)
    two = second(store, one, content("x"))
    comparer = Comparer(store, Annotator(store))
    rows = [reading_value(row) for row in await comparer.readings(one)]
    assert [(row["id"], row["engine"], row["engine_name"]) for row in rows] == [
        (two, "office (openai)", "office"),
        (one, "rapidocr", "rapidocr"),
    ]
    assert [row["size"] for row in rows] == [None, None], "nothing is recorded"
    assert [row.id for row in await comparer.readings(other_page)] == [other_page]
    with pytest.raises(NotFound):
        await comparer.readings(99)


async def test_different_pictures_are_not_compared(store: Store) -> None:
    with pytest.raises(BadInput) as caught:
        await Comparer(store, Annotator(store)).compare(add_item(store), add_item(store, shade=7))
    assert caught.value.code == "not_the_same_picture"
    with pytest.raises(NotFound):
        await Comparer(store, Annotator(store)).compare(1, 99)
