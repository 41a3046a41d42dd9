"""The result viewer and editor: a picture with its lines, shown and corrected. One own component of the page.

The markup that Gradio gets is static: Gradio evaluates templates as code, so nothing that was recognised may pass
through them. All of it travels as JSON text and reaches the page through `textContent` and `value`, except `html`,
which the server has made safe.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ocr_ui.ui.gradio_quickly import gr

STATIC = Path(__file__).parent / "static"
"""Folder to be served at /static-ui."""

MODULE_URL = "/static-ui/viewer/viewer.mjs"

TEMPLATE = '<div class="vw-host"></div>'

# Gradio finds the names of own events as quoted words in this text.
ON_LOAD = """
const events = ["upload", "saved", "change"];
import(props.module_url)
  .then((module) => module.mount({ element, props, trigger, watch }))
  .catch((error) => { element.textContent = `The viewer did not load: ${error}`; });
"""

# Keeps the room until the style sheet is there, so that nothing jumps.
CSS = ".vw-host { min-height: var(--vw-height, clamp(560px, calc(100vh - 150px), 1200px)); }"


class Viewer(gr.HTML):
    """Shows one page with what was read on it, and lets a person correct and judge it.

    Value (all keys optional; None or {} is the empty door for a picture)::

        {"item": {"recognition_id": int | None, "template": str, "engine": str, "method": str, "created_at": str,
                  "page": {"sha256": str, "url": str, "width": int, "height": int, "name": str}},
         "lines": [{"id": str, "text": str, "quad": [[x, y]] * 4 | None, "confidence": float | None}],
         "fields": [{"name": str, "value": str | None, "quad", "confidence", "kind": str}],
         "tables": [{"html": str, "grid": [[str]]}], "regions": [...], "text": str, "raw": str,
         "html": str,            # safe markup of the rendered view: together with tables' html the only markup taken in
         "warnings": [{"code": str, "message": str, "line": int | None}],       # in the language of the page
         "run": {"state": "idle" | "running" | "complete" | "stopped" | "cut" | "failed", "message": str,
                 "seconds": float, "first_line_seconds": float, "lines": int, "total_lines": int, "tokens": int,
                 "waiting": bool, "error": {...} | None,
                 "rate": float},         # tokens a second with tokens, else lines a second
         "model_lines": [...],   # as lines: what the model read, to compare with and to restore
         "version": int, "verdict": None | "right" | "wrong", "error_kinds": [str], "note": str, "state": str,
         "low_confidence": float, "readonly": bool}

    Coordinates are pixels of the stored, upright picture. While `run.state` is "running", values may come up to
    twenty times a second, each with all lines so far; ids of lines must stay the same. A value for the recognition
    that is shown never removes unsaved edits.

    Events (give `queue=False, show_progress="hidden"`):
        upload: a picture came in or was rotated; `gr.EventData` has `page` (as above) and `warnings`.
        saved: a correction is on disk; `gr.EventData` has `recognition_id` and `version`.
        change: as saved, but Gradio also sends it, without data, for every new value.

    Talks to: POST /v1/pictures, POST /v1/pages/{sha256}/rotate {"turns"} (quarter turns clockwise),
    POST /v1/corrections, POST /v1/differences, GET /v1/items/{id}, with the header X-Workbench-Lang.

    Args:
        value: see above.
        words: `viewer_words(lang)`, or a table that holds it.
        lang: "en" or "zh", that of `words` where None; change it together with `words` through `gr.update`.
        height: a CSS length; None fills the window.
        door: False hides everything through which a picture comes in (a viewer for stored items).
    """

    def __init__(
        self,
        value: dict[str, Any] | None = None,
        *,
        words: dict[str, str],
        lang: str | None = None,
        module_url: str = MODULE_URL,
        height: str | None = None,
        door: bool = True,
        elem_id: str = "viewer",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            value,
            html_template=TEMPLATE,
            css_template=CSS + (f" .vw-host {{ --vw-height: {height}; }}" if height else ""),
            js_on_load=ON_LOAD,
            apply_default_css=False,
            elem_id=elem_id,
            words=words,
            lang=lang or words.get("locale", "en")[:2],
            module_url=module_url,
            door=door,
            **kwargs,
        )

    def preprocess(self, payload: str | None) -> dict[str, Any] | None:
        """The value as it was last sent to the page or set by an upload; edits come through /v1/corrections."""
        return json.loads(payload) if payload else None

    def postprocess(self, value: dict[str, Any] | None) -> str:
        """JSON text: Gradio's page would wrap a nested value in proxies, which costs 50 to 100 ms a change."""
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value else ""

    def api_info(self) -> dict[str, Any]:
        return {"type": "string", "description": "JSON text of the viewer's value"}
