"""What is marked in two texts is what a score counts, and nothing else."""

from __future__ import annotations

from random import Random

import pytest

from ocr_ui.scoring.marks import BREAK, marked_lines
from ocr_ui.scoring.text import EXACT, LENIENT, Normalization

SIGNS = ["A", "a", "Ａ", "１", "1", " ", "  ", "\u3000", "\t", ".", "。", "-", "é", "ガ", "하", "ß"]
OTHERWISE = str.maketrans({"A": "Ａ", " ": "\u3000", "é": "e\u0301", "ガ": "ｶﾞ", "하": "\u1112\u1161"})
KINDS = [
    EXACT,
    LENIENT,
    Normalization(unicode="NFC"),
    Normalization(width=True, spaces=True),
    Normalization(case=True, no_spaces=True),
    Normalization(unicode="NFKC", case=True, punctuation=True, spaces=True),
]


def marked(lines: list[tuple[tuple[str, bool], ...]]) -> list[str]:
    return ["".join(text for text, differs in line if differs) for line in lines]


@pytest.mark.parametrize("kind", KINDS)
def test_marks_are_there_exactly_where_a_score_counts_something(kind: Normalization) -> None:
    drawn = Random(7)
    equal = 0
    for _ in range(300):
        ours = ["".join(drawn.choices(SIGNS, k=drawn.randrange(4))) for _ in range(drawn.randrange(1, 4))]
        theirs = [line.translate(OTHERWISE) for line in ours]
        if drawn.random() < 0.5:
            theirs = [*theirs[:-1], theirs[-1] + drawn.choice(SIGNS)]
        if drawn.random() < 0.3:
            theirs = " ".join(theirs).split("  ")
        left, right = marked_lines(ours, theirs, kind)
        for lines, told in ((ours, left), (theirs, right)):
            assert ["".join(text for text, _ in line).removesuffix(BREAK) for line in told] == lines
        said, read = kind("\n".join(ours)), kind("\n".join(theirs))
        assert any(marked(left) + marked(right)) == (said != read), (ours, theirs)
        equal += said == read
    assert equal < 300
    assert equal > 30 or kind == EXACT


def test_line_breaks_count_only_where_white_space_does() -> None:
    one, other = ["Total １２.50", "EUR"], ["Total", "12.80 EUR"]
    left, right = marked_lines(one, other, LENIENT)
    assert (marked(left), marked(right)) == (["5", ""], ["", "8"])
    assert left[0] == (("Total １２.", False), ("5", True), ("0", False))
    left, right = marked_lines(["A", "B"], ["AB"], EXACT)
    assert (left, right) == ([(("A", False), (BREAK, True)), (("B", False),)], [(("AB", False),)])
