"""A row of the audit log is not replaced either: SQLite's INSERT OR REPLACE asks no trigger of DELETE"""

from __future__ import annotations

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "CREATE TRIGGER audit_no_replace BEFORE INSERT ON audit "
            "WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id) "
            "BEGIN SELECT RAISE(ABORT, 'the audit log is only ever added to'); END"
        )


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TRIGGER audit_no_replace")
