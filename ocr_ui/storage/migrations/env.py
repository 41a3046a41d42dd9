"""Run by Alembic for each command; the connection comes from `ocr_ui.storage.migrate`."""

from __future__ import annotations

from alembic import context

from ocr_ui.storage.tables import metadata

# Batch mode rebuilds a table where SQLite cannot alter it, and is plain ALTER TABLE elsewhere.
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
