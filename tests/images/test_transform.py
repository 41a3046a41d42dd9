from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ocr_ui.domain.geometry import BoundingBox, Quad
from ocr_ui.images.clean_steps import Deskew
from ocr_ui.images.transform import Pad, PictureTransform, Scale, Step, Turn, fitting, pixels_for, prepare

MARK, GROUND = (0, 0, 0), (255, 255, 255)
sides = st.integers(40, 160)


def picture(width: int, height: int) -> np.ndarray:
    return np.full((height, width, 3), GROUND, np.uint8)


@st.composite
def steps(draw: st.DrawFn) -> Step:
    kind = draw(st.sampled_from(["scale", "pad", "turn", "deskew"]))
    if kind == "scale":
        return Scale(draw(sides), draw(sides))
    if kind == "deskew":
        return Deskew(draw(st.floats(-15, 15)), GROUND)
    if kind == "pad":
        margin = st.integers(0, 30)
        return Pad(draw(margin), draw(margin), draw(margin), draw(margin), GROUND)
    return Turn(draw(st.integers(1, 3)))


@st.composite
def marks(draw: st.DrawFn) -> tuple[np.ndarray, Quad]:
    """A picture with one black rectangle, and the rectangle."""
    width, height = draw(sides), draw(sides)
    left, top = draw(st.integers(0, width - 20)), draw(st.integers(0, height - 20))
    right, bottom = draw(st.integers(left + 12, width)), draw(st.integers(top + 12, height))
    pixels = picture(width, height)
    pixels[top:bottom, left:right] = MARK
    return pixels, Quad.from_box(BoundingBox(left, top, right, bottom))


def dark_bounds(pixels: np.ndarray) -> BoundingBox:
    rows, columns = np.nonzero(pixels[:, :, 0] < 128)
    return BoundingBox(columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)


def far_apart(a: BoundingBox, b: BoundingBox) -> float:
    return max(abs(a.left - b.left), abs(a.top - b.top), abs(a.right - b.right), abs(a.bottom - b.bottom))


@settings(deadline=None, max_examples=150)
@given(marks(), st.lists(steps(), max_size=4))
def test_label_and_pixels_stay_together_through_every_transform(
    marked: tuple[np.ndarray, Quad], row: list[Step]
) -> None:
    pixels, box = marked
    transform = PictureTransform(pixels.shape[1], pixels.shape[0], tuple(row))
    seen = transform.apply(pixels)
    assert seen.shape == (*transform.engine_size[::-1], 3)
    assert seen.flags["C_CONTIGUOUS"]
    # Each scaling may round the visible edge by half a pixel of its own, and a later one may enlarge that; turning by
    # some degrees leaves little of the tip of a corner.
    scalings = [step for step in row if isinstance(step, Scale | Deskew)]
    allowed = 1.0 if len(scalings) < 2 else 1.0 + 4 * (len(scalings) - 1)
    if dark := (seen[:, :, 0] < 128).any():
        assert far_apart(dark_bounds(seen), transform.to_engine(box).bounds) <= allowed
    assert dark or scalings, "only scaling can make a mark too small to be seen"


@settings(deadline=None, max_examples=150)
@given(marks(), st.lists(steps(), max_size=4))
def test_a_quad_comes_back_to_where_it_was(marked: tuple[np.ndarray, Quad], row: list[Step]) -> None:
    pixels, box = marked
    transform = PictureTransform(pixels.shape[1], pixels.shape[0], tuple(row))
    back = transform.to_stored(transform.to_engine(box))
    np.testing.assert_allclose(back.points, box.points, atol=1e-6)


@settings(deadline=None, max_examples=100)
@given(sides, sides, st.lists(steps(), max_size=4))
def test_a_transform_can_be_written_down(width: int, height: int, row: list[Step]) -> None:
    transform = PictureTransform(width, height, tuple(row))
    assert PictureTransform.from_dict(json.loads(json.dumps(transform.to_dict()))) == transform


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 1500), st.integers(1, 1500), st.integers(2_000, 200_000), st.sampled_from([20, 200]))
def test_the_engines_copy_keeps_to_its_bounds(width: int, height: int, max_pixels: int, max_ratio: int) -> None:
    seen, transform, notes = prepare(picture(width, height), max_pixels, max_ratio=max_ratio)
    high, wide = seen.shape[:2]
    assert wide * high <= max_pixels
    assert max(wide, high) <= max_ratio * min(wide, high)
    assert {note.code for note in notes} == {{"scale": "scaled_down", "pad": "padded"}[s.kind] for s in transform.steps}
    if not notes:
        assert (wide, high) == (width, height)
    corners = Quad.from_box(BoundingBox(0, 0, width, height))
    assert transform.to_stored(transform.to_engine(corners)).bounds.area == pytest.approx(width * height)


def test_a_picture_within_the_bounds_is_not_copied() -> None:
    pixels = picture(100, 50)
    seen, transform, notes = prepare(pixels, 4_000_000)
    assert seen is pixels
    assert (transform.steps, notes) == ((), ())


def test_a_letter_page_is_scaled_to_no_less_than_it_may_have() -> None:
    seen, transform, _ = prepare(picture(2550, 3300), 4_000_000)
    assert 3_980_000 < seen.shape[0] * seen.shape[1] <= 4_000_000
    back = transform.to_stored(Quad.from_box(BoundingBox(0, 0, *transform.engine_size)))
    assert far_apart(back.bounds, BoundingBox(0, 0, 2550, 3300)) < 1e-6


@pytest.mark.parametrize(("width", "height", "size"), [(5000, 1, (5000, 25)), (1115, 5, (1115, 6)), (1, 900, (5, 900))])
def test_a_strip_gets_a_margin_in_the_colour_of_its_ground(width: int, height: int, size: tuple[int, int]) -> None:
    pixels = np.full((height, width, 3), (10, 20, 30), np.uint8)
    seen, transform, notes = prepare(pixels, 4_000_000)
    assert transform.engine_size == size
    assert (seen == (10, 20, 30)).all()
    assert [note.code for note in notes] == ["padded"]


def test_a_box_in_the_margin_ends_up_on_the_border() -> None:
    _, transform, _ = prepare(picture(5000, 1), 4_000_000)
    back = transform.to_stored(Quad.from_box(BoundingBox(0, 0, 100, 25))).bounds
    assert back == BoundingBox(0, 0, 100, 1)


def test_a_transform_refuses_another_picture() -> None:
    with pytest.raises(ValueError, match="not the picture"):
        PictureTransform(10, 20).apply(picture(20, 10))


@settings(deadline=None)
@given(st.integers(60, 6000), st.integers(60, 6000), st.integers(10_000, 4_000_000))
def test_the_same_copy_can_be_made_again(width: int, height: int, most: int) -> None:
    copy = fitting((width, height), most)
    assert fitting((width, height), pixels_for((width, height), copy)) == copy


def test_what_was_scaled_is_known_whatever_came_before_and_after() -> None:
    plain = PictureTransform(400, 300)
    level = plain.then(Deskew(5.0, GROUND))
    assert plain.scaled == ((400, 300), (400, 300))
    assert level.then(Scale(200, 160)).then(Pad(1, 2, 3, 4, GROUND)).scaled == (level.engine_size, (200, 160))
    assert plain.then(Pad(1, 2, 3, 4, GROUND)).scaled == ((400, 300), (400, 300))
