"""The index of the search with one blank for whatever stands between words"""

from __future__ import annotations

import re
from collections.abc import Callable

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

ROWS = 500
TEXTS = (
    "SELECT recognition.id, recognition.text, coalesce(correction.text, '') FROM recognition "
    "JOIN review ON review.recognition_id = recognition.id "
    "LEFT JOIN correction ON correction.recognition_id = recognition.id "
    "AND correction.version = review.latest_version"
)


def upgrade() -> None:
    _write_anew(lambda said: re.sub(r"\s+", " ", said))


def downgrade() -> None:
    _write_anew(str)


def _write_anew(form: Callable[[str], str]) -> None:
    """Nothing on PostgreSQL, where the texts themselves are indexed."""
    connection = op.get_bind()
    if connection.dialect.name != "sqlite":
        return
    op.execute("DROP TABLE item_text")
    op.execute("CREATE VIRTUAL TABLE item_text USING fts5(text, corrected, tokenize='trigram')")
    for rows in connection.execute(sa.text(TEXTS), execution_options={"yield_per": ROWS}).partitions():
        values = [(item, form(read), form(fixed)) for item, read, fixed in rows]
        connection.exec_driver_sql("INSERT INTO item_text(rowid, text, corrected) VALUES (?, ?, ?)", values)
