"""Thousands of requests made from the OpenAPI document: none may end in a failure that nobody expected."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from fakes import ScriptedEngine
from live import live, rest_app
from stored import png

from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Finished, Started, TextDelta
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings

pytestmark = pytest.mark.stress


def program() -> str:
    found = shutil.which("schemathesis", path=str(Path(sys.executable).parent)) or shutil.which("schemathesis")
    if found is None:
        pytest.skip("schemathesis is not installed: pip install -r requirements-stress.txt")
    return found


def test_no_request_that_the_description_allows_makes_the_server_fail(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data", export_dir=tmp_path / "exports", turn_pages=False)
    engine = ScriptedEngine([Started(), TextDelta("Total 12.50"), Finished(Generation("Total 12.50"))])
    app = rest_app(settings, Engines({"scripted": engine}))
    with live(app) as url:
        for shade in range(3):
            assert httpx.post(f"{url}/v1/ocr", files={"file": ("a.png", png(shade))}, timeout=60).status_code == 200
        asked = ["-c", "not_a_server_error", "--phases", "examples,coverage,fuzzing", "--max-examples", "20"]
        command = [program(), "run", f"{url}/openapi.json", *asked, "--seed", "1", "--request-timeout", "30"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-5000:]
    assert "No test" not in done.stdout
