"""Batches over HTTP: files in, how far it is, results out, pause, resume, cancel, try again."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Query, Request, UploadFile
from fastapi.responses import FileResponse, StreamingResponse
from pydantic import BaseModel, Field
from starlette.background import BackgroundTask

from ocr_ui.api.errors import Localize, language_of
from ocr_ui.api.forms import NOT_JSON
from ocr_ui.api.pictures import name_of
from ocr_ui.domain.job import PRIORITIES
from ocr_ui.errors import BadInput
from ocr_ui.services.access import who
from ocr_ui.services.export import NothingToExport
from ocr_ui.services.job_view import job_value, result_pieces
from ocr_ui.services.jobs import Again, Handed, JobAsk, JobProgress, nothing_was_read
from ocr_ui.services.workbench import Workbench

RESULTS = "markdown,jsonl,csv,docx,pdf,boxes"
SUBTITLES = ",srt,vtt"
Name = Annotated[str, Form(max_length=200)]


class AgainBody(BaseModel):
    """Numbers of items. Without `engine` and `template` as they were read before; `variables` of the template in the
    place of those of the item."""

    items: list[int] = Field(min_length=1, max_length=1_000)
    engine: str = Field("", max_length=200)
    template: str = Field("", max_length=200)
    variables: dict[str, str] = {}
    person: str = Field("", max_length=200)


def job_routes(workbench: Workbench, localize_error: Localize) -> APIRouter:
    routes = APIRouter(tags=["jobs"])
    jobs = workbench.jobs

    def told(progress: JobProgress, request: Request) -> dict[str, Any]:
        value, language = job_value(progress), language_of(request)
        failures = [{**one, "error": localize_error(one["error"], language)} for one in value["failures"]]
        reason = value["reason"] and localize_error(value["reason"], language)
        return {**value, "failures": failures, "reason": reason}

    @routes.post("/v1/jobs", status_code=202)
    async def create(
        request: Request,
        files: Annotated[list[UploadFile], File()] = [],  # noqa: B006 - FastAPI copies defaults
        template: Name = "full_text",
        variables: Annotated[str, Form(max_length=20_000)] = "",
        engine: Name = "",
        pages: Annotated[str, Form(max_length=1000)] = "",
        priority: Name = "normal",
        name: Name = "",
        person: Name = "",
        webhook: Annotated[bool, Form()] = False,
        rules: Annotated[str, Form(max_length=20_000)] = "",
        documents: Annotated[str, Form(max_length=20_000)] = "",
        start: Annotated[bool, Form()] = True,
    ) -> dict[str, Any]:
        """Takes pictures, documents and zip archives, and reads them in the background.

        `variables` is a JSON object, `rules` a JSON list, `pages` as 1-3,7. With `start=false` the batch waits for more
        files (`/files`) and for `/resume`. `documents`: a JSON object of names and sha256 of documents that were handed
        in to be read page by page.
        """
        values, listed = _json(variables, "variables", dict), _json(rules, "rules", list)
        texts = {str(key): str(value) for key, value in values.items()}
        ask = JobAsk(template, texts, engine, pages, priority, name, webhook, tuple(listed))
        asker = who(person)
        kept = _json(documents, "documents", dict)
        handed = [*(Handed(str(name), sha256=str(sha256)) for name, sha256 in kept.items()), *_handed(files)]
        return told(await jobs.create(ask, handed, asker if asker.name else None, start), request)

    @routes.post("/v1/jobs/{job}/files", status_code=202)
    async def add(job: int, files: Annotated[list[UploadFile], File()], request: Request) -> dict[str, Any]:
        """More files for a batch that has not ended."""
        return told(await jobs.add(job, _handed(files)), request)

    @routes.post("/v1/jobs/again", status_code=202)
    async def again(body: AgainBody, request: Request) -> dict[str, Any]:
        """Reads the pictures of items once more, with the same question or another: a batch for each question."""
        asker = who(body.person)
        asked = Again(body.engine, body.template, body.variables)
        begun = await jobs.again(body.items, asked, asker if asker.name else None)
        return {"jobs": [told(one, request) for one in begun]}

    @routes.get("/v1/jobs")
    async def listed(request: Request, limit: Annotated[int, Query(ge=1, le=100)] = 20) -> dict[str, Any]:
        """The newest first."""
        return {"jobs": [told(one, request) for one in await jobs.list(limit)], "priorities": list(PRIORITIES)}

    @routes.get("/v1/jobs/{job}")
    async def progress(job: int, request: Request) -> dict[str, Any]:
        """How far a batch is, and what failed."""
        return told(await jobs.progress(job), request)

    @routes.get("/v1/jobs/{job}/results")
    async def results(job: int) -> StreamingResponse:
        """The batch with all pages that are read, as one JSON object; corrected pages as they were corrected."""
        pieces = result_pieces(workbench.store, await jobs.handed_out(job))
        return StreamingResponse(_off_the_loop(pieces), media_type="application/json")

    @routes.get("/v1/jobs/{job}/results.zip")
    async def archive(job: int, formats: Annotated[str, Query(max_length=200)] = "") -> FileResponse:
        """The pages that are read in several formats, written to disk and sent as one archive.

        `formats`: names of export formats, separated by commas; without them those that are of use to most.
        """
        usual = RESULTS + (SUBTITLES if await jobs.has_frames(job) else "")
        wanted = [name.strip() for name in (formats.strip(", ") or usual).split(",") if name.strip()]
        await jobs.progress(job)
        try:
            made = await workbench.exporter.bundled(wanted, {"jobs": [job]}, f"batch-{job}")
        except NothingToExport as error:
            raise nothing_was_read(job) from error
        gone = BackgroundTask(shutil.rmtree, made.folder, ignore_errors=True)
        return FileResponse(made.file, media_type=made.media_type, filename=made.name, background=gone)

    @routes.post("/v1/jobs/{job}/pause")
    async def pause(job: int, request: Request) -> dict[str, Any]:
        """Begins no more pages; those that are being read are finished."""
        return told(await jobs.pause(job), request)

    @routes.post("/v1/jobs/{job}/resume")
    async def resume(job: int, request: Request) -> dict[str, Any]:
        """Goes on with a batch that is paused, or begins one that was being filled."""
        return told(await jobs.resume(job), request)

    @routes.post("/v1/jobs/{job}/cancel")
    async def cancel(job: int, request: Request) -> dict[str, Any]:
        """Gives up what is not done; what is done stays."""
        return told(await jobs.cancel(job), request)

    @routes.post("/v1/jobs/{job}/retry")
    async def retry(job: int, request: Request) -> dict[str, Any]:
        """Reads once more what failed."""
        return told(await jobs.retry(job), request)

    return routes


def _handed(files: list[UploadFile]) -> list[Handed]:
    return [Handed(name_of(file), file.file) for file in files]


def _json(written: str, name: str, kind: type) -> Any:
    if not written.strip():
        return kind()
    try:
        value = json.loads(written)
    except NOT_JSON as error:
        raise _malformed(name, str(error) if isinstance(error, json.JSONDecodeError) else "not JSON") from error
    if not isinstance(value, kind):
        raise _malformed(name, f"not a JSON {'object' if kind is dict else 'list'}")
    return value


def _malformed(name: str, reason: str) -> BadInput:
    told = f"{name}: {reason}"
    return BadInput("malformed", f"{told}.", "Send the request in the form that docs/ describes.", reason=told)


async def _off_the_loop(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    try:
        while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
            yield piece
    finally:
        await asyncio.to_thread(pieces.close)  # type: ignore[attr-defined]
