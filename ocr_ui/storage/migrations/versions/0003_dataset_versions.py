"""Frozen versions of the dataset, and what was exported when"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "dataset_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("items", sa.Integer(), nullable=False),
        sa.Column("licence", sa.String(length=200), nullable=False),
        sa.Column("program", sa.String(length=50), nullable=False),
        sa.Column("filters", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_dataset_version_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dataset_version")),
        sa.UniqueConstraint("name", name=op.f("uq_dataset_version_name")),
    )
    op.create_index(op.f("ix_dataset_version_person_id"), "dataset_version", ["person_id"], unique=False)

    op.create_table(
        "dataset_item",
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("recognition_id", sa.Integer(), nullable=False),
        sa.Column("correction_version", sa.Integer(), nullable=False),
        sa.Column("review_revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["version_id"], ["dataset_version.id"], name=op.f("fk_dataset_item_version_id_dataset_version")
        ),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["recognition.id"], name=op.f("fk_dataset_item_recognition_id_recognition")
        ),
        sa.PrimaryKeyConstraint("version_id", "recognition_id", name=op.f("pk_dataset_item")),
    )
    op.create_index(op.f("ix_dataset_item_recognition_id"), "dataset_item", ["recognition_id"], unique=False)

    op.create_table(
        "export_log",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("format", sa.String(length=50), nullable=False),
        sa.Column("items", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["version_id"], ["dataset_version.id"], name=op.f("fk_export_log_version_id_dataset_version")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_export_log")),
    )
    op.create_index(op.f("ix_export_log_version_id"), "export_log", ["version_id"], unique=False)
    op.create_index(op.f("ix_export_log_created_at"), "export_log", ["created_at"], unique=False)


def downgrade() -> None:
    for table in ("export_log", "dataset_item", "dataset_version"):
        op.drop_table(table)
