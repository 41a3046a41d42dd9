"""Is the server alive, and are its engines ready?"""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from ocr_ui.api.errors import Localize, language_of
from ocr_ui.errors import WorkbenchError
from ocr_ui.services.engines import EngineInfo
from ocr_ui.services.view import error_value
from ocr_ui.services.workbench import Workbench


def health_routes(workbench: Workbench, localize_error: Localize) -> APIRouter:
    routes = APIRouter(tags=["health"])

    def state(request: Request) -> dict[str, Any]:
        language = language_of(request)
        engines = [told(info, localize_error, language) for info in workbench.engines.infos()]
        return {"state": engines[0]["state"] if engines else "dead", "engines": engines}

    @routes.get("/healthz")
    async def healthz(request: Request) -> dict:
        """200 while the process lives; the body says loading, ready, degraded or dead, as the default engine is."""
        return state(request)

    @routes.get("/readyz")
    async def readyz(request: Request) -> JSONResponse:
        """200 once the default engine is warmed, put away since or not (it starts when it is chosen); else 503, and so
        once the server is told to stop, and while the database is away (`store` says so)."""
        body = state(request)
        try:
            await asyncio.to_thread(workbench.store.check)
        except WorkbenchError as error:
            body["store"] = localize_error(error_value(error), language_of(request))["message"]
        ready = body["state"] in ("ready", "degraded", "idle") and not workbench.admission.stopping
        ready = ready and "store" not in body
        return JSONResponse(body, status_code=200 if ready else 503)

    return routes


def told(info: EngineInfo, localize_error: Localize, language: str) -> dict[str, Any]:
    """How an engine is, as JSON: `seconds` since its phase began; bytes in `share` and `memory`."""
    health = info.health
    said = [localize_error(error_value(problem), language) for problem in health.problems]
    return {
        "name": info.name,
        "kind": info.kind,
        "state": health.state.value,
        "phase": health.phase.value if health.phase else "",
        "message": " ".join(dict.fromkeys(f"{one['message']} {one['hint']}".strip() for one in said)),
        "seconds": round(time.monotonic() - health.since, 1),
        "share": asdict(health.share) if health.share else None,
        "memory": asdict(health.memory) if health.memory else None,
        "drafts": asdict(health.drafts) if health.drafts else None,
    }
