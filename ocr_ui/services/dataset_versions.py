"""Versions of the dataset: a filter frozen under a name, with a checksum, and what was exported when.

A version keeps of each item which correction and which review it had; both stay in the store for ever, so that later
edits change nothing of what a version exports. It is not renamed or changed, and deleted only while nothing was
exported from it: whoever has data of that name can always ask what it was.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.person import Person
from ocr_ui.domain.version import VERSION
from ocr_ui.errors import BadInput
from ocr_ui.services.access import needs
from ocr_ui.services.dataset import as_filters, set_filters
from ocr_ui.storage.items import Filters
from ocr_ui.storage.records import LoggedExport, StoredVersion
from ocr_ui.storage.store import Store

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", re.ASCII)
LONGEST_LICENCE = 200


class DatasetVersions:
    def __init__(self, store: Store) -> None:
        self._store = store

    @needs(Action.REVIEW, audited="version.freeze")
    async def freeze(
        self,
        name: str,
        filters: Filters | Mapping[str, Any] | None = None,
        licence: str = "",
        person: str = "",
    ) -> StoredVersion:
        """As `freeze_now`, off the event loop."""
        return await asyncio.to_thread(self.freeze_now, name, filters, licence, person)

    def freeze_now(
        self,
        name: str,
        filters: Filters | Mapping[str, Any] | None = None,
        licence: str = "",
        person: str = "",
    ) -> StoredVersion:
        """Keeps what the filters find at this moment as a version.

        Args:
            licence: of the data, as the hub names licences (cc-by-4.0) or in words; may be empty.

        Raises:
            BadInput: `bad_version_name`, `bad_licence`, `nothing_to_freeze`, and those of
                `ocr_ui.services.dataset.read_filters`.
            Conflict: `version_exists`.
            NotFound: `unknown_version`, of the filters.
            StoreFailed: the store cannot be written.
        """
        _check(name, licence)
        wanted = as_filters(filters)
        self._store.versions.check_free(name)
        marks, digest = [], hashlib.sha256()
        for mark in self._store.items.marks(wanted):
            marks.append((mark.id, mark.correction_version, mark.review_revision))
            digest.update(f"{mark.id} {mark.correction_version} {mark.sha256}\n".encode())
        if not marks:
            raise BadInput("nothing_to_freeze", "No item matches; nothing was frozen.", "Widen the filter.")
        who = Person(person) if person.strip() else None
        return self._store.versions.add(
            name, marks, digest.hexdigest(), set_filters(wanted), licence.strip(), VERSION, who
        )

    @needs(Action.READ)
    async def list(self) -> list[StoredVersion]:
        """All versions, the newest first."""
        return await asyncio.to_thread(self._store.versions.list)

    @needs(Action.READ)
    async def get(self, name: str) -> StoredVersion:
        """Raises NotFound (`unknown_version`)."""
        return await asyncio.to_thread(self._store.versions.get, name)

    @needs(Action.REVIEW, audited="version.delete")
    async def delete(self, name: str) -> None:
        """Raises NotFound (`unknown_version`), Conflict (`version_exported`)."""
        await asyncio.to_thread(self._store.versions.delete, name)

    @needs(Action.READ)
    async def exports(self, name: str = "", limit: int = 50) -> Sequence[LoggedExport]:
        """The newest exports first, of one version or of all. Raises NotFound (`unknown_version`)."""
        return await asyncio.to_thread(self._store.versions.exports, name, limit)


def version_value(version: StoredVersion) -> dict[str, Any]:
    """As JSON, for the command line and for REST."""
    values = {name: value for name, value in asdict(version).items() if name != "id"}
    return {**values, "created_at": version.created_at.isoformat(timespec="seconds")}


def export_value(logged: LoggedExport) -> dict[str, Any]:
    return {**asdict(logged), "created_at": logged.created_at.isoformat(timespec="seconds")}


def _check(name: str, licence: str) -> None:
    if not _NAME.fullmatch(name):
        raise BadInput(
            "bad_version_name",
            f"{name[:100]!r} cannot name a version.",
            "Use up to 80 letters, digits, dots, underscores and hyphens; begin with a letter or digit.",
            name=name[:100],
        )
    if len(licence) > LONGEST_LICENCE or "\n" in licence:
        raise BadInput(
            "bad_licence",
            f"A licence is one line of at most {LONGEST_LICENCE} characters.",
            "Write its short name, such as cc-by-4.0, or the address of its text.",
            limit=LONGEST_LICENCE,
        )
