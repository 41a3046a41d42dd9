"""How the product does now, for the Monitor tab and for `python -m ocr_ui doctor`."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from ocr_ui.api.errors import Localize, language_of
from ocr_ui.services.workbench import Workbench


def monitor_routes(workbench: Workbench, localize_finding: Localize) -> APIRouter:
    routes = APIRouter(tags=["health"])

    @routes.get("/v1/monitor")
    async def monitor(request: Request) -> dict[str, Any]:
        """The queue, latencies, tokens, cards and errors of the last 20 minutes, and what limits the speed now."""
        told, language = await workbench.monitor.told(), language_of(request)
        findings = [localize_finding(one, language) for one in told["findings"]]
        return {**told, "verdict": localize_finding(told["verdict"], language), "findings": findings}

    return routes
