"""Two templates or engines in daily use: who gets which, what nobody is told, and what came of it."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
import pytest_asyncio
from fakes import ScriptedEngine
from sampled import MISREAD, RIGHT, SIZE, VARIED, answer, page_picture, script
from stored import ANN, BO, open_store

from ocr_ui.domain.access import EVERYBODY, MAY, Identity, Role
from ocr_ui.domain.experiment import Arm, Experiment
from ocr_ui.domain.page import Page
from ocr_ui.domain.person import Person
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.review import State, Verdict
from ocr_ui.errors import BadInput, Conflict, EngineFailed, NotAllowed, NotFound
from ocr_ui.parsing.dispatch import parse
from ocr_ui.services.access import Acting, act_as
from ocr_ui.services.compare import reading_value
from ocr_ui.services.engines import Engines
from ocr_ui.services.experiment_pairs import ExperimentPairs
from ocr_ui.services.experiment_view import arm_pair_value, experiment_value
from ocr_ui.services.experiments import Ask, Experiments
from ocr_ui.services.reading import ReadRequest
from ocr_ui.services.recognize import Reading
from ocr_ui.services.traffic import Traffic
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import Settings
from ocr_ui.storage.records import StoredExperiment

HALF = Ask("full_text", other_engine="other", share=0.5)


@pytest_asyncio.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Workbench]:
    open_store(tmp_path).close()
    engines = Engines(
        {
            "usual": ScriptedEngine(script(RIGHT), VARIED),
            "other": ScriptedEngine(script(MISREAD), VARIED),
            "dead": ScriptedEngine([EngineFailed("engine_failed", "It broke.")], VARIED),
        }
    )
    made = Workbench.open(Settings(_env_file=None, data_dir=tmp_path, turn_pages=False), engines)
    yield made
    await made.close()


async def read(bench: Workbench, page: int, template: str = "full_text", **asked: object) -> Reading:
    request = ReadRequest(bench.templates.get(template), **asked)
    *_, last = [step async for step in bench.recognizer.read(page, request, person="Ann", daily=True)]
    return last


def pages(bench: Workbench, count: int) -> list[int]:
    found = []
    for shade in range(count):
        page = Page(bench.store.pictures.put(page_picture(shade)), *SIZE, f"{shade}.png")
        found.append(bench.store.pages.add_document(page.name, [page], ANN).page_ids[0])
    return found


async def started(bench: Workbench, ask: Ask = HALF) -> StoredExperiment:
    always_the_same = Experiments(bench.store, bench.templates, bench.engines, lambda: "salt")
    return (await always_the_same.start(ask, ANN)).stored


def arms(bench: Workbench, experiment: int) -> list[Arm]:
    return [one.arm for one in bench.store.experiments.readings(experiment)]


def value(share: float, salt: str = "salt") -> Experiment:
    return Experiment("", "full_text", "v", "", "other", "w", "", share, salt)


# Who gets which


@pytest.mark.parametrize("share", [0.0, 0.01, 0.1, 0.5, 0.9, 1.0])
def test_the_share_is_kept_and_every_picture_stays_where_it_is(share: float) -> None:
    pictures = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(20_000)]
    found = [value(share).arm_of(sha256) for sha256 in pictures]
    assert found == [value(share).arm_of(sha256) for sha256 in pictures]
    counted = Counter(found)[Arm.B]
    # Four standard errors of a binomial; the hash is fixed, so that this holds always or never.
    assert abs(counted - share * 20_000) <= 4 * math.sqrt(20_000 * share * (1 - share))


def test_a_larger_share_leaves_in_b_what_was_there_and_each_experiment_is_another_draw() -> None:
    pictures = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(2_000)]
    small, large = ({one for one in pictures if value(share).arm_of(one) is Arm.B} for share in (0.1, 0.3))
    assert small < large
    elsewhere = {one for one in pictures if value(0.1, "another").arm_of(one) is Arm.B}
    assert len(small & elsewhere) < len(small) / 2


def test_the_assignment_can_be_worked_out_by_anybody() -> None:
    sha256 = hashlib.sha256(b"a picture").hexdigest()
    place = int(hashlib.sha256(f"salt:{sha256}".encode()).hexdigest()[:16], 16) / 2**64
    assert value(place + 1e-9).arm_of(sha256) is Arm.B
    assert value(place - 1e-9).arm_of(sha256) is Arm.A


async def test_daily_readings_go_to_their_arm_and_say_which_it_was(bench: Workbench) -> None:
    running = await started(bench)
    last = [await read(bench, page) for page in pages(bench, 8)]
    engines = [bench.store.recognitions.get(one.recognition_id).recognition.engine.name for one in last]
    expected = [running.experiment.arm_of(one.page.sha256) for one in last]
    assert {*expected} == {*Arm}, "both arms came up"
    assert engines == ["usual" if arm is Arm.A else "other" for arm in expected]
    assert arms(bench, running.id) == expected
    first = await bench.ocr.stored(last[0].recognition_id)
    assert first["experiment"] == {"id": running.id, "arm": expected[0]}


async def test_what_was_asked_for_in_particular_is_read_as_it_was_asked(bench: Workbench) -> None:
    running = await started(bench, Ask("full_text", other_engine="other", share=1.0))
    page = pages(bench, 1)[0]
    await read(bench, page, prompt="My own words.")
    await read(bench, page, template="full_text_plain")
    request = ReadRequest(bench.templates.get("full_text"))
    *_, last = [step async for step in bench.recognizer.read(page, request)]
    assert last.given is None, "a reading that is not daily use"
    assert arms(bench, running.id) == []


async def test_b_may_be_a_version_of_the_template_and_gets_what_was_typed(bench: Workbench) -> None:
    usual = bench.templates.get("translate")
    other = bench.templates.save_version("translate", usual.text + " Briefly.")
    bench.templates.restore("translate", usual.version)
    running = await started(bench, Ask("translate", f"translate@{other.version}", share=1.0))
    last = await read(bench, pages(bench, 1)[0], "translate", values={"target": "en"})
    used = bench.store.recognitions.get(last.recognition_id).recognition.prompt
    assert (used.version, used.variables["target"]) == (other.version, "en")
    assert used.text.endswith("Briefly.")
    bench.templates.restore("translate", other.version)
    await read(bench, pages(bench, 2)[1], "translate", values={"target": "en"})
    assert len(arms(bench, running.id)) == 1
    assert (await bench.experiments.get(running.id)).stale, "A is another one now"


async def test_where_b_cannot_be_read_the_page_is_read_as_before_and_counts_for_nobody(bench: Workbench) -> None:
    running = await started(bench, Ask("full_text", other_engine="dead", share=1.0))
    await bench.engines.ready("dead")
    await bench.engines._engines["dead"].close()
    last = await read(bench, pages(bench, 1)[0])
    assert last.progress.state == "complete"
    assert last.given is None
    assert arms(bench, running.id) == []


async def test_rolling_back_gives_the_next_reading_to_a(bench: Workbench) -> None:
    running = await started(bench, Ask("full_text", other_engine="other", share=1.0))
    page = pages(bench, 1)[0]
    assert (await read(bench, page)).given.arm is Arm.B
    ended = await bench.experiments.roll_back(running.id, BO)
    assert (ended.stored.ended_by, ended.stored.ended_at is not None) == (BO.name, True)
    last = await read(bench, page)
    assert last.given is None
    assert bench.store.recognitions.get(last.recognition_id).recognition.engine.name == "usual"
    for after in (bench.experiments.roll_back(running.id), bench.experiments.set_share(running.id, 0.5)):
        with pytest.raises(Conflict):
            await after
    assert (await started(bench)).id != running.id, "another one can be started"


async def test_it_is_told_that_the_engine_of_b_is_gone_while_it_runs(bench: Workbench) -> None:
    running = await started(bench)
    assert not (await bench.experiments.get(running.id)).gone
    fewer = Engines({"usual": ScriptedEngine(script(RIGHT), VARIED)})
    later = Experiments(bench.store, bench.templates, fewer)
    assert experiment_value(await later.get(running.id))["gone"]
    assert not (await later.roll_back(running.id)).gone


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (Ask("full_text"), "experiment_same"),
        (Ask("full_text", engine="usual"), "experiment_same"),
        (Ask("full_text", "full_text_plain"), "experiment_other_task"),
        (Ask("full_text", other_engine="nobody"), "unknown_engine"),
        (Ask("full_text", other_engine="other", share=1.5), "share_out_of_range"),
        (Ask("full_text", other_engine="other", name="n" * 201), "experiment_name"),
        (Ask("full_text_plain", "full_text_plain@0123456789ab"), "template_version_not_found"),
    ],
)
async def test_what_compares_nothing_is_refused(bench: Workbench, ask: Ask, code: str) -> None:
    with pytest.raises((BadInput, NotFound)) as refused:
        await bench.experiments.start(ask)
    assert refused.value.code == code


async def test_one_experiment_a_template_and_only_administrators_change_them(bench: Workbench) -> None:
    running = await started(bench)
    with pytest.raises(Conflict):
        await started(bench)
    reviewer = Identity("Rita", MAY[Role.REVIEWER], 1, Role.REVIEWER)
    kept: list[tuple[str, str]] = []
    with act_as(Acting(reviewer)):
        for change in (
            bench.experiments.start(HALF),
            bench.experiments.set_share(running.id, 0.2),
            bench.experiments.roll_back(running.id),
        ):
            with pytest.raises(NotAllowed):
                await change
    with act_as(Acting(EVERYBODY, record=lambda _who, _from, action, target: kept.append((action, target)))):
        await bench.experiments.set_share(running.id, 0.2)
        await bench.experiments.roll_back(running.id)
    assert kept == [("experiment.share", str(running.id)), ("experiment.roll_back", str(running.id))]


# What nobody is told


async def test_the_page_says_nothing_of_the_arm_until_somebody_has_judged(bench: Workbench) -> None:
    ask = Ask("full_text", "full_text_json", other_engine="other", share=1.0)
    await started(bench, ask)
    last = await read(bench, pages(bench, 1)[0])
    number = last.recognition_id
    item = await bench.annotator.open_item(number)
    said = item.recognition.recognition
    window = await bench.dataset.list()
    readings = [reading_value(row) for row in await bench.comparer.readings(number)]
    assert [one["size"] for one in readings] == [None], "the size of the copy may tell an engine"
    for shown in (bench.views.reading(1, last), bench.views.item(item), readings, [vars_of(window.rows[0])]):
        text = json.dumps(shown, default=str)
        assert "full_text" in text
        for told in ("full_text_json", '"other', said.prompt.version, said.prompt.text, '"arm": "B"'):
            assert told not in text, told
    await bench.annotator.save_correction(number, 0, said.content, Verdict.RIGHT, person=ANN)
    after = bench.views.item(await bench.annotator.open_item(number))["item"]
    assert (after["experiment"]["arm"], after["template"]) == ("B", "full_text_json")
    assert after["engine"].startswith("other")


def vars_of(row: object) -> dict[str, object]:
    return {name: getattr(row, name) for name in ("id", "template", "engine", "text")}


@pytest.mark.both_databases
async def test_no_filter_and_no_chart_tells_the_arm_until_somebody_has_judged(bench: Workbench) -> None:
    await started(bench, Ask("full_text", "full_text_json", other_engine="other"))
    last = [await read(bench, page) for page in pages(bench, 8)]
    numbers = [one.recognition_id for one in last]
    in_b = [one.recognition_id for one in last if one.given.arm is Arm.B]
    assert 0 < len(in_b) < len(numbers)
    first = bench.store.recognitions.get(numbers[0])
    model = first.recognition.engine.model
    usual = await read(bench, first.page_id, "full_text_plain")

    async def found(**filters: str) -> list[int]:
        since = datetime.now(UTC)
        window = await bench.dataset.list(filters, "oldest")
        assert window.total == len(window.rows) == await bench.dataset.count(filters)
        assert (await bench.queue.items(filters, "oldest", ANN, since)).items == tuple(row.id for row in window.rows)
        return [row.id for row in window.rows]

    assert await found(template="full_text") == numbers
    assert await found(template="full_text_json") == await found(engine="other") == []
    assert await found(engine="usual") == await found(model=model) == [usual.recognition_id]
    assert await found(engine="A/B") == numbers
    summary = await bench.dataset.summary()
    assert summary["template"] == {"full_text": len(numbers), "full_text_plain": 1}
    choices = await bench.dataset.choices()
    assert (choices["templates"], choices["engines"]) == (("full_text", "full_text_plain"), ("A/B", "usual"))
    chosen = await bench.queue.take(numbers, {"template": "full_text_json"}, "holder of a page", ANN)
    assert chosen is None, "the queue asks the filter once more"
    await bench.versions.freeze("frozen")
    assert await found(template="full_text", version="frozen") == numbers
    assert await found(template="full_text_json", version="frozen") == []

    content = (await bench.annotator.open_item(in_b[0])).content
    await bench.annotator.save_correction(in_b[0], 0, content, Verdict.RIGHT, person=ANN)
    assert await found(template="full_text_json") == await found(engine="other") == [in_b[0]]
    assert await found(template="full_text") == [number for number in numbers if number != in_b[0]]


def pairs_of(bench: Workbench, seed: int = 1) -> ExperimentPairs:
    traffic = Traffic(bench.store, bench.templates, bench.engines)
    return ExperimentPairs(bench.store, bench.recognizer, traffic, bench.templates, Random(seed))


async def test_both_arms_are_compared_blind_and_told_afterwards(bench: Workbench) -> None:
    running, pairs = await started(bench), pairs_of(bench)
    for page in pages(bench, 4):
        await read(bench, page)
    sides = Counter()
    for _ in range(4):
        pair = await pairs.next(running.id, ANN)
        shown = arm_pair_value(pair)["pair"]
        assert set(shown) == {"token", "picture", "left", "right", "judged", "total"}
        assert set(shown["picture"]) == {"sha256", "url", "width", "height", "name"}
        assert {*shown["left"], *shown["right"]} == {"Total 12.50", "Total 12.80", "Thank you"}
        left, right = await pairs.judge(pair.token, "left" if "Total 12.50" in shown["left"] else "right", ANN)
        assert {left, right} == {*Arm}
        assert ("Total 12.50" in shown["left"]) == (left is Arm.A)
        sides[left] += 1
    assert await pairs.next(running.id, ANN) is None
    assert len(sides) == 2, "sides are drawn"
    assert (await pairs.next(running.id, BO)) is not None, "somebody else judges for themselves"
    shown = await bench.experiments.get(running.id)
    assert (shown.result.blind.better.count, shown.result.blind.better.of, shown.result.blind.verdict) == (0, 4, "few")
    pictures = {arm: side.pictures for arm, side in shown.result.sides.items()}
    assert sum(pictures.values()) == 4, "what was read for a comparison was given to nobody"


async def test_a_skipped_picture_does_not_come_again_and_one_judgement_counts_once(bench: Workbench) -> None:
    running, pairs = await started(bench), pairs_of(bench)
    for page in pages(bench, 2):
        await read(bench, page)
    first = await pairs.next(running.id, ANN)
    second = await pairs.next(running.id, ANN, first.token)
    assert second.page.sha256 != first.page.sha256
    for _ in range(2):
        await pairs.judge(second.token, "tie", ANN)
    assert len(bench.store.preferences.of_experiment(running.id)) == 1
    assert await pairs.next(running.id, ANN) is None
    with pytest.raises(NotFound):
        await pairs.judge("unknown", "tie", ANN)
    with pytest.raises(BadInput):
        await pairs.judge(second.token, "middle", ANN)


# What came of it


async def judge(bench: Workbench, number: int, right: bool, accepted: bool = False) -> None:
    said = parse(Task.SPOTTING, answer("Total 12.50", "Thank you"), (1000, 800)).with_ids()
    item = await bench.annotator.open_item(number)
    content = item.content if right else said
    verdict = Verdict.RIGHT if right else Verdict.WRONG
    await bench.annotator.save_correction(number, 0, content, verdict, person=Person("Cy"))
    if accepted:
        await bench.annotator.set_state(number, State.ACCEPTED, Person("Di"))


async def test_the_result_counts_pictures_that_were_judged(bench: Workbench) -> None:
    running = await started(bench)
    last = [await read(bench, page) for page in pages(bench, 18)]
    by_arm = {arm: [one.recognition_id for one in last if one.given.arm is arm] for arm in Arm}
    for number in by_arm[Arm.A]:
        await judge(bench, number, right=True)
    for number in by_arm[Arm.B]:
        await judge(bench, number, right=False, accepted=number == by_arm[Arm.B][0])
    again = await read(bench, bench.store.recognitions.get(by_arm[Arm.A][0]).page_id)
    await judge(bench, again.recognition_id, right=True)
    called_wrong = await read(bench, bench.store.recognitions.get(by_arm[Arm.B][-1]).page_id)
    content = (await bench.annotator.open_item(called_wrong.recognition_id)).content
    await bench.annotator.save_correction(called_wrong.recognition_id, 0, content, Verdict.WRONG, person=ANN)

    result = experiment_value(await bench.experiments.get(running.id))["result"]
    a, b = result["arms"]["A"], result["arms"]["B"]
    counts = len(by_arm[Arm.A]), len(by_arm[Arm.B])
    assert (a["pictures"], b["pictures"], a["judged"], b["judged"]) == counts * 2, "each picture once"
    assert (a["wrong"]["count"], b["wrong"]["count"], b["accepted"]) == (0, counts[1], 1)
    length = len("Total 12.50\nThank you")
    assert a["cer"][0] == 0
    assert a["characters"] == counts[0] * length
    # The newest reading of one picture was called wrong and nobody said what is right: no label to measure against.
    assert b["characters"] == (counts[1] - 1) * length
    assert b["cer"][0] == pytest.approx(1 / length)
    assert result["wrong"]["difference"] == 1
    assert result["wrong"]["verdict"] == "worse"
    assert result["cer"]["difference"] == pytest.approx(1 / length)
