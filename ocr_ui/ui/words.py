"""Picks words for a module of the page."""

from __future__ import annotations

_ANY = "any."
"""Begins the keys of what any module may have to say."""


def only(words: dict[str, str], *prefixes: str) -> dict[str, str]:
    """The words whose keys begin with one of the prefixes, for a module that needs no others, and those for any."""
    return {key: text for key, text in words.items() if key.startswith((*prefixes, _ANY))}
