from __future__ import annotations

from dataclasses import replace

import pytest
from stored import content, line

from ocr_ui.domain.content import ContentWarning, Field, PageContent, Table, TextLine, TextRegion
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.review import ErrorKind
from ocr_ui.scoring.differences import compare, same, text_kinds
from ocr_ui.scoring.look_alikes import alike

K = ErrorKind


def lines(*texts: str) -> PageContent:
    """Lines without ids and boxes, as another reading of the page has them."""
    return PageContent(tuple(TextLine(text) for text in texts))


def without(page: PageContent, *indices: int) -> PageContent:
    kept = tuple(one for index, one in enumerate(page.lines) if index not in indices)
    return PageContent(kept, text="\n".join(one.text for one in kept))


def kinds(model: PageContent, human: PageContent) -> list[ErrorKind]:
    return list(compare(model, human).kinds)


def test_nothing_changed() -> None:
    found = compare(content("a", "b"), content("a", "b"))
    assert (found.changed, found.edit_distance, found.cer, found.kinds) == (False, 0, 0.0, ())
    assert [(pair.distance, pair.iou, pair.kinds) for pair in found.pairs] == [(0, 1.0, ()), (0, 1.0, ())]


def test_ids_confidence_and_warnings_are_no_change() -> None:
    page = content("a")
    other = replace(page, lines=(replace(page.lines[0], id="x", confidence=None),))
    other = other.with_warnings(ContentWarning("repaired", "m"))
    assert same(page, other)
    assert kinds(page, other) == []


def test_distance_and_rate_are_those_of_the_lines() -> None:
    found = compare(content("Tota1 12.50", "Thanks"), content("Total 12.50", "Thanks!"))
    assert found.edit_distance == 2
    assert found.cer == 2 / len("Total 12.50\nThanks!")


def test_a_change_that_stands_in_lines_and_text_and_fields_counts_once() -> None:
    model = replace(content("Total 1"), fields=(Field("total", "1"),))
    human = replace(content("Total 7"), fields=(Field("total", "7"),))
    assert compare(model, human).edit_distance == 1


@pytest.mark.parametrize(
    ("part", "model", "human"),
    [
        ("text", PageContent(text="ab"), PageContent(text="abcd")),
        ("fields", PageContent(fields=(Field("n", "ab"),)), PageContent(fields=(Field("n", "abcd"),))),
        ("tables", PageContent(tables=(Table("", (("ab",),)),)), PageContent(tables=(Table("", (("abcd",),)),))),
    ],
)
def test_without_lines_the_distance_is_that_of_the_part_that_changed(
    part: str, model: PageContent, human: PageContent
) -> None:
    found = compare(model, human)
    assert (found.edit_distance, found.cer) == (2, 0.5)


def test_everything_removed() -> None:
    found = compare(content("abc"), PageContent())
    assert (found.edit_distance, found.cer, found.kinds) == (3, 1.0, (K.INVENTED_LINE,))


def test_missing_line() -> None:
    found = compare(without(content("a", "b", "c"), 1), content("a", "b", "c"))
    assert found.kinds == (K.MISSING_LINE,)
    assert [(pair.model is None, pair.human.text) for pair in found.pairs] == [(False, "a"), (True, "b"), (False, "c")]


def test_invented_line_stands_where_the_model_had_it() -> None:
    found = compare(content("a", "b", "c"), without(content("a", "b", "c"), 1))
    assert found.kinds == (K.INVENTED_LINE,)
    assert [pair.model.text for pair in found.pairs] == ["a", "b", "c"]
    assert found.pairs[1].human is None


def test_a_line_emptied_was_invented_and_one_filled_was_missing() -> None:
    boxless = [PageContent(lines=(TextLine(text, id="l0"), TextLine("x", id="l1"))) for text in ("abc", "")]
    assert kinds(*boxless) == [K.INVENTED_LINE]
    assert kinds(content("", "x"), content("abc", "x")) == [K.MISSING_LINE]


