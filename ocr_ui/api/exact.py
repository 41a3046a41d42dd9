"""JSON that carries every text that a model or a person wrote."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse

from ocr_ui.domain.exact_json import dumps


class ExactJSONResponse(JSONResponse):
    """Also takes lone surrogates, halves of characters that a model may end on: the standard one fails on them."""

    def render(self, content: Any) -> bytes:
        return dumps(content).encode("utf-8")
