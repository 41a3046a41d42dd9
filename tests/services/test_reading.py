from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace

import numpy as np
import pytest
from fakes import SOON, Pause, ScriptedEngine, ScriptStep

from ocr_ui.domain.content import ContentWarning, PageContent, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.prompt import PromptTemplate, Task, Variable
from ocr_ui.domain.recognition import OUTCOMES, Generation
from ocr_ui.engines.asking import sampling_for
from ocr_ui.engines.base import Capabilities, EngineEvent, EngineRequest, Finished, LinesDelta, Started, TextDelta
from ocr_ui.errors import BadInput, EngineFailed, of_note
from ocr_ui.images.transform import PictureTransform
from ocr_ui.metrics import STAGES
from ocr_ui.services.reading import (
    OUTCOME_OF,
    UNFOLLOWED_A_SECOND,
    Numbered,
    Progress,
    ReadRequest,
    joined,
    read_picture,
)
from ocr_ui.settings import Settings
from ocr_ui.ui.messages import error_sentence

SHA = "a" * 64
PAGE = np.full((300, 400, 3), 255, np.uint8)
PAGE[100:120, 50:200] = 0
BIG = np.full((1000, 2000, 3), 255, np.uint8)
BIG[300:340, 200:900] = 0
LINE_ENGINE = Capabilities(tasks=frozenset({Task.SPOTTING, Task.TEXT, Task.FIELDS}), gives_boxes=True)
SPOTTING = PromptTemplate("full_text", {"en": "Full text"}, Task.SPOTTING, "Read all.", sampling={"temperature": 0})
DONE = Finished(Generation(finish_reason="stop"))


def line(text: str, left: float = 10, top: float = 10, right: float = 100, bottom: float = 30) -> TextLine:
    return TextLine(text, Quad.from_points([(left, top), (right, top), (right, bottom), (left, bottom)]), 0.9)


def spot(text: str, top: int = 0) -> TextDelta:
    """A line in the model's own form, its box in thousandths of the page."""
    return TextDelta(f"<ref>{text}</ref><quad>(100,{top}),(500,{top + 50})</quad>", tokens=9)


def line_engine(*script: ScriptStep) -> ScriptedEngine:
    return ScriptedEngine([Started(), *script], LINE_ENGINE)


def read(
    engine: ScriptedEngine,
    template: PromptTemplate = SPOTTING,
    values: dict[str, str] | None = None,
    prompt: str | None = None,
    pixels: np.ndarray = PAGE,
    settings: Settings | None = None,
    stop: asyncio.Event | None = None,
    followed: bool = True,
) -> AsyncIterator[Progress]:
    request = ReadRequest(template, values or {}, prompt, "run", followed=followed)
    return read_picture(pixels, SHA, engine, request, settings or Settings(), stop)


async def whole(*arguments: object, **more: object) -> Progress:
    steps = [step async for step in read(*arguments, **more)]  # type: ignore[arg-type]
    assert [step.recognition is not None for step in steps] == [False] * (len(steps) - 1) + [True]
    return steps[-1]


async def held(steps: AsyncIterator[Progress], *events: asyncio.Event) -> list[Progress]:
    """All steps of an engine that waits for the first event until one line was seen, for the next until two were."""
    seen = []
    async for step in steps:
        seen.append(step)
        for event in events[: len(step.content.lines)]:
            event.set()
    return seen


def texts(progress: Progress) -> list[str]:
    return [found.text for found in progress.content.lines]


def codes(progress: Progress) -> list[str]:
    return [warning.code for warning in progress.content.warnings]


async def test_lines_arrive_before_the_end() -> None:
    go_on = asyncio.Event()
    engine = line_engine(LinesDelta((line("one"),), total=2), go_on, LinesDelta((line("two"),)), DONE)
    steps = await held(read(engine), go_on)
    early = next(step for step in steps if step.content.lines)
    assert texts(early) == ["one"]
    assert (early.state, early.total_lines, early.recognition) == ("running", 2, None)
    assert early.first_line_seconds is not None
    assert texts(steps[-1]) == ["one", "two"]


async def test_lines_of_a_model_arrive_as_their_boxes_close() -> None:
    go_on = asyncio.Event()
    steps = await held(read(ScriptedEngine([Started(), spot("one"), go_on, spot("two", 200), DONE])), go_on)
    assert next(texts(step) for step in steps if step.content.lines) == ["one"]
    last = steps[-1]
    assert texts(last) == ["one", "two"]
    assert last.content.lines[0].quad.points[0] == (40, 0)
    assert (last.tokens, last.recognition.generation.tokens) == (18, 18)
    assert last.raw == last.recognition.generation.text == spot("one").text + spot("two", 200).text


