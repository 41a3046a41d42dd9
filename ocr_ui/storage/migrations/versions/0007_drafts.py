"""Edits that were not saved yet, kept on the server"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "draft",
        sa.Column("recognition_id", sa.Integer(), nullable=False),
        sa.Column("browser", sa.String(length=64), nullable=False),
        sa.Column("second", sa.Boolean(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("updated_at", sa.DateTime(), nullable=False),
        sa.Column("base_version", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["recognition.id"], name=op.f("fk_draft_recognition_id_recognition")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_draft_person_id_person")),
        sa.PrimaryKeyConstraint("recognition_id", "browser", "second", name=op.f("pk_draft")),
    )
    op.create_index(op.f("ix_draft_person_id"), "draft", ["person_id"], unique=False)


def downgrade() -> None:
    op.drop_table("draft")
