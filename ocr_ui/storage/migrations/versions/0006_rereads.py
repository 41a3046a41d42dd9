"""Boxes of an item read anew, kept beside what was read at first"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "reread",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("recognition_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("engine", sa.String(length=50), nullable=False),
        sa.Column("engine_version", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("engine_name", sa.Text(), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("template_version", sa.Text(), nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("quad", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("lines", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["recognition.id"], name=op.f("fk_reread_recognition_id_recognition")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_reread_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reread")),
    )
    op.create_index(op.f("ix_reread_recognition_id"), "reread", ["recognition_id"], unique=False)
    op.create_index(op.f("ix_reread_person_id"), "reread", ["person_id"], unique=False)


def downgrade() -> None:
    op.drop_table("reread")
