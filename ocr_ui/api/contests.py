"""Evaluations over HTTP: contests in the background, and the log of everything that was evaluated or timed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from ocr_ui.api.errors import Localize, language_of
from ocr_ui.api.exact import ExactJSONResponse
from ocr_ui.services.access import who
from ocr_ui.services.contests import ContestProgress, contest_value
from ocr_ui.services.evaluate import AT_ONCE, MOST_COMPETITORS, Ask
from ocr_ui.services.evaluation_scores import read_normalization
from ocr_ui.services.run_log import Tell
from ocr_ui.services.workbench import Workbench

SIDE = r"^\d{1,9}\.[A-Z]$"


class CompetitorBody(BaseModel):
    """`version`: of the template, empty for the one in use; `engine`: empty for the default."""

    template: str = Field(max_length=200)
    version: str = Field("", max_length=40)
    engine: str = Field("", max_length=200)


class ContestBody(BaseModel):
    """`data` and `normalize` as docs/evaluation.md has them; the first competitor is what others are held against.

    `fresh`: what was read before is read again.
    """

    data: str = Field("examples", max_length=1000)
    competitors: list[CompetitorBody] = Field(min_length=1, max_length=MOST_COMPETITORS)
    normalize: str = Field("nfkc,spaces", max_length=200)
    at_once: int = Field(AT_ONCE, ge=1, le=64)
    fresh: bool = False
    person: str = Field("", max_length=200)


def contest_routes(workbench: Workbench, localize_error: Localize) -> APIRouter:
    routes = APIRouter(tags=["contests"])
    contests, runs = workbench.contests, workbench.runs

    def told(progress: ContestProgress, request: Request) -> dict[str, Any]:
        value = contest_value(progress)
        return {**value, "reason": value["reason"] and localize_error(value["reason"], language_of(request))}

    def telling(language: str) -> Tell:
        return lambda error: localize_error(error, language)

    @routes.post("/v1/contests", status_code=202)
    async def create(body: ContestBody, request: Request) -> dict[str, Any]:
        """Templates and engines on pages whose right answer is known, read and scored in the background."""
        asked = tuple(
            (f"{one.template}@{one.version}" if one.version else one.template, one.engine) for one in body.competitors
        )
        ask = Ask(
            data=body.data,
            competitors=asked,
            normalization=read_normalization(body.normalize),
            at_once=body.at_once,
            fresh=body.fresh,
        )
        return told(await contests.create(ask, who(body.person)), request)

    @routes.get("/v1/contests")
    async def listed(request: Request, limit: Annotated[int, Query(ge=1, le=100)] = 20) -> dict[str, Any]:
        """The newest first."""
        return {"contests": [told(one, request) for one in await contests.list(limit)]}

    @routes.get("/v1/contests/{contest}")
    async def progress(contest: int, request: Request) -> dict[str, Any]:
        """How far it is; `run` is its number in the log once it is done."""
        return told(await contests.progress(contest), request)

    @routes.post("/v1/contests/{contest}/pause")
    async def pause(contest: int, request: Request) -> dict[str, Any]:
        """Ends the reading; what was read is kept."""
        return told(await contests.pause(contest), request)

    @routes.post("/v1/contests/{contest}/resume")
    async def resume(contest: int, request: Request) -> dict[str, Any]:
        """Goes on where it stopped."""
        return told(await contests.resume(contest), request)

    @routes.post("/v1/contests/{contest}/cancel")
    async def cancel(contest: int, request: Request) -> dict[str, Any]:
        """Gives it up; what was read is kept for other contests."""
        return told(await contests.cancel(contest), request)

    @routes.get("/v1/labelled-set")
    async def look(data: Annotated[str, Query(max_length=1000)] = "examples") -> ExactJSONResponse:
        """What a set of labelled pages holds, and which templates fit how many of them."""
        return ExactJSONResponse(await contests.look(data))

    @routes.get("/v1/runs")
    async def log(
        kind: Literal["", "evaluate", "benchmark"] = "",
        data: Annotated[str, Query(max_length=64)] = "",
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    ) -> ExactJSONResponse:
        """Evaluations and measurements of speed, the newest first, with their figures and what had changed.

        `data`: checksum of a set of pages.
        """
        return ExactJSONResponse({"runs": await runs.list(kind, data, limit)})

    @routes.get("/v1/runs/compare")
    async def compare(
        first: Annotated[str, Query(pattern=SIDE)], second: Annotated[str, Query(pattern=SIDE)]
    ) -> ExactJSONResponse:
        """Two competitors of any two runs, each as a run's number and a letter, `12.A`."""
        return ExactJSONResponse(await runs.compare(_side(first), _side(second)))

    @routes.get("/v1/runs/{run}")
    async def result(run: int, request: Request, pages: bool = True) -> ExactJSONResponse:
        """The whole result. `pages=false` leaves the pages out."""
        return ExactJSONResponse(await runs.result(run, pages, telling(language_of(request))))

    @routes.get("/v1/runs/{run}/report")
    async def report(run: int, language: Literal["en", "zh"] = "en") -> Response:
        """The report of an evaluation as one HTML file, to be kept: it loads nothing."""
        named = f'attachment; filename="evaluation-{run}.html"'
        return Response(
            await runs.report(run, language, telling(language)),
            media_type="text/html",
            headers={"Content-Disposition": named},
        )

    @routes.get("/v1/runs/{run}/pages/{number}")
    async def page(
        run: int,
        number: int,
        key: Annotated[str, Query(pattern="^[A-Z]$")],
        request: Request,
        as_scored: bool = False,
    ) -> ExactJSONResponse:
        """What competitor `key` read of a page (counted from 0) beside what is known of it.

        `as_scored`: what the scores count as equal, by `normalization`, is not told as different.
        """
        return ExactJSONResponse(await runs.page(run, number, key, telling(language_of(request)), as_scored))

    @routes.get("/v1/runs/{run}/pages/{number}/picture")
    async def picture(run: int, number: int, turns: Annotated[int, Query(ge=0, le=3)] = 0) -> Response:
        """The picture of a page as PNG, `turns` quarters turned to the left."""
        kept = {"Cache-Control": "private, max-age=3600"}
        return Response(await runs.picture(run, number, turns), media_type="image/png", headers=kept)

    return routes


def _side(written: str) -> tuple[int, str]:
    run, _, key = written.partition(".")
    return int(run), key
