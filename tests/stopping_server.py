"""The server with an engine that takes a while for a page, or until it is told, as a process of its own: for tests of
its end."""

from __future__ import annotations

import asyncio
import os
from contextlib import closing
from pathlib import Path

from fakes import Pause, ScriptedEngine
from live import rest_app
from processes import GO, PAUSE

import app
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Finished, Started, TextDelta
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings


class Told(ScriptedEngine):
    """Goes on as soon as the file `GO` stands beside the data folder."""

    go: Path

    async def _wait(self, request_id: str, seconds: float) -> None:
        pause = asyncio.ensure_future(super()._wait(request_id, seconds))
        while not pause.done() and not (seconds and self.go.exists()):
            await asyncio.wait([pause], timeout=0.02)
        pause.cancel()


def main() -> int:
    settings = Settings()
    engine = Told(
        [
            Started(),
            TextDelta("first"),
            Pause(float(os.environ[PAUSE])),
            TextDelta(" last"),
            Finished(Generation("first last")),
        ]
    )
    engine.go = settings.data_dir.parent / GO
    with closing(app.bind(settings)) as listener:
        return app.serve(rest_app(settings, Engines({"scripted": engine})), settings, listener)
