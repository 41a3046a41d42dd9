"""JSON text that keeps every string as it is and that any reader of UTF-8 and of lines can take."""

from __future__ import annotations

import json
import re
from typing import Any

_UNSAFE = re.compile("[\ud800-\udfff\u0085\u2028\u2029\x7f]")
_NOT_STORABLE = re.compile("[\ud800-\udfff\x00]")


def dumps(value: Any) -> str:
    """One line of JSON, letters as they are, keys in the order given.

    Escaped are the characters that JSON allows in a string and that break others: lone surrogates (not encodable as
    UTF-8) and the line ends U+0085, U+2028 and U+2029, at which `str.splitlines` and some readers of JSON Lines cut.

    Raises:
        ValueError: a number that JSON does not have (NaN, infinity).
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def storable(text: str) -> str:
    """The text with U+FFFD for what a database or a UTF-8 file cannot hold: lone surrogates and NUL."""
    return _NOT_STORABLE.sub("\ufffd", text)
