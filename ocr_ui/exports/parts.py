"""A page as paragraphs and tables, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Iterator

from ocr_ui.domain.content import PageContent, Table


def parts(content: PageContent) -> Iterator[str | Table]:
    """Paragraphs and tables in reading order."""
    if any(line.quad for line in content.lines):
        yield from (line.text for line in content.lines)
        yield from content.tables
        return
    rest, later = content.text or "\n".join(line.text for line in content.lines), []
    for table in content.tables:
        if not table.html or table.html not in rest:
            later.append(table)
            continue
        before, _, after = rest.partition(table.html)
        yield from _paragraphs(before)
        yield table
        rest = after
    yield from _paragraphs(rest)
    yield from later


def _paragraphs(text: str) -> list[str]:
    stripped = text.strip("\n")
    return stripped.split("\n") if stripped else []
