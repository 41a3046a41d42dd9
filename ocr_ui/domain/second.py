"""A page reviewed by a second person, and how far the two agree."""

from __future__ import annotations

from dataclasses import dataclass

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.review import ErrorKind, Verdict


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two people say the same of one page.

    Attributes:
        cer: edit distance of the two texts divided by the characters of the longer, 0..1; the same either way round.
        box_f1: of the boxes that overlap by 0.5 (intersection over union) or more; None where neither has boxes.
        fields: share of the fields with the same value; None where neither has fields.
        differing: lines, fields, tables or passages in which they differ.
    """

    cer: float
    box_f1: float | None
    fields: float | None
    differing: int


@dataclass(frozen=True, slots=True)
class SecondReview:
    """Attributes:
    person: the name typed; never that of the first reviewer.
    blind: whether the person saw the model's output alone; otherwise the first review was visible.
    first_version, first_person, first_verdict: the review that this one stands beside; version 0 is the model's output.
    disputed: the two differ in the page or in the verdict.
    """

    content: PageContent
    person: str
    blind: bool
    first_version: int
    first_person: str
    first_verdict: Verdict | None
    agreement: Agreement
    disputed: bool
    verdict: Verdict | None = None
    error_kinds: tuple[ErrorKind, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """What becomes of a part in which two people differ: `take` is first, second or own; `text` is that of own."""

    take: str
    text: str = ""