@pytest.mark.parametrize(
    ("model", "human", "kind"),
    [
        ("INV-0O7", "INV-007", K.LOOK_ALIKE),
        ("l00", "100", K.LOOK_ALIKE),
        ("日出", "曰出", K.LOOK_ALIKE),
        ("末来", "未来", K.LOOK_ALIKE),
        ("已经", "己经", K.LOOK_ALIKE),
        ("人口", "入口", K.LOOK_ALIKE),
        ("１２，５", "12,5", K.LOOK_ALIKE),
        ("ｶﾅ", "カナ", K.LOOK_ALIKE),
        ("modem", "modern", K.LOOK_ALIKE),
        ("modern", "modem", K.LOOK_ALIKE),
        ("С", "C", K.LOOK_ALIKE),  # Cyrillic
        ("12.80", "12.50", K.WRONG_CHARACTER),
        ("12.5", "12.50", K.WRONG_CHARACTER),
        ("合讣", "合计", K.WRONG_CHARACTER),
        ("a b", "ab", K.OTHER),
        ("a b", "a  b", K.OTHER),
        ("na na na na na", "na na", K.REPEATED),
        ("abcdcdcdc", "abcd", K.REPEATED),
        ("ab", "a", K.WRONG_CHARACTER),
    ],
)
def test_kinds_within_a_line(model: str, human: str, kind: ErrorKind) -> None:
    assert kinds(content(model, "same"), content(human, "same")) == [kind]
    assert text_kinds(model, human) == {kind}


def test_both_kinds_of_wrong_characters_in_one_line() -> None:
    assert kinds(content("O1 apples"), content("01 oranges")) == [K.WRONG_CHARACTER, K.LOOK_ALIKE]


def test_alike_is_symmetric_and_bounded() -> None:
    for one, other in (("rn", "m"), ("vv", "w"), ("O", "〇"), ("rn0", "mO")):
        assert alike(one, other)
        assert alike(other, one)
    assert not alike("a", "a")
    assert not alike("", "a")
    assert not alike("O" * 100_000, "0" * 100_000)


def test_wrong_order_marks_the_line_that_moved() -> None:
    page = content("a", "b", "c", "d")
    moved = PageContent((page.lines[3], *page.lines[:3]), text="d\na\nb\nc")
    found = compare(page, moved)
    assert found.kinds == (K.WRONG_ORDER,)
    assert [pair.model.text for pair in found.pairs if K.WRONG_ORDER in pair.kinds] == ["d"]


def test_box_off_from_half_the_overlap_down() -> None:
    def shifted(by: float) -> PageContent:
        quad = Quad.from_points([(x + by, y) for x, y in line("a").quad.points])
        return PageContent((replace(line("a", id="l0"), quad=quad),), text="a")

    page = content("a")
    width = 490
    assert kinds(page, shifted(width * 0.34)) == [K.BOX_OFF]  # overlap 0.66 / 1.34 = 0.49
    assert kinds(page, shifted(width * 0.32)) == [K.OTHER]  # 0.68 / 1.32 = 0.52: moved, but the same place
    assert compare(page, shifted(width / 3)).pairs[0].iou == pytest.approx(0.5)


def test_a_box_drawn_where_there_was_none_is_box_off() -> None:
    assert kinds(PageContent((TextLine("a", None, None, "l0"),)), PageContent((line("a", id="l0"),))) == [K.BOX_OFF]


def test_repeated_lines_are_repeated_not_invented() -> None:
    page = content("a", "b", "b", "b")
    assert kinds(page, without(page, 2, 3)) == [K.REPEATED]


def test_lines_cut_or_joined_are_not_wrong_characters() -> None:
    assert kinds(lines("Total 12.50", "end"), lines("Total", "12.50", "end")) == [K.OTHER]
    assert kinds(lines("Total", "12.50", "end"), lines("Total 12.50", "end")) == [K.OTHER]


