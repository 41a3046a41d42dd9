"""Two ways to read, both in daily use: a share of the pictures goes to the other one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum

_SPACE = 1 << 64
HIDDEN = "A/B"
"""In the place of the engine of a reading whose arm is not told yet."""


class Arm(StrEnum):
    A = "A"
    """As before."""
    B = "B"
    """The other template or engine."""

    @property
    def other(self) -> Arm:
        return Arm.B if self is Arm.A else Arm.A


@dataclass(frozen=True, slots=True)
class Experiment:
    """What is compared.

    Attributes:
        name: for people.
        template, version: A: the template whose readings take part, in the version that was in use at the start.
        engine: readings by this engine alone take part; "" for any.
        other_template, other_version: B.
        other_engine: B's; "" for the one that was asked.
        share: of the pictures that go to B, 0 to 1.
        salt: makes the assignment another one than that of every other experiment.
    """

    name: str
    template: str
    version: str
    engine: str
    other_template: str
    other_version: str
    other_engine: str
    share: float
    salt: str

    def arm_of(self, sha256: str) -> Arm:
        """The arm of a picture: the same one each time. A larger share leaves those in B that were there."""
        return Arm.B if place(self.salt, sha256) < self.share * _SPACE else Arm.A

    def template_of(self, arm: Arm) -> tuple[str, str]:
        """Name and version."""
        return (self.template, self.version) if arm is Arm.A else (self.other_template, self.other_version)


def place(salt: str, sha256: str) -> int:
    """Where a picture stands among all that there can be: 0 to 2 ** 64 - 1, evenly spread."""
    return int.from_bytes(hashlib.sha256(f"{salt}:{sha256}".encode()).digest()[:8], "big")
