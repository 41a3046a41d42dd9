"""Two people's versions of a page: what differs, how far they agree, and one page made of both."""

from __future__ import annotations

from dataclasses import replace

import pytest
from stored import content, line

from ocr_ui.domain.content import Field, PageContent, Table, TextLine, TextRegion
from ocr_ui.domain.second import Choice
from ocr_ui.scoring.merging import agreement, merged, parts

FIRST, SECOND = Choice("first"), Choice("second")
MODEL = content("Total 12.80", "Thank you", "Bye")


def differing(first: PageContent, second: PageContent) -> dict[int, tuple[str, str]]:
    return {n: (part.kind, part.state) for n, part in enumerate(parts(first, second)) if part.differs}


def texts(page: PageContent) -> list[str]:
    return [one.text for one in page.lines]


def test_of_lines_each_is_chosen_by_itself() -> None:
    ours = content("Total 12.50", "Thank you", "Bye!")
    theirs = content("Total 12.5O", "Thank you", "Bye?")
    assert differing(ours, theirs) == {0: ("line", "text"), 2: ("line", "text")}
    made = merged(ours, theirs, {0: FIRST, 2: SECOND})
    assert texts(made) == ["Total 12.50", "Thank you", "Bye?"]
    assert made.text == "Total 12.50\nThank you\nBye?"
    own = merged(ours, theirs, {0: Choice("own", "Total: 12.50"), 2: FIRST})
    assert texts(own) == ["Total: 12.50", "Thank you", "Bye!"]
    assert own.lines[0].quad == ours.lines[0].quad
    assert own.lines[0].confidence is None


def test_a_line_that_one_lacks_is_taken_or_left() -> None:
    longer = PageContent(lines=(*MODEL.lines, line("P.S.", 5, "n1")))
    assert differing(MODEL, longer) == {3: ("line", "second")}
    assert texts(merged(MODEL, longer, {3: SECOND})) == [*texts(MODEL), "P.S."]
    assert texts(merged(MODEL, longer, {3: FIRST})) == texts(MODEL)
    assert texts(merged(longer, MODEL, {3: FIRST})) == [*texts(MODEL), "P.S."]


def test_lines_that_both_added_under_one_id_keep_apart() -> None:
    ours = PageContent(lines=(*MODEL.lines, line("left", 5, "n1")))
    theirs = PageContent(lines=(*MODEL.lines, line("another thing", 9, "n1")))
    found = differing(ours, theirs)
    made = merged(ours, theirs, {n: Choice(state) for n, (_, state) in found.items()})
    assert sorted(texts(made)) == sorted([*texts(MODEL), "left", "another thing"])
    assert len({one.id for one in made.lines}) == 5


def test_a_box_elsewhere_differs_and_one_a_little_off_does_not() -> None:
    moved = replace(MODEL, lines=(replace(MODEL.lines[0], quad=line("", 9).quad), *MODEL.lines[1:]))
    assert differing(MODEL, moved) == {0: ("line", "box")}
    assert merged(MODEL, moved, {0: SECOND}).lines[0].quad == moved.lines[0].quad
    nudged = MODEL.lines[0].quad.clip(495, 1000)
    assert differing(MODEL, replace(MODEL, lines=(replace(MODEL.lines[0], quad=nudged), *MODEL.lines[1:]))) == {}


@pytest.mark.parametrize(("choice", "order"), [(FIRST, [0, 1, 2]), (SECOND, [2, 0, 1])])
def test_the_order_of_lines_is_one_choice(choice: Choice, order: list[int]) -> None:
    turned = replace(MODEL, lines=tuple(MODEL.lines[n] for n in (2, 0, 1)), text="")
    assert differing(MODEL, turned) == {3: ("order", "order")}
    assert texts(merged(MODEL, turned, {3: choice})) == [texts(MODEL)[n] for n in order]