async def test_it_waits_until_the_engine_begins() -> None:
    begin, states = asyncio.Event(), []
    engine = ScriptedEngine([begin, Started(), LinesDelta((line("one"),)), DONE], LINE_ENGINE)
    async for step in read(engine):
        states.append(step.state)
        begin.set()
    assert (states[0], states[-1]) == ("waiting", "complete")


async def test_every_line_has_an_id_that_stays() -> None:
    go_on = asyncio.Event()
    steps = await held(read(line_engine(LinesDelta((line("one"),)), go_on, LinesDelta((line("two"),)), DONE)), go_on)
    assert [found.id for found in steps[-1].content.lines] == ["l0", "l1"]
    assert all(step.content.lines[0].id == "l0" for step in steps if step.content.lines)


async def test_stopped_it_keeps_what_came() -> None:
    engine = line_engine(LinesDelta((line("one"),)), Pause(30), LinesDelta((line("two"),)), DONE)
    last = None
    async for step in read(engine):
        last = step
        if step.content.lines:
            await engine.abort("run")
    assert texts(last) == ["one"]
    assert last.state == last.recognition.outcome == "stopped"
    assert codes(last) == ["stopped"]
    assert not engine.running


async def test_a_stop_before_the_engine_was_asked_is_not_lost() -> None:
    engine, stop = line_engine(LinesDelta((line("one"),)), DONE), asyncio.Event()
    stop.set()
    last = await whole(engine, stop=stop)
    assert (last.state, texts(last), engine.seen) == ("stopped", [], [])


class DeafEngine(ScriptedEngine):
    """Misses the first abort, as engines do that were not given the request yet."""

    missed = False

    async def abort(self, request_id: str) -> None:
        if self.missed:
            await super().abort(request_id)
        self.missed = True


async def test_a_stop_that_the_engine_missed_is_told_again() -> None:
    engine, stop = DeafEngine([Started(), Pause(30), DONE], LINE_ENGINE), asyncio.Event()
    last = None
    async for step in read(engine, stop=stop):
        last = step
        if not stop.is_set():
            stop.set()
            await engine.abort("run")
    assert last.state == "stopped"


@pytest.mark.parametrize("silence", [0.1, 30])
async def test_closing_it_frees_the_engine(silence: float) -> None:
    engine = line_engine(LinesDelta((line("one"),)), *[Pause(silence), LinesDelta((line("more"),))] * 50, DONE)
    steps = read(engine)
    await anext(steps)
    assert engine.running == {"run"}
    await asyncio.wait_for(steps.aclose(), SOON)
    assert not engine.running


async def test_cancelling_a_reading_of_a_silent_engine_frees_it() -> None:
    engine = line_engine(Pause(60), DONE)

    async def consume() -> None:
        async for _ in read(engine):
            pass

    task = asyncio.create_task(consume())
    async with asyncio.timeout(SOON):
        while not engine.running:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, SOON)
    assert not engine.running


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (EngineFailed("out_of_memory", "No memory.", "Try a smaller picture."), "out_of_memory"),
        (KeyError("x"), "engine_failed"),
    ],
)
async def test_a_failure_on_the_way_keeps_what_came(error: Exception, code: str) -> None:
    last = await whole(line_engine(LinesDelta((line("one"),)), error))
    assert texts(last) == ["one"]
    assert (last.state, last.error.code) == ("failed", code)
    assert last.recognition.outcome == "failed"
    assert str(of_note(last.recognition.error)) == str(last.error) != ""


async def test_a_failure_before_anything_came_says_so() -> None:
    last = await whole(line_engine(EngineFailed("gone", "Gone.", "")))
    assert (last.state, last.recognition.generation.text, last.error.code) == ("failed", "", "gone")


async def test_a_loop_is_cut_and_the_engine_ended() -> None:
    loop = [TextDelta("<ref>again and again</ref><quad>(1,1),(9,9)</quad>") for _ in range(40)]
    engine = ScriptedEngine([Started(), *loop, Pause(30), *loop, DONE])
    last = await whole(engine)
    assert last.recognition.generation.finish_reason == "repeated"
    assert last.recognition.outcome == "cut"
    assert codes(last).count("repeated") == 1
    assert len(last.raw) <= 40 * len(loop[0].text), "nothing of what would have come later"
    assert not engine.running


