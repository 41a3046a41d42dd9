"""Several answers about an item: asked, kept, scored, compared, chosen, judged blind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import pytest_asyncio
from fakes import SOON, Pause, ScriptedEngine
from sampled import CUT, MISREAD, RIGHT, SIZE, VARIED, WRONG, add_read, engine, label, script, workbench
from stored import ANN, BO

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.person import Person
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import EngineName, Generation
from ocr_ui.domain.review import State, Verdict
from ocr_ui.domain.rollout import Answer, Choice, Kind, Mark, Worth, mark_of
from ocr_ui.engines.base import Capabilities, Started, TextDelta
from ocr_ui.errors import BadInput, Conflict, EngineFailed, NotFound
from ocr_ui.images.transform import PictureTransform, Scale, fitting
from ocr_ui.scoring.versions import own_rules
from ocr_ui.services.blind_pairs import BlindPairs
from ocr_ui.services.rollout_view import shown_value
from ocr_ui.services.rollouts import Ask, Step
from ocr_ui.services.view import error_value
from ocr_ui.services.workbench import Workbench
from ocr_ui.storage.records import StoredRollout
from ocr_ui.ui.reward_messages import localize_rollout

FOUR = Ask(n=4, seed=3)


@pytest_asyncio.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Workbench]:
    made = workbench(tmp_path, engine(RIGHT, MISREAD, CUT, WRONG))
    yield made
    await made.close()


async def steps_of(bench: Workbench, item: int, ask: Ask = FOUR, owner: str = "") -> list[Step]:
    return [step async for step in bench.rollouts.sample(item, ask, ANN, owner)]


async def sampled(bench: Workbench, item: int, ask: Ask = FOUR) -> StoredRollout:
    last = (await steps_of(bench, item, ask))[-1]
    assert last.rollout_id is not None, last.error
    return bench.store.rollouts.get(last.rollout_id)


async def test_everything_about_the_answers_is_kept(bench: Workbench) -> None:
    item = add_read(bench.store)
    label(bench.store, item)
    kept = await sampled(bench, item)
    value, asked = kept.rollout, bench.engines._engines["scripted"].seen
    assert len(asked) == 1, "all answers in one request"
    assert (kept.recognition_id, kept.person) == (item, "Ann")
    read = bench.store.recognitions.get(item).recognition
    assert value.page_sha256 == read.page_sha256
    assert value.engine == EngineName("scripted", "1", "script", "r1", "scripted")
    assert (value.prompt.template, value.prompt.version) == (read.prompt.template, read.prompt.version)
    assert value.prompt.text == read.prompt.text == asked[0].prompt
    sent = {name: value.prompt.sampling[name] for name in ("temperature", "top_p", "seed")}
    assert sent == {"temperature": 0.8, "top_p": 1.0, "seed": 3}
    assert (value.asked, value.together) == (4, True)
    assert [one.generation.text for one in value.answers] == [RIGHT, MISREAD, CUT, WRONG]
    assert [one.generation.tokens for one in value.answers] == [
        len(script(text)) - 2 for text in (RIGHT, MISREAD, CUT, WRONG)
    ]
    assert value.answers[0].logprobs.mean == value.answers[0].logprobs.least == -0.25
    assert value.answers[0].logprobs.tokens == value.answers[0].generation.tokens
    assert [line.text for line in value.answers[1].content.lines] == ["Total 12.80", "Thank you"]
    first = value.answers[0]
    assert [(worth.name, worth.version, worth.value) for worth in first.worths] == [
        ("official", own_rules(), 1.0),
        ("clean", own_rules(), 1.0),
    ]
    assert [one.edit_distance for one in value.answers][:3] == [0, 1, len("\nThank you")]
    assert value.label.version == 1
    assert value.label.judged
    assert value.label.tokens == pytest.approx(first.generation.tokens, abs=2), (
        "the label is as long as the right answer"
    )
    assert value.picture_tokens > 100
    assert 0 < value.prompt_tokens < 60


async def test_answers_are_about_the_very_copy_that_was_read(bench: Workbench) -> None:
    read = bench.store.recognitions.get(add_read(bench.store))
    copy = PictureTransform(*SIZE).then(Scale(*fitting(SIZE, 317_000))).to_dict()
    item = bench.store.recognitions.add(replace(read.recognition, transform=copy), read.page_id)
    assert (await sampled(bench, item)).rollout.transform == copy


async def test_rewards_spread_and_mark(bench: Workbench) -> None:
    item = add_read(bench.store)
    label(bench.store, item)
    value = (await sampled(bench, item)).rollout
    rewards = [one.reward for one in value.answers]
    assert rewards[0] == 1.0
    assert rewards[0] > rewards[1] > rewards[3]
    assert value.spread.most == 1.0
    assert value.spread.least == min(rewards)
    assert value.spread.mean == pytest.approx(sum(rewards) / 4)
    assert value.spread.std > 0
    assert value.mark is Mark.INFORMATIVE


@pytest.mark.parametrize(
    ("answers", "mark"),
    [((RIGHT, RIGHT), Mark.ALL_RIGHT), ((WRONG, WRONG), Mark.ALL_WRONG), ((CUT, CUT), Mark.ALL_ALIKE)],
)
async def test_groups_that_teach_nothing_are_marked(tmp_path: Path, answers: tuple[str, str], mark: Mark) -> None:
    made = workbench(tmp_path, engine(*answers))
    item = add_read(made.store)
    label(made.store, item)
    assert (await sampled(made, item, Ask(n=2))).rollout.mark is mark
    assert [row.mark for row in await made.rollouts.of_item(item)] == [mark]
    await made.close()


@pytest.mark.parametrize(
    ("rewards", "mark"),
    [
        ((29.0, 62.0), Mark.INFORMATIVE),
        ((5.0, 5.0), Mark.ALL_RIGHT),
        ((0.99, 1.0), Mark.ALL_RIGHT),
        ((0.0, 0.01), Mark.ALL_WRONG),
    ],
)
def test_a_function_of_another_scale_is_not_all_right(rewards: tuple[float, float], mark: Mark) -> None:
    answers = [
        Answer(number, Generation("x"), "complete", PageContent(), worths=(Worth("team.py", "1", reward),))
        for number, reward in enumerate(rewards)
    ]
    assert mark_of(answers) is mark


async def test_a_batch_ends_where_nobody_answers_and_the_rest_waits(tmp_path: Path) -> None:
    gone = EngineFailed("server_unreachable", "It cannot be reached.", "Start it.")
    made = workbench(tmp_path, ScriptedEngine([], VARIED, [[Started(), gone]]))
    for shade in range(6):
        add_read(made.store, shade=shade)
    job, _ = made.batches.find(FOUR)
    *_, last = [step async for step in made.batches.run(job, at_once=2)]
    assert last.error is gone
    assert (last.counts.failed, last.counts.waiting) == (0, 6)
    assert made.batches.find(FOUR) == (job, True), "the same command goes on with it"
    await made.close()


async def test_rewards_follow_the_label(bench: Workbench) -> None:
    item = add_read(bench.store, WRONG)
    kept = await sampled(bench, item)
    assert kept.rollout.answers[3].reward == 1.0, "without a label it is the model's own reading"
    assert not kept.rollout.label.judged
    label(bench.store, item)
    shown = await bench.rollouts.show(kept.id)
    assert shown.stored.rollout.answers[0].reward == 1.0
    assert shown.stored.rollout.answers[3].reward < 0.5
    assert (shown.stored.rollout.label.version, shown.stored.rollout.label.judged) == (1, True)
    again = bench.store.rollouts.get(kept.id).rollout
    assert again.answers == shown.stored.rollout.answers, "kept anew"
    assert [one.generation for one in again.answers] == [one.generation for one in kept.rollout.answers]


async def test_where_the_answers_differ(bench: Workbench) -> None:
    item = add_read(bench.store)
    label(bench.store, item)
    shown = await bench.rollouts.show((await sampled(bench, item)).id)
    rows = {row.label: row for row in shown.rows}
    total = rows["Total 12.50"]
    assert total.texts[:3] == ("Total 12.50", "Total 12.80", "Total 12.50")
    assert total.differs
    assert (round(total.quad.bounds.left), round(total.quad.bounds.top)) == (50, 80)
    assert rows["Thank you"].texts[:3] == ("Thank you", "Thank you", None)


async def test_the_best_answer_becomes_the_label(bench: Workbench) -> None:
    item = add_read(bench.store)
    kept = await sampled(bench, item)
    saved = await bench.rollouts.choose(kept.id, 0, 0, BO, seconds=7, client_key="k")
    assert (saved.version, saved.verdict, saved.state) == (1, Verdict.WRONG, State.SUBMITTED)
    found = bench.store.corrections.latest(item).correction
    assert [line.text for line in found.content.lines] == ["Total 12.50", "Thank you"]
    assert found.person == BO.name
    again = await bench.rollouts.choose(kept.id, 0, 0, BO, seconds=7, client_key="k")
    assert again.version == 1
    (told,) = await bench.rollouts.judgements(kept.id)
    assert (told.judgement.kind, told.judgement.order, told.judgement.seconds) == (Kind.BEST, (0,), 7)
    with pytest.raises(Conflict):
        await bench.rollouts.choose(kept.id, 1, 0, ANN, client_key="other")
    with pytest.raises(BadInput):
        await bench.rollouts.choose(kept.id, 9, 1, ANN)


async def test_an_answer_to_be_edited_leaves_the_item_in_progress(bench: Workbench) -> None:
    item = add_read(bench.store)
    kept = await sampled(bench, item)
    saved = await bench.rollouts.choose(kept.id, 0, 0, ANN, edit=True)
    assert (saved.verdict, saved.state) == (None, State.IN_PROGRESS)


async def test_a_ranking_says_which_answers_are_better(bench: Workbench) -> None:
    kept = await sampled(bench, add_read(bench.store))
    told = await bench.rollouts.rank(kept.id, [2, 0, 3], ANN, client_key="k")
    assert told.judgement.pairs() == [(2, 0), (2, 3), (0, 3)]
    for order in ([1], [1, 1], []):
        with pytest.raises(BadInput) as caught:
            await bench.rollouts.rank(kept.id, order)
        assert caught.value.code == "bad_ranking"


async def test_pairs_are_judged_blind_each_once(bench: Workbench) -> None:
    kept = await sampled(bench, add_read(bench.store))
    pairs = BlindPairs(bench.store, bench.rollouts, Random(1))
    seen, lefts = set(), set()
    for number in range(6):
        pair = await pairs.next(kept.id, ANN)
        assert (pair.judged, pair.total) == (number, 6)
        lefts.add(pair.left.number < pair.right.number)
        seen.add(frozenset((pair.left.number, pair.right.number)))
        stored, sides = await pairs.judge(pair.token, "left", ANN, 2.5)
        assert sides == (pair.left, pair.right)
        assert stored.judgement.pairs() == [(pair.left.number, pair.right.number)]
        assert (stored.judgement.blind, stored.judgement.seconds) == (True, 2.5)
    assert len(seen) == 6
    assert lefts == {True, False}, "the sides are at random"
    assert await pairs.next(kept.id, ANN) is None
    assert (await pairs.next(kept.id, BO)).judged == 0, "another person judges for herself"


async def test_a_judgement_that_is_sent_twice_counts_once(bench: Workbench) -> None:
    kept = await sampled(bench, add_read(bench.store))
    pair = await bench.pairs.next(kept.id, ANN)
    for _ in range(2):
        await bench.pairs.judge(pair.token, "both_bad", ANN)
    (told,) = await bench.rollouts.judgements(kept.id)
    assert told.judgement.choice is Choice.BOTH_BAD
    assert told.judgement.pairs() == []
    with pytest.raises(NotFound):
        await bench.pairs.judge("unknown", "left")
    with pytest.raises(BadInput):
        await bench.pairs.judge(pair.token, "middle")


async def test_a_skipped_pair_comes_last(tmp_path: Path) -> None:
    made = workbench(tmp_path, engine(RIGHT, MISREAD, CUT))
    kept = await sampled(made, add_read(made.store), Ask(n=3))
    first = await made.pairs.next(kept.id, ANN)
    skipped = {first.left.number, first.right.number}
    token = first.token
    for _ in range(2):
        pair = await made.pairs.next(kept.id, ANN, skip=token)
        token = ""
        assert {pair.left.number, pair.right.number} != skipped
        await made.pairs.judge(pair.token, "tie", ANN)
    last = await made.pairs.next(kept.id, ANN)
    assert {last.left.number, last.right.number} == skipped
    await made.close()


async def test_answers_that_say_the_same_make_no_pair(tmp_path: Path) -> None:
    made = workbench(tmp_path, engine(RIGHT, RIGHT))
    kept = await sampled(made, add_read(made.store), Ask(n=2))
    assert await made.pairs.next(kept.id, ANN) is None
    await made.close()


async def test_answers_that_look_the_same_make_no_pair(tmp_path: Path) -> None:
    """Boxes are not shown beside each other: nobody could choose by them."""
    here, there = "Total 12.50(50,100),(400,150)", "Total 12.50(50,300),(400,350)"
    made = workbench(tmp_path, engine(here, there, MISREAD))
    kept = await sampled(made, add_read(made.store), Ask(n=3))
    pair = await made.pairs.next(kept.id, ANN)
    assert pair.total == 1
    assert {pair.left.generation.text, pair.right.generation.text} == {here, MISREAD}
    await made.close()


async def test_a_name_with_odd_blanks_gets_each_pair_once_too(tmp_path: Path) -> None:
    made = workbench(tmp_path, engine(RIGHT, MISREAD))
    kept = await sampled(made, add_read(made.store), Ask(n=2))
    ann = Person(" Ann  Lee")
    pair = await made.pairs.next(kept.id, ann)
    await made.pairs.judge(pair.token, "left", ann)
    assert await made.pairs.next(kept.id, ann) is None
    assert [one.judgement.person for one in await made.rollouts.judgements(kept.id)] == ["Ann Lee"]
    await made.close()


async def test_answers_that_say_nothing_are_answers(tmp_path: Path) -> None:
    made = workbench(tmp_path, engine("", ""))
    kept = await sampled(made, add_read(made.store), Ask(n=2))
    assert [one.outcome for one in kept.rollout.answers] == ["complete", "complete"]
    assert await made.pairs.next(kept.id, ANN) is None
    await made.close()


SLOW = ScriptedEngine([], VARIED, [script(RIGHT), [Started(), TextDelta(RIGHT[:20]), Pause(30), TextDelta("never")]])


async def test_stopping_keeps_what_came(tmp_path: Path) -> None:
    made = workbench(tmp_path, SLOW)
    item = add_read(made.store)
    label(made.store, item)
    last, stopped = None, 0
    async with asyncio.timeout(SOON), aclosing(made.rollouts.sample(item, Ask(n=2), ANN, "me")) as steps:
        async for last in steps:
            if not stopped and last.sampling and last.sampling.answers[0].recognition:
                assert last.sampling.answers[1].state == "running"
                stopped = await made.rollouts.stop("me")
    assert stopped == 1
    kept = made.store.rollouts.get(last.rollout_id).rollout
    assert [one.outcome for one in kept.answers] == ["complete", "stopped"]
    assert [one.reward for one in kept.answers] == [1.0, None]
    assert kept.mark is Mark.UNSCORED
    await made.close()


async def test_a_closed_tab_frees_the_engine_and_what_came_is_kept(tmp_path: Path) -> None:
    made = workbench(tmp_path, SLOW)
    item = add_read(made.store)
    async with aclosing(made.rollouts.sample(item, Ask(n=2), ANN)) as steps:
        async for step in steps:
            if step.sampling and step.sampling.answers[0].recognition:
                break
    assert not SLOW.running
    await made.rollouts.close()
    (row,) = await made.rollouts.of_item(item)
    assert row.asked == 2
    await made.close()


async def test_a_failing_engine_is_told_and_what_came_is_kept(tmp_path: Path) -> None:
    died = EngineFailed("reading_failed", "Reading failed: it died.", "Try again.", reason="它死了")
    scripts = [script(RIGHT), [Started(), TextDelta(RIGHT[:20]), Pause(0.2), died]]
    made = workbench(tmp_path, ScriptedEngine([], VARIED, scripts))
    item = add_read(made.store)
    last = (await steps_of(made, item, Ask(n=2)))[-1]
    assert last.error is died
    kept = made.store.rollouts.get(last.rollout_id).rollout
    assert [one.outcome for one in kept.answers] == ["complete", "failed"]
    told = shown_value(await made.rollouts.show(last.rollout_id))
    assert told["error"] == error_value(died)
    assert localize_rollout(told, "zh")["error"]["message"] == "识别此页时出错（它死了）。请重试。"
    older = made.store.rollouts.add(item, replace(kept, error="It died."), ANN)
    told = localize_rollout(shown_value(await made.rollouts.show(older)), "zh")
    assert told["error"]["message"] == "It died.", "stored before there were codes"
    await made.close()


async def test_an_answer_too_long_to_be_scored_says_so_in_any_language(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ocr_ui.services.rewarding.LONGEST", 10)
    item = add_read(bench.store)
    label(bench.store, item)
    kept = await sampled(bench, item)
    told = localize_rollout(shown_value(await bench.rollouts.show(kept.id)), "zh")
    (reward,) = told["answers"][0]["rewards"]
    longest = max(len(RIGHT), len(kept.rollout.answers[0].generation.text))
    assert reward["reason"] == f"文本有 {longest} 个字符，最多对 10 个字符计算奖励。"


async def test_what_cannot_be_sampled_is_refused(bench: Workbench, tmp_path: Path) -> None:
    item = add_read(bench.store)
    with pytest.raises(BadInput) as caught:
        await steps_of(bench, item, Ask(n=4, temperature=0))
    assert caught.value.code == "greedy_samples"
    with pytest.raises(NotFound):
        await steps_of(bench, 999)
    stiff = workbench(tmp_path / "stiff", ScriptedEngine([], Capabilities(tasks=frozenset(Task))))
    with pytest.raises(BadInput) as caught:
        await steps_of(stiff, add_read(stiff.store))
    assert caught.value.code == "engine_never_varies"
    await stiff.close()


async def test_answers_that_are_asked_apart_are_kept_as_such(tmp_path: Path) -> None:
    apart = engine(RIGHT)
    apart.capabilities = replace(VARIED, answers_together=False)
    made = workbench(tmp_path, apart)
    kept = (await sampled(made, add_read(made.store), Ask(n=3))).rollout
    assert not kept.together
    assert [one.generation.text for one in kept.answers] == [RIGHT] * 3
    assert len(apart.seen) == 3
    await made.close()
