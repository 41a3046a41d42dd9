from __future__ import annotations

import pytest

from ocr_ui.scoring.scripts import SCRIPTS, script_of

CASES = [
    ("Total 12.50", "latin"),
    ("合计 12.50 元", "chinese"),
    ("合計は千円です", "japanese"),
    ("ﾄｰﾀﾙ", "japanese"),
    ("합계", "korean"),
    ("Итого", "cyrillic"),
    ("المجموع", "arabic"),
    ("Σύνολο", "other"),
    ("12.50", "none"),
    ("", "none"),
    ("ＡＢＣ", "latin"),
    ("型号 ABCDE 规格 10kg 数量", "chinese"),
    ("A long English sentence that quotes 一字", "latin"),
    ("中文文本里有一个の字，其余都是汉字，足够多的汉字", "chinese"),
]


@pytest.mark.parametrize(("text", "script"), CASES)
def test_a_text_is_in_the_writing_of_most_of_its_letters(text: str, script: str) -> None:
    assert script_of(text) == script


def test_every_script_is_tested() -> None:
    assert {script for _, script in CASES} == set(SCRIPTS)
