"""Several answers to one question about one picture: what each is worth, and which of them people prefer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import fmean, pstdev
from typing import Any

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.recognition import EngineName, Generation, PromptUsed

RIGHT_FROM = 0.99
"""A reward from which on an answer counts as right, on the scale from 0 to 1."""
WRONG_UP_TO = 0.01
"""A reward up to which an answer counts as wrong."""
ALIKE_WITHIN = 0.001
"""Rewards that are no further apart say the same of every answer."""


class Mark(StrEnum):
    """What a trainer that compares the answers of one group (GRPO) can learn from them."""

    ALL_RIGHT = "all_right"
    """Nothing: every answer is right."""
    ALL_WRONG = "all_wrong"
    """Nothing: every answer is wrong."""
    ALL_ALIKE = "all_alike"
    """Nothing: every answer has the same reward, neither right nor wrong."""
    INFORMATIVE = "informative"
    UNSCORED = "unscored"
    """Fewer than two answers have a reward."""


class Choice(StrEnum):
    """What somebody says of two answers beside each other."""

    LEFT = "left"
    RIGHT = "right"
    TIE = "tie"
    BOTH_BAD = "both_bad"


class Kind(StrEnum):
    """How a judgement was made."""

    BEST = "best"
    """One answer was picked."""
    RANK = "rank"
    """Answers were put in order, the best first."""
    PAIR = "pair"
    """Two answers were compared."""


@dataclass(frozen=True, slots=True)
class Logprobs:
    """Natural-log probabilities of the tokens of an answer.

    Attributes:
        tokens: how many have one.
        mean, least: of them.
    """

    tokens: int
    mean: float
    least: float


@dataclass(frozen=True, slots=True)
class Worth:
    """What an answer is worth against a label.

    Attributes:
        name: of the rule.
        version: of the rule: of the file or of the product's own code that computes it.
        value: None where the rule gives nothing; -1 where it says that the pair must not be learned from.
    """

    name: str
    version: str
    value: float | None
    reason: str = ""
    code: str = ""
    details: dict[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the answers.

    Attributes:
        number: from 0 on, its index in the request.
        content: what it says, in pixels of the stored picture.
        outcome: as of a recognition.
        logprobs: None where the engine gives none.
        worths: by each rule, the one that training sees first; empty before it was scored.
        edit_distance: to the label, in characters; None before it was scored.
    """

    number: int
    generation: Generation
    outcome: str
    content: PageContent
    logprobs: Logprobs | None = None
    worths: tuple[Worth, ...] = ()
    edit_distance: int | None = None

    @property
    def reward(self) -> float | None:
        """The number that training sees; None where there is none to learn from."""
        value = self.worths[0].value if self.worths else None
        return None if value is None or value < 0 else value


@dataclass(frozen=True, slots=True)
class Spread:
    """Rewards of a group: how many there are, and None for the rest where there are none."""

    count: int
    mean: float | None = None
    std: float | None = None
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True)
class LabelUsed:
    """The label that the answers were scored against.

    Attributes:
        version: of the correction; 0 for the model's own reading.
        judged: somebody has said that it is right; else rewards only tell how far the answers agree with a reading.
        tokens: about how many the label has, by the answers' own tokens for each character; None where nothing is
            known of them.
    """

    version: int
    judged: bool
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Rollout:
    """The answers to one question, asked for at one time.

    Attributes:
        page_sha256: of the stored picture.
        engine, prompt: as of a recognition; the prompt's text and sampling are those that were sent.
        transform: of the stored picture to the copy that was read.
        asked: how many answers were asked for.
        together: they were asked in one request; else one after another.
        seconds: from asking to the last end.
        picture_tokens: of the copy that was read, by the model's own rule.
        prompt_tokens: of the prompt, at most.
        label: None before the answers were scored.
        error: why it ended early, as `errors.noted` gives it.
    """

    page_sha256: str
    engine: EngineName
    prompt: PromptUsed
    answers: tuple[Answer, ...]
    asked: int
    transform: dict[str, Any] = field(default_factory=dict)
    together: bool = True
    seconds: float = 0.0
    picture_tokens: int = 0
    prompt_tokens: int = 0
    label: LabelUsed | None = None
    error: str = ""

    @property
    def spread(self) -> Spread:
        return spread_of(self.answers)

    @property
    def mark(self) -> Mark:
        return mark_of(self.answers)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What somebody says of the answers of a rollout.

    Attributes:
        order: BEST: the one; RANK: numbers of answers, the best first; PAIR: those on the left and on the right.
        choice: of a PAIR.
        blind: whoever judged saw neither rewards nor which answer is which.
        seconds: that it took.
    """

    kind: Kind
    order: tuple[int, ...]
    choice: Choice | None = None
    person: str = ""
    blind: bool = False
    seconds: float = 0.0

    def pairs(self, others: Sequence[int] = ()) -> list[tuple[int, int]]:
        """(better, worse) numbers that it says. `others`: all numbers, which a BEST is better than."""
        if self.kind is Kind.BEST:
            return [(self.order[0], other) for other in others if other != self.order[0]]
        if self.kind is Kind.RANK:
            return [(one, other) for place, one in enumerate(self.order) for other in self.order[place + 1 :]]
        left, right = self.order
        return {Choice.LEFT: [(left, right)], Choice.RIGHT: [(right, left)]}.get(self.choice, [])  # type: ignore[call-overload]


def spread_of(answers: Sequence[Answer]) -> Spread:
    values = [answer.reward for answer in answers if answer.reward is not None]
    if not values:
        return Spread(0)
    return Spread(len(values), fmean(values), pstdev(values), min(values), max(values))


def mark_of(answers: Sequence[Answer]) -> Mark:
    found = spread_of(answers)
    if found.count < 2 or found.least is None or found.most is None:
        return Mark.UNSCORED
    if found.least >= RIGHT_FROM and (found.most <= 1 or found.most - found.least <= ALIKE_WITHIN):
        return Mark.ALL_RIGHT
    if found.most <= WRONG_UP_TO:
        return Mark.ALL_WRONG
    return Mark.ALL_ALIKE if found.most - found.least <= ALIKE_WITHIN else Mark.INFORMATIVE
