"""What a running service must do with pages whose text is known, and with files that are no pictures."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.truth import Truth
from ocr_ui.errors import BadInput
from ocr_ui.imports.known_pages import known_pages
from ocr_ui.scoring.facts import read_fact
from ocr_ui.scoring.metrics import METRIC, score_page, value
from ocr_ui.scoring.text import LENIENT

LARGE_SIDE = 60_000
"""Pixels of a side of a picture that is larger than any service should take."""


@dataclass(frozen=True, slots=True)
class Check:
    """One request, and what must come of it.

    Attributes:
        name: in plain words, for people.
        file: the bytes that are sent.
        task: that the engine must be able to do; None where the request is refused by any engine.
        measure: key of `scoring.metrics.METRIC` by which the reading is judged, right up to (or from) `bound`.
        codes: of the errors that are right; none where the page must be read.
    """

    name: str
    file: bytes
    template: str
    task: Task | None = None
    truth: Truth = field(default_factory=Truth)
    measure: str = ""
    bound: float = 0.0
    codes: tuple[str, ...] = ()

    def judged(self, read: Mapping[str, Any]) -> tuple[bool, str]:
        """Whether an answer of `POST /v1/ocr` is right, and why in words."""
        if self.codes:
            return False, f"taken, although it must be refused ({' or '.join(self.codes)})"
        if read.get("outcome") != "complete":
            return False, f"the answer ended as {read.get('outcome')!r}"
        content = PageContent.from_dict({name: read[name] for name in ("lines", "fields", "tables", "text")})
        part = score_page(self.truth, content, self.task or Task.SPOTTING, LENIENT).get(self.measure)
        if part is None:
            return False, "nothing in the answer can be compared"
        metric, found = METRIC[self.measure], value(part)
        right = found <= self.bound if metric.lower else found >= self.bound
        return right, f"{metric.name} {found:.3f}, {'at most' if metric.lower else 'at least'} {self.bound}"

    def refused(self, status: int, code: str) -> tuple[bool, str]:
        """Whether an error is the right answer, and why in words."""
        told = f"refused with {status} {code}"
        return (code in self.codes and 400 <= status < 500), told


_PAGES = (
    ("page", "invoice", "full_text", Task.SPOTTING, "cer", 0.2),
    ("long receipt", "long_receipt", "full_text", Task.SPOTTING, "cer", 0.1),
    ("table", "table", "table", Task.TABLE, "teds", 0.8),
    ("formula", "formula_page", "formula", Task.FORMULA, "formula_distance", 0.4),
    ("bad scan", "bad_scan", "full_text", Task.SPOTTING, "cer", 0.2),
)


def checks(examples: Path) -> list[Check]:
    """Five pages of the examples and five bad inputs.

    Args:
        examples: the folder of the pictures that come with the product.

    Raises:
        BadInput: `nothing_labelled` where the folder lacks one of them; those of `known_pages`.
    """
    known = {page.name: page for page in known_pages(examples, read_fact)}
    missing = [name for _, name, *_ in _PAGES if name not in known or not known[name].picture.is_file()]
    if missing:
        raise BadInput(
            "nothing_labelled",
            f"{examples} has no picture {missing[0]!r} whose text is known.",
            "Name the folder of the product's examples: --examples DIR.",
            data=str(examples),
        )
    pages = []
    for name, example, template, task, measure, bound in _PAGES:
        page = known[example]
        told = (page.picture.read_bytes(), template)
        pages.append(Check(name, *told, task, page.truth, measure, bound))
    return [*pages, *_bad_inputs(pages[-1])]


def _bad_inputs(picture: Check) -> list[Check]:
    side = LARGE_SIDE
    return [
        Check("no picture", b"This is no picture.\n" * 20, "full_text", codes=("not_a_picture",)),
        Check("empty file", b"", "full_text", codes=("empty_file",)),
        Check("broken picture", _png(100, 100, b"none"), "full_text", codes=("damaged",)),
        Check(
            f"{side} x {side} pixels",
            _png(side, side, zlib.compress(bytes(side + 1) * 10)),
            "full_text",
            codes=("too_many_pixels", "too_long"),
        ),
        Check("unknown template", picture.file, "no_such_template", codes=("template_not_found",)),
    ]


def _png(width: int, height: int, data: bytes) -> bytes:
    """A file that says it is a grey picture of this size, whatever `data` unpacks to."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    parts = (struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d)) for t, d in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
