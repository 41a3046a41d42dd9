"""Evaluations in the background"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "contest",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("told", sa.Text(), nullable=False),
        sa.Column("per_second", sa.Float(), nullable=True),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("holder", sa.String(length=100), nullable=False),
        sa.Column("until", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_contest_person_id_person")),
        sa.ForeignKeyConstraint(["run_id"], ["evaluation_run.id"], name=op.f("fk_contest_run_id_evaluation_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contest")),
    )
    for column in ("person_id", "state", "run_id"):
        op.create_index(op.f(f"ix_contest_{column}"), "contest", [column], unique=False)


def downgrade() -> None:
    op.drop_table("contest")
