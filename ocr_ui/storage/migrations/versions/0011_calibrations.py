"""How far confidences can be trusted"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "calibration",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("part", sa.String(length=50), nullable=False),
        sa.Column("engine", sa.String(length=50), nullable=False),
        sa.Column("engine_name", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("figures", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_calibration_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_calibration")),
    )
    op.create_index(op.f("ix_calibration_person_id"), "calibration", ["person_id"], unique=False)
    op.create_index(op.f("ix_calibration_template_part"), "calibration", ["template", "part"], unique=False)


def downgrade() -> None:
    op.drop_table("calibration")
