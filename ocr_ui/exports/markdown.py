"""Markdown, a file a document: its pages one after the other, tables as HTML, fields as a table.

What a page says as Markdown stands there as it was read; plain lines are escaped, so that they read as they stand on
the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from ocr_ui.domain.content import Field, PageContent, Table
from ocr_ui.domain.prompt import Task
from ocr_ui.exports.files import Pages
from ocr_ui.exports.parts import parts
from ocr_ui.exports.registry import FolderFormat
from ocr_ui.exports.sample import Notes, Options, Sample

MARKED_UP = (Task.DOCUMENT, Task.TABLE, Task.FORMULA)
"""Tasks whose text is Markdown already."""
_BREAK = "\n\n---\n\n"
_SIGNS = re.compile(r"([\\`*_{}\[\]<>|~$])")
_START = re.compile(r"^(\s*)([#+\-=]|\d+(?=[.)]))")


class Markdown(FolderFormat):
    name = "markdown"
    file_name = "markdown"
    folder = "markdown"

    def fill(self, folder: Path, samples: Iterable[Sample], notes: Notes, options: Options) -> None:
        place = folder / self.folder
        place.mkdir()
        pages = Pages(place)
        for sample in samples:
            pages.place(sample, ".page").write_text(_page(sample), encoding="utf-8", errors="backslashreplace")
        for name, files in pages.documents():
            with (place / f"{name}.md").open("w", encoding="utf-8", newline="\n") as out:
                for number, file in enumerate(files):
                    out.write(_BREAK * bool(number) + file.read_text(encoding="utf-8"))
                out.write("\n")


def _page(sample: Sample) -> str:
    content = sample.label
    marked_up = sample.recognition.prompt.task in MARKED_UP and not any(line.quad for line in content.lines)
    blocks = [content.text.strip("\n")] if marked_up else list(_escaped(content))
    return "\n".join([*blocks, *_fields(content.fields)])


def _escaped(content: PageContent) -> Iterator[str]:
    """Lines end in a backslash, which keeps the next one from running into them."""
    for part, after in pairwise([*parts(content), None]):
        if isinstance(part, Table):
            yield f"\n{part.html}\n"
        else:
            text = _START.sub(_guarded, _SIGNS.sub(r"\\\1", part))
            yield text + ("\\" if text.strip() and isinstance(after, str) and after.strip() else "")


def _guarded(match: re.Match[str]) -> str:
    blank, sign = match.groups()
    return f"{blank}{sign}\\" if sign.isdigit() else f"{blank}\\{sign}"


def _fields(fields: tuple[Field, ...]) -> list[str]:
    if not fields:
        return []
    rows = [f"| {_cell(field.name)} | {_cell(field.value or '')} |" for field in fields]
    return ["", "| | |", "|---|---|", *rows]


def _cell(text: str) -> str:
    return _SIGNS.sub(r"\\\1", " ".join(text.split()))
