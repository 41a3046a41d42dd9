"""The description of the REST interface for people, drawn by Swagger UI from files that come with a package."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles

DOCS_URL, FILES_URL = "/docs", "/static-docs"


def _folder() -> Path:
    """Where fastapi-offline keeps Swagger UI; the package itself, which replaces FastAPI's class, is not imported."""
    found = find_spec("fastapi_offline")
    if found is None or not found.submodule_search_locations:
        raise RuntimeError("fastapi-offline is not installed: pip install -r requirements-cpu.txt")
    return Path(found.submodule_search_locations[0]) / "static"


def add_docs(app: FastAPI) -> None:
    app.mount(FILES_URL, StaticFiles(directory=_folder()), name="static-docs")

    @app.get(DOCS_URL, include_in_schema=False)
    async def docs() -> HTMLResponse:
        return get_swagger_ui_html(
            openapi_url=app.openapi_url or "/openapi.json",
            title=app.title,
            swagger_js_url=f"{FILES_URL}/swagger-ui-bundle.js",
            swagger_css_url=f"{FILES_URL}/swagger-ui.css",
            swagger_favicon_url="/favicon.ico",
        )
