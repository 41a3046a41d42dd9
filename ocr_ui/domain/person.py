"""Who works here: a name that is typed, until logins come."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    name: str
