"""Errors and warnings in the language of the page.

Their English words stand where they arise, with the values they speak of. The Chinese ones stand here, by code; the
`{placeholders}` of an error are its details.
"""

from __future__ import annotations

from typing import Any

from ocr_ui.ui.words import fill

ERRORS_ZH: dict[str, str] = {}

WARNINGS_ZH: dict[str, str] = {}


def localize_error(error: dict[str, Any], language: str) -> dict[str, Any]:
    """An error `{"code", "message", "hint", "details"}` in "en" or "zh"; in English where no translation is known."""
    sentence = ERRORS_ZH.get(error["code"]) if language == "zh" else None
    if sentence is None:
        return error
    return {**error, "message": fill(sentence, **error.get("details", {})), "hint": ""}


def localize(value: dict[str, Any], language: str) -> dict[str, Any]:
    """A viewer value, or the answer to an upload, with its warnings and its run's error in the language."""
    value = {**value, "warnings": [_warning(warning, language) for warning in value.get("warnings", ())]}
    error = (value.get("run") or {}).get("error")
    if error:
        said = localize_error(error, language)
        value["run"] = {**value["run"], "message": f"{said['message']} {said['hint']}".strip()}
    return value


def _warning(warning: dict[str, Any], language: str) -> dict[str, Any]:
    sentence = WARNINGS_ZH.get(warning["code"]) if language == "zh" else None
    return warning if sentence is None else {**warning, "message": sentence}
