"""Rollouts of items: asking, keeping, scoring, where the answers differ, and the answer that becomes the label."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.person import Person
from ocr_ui.domain.review import Verdict
from ocr_ui.domain.rollout import Answer, Judgement, Kind, Rollout
from ocr_ui.errors import BadInput, StoreFailed, WorkbenchError
from ocr_ui.logs import run_name
from ocr_ui.scoring.answer_rows import AnswerRow, answer_rows
from ocr_ui.services.access import needs
from ocr_ui.services.annotate import Annotator, Item, Saved
from ocr_ui.services.engines import Engines
from ocr_ui.services.pictures import PageStore
from ocr_ui.services.reading import ReadRequest
from ocr_ui.services.retries import Retries, cleaning_of, pixels_again
from ocr_ui.services.rewarding import Rewarding
from ocr_ui.services.runs import Runs
from ocr_ui.services.sampling import Sampling, sample_picture
from ocr_ui.settings import Settings
from ocr_ui.storage.records import RolloutRow, StoredJudgement, StoredRollout
from ocr_ui.storage.store import Store

log = logging.getLogger(__name__)

LONGEST_LOOK = 24 * 3600.0
"""Seconds; a judgement is not said to have taken longer."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked of an item.

    Attributes:
        n: how many answers.
        engine: by its name; empty for the one that read the item, where it can give several answers.
        seed: of the first answer; None for another one each time.
        max_tokens: of an answer; None as the item's template and the settings say.
    """

    n: int = 8
    temperature: float = 0.8
    top_p: float = 1.0
    engine: str = ""
    seed: int | None = None
    max_tokens: int | None = None

    def sampling(self) -> dict[str, Any]:
        named = {"temperature": self.temperature, "top_p": self.top_p, "seed": self.seed, "max_tokens": self.max_tokens}
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a rollout: how far it is, None while the engine loads; once stored, its id."""

    sampling: Sampling | None
    rollout_id: int | None = None
    error: WorkbenchError | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """A rollout with its item, and where the answers differ."""

    stored: StoredRollout
    item: Item
    rows: tuple[AnswerRow, ...]


