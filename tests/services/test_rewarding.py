"""What a model's answer is worth against the label of its item, as it is being corrected."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from engines.scripted_server import Answer, serve
from stored import ANN, add_item, content, open_store, recognition

from ocr_ui.domain.content import Field, PageContent, Table, TextLine
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import Generation, PromptUsed
from ocr_ui.errors import BadInput, NotFound, TooLarge
from ocr_ui.images.transform import Pad, PictureTransform
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.rewarding import LONGEST, Rewarding
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

SIZE = (1000, 800)
ANSWER = "Total 12.50(10,0),(500,19)Thank you(10,25),(500,44)"
"""What a model says for the two lines of `content`, on the page of 1000 x 800 pixels."""


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "data") as opened:
        yield opened


@pytest.fixture
async def rewarding(store: Store, tmp_path: Path) -> AsyncIterator[Rewarding]:
    made = Rewarding(Settings(data_dir=tmp_path / "data"), Annotator(store))
    yield made
    await made.close()


def reading(
    store: Store,
    said: PageContent,
    answer: str,
    task: Task | str,
    engine: str = "openai",
    transform: PictureTransform | None = None,
) -> int:
    """A reading of a page by a model that answered so."""
    first = store.recognitions.get(add_item(store, said))
    prompt = PromptUsed("t", "0123456789ab", str(task), "检测")
    value = recognition(first.recognition.page_sha256, said, engine=engine)
    value = replace(value, prompt=prompt, generation=Generation(answer, "stop", 12, 0.5))
    value = replace(value, transform=transform.to_dict() if transform else {})
    return store.recognitions.add(value, first.page_id)


async def test_an_answer_against_the_label_as_it_is_edited(store: Store, rewarding: Rewarding) -> None:
    item = reading(store, content("Total 12.50", "Thank you"), ANSWER, Task.SPOTTING)
    whole = await rewarding.of_item(item)
    assert whole.reference == ANSWER
    assert [(reward.name, reward.value) for reward in whole.rewards] == [("official", 1), ("clean", 1)]
    edited = await rewarding.of_item(item, content("Total 12.60", "Thank you").to_dict())
    assert edited.rewards[0].value == pytest.approx(0.95, abs=1e-6)
    assert edited.problems == ()
    assert "2 of 2 boxes" in edited.rewards[0].reason


async def test_the_item_as_it_was_left(store: Store, rewarding: Rewarding) -> None:
    item = reading(store, content("Total 12.50", "Thank you"), ANSWER, Task.SPOTTING)
    await Annotator(store).save_correction(item, 0, content("Total 12.50"), person=ANN)
    found = await rewarding.of_item(item)
    assert found.reference == ANSWER.partition("Thank")[0]
    assert found.rewards[0].value == pytest.approx(0.5, abs=1e-6)


async def test_an_engine_without_a_language_model_is_scored_by_its_lines(store: Store, rewarding: Rewarding) -> None:
    item = reading(store, content("Total", "Thanks"), "Total\nThanks", Task.SPOTTING, "rapidocr")
    found = await rewarding.of_item(item, content("Total", "Thanx").to_dict())
    assert found.rewards[0].value == pytest.approx(1 - (2 / 6) / 2, abs=1e-6)


async def test_what_is_wrong_with_the_label_is_said_with_it(store: Store, rewarding: Rewarding) -> None:
    table = Table('<table border="1"><tr><td>a</td></tr></table>')
    item = reading(store, PageContent(tables=(table,), text=table.html), "<table></table>", Task.TABLE)
    assert [problem.code for problem in (await rewarding.of_item(item)).problems] == ["label_table_attributes"]


async def test_the_label_stands_where_the_model_saw_it(store: Store, rewarding: Rewarding) -> None:
    """It read the picture of 1000 x 800 with a margin above and below: its thousandths are of 1000 x 1000 pixels."""
    read = PictureTransform(1000, 800).then(Pad(0, 100, 0, 100, (255, 255, 255)))
    item = reading(store, content("Total"), "Total(10,100),(500,115)", Task.SPOTTING, transform=read)
    found = await rewarding.of_item(item)
    assert (found.reference, found.rewards[0].value) == ("Total(10,100),(500,115)", 1)


async def test_without_a_label_it_says_why(store: Store, rewarding: Rewarding) -> None:
    item = reading(store, content("Total"), ANSWER, Task.SPOTTING)
    unplaced = PageContent((TextLine("Total", None, None, "l0"),), text="Total").to_dict()
    [found] = (await rewarding.of_item(item, unplaced)).rewards
    assert (found.value, found.code, found.reason) == (None, "no_label", "No reward: line 1 has no box.")
    other = reading(store, content("Total"), "Total", "translate_poems")
    found = await rewarding.of_item(other)
    assert (found.task, found.rewards[0].reason) == (
        None,
        "No reward: its task 'translate_poems' has no form of answer.",
    )


async def test_what_mends_the_label_comes_with_it(store: Store, rewarding: Rewarding) -> None:
    item = reading(store, content("Total"), "Total(10,0),(500,19)", Task.SPOTTING)
    unplaced = PageContent((TextLine("Total", None, None, "l0"),), text="Total").to_dict()
    [problem] = (await rewarding.of_item(item, unplaced)).problems
    assert (problem.code, problem.message) == ("line_without_box", "Left out of training: line 1 has no box.")
    assert problem.content
    mended = await rewarding.of_item(item, problem.content.to_dict())
    assert (mended.rewards[0].value, mended.problems) == (1, ())


HANGS = """
import pathlib, time
def compute_score(**k):
    while not pathlib.Path({!r}).exists():
        time.sleep(0.02)
    return 0.25
