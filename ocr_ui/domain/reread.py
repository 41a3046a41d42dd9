"""A box of a page that was read anew, and which of its lines no later run may overwrite."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ocr_ui.domain.content import TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.recognition import EngineName


@dataclass(frozen=True, slots=True)
class Reread:
    """Attributes:
    quad: as it was asked for, in pixels of the stored picture.
    text: the engine's answer as it came.
    lines: what it came to, in pixels of the stored picture, each under the id that it has in the page.
    outcome: one of `ocr_ui.domain.recognition.OUTCOMES`.
    """

    quad: Quad
    engine: EngineName
    template: str
    template_version: str
    outcome: str
    seconds: float
    text: str
    lines: tuple[TextLine, ...]


def written_by_person(line: TextLine, readings: Iterable[Iterable[TextLine]]) -> bool:
    """Whether no engine has ever said that this line says so: a person wrote it, and no run may overwrite it.

    Known by comparing, not by a mark: a text that goes back to what an engine read is the engine's again. A line
    without text is nobody's.

    Args:
        readings: the lines of the first reading, and of each box that was read anew.
    """
    if not line.text.strip():
        return False
    return not any(other.id == line.id and other.text == line.text for lines in readings for other in lines)
