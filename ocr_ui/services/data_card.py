"""Data cards: what a version or a filter holds, written from the data."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.exports import card
from ocr_ui.exports.card import Agreement, Card, Figures
from ocr_ui.services.access import needs
from ocr_ui.services.dataset import as_filters, set_filters, shown_filters
from ocr_ui.services.export import ExportReport
from ocr_ui.services.whole_folders import files_of, move, real, told, work_folder
from ocr_ui.storage.items import Filters
from ocr_ui.storage.store import Store


class DataCards:
    def __init__(self, store: Store) -> None:
        self._store = store

    @needs(Action.READ)
    async def text(self, version: str, licence: str = "", nameless: bool = False) -> str:
        """As `text_now`, off the event loop."""
        return await asyncio.to_thread(self.text_now, version, licence, nameless)

    def text_now(self, version: str, licence: str = "", nameless: bool = False) -> str:
        """The card of a version as Markdown, without its charts. Raises NotFound (`unknown_version`).

        Args: nameless: reviewers are numbered, not named.
        """
        filters = Filters(version=version)
        return card.text(self._card(version, filters, licence, nameless), self._figures(filters, nameless))

    def write_now(self, version: str, folder: Path, licence: str = "", nameless: bool = False) -> tuple[str, ...]:
        """Writes README.md and its charts; gives the names of the files.

        Raises:
            NotFound: `unknown_version`.
            BadInput: `export_failed`, the folder cannot be written.
        """
        filters = Filters(version=version)
        said, figures = self._card(version, filters, licence, nameless), self._figures(filters, nameless)
        folder = real(folder)
        with told(folder), work_folder(folder) as work:
            card.write(work, said, figures)
            files = tuple(files_of(work))
            move(work, folder, own=card.CHARTS, last="README.md")
        return files

    def put_beside(
        self,
        work: Path,
        report: ExportReport,
        name: str,
        filters: Filters | Mapping[str, Any],
        licence: str = "",
        nameless: bool = False,
    ) -> None:
        """Writes the card of an export into its folder. Args: name: of the dataset; a version's own comes first."""
        wanted = as_filters(filters)
        said = self._card(wanted.version or name, wanted, licence, nameless, asdict(report))
        card.write(work, said, self._figures(wanted, nameless))

    def _card(
        self, name: str, filters: Filters, licence: str, nameless: bool, report: Mapping[str, Any] | None = None
    ) -> Card:
        source = _shown(set_filters(filters), nameless)
        if filters.version:
            found = self._store.versions.get(filters.version)
            licence = licence or found.licence
            frozen = {"version": found.name, "frozen at": found.created_at.isoformat(timespec="seconds")}
            frozen |= {"frozen by": found.person} if found.person and not nameless else {}
            chosen = {f"frozen of {key}": value for key, value in _shown(found.filters, nameless).items()}
            source = {**source, **frozen, **chosen, "SHA-256 of the items": found.sha256}
        return Card(name, licence, source, report)

    def _figures(self, filters: Filters, nameless: bool) -> Figures:
        figures = Figures(nameless=nameless)
        for item in self._store.items.each(filters):
            figures.add(item)
        figures.agreement = Agreement(*self._store.items.agreement(filters))
        return figures


def _shown(filters: Mapping[str, Any], nameless: bool) -> dict[str, str]:
    return {key: _written(value) for key, value in shown_filters(filters, nameless).items()}


def _written(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
