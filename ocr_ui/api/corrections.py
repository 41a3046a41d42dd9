"""Corrections: save one, and what it changes."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, Field

from ocr_ui.domain.review import ErrorKind, State, Verdict
from ocr_ui.services.access import who
from ocr_ui.services.annotate import Saved
from ocr_ui.services.view import arm_value, asked_value
from ocr_ui.services.workbench import Workbench


class ContentBody(BaseModel):
    """A page as a person says it is; see `PageContent.to_dict` for the shape of `content`."""

    recognition_id: int
    content: dict


class CorrectionBody(ContentBody):
    base_version: int = Field(ge=0)
    verdict: Verdict | None = None
    error_kinds: list[ErrorKind] | None = None
    note: str | None = None
    person: str = Field("", max_length=200)
    client_key: str = Field(min_length=8, max_length=64)
    base_revision: int | None = None
    state: State | None = None


def correction_routes(workbench: Workbench) -> APIRouter:
    routes = APIRouter(tags=["corrections"])

    @routes.post("/v1/corrections")
    async def save(body: CorrectionBody) -> dict:
        """Keeps a correction as a new version. Answered only when it is on disk; the same `client_key` counts once.

        With a verdict, `experiment` tells whose arm the reading was, where it was one's, and `asked` what asked for it.
        """
        saved = await workbench.annotator.save_correction(
            recognition_id=body.recognition_id,
            base_version=body.base_version,
            content=body.content,
            verdict=body.verdict,
            error_kinds=body.error_kinds,
            note=body.note,
            person=who(body.person),
            client_key=body.client_key,
            base_revision=body.base_revision,
            state=body.state,
        )
        value = saved_value(saved)
        arm = await workbench.experiments.arm_of(body.recognition_id) if saved.verdict else None
        if arm is None:
            return value
        asked = asked_value((await workbench.annotator.open_item(body.recognition_id)).recognition.recognition)
        return {**value, "experiment": arm_value(arm.experiment, arm.arm, hidden=False), "asked": asked}

    @routes.post("/v1/differences")
    async def differences(body: ContentBody) -> dict:
        """What a content changes against the model's output: edit distance, CER, kinds of error."""
        found = await workbench.annotator.differences(body.recognition_id, body.content)
        return {
            "edit_distance": found.edit_distance,
            "changed": found.changed,
            "cer": found.cer,
            "error_kinds": [kind.value for kind in found.kinds],
        }

    return routes


def saved_value(saved: Saved) -> dict:
    return {
        "version": saved.version,
        "revision": saved.revision,
        "verdict": saved.verdict,
        "state": saved.state,
        "edit_distance": saved.edit_distance,
        "cer": saved.cer,
        "error_kinds": list(saved.error_kinds),
        "saved_at": saved.saved_at.isoformat(),
    }
