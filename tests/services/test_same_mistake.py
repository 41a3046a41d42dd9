"""The same mistake in other items, and who wrote a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from stored import ANN, BO, add_item, content, open_store

from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.recognition import EngineName
from ocr_ui.domain.reread import Reread
from ocr_ui.errors import NotFound
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.line_history import LineHistory, entry_value
from ocr_ui.services.same_mistake import SameMistakes, elsewhere_value
from ocr_ui.storage.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def annotator(store: Store) -> Annotator:
    return Annotator(store)


async def test_other_items_that_read_the_same_are_shown_and_left_alone(store: Store, annotator: Annotator) -> None:
    item = add_item(store, ["Tota1 12.50"])
    other = add_item(store, ["Hello", "Sum Tota1 Tota1"], shade=1)
    add_item(store, ["Tota12", "tota1"], shade=2)
    mended = add_item(store, ["Tota1 9"], shade=3)
    await annotator.save_correction(mended, 0, content("Total 9"), "wrong", person=ANN)
    written = add_item(store, ["Total 9"], shade=4)
    await annotator.save_correction(written, 0, content("Tota1 9"), "wrong", person=ANN)
    found = await SameMistakes(store, annotator).find(item, "l0", "Total 12.50")
    assert (found.mistake.wrong, found.mistake.right, found.looked) == ("Tota1", "Total", 5)
    [place] = elsewhere_value(found)["places"]
    assert (place["item"], place["line"], place["number"]) == (other, "l1", 2)
    assert (place["text"], place["fixed"]) == ("Sum Tota1 Tota1", "Sum Total Total")
    assert (await annotator.open_item(other)).correction is None


async def test_a_line_that_says_what_was_read_has_no_mistake(store: Store, annotator: Annotator) -> None:
    item = add_item(store, ["Tota1"])
    service = SameMistakes(store, annotator)
    assert elsewhere_value(await service.find(item, "l0", "Tota1")) == {
        "wrong": None,
        "right": None,
        "looked": 0,
        "places": [],
    }
    with pytest.raises(NotFound) as unknown:
        await service.find(item, "n1", "x")
    assert unknown.value.code == "unknown_line"


def test_only_so_many_of_the_newest_items_are_looked_at(store: Store) -> None:
    ids = [add_item(store, ["100% Tota1"], shade=shade) for shade in range(4)]
    assert store.same_text.items("Tota1", ids[3], 3, 50) == ([ids[2], ids[1]], 3)
    assert store.same_text.items("Tota1", ids[3], 3, 1) == ([ids[2]], 3)
    assert store.same_text.items("0% T", 0, 9, 9) == (ids[::-1], 4)
    assert store.same_text.items("0_ T", 0, 9, 9) == ([], 4), "no sign stands for another"


async def test_a_line_knows_who_wrote_it(store: Store, annotator: Annotator) -> None:
    item = add_item(store, ["Tota1", "Thanks"])
    model = (await annotator.open_item(item)).content
    quad = Quad.from_points([(0, 0), (9, 0), (9, 9), (0, 9)])
    engine = EngineName("vllm", "0.25", "HunyuanOCR", "r2", "big")
    read = replace(model.lines[0], text="Totai")
    store.rereads.add(item, Reread(quad, engine, "full_text", "v", "complete", 0.2, "Totai", (read,)), BO)
    await annotator.save_correction(item, 0, content("Total", "Thanks"), person=ANN)
    await annotator.save_correction(item, 1, content("Total", "Thanks!"), person=BO)
    moved = replace(content("Total", "Thanks!"), lines=(replace(content("Total").lines[0], quad=quad),))
    await annotator.save_correction(item, 2, moved, person=BO)
    await annotator.save_correction(item, 3, content(), person=ANN)
    told = [entry_value(entry) for entry in await LineHistory(store, annotator).of(item, "l0")]
    seen = [(one["kind"], one["text"], one["person"], one["version"], one["moved"]) for one in told]
    assert seen == [
        ("read", "Tota1", "Ann", 0, False),
        ("reread", "Totai", "薄", 0, False),
        ("saved", "Total", "Ann", 1, False),
        ("saved", "Total", "薄", 3, True),
        ("deleted", None, "Ann", 4, False),
    ]
    assert (told[0]["model"], told[0]["revision"], told[0]["template"]) == ("PP-OCRv6", "r1", "full_text")
    assert (told[1]["engine"], told[1]["model"], told[1]["revision"]) == ("big (vllm)", "HunyuanOCR", "r2")
    assert await LineHistory(store, annotator).of(item, "n9") == []
