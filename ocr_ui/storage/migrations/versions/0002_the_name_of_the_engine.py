"""The name that an engine had in the configuration"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Where no name is known, the kind alone says who read.
    op.add_column("recognition", sa.Column("engine_name", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    with op.batch_alter_table("recognition") as table:
        table.drop_column("engine_name")
