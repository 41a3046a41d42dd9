"""What is offered where a reading did not come to its end, and what such a retry sends and records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from fakes import ScriptedEngine
from slanting import askew, page

from ocr_ui.domain.content import ContentWarning
from ocr_ui.domain.prompt import Choice, PromptTemplate, Task, Variable
from ocr_ui.domain.recognition import Generation, Recognition
from ocr_ui.engines.base import Capabilities, Finished, Started, TextDelta
from ocr_ui.errors import BadInput
from ocr_ui.services.reading import ReadRequest, read_picture
from ocr_ui.services.retries import request_for, retries, suiting, values_for
from ocr_ui.settings import Settings

SETTINGS = Settings(_env_file=None, max_new_tokens=12_000)
PAGE = np.full((600, 400, 3), 250, np.uint8)
MODEL = Capabilities(tasks=frozenset(Task), takes_prompt=True, holds_form=True)
FULL = PromptTemplate("full_text", {"en": "Full text"}, Task.SPOTTING, "Read all.", sampling={"max_tokens": 8192})
FIELDS = PromptTemplate("fields", {}, Task.FIELDS, "{{fields}}", (Variable("fields", {}, many=True),))
LANGUAGE = Variable("language", {}, choices=(Choice("en", {}),))
OTHERS = [
    FULL,
    PromptTemplate("plain", {}, Task.TEXT, "Read."),
    PromptTemplate("full_json", {}, Task.SPOTTING, "Read as JSON."),
    PromptTemplate("page", {}, Task.DOCUMENT, "Read as Markdown."),
    PromptTemplate("translate", {}, Task.TRANSLATE, "{{language}}", (LANGUAGE,)),
    PromptTemplate("odd", {}, Task.TEXT, "{{language}}", (LANGUAGE,)),
    FIELDS,
    PromptTemplate("fields_en", {}, Task.FIELDS, "Give {{fields}}.", (Variable("fields", {}, many=True),)),
]


async def ended(reason: str, asked: ReadRequest | None = None, tokens: int = 9, pixels: np.ndarray = PAGE):
    """A recognition whose answer ended so, and the engine that gave it."""
    finished = Finished(Generation(finish_reason=reason))
    said = TextDelta("<ref>a</ref><quad>(1,1),(9,9)</quad>", tokens=tokens)
    engine = ScriptedEngine([Started(), said, finished], MODEL)
    steps = [s async for s in read_picture(pixels, "a" * 64, engine, asked or ReadRequest(FULL), SETTINGS)]
    return steps[-1].recognition, engine


def kinds(recognition: Recognition) -> list[str]:
    return [retry.kind for retry in retries(recognition, SETTINGS)]


@pytest.mark.parametrize(
    ("reason", "offered"),
    [
        ("repeated", ["penalty", "smaller"]),
        ("timeout", ["again", "smaller"]),
        ("length", ["longer", "smaller"]),
        ("stop", []),
        ("aborted", []),
    ],
)
async def test_each_end_has_its_own_offers(reason: str, offered: list[str]) -> None:
    recognition, _ = await ended(reason, tokens=8192)
    assert kinds(recognition) == offered
    assert bool(suiting(recognition, OTHERS, Task)) == bool(offered)


async def test_a_result_whose_copy_is_not_known_is_read_again_all_the_same() -> None:
    recognition, _ = await ended("repeated")
    for unknown in ({}, {"scale": 0.5}):
        other = replace(recognition, transform=unknown)
        assert kinds(other) == ["penalty"]
        request = request_for(other, "penalty", FULL, SETTINGS)
        assert (request.pixels, request.preprocess) == (None, "off")


async def test_a_longer_answer_is_offered_only_where_the_limit_ended_it() -> None:
    recognition, _ = await ended("length", tokens=4000)
    assert "longer" not in kinds(recognition), "the model's context was full"
    at_most, _ = await ended("length", tokens=12_000)
    usual = Settings(_env_file=None, max_new_tokens=8192)
    assert [retry.kind for retry in retries(at_most, usual)] == ["smaller"], "the setting allows no more"


@pytest.mark.parametrize("preprocess", ["deskew", "off"])
async def test_a_retry_gets_the_copy_that_was_read_whatever_the_setting_is_by_now(preprocess: str) -> None:
    first, engine = await ended("repeated", ReadRequest(FULL, preprocess=preprocess), pixels=askew(page(8), 4))
    again = request_for(first, "penalty", FULL, SETTINGS.model_copy(update={"preprocess": "auto"}))
    _, other = await ended("repeated", again, pixels=askew(page(8), 4))
    np.testing.assert_array_equal(other.seen[0].pixels, engine.seen[0].pixels)


async def test_a_retry_asks_the_same_with_one_thing_changed_which_is_recorded_and_said() -> None:
    asked = ReadRequest(FULL, prompt="Read it all, please.", sampling={"temperature": 0.1})
    first, _ = await ended("repeated", asked)
    second, engine = await ended("repeated", request_for(first, "penalty", FULL, SETTINGS))
    (sent,) = engine.seen
    assert sent.prompt == "Read it all, please."
    assert sent.sampling == second.prompt.sampling
    assert second.prompt.sampling == {**first.prompt.sampling, "repetition_penalty": 1.2}
    assert (second.prompt.sampling["max_tokens"], second.prompt.sampling["temperature"]) == (8192, 0.1)
    assert sent.pixels.shape == PAGE.shape
    assert next(w.message for w in second.content.warnings if w.code == "again_penalty").endswith("1.2.")
    third, _ = await ended("repeated", request_for(second, "penalty", FULL, SETTINGS))
    assert third.prompt.sampling["repetition_penalty"] == 1.32, "each try goes further"


async def test_a_smaller_picture_is_half_the_last_one() -> None:
    first, _ = await ended("repeated")
    second, engine = await ended("repeated", request_for(first, "smaller", FULL, SETTINGS))
    height, width = engine.seen[0].pixels.shape[:2]
    assert 0.48 * 600 * 400 < width * height <= 0.5 * 600 * 400
    assert second.transform["steps"][0] == {"kind": "scale", "width": width, "height": height}
    assert [w.code for w in second.content.warnings if w.code.startswith("again")] == ["again_smaller"]
    assert second.content.lines[0].quad.bounds.right <= 400, "boxes are those of the stored picture"
    _, engine = await ended("repeated", request_for(second, "penalty", FULL, SETTINGS))
    assert engine.seen[0].pixels.shape[:2] == (height, width), "another change keeps the copy"


async def test_full_resolution_is_offered_wherever_the_engine_may_have_markedly_more() -> None:
    few, _ = await ended("repeated", ReadRequest(FULL, pixels=100_000))
    assert kinds(few) == ["penalty", "smaller", "full"]
    again, _ = await ended("repeated", request_for(few, "penalty", FULL, SETTINGS))
    assert (kinds(again)[-1], again.transform) == ("full", few.transform), "the same copy, so that both are a pair"
    whole, engine = await ended("repeated", request_for(again, "full", FULL, SETTINGS))
    assert (engine.seen[0].pixels.shape, kinds(whole)) == (PAGE.shape, ["penalty", "smaller"])
    limited = SETTINGS.model_copy(update={"engine_pixels": 100_000})
    assert "full" not in [retry.kind for retry in retries(few, limited)]


async def test_full_resolution_is_not_offered_where_there_was_no_memory_for_it() -> None:
    few, _ = await ended("stop", ReadRequest(FULL, pixels=100_000, notices=(ContentWarning("read_smaller", "s"),)))
    assert kinds(few) == []


async def test_a_longer_answer_doubles_the_limit_up_to_the_setting() -> None:
    first, _ = await ended("length", tokens=8192)
    second, engine = await ended("stop", request_for(first, "longer", FULL, SETTINGS))
    assert engine.seen[0].sampling["max_tokens"] == 12_000 == second.prompt.sampling["max_tokens"]
    assert "again_longer" in [w.code for w in second.content.warnings]


async def test_what_is_not_offered_is_refused() -> None:
    recognition, _ = await ended("stop")
    with pytest.raises(BadInput, match="cannot be tried") as caught:
        request_for(recognition, "penalty", FULL, SETTINGS)
    assert caught.value.code == "no_such_retry"


async def test_templates_that_suit_read_the_page_and_have_all_they_need() -> None:
    recognition, _ = await ended("repeated")
    assert [t.name for t in suiting(recognition, OTHERS, Task)] == ["full_json", "plain", "page"]
    assert [t.name for t in suiting(recognition, OTHERS, {Task.TEXT, Task.QA})] == ["plain"]
    asked, _ = await ended("repeated", ReadRequest(FIELDS, {"fields": "total"}))
    (other,) = suiting(asked, OTHERS, Task)
    assert (other.name, values_for(other, asked)) == ("fields_en", {"fields": "total"})


async def test_a_retry_stays_structured() -> None:
    first, _ = await ended("repeated", ReadRequest(FIELDS, {"fields": "total"}, structured=True))
    assert request_for(first, "penalty", FIELDS, SETTINGS).structured is True
    free, _ = await ended("repeated", ReadRequest(FIELDS, {"fields": "total"}))
    assert request_for(free, "penalty", FIELDS, SETTINGS).structured is False
