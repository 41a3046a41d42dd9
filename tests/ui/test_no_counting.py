from __future__ import annotations

import re
from pathlib import Path

from fakes import ScriptedEngine
from fastapi.testclient import TestClient

import app
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.no_counting import COUNTER, SCRIPT


def test_gradio_still_has_the_counter_that_never_ends() -> None:
    (tracker,) = (Path(gr.__file__).parent / "templates" / "frontend" / "assets").glob("statustracker-*.js")
    assert len(re.findall(COUNTER, tracker.read_text("utf-8"))) == 1


def test_the_page_stops_it_before_any_other_script(tmp_path: Path) -> None:
    made = app.create_app(Settings(data_dir=tmp_path), Engines({"scripted": ScriptedEngine([])}))
    page = TestClient(made, base_url="http://localhost").get("/en/").text
    assert page.count(SCRIPT) == 1
    assert page.index(SCRIPT) == page.index("<script")
