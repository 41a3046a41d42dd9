"""The server with an engine that takes a while for a page, as a process of its own: for tests of its end."""

from __future__ import annotations

import sys
from contextlib import closing

from fakes import Pause, ScriptedEngine
from live import rest_app

import app
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Finished, Started, TextDelta
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings

if __name__ == "__main__":
    settings = Settings()
    engine = ScriptedEngine(
        [
            Started(),
            TextDelta("first"),
            Pause(float(sys.argv[1])),
            TextDelta(" last"),
            Finished(Generation("first last")),
        ]
    )
    with closing(app.bind(settings)) as listener:
        raise SystemExit(app.serve(rest_app(settings, Engines({"scripted": engine})), settings, listener))
