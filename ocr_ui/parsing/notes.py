"""What a person should know about a parsed answer, collected while it is read."""

from __future__ import annotations

from typing import Any

from ocr_ui.domain.content import ContentWarning

SENTENCES: dict[str, str] = {
    "truncated": "The answer was cut off; what was complete is kept.",
    "repeated": "The model repeated itself; the repetition is left out here and kept in the raw answer.",
    "clamped": "A coordinate lay outside the picture and was moved to its edge.",
    "reversed": "The corners of a box were in the wrong order and were put right.",
    "degenerate": "A box has no width or no height.",
    "bad_box": "The box could not be read; the text is kept without one.",
    "unparsed": "A part of the answer does not have the expected form and is kept as plain text.",
    "duplicate_key": "A name occurs more than once with different values; the last one is shown.",
    "repaired": "The answer was not well formed and was repaired.",
    "empty": "No text was found.",
    "mixed_format": "The answer mixes several output formats.",
    "ragged": "The rows of a table do not have the same number of cells.",
    "limit": "A part of the answer is larger than what is read.",
}
"""The sentence of each code where nothing more precise is known."""

MOST_PER_CODE = 200
"""Warnings of one code that are kept one by one; the rest would bury the page (five thousand bad boxes, say)."""


class Notes:
    """Collects warnings in order, each (code, message, line) once."""

    def __init__(self) -> None:
        self._notes: dict[tuple[str, str, int | None], dict[str, Any]] = {}
        self._counts: dict[str, int] = {}

    def add(self, code: str, message: str = "", line: int | None = None, **details: Any) -> None:
        note = (code, message or SENTENCES[code], line)
        if note in self._notes or self._counts.get(code, 0) >= MOST_PER_CODE:
            return
        self._notes[note] = details
        self._counts[code] = self._counts.get(code, 0) + 1

    def fork(self) -> Notes:
        """An independent copy."""
        other = Notes()
        other._notes, other._counts = self._notes.copy(), self._counts.copy()
        return other

    def __contains__(self, code: str) -> bool:
        return code in self._counts

    def warnings(self) -> tuple[ContentWarning, ...]:
        return tuple(ContentWarning(*note, details) for note, details in self._notes.items())
