from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from ocr_ui import errors
from ocr_ui.domain.counted import blanks, counted, fill
from ocr_ui.domain.review import ErrorKind, State, Verdict
from ocr_ui.images.transform import prepare
from ocr_ui.logs import as_request
from ocr_ui.render.problems import PROBLEMS
from ocr_ui.services.view import Views
from ocr_ui.settings import Settings
from ocr_ui.ui.messages import ADMINISTRATOR, BLANK, ERRORS_ZH, WARNINGS_ZH, error_sentence, localize, localize_error
from ocr_ui.ui.template_messages import FAULTS_ZH
from ocr_ui.ui.texts import TEXTS, choose_language, words
from ocr_ui.ui.viewer_words import VIEWER_WORDS

ROOT = Path(__file__).resolve().parent.parent.parent
ERRORS = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
COUNTS = re.compile(
    r"\{(\w+)\} (?:\w+ )?(answers|boxes|cells|characters|differences|documents|facts|fields|files|items|lines|pages|"
    r"pairs|pictures|places|readings|rows|runs|tables|tokens|words)\b"
)
"""A number that may be one, and a word for several."""


@cache
def calls() -> tuple[ast.Call, ...]:
    files = [ROOT / "app.py", *(ROOT / "ocr_ui").rglob("*.py")]
    return tuple(node for file in files for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call))


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
        assert blanks(entry["en"]) == blanks(entry["zh"]), key


ALWAYS_SEVERAL = {
    "cells_pasted",
    "engine.drafts.many",
    "engine.drafts.tokens",
    "experiments.said.few",
    "lines_rate",
    "tokens_rate",
}
"""And rates, which are no numbers of things."""
SPEED = "{speed} pages a second"


@pytest.mark.parametrize("table", [TEXTS, VIEWER_WORDS], ids=["page", "viewer"])
def test_one_of_a_kind_has_its_own_word(table: dict) -> None:
    """`1 pages` is what people see first of all; see `fill` of domain/counted.py."""
    wrong = {
        key
        for key, entry in table.items()
        for name, _ in COUNTS.findall(entry["en"].replace(SPEED, ""))
        if not (key.endswith("_one") or (name == "n" and f"{key}_one" in table))
    }
    assert wrong - ALWAYS_SEVERAL == set()


def test_counted_words() -> None:
    assert [counted(n, "page") for n in (0, 1, 2)] == ["0 pages", "1 page", "2 pages"]
    assert counted(1, "box", "boxes") + counted(3, "box", "boxes") == "1 box3 boxes"
    text = TEXTS["contest.log.option"]["en"]
    said = fill(text, name="a", pages=1, runs=2, checksum="c")
    assert said == "a: 1 page, 2 runs (c)"
    assert fill(text, name="a", pages="1,200", runs="1", checksum="c") == "a: 1,200 pages, 1 run (c)"
    assert fill("{n|page|pages} {other}") == "{n|page|pages} {other}"


def test_every_mistake_in_a_source_has_its_words() -> None:
    others = {"place", "next", "previous"}
    worded = {key.removeprefix("problem_") for key in VIEWER_WORDS if key.startswith("problem_")}
    assert worded - others == set(PROBLEMS)


def test_every_error_has_its_chinese_sentence() -> None:
    assert codes(ERRORS) - set(ERRORS_ZH) == set()


def coded_calls() -> list[tuple[str, ast.Call]]:
    """Calls of errors that carry their code and details as they stand here."""
    return [
        (call.args[0].value, call)
        for call in calls()
        if isinstance(call.func, ast.Name)
        and call.func.id in ERRORS
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and all(keyword.arg for keyword in call.keywords)
    ]


def test_every_error_says_what_to_do() -> None:
    silent = {
        code
        for code, call in coded_calls()
        if not any(isinstance(arg, ast.Starred) for arg in call.args)
        and (len(call.args) < 3 or (isinstance(call.args[2], ast.Constant) and not call.args[2].value))
    }
    assert silent == set()


def test_chinese_sentences_speak_of_details_that_the_errors_carry() -> None:
    """A blank that is never filled would reach the page as `{limit}`."""
    given: dict[str, list[set[str]]] = {}
    for code, call in coded_calls():
        given.setdefault(code, []).append({keyword.arg for keyword in call.keywords})
    lacking = {
        code: (name, sets)
        for code, sets in given.items()
        for name, _ in BLANK.findall(ERRORS_ZH[code])
        if not all(name in details for details in sets)
    }
    assert lacking == {}


