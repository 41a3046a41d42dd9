"""What was read wrong in a line, in words that can be looked for."""

from __future__ import annotations

import pytest

from ocr_ui.scoring.mistakes import Mistake, mistake, places


@pytest.mark.parametrize(
    ("model", "human", "wrong", "right"),
    [
        ("Tota1 12.50", "Total 12.50", "Tota1", "Total"),
        ("Sum Tota1", "Sum Total", "Tota1", "Total"),
        ("the modem world", "the modern world", "modem", "modern"),
        ("a 0rder of l", "a Order of l", "0rder", "Order"),
        ("自已的东西", "自己的东西", "自已的", "自己的"),
        ("東京都文京区", "東京市文京区", "京都文", "京市文"),
        ("cafe bar", "café bar", "cafe", "café"),
        ("foo bar", "foobar", "foo bar", "foobar"),
        ("so called", "so, called", "so", "so,"),
    ],
)
def test_the_mistake_is_told_in_whole_words(model: str, human: str, wrong: str, right: str) -> None:
    assert mistake(model, human) == Mistake(wrong, right)


@pytest.mark.parametrize(
    ("model", "human"),
    [("same", "same"), ("", "new"), ("...", "..!"), ("a" * 90, "b" * 90)],
    ids=["same", "nothing was read", "no letters", "another text"],
)
def test_there_is_none_where_nothing_could_be_found_again(model: str, human: str) -> None:
    assert mistake(model, human) is None


def test_places_are_words_of_their_own() -> None:
    assert list(places("Tota1 Tota12 xTota1 (Tota1)", "Tota1")) == [0, 21]
    assert list(places("自已的自已的", "自已的")) == [0, 3]
    assert list(places("nothing", "Tota1")) == []
