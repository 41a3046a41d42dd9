"""Frozen versions say how many of their items were deleted"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("dataset_version") as table:
        table.add_column(sa.Column("removed", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    with op.batch_alter_table("dataset_version") as table:
        table.drop_column("removed")
