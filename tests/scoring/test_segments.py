from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocr_ui.scoring.segments import segments


def marked(pieces: tuple[tuple[str, bool], ...]) -> str:
    return "".join(f"[{text}]" if differs else text for text, differs in pieces)


@pytest.mark.parametrize(
    ("one", "other", "left", "right"),
    [
        ("Total", "Total", "Total", "Total"),
        ("T0tal 12", "Total 12", "T[0]tal 12", "T[o]tal 12"),
        ("12.50", "12.5", "12.5[0]", "12.5"),
        ("", "new", "", "[new]"),
        ("合计金额", "合计全额", "合计[金]额", "合计[全]额"),
        ("abcdef", "xyz", "[abcdef]", "[xyz]"),
        ("", "", "", ""),
    ],
)
def test_what_differs_is_marked_on_both_sides(one: str, other: str, left: str, right: str) -> None:
    assert [marked(pieces) for pieces in segments(one, other)] == [left, right]


def test_very_long_texts_are_marked_as_wholes() -> None:
    left, right = segments("a" * 15_000, "a" * 14_999 + "b")
    assert (left, right) == ((("a" * 15_000, True),), (("a" * 14_999 + "b", True),))


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_character_is_lost_and_what_is_not_marked_is_the_same(one: str, other: str) -> None:
    left, right = segments(one, other)
    assert "".join(text for text, _ in left) == one
    assert "".join(text for text, _ in right) == other
    kept = ["".join(text for text, differs in pieces if not differs) for pieces in (left, right)]
    assert kept[0] == kept[1]
