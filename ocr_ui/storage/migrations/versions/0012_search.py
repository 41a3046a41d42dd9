"""Search in recognised text"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

INDEXED = ("recognition", "correction")


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("CREATE VIRTUAL TABLE item_text USING fts5(text, corrected, tokenize='trigram')")
        op.execute(
            "INSERT INTO item_text(rowid, text, corrected) "
            "SELECT recognition.id, recognition.text, coalesce(correction.text, '') FROM recognition "
            "JOIN review ON review.recognition_id = recognition.id "
            "LEFT JOIN correction ON correction.recognition_id = recognition.id "
            "AND correction.version = review.latest_version"
        )
    elif _has_trigrams():
        for table in INDEXED:
            op.execute(f"CREATE INDEX search_{table}_text ON {table} USING gin (text gin_trgm_ops)")


def _has_trigrams() -> bool:
    """Whoever owns the database may not be allowed to make the extension: the search is then slower, and right."""
    connection = op.get_bind()
    try:
        with connection.begin_nested():
            connection.execute(sa.text("CREATE EXTENSION IF NOT EXISTS pg_trgm"))
    except sa.exc.DBAPIError:
        return False
    return True


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE item_text")
    else:
        for table in INDEXED:
            op.execute(f"DROP INDEX IF EXISTS search_{table}_text")
