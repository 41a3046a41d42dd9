"""Text for files that are XML inside: without the characters that XML forbids."""

from __future__ import annotations

import re

from ocr_ui.exports.sample import Notes

# All but XML 1.0's Char: control characters other than tab and line ends, surrogates, U+FFFE and U+FFFF.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def allowed(text: str, notes: Notes) -> str:
    """The text without forbidden characters; their number is added to the notes."""
    kept, stripped = _FORBIDDEN.subn("", text)
    notes.changes["forbidden_characters_stripped"] += stripped
    return kept
