"""Several people: second reviews, claims, comments, guidelines, saved filters, time of work"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "guideline",
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_guideline_person_id_person")),
        sa.PrimaryKeyConstraint("version", name=op.f("pk_guideline")),
    )
    op.create_table(
        "saved_filter",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("updated_at", sa.DateTime(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_saved_filter_person_id_person")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_saved_filter")),
    )
    op.create_table(
        "claim",
        sa.Column("recognition_id", sa.Integer(), nullable=False),
        sa.Column("holder", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("until", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_claim_person_id_person")),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["recognition.id"], name=op.f("fk_claim_recognition_id_recognition")
        ),
        sa.PrimaryKeyConstraint("recognition_id", name=op.f("pk_claim")),
    )
    op.create_index(op.f("ix_claim_holder"), "claim", ["holder"], unique=False)
    op.create_table(
        "comment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("recognition_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("client_key", sa.String(length=200), nullable=True),
        sa.Column("line_id", sa.String(length=200), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_comment_person_id_person")),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["recognition.id"], name=op.f("fk_comment_recognition_id_recognition")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comment")),
        sa.UniqueConstraint("recognition_id", "client_key", name=op.f("uq_comment_recognition_id_client_key")),
    )
    op.create_table(
        "reading_figure",
        sa.Column("recognition_id", sa.Integer(), nullable=False),
        sa.Column("script", sa.String(length=20), nullable=False),
        sa.Column("disagreement", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["recognition.id"], name=op.f("fk_reading_figure_recognition_id_recognition")
        ),
        sa.PrimaryKeyConstraint("recognition_id", name=op.f("pk_reading_figure")),
    )
    op.create_index(op.f("ix_reading_figure_script"), "reading_figure", ["script"], unique=False)
    op.create_table(
        "second_review",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("recognition_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("first_person_id", sa.Integer(), nullable=True),
        sa.Column("first_version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("client_key", sa.String(length=200), nullable=True),
        sa.Column("blind", sa.Boolean(), nullable=False),
        sa.Column("verdict", sa.String(length=20), nullable=True),
        sa.Column("first_verdict", sa.String(length=20), nullable=True),
        sa.Column("disputed", sa.Boolean(), nullable=False),
        sa.Column("differing", sa.Integer(), nullable=False),
        sa.Column("cer", sa.Float(), nullable=False),
        sa.Column("box_f1", sa.Float(), nullable=True),
        sa.Column("fields", sa.Float(), nullable=True),
        sa.Column("resolved_at", sa.DateTime(), nullable=True),
        sa.Column("resolver_id", sa.Integer(), nullable=True),
        sa.Column("resolved_version", sa.Integer(), nullable=True),
        sa.Column("error_kinds", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("resolution", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["first_person_id"], ["person.id"], name=op.f("fk_second_review_first_person_id_person")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_second_review_person_id_person")),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["recognition.id"], name=op.f("fk_second_review_recognition_id_recognition")
        ),
        sa.ForeignKeyConstraint(["resolver_id"], ["person.id"], name=op.f("fk_second_review_resolver_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_second_review")),
        sa.UniqueConstraint("recognition_id", "client_key", name=op.f("uq_second_review_recognition_id_client_key")),
    )
    op.create_index(op.f("ix_second_review_first_person_id"), "second_review", ["first_person_id"], unique=False)
    op.create_index(op.f("ix_second_review_person_id"), "second_review", ["person_id"], unique=False)
    op.create_table(
        "work_time",
        sa.Column("recognition_id", sa.Integer(), nullable=False),
        sa.Column("sitting", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("updated_at", sa.DateTime(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_work_time_person_id_person")),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["recognition.id"], name=op.f("fk_work_time_recognition_id_recognition")
        ),
        sa.PrimaryKeyConstraint("recognition_id", "sitting", name=op.f("pk_work_time")),
    )
    op.create_index(op.f("ix_work_time_person_id"), "work_time", ["person_id"], unique=False)
    op.create_index(op.f("ix_work_time_updated_at"), "work_time", ["updated_at"], unique=False)
    op.add_column("review", sa.Column("second_id", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    with op.batch_alter_table("review") as table:
        table.drop_column("second_id")
    for table in ("reading_figure", "work_time", "saved_filter", "guideline", "comment", "claim", "second_review"):
        op.drop_table(table)
