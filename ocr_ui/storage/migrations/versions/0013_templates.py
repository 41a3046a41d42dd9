"""Own templates with their versions, and what answers are worth against their labels"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "template",
        sa.Column("name", sa.String(length=50), nullable=False),
        sa.Column("current", sa.String(length=12), nullable=False),
        sa.Column("file_sha256", sa.String(length=64), nullable=False),
        sa.Column("changed_at", sa.DateTime(), nullable=False),
        sa.Column("deleted_at", sa.DateTime(), nullable=True),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_template")),
    )
    op.create_table(
        "template_version",
        sa.Column("name", sa.String(length=50), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("version", sa.String(length=12), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("from_file", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["name"], ["template.name"], name=op.f("fk_template_version_name_template")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_template_version_person_id_person")),
        sa.PrimaryKeyConstraint("name", "number", name=op.f("pk_template_version")),
        sa.UniqueConstraint("name", "version", name=op.f("uq_template_version_name_version")),
    )
    op.create_index(op.f("ix_template_version_person_id"), "template_version", ["person_id"], unique=False)
    op.create_table(
        "label_reward",
        sa.Column("recognition_id", sa.Integer(), nullable=False),
        sa.Column("correction_version", sa.Integer(), nullable=False),
        sa.Column("reward", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["recognition.id"], name=op.f("fk_label_reward_recognition_id_recognition")
        ),
        sa.PrimaryKeyConstraint("recognition_id", name=op.f("pk_label_reward")),
    )


def downgrade() -> None:
    op.drop_table("label_reward")
    op.drop_table("template_version")
    op.drop_table("template")
