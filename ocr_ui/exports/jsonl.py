"""JSON Lines: everything, exactly; one item a line, UTF-8, a line feed after each.

No reader that cuts at line ends can cut inside a line, and every string comes back as it was, control characters and
lone surrogates included (those as JSON escapes).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

from ocr_ui.domain.exact_json import dumps
from ocr_ui.domain.recognition import Recognition
from ocr_ui.domain.review import Correction, Review
from ocr_ui.exports.sample import Notes, Sample


class JsonLines:
    name = "jsonl"
    file_name = "items.jsonl"
    media_type = "application/x-ndjson"

    def write(self, samples: Iterable[Sample], notes: Notes) -> Iterator[str]:
        for sample in samples:
            yield dumps(row(sample)) + "\n"


def row(sample: Sample) -> dict[str, Any]:
    """One item as JSON values. Boxes are in pixels of the stored picture, its top left corner being 0, 0."""
    page = sample.page
    return {
        "id": sample.id,
        "page_id": sample.page_id,
        "document_id": sample.document_id,
        "document": sample.document,
        "page": {
            "sha256": page.sha256,
            "width": page.width,
            "height": page.height,
            "name": page.name,
            "number": page.number,
            "start": page.start,
            "end": page.end,
            "picture": sample.picture or None,
        },
        **_recognition(sample.recognition),
        "person": sample.read_by,
        "created_at": _time(sample.read_at),
        "correction": _correction(sample.correction, sample.corrected_at),
        "review": _review(sample.review, sample.reviewed_at),
    }


def _recognition(value: Recognition) -> dict[str, Any]:
    prompt = value.prompt
    return {
        "template": {
            "name": prompt.template,
            "version": prompt.version,
            "task": prompt.task,
            "text": prompt.text,
            "variables": prompt.variables,
            "sampling": prompt.sampling,
        },
        "engine": asdict(value.engine),
        "output": {
            "raw": value.generation.text,
            "finish_reason": value.generation.finish_reason,
            "tokens": value.generation.tokens,
            "seconds": value.generation.seconds,
            "outcome": value.outcome,
            "method": value.method,
            "error": value.error,
            "content": value.content.to_dict(),
        },
        "transform": value.transform,
        "pixels": value.pixels.to_dict() if value.pixels else None,
        "timings": value.timings,
    }


def _correction(value: Correction | None, saved_at: datetime | None) -> dict[str, Any] | None:
    return value and {
        "version": value.version,
        "content": value.content.to_dict(),
        "edit_distance": value.edit_distance,
        "cer": value.cer,
        "person": value.person,
        "saved_at": _time(saved_at),
    }


def _review(value: Review, changed_at: datetime | None) -> dict[str, Any]:
    return {
        "verdict": value.verdict,
        "state": value.state,
        "error_kinds": list(value.error_kinds),
        "note": value.note,
        "tags": list(value.tags),
        "person": value.person,
        "correction_version": value.correction_version,
        "changed_at": _time(changed_at),
    }


def _time(moment: datetime | None) -> str | None:
    return moment and moment.isoformat()
