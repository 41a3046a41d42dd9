r"""Backslashes in JSON strings that a model wrote.

A model copies LaTeX and paths into JSON without doubling their backslashes. Some of these are no JSON escapes
(``\alpha``), some are and damage the text without an error: ``\frac`` holds a form feed, ``\beta`` a backspace,
``C:\temp`` a tab. A control character made by an escape is therefore suspect, and the backslash is kept.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[A-Za-z]+|.|$)", re.DOTALL)
_PAIR = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_SIMPLE = {'"': '"', "'": "'", "/": "/", "“": "“", "”": "”", "‘": "‘", "’": "’"}
_CONTROL = {"n": "\n", "t": "\t", "r": "\r"}
_HEX = re.compile(r"u[0-9a-fA-F]{4}")
_PATH = re.compile(r"(?:^|[\s\"'(])[A-Za-z]:\\(?!u[0-9a-fA-F]{4})[A-Za-z0-9_.]")
_MATHS = re.compile(r"[$^{}]|_[{A-Za-z0-9]|\\[({\[]")
SUSPECT = re.compile(r"(?<!\\)(?:\\\\)*\\(?:[bf]|[tnr](?=[A-Za-z])|u(?![0-9a-fA-F]{4}))")
"""Finds a string that strict JSON reads, but perhaps wrongly."""

_COMMANDS = (
    "neq neg nabla newline notin nonumber normalsize nsubseteq nparallel nmid nleq ngeq nexists nrightarrow nolimits "
    "not noindent tag text textbf textit textrm textsf texttt textstyle textcircled tau tan tanh theta times tilde "
    "tfrac therefore thicksim thickapprox thinspace to top triangle triangleq triangleleft triangleright "
    "twoheadrightarrow rho right rightarrow rightleftharpoons rangle rceil rfloor rm real rbrace rbrack rvert"
)
_SURE = frozenset(_COMMANDS.split())
_IN_MATHS = frozenset({"ne", "ni", "nu", "tg"})
"""Read as commands only where the rest of the string is LaTeX: a line feed before ``u`` is as likely as ``\\nu``."""


def decode(raw: str) -> tuple[str, bool]:
    """The text of what stands between the quotes, and whether backslashes were kept that JSON would have eaten."""
    if "\\" not in raw:
        return raw, False
    literal = _PATH.search(raw) is not None
    undoubled = _has_commands(raw)
    maths = undoubled or _MATHS.search(raw) is not None
    kept = False

    def replace(found: re.Match[str]) -> str:
        nonlocal kept
        if found[1] == "\\" and undoubled and not literal:
            row = not raw[found.end() : found.end() + 2].isalpha()
            return "\\\\" if row else "\\"
        text, keep = _one(found[1], literal, maths)
        kept = kept or keep
        return text

    raw = _PAIR.sub(lambda pair: chr(_code_point(pair[1], pair[2])), raw)
    return _ESCAPE.sub(replace, raw), kept


def _one(body: str, literal: bool, maths: bool) -> tuple[str, bool]:
    r"""One escape: `body` is what follows the backslash, letters taken together."""
    if body in _SIMPLE:
        return _SIMPLE[body], False
    if body == "\\":
        return "\\", False
    if _HEX.fullmatch(body[:5]) and not literal:
        return chr(int(body[1:5], 16)) + body[5:], False
    if body[:1] in _CONTROL and not literal and not _is_command(body, maths):
        return _CONTROL[body[0]] + body[1:], False
    return "\\" + body, True


def _is_command(body: str, maths: bool) -> bool:
    return body in _SURE or (maths and body in _IN_MATHS)


def _has_commands(raw: str) -> bool:
    r"""The string holds commands whose backslash was not doubled (``\alpha``, ``\frac``)."""
    for found in _ESCAPE.finditer(raw):
        body = found[1]
        if body in _SIMPLE or body == "\\" or _HEX.fullmatch(body[:5]):
            continue
        if body[:1] not in _CONTROL or body in _SURE:
            return True
    return False


def _code_point(high: str, low: str) -> int:
    return 0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00)
