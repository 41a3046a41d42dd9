"""Rollouts: several answers to one question, what people say of them, and batches of them"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rollout_job",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_rollout_job_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rollout_job")),
    )
    op.create_index(op.f("ix_rollout_job_person_id"), "rollout_job", ["person_id"], unique=False)

    op.create_table(
        "rollout",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("recognition_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("engine", sa.String(length=50), nullable=False),
        sa.Column("engine_version", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("engine_name", sa.Text(), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("template_version", sa.Text(), nullable=False),
        sa.Column("task", sa.String(length=50), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.Column("together", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("picture_tokens", sa.Integer(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("label_version", sa.Integer(), nullable=True),
        sa.Column("label_judged", sa.Integer(), nullable=True),
        sa.Column("label_tokens", sa.Integer(), nullable=True),
        sa.Column("mark", sa.String(length=20), nullable=False),
        sa.Column("reward_mean", sa.Float(), nullable=True),
        sa.Column("reward_std", sa.Float(), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("transform", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["recognition.id"], name=op.f("fk_rollout_recognition_id_recognition")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_rollout_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rollout")),
    )
    op.create_index(op.f("ix_rollout_created_at"), "rollout", ["created_at"], unique=False)
    op.create_index(op.f("ix_rollout_mark"), "rollout", ["mark"], unique=False)
    op.create_index(op.f("ix_rollout_person_id"), "rollout", ["person_id"], unique=False)
    op.create_index(op.f("ix_rollout_recognition_id"), "rollout", ["recognition_id"], unique=False)

    op.create_table(
        "rollout_task",
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("recognition_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("rollout_id", sa.Integer(), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["rollout_job.id"], name=op.f("fk_rollout_task_job_id_rollout_job")),
        sa.ForeignKeyConstraint(
            ["recognition_id"], ["recognition.id"], name=op.f("fk_rollout_task_recognition_id_recognition")
        ),
        sa.ForeignKeyConstraint(["rollout_id"], ["rollout.id"], name=op.f("fk_rollout_task_rollout_id_rollout")),
        sa.PrimaryKeyConstraint("job_id", "recognition_id", name=op.f("pk_rollout_task")),
    )
    op.create_index(op.f("ix_rollout_task_recognition_id"), "rollout_task", ["recognition_id"], unique=False)
    op.create_index(op.f("ix_rollout_task_rollout_id"), "rollout_task", ["rollout_id"], unique=False)

    op.create_table(
        "rollout_answer",
        sa.Column("rollout_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.Column("logprob_tokens", sa.Integer(), nullable=True),
        sa.Column("logprob_mean", sa.Float(), nullable=True),
        sa.Column("logprob_least", sa.Float(), nullable=True),
        sa.Column("reward", sa.Float(), nullable=True),
        sa.Column("edit_distance", sa.Integer(), nullable=True),
        sa.Column("worths", sa.Text(), nullable=False),
        sa.Column("generation", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["rollout_id"], ["rollout.id"], name=op.f("fk_rollout_answer_rollout_id_rollout")),
        sa.PrimaryKeyConstraint("rollout_id", "number", name=op.f("pk_rollout_answer")),
    )

    op.create_table(
        "rollout_judgement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("rollout_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("client_key", sa.String(length=200), nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("choice", sa.String(length=20), nullable=True),
        sa.Column("winner", sa.Integer(), nullable=True),
        sa.Column("loser", sa.Integer(), nullable=True),
        sa.Column("blind", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("numbers", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["rollout_id"], ["rollout.id"], name=op.f("fk_rollout_judgement_rollout_id_rollout")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_rollout_judgement_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rollout_judgement")),
        sa.UniqueConstraint("rollout_id", "client_key", name=op.f("uq_rollout_judgement_rollout_id_client_key")),
    )
    op.create_index(op.f("ix_rollout_judgement_person_id"), "rollout_judgement", ["person_id"], unique=False)


def downgrade() -> None:
    for table in ("rollout_judgement", "rollout_answer", "rollout_task", "rollout", "rollout_job"):
        op.drop_table(table)