@pytest.mark.parametrize(
    ("reason", "outcome", "warning"),
    [
        ("stop", "complete", None),
        ("aborted", "stopped", "stopped"),
        ("length", "cut", "truncated"),
        ("timeout", "cut", "timeout"),
        ("content_filter", "cut", None),
    ],
)
async def test_how_it_ended_is_kept(reason: str, outcome: str, warning: str | None) -> None:
    last = await whole(line_engine(LinesDelta((line("one"),)), Finished(Generation(finish_reason=reason))))
    assert last.recognition.outcome == last.state == outcome
    assert codes(last) == ([warning] if warning else [])


@pytest.mark.parametrize("came", ["", " \n"])
async def test_silence_from_the_beginning_is_a_failure(came: str) -> None:
    begun = [TextDelta(came)] if came else []
    last = await whole(ScriptedEngine([Started(), *begun, Finished(Generation(finish_reason="timeout"))]))
    assert (last.state, last.recognition.generation.finish_reason) == ("failed", "error")
    assert (last.error.code, last.error.status, last.error.details["engine"]) == ("nothing_came", 504, "scripted")
    assert codes(last) == []


def test_outcomes_are_those_of_the_domain() -> None:
    assert set(OUTCOME_OF.values()) == set(OUTCOMES)


@pytest.mark.parametrize("with_text", [True, False])
async def test_timings_are_of_known_stages(with_text: bool) -> None:
    engine = ScriptedEngine([Started(), spot("a"), DONE]) if with_text else line_engine(LinesDelta((line("a"),)), DONE)
    timings = (await whole(engine)).recognition.timings
    assert set(timings) <= set(STAGES)
    assert {"prepare", "queue", "first_token", "tokens", "parse"} <= set(timings)
    assert all(seconds >= 0 for seconds in timings.values())


async def test_stages_make_up_the_time_of_a_reading_and_no_more() -> None:
    long = [spot(f"line {n} " * 30, n % 900) for n in range(2000)]
    last = await whole(ScriptedEngine([Started(), *long, DONE]))
    assert last.recognition.timings["parse"] > 0
    assert sum(last.recognition.timings.values()) <= last.seconds


async def test_boxes_of_the_scaled_copy_come_back_to_the_stored_picture() -> None:
    engine = line_engine(LinesDelta((line("in", 50, 25, 150, 50), line("out", -20, -5, 9000, 300))), DONE)
    last = await whole(engine, pixels=BIG, settings=Settings(engine_pixels=500_000))
    assert engine.seen[0].pixels.shape == (500, 1000, 3)
    assert last.content.lines[0].quad.points == ((100, 50), (300, 50), (300, 100), (100, 100))
    assert last.content.lines[1].quad.points == ((0, 0), (2000, 0), (2000, 600), (0, 600))
    assert codes(last) == ["scaled_down"]
    transform = PictureTransform.from_dict(last.recognition.transform)
    assert (transform.width, transform.height, transform.engine_size) == (2000, 1000, (1000, 500))


async def test_what_a_model_says_of_a_scaled_copy_is_in_pixels_of_the_stored_picture() -> None:
    engine = ScriptedEngine([Started(), spot("a", 500), DONE])
    last = await whole(engine, pixels=BIG, settings=Settings(engine_pixels=500_000))
    assert last.content.lines[0].quad.points == ((200, 500), (1000, 500), (1000, 550), (200, 550))


FIELDS = PromptTemplate(
    "fields",
    {"en": "Fields"},
    Task.FIELDS,
    "Find {{fields}}.",
    (Variable("fields", {"en": "Names", "zh": "字段名"}, many=True),),
)


async def test_fields_are_found_by_rules_where_the_engine_only_reads() -> None:
    lines = (line("Total", 10, 10, 60, 30), line("12.50", 80, 10, 130, 30))
    last = await whole(line_engine(LinesDelta(lines), DONE), FIELDS, {"fields": "Total, Nowhere"})
    assert [(field.name, field.value) for field in last.content.fields] == [("Total", "12.50"), ("Nowhere", None)]
    assert last.content.fields[0].quad.points[0] == (80, 10)
    assert last.recognition.method == "fields_by_rules"
    assert texts(last) == ["Total", "12.50"]


async def test_fields_of_a_model_are_its_own() -> None:
    engine = ScriptedEngine([Started(), TextDelta('{"Total": "12.50"}'), DONE])
    last = await whole(engine, FIELDS, {"fields": "Total"})
    assert [(field.name, field.value) for field in last.content.fields] == [("Total", "12.50")]
    assert last.recognition.method == ""
    assert engine.seen[0].prompt == "Find ['Total']."


