from __future__ import annotations

from dataclasses import replace

import pytest

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.domain.geometry import BoundingBox, Quad
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import EngineName, Generation, PromptUsed, Recognition
from ocr_ui.domain.truth import Truth
from ocr_ui.errors import BadInput, EngineFailed, noted
from ocr_ui.scoring.metrics import value
from ocr_ui.scoring.text import EXACT, Normalization
from ocr_ui.services.evaluation_scores import pieces, read_normalization, score_reading
from ocr_ui.services.kept_readings import KeptReading

UPRIGHT = (40, 100)
"""Width and height of the page once it is upright; a box at its top left."""
AT_TOP_LEFT = BoundingBox(2, 5, 30, 11)


def reading(content: PageContent, turns: int = 0, outcome: str = "complete", answer: str = "") -> KeptReading:
    used = PromptUsed("full_text", "0" * 12, Task.SPOTTING.value, "read")
    made = Recognition("0" * 64, EngineName("rapidocr"), used, content, Generation(answer), outcome)
    return KeptReading("key", made, UPRIGHT, turns, 1.0, 0.5, 1)


def at(box: BoundingBox) -> tuple[TextLine, ...]:
    return (TextLine("Total 12.50", Quad.from_box(box)),)


@pytest.mark.parametrize(
    ("turns", "as_it_lay"),
    [
        (0, AT_TOP_LEFT),
        (1, BoundingBox(100 - 11, 2, 100 - 5, 30)),  # the page's top was at the right
        (2, BoundingBox(40 - 30, 100 - 11, 40 - 2, 100 - 5)),
        (3, BoundingBox(5, 40 - 30, 11, 40 - 2)),  # the page's top was at the left
    ],
)
def test_boxes_of_a_label_turn_with_the_page(turns: int, as_it_lay: BoundingBox) -> None:
    truth = Truth(text="Total 12.50", lines=at(as_it_lay))
    scored = score_reading(truth, reading(PageContent(lines=at(AT_TOP_LEFT)), turns), EXACT)
    assert value(scored.parts["box_f1"]) == 1
    assert value(scored.parts["official"]) == pytest.approx(1)


def test_a_reading_that_failed_counts_as_nothing_read() -> None:
    truth = Truth(text="Total 12.50", lines=at(AT_TOP_LEFT))
    failed = reading(PageContent(lines=at(AT_TOP_LEFT)), outcome="failed")
    why = noted(EngineFailed("engine_failed", "It broke."))
    scored = score_reading(truth, replace(failed, recognition=replace(failed.recognition, error=why)), EXACT)
    assert value(scored.parts["cer"]) == 1
    assert (scored.error, scored.key, "official" in scored.parts) == (why, "", False)


def test_a_reading_is_kept_as_it_was() -> None:
    made = reading(PageContent(lines=at(AT_TOP_LEFT)).with_ids(), 3, answer="a\ud800b")
    again = KeptReading.from_dict("key", made.to_dict())
    assert again.cached
    assert again.recognition == made.recognition
    assert (again.size, again.turns, again.seconds, again.first_seconds) == (UPRIGHT, 3, 1.0, 0.5)


def test_pieces_put_together_are_both_texts() -> None:
    found = pieces("Total 12.50", "Tota1 12.5O!")
    assert "".join(text for state, text in found if state != "invented") == "Total 12.50"
    assert "".join(text for state, text in found if state != "missing") == "Tota1 12.5O!"
    assert pieces("same", "same") == [("same", "same")]


def test_what_counts_as_no_error_is_shown_as_none() -> None:
    label, read = "-40°C, ￥5\nend", "-40℃ ¥5 end"
    assert pieces(label, read, read_normalization("nfkc,spaces,punctuation")) == [
        ("same", "-40"),
        ("same", "°C,"),
        ("same", " "),
        ("same", "￥"),
        ("same", "5"),
        ("same", "\n"),
        ("same", "end"),
    ]
    assert ("missing", " ") in pieces("a b", "ab", read_normalization("nfkc,spaces")), "a blank counts"
    assert ("missing", "￥") in pieces(label, read)


def test_a_normalisation_in_words() -> None:
    assert read_normalization("nfkc,width, Case,no-spaces,punctuation") == Normalization(
        "NFKC", case=True, no_spaces=True, punctuation=True, width=True
    )
    assert read_normalization("exact") == read_normalization("") == EXACT
    with pytest.raises(BadInput) as refused:
        read_normalization("nfkc,colour")
    assert refused.value.code == "bad_normalization"
