"""The ready sets of field names, for the page."""

from __future__ import annotations

from functools import cache

from ocr_ui.parsing import label_value


@cache
def load_field_sets() -> dict[str, label_value.FieldSet]:
    """Field sets by key (invoice, receipt, ...), read once."""
    return label_value.load_field_sets()
