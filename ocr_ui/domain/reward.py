"""A score of an answer against a label."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reward:
    """One named score with its reason in words; `value` is None where the rule gives nothing."""

    name: str
    value: float | None
    reason: str