async def test_a_task_that_the_engine_cannot_do_is_refused_before_anything_runs() -> None:
    engine = line_engine(DONE)
    with pytest.raises(BadInput) as caught:
        await anext(read(engine, PromptTemplate("qa", {}, Task.QA, "Why?")))
    assert caught.value.code == "task_not_possible"
    assert caught.value.details == {"engine": "scripted", "template": "qa", "task": "qa"}
    assert not engine.seen


@pytest.mark.parametrize("prompt", ["", " \n\t"])
async def test_an_empty_prompt_is_refused(prompt: str) -> None:
    with pytest.raises(BadInput) as caught:
        await anext(read(ScriptedEngine([DONE]), prompt=prompt))
    assert caught.value.code == "empty_prompt"


async def test_a_missing_variable_is_named() -> None:
    with pytest.raises(BadInput) as caught:
        await anext(read(ScriptedEngine([DONE]), FIELDS))
    assert (caught.value.code, caught.value.details["variable"]) == ("missing_variable", "fields")
    assert "“字段名”（fields）" in error_sentence(caught.value, "zh"), "as the field is called on the page"


async def test_what_was_sent_is_recorded() -> None:
    engine = ScriptedEngine([Started(), TextDelta("{}"), DONE])
    used = (await whole(engine, FIELDS, {"fields": "a,b"})).recognition.prompt
    assert (used.text, used.variables) == ("Find ['a','b'].", {"fields": "a,b"})
    assert (used.template, used.version, used.task) == ("fields", FIELDS.version, "fields")
    used = (await whole(engine, FIELDS, {"fields": "a"}, "Edited: {{fields}} ")).recognition.prompt
    assert used.text == engine.seen[1].prompt == "Edited: {{fields}} "
    assert (used.template, used.version, used.variables) == ("fields", FIELDS.version, {"fields": "a"})


@pytest.mark.parametrize(("own", "sent"), [({}, 1000), ({"max_tokens": 9000}, 1000), ({"max_tokens": 7}, 7)])
async def test_the_sampling_is_recorded_whole_and_as_the_settings_let_it_through(own: dict, sent: int) -> None:
    engine = ScriptedEngine([DONE])
    asked = ReadRequest(replace(SPOTTING, sampling={"temperature": 0.5, **own}))
    settings = Settings(_env_file=None, max_new_tokens=1000, token_logprobs=False)
    last = [step async for step in read_picture(PAGE, SHA, engine, asked, settings)][-1]
    used = last.recognition.prompt.sampling
    official = {"top_p": 1.0, "top_k": -1, "repetition_penalty": 1.08}
    assert used == {**official, "temperature": 0.5, "max_tokens": sent, "logprobs": False}
    assert sampling_for(engine.seen[0].sampling, settings) == used, "what the engine makes of it is the same"


async def test_an_engine_without_a_prompt_is_sent_no_sampling() -> None:
    assert (await whole(line_engine(DONE))).recognition.prompt.sampling == {}


@pytest.mark.parametrize("code", ["scaled_down", "truncated", "empty"])
async def test_no_warning_comes_twice(code: str) -> None:
    warned: Sequence[ContentWarning] = [ContentWarning(code, "Said."), ContentWarning(code, "Said again.")]
    end = Finished(Generation(finish_reason="length" if code == "truncated" else "stop"), tuple(warned))
    last = await whole(line_engine(LinesDelta((line("a"),)), end), settings=Settings(engine_pixels=60_000))
    assert codes(last).count(code) == 1
    assert codes(last)[0] == "scaled_down"


class SyncFailing(ScriptedEngine):
    def generate(self, request: EngineRequest) -> AsyncIterator[EngineEvent]:
        raise RuntimeError("no")


async def test_an_engine_that_fails_when_it_is_asked_is_told_too() -> None:
    assert (await whole(SyncFailing([]))).error.details["reason"] == "RuntimeError: no"


@pytest.mark.parametrize(
    "end", [EngineFailed("gone", "Gone.", ""), Finished(Generation(finish_reason="aborted")), DONE]
)
async def test_a_page_is_called_empty_only_where_it_was_read_to_the_end(end: ScriptStep) -> None:
    last = await whole(ScriptedEngine([Started(), end]))
    assert ("empty" in codes(last)) == (end is DONE)


