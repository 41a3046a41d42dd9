"""Batches of pages to read"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "job",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("announced", sa.Boolean(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_job_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
    )
    op.create_index(op.f("ix_job_person_id"), "job", ["person_id"], unique=False)
    op.create_index(op.f("ix_job_state"), "job", ["state"], unique=False)
    op.create_table(
        "job_file",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["document.id"], name=op.f("fk_job_file_document_id_document")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_job_file_job_id_job")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job_file")),
    )
    op.create_index(op.f("ix_job_file_document_id"), "job_file", ["document_id"], unique=False)
    op.create_index(op.f("ix_job_file_job_id"), "job_file", ["job_id"], unique=False)
    op.create_index(op.f("ix_job_file_sha256"), "job_file", ["sha256"], unique=False)
    op.create_table(
        "job_task",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("file_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("holder", sa.String(length=100), nullable=False),
        sa.Column("until", sa.DateTime(), nullable=True),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.Column("page_id", sa.Integer(), nullable=True),
        sa.Column("recognition_id", sa.Integer(), nullable=True),
        sa.Column("second_id", sa.Integer(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("second_seconds", sa.Float(), nullable=False),
        sa.Column("route", sa.String(length=20), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["file_id"], ["job_file.id"], name=op.f("fk_job_task_file_id_job_file")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_job_task_job_id_job")),
        sa.ForeignKeyConstraint(["page_id"], ["page.id"], name=op.f("fk_job_task_page_id_page")),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["recognition.id"], name=op.f("fk_job_task_recognition_id_recognition")
        ),
        sa.ForeignKeyConstraint(["second_id"], ["recognition.id"], name=op.f("fk_job_task_second_id_recognition")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job_task")),
        sa.UniqueConstraint("file_id", "number", name=op.f("uq_job_task_file_id_number")),
    )
    op.create_index(op.f("ix_job_task_job_id_ended_at"), "job_task", ["job_id", "ended_at"], unique=False)
    op.create_index(
        op.f("ix_job_task_job_id_state_file_id_number"),
        "job_task",
        ["job_id", "state", "file_id", "number"],
        unique=False,
    )
    op.create_index(op.f("ix_job_task_page_id"), "job_task", ["page_id"], unique=False)
    op.create_index(op.f("ix_job_task_recognition_id"), "job_task", ["recognition_id"], unique=False)
    op.create_index(op.f("ix_job_task_second_id"), "job_task", ["second_id"], unique=False)


def downgrade() -> None:
    for name in ("job_task", "job_file", "job"):
        op.drop_table(name)
