"""The lines of a spotting answer while they are collected, with what has to be told about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ocr_ui.domain.content import TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.parsing.coordinates import place
from ocr_ui.parsing.notes import Notes

OVERLAP = 0.3
DRIFTS = 8
"""So many lines in a row with one text, each overlapping the one before by so much (intersection over union)."""


@dataclass(frozen=True, slots=True)
class Box:
    """Coordinates as read: None where they cannot be; `cut` where the answer ended inside them."""

    values: list[float] | None
    codes: tuple[str, ...] = ()
    cut: bool = False


@dataclass(slots=True)
class Lines:
    """Lines so far with what is known about them. `fork` shares the lines: cheap, for a look ahead."""

    size: tuple[int, int]
    lines: list[TextLine] = field(default_factory=list)
    notes: Notes = field(default_factory=Notes)
    offset: int = 0
    before: dict[Any, int] = field(default_factory=dict)
    seen: dict[Any, int] = field(default_factory=dict)
    drifting: int = 0

    @property
    def count(self) -> int:
        return self.offset + len(self.lines)

    def fork(self) -> Lines:
        return Lines(self.size, [], Notes(), self.offset + len(self.lines), self.seen)

    def add(self, text: str, box: Box | None, *codes: str) -> None:
        if box is not None and box.cut:
            box = None
        if box is None and not codes:
            # The short way for texts of nothing but lines, which may have hundreds of thousands.
            if text.strip():
                self.drifting = 0
                self.lines.append(TextLine(text))
            return
        reading = None if box is None else place(box.values, self.size)
        quad = reading and reading.quad
        line = self.offset + len(self.lines)
        found = (*(reading.codes if reading else ()), *(box.codes if box else ()), *codes)
        if quad is None and not text.strip():
            for code in dict.fromkeys(found):
                self.notes.add(code)
            return
        if quad is not None:
            known = self.seen.get((text, quad))
            if known is None and self.before:
                known = self.before.get((text, quad))
            if known is not None:
                self.notes.add("repeated", "The model gave this line more than once, with the same box.", known)
                return
            self.seen[text, quad] = line
        self._watch(text, quad, line)
        self.lines.append(TextLine(text, quad))
        for code in dict.fromkeys(found) if found else ():
            self.notes.add(code, line=line)

    def _watch(self, text: str, quad: Quad | None, line: int) -> None:
        """A text that comes again and again, each time a little further on: no page says that."""
        last = self.lines[-1] if self.lines else None
        if last is not None and last.text == text and last.quad is not None and quad is not None:
            self._drift(line, last.quad.bounds.iou(quad.bounds))
        else:
            self.drifting = 0

    def _drift(self, line: int, overlap: float) -> None:
        self.drifting = self.drifting + 1 if overlap >= OVERLAP else 0
        if self.drifting >= DRIFTS:
            note = "The model gave the same text again and again, with boxes that overlap."
            self.notes.add("repeated", note, line - self.drifting)
