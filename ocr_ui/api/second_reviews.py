"""Second reviews, agreement, disputes and how they end."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from ocr_ui.api.corrections import saved_value
from ocr_ui.api.errors import Localize, language_of
from ocr_ui.api.exact import ExactJSONResponse
from ocr_ui.domain.review import ErrorKind, Verdict
from ocr_ui.domain.second import Choice
from ocr_ui.services.access import who
from ocr_ui.services.second_reviews import agreement_value, dispute_value, second_value
from ocr_ui.services.workbench import Workbench


class SecondBody(BaseModel):
    recognition_id: int
    content: dict
    person: str = Field(max_length=200)
    blind: bool
    verdict: Verdict | None = None
    error_kinds: list[ErrorKind] | None = None
    note: str | None = None
    client_key: str = Field(min_length=8, max_length=64)


class ChoiceBody(BaseModel):
    """What becomes of a part of the dispute: `first`, `second`, or `own` with a text."""

    part: int = Field(ge=0)
    take: str
    text: str = ""


class ResolutionBody(BaseModel):
    second_id: int
    base_version: int = Field(ge=0)
    choices: list[ChoiceBody]
    person: str = Field("", max_length=200)
    verdict: Verdict | None = None
    client_key: str = Field(min_length=8, max_length=64)


def second_review_routes(workbench: Workbench, localize: Localize) -> APIRouter:
    routes = APIRouter(tags=["second reviews"])
    second = workbench.second

    @routes.get("/v1/items/{recognition_id}/second")
    async def begin(recognition_id: int, request: Request, person: str = "", blind: bool = True) -> ExactJSONResponse:
        """The item as a second person gets it, in the form of `/v1/items/{id}`: blind, it has nothing of the first
        review; `second` says which of the two it is, and tells the first review where that is visible."""
        begun = await second.begin(recognition_id, who(person), blind)
        value = await asyncio.to_thread(workbench.views.item, begun.item)
        first = begun.first and {
            "person": begun.first.person,
            "verdict": begun.first.verdict,
            "note": begun.first.note,
        }
        value["second"] = {"blind": begun.blind, "first": first}
        return ExactJSONResponse(localize(value, language_of(request)))

    @routes.post("/v1/second-reviews")
    async def save(body: SecondBody) -> ExactJSONResponse:
        """Keeps what a second person says of the page; answered when it is on disk, the same `client_key` counts once.

        Blind, the answer says nothing of the first review either.
        """
        stored = await second.save(
            body.recognition_id,
            body.content,
            who(body.person),
            body.blind,
            body.verdict,
            body.error_kinds,
            body.note,
            body.client_key,
        )
        value = second_value(stored)
        return ExactJSONResponse({key: value[key] for key in ("id", "verdict", "error_kinds", "note", "saved_at")})

    @routes.get("/v1/agreement")
    async def agreement() -> ExactJSONResponse:
        """How far people agree: per pair of a first and a second person, and per template."""
        found = await second.agreement()
        return ExactJSONResponse({f"{group}s": [agreement_value(row) for row in rows] for group, rows in found.items()})

    @routes.get("/v1/items/{recognition_id}/dispute")
    async def dispute(recognition_id: int) -> ExactJSONResponse:
        """Both reviews part by part: lines, fields, tables, passages, with what differs."""
        return ExactJSONResponse(dispute_value(await second.dispute(recognition_id)))

    @routes.post("/v1/items/{recognition_id}/resolution")
    async def resolve(recognition_id: int, body: ResolutionBody) -> dict:
        """Ends a dispute: one page of both, by a choice for each part that differs, as a new correction."""
        saved = await second.resolve(
            recognition_id,
            body.second_id,
            body.base_version,
            {choice.part: Choice(choice.take, choice.text) for choice in body.choices},
            who(body.person),
            body.verdict,
            body.client_key,
        )
        return saved_value(saved)

    return routes