NAMED = PromptTemplate("fields", {}, Task.FIELDS, "{{fields}}", (Variable("fields", {}, many=True),))
HELD = replace(NAMED, structured=True)
HOLDS = Capabilities(tasks=frozenset(Task), takes_prompt=True, holds_form=True)


async def asked(engine: ScriptedEngine, request: ReadRequest) -> Progress:
    return [step async for step in read_picture(PAGE, SHA, engine, request, Settings())][-1]


SAYS = (Started(), TextDelta('{"total": "1", "date": null}'), DONE)


@pytest.mark.parametrize(
    ("template", "wanted", "held"),
    [(NAMED, None, False), (NAMED, True, True), (HELD, None, True), (HELD, False, False)],
)
async def test_the_names_asked_for_are_sent_as_a_form_where_that_is_wanted(
    template: PromptTemplate, wanted: bool | None, held: bool
) -> None:
    engine = ScriptedEngine(SAYS, HOLDS)
    last = await asked(engine, ReadRequest(template, {"fields": "total, date"}, structured=wanted))
    sent = engine.seen[0].sampling
    assert ("json_schema" in sent) == held
    assert last.recognition.prompt.sampling == sent
    assert "no_form" not in codes(last)
    if held:
        assert list(sent["json_schema"]["properties"]) == sent["json_schema"]["required"] == ["total", "date"]
        assert sent["json_schema"]["additionalProperties"] is False


async def test_an_engine_that_cannot_hold_a_form_says_so_with_the_result() -> None:
    engine = ScriptedEngine(SAYS)
    last = await asked(engine, ReadRequest(HELD, {"fields": "total"}))
    assert "json_schema" not in engine.seen[0].sampling
    assert codes(last).count("no_form") == 1


async def test_a_form_without_names_is_none() -> None:
    engine = ScriptedEngine(SAYS, HOLDS)
    await asked(engine, ReadRequest(PromptTemplate("f", {}, Task.FIELDS, "All fields."), structured=True))
    assert "json_schema" not in engine.seen[0].sampling


async def test_probabilities_of_tokens_become_confidences() -> None:
    pieces = ("<ref>", "To", "tal", "</ref><quad>", "(100,100),(500,200)</quad>")
    said = TextDelta("".join(pieces), 5, (-0.01, -1.0, -0.01, -0.01, -2.0), pieces)
    last = await whole(ScriptedEngine([Started(), said, DONE]))
    (found,) = last.content.lines
    assert (found.confidence, found.lowest) == (pytest.approx(0.604, abs=0.001), pytest.approx(0.368, abs=0.001))


async def test_a_line_comes_with_its_confidence() -> None:
    first_line, second_line = asyncio.Event(), asyncio.Event()
    first, second = ("<ref>", "Sure", "</ref><quad>(1,1),(50,9)</quad>"), ("<ref>", "Doubt", "</ref><quad>")
    script = [
        TextDelta("".join(first), 3, (-0.1, -0.2, -0.3), first),
        first_line,
        TextDelta("".join(second), 3, (-0.1, -2.0, -0.3), second),
        TextDelta("(1,20),(50,29)</quad>", 1, (-0.1,), ("(1,20),(50,29)</quad>",)),
        second_line,
        DONE,
    ]
    steps = await held(read(ScriptedEngine([Started(), *script])), first_line, second_line)
    running = {len(step.content.lines): step.content.lines for step in steps if step.recognition is None}
    assert [line.lowest for line in running[1]] == pytest.approx([0.819], abs=0.001)
    assert [line.lowest for line in running[2]] == pytest.approx([0.819, 0.135], abs=0.001)
    assert running[2] == steps[-1].content.lines


async def test_a_loops_warning_names_the_line_where_it_was_cut() -> None:
    loop = [TextDelta("again and again and once more\n") for _ in range(60)]
    plain = PromptTemplate("plain", {}, Task.TEXT, "Read.")
    last = await whole(ScriptedEngine([Started(), TextDelta("Title\n"), *loop, Pause(30), DONE]), plain)
    assert [(w.code, w.line) for w in last.content.warnings] == [("repeated", 1)]
    assert texts(last) == ["Title", "again and again and once more"]


ANSWER = "".join(spot(f"line {n} (a, b)", 17 * n).text for n in range(40))


