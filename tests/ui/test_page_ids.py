"""The ids of the page that Gradio gives; those that modules make are looked for in the browser."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from fakes import ScriptedEngine

from ocr_ui.services.engines import Engines
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import Settings
from ocr_ui.ui.app import build


async def test_no_id_stands_twice(tmp_path: Path) -> None:
    made = Workbench.open(Settings(_env_file=None, data_dir=tmp_path), Engines({"scripted": ScriptedEngine([])}))
    ids = [name for one in build(made, "en").blocks.values() if (name := one.elem_id)]
    await made.close()
    assert len(ids) > 60
    assert [name for name, times in Counter(ids).items() if times > 1] == []
