from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from ocr_ui import errors
from ocr_ui.domain.review import ErrorKind, State, Verdict
from ocr_ui.ui.messages import ERRORS_ZH, WARNINGS_ZH, localize, localize_error
from ocr_ui.ui.texts import TEXTS, choose_language, words
from ocr_ui.ui.viewer_words import VIEWER_WORDS
from ocr_ui.ui.words import fill

ROOT = Path(__file__).resolve().parent.parent.parent
ERRORS = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
PLACEHOLDER = re.compile(r"\{(\w+)\}")


def calls() -> list[ast.Call]:
    files = [ROOT / "app.py", *(ROOT / "ocr_ui").rglob("*.py")]
    return [node for file in files for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]


def codes(names: set[str]) -> set[str]:
    """Codes written as plain strings in calls of the classes named."""
    return {
        call.args[0].value
        for call in calls()
        if isinstance(call.func, ast.Name)
        and call.func.id in names
        and call.args
        and isinstance(call.args[0], ast.Constant)
    }


@pytest.mark.parametrize("table", [TEXTS, VIEWER_WORDS], ids=["page", "viewer"])
def test_every_word_is_there_in_both_languages_with_the_same_blanks(table: dict) -> None:
    for key, entry in table.items():
        assert entry["en"].strip(), key
        if "zh" not in entry:
            assert key.endswith("_one"), f"{key}: Chinese has no singular, all else has both"
            continue
        assert entry["zh"].strip(), key
        assert set(PLACEHOLDER.findall(entry["en"])) == set(PLACEHOLDER.findall(entry["zh"])), key


def test_every_error_has_its_chinese_sentence() -> None:
    assert codes(ERRORS) - set(ERRORS_ZH) == set()


def test_every_warning_has_its_chinese_sentence() -> None:
    from ocr_ui.domain.content import WARNING_CODES

    assert (codes({"ContentWarning"}) | set(WARNING_CODES)) - set(WARNINGS_ZH) == set()


def test_values_of_the_review_lists_have_words() -> None:
    wanted = {f"verdict.{v}" for v in Verdict} | {f"state.{s}" for s in State} | {f"kind.{k}" for k in ErrorKind}
    assert wanted <= set(TEXTS)


@pytest.mark.parametrize(
    ("header", "cookie", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", None, "zh"),
        ("de-DE,de;q=0.9,en;q=0.8,zh;q=0.7", None, "en"),
        ("en;q=0.2,zh;q=0.3", None, "zh"),
        ("fr", None, "en"),
        ("", None, "en"),
        ("zh;q=x", None, "en"),
        ("zh", "en", "en"),
        ("zh", "klingon", "zh"),
    ],
)
def test_the_browser_chooses_the_language_until_a_person_does(header: str, cookie: str | None, language: str) -> None:
    assert choose_language(header, cookie) == language


def test_errors_are_told_in_the_language_with_their_values() -> None:
    error = {"code": "no_such_page", "message": "x", "hint": "y", "details": {"page": 9, "pages": 3}}
    assert localize_error(error, "zh")["message"] == "没有第 9 页：文档共 3 页。"
    assert localize_error(error, "en") == error
    assert localize_error({"code": "new", "message": "m", "hint": "h"}, "zh")["message"] == "m"


def test_warnings_keep_their_numbers() -> None:
    message = "The picture of 2550 x 3300 pixels was scaled down to 1758 x 2275 for reading."
    value = localize({"warnings": [{"code": "scaled_down", "message": message, "line": None}]}, "zh")
    assert value["warnings"][0]["message"] == "2550 × 3300 像素的图片已缩小到 1758 × 2275 供识别。"


def test_recognised_text_with_braces_is_not_filled_twice() -> None:
    assert fill("{a} {b}", a="{b}", b="x") == "{b} x"


def test_words_gives_one_language() -> None:
    assert words("zh")["tab.read"] == "识别"
