"""Blind comparisons of the two arms of an experiment: which reading is whose stays here until somebody has judged."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from random import Random

from ocr_ui.domain.access import Action
from ocr_ui.domain.experiment import Arm
from ocr_ui.domain.page import Page
from ocr_ui.domain.person import Person
from ocr_ui.domain.preference import WHOLE, Preference
from ocr_ui.domain.recognition import Recognition
from ocr_ui.errors import NotFound
from ocr_ui.prompting import PromptLibrary
from ocr_ui.services.access import needs
from ocr_ui.services.blind_pairs import blind_lines, read_choice, remember, unknown_pair
from ocr_ui.services.figures import add_reading
from ocr_ui.services.reading import ReadRequest
from ocr_ui.services.recognize import Recognizer
from ocr_ui.services.rollouts import looked
from ocr_ui.services.traffic import Given, Traffic, arm_values
from ocr_ui.storage import people
from ocr_ui.storage.records import ArmReading, StoredExperiment, StoredRecognition
from ocr_ui.storage.store import Store

MOST_ALIKE = 20
"""Pictures that both arms read alike, and that are passed over before somebody is answered."""


@dataclass(frozen=True, slots=True)
class ArmPair:
    """Two readings of a picture beside each other.

    Attributes:
        token: stands for it until it is judged.
        judged, total: pictures of the experiment that this person has judged, and that there are.
    """

    token: str
    page: Page
    left: Recognition
    right: Recognition
    judged: int
    total: int


class ExperimentPairs:
    """Hands out pictures that both arms read differently, each to a person once, the sides at random.

    A picture that one arm has read is read by the other one when somebody asks for it: that reading is given to nobody
    else and counts in nothing but these comparisons.
    """

    def __init__(
        self,
        store: Store,
        recognizer: Recognizer,
        traffic: Traffic,
        templates: PromptLibrary,
        chance: Random | None = None,
    ) -> None:
        self._store, self._recognizer, self._traffic, self._templates = store, recognizer, traffic, templates
        self._chance = chance or Random(secrets.randbits(64))  # noqa: S311 - nobody gains by guessing a side
        self._open: OrderedDict[str, tuple[int, int, int]] = OrderedDict()
        self._skipped: OrderedDict[tuple[int, str, str], None] = OrderedDict()
        self._reading = asyncio.Lock()

    @needs(Action.ANNOTATE)
    async def next(self, experiment_id: int, person: Person | None = None, skip: str = "") -> ArmPair | None:
        """A picture that the person has not judged; None where there is none left.

        Args:
            skip: token of a pair that the person does not want to judge; its picture is not given again.

        Raises:
            NotFound: `unknown_experiment`. Else what the reading of the other arm failed with.
        """
        found = await asyncio.to_thread(self._store.experiments.get, experiment_id)
        name = people.clean(person)
        if skip in self._open:
            left = self._open.pop(skip)[1]
            of_pair = await asyncio.to_thread(self._store.experiments.of_readings, [left])
            remember(self._skipped, (experiment_id, name, of_pair[left].sha256), None)
        readings = await asyncio.to_thread(self._store.experiments.readings, experiment_id)
        pictures = _pictures(readings)
        done = await asyncio.to_thread(self._judged, experiment_id, name, readings)
        fresh = [sha for sha in pictures if sha not in done and (experiment_id, name, sha) not in self._skipped]
        self._chance.shuffle(fresh)
        fresh.sort(key=lambda sha: len(pictures[sha]) < len(Arm))  # those that are read already come at once
        for sha256 in fresh[:MOST_ALIKE]:
            both = await self._both(found, pictures[sha256])
            if both is None or blind_lines(both[0].recognition) == blind_lines(both[1].recognition):
                continue
            return await self._handed_out(experiment_id, both, len(done), len(pictures))
        return None

    async def _handed_out(
        self, experiment_id: int, both: tuple[StoredRecognition, StoredRecognition], judged: int, total: int
    ) -> ArmPair:
        left, right = both if self._chance.random() < 0.5 else both[::-1]
        token = secrets.token_urlsafe(12)
        remember(self._open, token, (experiment_id, left.id, right.id))
        page = (await asyncio.to_thread(self._store.pages.get, left.page_id)).page
        return ArmPair(token, page, left.recognition, right.recognition, judged, total)

    @needs(Action.ANNOTATE, audited="experiment.judge")
    async def judge(
        self, token: str, choice: str, person: Person | None = None, seconds: float = 0.0
    ) -> tuple[Arm, Arm]:
        """Keeps what somebody says of a pair, and tells whose the readings were, left and right.

        The token is the key of the judgement: sent again after a lost answer, it counts once.

        Raises:
            NotFound: `unknown_pair`. BadInput: `unknown_choice`. StoreFailed.
        """
        if token not in self._open:
            raise unknown_pair()
        experiment_id, left, right = self._open[token]
        said = Preference(left, right, read_choice(choice), people.clean(person), True, looked(seconds), experiment_id)
        await asyncio.to_thread(self._store.preferences.add, [said], token)
        arms = await asyncio.to_thread(self._store.experiments.of_readings, [left, right])
        return arms[left].arm, arms[right].arm

    def _judged(self, experiment_id: int, person: str, readings: Iterable[ArmReading]) -> set[str]:
        """Pictures that a person has judged."""
        pictures = {one.id: one.sha256 for one in readings}
        told = self._store.preferences.of_experiment(experiment_id)
        return {pictures[one.left] for one in told if one.blind and one.person == person and one.left in pictures}

    async def _both(
        self, found: StoredExperiment, known: dict[Arm, ArmReading]
    ) -> tuple[StoredRecognition, StoredRecognition] | None:
        """A picture's readings by both arms; None where the missing one came to nothing."""
        one = next(iter(known.values()))
        other = known.get(one.arm.other)
        other_id = other.id if other else await self._read_by_other(found, one)
        if other_id is None:
            return None
        first, second = await asyncio.to_thread(
            lambda: (self._store.recognitions.get(one.id), self._store.recognitions.get(other_id))
        )
        return first, second

    async def _read_by_other(self, found: StoredExperiment, one: ArmReading) -> int | None:
        if found.ended_at is not None:
            return None
        async with self._reading:  # one after another: people wait for their own pages too
            try:
                request, engine, given = await asyncio.to_thread(self._request, found, one)
                keep = self._traffic.noting(given, partial(add_reading, self._store), one.asked_engine, shadow=True)
                steps = self._recognizer.read(one.page_id, request, engine=engine, keep=keep)
                async with aclosing(steps) as read:  # type: ignore[type-var]
                    *_, last = [step async for step in read]
            except NotFound:  # its picture or template is gone
                return None
        if last.progress.error is not None and last.recognition_id is None:
            raise last.progress.error
        recognition = last.progress.recognition
        return last.recognition_id if recognition and recognition.outcome in WHOLE else None

    def _request(self, found: StoredExperiment, one: ArmReading) -> tuple[ReadRequest, str, Given]:
        value, arm = found.experiment, one.arm.other
        used = self._store.recognitions.get(one.id).recognition
        asked, other = (self._templates.get(*value.template_of(a)) for a in (one.arm, arm))
        request = ReadRequest(other, arm_values(other, asked, used.prompt.variables), followed=False)
        engine = value.other_engine if arm is Arm.B and value.other_engine else one.asked_engine
        return request, engine, Given(found.id, arm, value.template, request, engine)


def _pictures(readings: Iterable[ArmReading]) -> dict[str, dict[Arm, ArmReading]]:
    """Whole readings of each picture that somebody was given one of, the newest of each arm."""
    whole = [one for one in readings if one.outcome in WHOLE]
    given = {one.sha256 for one in whole if not one.shadow}
    found: dict[str, dict[Arm, ArmReading]] = {}
    for one in whole:
        if one.sha256 in given:
            found.setdefault(one.sha256, {})[one.arm] = one
    return found
