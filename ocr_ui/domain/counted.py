"""Numbers of things in words: `1 page`, `3 pages`."""

from __future__ import annotations

import re

_BLANK = re.compile(r"\{(\w+)(?:\|([^{}|]*)\|([^{}|]*))?\}")


def counted(number: int, one: str, many: str = "") -> str:
    """Args:
    one: what goes with one of them. many: with none or several, where it is not `one` with an s.
    """
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def blanks(text: str) -> set[str]:
    """Names of the {placeholders} of a text that `fill` fills."""
    return {match[1] for match in _BLANK.finditer(text)}


def fill(text: str, /, **values: object) -> str:
    """`text` with its {placeholders} filled, and with {pages|page|pages} as `counted` has it; braces without a value
    stay as they are. `fillIn` of page/dom.mjs does the same in the page."""

    def filled(match: re.Match[str]) -> str:
        name, one, many = match.groups()
        if name not in values:
            return match[0]
        value = str(values[name])
        return value if one is None else f"{value} {one if value == '1' else many}"

    return _BLANK.sub(filled, text)
