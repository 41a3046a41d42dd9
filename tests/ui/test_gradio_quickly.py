from __future__ import annotations

import inspect
from pathlib import Path

from ocr_ui.ui import viewer
from ocr_ui.ui.gradio_quickly import gr


def test_no_type_stubs_are_written_beside_components() -> None:
    class Probe(gr.HTML):
        """A component that Gradio would write a stub for."""

    assert not Path(__file__).with_suffix(".pyi").exists()
    assert issubclass(Probe, gr.HTML)


def test_everybody_else_still_finds_source_files() -> None:
    assert inspect.getfile(viewer.Viewer) == viewer.__file__
