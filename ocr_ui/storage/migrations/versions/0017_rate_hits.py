"""What is counted against limits, for all processes together"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rate_hit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("until", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rate_hit")),
    )
    op.create_index(op.f("ix_rate_hit_key"), "rate_hit", ["key"], unique=False)
    op.create_index(op.f("ix_rate_hit_until"), "rate_hit", ["until"], unique=False)


def downgrade() -> None:
    op.drop_table("rate_hit")
