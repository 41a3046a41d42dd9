"""What the page shows beside fields: where their values stand, and whether they look like their kind."""

from __future__ import annotations

from typing import Any

from ocr_ui.parsing.field_places import fits, place_of
from ocr_ui.services.checked_content import checked


def field_links(lines: list[dict], fields: list[dict]) -> list[dict[str, Any]]:
    """For each field (shapes as in `PageContent.to_dict`) the id of its value's line, the value's box there in pixels
    of the stored picture (both None where it is not found), and whether it looks like its kind.

    Raises as `ocr_ui.services.checked_content.checked`.
    """
    content = checked({"lines": lines, "fields": fields})
    found = [(field, place_of(field.value, content.lines)) for field in content.fields]
    return [
        {
            "line": place and place.line.id,
            "quad": [list(point) for point in place.quad.points] if place and place.quad else None,
            "fits": fits(field),
        }
        for field, place in found
    ]
