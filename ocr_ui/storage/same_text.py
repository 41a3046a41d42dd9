"""Items whose newest text holds a text."""

from __future__ import annotations

from sqlalchemy import and_, func, select

from ocr_ui.storage.database import Database
from ocr_ui.storage.tables import correction, recognition, review


class SameText:
    def __init__(self, database: Database) -> None:
        self._database = database

    def items(self, text: str, but: int, among: int, limit: int) -> tuple[list[int], int]:
        """Ids of items that hold `text` in their newest version, newest first; and how many items were looked at.

        Case is ignored for ASCII letters.

        Args:
            but: the item that is not wanted.
            among: only the newest so many items are looked at.
        """
        newest = select(recognition.c.id).order_by(recognition.c.id.desc()).limit(among).subquery()
        held = func.coalesce(correction.c.text, recognition.c.text).icontains(text, autoescape=True)
        query = (
            select(recognition.c.id)
            .join(newest, newest.c.id == recognition.c.id)
            .join(review, review.c.recognition_id == recognition.c.id)
            .outerjoin(
                correction,
                and_(
                    correction.c.recognition_id == recognition.c.id,
                    correction.c.version == review.c.latest_version,
                ),
            )
            .where(held, recognition.c.id != but)
            .order_by(recognition.c.id.desc())
            .limit(limit)
        )
        with self._database.reading() as connection:
            looked = connection.scalar(select(func.count()).select_from(newest)) or 0
            return list(connection.scalars(query)), looked
