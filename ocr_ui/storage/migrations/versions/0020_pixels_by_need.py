"""How many pixels a reading had and why, and how high text must be for an engine"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("recognition") as table:
        table.add_column(sa.Column("pixels", sa.Text(), nullable=True))
    op.create_table(
        "pixel_calibration",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("engine", sa.String(length=50), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("target", sa.Float(), nullable=True),
        sa.Column("rule", sa.Integer(), nullable=False),
        sa.Column("figures", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_pixel_calibration_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pixel_calibration")),
    )
    op.create_index(op.f("ix_pixel_calibration_person_id"), "pixel_calibration", ["person_id"], unique=False)
    op.create_index(op.f("ix_pixel_calibration_engine_model"), "pixel_calibration", ["engine", "model"], unique=False)


def downgrade() -> None:
    op.drop_table("pixel_calibration")
    with op.batch_alter_table("recognition") as table:
        table.drop_column("pixels")
