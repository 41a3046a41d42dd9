"""Accounts, keys, sessions, and who did what"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

REFUSED = "the audit log is only ever added to"


def upgrade() -> None:
    op.create_table(
        "account",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_account_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("person_id", name=op.f("uq_account_person_id")),
    )
    op.create_table(
        "api_key",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("used_at", sa.DateTime(), nullable=True),
        sa.Column("until", sa.DateTime(), nullable=True),
        sa.Column("revoked_at", sa.DateTime(), nullable=True),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_api_key_account_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_key")),
        sa.UniqueConstraint("sha256", name=op.f("uq_api_key_sha256")),
    )
    op.create_index(op.f("ix_api_key_account_id"), "api_key", ["account_id"], unique=False)
    op.create_table(
        "login",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("until", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_login_account_id_account")),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_login")),
    )
    op.create_index(op.f("ix_login_account_id"), "login", ["account_id"], unique=False)
    op.create_index(op.f("ix_login_until"), "login", ["until"], unique=False)
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("via", sa.String(length=20), nullable=False),
        sa.Column("action", sa.String(length=50), nullable=False),
        sa.Column("address", sa.String(length=100), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    for column in ("at", "name", "action"):
        op.create_index(op.f(f"ix_audit_{column}"), "audit", [column], unique=False)
    _only_added_to()


def _only_added_to() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            refuse = f"BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END"
            op.execute(f"CREATE TRIGGER audit_no_{verb.lower()} BEFORE {verb} ON audit {refuse}")
    else:
        op.execute(
            "CREATE FUNCTION audit_refuse() RETURNS trigger AS "
            f"$$ BEGIN RAISE EXCEPTION '{REFUSED}'; END $$ LANGUAGE plpgsql"
        )
        op.execute(
            "CREATE TRIGGER audit_only_added_to BEFORE UPDATE OR DELETE OR TRUNCATE ON audit "
            "FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse()"
        )


def downgrade() -> None:
    for table in ("audit", "login", "api_key", "account"):
        op.drop_table(table)
    if op.get_bind().dialect.name != "sqlite":
        op.execute("DROP FUNCTION audit_refuse()")
