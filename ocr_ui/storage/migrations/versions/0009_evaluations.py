"""Evaluations: their log, their pages, and readings that later ones need not ask for again"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "evaluation_run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("data_sha256", sa.String(length=64), nullable=False),
        sa.Column("config", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_evaluation_run_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evaluation_run")),
    )
    op.create_index(op.f("ix_evaluation_run_person_id"), "evaluation_run", ["person_id"], unique=False)
    op.create_index(op.f("ix_evaluation_run_data_sha256"), "evaluation_run", ["data_sha256"], unique=False)
    op.create_table(
        "evaluation_page",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["evaluation_run.id"], name=op.f("fk_evaluation_page_run_id_evaluation_run")
        ),
        sa.PrimaryKeyConstraint("run_id", "number", name=op.f("pk_evaluation_page")),
    )
    op.create_table(
        "evaluation_reading",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("reading", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_evaluation_reading")),
    )


def downgrade() -> None:
    for name in ("evaluation_reading", "evaluation_page", "evaluation_run"):
        op.drop_table(name)
