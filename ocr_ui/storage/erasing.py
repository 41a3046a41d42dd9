"""Removes items for good: their rows, what other rows say of their text, and what the search knows of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, Select, delete, exists, select, update

from ocr_ui.domain.job import TaskState
from ocr_ui.errors import Conflict
from ocr_ui.storage import search
from ocr_ui.storage.database import Database
from ocr_ui.storage.evaluation_quotes import GONE, forget_readings, forget_results
from ocr_ui.storage.numbers import keep_last_numbers
from ocr_ui.storage.recognitions import unknown
from ocr_ui.storage.tables import (
    dataset_item,
    dataset_version,
    document,
    job,
    job_file,
    job_task,
    metadata,
    page,
    recognition,
)

_AT_WORK = (TaskState.WAITING.value, TaskState.RUNNING.value)


@dataclass(frozen=True, slots=True)
class Erased:
    """What is gone from the database, and what files nobody needs any more.

    Attributes:
        items: their number.
        pictures, uploads: sha256.
        versions: names of the frozen versions that lack items now.
    """

    items: int
    pictures: tuple[str, ...]
    uploads: tuple[str, ...]
    versions: tuple[str, ...]


class Erasing:
    def __init__(self, database: Database) -> None:
        self._database = database

    def erase(self, items: Sequence[int], even_frozen: bool = False) -> Erased:
        """Removes items with all that hangs on them, and pages and documents that have no other reading; all or none.

        Args:
            even_frozen: of frozen versions too, which then say how many of their items are gone.

        Raises:
            NotFound: `unknown_recognition`. StoreFailed.
            Conflict: `item_frozen` (details: versions, items).
        """
        wanted = list(dict.fromkeys(items))
        with self._database.writing() as connection:
            pages = _pages(connection, wanted)
            versions = _leave_versions(connection, wanted, even_frozen)
            search.remove(connection, wanted)
            keep_last_numbers(connection)
            _erase(connection, recognition.c.id, wanted)
            pictures, uploads = _erase_pages(connection, pages)
            forget_readings(connection, pictures)
            forget_results(connection, wanted)
        return Erased(len(wanted), tuple(pictures), tuple(uploads), versions)

    def unused(self, sha256: str) -> bool:
        """No page has this picture."""
        with self._database.reading() as connection:
            return connection.scalar(select(page.c.id).where(page.c.sha256 == sha256).limit(1)) is None


def _pages(connection: Connection, items: list[int]) -> list[int]:
    """The pages of the items. Raises NotFound where an item is not there."""
    found = dict(
        connection.execute(select(recognition.c.id, recognition.c.page_id).where(recognition.c.id.in_(items))).all()  # type: ignore[arg-type]
    )
    for item in items:
        if item not in found:
            raise unknown(item)
    return sorted(set(found.values()))


def _leave_versions(connection: Connection, items: list[int], even_frozen: bool) -> tuple[str, ...]:
    frozen = select(dataset_item.c.version_id, dataset_item.c.recognition_id).where(
        dataset_item.c.recognition_id.in_(items)
    )
    rows = connection.execute(frozen).all()
    numbers = sorted({row.version_id for row in rows})
    query = select(dataset_version.c.name).where(dataset_version.c.id.in_(numbers)).order_by(dataset_version.c.id)
    names = tuple(connection.scalars(query))
    if names and not even_frozen:
        held = len({row.recognition_id for row in rows})
        raise Conflict(
            "item_frozen",
            f"{held} of these items stand in the frozen versions {', '.join(names)[:200]}; nothing was deleted.",
            "Delete them from the versions too, which then say how many items they lack.",
            versions=", ".join(names)[:200],
            items=held,
        )
    for number in numbers:
        count = sum(row.version_id == number for row in rows)
        gone = {"removed": dataset_version.c.removed + count}
        connection.execute(update(dataset_version).where(dataset_version.c.id == number).values(gone))
    return names


def _erase(connection: Connection, key: Column[Any], values: Sequence[Any] | Select) -> None:
    """Deletes the rows with these values of a column, and first all rows that point to them; a column that may be empty
    is emptied instead."""
    rows = key.in_(values)
    for table in metadata.sorted_tables:
        for foreign in table.foreign_keys:
            if foreign.column.table is not key.table:
                continue
            theirs = values if foreign.column is key else select(foreign.column).where(rows)
            if foreign.parent.nullable:
                there = foreign.parent.in_(theirs)
                connection.execute(update(table).where(there).values({foreign.parent.name: None}))
            else:
                _erase(connection, foreign.parent, theirs)
    connection.execute(delete(key.table).where(rows))


def _erase_pages(connection: Connection, pages: list[int]) -> tuple[list[str], list[str]]:
    """Removes those of the pages that nobody has read otherwise; gives the pictures and the files that are not needed
    any more."""
    read = exists().where(recognition.c.page_id == page.c.id)
    query = select(page.c.id, page.c.document_id, page.c.sha256).where(page.c.id.in_(pages), ~read)
    gone = connection.execute(query).all()
    _erase(connection, page.c.id, [row.id for row in gone])
    documents = sorted({row.document_id for row in gone})
    left = exists().where(page.c.document_id == document.c.id)
    empty = list(connection.scalars(select(document.c.id).where(document.c.id.in_(documents), ~left)))
    uploads = _forget_files(connection, empty)
    _erase(connection, document.c.id, empty)
    shown = {row.sha256 for row in gone}
    used = set(connection.scalars(select(page.c.sha256).where(page.c.sha256.in_(shown))))
    return sorted(shown - used), uploads


def _forget_files(connection: Connection, documents: list[int]) -> list[str]:
    """Files of batches that had these documents: their names go, and their bytes where no other batch needs them."""
    at_work = exists().where(job_task.c.file_id == job_file.c.id, job_task.c.state.in_(_AT_WORK))
    query = select(job_file.c.id, job_file.c.job_id, job_file.c.name, job_file.c.sha256, job.c.name.label("job_name"))
    query = query.join(job, job.c.id == job_file.c.job_id).where(job_file.c.document_id.in_(documents), ~at_work)
    files = connection.execute(query).all()
    for row in files:
        connection.execute(update(job_file).where(job_file.c.id == row.id).values(name=GONE, sha256=""))
        connection.execute(update(job_task).where(job_task.c.file_id == row.id).values(error=""))
        short = row.name.rpartition("/")[2]
        of_job = job.c.id == row.job_id
        named = connection.scalar(select(job.c.name).where(of_job)) or ""
        if short and short in named:
            connection.execute(update(job).where(of_job).values(name=named.replace(short, GONE)))
    held = {row.sha256 for row in files} - {""}
    return sorted(held - set(connection.scalars(select(job_file.c.sha256).where(job_file.c.sha256.in_(held)))))