class Rollouts:
    """Samples items of a store; whoever started a run can stop it by its owner."""

    def __init__(
        self,
        store: Store,
        pages: PageStore,
        engines: Engines,
        retries: Retries,
        annotator: Annotator,
        rewarding: Rewarding,
        settings: Settings,
    ) -> None:
        self._store, self._pages, self._engines = store, pages, engines
        self._retries, self._annotator, self._rewarding, self._settings = retries, annotator, rewarding, settings
        self._runs = Runs(engines)
        self._keeping: set[asyncio.Task[None]] = set()

    # Asking

    @needs(Action.RECOGNIZE, audited="rollout.sample", limited="reads")
    async def sample(
        self, recognition_id: int, ask: Ask, person: Person | None = None, owner: str = ""
    ) -> AsyncIterator[Step]:
        """Asks the question of an item n times; the last step carries the id of the stored answers.

        The text is the item's, as it was sent. What ended before this generator is closed is stored; where nothing
        came at all, nothing is.

        Raises:
            NotFound: no such item, or its template is gone.
            BadInput: `item_without_prompt`, and those of `sample_picture`. EngineDead, EngineBusy.
        """
        run_id = run_name()
        with self._runs.listed(owner, run_id) as stop:
            async with aclosing(self._steps(recognition_id, ask, person, stop, run_id)) as steps:
                async for step in steps:
                    yield step

    async def _steps(
        self, recognition_id: int, ask: Ask, person: Person | None, stop: asyncio.Event, run_id: str
    ) -> AsyncIterator[Step]:
        item = await self._annotator.open_item(recognition_id)
        request = await asyncio.to_thread(self._request, item, ask, run_id)
        name = ask.engine or self.engine_for(item)
        while (engine := await self._engines.ready_soon(name)) is None:
            yield Step(None)
            if stop.is_set():
                return
        _, pixels = await self._pages.load(item.page.id)

        def abandoned(finish: Callable[[], Sampling]) -> None:
            task = asyncio.create_task(self._keep_abandoned(item, finish, person, name))
            self._keeping.add(task)
            task.add_done_callback(self._keeping.discard)

        own = self._engines.settings_of(name, self._settings)
        sha256 = item.page.page.sha256
        sampling = sample_picture(pixels, sha256, engine, request, ask.n, own, stop, abandoned)
        async with aclosing(sampling) as steps:
            async for step in steps:
                yield Step(step) if step.rollout is None else await self._kept(item, step, person, name)

    async def collect(self, recognition_id: int, ask: Ask, owner: str = "") -> Rollout:
        """The answers about an item, scored, without storing them.

        Raises: as `sample`; also what the engine failed with, and EngineFailed where no answer came.
        """
        run_id = run_name()
        with self._runs.listed(owner, run_id) as stop:
            item, name, last = await self._last_step(recognition_id, ask, stop, run_id)
        if last.error is not None:
            raise last.error
        assert last.rollout is not None  # noqa: S101 - the last step has it
        value = _as_asked(last.rollout, item, name or self._engines.default)
        return await self._rewarding.of_rollout(item, value)

    async def _last_step(
        self, recognition_id: int, ask: Ask, stop: asyncio.Event, run_id: str
    ) -> tuple[Item, str, Sampling]:
        item = await self._annotator.open_item(recognition_id)
        request = await asyncio.to_thread(self._request, item, ask, run_id)
        name = ask.engine or self.engine_for(item)
        engine = await self._engines.ready(name)
        _, pixels = await self._pages.load(item.page.id)
        own = self._engines.settings_of(name, self._settings)
        steps = sample_picture(pixels, item.page.page.sha256, engine, request, ask.n, own, stop)
        async with aclosing(steps) as found:
            *_, last = [step async for step in found]
        return item, name, last

    def _request(self, item: Item, ask: Ask, run_id: str) -> ReadRequest:
        recognition = item.recognition.recognition
        used = recognition.prompt
        if not used.text.strip():
            raise BadInput(
                "item_without_prompt",
                f"The item {item.recognition.id} was read without a prompt, so that no model can be asked the same.",
                "Read the picture with a template first.",
                item=item.recognition.id,
            )
        sampling = {key: value for key, value in used.sampling.items() if key not in ("json_schema", "seed")}
        return ReadRequest(
            self._retries.template_of(recognition),
            used.variables,
            used.text,
            run_id,
            {**sampling, **ask.sampling()},
            pixels_again(recognition),
            preprocess=cleaning_of(recognition),
            structured="json_schema" in used.sampling,
        )

    def engine_for(self, item: Item) -> str:
        """The engine that read an item, where its answers can differ; else the first whose answers can."""
        usual = self._retries.engine_of(item.recognition.recognition)
        able = self._engines.varying()
        return usual if usual in able or not able else able[0]

    async def stop(self, owner: str) -> int:
        """Stops what `owner` has running; gives how many runs that were."""
        return await self._runs.stop(owner)

    def is_sampling(self, owner: str) -> bool:
        return self._runs.any(owner)

    async def close(self) -> None:
        """Waits until everything that came is stored."""
        await asyncio.gather(*self._keeping, return_exceptions=True)

    # Keeping

    async def _kept(self, item: Item, step: Sampling, person: Person | None, engine: str) -> Step:
        assert step.rollout is not None  # noqa: S101 - the caller has looked
        value = _as_asked(step.rollout, item, engine or self._engines.default)
        if not any(answer.generation.text or answer.outcome == "complete" for answer in value.answers):
            return Step(step, error=step.error)
        try:
            scored = await self._rewarding.of_rollout(item, value)
            stored = await asyncio.to_thread(self._store.rollouts.add, item.recognition.id, scored, person)
        except StoreFailed as error:
            return Step(step, error=error)
        return Step(replace(step, rollout=scored), stored, step.error)

    async def _keep_abandoned(
        self, item: Item, finish: Callable[[], Sampling], person: Person | None, engine: str
    ) -> None:
        kept = await self._kept(item, await asyncio.to_thread(finish), person, engine)
        if kept.error:
            log.error("answers about item %d could not be kept: %s", item.recognition.id, kept.error)

    # Showing

    @needs(Action.READ)
    async def of_item(self, recognition_id: int) -> list[RolloutRow]:
        """The newest rollouts of an item, newest first."""
        return await asyncio.to_thread(self._store.rollouts.of_item, recognition_id)

    @needs(Action.READ)
    async def show(self, rollout_id: int) -> Shown:
        """A rollout, scored against the label as it is now. Raises NotFound (`unknown_rollout`)."""
        stored = await asyncio.to_thread(self._store.rollouts.get, rollout_id)
        item = await self._annotator.open_item(stored.recognition_id)
        stored = replace(stored, rollout=await self._fresh(stored, item))
        contents = [answer.content for answer in stored.rollout.answers]
        rows = await asyncio.to_thread(answer_rows, item.content, contents)
        return Shown(stored, item, rows)

    async def _fresh(self, stored: StoredRollout, item: Item) -> Rollout:
        """Rewards against the newest label; stored anew where the label has changed since."""
        label = stored.rollout.label
        version = item.correction.correction.version if item.correction else 0
        judged = version > 0 or item.review.review.verdict is Verdict.RIGHT
        if label is not None and (label.version, label.judged) == (version, judged):
            return stored.rollout
        scored = await self._rewarding.of_rollout(item, stored.rollout)
        await asyncio.to_thread(self._store.rollouts.score, stored.id, scored)
        return scored

    @needs(Action.READ)
    async def judgements(self, rollout_id: int) -> list[StoredJudgement]:
        """All that was said of the answers, oldest first."""
        return await asyncio.to_thread(self._store.rollouts.judgements, rollout_id)

    # Judging

    @needs(Action.ANNOTATE, audited="rollout.choose")
    async def choose(
        self,
        rollout_id: int,
        number: int,
        base_version: int,
        person: Person | None = None,
        edit: bool = False,
        seconds: float = 0.0,
        client_key: str = "",
    ) -> Saved:
        """The answer becomes the label: a new correction of its item, and a judgement that it is the best.

        Args:
            base_version: the newest version of the label that the person saw.
            edit: somebody will go on editing it; else the item is submitted with it.

        Raises:
            NotFound: `unknown_rollout`. BadInput: `unknown_answer`. Conflict, StoreFailed: see
                `Annotator.save_correction`.
        """
        stored = await asyncio.to_thread(self._store.rollouts.get, rollout_id)
        answer = _answer(stored.rollout, number)
        saved = await self._annotator.save_correction(
            stored.recognition_id,
            base_version,
            answer.content,
            None if edit else Verdict.RIGHT,
            person=person,
            client_key=client_key,
        )
        best = Judgement(Kind.BEST, (number,), person=person.name if person else "", seconds=looked(seconds))
        await asyncio.to_thread(self._store.rollouts.judge, rollout_id, best, client_key)
        return saved

    @needs(Action.ANNOTATE, audited="rollout.rank")
    async def rank(
        self,
        rollout_id: int,
        order: Sequence[int],
        person: Person | None = None,
        seconds: float = 0.0,
        client_key: str = "",
    ) -> StoredJudgement:
        """The answers in order, the best first; those that are left out are not ranked.

        Raises:
            NotFound: `unknown_rollout`. BadInput: `unknown_answer`, `bad_ranking`. StoreFailed.
        """
        stored = await asyncio.to_thread(self._store.rollouts.get, rollout_id)
        for number in order:
            _answer(stored.rollout, number)
        if len(order) < 2 or len(set(order)) < len(order):
            raise BadInput("bad_ranking", "A ranking names two answers or more, each once.", "Rank them again.")
        ranked = Judgement(Kind.RANK, tuple(order), person=person.name if person else "", seconds=looked(seconds))
        return await asyncio.to_thread(self._store.rollouts.judge, rollout_id, ranked, client_key)


def _as_asked(value: Rollout, item: Item, engine: str) -> Rollout:
    """With the name that the engine has in the configuration, and the version of the template whose text was sent."""
    used = item.recognition.recognition.prompt
    prompt = replace(value.prompt, version=used.version)
    return replace(value, engine=replace(value.engine, name=engine), prompt=prompt)


def _answer(rollout: Rollout, number: int) -> Answer:
    for answer in rollout.answers:
        if answer.number == number:
            return answer
    raise BadInput("unknown_answer", f"There is no answer {number}.", "Load the page again.", number=number)


def looked(seconds: float) -> float:
    """How long somebody looked, as it is kept."""
    return min(max(0.0, seconds), LONGEST_LOOK)
