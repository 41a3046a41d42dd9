"""Five minutes of more clients than the product takes at once, and of a few on the real engine. The hour is a command:
`make soak`. OCR_UI_STRESS_SECONDS shortens both.
"""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from tests.stress.load import Load, load
from tests.stress.serving import serving

pytestmark = pytest.mark.stress
SECONDS = float(os.environ.get("OCR_UI_STRESS_SECONDS", "300"))


def checked(found: Load) -> None:
    told = found.told()
    print(json.dumps(told))
    assert found.errors == {}, told
    assert found.lost == [], told
    assert found.read, told
    assert found.grown == {}, told


def run(folder: Path, engine: str, clients: int, sessions: int) -> Load:
    with serving(folder / "data", engine) as (url, process):
        return asyncio.run(load(url, process.pid, SECONDS, clients, sessions, real=engine != "scripted"))


def test_200_programs_and_20_tabs_are_answered_or_told_to_wait_and_nothing_is_lost(tmp_path: Path) -> None:
    found = run(tmp_path, "scripted", clients=200, sessions=20)
    checked(found)
    assert found.answers["page"] > 0
    assert found.answers["503"] > 0, "there was no overload"


def test_4_programs_on_the_real_engine(tmp_path: Path) -> None:
    checked(run(tmp_path, "rapidocr", clients=4, sessions=0))
