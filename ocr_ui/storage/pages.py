"""Documents and their pages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import Connection, Row, Select, func, insert, or_, select

from ocr_ui.domain.exact_json import storable
from ocr_ui.domain.page import Page
from ocr_ui.domain.person import Person
from ocr_ui.errors import BadInput, NotFound
from ocr_ui.storage import people
from ocr_ui.storage.database import Database
from ocr_ui.storage.numbers import unused_number
from ocr_ui.storage.records import StoredDocument, StoredPage
from ocr_ui.storage.tables import document, page, recognition
from ocr_ui.storage.tables import person as person_table


class Pages:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add_document(self, name: str, pages: Sequence[Page], person: Person | None = None) -> StoredDocument:
        """Stores a document with its pages, whose pictures are stored already.

        Raises:
            BadInput: `no_pages`.
            ValueError: two pages have the same number.
            StoreFailed: see `Database.writing`.
        """
        if not pages:
            raise BadInput("no_pages", "A document has at least one page.", "Hand in a page.")
        if len({one.number for one in pages}) < len(pages):
            raise ValueError("the pages of a document have different numbers")
        with self._database.writing() as connection:
            now = datetime.now(UTC)
            made = {"name": storable(name), "person_id": people.id_of(connection, person), "created_at": now}
            document_id = connection.execute(
                insert(document).values(made | unused_number(connection, document))
            ).inserted_primary_key[0]
            page_ids = [_put(connection, _values(one, document_id, now)) for one in pages]
        return StoredDocument(document_id, tuple(page_ids))

    def add_page(self, document_id: int, value: Page) -> int:
        """A page for a document that is there; gives the id of the one that has its number already, where there is."""
        with self._database.writing() as connection:
            return put_page(connection, document_id, value)

    def get(self, page_id: int) -> StoredPage:
        """Raises NotFound (`unknown_page`)."""
        return self._one(_pages().where(page.c.id == page_id), page=page_id)

    def by_sha256(self, sha256: str) -> StoredPage:
        """The newest page of that picture. Raises NotFound (`unknown_page`)."""
        return self._one(
            _pages().where(page.c.sha256 == storable(sha256)).order_by(page.c.id.desc()).limit(1), page=sha256
        )

    def of_document(self, document_id: int) -> list[StoredPage]:
        """The pages in order; empty for an unknown document."""
        with self._database.reading() as connection:
            rows = connection.execute(_pages().where(page.c.document_id == document_id).order_by(page.c.number))
            return [_stored(row) for row in rows]

    def is_open_to(self, name: str, sha256: str, page_id: int | None = None) -> bool:
        """Has this person brought the picture in, or was it read? Of that page alone, where one is named."""
        read = select(recognition.c.id).where(recognition.c.page_id == page.c.id).exists()
        query = (
            select(page.c.id)
            .select_from(page.join(document).outerjoin(person_table, document.c.person_id == person_table.c.id))
            .where(page.c.sha256 == sha256, or_(person_table.c.name == name, read))
        )
        if page_id is not None:
            query = query.where(page.c.id == page_id)
        with self._database.reading() as connection:
            return connection.execute(query.limit(1)).first() is not None

    def pictures_before(self, moment: datetime) -> list[str]:
        """The sha256 of the pictures of which no page has come in since that moment."""
        newest = func.max(page.c.created_at)
        query = select(page.c.sha256).group_by(page.c.sha256).having(newest < moment).order_by(page.c.sha256)
        with self._database.reading() as connection:
            return list(connection.scalars(query))

    def pictures(self) -> list[str]:
        """The sha256 of all pictures that pages have."""
        with self._database.reading() as connection:
            return list(connection.scalars(select(page.c.sha256).distinct().order_by(page.c.sha256)))

    def places(self) -> list[tuple[int, int, str]]:
        """Id, document and picture's sha256 of every page, in the order in which documents came and of their pages."""
        query = select(page.c.id, page.c.document_id, page.c.sha256).order_by(page.c.document_id, page.c.number)
        with self._database.reading() as connection:
            return [tuple(row) for row in connection.execute(query)]

    def _one(self, query: Select, **details: object) -> StoredPage:
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        if row is None:
            raise unknown_page(**details)
        return _stored(row)


def unknown_page(**details: object) -> NotFound:
    return NotFound("unknown_page", "There is no such page.", "It may have been deleted.", **details)


def put_page(connection: Connection, document_id: int, value: Page) -> int:
    """As `Pages.add_page`, within a transaction."""
    same = page.c.document_id == document_id, page.c.number == value.number
    found = connection.scalar(select(page.c.id).where(*same))
    if found is not None:
        return found
    values = _values(value, document_id, datetime.now(UTC))
    return _put(connection, values)


def _put(connection: Connection, values: dict[str, object]) -> int:
    values = values | unused_number(connection, page)
    return connection.execute(insert(page).values(values)).inserted_primary_key[0]


def _values(one: Page, document_id: int, now: datetime) -> dict[str, object]:
    return {
        "document_id": document_id,
        "number": one.number,
        "sha256": one.sha256,
        "width": one.width,
        "height": one.height,
        "start_s": one.start,
        "end_s": one.end,
        "name": storable(one.name),
        "created_at": now,
    }


def _pages() -> Select:
    return select(page, document.c.name.label("document")).join(document)


def _stored(row: Row) -> StoredPage:
    value = Page(row.sha256, row.width, row.height, row.name, row.number, row.start_s, row.end_s)
    return StoredPage(row.id, row.document_id, row.document, value, row.created_at)
