"""What people make of a recognition. The only lists of verdicts, states and error kinds stand here."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ocr_ui.domain.content import PageContent
from ocr_ui.errors import BadInput


class Verdict(StrEnum):
    """Is what the model read right?"""

    RIGHT = "right"
    WRONG = "wrong"


class State(StrEnum):
    """Where an item stands in the review."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    SUBMITTED = "submitted"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    SKIPPED = "skipped"


MOVES: dict[State, frozenset[State]] = {
    State.PENDING: frozenset({State.IN_PROGRESS, State.SUBMITTED, State.REJECTED, State.SKIPPED}),
    State.IN_PROGRESS: frozenset({State.PENDING, State.SUBMITTED, State.REJECTED, State.SKIPPED}),
    State.SUBMITTED: frozenset({State.IN_PROGRESS, State.SUBMITTED, State.ACCEPTED, State.REJECTED, State.SKIPPED}),
    State.ACCEPTED: frozenset({State.IN_PROGRESS, State.SUBMITTED, State.REJECTED}),
    State.REJECTED: frozenset({State.IN_PROGRESS, State.SUBMITTED, State.ACCEPTED, State.SKIPPED}),
    State.SKIPPED: frozenset({State.PENDING, State.IN_PROGRESS, State.SUBMITTED}),
}
"""From each state, the states that may follow."""


REVIEWED = (State.SUBMITTED, State.ACCEPTED, State.REJECTED)
"""States in which somebody has judged the item."""


class ErrorKind(StrEnum):
    """What kind of mistake the model made."""

    MISSING_LINE = "missing_line"
    INVENTED_LINE = "invented_line"
    WRONG_CHARACTER = "wrong_character"
    LOOK_ALIKE = "look_alike"
    WRONG_ORDER = "wrong_order"
    BOX_OFF = "box_off"
    FORMAT_BROKEN = "format_broken"
    REPEATED = "repeated"
    OTHER = "other"


def check_move(old: State, new: State) -> None:
    """Raises BadInput where `new` may not follow `old`."""
    if old != new and new not in MOVES[old]:
        raise BadInput(
            "state_not_allowed",
            f"An item that is {old.value} cannot become {new.value}.",
            f"Allowed: {', '.join(sorted(MOVES[old]))}.",
            old=old.value,
            new=new.value,
        )


@dataclass(frozen=True, slots=True)
class Correction:
    """A page as a person says it is. A new edit is a new Correction with the next version.

    Attributes:
        content: the whole page in the person's version.
        version: 1 for the first correction of a recognition.
        person: the name typed.
        edit_distance: Levenshtein distance in characters between the model's lines and these.
        cer: that distance divided by the characters of the corrected text (0 where both are empty).
    """

    content: PageContent
    version: int
    person: str
    edit_distance: int = 0
    cer: float = 0.0


@dataclass(frozen=True, slots=True)
class Review:
    """The verdict on a recognition, as of one correction version (0: the model's own output)."""

    verdict: Verdict | None = None
    state: State = State.PENDING
    error_kinds: tuple[ErrorKind, ...] = ()
    note: str = ""
    person: str = ""
    correction_version: int = 0
    tags: tuple[str, ...] = field(default=())
