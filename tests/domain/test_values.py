from __future__ import annotations

import json

import pytest

from ocr_ui.domain.content import ContentWarning, Field, PageContent, Table, TextLine, TextRegion
from ocr_ui.domain.geometry import BoundingBox, Quad
from ocr_ui.domain.prompt import Choice, PromptTemplate, Task, Variable, split_values
from ocr_ui.domain.review import MOVES, State, check_move
from ocr_ui.errors import BadInput

QUAD = Quad.from_points([(1, 2), (30, 2), (30, 9), (1, 9)])


def test_normalized_coordinates_scale_each_axis_by_its_own_side() -> None:
    quad = Quad.from_normalized([(120, 40), (310, 70)], 2000, 1000)
    assert quad.bounds == BoundingBox(240, 40, 620, 70)


def test_four_normalized_points_keep_their_order() -> None:
    quad = Quad.from_normalized([(100, 100), (300, 120), (298, 160), (98, 140)], 1000, 500)
    assert quad.points[1] == (300, 60)


def test_iou_of_boxes_without_area_is_zero() -> None:
    dot = BoundingBox(5, 5, 5, 5)
    assert dot.iou(dot) == 0
    assert BoundingBox(0, 0, 10, 10).iou(BoundingBox(5, 0, 15, 10)) == pytest.approx(1 / 3)


def test_clip_moves_every_corner_into_the_picture() -> None:
    quad = Quad.from_points([(-5, -5), (120, 0), (120, 60), (0, 60)]).clip(100, 50)
    assert quad.points == ((0, 0), (100, 0), (100, 50), (0, 50))


@pytest.mark.parametrize("points", [[], [(1, 2)] * 3, [(1, 2, 3)] * 4])
def test_a_quad_has_four_pairs(points: list) -> None:
    with pytest.raises(ValueError, match="four points"):
        Quad.from_points(points)


def test_content_survives_json() -> None:
    content = PageContent(
        lines=(TextLine("a\u202e<b>", QUAD, 0.5, "l0"), TextLine("", None)),
        regions=(TextRegion("title", QUAD, "a"),),
        fields=(Field("total", "12.50", QUAD, 0.9, "amount", ("12.60",)), Field("date", None)),
        tables=(Table("<table></table>", (("a", "b"),), QUAD),),
        text="a",
        warnings=(
            ContentWarning("clamped", "x", 0),
            ContentWarning("empty", "y", None, {"names": "a, b"}),
        ),
    )
    assert PageContent.from_dict(json.loads(json.dumps(content.to_dict()))) == content


def test_ids_are_unique_and_kept() -> None:
    content = PageContent(lines=(TextLine("a"), TextLine("b", id="l0"), TextLine("c"))).with_ids()
    assert [line.id for line in content.lines] == ["l1", "l0", "l2"]
    assert content.with_ids() == content


TEMPLATE = PromptTemplate(
    "t",
    {"en": "T", "zh": "T"},
    Task.FIELDS,
    "Get {{ names }} in {{lang}} {{unknown}}",
    (
        Variable("names", {"en": "Names"}, many=True),
        Variable("lang", {"en": "L"}, "en", (Choice("en", {}), Choice("zh", {}))),
    ),
)


def test_render_fills_lists_and_defaults() -> None:
    assert TEMPLATE.render({"names": "a， b,a\n c"}) == "Get ['a','b','c'] in en {{unknown}}"


def test_a_value_that_looks_like_a_placeholder_stays_text() -> None:
    assert TEMPLATE.render({"names": "{{lang}}"}) == "Get ['{{lang}}'] in en {{unknown}}"


def test_an_edited_text_gets_its_blanks_back() -> None:
    values = {"names": "a,b", "lang": "zh"}
    edited = TEMPLATE.render(values).replace("Get", "Please get")
    assert TEMPLATE.with_blanks(edited, values) == "Please get {{names}} in {{lang}} {{unknown}}"
    assert TEMPLATE.with_blanks("Get nothing", values) == "Get nothing"


@pytest.mark.parametrize(
    ("values", "code"),
    [({}, "missing_variable"), ({"names": "a", "lang": "fr"}, "not_a_choice"), ({"x": "1"}, "missing_variable")],
)
def test_render_names_what_is_wrong(values: dict, code: str) -> None:
    with pytest.raises(BadInput) as caught:
        TEMPLATE.render(values)
    assert caught.value.code == code


def test_version_depends_on_what_reaches_the_model_alone() -> None:
    from dataclasses import replace

    assert replace(TEMPLATE, title={"en": "other"}, builtin=False).version == TEMPLATE.version
    assert replace(TEMPLATE, sampling={"temperature": 1}).version != TEMPLATE.version


def test_split_values_takes_every_separator() -> None:
    assert split_values("a,b，c;d；e、f\n g ,") == list("abcdefg")


def test_states_move_only_as_allowed() -> None:
    check_move(State.PENDING, State.SUBMITTED)
    check_move(State.SUBMITTED, State.SUBMITTED)
    with pytest.raises(BadInput, match="pending cannot become accepted"):
        check_move(State.PENDING, State.ACCEPTED)
    assert set(MOVES) == set(State)