def test_fields_tables_and_regions() -> None:
    ours = PageContent(
        fields=(Field("total", "12.50"), Field("date", None), Field("shop", "A")),
        tables=(Table("<table><tr><td>1</td></tr></table>", (("1",),)),),
        regions=(TextRegion("title"),),
    )
    theirs = PageContent(
        fields=(Field("total", "12.50"), Field("date", "2026"), Field("place", "B")),
        tables=(Table("<table><tr><td>2</td></tr></table>", (("2",),)),),
        regions=(TextRegion("header"),),
    )
    states = {1: ("field", "text"), 2: ("field", "first"), 3: ("field", "second"), 4: ("table", "text")}
    assert differing(ours, theirs) == {**states, 5: ("regions", "text")}
    made = merged(ours, theirs, {1: SECOND, 2: FIRST, 3: FIRST, 4: SECOND, 5: SECOND})
    assert made.fields == (Field("total", "12.50"), Field("date", "2026"), Field("shop", "A"))
    assert (made.tables, made.regions) == (theirs.tables, theirs.regions)
    assert agreement(ours, theirs).fields == 1 / 4


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("# A\n\ntext one\n\nend", "# A\n\ntext two\nmore\n\nend"),
        ("a", "a\nb"),
        ("a\nb\nc", "b"),
        ("", "a"),
        ("x\n", "x"),
    ],
)
def test_choosing_one_side_everywhere_gives_that_text_exactly(ours: str, theirs: str) -> None:
    first, second = PageContent(text=ours), PageContent(text=theirs)
    found = differing(first, second)
    assert found
    assert merged(first, second, dict.fromkeys(found, FIRST)).text == ours
    assert merged(first, second, dict.fromkeys(found, SECOND)).text == theirs


def test_a_difference_without_a_choice_is_an_error() -> None:
    with pytest.raises(KeyError):
        merged(content("a"), content("b"), {})


def test_agreement_is_the_same_either_way_round() -> None:
    ours, theirs = content("abcd", "same"), content("abXd!", "same")
    found = agreement(ours, theirs)
    assert found == agreement(theirs, ours)
    assert (found.cer, found.box_f1, found.fields, found.differing) == (2 / 10, 1.0, None, 1)
    assert agreement(PageContent(), PageContent()).cer == 0
    assert agreement(PageContent(), ours).cer == 1


def test_boxes_count_from_an_overlap_of_one_half() -> None:
    one = PageContent(lines=(TextLine("a", line("", 0).quad), TextLine("b", line("", 1).quad)))
    far = replace(one, lines=(one.lines[0], replace(one.lines[1], quad=line("", 30).quad)))
    assert agreement(one, far).box_f1 == 0.5
    assert agreement(one, PageContent(lines=one.lines[:1])).box_f1 == pytest.approx(2 / 3)
    assert agreement(PageContent(text="a"), PageContent(text="b")).box_f1 is None


def test_the_type_of_a_field_is_chosen_too() -> None:
    ours = PageContent(fields=(Field("total", "12", kind="amount"), Field("date", "2026", kind="date")))
    theirs = PageContent(fields=(Field("total", "12", kind="number"), Field("date", "2026", kind="date")))
    assert differing(ours, theirs) == {0: ("field", "kind")}
    assert (agreement(ours, theirs).differing, agreement(ours, theirs).fields) == (1, 1.0)
    assert merged(ours, theirs, {0: SECOND}).fields == theirs.fields
    assert merged(ours, theirs, {0: FIRST}).fields == ours.fields


def test_two_fields_of_one_name_stay_two() -> None:
    first = PageContent(fields=(Field("Item", "tea"), Field("Item", "milk")))
    second = PageContent(fields=(Field("Item", "tee"), Field("Item", "milk"), Field("Item", "rice")))
    found = parts(first, second)
    assert [(part.name, part.state) for part in found] == [("Item", "text"), ("Item", "same"), ("Item", "second")]
    taken = merged(first, second, {0: FIRST, 2: SECOND})
    assert [field.value for field in taken.fields] == ["tea", "milk", "rice"]
    assert agreement(first, second).fields == pytest.approx(1 / 3)
