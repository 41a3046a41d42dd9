"""Gradio, imported in about half its time: `from ocr_ui.ui.gradio_quickly import gr`.

At import Gradio parses the source of each of its components and writes a type stub (`.pyi`) beside it, into
site-packages, for editors. That is nearly half of its import time and serves nobody here; a class without a source
file is passed over (`gradio.component_meta.create_or_modify_pyi`, seen in 6.31), so that is what it is told. Should a
later Gradio look elsewhere, the stubs are written as before and nothing else changes.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any

_find_file = inspect.getfile


def _no_file_for_stubs(thing: Any) -> str:
    if sys._getframe(1).f_globals.get("__name__") == "gradio.component_meta":
        raise OSError("no stubs")
    return _find_file(thing)


inspect.getfile = _no_file_for_stubs

import gradio as gr  # noqa: E402 - after the line above, which is the point of this file

__all__ = ["gr"]
