"""The first schema"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("name", name=op.f("uq_person_name")),
    )
    op.create_table(
        "document",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_document_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document")),
    )
    op.create_index(op.f("ix_document_person_id"), "document", ["person_id"], unique=False)

    op.create_table(
        "page",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["document.id"], name=op.f("fk_page_document_id_document")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_page")),
        sa.UniqueConstraint("document_id", "number", name=op.f("uq_page_document_id_number")),
    )
    op.create_index(op.f("ix_page_sha256"), "page", ["sha256"], unique=False)

    op.create_table(
        "recognition",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("page_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("engine", sa.String(length=50), nullable=False),
        sa.Column("engine_version", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("template_version", sa.Text(), nullable=False),
        sa.Column("task", sa.String(length=50), nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("timings", sa.Text(), nullable=False),
        sa.Column("transform", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("generation", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["page_id"], ["page.id"], name=op.f("fk_recognition_page_id_page")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_recognition_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_recognition")),
    )
    op.create_index(op.f("ix_recognition_created_at"), "recognition", ["created_at"], unique=False)
    op.create_index(op.f("ix_recognition_engine_created_at"), "recognition", ["engine", "created_at"], unique=False)
    op.create_index(op.f("ix_recognition_page_id"), "recognition", ["page_id"], unique=False)
    op.create_index(op.f("ix_recognition_person_id"), "recognition", ["person_id"], unique=False)
    op.create_index(op.f("ix_recognition_template_created_at"), "recognition", ["template", "created_at"], unique=False)

    op.create_table(
        "correction",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("recognition_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("client_key", sa.String(length=200), nullable=True),
        sa.Column("edit_distance", sa.Integer(), nullable=False),
        sa.Column("cer", sa.Float(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_correction_person_id_person")),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["recognition.id"], name=op.f("fk_correction_recognition_id_recognition")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_correction")),
        sa.UniqueConstraint("recognition_id", "client_key", name=op.f("uq_correction_recognition_id_client_key")),
        sa.UniqueConstraint("recognition_id", "version", name=op.f("uq_correction_recognition_id_version")),
    )
    op.create_index(op.f("ix_correction_person_id"), "correction", ["person_id"], unique=False)

    op.create_table(
        "review",
        sa.Column("recognition_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("updated_at", sa.DateTime(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("latest_version", sa.Integer(), nullable=False),
        sa.Column("correction_version", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=20), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("error_kinds", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_review_person_id_person")),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["recognition.id"], name=op.f("fk_review_recognition_id_recognition")
        ),
        sa.PrimaryKeyConstraint("recognition_id", name=op.f("pk_review")),
    )
    op.create_index(op.f("ix_review_person_id"), "review", ["person_id"], unique=False)
    op.create_index(op.f("ix_review_state_updated_at"), "review", ["state", "updated_at"], unique=False)
    op.create_index(op.f("ix_review_updated_at"), "review", ["updated_at"], unique=False)
    op.create_index(op.f("ix_review_verdict_updated_at"), "review", ["verdict", "updated_at"], unique=False)

    op.create_table(
        "review_history",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("recognition_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("client_key", sa.String(length=200), nullable=True),
        sa.Column("correction_version", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=20), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("error_kinds", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_review_history_person_id_person")),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["recognition.id"], name=op.f("fk_review_history_recognition_id_recognition")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review_history")),
        sa.UniqueConstraint("recognition_id", "client_key", name=op.f("uq_review_history_recognition_id_client_key")),
        sa.UniqueConstraint("recognition_id", "revision", name=op.f("uq_review_history_recognition_id_revision")),
    )
    op.create_index(op.f("ix_review_history_person_id"), "review_history", ["person_id"], unique=False)

    op.create_table(
        "review_error",
        sa.Column("recognition_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=50), nullable=False),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["review.recognition_id"], name=op.f("fk_review_error_recognition_id_review")
        ),
        sa.PrimaryKeyConstraint("recognition_id", "kind", name=op.f("pk_review_error")),
    )
    op.create_index(op.f("ix_review_error_kind"), "review_error", ["kind"], unique=False)


def downgrade() -> None:
    for table in (
        "review_error",
        "review_history",
        "review",
        "correction",
        "recognition",
        "page",
        "document",
        "person",
    ):
        op.drop_table(table)
