"""The words of the viewer and the places that use them hold together."""

from __future__ import annotations

import re

import pytest

from ocr_ui.domain.calibration import CELL, LINE
from ocr_ui.domain.counted import blanks
from ocr_ui.domain.recognition import IMPORTED
from ocr_ui.domain.review import ErrorKind
from ocr_ui.exports.mends import MENDS
from ocr_ui.parsing.field_places import CHECKED
from ocr_ui.scoring.rewards import RULES
from ocr_ui.services.thresholds import FEW, TEMPLATE
from ocr_ui.ui.viewer import STATIC
from ocr_ui.ui.viewer_words import LANGUAGES, VIEWER_WORDS, viewer_words

SOURCES = {path.name: path.read_text(encoding="utf-8") for path in (STATIC / "viewer").glob("*.mjs")}
KEYS_TABLE = re.findall(r'action: "(\w+)"', SOURCES["keys.mjs"])
GROUPS = re.search(r"GROUPS = \[(.*?)\]", SOURCES["keys.mjs"]).group(1)


def used_keys() -> set[str]:
    """Keys written out in the modules, and those that are put together from the tables of keys, tools and kinds."""
    text = "\n".join(SOURCES.values())
    direct = set(re.findall(r'\bt\(\s*"(\w+)"', text))
    direct |= set(re.findall(r'"data-title": "(\w+)"', text))
    direct |= set(re.findall(r'wordButton\("(\w+)"', text))
    direct |= {f"act_{action}" for action in KEYS_TABLE}
    direct |= {f"group_{group}" for group in re.findall(r"\w+", GROUPS)}
    direct |= {f"kind_{kind.value}" for kind in ErrorKind}
    direct |= {f"field_kind_{kind}" for kind in ("text", *CHECKED)}
    direct |= {f"mend_{code}" for code in MENDS}
    direct |= {f"scored_as_{whose}" for whose in ("model", "lines", IMPORTED)}
    direct |= {f"part_{part}" for part in (LINE, CELL, "field")}
    direct |= {f"unused_{why}" for why in ("engine", "model", "revision", TEMPLATE, "settings", FEW)}
    direct |= {f"reward_{rule}" for rule in (*RULES, "judge")}
    return direct


def test_every_word_that_the_page_asks_for_is_there() -> None:
    assert used_keys() <= set(VIEWER_WORDS)


def test_no_word_is_left_over() -> None:
    text = "\n".join(SOURCES.values())
    made_up = (
        "act_",
        "group_",
        "kind_",
        "field_kind_",
        "run_",
        "view_",
        "mark_",
        "download_",
        "fail_",
        "method_",
        "mend_",
        "scored_as_",
        "reward_",
        "history_",
        "region_",
        "problem_",
        "part_",
        "unused_",
    )
    stale = {
        key
        for key in VIEWER_WORDS
        if not key.startswith(made_up) and not re.search(rf'"{key.removesuffix("_one")}"|\b{key}:', text)
    }
    assert stale == set()


@pytest.mark.parametrize("key", VIEWER_WORDS)
def test_both_languages_say_it_with_the_same_blanks(key: str) -> None:
    words = VIEWER_WORDS[key]
    assert set(words) == set(LANGUAGES)
    assert all(words.values())
    assert blanks(words["en"]) == blanks(words["zh"])


def test_the_chips_are_the_error_kinds_of_the_domain() -> None:
    block = re.search(r"ERROR_KINDS = \[(.*?)\]", SOURCES["verdict.mjs"], re.S).group(1)
    assert re.findall(r'"(\w+)"', block) == [kind.value for kind in ErrorKind]


def test_the_types_of_a_field_are_those_that_are_checked_and_plain_text() -> None:
    block = re.search(r"FIELD_KINDS = \[(.*?)\]", SOURCES["fieldedits.mjs"]).group(1)
    assert re.findall(r'"(\w+)"', block) == ["text", *CHECKED]


def test_an_unknown_language_gets_english() -> None:
    assert viewer_words("xx") == viewer_words("en")
    assert viewer_words("zh")["save"] == "保存"
