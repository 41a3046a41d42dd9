"""The columns of an item for people with a spreadsheet."""

from __future__ import annotations

from typing import Any

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.exact_json import dumps
from ocr_ui.exports.sample import Notes, Sample

LONGEST_CELL = 32_000
"""Excel holds 32,767 characters in a cell and spills the rest over the rows below."""

_CUT = " … (cut; the JSON Lines export has all of it)"

COLUMNS = (
    "id",
    "document",
    "page_name",
    "page_number",
    "picture",
    "sha256",
    "width",
    "height",
    "template",
    "template_version",
    "task",
    "prompt",
    "engine",
    "model",
    "revision",
    "outcome",
    "verdict",
    "state",
    "error_kinds",
    "note",
    "model_text",
    "corrected_text",
    "model_fields",
    "corrected_fields",
    "version",
    "edit_distance",
    "cer",
    "read_by",
    "read_at",
    "corrected_by",
    "corrected_at",
    "reviewed_by",
    "reviewed_at",
)


def cut(text: str, notes: Notes) -> str:
    """The text as far as a cell holds it, with a word where it was cut."""
    if len(text) <= LONGEST_CELL:
        return text
    notes.changes["cells_cut"] += 1
    return text[:LONGEST_CELL] + _CUT


def values(sample: Sample) -> dict[str, Any]:
    """The values of COLUMNS by name."""
    return {"id": sample.id} | _page(sample) | _reading(sample) | _review(sample) | _correction(sample)


def _page(sample: Sample) -> dict[str, Any]:
    page = sample.page
    return {
        "document": sample.document,
        "page_name": page.name,
        "page_number": page.number,
        "picture": sample.picture,
        "sha256": page.sha256,
        "width": page.width,
        "height": page.height,
    }


def _reading(sample: Sample) -> dict[str, Any]:
    recognition = sample.recognition
    return {
        "template": recognition.prompt.template,
        "template_version": recognition.prompt.version,
        "task": str(recognition.prompt.task),
        "prompt": recognition.prompt.text,
        "engine": recognition.engine.title,
        "model": recognition.engine.model,
        "revision": recognition.engine.revision,
        "outcome": recognition.outcome,
        "model_text": whole_text(recognition.content),
        "model_fields": _fields(recognition.content),
        "read_by": sample.read_by,
        "read_at": _time(sample.read_at),
    }


def _review(sample: Sample) -> dict[str, Any]:
    review = sample.review
    return {
        "verdict": review.verdict and str(review.verdict),
        "state": str(review.state),
        "error_kinds": "; ".join(review.error_kinds),
        "note": review.note,
        "reviewed_by": review.person,
        "reviewed_at": _time(sample.reviewed_at),
    }


def _correction(sample: Sample) -> dict[str, Any]:
    fixed = sample.correction
    return {
        "corrected_text": fixed and whole_text(fixed.content),
        "corrected_fields": fixed and _fields(fixed.content),
        "version": fixed and fixed.version,
        "edit_distance": fixed and fixed.edit_distance,
        "cer": fixed and round(fixed.cer, 4),
        "corrected_by": fixed and fixed.person,
        "corrected_at": _time(sample.corrected_at),
    }


def whole_text(content: PageContent) -> str:
    """What a page says, as one text."""
    return content.text or "\n".join(line.text for line in content.lines)


def _fields(content: PageContent) -> str:
    return dumps({field.name: field.value for field in content.fields}) if content.fields else ""


def _time(moment: Any) -> str:
    """Without a zone, so that spreadsheets take it for a time; it is UTC."""
    return moment.strftime("%Y-%m-%d %H:%M:%S") if moment else ""
