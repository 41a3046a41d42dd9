from __future__ import annotations

import inspect
from pathlib import Path

from ocr_ui.ui import viewer
from ocr_ui.ui.app import look_less_often
from ocr_ui.ui.gradio_quickly import gr


def test_no_type_stubs_are_written_beside_components() -> None:
    class Probe(gr.HTML):
        """A component that Gradio would write a stub for."""

    assert not Path(__file__).with_suffix(".pyi").exists()
    assert issubclass(Probe, gr.HTML)


def test_everybody_else_still_finds_source_files() -> None:
    assert inspect.getfile(viewer.Viewer) == viewer.__file__


def test_the_waits_that_the_page_makes_longer_are_those_of_gradios_queue() -> None:
    demo = gr.Blocks()
    own = vars(gr.Blocks()._queue)
    look_less_often(demo)
    changed = {name: value for name, value in vars(demo._queue).items() if name.endswith("_free")}
    assert changed == {"sleep_when_free": 0.01, "progress_update_sleep_when_free": 0.05}
    assert changed.keys() <= own.keys()
