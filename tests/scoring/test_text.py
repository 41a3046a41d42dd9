from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocr_ui.scoring.text import EXACT, LENIENT, Normalization, cer, edit_distance, wer, words


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("", "", 0),
        ("abc", "abc", 0),
        ("kitten", "sitting", 3),
        ("", "abc", 3),
        ("日本语", "日本語", 1),
        ("👍🏽", "👍", 1),
    ],
)
def test_distance_counts_code_points(one: str, other: str, distance: int) -> None:
    assert edit_distance(one, other) == distance


@given(st.text(max_size=200), st.text(max_size=200))
def test_distance_is_that_of_the_textbook(one: str, other: str) -> None:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    assert edit_distance(one, other) == row[-1]


def test_cer_is_per_character_of_the_reference() -> None:
    assert cer("abcd", "abxd") == 0.25
    assert cer("ab", "abcdef") == 2.0
    assert cer("abcd", "") == 1.0


def test_without_a_reference_anything_read_is_wrong() -> None:
    assert cer("", "") == 0.0
    assert cer("", "abcd") == 1.0
    assert wer("", "a b") == 1.0


def test_wer_counts_words_and_chinese_characters() -> None:
    assert wer("pay the total", "pay total") == pytest.approx(1 / 3)
    assert wer("合计 12.50", "合訐 12.50") == pytest.approx(1 / 3)
    assert words("发票No. 7、カナ") == ["发", "票", "No.", "7、", "カ", "ナ"]


@pytest.mark.parametrize(
    ("normalization", "one", "other"),
    [
        (Normalization(unicode="NFKC"), "１２．５０", "12.50"),
        (Normalization(case=True), "STRASSE", "straße"),
        (Normalization(spaces=True), " a \n b\u3000", "a b"),
        (Normalization(no_spaces=True), "a b\tc", "abc"),
        (Normalization(punctuation=True), "a,b。", "ab"),
        (LENIENT, "ＡＢ  C", "AB C"),
    ],
)
def test_each_choice_makes_its_difference_vanish_and_no_other_does(
    normalization: Normalization, one: str, other: str
) -> None:
    assert cer(one, other, normalization) == 0
    assert cer(one, other, EXACT) > 0
    assert cer(one, one + "x", normalization) > 0
