"""Is the server alive, and are its engines ready?"""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from ocr_ui.services.workbench import Workbench


def health_routes(workbench: Workbench) -> APIRouter:
    routes = APIRouter(tags=["health"])

    def state() -> dict:
        engines = [
            {
                "name": info.name,
                "state": info.health.state.value,
                "phase": info.health.phase,
                "message": info.health.message,
            }
            for info in workbench.engines.infos()
        ]
        return {"state": engines[0]["state"] if engines else "dead", "engines": engines}

    @routes.get("/healthz")
    async def healthz() -> dict:
        """200 while the process lives; the body says loading, ready, degraded or dead, as the default engine is."""
        return state()

    @routes.get("/readyz")
    async def readyz() -> JSONResponse:
        """200 once the default engine is warmed, else 503."""
        body = state()
        return JSONResponse(body, status_code=200 if body["state"] in ("ready", "degraded") else 503)

    return routes
