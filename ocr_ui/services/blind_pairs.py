"""Pairs of answers that are judged without knowing which is which: numbers and rewards stay here until then."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from ocr_ui.domain.access import Action
from ocr_ui.domain.person import Person
from ocr_ui.domain.recognition import Recognition
from ocr_ui.domain.rollout import Answer, Choice, Judgement, Kind
from ocr_ui.errors import BadInput, NotFound
from ocr_ui.services.access import needs
from ocr_ui.services.rollouts import Rollouts, Shown, looked
from ocr_ui.storage import people
from ocr_ui.storage.records import StoredJudgement
from ocr_ui.storage.store import Store

MOST_OPEN = 10_000
"""Pairs that were handed out and not judged; the oldest are forgotten."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two answers beside each other.

    Attributes:
        token: stands for it until it is judged.
        left, right: what they say; nothing of who said it.
        judged, total: pairs of the rollout that this person has judged, and that there are.
    """

    token: str
    rollout_id: int
    left: Answer
    right: Answer
    judged: int
    total: int


class BlindPairs:
    """Hands out pairs of a rollout that look different, each to a person once, the sides at random.

    Args:
        chance: of the sides and the order.
    """

    def __init__(self, store: Store, rollouts: Rollouts, chance: Random | None = None) -> None:
        self._store, self._rollouts = store, rollouts
        self._chance = chance or Random(secrets.randbits(64))  # noqa: S311 - nobody gains by guessing a side
        self._open: OrderedDict[str, tuple[int, int, int]] = OrderedDict()
        self._skipped: OrderedDict[tuple[int, str, frozenset[int]], None] = OrderedDict()

    @needs(Action.ANNOTATE)
    async def next(self, rollout_id: int, person: Person | None = None, skip: str = "") -> Pair | None:
        """A pair that the person has not judged; None where there is none left.

        Args:
            skip: token of a pair that the person does not want to judge; it comes last from now on.

        Raises:
            NotFound: `unknown_rollout`.
        """
        shown = await self._rollouts.show(rollout_id)
        name = people.clean(person)
        told = await asyncio.to_thread(self._store.rollouts.judgements, rollout_id)
        done = {
            frozenset(one.judgement.order)
            for one in told
            if one.judgement.kind is Kind.PAIR and one.judgement.person == name
        }
        if skip in self._open:
            _, left, right = self._open.pop(skip)
            remember(self._skipped, (rollout_id, name, frozenset((left, right))), None)
        every = list(_different(shown))
        left_over = [pair for pair in every if frozenset(pair) not in done]
        if not left_over:
            return None
        fresh = [pair for pair in left_over if (rollout_id, name, frozenset(pair)) not in self._skipped]
        if not fresh:
            for pair in left_over:
                self._skipped.pop((rollout_id, name, frozenset(pair)), None)
        one, other = self._chance.choice(fresh or left_over)
        if self._chance.random() < 0.5:
            one, other = other, one
        token = secrets.token_urlsafe(12)
        remember(self._open, token, (rollout_id, one, other))
        answers = {answer.number: answer for answer in shown.stored.rollout.answers}
        return Pair(token, rollout_id, answers[one], answers[other], len(every) - len(left_over), len(every))

    @needs(Action.ANNOTATE, audited="pair.judge")
    async def judge(
        self, token: str, choice: str, person: Person | None = None, seconds: float = 0.0
    ) -> tuple[StoredJudgement, tuple[Answer, Answer]]:
        """Keeps what somebody says of a pair, and tells which answers they were, left and right.

        The token is the key of the judgement: sent again after a lost answer, it counts once.

        Raises:
            NotFound: `unknown_pair`. BadInput: `unknown_choice`. StoreFailed.
        """
        if token not in self._open:
            raise unknown_pair()
        said = read_choice(choice)
        rollout_id, left, right = self._open[token]
        name = people.clean(person)
        judged = Judgement(Kind.PAIR, (left, right), said, name, blind=True, seconds=looked(seconds))
        stored = await asyncio.to_thread(self._store.rollouts.judge, rollout_id, judged, token)
        rollout = await asyncio.to_thread(self._store.rollouts.get, rollout_id)
        answers = {answer.number: answer for answer in rollout.rollout.answers}
        return stored, (answers[left], answers[right])


def remember(kept: OrderedDict, key: object, value: object) -> None:
    """Keeps a value, and forgets the oldest of too many."""
    kept[key] = value
    while len(kept) > MOST_OPEN:
        kept.popitem(last=False)


def read_choice(choice: str) -> Choice:
    """Raises BadInput (`unknown_choice`)."""
    try:
        return Choice(choice)
    except ValueError as error:
        allowed = ", ".join(Choice)
        raise BadInput(
            "unknown_choice",
            f"{choice[:80]!r} is not a choice.",
            f"Choose one of: {allowed}.",
            value=choice[:80],
            allowed=allowed,
        ) from error


def unknown_pair() -> NotFound:
    return NotFound("unknown_pair", "This pair is no longer known here.", "Ask for the next one.")


def blind_lines(answer: Answer | Recognition) -> list[str]:
    """All that is shown of an answer while it is judged."""
    content = answer.content
    said = [f"{field.name}: {'' if field.value is None else field.value}" for field in content.fields]
    said += [line.text for line in content.lines] or content.text.split("\n")
    return said if any(one.strip() for one in said) else answer.generation.text.split("\n")


def _different(shown: Shown) -> Iterator[tuple[int, int]]:
    """Numbers of answers that look different beside each other: of those that look the same, the first."""
    firsts: dict[tuple[str, ...], int] = {}
    for answer in _whole(shown.stored.rollout.answers):
        firsts.setdefault(tuple(line.strip() for line in blind_lines(answer)), answer.number)
    return itertools.combinations(firsts.values(), 2)


def _whole(answers: Sequence[Answer]) -> Iterator[Answer]:
    return (answer for answer in answers if answer.outcome in ("complete", "cut") and answer.generation.text.strip())
