"""Comments on lines and pages, and the guidelines of the project."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from ocr_ui.api.exact import ExactJSONResponse
from ocr_ui.services.access import who
from ocr_ui.services.talk import ShownGuidelines
from ocr_ui.services.workbench import Workbench


class CommentBody(BaseModel):
    """`line_id` is that of a line of the page, "" for the whole page."""

    text: str
    line_id: str = ""
    person: str = Field("", max_length=200)
    client_key: str = Field(min_length=8, max_length=64)


class GuidelinesBody(BaseModel):
    text: str
    base_version: int = Field(ge=0)
    person: str = Field("", max_length=200)


def talk_routes(workbench: Workbench) -> APIRouter:
    routes = APIRouter(tags=["comments"])
    talk = workbench.talk

    @routes.get("/v1/items/{recognition_id}/comments")
    async def comments(recognition_id: int) -> ExactJSONResponse:
        """All comments on an item and its lines, oldest first."""
        return ExactJSONResponse({"comments": [_comment(one) for one in await talk.comments(recognition_id)]})

    @routes.post("/v1/items/{recognition_id}/comments")
    async def comment(recognition_id: int, body: CommentBody) -> ExactJSONResponse:
        """Adds a comment; the same `client_key` counts once."""
        arguments = body.text, who(body.person), body.line_id, body.client_key
        return ExactJSONResponse(_comment(await talk.comment(recognition_id, *arguments)))

    @routes.get("/v1/guidelines")
    async def guidelines(version: int | None = None) -> ExactJSONResponse:
        """The guidelines as Markdown and as safe markup; the newest version where none is named, 0 where there are
        none yet."""
        return ExactJSONResponse(_guidelines(await talk.guidelines(version)))

    @routes.get("/v1/guidelines/versions")
    async def versions() -> ExactJSONResponse:
        """All versions, newest first, without their text."""
        found = await talk.versions()
        return ExactJSONResponse({"versions": [_version(one) for one in found]})

    @routes.post("/v1/guidelines")
    async def write(body: GuidelinesBody) -> ExactJSONResponse:
        """Stores the version after `base_version`; 409 where somebody was faster."""
        written = await talk.write(body.base_version, body.text, who(body.person))
        return ExactJSONResponse(_guidelines(written))

    return routes


def _comment(comment: Any) -> dict[str, Any]:
    return {
        "id": comment.id,
        "line_id": comment.line_id,
        "person": comment.person,
        "text": comment.text,
        "created_at": comment.created_at.isoformat(),
    }


def _version(guidelines: Any) -> dict[str, Any]:
    saved_at = guidelines.saved_at
    return {
        "version": guidelines.version,
        "person": guidelines.person,
        "saved_at": saved_at.isoformat() if saved_at else None,
    }


def _guidelines(shown: ShownGuidelines) -> dict[str, Any]:
    return {**_version(shown.guidelines), "text": shown.guidelines.text, "html": shown.html}
