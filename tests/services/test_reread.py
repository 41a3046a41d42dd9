"""A box read anew: what is cut out, where the answer goes, and what of a person's stays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from fakes import Pause, ScriptedEngine

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.domain.geometry import BoundingBox, Quad
from ocr_ui.domain.person import Person
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Capabilities, Finished, LinesDelta, Started, TextDelta
from ocr_ui.errors import BadInput, EngineFailed
from ocr_ui.images.crops import cut_out
from ocr_ui.images.door import encode_png
from ocr_ui.services.engines import Engines
from ocr_ui.services.reading import ReadRequest
from ocr_ui.services.reread import read_lines, spliced
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import Settings

SPOTS = Capabilities(tasks=frozenset({Task.TEXT, Task.SPOTTING}), gives_boxes=True)
MODEL = [("Total", 0), ("12.5O", 40), ("Thanks", 80)]


def box(left: float, top: float, right: float, bottom: float) -> Quad:
    return Quad.from_box(BoundingBox(left, top, right, bottom))


def line(text: str, quad: Quad | None, id: str = "") -> TextLine:
    return TextLine(text, quad, 0.9, id)


def said(*texts: tuple[str, Quad]) -> list:
    return [Started(), LinesDelta(tuple(line(*text) for text in texts)), Finished(Generation())]


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine(said(*((text, box(10, top, 110, top + 20)) for text, top in MODEL)), SPOTS)


@pytest.fixture
async def bench(tmp_path: Path, engine: ScriptedEngine) -> AsyncIterator[Workbench]:
    opened = Workbench.open(Settings(data_dir=tmp_path, turn_pages=False), Engines({"scripted": engine}))
    yield opened
    await opened.close()


@pytest.fixture
async def item(bench: Workbench) -> int:
    pixels = np.random.default_rng(5).integers(0, 255, (200, 300, 3), np.uint8)
    page = await bench.pictures.receive(encode_png(pixels), "page.png")
    request = ReadRequest(bench.templates.get("full_text"))
    return [step async for step in bench.recognizer.read(page.page_id, request)][-1].recognition_id


async def lines_of(bench: Workbench, item: int) -> list[dict]:
    return (await bench.annotator.open_item(item)).content.to_dict()["lines"]


async def reread(bench: Workbench, item: int, lines: list[dict], ids: list[str], quad: Quad | None = None, **more):
    at = [list(point) for point in quad.points] if quad else next(x["quad"] for x in lines if x["id"] == ids[0])
    return [step async for step in bench.rereader.read(item, lines, at, ids, **more)]


async def test_the_answer_takes_the_place_of_the_line_and_is_kept(bench, item, engine) -> None:
    lines = await lines_of(bench, item)
    engine.script = said(("12.50", box(8, 8, 104, 24)))
    last = (await reread(bench, item, lines, ["l1"], person=Person("Ann")))[-1]
    seen = engine.seen[-1].pixels
    assert seen.shape == (32, 112, 3), "the box with 0.3 of its height on each side"
    assert (last.state, last.splice.replaces, last.splice.kept) == ("complete", ("l1",), ())
    assert last.splice.lines == (TextLine("12.50", box(10, 40, 110, 60), 0.9, "l1"),), "the box as it was"
    stored = (await bench.annotator.open_item(item)).rereads
    assert [(one.person, one.reread.engine.model, one.reread.template) for one in stored] == [
        ("Ann", "script", "full_text")
    ]
    assert stored[0].reread.lines == last.splice.lines
    assert bench.views.item(await bench.annotator.open_item(item))["rereads"][0]["lines"][0]["text"] == "12.50"


async def test_what_a_person_wrote_stays_and_the_answer_is_offered(bench, item, engine) -> None:
    lines = await lines_of(bench, item)
    engine.script = said(("12.50", box(8, 8, 104, 24)))
    lines[1]["text"] = "mine"
    last = (await reread(bench, item, lines, ["l1"]))[-1]
    assert (last.splice.lines, last.splice.replaces, last.splice.kept) == ((), (), ("l1",))
    assert [(one.id, one.text) for one in last.splice.offered] == [("l1", "12.50")]
    lines[1]["text"] = "12.50"  # what an engine has read since is an engine's
    assert (await reread(bench, item, lines, ["l1"]))[-1].splice.replaces == ("l1",)


async def test_a_box_over_several_lines_leaves_a_persons_among_them(bench, item, engine) -> None:
    lines = await lines_of(bench, item)
    lines[1]["text"] = "mine"
    whole = box(10, 0, 110, 100)
    margin = 30
    engine.script = said(
        *((text, box(margin, top + margin, margin + 90, top + margin + 20)) for text, top in MODEL),
        ("neighbour", box(margin, 2, margin + 90, 20)),
    )
    last = (await reread(bench, item, lines, ["l0", "l1", "l2"], whole))[-1]
    assert [(one.id, one.text) for one in last.splice.lines] == [("l0", "Total"), ("l2", "Thanks")]
    assert (last.splice.replaces, last.splice.kept) == (("l0", "l2"), ("l1",))
    assert [one.text for one in last.splice.offered] == ["12.5O"]


async def test_a_new_box_goes_where_a_reader_comes_to_it(bench, item, engine) -> None:
    lines = await lines_of(bench, item)
    engine.script = said(("between", box(6, 6, 100, 20)))
    last = (await reread(bench, item, lines, [], box(10, 62, 110, 78)))[-1]
    assert (last.splice.after, last.splice.lines[0].text) == ("l1", "between")
    assert last.splice.lines[0].id not in {"l0", "l1", "l2"}


async def test_nothing_read_changes_nothing_and_is_not_kept(bench, item, engine) -> None:
    engine.script = [Started(), Finished(Generation())]
    last = (await reread(bench, item, await lines_of(bench, item), ["l1"]))[-1]
    assert (last.splice, last.stored) == (None, None)
    assert (await bench.annotator.open_item(item)).rereads == ()


async def test_a_model_that_gives_text_alone_fills_the_box_from_its_top(bench, item, engine) -> None:
    engine.capabilities = Capabilities(tasks=frozenset({Task.TEXT, Task.SPOTTING}), takes_prompt=True)
    engine.script = [Started(), TextDelta("Total\n12.50"), Finished(Generation("Total\n12.50"))]
    last = (await reread(bench, item, await lines_of(bench, item), ["l0", "l1"], box(10, 0, 110, 60)))[-1]
    assert [(one.text, one.quad) for one in last.splice.lines] == [
        ("Total", box(10, 0, 110, 30)),
        ("12.50", box(10, 30, 110, 60)),
    ]


async def test_closing_ends_the_engines_work(bench, item, engine) -> None:
    engine.script = [Started(), Pause(60), Finished(Generation())]
    lines = await lines_of(bench, item)
    steps = bench.rereader.read(item, lines, lines[0]["quad"], ["l0"])
    assert (await anext(steps)).state in ("waiting", "running")
    while not engine.running:
        await anext(steps)
    await steps.aclose()
    await asyncio.sleep(0)
    assert not engine.running
    assert (await bench.annotator.open_item(item)).rereads == ()


async def test_a_failure_is_told(bench, item, engine) -> None:
    engine.script = [Started(), EngineFailed("reading_failed", "It failed.")]
    last = (await reread(bench, item, await lines_of(bench, item), ["l0"]))[-1]
    assert (last.state, last.error.code, last.splice) == ("failed", "reading_failed", None)


async def test_boxes_and_lines_that_cannot_be_are_refused(bench, item) -> None:
    lines = await lines_of(bench, item)
    for ids, quad, code in ((["gone"], box(0, 0, 50, 20), "unknown_lines"), ([], box(5, 5, 6, 6), "box_too_small")):
        with pytest.raises(BadInput) as refused:
            await reread(bench, item, lines, ids, quad)
        assert refused.value.code == code


def test_a_slanting_box_is_straightened_and_its_lines_find_their_way_back() -> None:
    pixels = np.zeros((400, 400, 3), np.uint8)
    slanting = Quad.from_points([(100, 100), (180, 140), (170, 160), (90, 120)])
    cut = cut_out(pixels, slanting, 0.5)
    assert cut.pixels.shape[0] < cut.pixels.shape[1]
    back = cut.to_page(cut.inner)
    assert np.allclose(back.points, slanting.points, atol=1e-6)
    inside, outside = line("in", cut.inner), line("out", box(0, 0, 8, 4))
    read = read_lines(PageContent(lines=(inside, outside)), cut, slanting)
    assert [(one.text, np.allclose(one.quad.points, slanting.points, atol=0.06)) for one in read] == [("in", True)]


def test_one_line_that_becomes_several_keeps_its_id_for_the_first() -> None:
    page = [line("a", box(0, 0, 50, 40), "a"), line("b", box(0, 50, 50, 60), "b")]
    read = [line("x", box(0, 0, 50, 18)), line("y", box(0, 20, 50, 38))]
    splice = spliced(page, read, ["a"], [], box(0, 0, 50, 40), "7")
    assert [one.id for one in splice.lines] == ["a", "r7-1"]
    assert splice.lines[0].quad == read[0].quad
    first = spliced(page, [line("x", box(0, 0, 50, 5))], [], [], box(0, 0, 50, 5), "8")
    assert (first.after, first.lines[0].id) == (None, "r8-0")
