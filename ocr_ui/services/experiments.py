"""Experiments in daily use: started, given a share, judged and ended."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ocr_ui.domain.access import Action
from ocr_ui.domain.experiment import Arm, Experiment
from ocr_ui.domain.person import Person
from ocr_ui.domain.preference import Preference
from ocr_ui.domain.prompt import PromptTemplate
from ocr_ui.domain.rollout import Choice
from ocr_ui.engines.registry import unknown_kind
from ocr_ui.errors import BadInput, NotFound
from ocr_ui.prompting import PromptLibrary
from ocr_ui.scoring import shares
from ocr_ui.scoring.contest import interval, unpaired
from ocr_ui.scoring.differences import characters
from ocr_ui.scoring.metrics import Part
from ocr_ui.scoring.shares import Apart, Share
from ocr_ui.services.access import needs
from ocr_ui.services.engines import Engines
from ocr_ui.storage.records import ArmReading, ArmVerdict, StoredExperiment
from ocr_ui.storage.store import Store

LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Ask:
    """An experiment to start.

    Attributes:
        template: A, by its name: the version that is in use.
        engine: its readings by this engine alone take part; "" for any.
        other_template: B, by its name, with `@` and a version where it is not the one in use; "" for A's.
        other_engine: B's; "" for the one that is asked.
        share: of the pictures that go to B, 0 to 1.
        name: for people; "" for one that says what is compared.
    """

    template: str
    other_template: str = ""
    engine: str = ""
    other_engine: str = ""
    share: float = 0.1
    name: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """What came of an arm, counted in pictures: of one that was read several times the newest judged reading.

    Attributes:
        pictures: that were read.
        wrong: of the judged ones, called wrong or corrected.
        accepted: labels of the judged ones that were accepted.
        cer: to the labels, with its interval; None without a label.
    """

    pictures: int
    wrong: Share
    accepted: int
    characters: float
    cer: float | None
    cer_interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Blind:
    """Blind comparisons of both readings of a picture, each picture once, as most people said.

    Attributes:
        better: B was, of those where one was.
        ties, both_bad: where none was.
        verdict: as of a `Difference`.
    """

    better: Share
    ties: int
    both_bad: int
    people: int
    verdict: str


@dataclass(frozen=True, slots=True)
class Result:
    """Attributes:
    rates: B's share of wrong readings less A's; None where one of them has none.
    cer: B's character error rate less A's.
    """

    sides: dict[Arm, Side]
    rates: Apart | None
    cer: Apart | None
    blind: Blind


@dataclass(frozen=True, slots=True)
class Shown:
    """Attributes:
    stale: A is in use in another version by now, or gone, so that no reading takes part any more.
    gone: B's template or engine is, so that its pictures are read as they were asked for, and count for nobody.
    """

    stored: StoredExperiment
    stale: bool
    gone: bool
    result: Result | None = None


class Experiments:
    """Args: salt: makes each experiment a draw of its own."""

    def __init__(
        self,
        store: Store,
        templates: PromptLibrary,
        engines: Engines,
        salt: Callable[[], str] = lambda: secrets.token_hex(16),
    ) -> None:
        self._store, self._templates, self._engines, self._salt = store, templates, engines, salt

    @needs(Action.ADMIN, audited="experiment.start", target=lambda _, done: done.stored.id)
    async def start(self, ask: Ask, person: Person | None = None) -> Shown:
        """From now on a share of the pictures that are read with A go to B.

        Raises:
            NotFound: a template or version. BadInput: `experiment_same`, `experiment_other_task`,
                `experiment_variable`, `share_out_of_range`, `experiment_name`, an engine that is not there or cannot
                do it. Conflict: `experiment_running`. StoreFailed.
        """
        value = await asyncio.to_thread(self._checked, ask)
        made = await asyncio.to_thread(self._store.experiments.add, value, person)
        return await self.get(made)

    @needs(Action.ADMIN, audited="experiment.share")
    async def set_share(self, experiment_id: int, share: float) -> Shown:
        """Another share for B. Raises NotFound, Conflict (`experiment_ended`), BadInput (`share_out_of_range`)."""
        await asyncio.to_thread(self._store.experiments.set_share, experiment_id, _share(share))
        return await self.get(experiment_id)

    @needs(Action.ADMIN, audited="experiment.roll_back")
    async def roll_back(self, experiment_id: int, person: Person | None = None) -> Shown:
        """All pictures go to A again from the next one on, in every process; what is known stays.

        Raises:
            NotFound (`unknown_experiment`), Conflict (`experiment_ended`).
        """
        await asyncio.to_thread(self._store.experiments.end, experiment_id, person)
        return await self.get(experiment_id)

    @needs(Action.READ)
    async def arm_of(self, recognition_id: int) -> ArmReading | None:
        """Whose reading it was; None of one that took part in none."""
        found = await asyncio.to_thread(self._store.experiments.of_readings, [recognition_id])
        return found.get(recognition_id)

    @needs(Action.READ)
    async def list(self) -> list[Shown]:
        """The newest first, without their results."""
        return await asyncio.to_thread(lambda: [self._shown(one) for one in self._store.experiments.list()])

    @needs(Action.READ)
    async def get(self, experiment_id: int) -> Shown:
        """With its result so far. Raises NotFound (`unknown_experiment`)."""
        return await asyncio.to_thread(self._with_result, experiment_id)

    def _shown(self, stored: StoredExperiment) -> Shown:
        value = stored.experiment
        usual = next((one for one in self._templates.list() if one.name == value.template), None)
        running = stored.ended_at is None
        return Shown(
            stored, running and (usual is None or usual.version != value.version), running and self._gone(value)
        )

    def _gone(self, value: Experiment) -> bool:
        try:
            self._templates.get(*value.template_of(Arm.B))
        except (NotFound, BadInput):  # deleted, or its file is broken
            return True
        return value.other_engine not in {"", *(info.name for info in self._engines.infos())}

    def _with_result(self, experiment_id: int) -> Shown:
        stored = self._store.experiments.get(experiment_id)
        with self._store.one_moment():
            readings = self._store.experiments.readings(experiment_id)
            verdicts = self._store.experiments.verdicts(experiment_id)
            told = self._store.preferences.of_experiment(experiment_id)
        return replace(self._shown(stored), result=result_of(readings, verdicts, told))

    def _checked(self, ask: Ask) -> Experiment:
        template = self._templates.get(ask.template)
        other = self._templates.get(ask.other_template or ask.template)
        same_engine = ask.other_engine in ("", ask.engine)
        if (other.name, other.version) == (template.name, template.version) and same_engine:
            raise BadInput("experiment_same", "A and B are the same.", "Choose another template or engine for B.")
        if other.task is not template.task:
            raise BadInput(
                "experiment_other_task",
                f"{template.name} and {other.name} ask for different things.",
                "Choose a template for B that does the same task.",
                template=template.name,
                other=other.name,
            )
        _check_variables(template, other)
        for engine in filter(None, (ask.engine, ask.other_engine)):
            self._check_engine(engine, other)
        if len(ask.name) > LONGEST_NAME:
            raise BadInput(
                "experiment_name", f"A name has at most {LONGEST_NAME} characters.", "Shorten it.", most=LONGEST_NAME
            )
        return Experiment(
            name=ask.name.strip(),
            template=template.name,
            version=template.version,
            engine=ask.engine,
            other_template=other.name,
            other_version=other.version,
            other_engine=ask.other_engine,
            share=_share(ask.share),
            salt=self._salt(),
        )

    def _check_engine(self, engine: str, template: PromptTemplate) -> None:
        names = {info.name for info in self._engines.infos()}
        if engine not in names:
            raise unknown_kind(engine, names)
        if engine not in self._engines.can(template.task):
            raise BadInput(
                "task_not_possible",
                f"The engine {engine} cannot do the template {template.name}.",
                "Choose another engine.",
                engine=engine,
                template=template.name,
                task=template.task.value,
            )


def _share(share: float) -> float:
    if not 0 <= share <= 1:
        raise BadInput("share_out_of_range", "A share lies between 0 and 100 %.", "Choose such a one.", share=share)
    return share


def _check_variables(template: PromptTemplate, other: PromptTemplate) -> None:
    """Whatever is typed for A must do for B."""
    known = {variable.name: variable for variable in template.variables}
    for variable in other.variables:
        if variable.default is None and variable.name not in known:
            raise BadInput(
                "experiment_variable",
                f"{other.name} needs a value for {variable.name}, which {template.name} does not ask for.",
                "Give it a default, or choose another template for B.",
                template=template.name,
                other=other.name,
                variable=variable.name,
            )


# The result


def result_of(readings: Iterable[ArmReading], verdicts: Sequence[ArmVerdict], told: Iterable[Preference]) -> Result:
    """What is known of both arms."""
    all_readings = list(readings)
    judged = {arm: _newest(one for one in verdicts if one.arm is arm) for arm in Arm}
    parts = {arm: [part for one in judged[arm] if (part := _part(one))] for arm in Arm}
    pictures = {arm: len({one.sha256 for one in all_readings if one.arm is arm and not one.shadow}) for arm in Arm}
    sides = {arm: _side(pictures[arm], judged[arm], parts[arm]) for arm in Arm}
    rates = shares.apart(sides[Arm.A].wrong, sides[Arm.B].wrong)
    return Result(sides, rates, _cer_apart(sides, parts), _blind(told, {one.id: one for one in all_readings}))


def _newest(verdicts: Iterable[ArmVerdict]) -> list[ArmVerdict]:
    """Of each picture the newest."""
    return list({one.sha256: one for one in verdicts}.values())


def _part(verdict: ArmVerdict) -> Part | None:
    """Characters that are wrong, and that the label has; None without a label."""
    if verdict.distance is None:
        return None
    length = round(verdict.distance / verdict.cer) if verdict.cer else characters(verdict.content)
    return verdict.distance, length


def _side(pictures: int, judged: Sequence[ArmVerdict], parts: Sequence[Part]) -> Side:
    whole = sum(length for _, length in parts)
    return Side(
        pictures=pictures,
        wrong=shares.share(sum(one.wrong for one in judged), len(judged)),
        accepted=sum(one.accepted for one in judged),
        characters=whole,
        cer=sum(part for part, _ in parts) / whole if whole else None,
        cer_interval=interval(parts),
    )


def _cer_apart(sides: dict[Arm, Side], parts: dict[Arm, list[Part]]) -> Apart | None:
    bounds = unpaired(parts[Arm.A], parts[Arm.B])
    first, second = sides[Arm.A].cer, sides[Arm.B].cer
    if bounds is None or first is None or second is None:
        return None
    fewest = min(len(parts[arm]) for arm in Arm)
    return Apart(second - first, *bounds, shares.verdict(*bounds, fewest))


def _blind(told: Iterable[Preference], readings: dict[int, ArmReading]) -> Blind:
    """Of each person's word on a picture the newest counts; of a picture what most people say."""
    said: dict[tuple[str, str], str] = {}
    for one in told:
        left = readings.get(one.left)
        if one.blind and left is not None:
            said[one.person, left.sha256] = _said(one.choice, left.arm)
    votes: dict[str, Counter[str]] = {}
    for (_, sha256), word in said.items():
        votes.setdefault(sha256, Counter())[word] += 1
    words = Counter(_most_said(found) for found in votes.values())
    better = shares.share(words[Arm.B], words[Arm.A] + words[Arm.B])
    people = len({person for person, _ in said})
    verdict = shares.verdict(better.low - 0.5, better.high - 0.5, better.of, lower=False)
    return Blind(better, words[Choice.TIE], words[Choice.BOTH_BAD], people, verdict)


def _said(choice: Choice, left: Arm) -> str:
    return {Choice.LEFT: left.value, Choice.RIGHT: left.other.value}.get(choice, choice.value)


def _most_said(votes: Counter[str]) -> str:
    """A draw is a tie."""
    (first, count), *others = votes.most_common()
    return Choice.TIE.value if others and others[0][1] == count else first
