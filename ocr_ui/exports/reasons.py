"""Why an item is not in the data: a code for sentences in other languages, and the English one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Reason:
    """Attributes: message: goes on from "left out, since"; details: values that it speaks of."""

    code: str
    message: str
    details: dict[str, Any] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return self.message


NO_PICTURE = Reason("no_picture", "the picture is missing")


class LeftOut(Exception):
    """The item does not go into the data."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.message)
        self.reason = reason


class NoLabel(LeftOut):
    """The item has no label, or none that can be used; the reason says what would give it one."""
