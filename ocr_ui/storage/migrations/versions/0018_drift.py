"""The kind of each page that was read, and the settings that pages were read under since when"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Figures are worked out anew where they are missing, and the kind of the page with them.
    op.execute(sa.text("DELETE FROM reading_figure"))
    with op.batch_alter_table("reading_figure") as table:
        table.add_column(sa.Column("layout", sa.String(length=20), nullable=False))
    op.create_table(
        "configuration",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("program", sa.String(length=50), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_configuration")),
    )


def downgrade() -> None:
    op.drop_table("configuration")
    with op.batch_alter_table("reading_figure") as table:
        table.drop_column("layout")
