"""The whole product, page included, in a process of its own: `python serving.py FOLDER PORT ENGINE`.

ENGINE is `scripted` for one that answers at once, or a kind of the product's own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager, suppress
from pathlib import Path

import httpx
from fakes import Pause, ScriptedEngine
from live import until
from processes import free_port

import app
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import EngineEvent, EngineRequest, Finished, Started, TextDelta
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = "Total 12.50"
START_SECONDS = 120


class Forgetful(ScriptedEngine):
    """Keeps nothing of what it was asked, so that the memory of an hour is the product's own."""

    async def generate(self, request: EngineRequest) -> AsyncIterator[EngineEvent]:
        try:
            async with aclosing(super().generate(request)) as events:
                async for event in events:
                    yield event
        finally:
            self.seen.clear()
            self._aborts.pop(request.id, None)


@contextmanager
def serving(folder: Path, engine: str = "scripted", **environment: str) -> Iterator[tuple[str, subprocess.Popen]]:
    """The address of a product that is ready, and its process."""
    port = free_port()
    paths = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
    told = {**os.environ, "PYTHONPATH": paths, "OCR_UI_TURN_PAGES": "false", **environment}
    folder.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"server-{port}.log").open("ab") as log:
        command = [sys.executable, __file__, str(folder), str(port), engine]
        process = subprocess.Popen(command, env=told, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"
    try:
        until(lambda: process.poll() is not None or _ready(url), START_SECONDS)
        assert process.poll() is None, Path(log.name).read_text()[-3000:]
        yield url, process
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _ready(url: str) -> bool:
    with suppress(httpx.TransportError):
        return httpx.get(f"{url}/readyz", timeout=5).status_code == 200
    return False


def main(folder: str, port: str, engine: str) -> int:
    script = [Started(), TextDelta(TEXT[:5]), Pause(0.05), TextDelta(TEXT[5:]), Finished(Generation(TEXT))]
    settings = Settings(_env_file=None, data_dir=Path(folder), port=int(port))
    if engine != "scripted":
        settings = settings.model_copy(update={"engine": engine})
    engines = Engines({"scripted": Forgetful(script)}) if engine == "scripted" else None
    with app.bind(settings) as listener:
        return app.serve(app.create_app(settings, engines), settings, listener)


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
