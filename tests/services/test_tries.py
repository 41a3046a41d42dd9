"""One picture read in several ways at once, and which of the readings was better."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio
from fakes import Pause, ScriptedEngine
from sampled import MISREAD, RIGHT, VARIED, page_picture, script
from slanting import askew, page
from stored import ANN, BO, open_store

from ocr_ui.domain.content import TextLine
from ocr_ui.domain.person import Person
from ocr_ui.domain.pixels import Need
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import EngineName, Generation
from ocr_ui.domain.rollout import Choice
from ocr_ui.engines.base import Capabilities, Finished, LinesDelta, Started
from ocr_ui.errors import BadInput, EngineFailed, NotFound
from ocr_ui.images.door import encode_png
from ocr_ui.images.transform import PictureTransform
from ocr_ui.services import recognize
from ocr_ui.services.engines import Engines
from ocr_ui.services.preferred import sampled_answers
from ocr_ui.services.reading import ReadRequest
from ocr_ui.services.tries import Lane, Way
from ocr_ui.services.try_view import shown_value
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import Settings

LONG = [Started(), *script(RIGHT)[1:3], Pause(60), *script(RIGHT)[3:]]


class LinesEngine(ScriptedEngine):
    """Takes no prompt, as the CPU engine."""

    name = EngineName("rapidocr", "1", "lines", "r1")

    def __init__(self) -> None:
        said = [Started(), LinesDelta((TextLine("Total 12.50"),), 1), Finished(Generation())]
        super().__init__(said, Capabilities(tasks=frozenset({Task.SPOTTING})))


ENGINES = {
    "right": lambda: ScriptedEngine(script(RIGHT), VARIED),
    "misread": lambda: ScriptedEngine(script(MISREAD), VARIED),
    "slow": lambda: ScriptedEngine(LONG, VARIED),
    "queued": lambda: ScriptedEngine([Pause(60)], VARIED),
    "broken": lambda: ScriptedEngine([Started(), EngineFailed("engine_failed", "It broke.")], VARIED),
    "lines": LinesEngine,
    "textonly": lambda: ScriptedEngine(script(RIGHT), Capabilities(tasks=frozenset({Task.TEXT}), takes_prompt=True)),
}


@pytest_asyncio.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Workbench]:
    open_store(tmp_path).close()
    engines = Engines({name: made() for name, made in ENGINES.items()})
    made = Workbench.open(Settings(_env_file=None, data_dir=tmp_path, turn_pages=False), engines)
    yield made
    await made.close()


async def page_of(bench: Workbench, shade: int = 0) -> int:
    return (await bench.pictures.receive(page_picture(shade), "page.png")).page_id


async def ended(bench: Workbench, page: int, *ways: Way, person: Person | None = None) -> tuple[Lane, ...]:
    *_, last = [lanes async for lanes in bench.tries.run(page, ways, person)]
    return last


def ways(*engines: str, template: str = "full_text") -> tuple[Way, ...]:
    return tuple(Way(template, engine=name) for name in engines)


async def test_each_way_is_read_and_stored_as_an_item_of_its_own(bench: Workbench) -> None:
    lanes = await ended(bench, await page_of(bench), *ways("right", "misread"), person=ANN)
    stored = [bench.store.recognitions.get(lane.item) for lane in lanes]
    assert [one.recognition.generation.text for one in stored] == [RIGHT, MISREAD]
    assert [one.recognition.engine.name for one in stored] == ["right", "misread"]
    assert [one.person for one in stored] == ["Ann", "Ann"]
    assert [lane.state for lane in lanes] == ["complete", "complete"]


async def test_other_sampling_versions_and_prompts_are_ways_too(bench: Workbench) -> None:
    template = bench.templates.get("full_text")
    newer = bench.templates.save_version("full_text", template.text + " Now.")
    lanes = await ended(
        bench,
        await page_of(bench),
        Way(f"full_text@{template.version}", engine="right", sampling={"temperature": 0.5}),
        Way("full_text", engine="right"),
        Way("full_text", engine="right", prompt="Read it."),
    )
    used = [bench.store.recognitions.get(lane.item).recognition.prompt for lane in lanes]
    assert [one.text for one in used] == [template.text, newer.text, "Read it."]
    assert [one.version for one in used] == [template.version, newer.version, newer.version]
    assert [one.sampling["temperature"] for one in used] == [0.5, 0, 0]


async def test_a_cleaned_copy_is_a_way_too(bench: Workbench) -> None:
    received = await bench.pictures.receive(encode_png(askew(page(8), 4)), "askew.png")
    lanes = await ended(bench, received.page_id, Way("full_text", preprocess="deskew"), Way("full_text"))
    warnings = [bench.store.recognitions.get(lane.item).recognition.content.warnings for lane in lanes]
    assert [[one.code for one in told] for told in warnings] == [["deskewed"], []]


async def test_with_how_many_pixels_is_a_way_too(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognize, "need_of", lambda *_: Need(None, 1_000))
    page_id, way = await page_of(bench), Way("full_text", engine="right")
    lanes = await ended(bench, page_id, replace(way, pixels=20_000), replace(way, whole=True), way)
    small, whole, chosen = (bench.store.recognitions.get(lane.item).recognition for lane in lanes)
    width, height = PictureTransform.from_dict(small.transform).engine_size
    assert 15_000 < width * height <= 20_000
    assert (whole.pixels, chosen.pixels.reason) == (None, "uncalibrated")


async def test_a_wording_for_one_run_has_its_blanks_filled_and_is_told_beside_the_reading(bench: Workbench) -> None:
    asked = Way("fields", {"fields": "total, date"}, "right")
    lanes = await ended(
        bench,
        await page_of(bench),
        replace(asked, wording="Find {{fields}} and {{other}}."),
        asked,
        replace(asked, wording=" "),
    )
    used = [bench.store.recognitions.get(lane.item).recognition.prompt for lane in lanes[:2]]
    assert used[0].text == "Find ['total','date'] and {{other}}."
    assert (used[1].text, used[0].version) == (bench.templates.get("fields").render(asked.variables), used[1].version)
    assert lanes[2].error.code == "empty_prompt"
    shown = shown_value(await bench.tries.show([lane.item for lane in lanes[:2]]))
    assert [one["wording"] for one in shown["readings"]] == ["Find {{fields}} and {{other}}.", None]


async def test_it_is_told_where_an_engine_reads_without_the_wording_that_was_typed(bench: Workbench) -> None:
    own = "Read it."
    lanes = await ended(
        bench,
        await page_of(bench),
        Way("full_text", engine="lines", wording=own),
        Way("full_text", engine="lines", wording=bench.templates.get("full_text").text),
        Way("full_text", engine="right", wording=own),
    )
    shown = shown_value(await bench.tries.show([lane.item for lane in lanes]))
    codes = [[warning["code"] for warning in one["warnings"]] for one in shown["readings"]]
    assert [code.count("prompt_unused") for code in codes] == [1, 0, 0]
    assert [one["takes_prompt"] for one in shown["readings"]] == [False, False, True]


async def test_a_way_that_cannot_be_read_fails_alone(bench: Workbench) -> None:
    lanes = await ended(
        bench, await page_of(bench), *ways("right", "broken", "textonly"), Way("no_such_template", engine="right")
    )
    assert [lane.state for lane in lanes] == ["complete", "failed", "failed", "failed"]
    assert [lane.error and lane.error.code for lane in lanes] == [
        None,
        "engine_failed",
        "task_not_possible",
        "template_not_found",
    ]
    assert all(lane.ended for lane in lanes)


async def test_ways_wait_and_run_at_the_same_time_and_one_is_stopped_alone(bench: Workbench) -> None:
    page, seen = await page_of(bench), None
    async with aclosing(bench.tries.run(page, ways("slow", "queued", "right"), owner="me")) as steps:
        async for lanes in steps:
            states = [lane.state for lane in lanes]
            if seen is None and states == ["running", "waiting", "complete"] and lanes[0].progress.raw:
                seen = lanes
                assert await bench.tries.stop("me", 1) == 1
            elif seen is not None and states[1] == "stopped":
                assert states[0] == "running", "the others go on"
                break
        assert await bench.tries.stop("me") == 1
        *_, last = [lanes async for lanes in steps]
    assert [lane.state for lane in last] == ["stopped", "stopped", "complete"]
    assert last[1].item is None, "nothing had been read"
    kept = bench.store.recognitions.get(last[0].item).recognition
    assert (kept.outcome, RIGHT.startswith(kept.generation.text)) == ("stopped", True)


async def test_stop_means_a_way_too_that_has_not_come_to_its_engine(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, reached, go_on = await page_of(bench), threading.Event(), threading.Event()
    request = bench.tries._request

    def slowly(way: Way, name: str) -> ReadRequest:
        reached.set()
        go_on.wait()
        return request(way, name)

    monkeypatch.setattr(bench.tries, "_request", slowly)
    async with aclosing(bench.tries.run(page, ways("right"), owner="me")) as steps:
        first = asyncio.ensure_future(anext(steps))
        await asyncio.to_thread(reached.wait)
        stopped = await bench.tries.stop("me")
        go_on.set()
        *_, (last,) = [await first, *[lanes async for lanes in steps]]
    assert stopped == 1
    assert (last.state, last.item) == ("stopped", None)
    assert bench.engines._engines["right"].seen == []
    assert await bench.tries.stop("me") == 0


async def test_closing_ends_all_and_keeps_what_was_read(bench: Workbench) -> None:
    page = await page_of(bench)
    async with aclosing(bench.tries.run(page, ways("slow", "slow"))) as steps:
        async for lanes in steps:
            if all(lane.progress and lane.progress.raw for lane in lanes):
                break
    await bench.recognizer.close()
    engine = bench.engines._engines["slow"]
    assert not engine.running
    found = bench.store.recognitions.of_same_page(bench.store.recognitions.latest(page).id)
    assert [row.outcome for row in found] == ["stopped", "stopped"]


@pytest.mark.parametrize("count", [0, 5])
async def test_more_ways_than_can_be_shown_are_refused(bench: Workbench, count: int) -> None:
    with pytest.raises(BadInput, match="1 to 4 ways"):
        await ended(bench, await page_of(bench), *ways(*["right"] * count))


async def test_readings_stand_side_by_side_with_what_differs_from_the_chosen_one(bench: Workbench) -> None:
    lanes = await ended(bench, await page_of(bench), *ways("right", "misread"))
    shown = await bench.tries.show([lane.item for lane in lanes], base=1)
    first = next(row for row in shown.rows if row.texts[1] == "Total 12.80")
    assert (first.label, first.texts, first.differs) == ("Total 12.80", ("Total 12.50", "Total 12.80"), True)
    assert None not in first.quads[:2]
    assert [row.differs for row in shown.rows if row.texts[1] == "Thank you"] == [False]
    other = await ended(bench, await page_of(bench, shade=9), *ways("right"))
    with pytest.raises(BadInput, match="different pictures"):
        await bench.tries.show([lanes[0].item, other[0].item])


# Preferences


async def preferred(bench: Workbench, item: int) -> tuple[tuple[str, str], ...]:
    own = bench.store.recognitions.get(item).recognition.generation.text
    return sampled_answers([], own, bench.store.preferences.of_item(item))[1]


async def test_the_better_answer_to_the_same_question_is_a_pair_with_its_own_item_alone(bench: Workbench) -> None:
    first, second = [lane.item for lane in await ended(bench, await page_of(bench), *ways("right", "misread"))]
    kept = await bench.preferences.prefer(first, [second], ANN, 2.0, "key-of-mine")
    assert [(one.worse, one.why_no_pair) for one in kept] == [(second, "")]
    assert await preferred(bench, first) == ((RIGHT, MISREAD),)
    assert await preferred(bench, second) == ()
    told = bench.store.preferences.of_item(second)[0].preference
    assert (told.left, told.choice, told.person, told.blind, told.seconds) == (first, Choice.LEFT, "Ann", False, 2.0)


async def test_a_click_that_is_sent_twice_counts_once(bench: Workbench) -> None:
    first, second = [lane.item for lane in await ended(bench, await page_of(bench), *ways("right", "misread"))]
    for _ in range(2):
        await bench.preferences.prefer(first, [second], ANN, client_key="key-of-mine")
    assert len(bench.store.preferences.of_item(first)) == 1


async def test_the_majority_decides_and_of_each_person_the_newest_word(bench: Workbench) -> None:
    first, second = [lane.item for lane in await ended(bench, await page_of(bench), *ways("right", "misread"))]
    await bench.preferences.prefer(first, [second], ANN)
    await bench.preferences.prefer(second, [first], BO)
    assert await preferred(bench, first) == await preferred(bench, second) == ()
    await bench.preferences.prefer(second, [first], ANN)
    assert await preferred(bench, second) == ((MISREAD, RIGHT),)
    assert await preferred(bench, first) == ()


async def test_answers_to_different_questions_are_kept_and_are_no_pair(bench: Workbench) -> None:
    page = await page_of(bench)
    lanes = await ended(bench, page, Way("full_text", engine="right"), Way("full_text_plain", engine="misread"))
    first, second = [lane.item for lane in lanes]
    kept = await bench.preferences.prefer(first, [second], ANN)
    assert [one.why_no_pair for one in kept] == ["other_prompt"]
    assert len(bench.store.preferences.of_item(first)) == 1
    assert await preferred(bench, first) == ()


async def test_what_cannot_be_preferred_is_refused(bench: Workbench) -> None:
    first, second = [lane.item for lane in await ended(bench, await page_of(bench), *ways("right", "misread"))]
    for worse in ([], [first], [second, second]):
        with pytest.raises(BadInput, match="named once"):
            await bench.preferences.prefer(first, worse)
    with pytest.raises(NotFound):
        await bench.preferences.prefer(first, [999])
    other = (await ended(bench, await page_of(bench, shade=9), *ways("right")))[0].item
    with pytest.raises(BadInput, match="different pictures"):
        await bench.preferences.prefer(first, [other])


async def test_merging_is_ended_by_the_first_error() -> None:
    from ocr_ui.services.merged import merged

    closed = []

    async def endless(name: str) -> AsyncIterator[str]:
        try:
            while True:
                yield name
                await asyncio.sleep(0)
        finally:
            closed.append(name)

    async def failing() -> AsyncIterator[str]:
        yield "once"
        raise KeyError("broken")

    with pytest.raises(KeyError):
        async for _ in merged([endless("a"), failing()]):
            pass
    assert closed == ["a"]
