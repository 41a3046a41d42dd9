"""The judge, on a server of this machine that answers what a test wrote."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from engines.scripted_server import Answer, ScriptedServer, serve

from ocr_ui.domain.reward import Reward, RewardTask
from ocr_ui.errors import BadInput
from ocr_ui.scoring.judge import Judge, stretched, verdict
from ocr_ui.scoring.rewards import score
from ocr_ui.settings import ROOT, Settings


def said(text: str) -> Answer:
    message = {"role": "assistant", "content": text}
    return Answer(parts=[json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})])


@asynccontextmanager
async def judged(*answers: Answer, seconds: float = 20) -> AsyncIterator[tuple[ScriptedServer, Judge]]:
    async with serve(*answers) as server:
        settings = Settings(judge_url=server.url, judge_model="judge-1", judge_key="k", judge_seconds=seconds)
        judge = Judge.from_settings(settings)
        assert judge is not None
        yield server, judge


async def ask(judge: Judge, task: RewardTask, texts: Sequence[str] = ("Hallo", "Hello")) -> Reward:
    return await asyncio.to_thread(judge.score, task, *texts, "What does it say?")


async def test_a_translation_is_scored_from_0_to_5_and_stretched() -> None:
    async with judged(said('It is fine.\n```json\n{"reason": "one slip", "score": 3.5}\n```')) as (server, judge):
        found = await ask(judge, RewardTask.TRANSLATION)
    assert found.value == pytest.approx(0.65)
    assert found.reason == "The judge gave 3.5 of 5. one slip"
    (question,) = server.questions
    assert question["model"] == "judge-1"
    assert question["temperature"] == 0
    asked = question["messages"][0]["content"]
    for text in ("Hallo", "Hello", "What does it say?"):
        assert asked.count(text) == 1
    assert "{{" not in asked


async def test_an_answer_to_a_question_is_right_or_wrong() -> None:
    async with judged(said('{"score": 1, "reason": "the same"}'), said('{"score": 0}')) as (server, judge):
        assert (await ask(judge, RewardTask.VQA)).value == 1
        assert (await ask(judge, RewardTask.VQA)).value == 0
    assert len(server.questions) == 2


async def test_blanks_within_an_answer_are_left_alone() -> None:
    async with judged(said('{"score": 0}')) as (server, judge):
        await ask(judge, RewardTask.VQA, ("{{reference}}", "secret"))
    assert server.questions[0]["messages"][0]["content"].count("secret") == 1


async def test_it_is_asked_once_more_before_it_is_given_up() -> None:
    async with judged(said("I like it."), said('{"score": 5}')) as (server, judge):
        assert (await ask(judge, RewardTask.TRANSLATION)).value == 1
    async with judged(said("I like it.")) as (server, judge):
        found = await ask(judge, RewardTask.TRANSLATION)
    assert found.value is None
    assert "I like it." in found.reason
    assert len(server.questions) == 2


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(status=500, parts=["{}"]), "500"),
        (Answer(parts=["no json"]), "not that of a chat"),
        (Answer(parts=['{"choices": []}']), "not that of a chat"),
        (Answer(parts=["[]"]), "not that of a chat"),
        (Answer(parts=[], hangs=True), "timed out"),
    ],
    ids=["error", "text", "empty", "list", "silent"],
)
async def test_a_server_that_fails_gives_no_value_and_says_why(answer: Answer, words: str) -> None:
    async with judged(answer, seconds=0.5 if answer.hangs else 20) as (_, judge):
        found = await ask(judge, RewardTask.VQA)
    assert found.value is None
    assert words in found.reason


async def test_nobody_there() -> None:
    async with judged(said("")) as (_, judge):
        gone = replace(judge, url="http://127.0.0.1:9/v1")
    assert "refused" in (await ask(gone, RewardTask.VQA)).reason


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ('{"score": 2} and then {"score": 4}', 4),
        ('{"score": 9}', None),
        ('{"score": -1}', None),
        ('{"score": "3"}', 3),
        ('{"score": NaN}', None),
        ("Score: 3", None),
        ("", None),
    ],
)
def test_scores_are_read_from_the_last_object(reply: str, score: float | None) -> None:
    found = verdict(reply, 5)
    assert (found and found[0]) == score


def test_the_stretch_is_in_three_pieces() -> None:
    assert [stretched(n) for n in (0, 2, 3, 4, 5)] == pytest.approx([0, 0.2, 0.5, 0.8, 1])


def test_it_is_off_until_an_address_is_set(tmp_path: Path) -> None:
    assert Judge.from_settings(Settings()) is None
    assert score("translation", "a", "b").code == "no_judge"
    with pytest.raises(BadInput) as wrong:
        Judge.from_settings(Settings(judge_url="file:///etc/passwd"))
    assert wrong.value.code == "bad_judge_url"
    lost = Judge("http://127.0.0.1:9/v1", "m", tmp_path)
    with pytest.raises(BadInput) as missing:
        lost.score(RewardTask.VQA, "a", "b")
    assert missing.value.code == "no_judge_prompt"


def test_what_it_is_asked_stands_in_files() -> None:
    assert {file.stem for file in (ROOT / "prompts" / "judge").iterdir()} == {"translation", "vqa"}
