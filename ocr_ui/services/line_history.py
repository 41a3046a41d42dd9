"""Who or what wrote a line, and when: from the first reading, the boxes read anew, and the stored versions."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.recognition import EngineName
from ocr_ui.services.access import needs
from ocr_ui.services.annotate import Annotator
from ocr_ui.storage.records import StoredCorrection
from ocr_ui.storage.store import Store


@dataclass(frozen=True, slots=True)
class Entry:
    """One time that a line was written.

    Attributes:
        kind: "read" by an engine, "reread" by one, "saved" by a person, "deleted" by one.
        text: what it said then; None where it was deleted.
        person: who saved it or asked for it, "" where nobody gave a name.
        version: of the correction; 0 for an engine's.
        engine, template: of a reading.
        moved: its box was another one before.
    """

    kind: str
    at: datetime
    text: str | None
    person: str = ""
    version: int = 0
    engine: EngineName | None = None
    template: str = ""
    moved: bool = False


class LineHistory:
    def __init__(self, store: Store, annotator: Annotator) -> None:
        self._store, self._annotator = store, annotator

    @needs(Action.READ)
    async def of(self, recognition_id: int, line_id: str) -> list[Entry]:
        """All that is stored of a line, oldest first; empty for a line that was never stored.

        Raises:
            NotFound: `unknown_recognition`.
        """
        return await asyncio.to_thread(self._of, recognition_id, line_id)

    def _of(self, recognition_id: int, line_id: str) -> list[Entry]:
        with self._store.one_moment():
            item = self._annotator.open_now(recognition_id)
            versions = self._store.corrections.versions(recognition_id)
        recognition = item.recognition.recognition
        first = _line(recognition.content, line_id)
        entries: list[Entry] = []
        if first:
            engine, template = recognition.engine, recognition.prompt.template
            read_by = item.recognition.person
            entries.append(
                Entry("read", item.recognition.created_at, first.text, read_by, engine=engine, template=template)
            )
        for one in item.rereads:
            value = one.reread
            entries += [
                Entry("reread", one.created_at, line.text, one.person, engine=value.engine, template=value.template)
                for line in value.lines
                if line.id == line_id
            ]
        before = first
        for stored in versions:
            now = _line(stored.correction.content, line_id)
            if _said(now) != _said(before):
                entries.append(_saved(stored, before, now))
            before = now
        return sorted(entries, key=lambda entry: entry.at)


def _line(content: PageContent, line_id: str) -> TextLine | None:
    return next((line for line in content.lines if line.id == line_id), None)


def _said(line: TextLine | None) -> tuple[str, Quad | None] | None:
    return line and (line.text, line.quad)


def _saved(stored: StoredCorrection, before: TextLine | None, now: TextLine | None) -> Entry:
    at, person, version = stored.saved_at, stored.correction.person, stored.correction.version
    if now is None:
        return Entry("deleted", at, None, person, version)
    return Entry("saved", at, now.text, person, version, moved=before is not None and before.quad != now.quad)


def entry_value(entry: Entry) -> dict[str, Any]:
    """As JSON values."""
    engine = entry.engine
    return {
        "kind": entry.kind,
        "at": entry.at.isoformat(),
        "text": entry.text,
        "person": entry.person,
        "version": entry.version,
        "engine": engine and engine.title,
        "model": engine and engine.model,
        "revision": engine and engine.revision,
        "template": entry.template,
        "moved": entry.moved,
    }
