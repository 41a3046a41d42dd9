"""Readings of a picture side by side as plain JSON values, for the page and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.preference import why_no_pair
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import ASKED_NOTHING
from ocr_ui.render.markdown import content_html
from ocr_ui.scoring.answer_rows import AnswerRow
from ocr_ui.services.annotate import Item
from ocr_ui.services.preferences import Kept
from ocr_ui.services.rollout_view import pieces
from ocr_ui.services.tries import Lane, Shown
from ocr_ui.services.view import asked_value, error_value, note_value, page_value


def lanes_value(lanes: Sequence[Lane]) -> dict[str, Any]:
    """How far all ways are: {ended, lanes: [{state, text, tokens, seconds, first_seconds, quads, item, error}]}."""
    return {"ended": all(lane.ended for lane in lanes), "lanes": [_lane(lane) for lane in lanes]}


def _lane(lane: Lane) -> dict[str, Any]:
    progress = lane.progress
    return {
        "state": lane.state,
        "ended": lane.ended,
        "text": progress.raw if progress else "",
        "tokens": progress.tokens if progress else None,
        "seconds": progress.seconds if progress else 0.0,
        "first_seconds": progress.first_line_seconds if progress else None,
        "quads": [_points(line.quad) for line in progress.content.lines if line.quad] if progress else [],
        "item": lane.item,
        "error": error_value(lane.error) if lane.error else None,
    }


def shown_value(shown: Shown) -> dict[str, Any]:
    page = shown.items[0].page
    return {
        "picture": page_value(page.page, page.id),
        "base": shown.base,
        "readings": [
            {**_reading(item), "wording": wording} for item, wording in zip(shown.items, shown.wordings, strict=True)
        ],
        "rows": [_row(row, shown.base) for row in shown.rows],
        "no_pair": _no_pair(shown.items),
    }


def _reading(item: Item) -> dict[str, Any]:
    recognition = item.recognition.recognition
    engine, prompt, said = recognition.engine, recognition.prompt, recognition.generation
    hidden = item.arm.asked_template if item.arm and item.arm_hidden else ""
    return {
        "item": item.recognition.id,
        **asked_value(recognition, hidden),
        "engine_name": "" if hidden else engine.name or engine.kind,
        "model": "" if hidden else engine.model,
        "revision": "" if hidden else engine.revision,
        "takes_prompt": bool(hidden) or engine.kind not in ASKED_NOTHING,
        "outcome": recognition.outcome,
        "tokens": said.tokens,
        "seconds": said.seconds,
        "timings": recognition.timings,
        "text": said.text,
        "html": content_html(recognition.content, Task(prompt.task)),
        "warnings": [{**warning.to_dict(), "line": None} for warning in recognition.content.warnings],
        "error": note_value(recognition.error),
    }


def _row(row: AnswerRow, base: int) -> dict[str, Any]:
    """Texts in pieces, each marked where it is not as the base has it; null where a reading has no such row."""
    return {
        "texts": [pieces(row.texts[base], text) for text in row.texts],
        "quads": [_points(quad) if quad else None for quad in row.quads],
        "differs": row.differs,
        "place": row.place,
    }


def _no_pair(items: Sequence[Item]) -> list[list[str]]:
    """Why each of the readings and each other one are no pair for a trainer; "" where they are one."""
    readings = [item.recognition.recognition for item in items]
    return [[why_no_pair(one, other) if one is not other else "" for other in readings] for one in readings]


def _points(quad: Quad) -> list[list[float]]:
    return [list(point) for point in quad.points]


def kept_value(kept: Sequence[Kept]) -> dict[str, Any]:
    return {"kept": [{"worse": one.worse, "no_pair": one.why_no_pair} for one in kept]}