"""


async def test_the_rules_do_not_wait_for_a_function_that_hangs(store: Store, tmp_path: Path) -> None:
    team = tmp_path / "team.py"
    go_on = tmp_path / "go_on"
    team.write_text(HANGS.format(str(go_on)))
    rewarding = Rewarding(Settings(reward_file=str(team), reward_seconds=600), Annotator(store))
    item = reading(store, content("Total"), "Total(10,0),(500,19)", Task.SPOTTING)
    hanging = [asyncio.create_task(rewarding.of_item(item, part="file")) for _ in range(2)]
    found = await rewarding.of_item(item, part="rules")
    assert [one.name for one in found.rewards] == ["official", "clean"]
    assert found.file == "team.py:compute_score"
    assert not any(one.done() for one in hanging)
    go_on.touch()
    assert [(await one).rewards[0].value for one in hanging] == [0.25] * 2
    assert (await rewarding.of_item(item)).rewards[1].value == 1
    await rewarding.close()
    with pytest.raises(BadInput):
        await rewarding.of_item(item, part="judge")


@pytest.mark.parametrize(("engine", "scored_as"), [("openai", "model"), ("rapidocr", "lines"), ("import", "import")])
async def test_whose_answer_it_is(store: Store, rewarding: Rewarding, engine: str, scored_as: str) -> None:
    item = reading(store, content("Total"), "Total(10,0),(500,19)", Task.SPOTTING, engine)
    assert (await rewarding.of_item(item)).scored_as == scored_as


async def test_of_fields_and_of_questions(store: Store, rewarding: Rewarding) -> None:
    fields = PageContent(fields=(Field("Total", "12.50"), Field("Date", None)))
    item = reading(store, fields, '```json\n{"Total": "12.60"}\n```', Task.FIELDS)
    found = await rewarding.of_item(item)
    assert json.loads(found.reference) == {"Total": "12.50", "Date": None}
    assert found.rewards[0].value == 0.9
    asked = reading(store, PageContent(text="yes"), "yes", Task.QA)
    assert [reward.code for reward in (await rewarding.of_item(asked)).rewards] == ["no_judge"]


async def test_a_reward_file_comes_first_and_a_judge_is_asked_only_when_told(store: Store, tmp_path: Path) -> None:
    team = tmp_path / "team.py"
    team.write_text("def compute_score(data_source, extra_info, **k): return len(extra_info['question'])\n")
    reply = json.dumps({"choices": [{"message": {"content": '{"score": 1}'}}]})
    async with serve(Answer(parts=[reply])) as server:
        settings = Settings(reward_file=str(team), judge_url=server.url)
        rewarding = Rewarding(settings, Annotator(store))
        scored = await rewarding.score("vqa", "a", "b", "why?")
        assert [(reward.name, reward.value) for reward in scored.rewards] == [
            ("team.py:compute_score", 4),
            ("judge", 1),
        ]
        assert scored.to_dict()["reward"] == 4
        item = reading(store, PageContent(text="yes"), "yes", Task.QA)
        asked = await rewarding.of_item(item)
        assert asked.rewards[1].code == "judge_not_asked"
        assert len(server.questions) == 1
        await rewarding.close()


async def test_what_cannot_be_scored(rewarding: Rewarding) -> None:
    with pytest.raises(NotFound):
        await rewarding.of_item(99)
    with pytest.raises(TooLarge):
        await rewarding.score("ie", "x" * (LONGEST + 1), "y")