@pytest.mark.parametrize(
    ("model", "human", "expected"),
    [
        (PageContent(text="# Title\ntext"), PageContent(text="## Title\ntext"), [K.FORMAT_BROKEN]),
        (PageContent(text="one\ntwo"), PageContent(text="- one\n- two"), [K.FORMAT_BROKEN]),
        (PageContent(text="1. one"), PageContent(text="2. one"), [K.WRONG_CHARACTER]),
        (PageContent(text="# Tifle"), PageContent(text="Title"), [K.WRONG_CHARACTER, K.FORMAT_BROKEN]),
        (PageContent(tables=(Table("<table>1", (("a", "b"),)),)), PageContent(), [K.FORMAT_BROKEN]),
        (
            PageContent(tables=(Table("<table>1", (("a", "b"),)),)),
            PageContent(tables=(Table("<table>2", (("a",), ("b",))),)),
            [K.FORMAT_BROKEN],
        ),
        (
            PageContent(tables=(Table("<table>1", (("l", "b"),)),)),
            PageContent(tables=(Table("<table>2", (("1", "b"),)),)),
            [K.LOOK_ALIKE],
        ),
        (PageContent(fields=(Field("a", "1"),)), PageContent(fields=(Field("b", "1"),)), [K.FORMAT_BROKEN]),
        (PageContent(fields=(Field("a", None),)), PageContent(fields=(Field("a", "1"),)), [K.MISSING_LINE]),
        (PageContent(fields=(Field("a", "1"),)), PageContent(fields=(Field("a", None),)), [K.INVENTED_LINE]),
        (PageContent(fields=(Field("a", "13"),)), PageContent(fields=(Field("a", "12"),)), [K.WRONG_CHARACTER]),
        (PageContent(regions=(TextRegion("title"),)), PageContent(regions=(TextRegion("text"),)), [K.FORMAT_BROKEN]),
        (PageContent(fields=(Field("a", "1"),)), PageContent(fields=(Field("a", "1", kind="amount"),)), [K.OTHER]),
    ],
)
def test_format_fields_and_tables(model: PageContent, human: PageContent, expected: list[ErrorKind]) -> None:
    assert kinds(model, human) == expected


def test_a_reading_without_ids_is_aligned_by_text_place_and_likeness() -> None:
    model = PageContent((line("Alpha one", 0), line("Beta", 1), TextLine("Gamma ray"), line("noise", 7)))
    human = PageContent((TextLine("Beta"), line("zzz", 0), TextLine("Gamna ray")))
    found = {
        (pair.model.text if pair.model else None, pair.human.text if pair.human else None)
        for pair in compare(model, human).pairs
    }
    assert found == {("Beta", "Beta"), ("Alpha one", "zzz"), ("Gamma ray", "Gamna ray"), ("noise", None)}


def test_equal_ids_of_two_readings_do_not_pair_what_has_nothing_in_common() -> None:
    model = PageContent((line("Invoice", 0, "l0"), line("Total 12.50", 1, "l1")))
    human = PageContent((line("Total 12.50", 1, "l0"), line("Thank you", 9, "l1")))
    pairs = compare(model, human).pairs
    assert [(p.model.text, p.human.text) for p in pairs if p.model and p.human] == [("Total 12.50", "Total 12.50")]


def test_every_line_of_both_sides_stands_in_exactly_one_pair() -> None:
    model, human = content(*"abcdefgh"), lines(*"hxbbayc")
    pairs = compare(model, human).pairs
    assert [pair.human.text for pair in pairs if pair.human] == list("hxbbayc")
    assert sorted(pair.model.text for pair in pairs if pair.model) == list("abcdefgh")


def test_a_line_that_nobody_can_read_is_not_invented() -> None:
    read, illegible = content("Total", "Tnx"), content("Total", "")
    assert compare(read, illegible).kinds == (ErrorKind.OTHER,)
    assert compare(read, content("Total")).kinds == (ErrorKind.INVENTED_LINE,)
