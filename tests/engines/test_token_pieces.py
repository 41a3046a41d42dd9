"""Tokens against the text that they make: nothing lost, nothing moved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocr_ui.engines.token_pieces import aligned


@pytest.mark.parametrize(
    ("said", "text", "pieces"),
    [
        ((), "", ()),
        (("To", "tal"), "Total", ("To", "tal")),
        (("", "", "额"), "额", ("", "", "额")),
        (("\ufffd", "\ufffd", "\ufffd"), "额", ("", "", "额")),
        (("合", "\ufffd", "\ufffd", ":", "9"), "合计:9", ("合", "", "计", ":", "9")),
        (("a", "\ufffd"), "a", ("a", "")),
        (("x", "b"), "ab", ("a", "b")),
        (("x", "y"), "ab", ("", "ab")),
    ],
)
def test_each_token_gets_its_own_text(said: tuple[str, ...], text: str, pieces: tuple[str, ...]) -> None:
    assert aligned(said, text) == pieces


@given(st.lists(st.text(alphabet="ab额é\ufffd", max_size=3)), st.text(alphabet="ab额é", max_size=20))
def test_pieces_always_add_up(said: list[str], text: str) -> None:
    pieces = aligned(said, text)
    assert len(pieces) == len(said)
    if said:
        assert "".join(pieces) == text


@given(st.lists(st.tuples(st.sampled_from("abc额éß1 计合"), st.integers(0, 2)), unique_by=lambda one: one[0]))
def test_split_characters_do_not_move_their_neighbours(written: list[tuple[str, int]]) -> None:
    """Characters of which some come as two or three unreadable tokens."""
    said: list[str] = []
    right: list[str] = []
    for character, parts in written:
        said += ["\ufffd"] * (parts + 1) if parts else [character]
        right += [""] * parts + [character]
    pieces = aligned(said, "".join(right))
    for number, own in enumerate(said):
        if own != "\ufffd":
            assert "".join(pieces[: number + 1]) == "".join(right[: number + 1])