def in_pieces(sizes: Sequence[int], logprobs: Sequence[bool] = (True,)) -> list[TextDelta]:
    """ANSWER in pieces of these lengths, by turns, with and without probabilities."""
    found, at = [], 0
    while at < len(ANSWER):
        piece = ANSWER[at : at + sizes[len(found) % len(sizes)]]
        values = (-0.01 * (len(found) % 7),) if logprobs[len(found) % len(logprobs)] else ()
        found.append(TextDelta(piece, 1, values, (piece,) if values else ()))
        at += len(piece)
    return found


@pytest.mark.parametrize("logprobs", [(True,), (False,), (True, True, False), (False, True)])
async def test_an_answer_that_comes_all_at_once_is_read_as_one_that_comes_token_by_token(
    logprobs: tuple[bool, ...],
) -> None:
    pieces = in_pieces((3, 1, 5), logprobs)
    told_apart = [part for piece in pieces for part in (piece, Pause(0))]
    slow = await whole(ScriptedEngine([Started(), *told_apart, DONE]))
    quick = await whole(ScriptedEngine([Started(), *pieces, DONE]))
    assert len(slow.content.lines) == 40
    assert (quick.content, quick.raw, quick.tokens) == (slow.content, ANSWER, len(pieces))


def test_text_with_probabilities_is_not_joined_to_text_without() -> None:
    pieces = in_pieces((4,), (True, True, False))
    found = list(joined([Started(), *pieces[:7], DONE]))
    assert found[0] == Started()
    assert found[-1] is DONE
    assert [(bool(one.logprobs), one.tokens) for one in found[1:-1]] == [
        (True, 2),
        (False, 1),
        (True, 2),
        (False, 1),
        (True, 1),
    ]
    assert found[1] == TextDelta(ANSWER[:8], 2, (-0.0, -0.01), (ANSWER[:4], ANSWER[4:8]))


async def test_who_waits_for_the_end_alone_gets_few_steps_and_the_same_result() -> None:
    script = [Started(), *[step for piece in in_pieces((60,)) for step in (piece, Pause(0.02))], DONE]
    followed = await whole(ScriptedEngine(script))
    steps = [step async for step in read(ScriptedEngine(script), followed=False)]
    assert len(steps) <= 4 + UNFOLLOWED_A_SECOND * steps[-1].seconds
    assert steps[-1].content == followed.content


@pytest.mark.parametrize("followed", [True, False])
async def test_what_came_before_the_listener_went_away_is_kept_though_it_was_not_told_yet(followed: bool) -> None:
    go_on, said, kept = asyncio.Event(), asyncio.Event(), []

    class Telling(ScriptedEngine):
        async def generate(self, request: EngineRequest) -> AsyncIterator[EngineEvent]:
            async with aclosing(super().generate(request)) as events:
                async for event in events:
                    yield event
                    if event == spot("two"):
                        said.set()

    engine = Telling([Started(), spot("one"), go_on, spot("two"), Pause(30)])
    request = ReadRequest(SPOTTING, run_id="run", followed=followed)
    async with aclosing(read_picture(PAGE, SHA, engine, request, Settings(), abandoned=kept.append)) as steps:
        async for step in steps:
            if texts(step):
                break
        go_on.set()
        await asyncio.wait_for(said.wait(), SOON)
    assert not engine.running
    (finish,) = kept
    last = finish()
    assert (last.state, texts(last), last.recognition.generation.tokens) == ("stopped", ["one", "two"], 18)


async def test_the_first_token_counts_from_when_it_came_not_from_when_it_was_told() -> None:
    steps = [step async for step in read(ScriptedEngine([Started(), spot("one"), Pause(0.3), DONE]), followed=False)]
    last = steps[-1]
    assert last.first_line_seconds is not None
    assert last.seconds - last.first_line_seconds >= 0.3


def test_lines_that_are_numbered_already_stay_the_same_objects() -> None:
    lines, numbered = tuple(line(f"line {n}") for n in range(5)), Numbered()
    early = numbered.of(PageContent(lines[:3]))
    late = numbered.of(PageContent(lines, text="all"))
    assert late == PageContent(lines, text="all").with_ids()
    assert [one is other for one, other in zip(early.lines, late.lines, strict=False)] == [True] * 3


def test_a_line_that_changes_or_brings_its_own_id_is_numbered_as_if_it_were_new() -> None:
    one, two, other, own = line("one"), line("two"), line("other"), replace(line("own"), id="l0")
    numbered = Numbered()
    for lines in ([one], [one, two], [other, two], [other], [other, own], [own, one, two], []):
        content = PageContent(tuple(lines))
        assert numbered.of(content) == content.with_ids()
