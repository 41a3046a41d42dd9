"""A piece of the page drawn by an ES module of our own, inside Gradio."""

from __future__ import annotations

import json
from typing import Any

from ocr_ui.ui.gradio_quickly import gr

STATIC_URL = "/static-ui"
"""Where `ocr_ui/ui/static` is served."""

ON_LOAD = (
    "import(props.module_url).then(m => m.mount({element, props, trigger, watch}))"
    ".catch(e => { element.textContent = String(e); });"
)


class ModuleHTML(gr.HTML):
    """`gr.HTML` with a static frame that a module fills.

    Gradio evaluates templates as code, so no recognised text may pass through them: the frame holds an id alone, and
    text reaches the page through `textContent`. The value travels as a JSON string, because a nested value is proxied
    deeply by the page's framework and costs 50 to 100 ms an update at 300 lines.

    Args:
        value: anything that JSON can hold.
        module: file under `ocr_ui/ui/static`, with an exported function `mount({element, props, trigger, watch})`.
        words: the module's words in the page's language, by key.
        frame_class: CSS class of the frame.
        events: names of events that the module triggers.
        kwargs: those of `gr.HTML`; others reach the module as props.
    """

    def __init__(
        self,
        value: Any = None,
        *,
        module: str,
        words: dict[str, str],
        elem_id: str,
        frame_class: str,
        events: tuple[str, ...] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(
            value,
            html_template=f'<div class="{frame_class}"></div>',
            # Gradio wires the events whose names stand in quotes in this script.
            js_on_load=ON_LOAD + "".join(f'/* trigger("{event}") */' for event in events),
            apply_default_css=False,
            padding=False,
            elem_id=elem_id,
            module_url=f"{STATIC_URL}/{module}",
            words=json.dumps(words, ensure_ascii=False),
            **kwargs,
        )

    def preprocess(self, payload: str | None) -> Any:
        """The value as it was last sent to the page, or as its module has set it."""
        return json.loads(payload) if payload else None

    def postprocess(self, value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value is not None else ""

    def api_info(self) -> dict[str, Any]:
        return {"type": "string", "description": "JSON text of the value"}
