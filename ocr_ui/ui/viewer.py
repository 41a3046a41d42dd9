"""The result viewer and editor: a picture with its lines, shown and corrected. One own component of the page.

What was recognised travels as JSON text (see `ModuleHTML`) and reaches the page through `textContent` and `value`,
except `html`, which the server has made safe.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ocr_ui.ui.module_html import ModuleHTML

STATIC = Path(__file__).parent / "static"
"""Folder to be served at /static-ui."""

# Keeps the room until the style sheet is there, so that nothing jumps.
CSS = ".vw-host { min-height: var(--vw-height, clamp(560px, calc(100vh - 150px), 1200px)); }"


class Viewer(ModuleHTML):
    """Shows one page with what was read on it, and lets a person correct and judge it.

    Value (all keys optional; None or {} is the empty door for a picture)::

        {"item": {"recognition_id": int | None, "template": str, "engine": str, "method": str, "created_at": str,
                  "page": {"sha256": str, "url": str, "width": int, "height": int, "name": str}},
         "lines": [{"id": str, "text": str, "quad": [[x, y]] * 4 | None, "confidence": float | None}],
         "fields": [{"name": str, "value": str | None, "quad", "confidence", "kind": str}],
         "tables": [{"html": str, "grid": [[str]]}], "regions": [...], "text": str, "raw": str,
         "html": str,            # safe markup of the rendered view: but for source previews the only markup taken in
         "warnings": [{"code": str, "message": str, "line": int | None}],       # in the language of the page
         "run": {"state": "idle" | "running" | "complete" | "stopped" | "cut" | "failed", "message": str,
                 "seconds": float, "first_line_seconds": float, "lines": int, "total_lines": int, "tokens": int,
                 "waiting": bool, "error": {...} | None,
                 "rate": float},         # tokens a second with tokens, else lines a second
         "model_lines": [...],   # as lines: what the model read, to compare with and to restore
         "rereads": [{"id": int, "engine": str, "lines": [...]}],    # boxes read anew: what an engine wrote since
         "version": int, "verdict": None | "right" | "wrong", "error_kinds": [str], "note": str, "state": str,
         "low_confidence": float,  # what is less sure is marked, unless for its part a threshold was measured:
         "thresholds": [{"part": "line" | "cell" | "field:KIND", "threshold": float, "count": int, "wrong": int,
                         "miss_rate": float, "unused": [str]}],         # why it does not count; empty where it does
         "readonly": bool}

    Coordinates are pixels of the stored, upright picture. While `run.state` is "running", values may come up to
    twenty times a second, each with all lines so far; ids of lines must stay the same. A value for the recognition
    that is shown never removes unsaved edits.

    Events (give `queue=False, show_progress="hidden"`):
        upload: a picture came in or was rotated; `gr.EventData` has `page` (as above) and `warnings`.
        saved: a correction is on disk; `gr.EventData` has `recognition_id` and `version`.
        change: as saved, but Gradio also sends it, without data, for every new value.

    Talks to: POST /v1/pictures, POST /v1/pages/{sha256}/rotate {"turns"} (quarter turns clockwise),
    POST /v1/corrections, POST /v1/differences, GET /v1/items/{id}, POST /v1/items/{id}/rewards,
    with the header X-Workbench-Lang.

    Args:
        value: see above.
        words: `viewer_words(lang)`, or a table that holds it.
        lang: "en" or "zh", that of `words` where None.
        height: a CSS length; None fills the window.
        door: False hides everything through which a picture comes in (a viewer for stored items).
    """

    def __init__(
        self,
        value: dict[str, Any] | None = None,
        *,
        words: dict[str, str],
        lang: str | None = None,
        height: str | None = None,
        door: bool = True,
        elem_id: str = "viewer",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            value,
            module="viewer/viewer.mjs",
            words=words,
            elem_id=elem_id,
            frame_class="vw-host",
            events=("upload", "saved", "change"),
            css_template=CSS + (f" .vw-host {{ --vw-height: {height}; }}" if height else ""),
            lang=lang or words.get("locale", "en")[:2],
            door=door,
            **kwargs,
        )
