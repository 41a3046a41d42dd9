from __future__ import annotations

import random

import pytest

from ocr_ui.domain.calibration import Calibration, Judged
from ocr_ui.domain.content import Field, PageContent, Table, TextLine
from ocr_ui.scoring.calibration import ALL, calibrate, judge


def drawn(count: int, honest: bool = True) -> list[Judged]:
    """Confidences that say how often they are right or, where they are not honest, say 0.2 too much."""
    numbers = random.Random(4)
    found = []
    for _ in range(count):
        confidence = numbers.uniform(0.3, 1.0)
        found.append(Judged(confidence, numbers.random() < confidence - (0 if honest else 0.2)))
    return found


def test_the_error_is_that_of_the_textbook() -> None:
    judged = drawn(500, honest=False)
    found = calibrate(judged, 0.05)
    expected = 0.0
    for number in range(10):
        inside = [one for one in judged if number / 10 <= one.confidence < (number + 1) / 10]
        if inside:
            confidence = sum(one.confidence for one in inside) / len(inside)
            expected += len(inside) / 500 * abs(confidence - sum(one.right for one in inside) / len(inside))
    assert found.error == pytest.approx(expected)
    assert (found.count, found.wrong) == (500, sum(not one.right for one in judged))


def test_honest_confidences_have_a_small_error_and_boasting_ones_a_large_one() -> None:
    assert calibrate(drawn(5000), 0.05).error < 0.03
    assert calibrate(drawn(5000, honest=False), 0.05).error == pytest.approx(0.2, abs=0.03)


@pytest.mark.parametrize("miss_rate", [0.0, 0.05, 0.2, 0.5])
def test_the_threshold_misses_no_more_than_was_allowed_and_no_lower_one_would_do(miss_rate: float) -> None:
    judged = drawn(400)
    chosen = calibrate(judged, miss_rate).chosen
    wrong = [one for one in judged if not one.right]

    def missed(threshold: float) -> float:
        return sum(one.confidence >= threshold for one in wrong) / len(wrong)

    assert missed(chosen.threshold) <= miss_rate
    lower = max(one.confidence for one in judged if one.confidence < chosen.threshold)
    assert missed(lower) > miss_rate
    assert chosen.load == pytest.approx(sum(one.confidence < chosen.threshold for one in judged) / 400)
    assert chosen.caught == pytest.approx(1 - missed(chosen.threshold))


def test_more_is_caught_the_more_is_looked_at() -> None:
    loads = calibrate(drawn(300), 0.1).loads
    assert [one.load for one in loads] == sorted(one.load for one in loads)
    assert [one.caught for one in loads] == sorted(one.caught for one in loads)
    assert (loads[0].load, loads[-1].load, loads[-1].caught) == (0, 1, 1)


def test_a_sure_mistake_is_caught_only_by_looking_at_all() -> None:
    assert calibrate([Judged(1.0, False), Judged(0.5, True)], 0.0).chosen.threshold == ALL


def test_without_mistakes_nothing_need_be_looked_at() -> None:
    found = calibrate([Judged(0.4, True), Judged(1.0, True)], 0.05)
    assert (found.chosen.load, found.chosen.caught, found.wrong) == (0, 1, 0)
    assert calibrate([], 0.05).error == 0


def test_figures_can_be_kept() -> None:
    found = calibrate(drawn(50), 0.05)
    assert Calibration.from_dict(found.to_dict()) == found


def test_what_a_person_left_is_right() -> None:
    model = PageContent(
        lines=(TextLine("a", confidence=0.9, id="l0"), TextLine("b", confidence=0.4, id="l1"), TextLine("c", id="l2")),
        fields=(Field("n", "1", confidence=0.8, kind="amount"), Field("gone", "2", confidence=0.7)),
        tables=(
            Table("<table><tr><td>x</td><td>y</td></tr></table>", confidences=((0.6, 0.5), (0.3, 0.1))),
            Table("<table><tr><td>z</td></tr></table>", confidences=((0.9, 0.9),)),
        ),
    )
    human = PageContent(
        lines=(TextLine("a", id="l0"), TextLine("B", id="l1"), TextLine("c", id="l2")),
        fields=(Field("n", "1"),),
        tables=(
            Table("<table><tr><td>x</td><td>Y</td></tr></table>"),
            Table("<table><tr><td colspan='2'>z</td></tr></table>"),  # another form: nothing can be told
        ),
    )
    assert list(judge(model, human)) == [
        ("line", Judged(0.9, True)),
        ("line", Judged(0.4, False)),
        ("field:amount", Judged(0.8, True)),
        ("field:text", Judged(0.7, False)),
        ("cell", Judged(0.6, True)),
        ("cell", Judged(0.3, False)),
    ]