def test_every_fault_of_a_template_has_its_chinese_words() -> None:
    named = [call for call in calls() if isinstance(call.func, ast.Name) and call.func.id == "_fault"]
    given = {call.args[0].value: {keyword.arg for keyword in call.keywords} for call in named}
    assert set(given) == set(FAULTS_ZH)
    for code, details in given.items():
        assert {name for name, _ in BLANK.findall(FAULTS_ZH[code])} <= details, code


def test_what_only_the_administrator_can_mend_says_so() -> None:
    """Settings and commands are nothing for who reads pages; each sentence that names one names whom to ask."""
    machine = re.compile(r"OCR_UI_|pip install|python -m|/requirements|hf download|console|\blog\b|日志|控制台")
    for code, call in coded_calls():
        texts = [node.value for arg in call.args for node in ast.walk(arg) if isinstance(node, ast.Constant)]
        assert code == "bad_variable" or not any("--var" in str(text) for text in texts), f"{code}: the page has fields"
        if any(machine.search(text) for text in texts if isinstance(text, str)):
            assert code in ADMINISTRATOR, code
    for code, sentence in ERRORS_ZH.items():
        assert ("管理员" in sentence) == (code in ADMINISTRATOR), code
        if machine.search(sentence):
            assert code in ADMINISTRATOR, code
    english = {"code": "no_base_url", "message": "No address.", "hint": "Set OCR_UI_BASE_URL.", "details": {}}
    assert localize_error(english, "en")["hint"] == "For the administrator: Set OCR_UI_BASE_URL."


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


@pytest.mark.parametrize(
    ("code", "details", "said"),
    [
        ("too_many_bytes", {"limit": 20_000_000}, "文件过大：上限为 20 MB。请存得更小，例如存为 JPEG。"),
        (
            "too_many_pixels",
            {"width": 30000, "height": 20000, "limit": 100_000_000},
            "图片过大：30000 × 20000 像素，上限为 1 亿像素。请缩小或裁成几部分。",
        ),
        ("content_too_large", {"what": "lines", "number": 9, "limit": 5}, "页面内容过多：9 行，最多保存 5。"),
        ("state_not_allowed", {"old": "pending", "new": "accepted"}, "待处理的条目不能变为已通过。"),
    ],
)
def test_amounts_and_names_are_written_as_people_do(code: str, details: dict, said: str) -> None:
    assert localize_error({"code": code, "message": "x", "hint": "", "details": details}, "zh")["message"] == said


def test_the_kinds_of_files_that_are_not_taken_have_chinese_names() -> None:
    from ocr_ui.images import kinds

    for data in [start for start, _ in kinds._OTHERS] + [b"<html>"]:
        with pytest.raises(errors.BadInput) as caught:
            kinds.kind_of(data)
        told = {"code": caught.value.code, "message": "", "hint": "", "details": caught.value.details}
        named = localize_error(told, "zh")["message"].split("。")[0]
        assert not re.search(r"[a-z]{3,} (or|and|file)|video|icon|text|old", named), named


def test_an_error_of_which_the_log_knows_more_names_its_request() -> None:
    failed, refused = errors.EngineFailed("engine_died", "It died.", "Again."), errors.BadInput("empty_prompt", "No.")
    with as_request("desk-7"):
        assert error_sentence(failed, "en") == "It died. Again. (request desk-7)"
        assert error_sentence(failed, "zh").endswith("（请求 desk-7）")
        assert error_sentence(refused, "en") == "No."
        run = Views(Settings(_env_file=None)).failed(None, None, failed)
    assert localize(run, "en")["run"]["message"] == "It died. Again. (request desk-7)"
    assert error_sentence(failed, "en") == "It died. Again."


def test_warnings_keep_the_values_they_speak_of() -> None:
    pixels = np.full((3300, 2550, 3), 255, np.uint8)
    _, _, (warning,) = prepare(pixels, 4_000_000)
    value = localize({"warnings": [warning.to_dict()]}, "zh")
    assert value["warnings"][0]["message"] == "2550 × 3300 像素的图片已缩小到 1758 × 2275 供识别。"


def test_warnings_of_old_results_have_no_details_and_are_told_without() -> None:
    for code in WARNINGS_ZH:
        value = localize({"warnings": [{"code": code, "message": "Page 7 of 9.", "line": None}]}, "zh")
        assert "{" not in value["warnings"][0]["message"], code


def test_recognised_text_with_braces_is_not_filled_twice() -> None:
    assert fill("{a} {b}", a="{b}", b="x") == "{b} x"


def test_words_gives_one_language() -> None:
    assert words("zh")["tab.read"] == "识别"
