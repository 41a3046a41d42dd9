"""The ready sets of field names, for the page."""

from __future__ import annotations

from functools import cache

from ocr_ui.parsing import field_specs


@cache
def load_field_sets() -> dict[str, field_specs.FieldSet]:
    """Field sets by key (invoice, receipt, ...), read once."""
    return field_specs.load_field_sets()
