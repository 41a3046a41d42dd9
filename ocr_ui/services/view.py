"""What the viewer on the page shows, as plain JSON values."""

from __future__ import annotations

from typing import Any

from ocr_ui.domain.experiment import HIDDEN, Arm
from ocr_ui.domain.page import Page
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import Generation, Recognition
from ocr_ui.errors import WorkbenchError, of_note
from ocr_ui.logs import to_look_for
from ocr_ui.parsing.repeats import find_repeat
from ocr_ui.render.markdown import content_html
from ocr_ui.services.annotate import Item
from ocr_ui.services.pictures import Received
from ocr_ui.services.reading import Progress
from ocr_ui.services.recognize import Reading
from ocr_ui.services.reread import reread_value
from ocr_ui.services.thresholds import Thresholds
from ocr_ui.settings import Settings


def page_value(page: Page, page_id: int) -> dict[str, Any]:
    return {
        "id": page_id,
        "sha256": page.sha256,
        "url": f"/pictures/{page.sha256}",
        "width": page.width,
        "height": page.height,
        "name": page.name,
    }


def error_value(error: WorkbenchError) -> dict[str, Any]:
    return {"code": error.code, "message": error.message, "hint": error.hint, "details": error.details}


def asked_value(recognition: Recognition, asked_template: str = "") -> dict[str, Any]:
    """What asked for a reading. Args: asked_template: of one whose arm is not told yet; all else is held back."""
    used = recognition.prompt
    if asked_template:
        hidden = {"template_version": "", "engine": HIDDEN, "method": "", "prompt": "", "sampling": {}, "pixels": None}
        return {"template": asked_template, "task": used.task, "variables": used.variables, **hidden}
    return {
        "template": used.template,
        "template_version": used.version,
        "task": used.task,
        "engine": recognition.engine.title,
        "method": recognition.method,
        "prompt": used.text,
        "variables": used.variables,
        "sampling": used.sampling,
        "pixels": recognition.pixels.to_dict() if recognition.pixels else None,
    }


def arm_value(experiment: int, arm: Arm, hidden: bool) -> dict[str, Any]:
    return {"id": experiment, "arm": None if hidden else arm.value}


def _end(generation: Generation) -> dict[str, Any]:
    """How a reading ended and, of a loop, where in the raw answer it begins."""
    repeat = find_repeat(generation.text) if generation.finish_reason == "repeated" else None
    return {"finish": generation.finish_reason, "loop_at": repeat and repeat.start}


def note_value(note: str) -> dict[str, Any] | None:
    """The error that a stored reading ended with."""
    error = of_note(note)
    return error and error_value(error)


class Views:
    """Viewer values of a fresh picture, of a running reading and of a stored item."""

    def __init__(self, settings: Settings, thresholds: Thresholds | None = None) -> None:
        self._low, self._thresholds = settings.low_confidence, thresholds

    def empty(self) -> dict[str, Any]:
        return self._value(None, None)

    def picture(self, received: Received) -> dict[str, Any]:
        value = self._value(received.page, received.page_id)
        value["warnings"] = [warning.to_dict() for warning in received.warnings]
        return value

    def failed(self, page: Page | None, page_id: int | None, error: WorkbenchError) -> dict[str, Any]:
        """A reading that was refused before it began."""
        value = self._value(page, page_id)
        value["run"] = {"state": "failed", "error": error_value(error), "request": to_look_for(error)}
        return value

    def reading(self, page_id: int, reading: Reading) -> dict[str, Any]:
        """A step of a running reading; the last one is complete, as `item` gives it later."""
        progress = reading.progress
        value = self._value(reading.page, page_id)
        value.update(self._content(progress.content.to_dict()))
        value["raw"] = progress.raw
        value["run"] = self._run(progress)
        if progress.recognition is not None:
            self._finish(value, reading)
        return value

    def _finish(self, value: dict[str, Any], reading: Reading) -> None:
        recognition = reading.progress.recognition
        assert recognition is not None  # noqa: S101 - the caller has looked
        given = reading.given
        told = asked_value(recognition, given.template if given else "")
        value["item"].update(recognition_id=reading.recognition_id, **told)
        if given:
            value["item"]["experiment"] = arm_value(given.experiment, given.arm, hidden=True)
        value["run"].update(_end(recognition.generation))
        value["model_lines"] = value["lines"]
        value["thresholds"] = self._measured(recognition)
        value["html"] = content_html(recognition.content, Task(recognition.prompt.task))
        value.update(version=0, revision=0, state="pending")

    def item(self, item: Item) -> dict[str, Any]:
        """A stored item as it was left: the latest correction, or the model's own output."""
        stored = item.recognition
        recognition = stored.recognition
        content, review = item.content, item.review.review
        value = self._value(item.page.page, item.page.id)
        value.update(self._content(content.to_dict()))
        told = asked_value(recognition, item.arm.asked_template if item.arm and item.arm_hidden else "")
        value["item"].update(recognition_id=stored.id, created_at=stored.created_at.isoformat(), **told)
        if item.arm:
            value["item"]["experiment"] = arm_value(item.arm.experiment, item.arm.arm, item.arm_hidden)
        value.update(
            raw=recognition.generation.text,
            html=content_html(content, Task(recognition.prompt.task)),
            model_lines=recognition.content.to_dict()["lines"],
            run={
                "state": recognition.outcome,
                "seconds": recognition.generation.seconds,
                "error": note_value(recognition.error),
                **_end(recognition.generation),
            },
            rereads=[reread_value(one) for one in item.rereads],
            thresholds=self._measured(recognition),
            version=item.review.latest_version,
            revision=item.review.revision,
            verdict=review.verdict,
            state=review.state,
            error_kinds=list(review.error_kinds),
            note=review.note,
        )
        return value

    def _value(self, page: Page | None, page_id: int | None) -> dict[str, Any]:
        shown = None if page is None or page_id is None else page_value(page, page_id)
        return {
            "item": {"recognition_id": None, "page": shown},
            "lines": [],
            "fields": [],
            "tables": [],
            "regions": [],
            "text": "",
            "html": "",
            "raw": "",
            "warnings": [],
            "run": {"state": "idle"},
            "model_lines": [],
            "rereads": [],
            "version": 0,
            "verdict": None,
            "state": "pending",
            "error_kinds": [],
            "note": "",
            "low_confidence": self._low,
            "thresholds": [],
        }

    def _measured(self, recognition: Recognition) -> list[dict[str, Any]]:
        """What stands in for `low_confidence`, or would; blocks on the store."""
        if self._thresholds is None:
            return []
        return [one.brief() for one in self._thresholds.of(recognition)]

    @staticmethod
    def _content(content: dict[str, Any]) -> dict[str, Any]:
        return {key: content[key] for key in ("lines", "regions", "fields", "tables", "text", "warnings")}

    @staticmethod
    def _run(progress: Progress) -> dict[str, Any]:
        counted = progress.tokens if progress.tokens is not None else len(progress.content.lines)
        return {
            "state": "running" if progress.state == "waiting" else progress.state,
            "waiting": progress.state == "waiting",
            "seconds": progress.seconds,
            "first_line_seconds": progress.first_line_seconds,
            "lines": len(progress.content.lines),
            "total_lines": progress.total_lines,
            "tokens": progress.tokens,
            "rate": counted / progress.seconds if progress.seconds > 0 else 0,
            "error": error_value(progress.error) if progress.error else None,
            "request": to_look_for(progress.error) if progress.error else "",
        }
