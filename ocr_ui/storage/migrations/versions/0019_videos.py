"""Frames of videos, with their times"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

TABLES = ("page", "job_task")


def upgrade() -> None:
    for name in TABLES:
        with op.batch_alter_table(name) as table:
            table.add_column(sa.Column("start_s", sa.Float(), nullable=True))
            table.add_column(sa.Column("end_s", sa.Float(), nullable=True))


def downgrade() -> None:
    for name in TABLES:
        with op.batch_alter_table(name) as table:
            table.drop_column("end_s")
            table.drop_column("start_s")
