"""Preferences between readings, and experiments in daily use"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "experiment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("ended_by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.Column("share", sa.Float(), nullable=False),
        sa.Column("salt", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("template_version", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("other_template", sa.Text(), nullable=False),
        sa.Column("other_version", sa.Text(), nullable=False),
        sa.Column("other_engine", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_experiment_person_id_person")),
        sa.ForeignKeyConstraint(["ended_by_id"], ["person.id"], name=op.f("fk_experiment_ended_by_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_experiment")),
    )
    op.create_index(op.f("ix_experiment_person_id"), "experiment", ["person_id"], unique=False)
    op.create_index(op.f("ix_experiment_ended_by_id"), "experiment", ["ended_by_id"], unique=False)
    op.create_index(op.f("ix_experiment_template_ended_at"), "experiment", ["template", "ended_at"], unique=False)
    op.create_table(
        "experiment_reading",
        sa.Column("recognition_id", sa.Integer(), nullable=False),
        sa.Column("experiment_id", sa.Integer(), nullable=False),
        sa.Column("arm", sa.String(length=1), nullable=False),
        sa.Column("shadow", sa.Boolean(), nullable=False),
        sa.Column("asked_engine", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["recognition.id"], name=op.f("fk_experiment_reading_recognition_id_recognition")
        ),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiment.id"], name=op.f("fk_experiment_reading_experiment_id_experiment")
        ),
        sa.PrimaryKeyConstraint("recognition_id", name=op.f("pk_experiment_reading")),
    )
    op.create_index(
        op.f("ix_experiment_reading_experiment_id_arm"), "experiment_reading", ["experiment_id", "arm"], unique=False
    )
    op.create_table(
        "preference",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("left_id", sa.Integer(), nullable=False),
        sa.Column("right_id", sa.Integer(), nullable=False),
        sa.Column("experiment_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("client_key", sa.String(length=200), nullable=True),
        sa.Column("choice", sa.String(length=20), nullable=False),
        sa.Column("blind", sa.Boolean(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["left_id"], ["recognition.id"], name=op.f("fk_preference_left_id_recognition")),
        sa.ForeignKeyConstraint(["right_id"], ["recognition.id"], name=op.f("fk_preference_right_id_recognition")),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiment.id"], name=op.f("fk_preference_experiment_id_experiment")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_preference_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_preference")),
        sa.UniqueConstraint(
            "client_key", "left_id", "right_id", name=op.f("uq_preference_client_key_left_id_right_id")
        ),
    )
    for column in ("left_id", "right_id", "experiment_id", "person_id"):
        op.create_index(op.f(f"ix_preference_{column}"), "preference", [column], unique=False)


def downgrade() -> None:
    op.drop_table("preference")
    op.drop_table("experiment_reading")
    op.drop_table("experiment")
