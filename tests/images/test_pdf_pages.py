from __future__ import annotations

import numpy as np
import pytest

from ocr_ui.errors import BadInput, TooLarge
from ocr_ui.images.door import Limits, count_pages, ink_share, open_pages, open_picture
from tests.images import pdf_files

LIMITS = Limits()


def codes(data: bytes) -> list[str]:
    return [warning.code for warning in open_picture(data, LIMITS).warnings]


def test_a_page_is_drawn_at_200_dots_per_inch() -> None:
    picture = open_picture(pdf_files.pages([(200, 100)]), LIMITS)
    assert (picture.width, picture.height) == (556, 278)
    assert (picture.source_mode, picture.pages, picture.warnings) == ("PDF", 1, ())
    assert 0.005 < ink_share(picture.pixels) < 0.2


def test_a_turned_page_is_drawn_as_readers_show_it() -> None:
    picture = open_picture(pdf_files.pages([(200, 100)], extra=b"/Rotate 90"), LIMITS)
    assert (picture.width, picture.height) == (278, 556)
    rows, columns = np.nonzero((picture.pixels < 100).any(axis=2))
    assert columns.max() < 139, "what was at the bottom is on the left"
    assert rows.max() - rows.min() > 5 * (columns.max() - columns.min()), "the line of text runs downwards"


def test_a_locked_pdf_is_refused_by_name() -> None:
    with pytest.raises(BadInput) as caught:
        open_picture(pdf_files.locked(), LIMITS)
    assert caught.value.code == "pdf_encrypted"


def test_a_pdf_without_pages_is_said_to_be_empty_even_after_a_locked_one() -> None:
    with pytest.raises(BadInput):
        open_picture(pdf_files.locked(), LIMITS)
    with pytest.raises(BadInput) as caught:
        open_picture(pdf_files.pages([]), LIMITS)
    assert caught.value.code == "pdf_empty"


def test_two_thousand_pages_are_counted_and_taken_in_parts() -> None:
    data = pdf_files.pages([(60, 40)] * 2000)
    assert count_pages(data, LIMITS) == 2000
    assert codes(data) == ["more_pages"]
    with pytest.raises(TooLarge) as caught:
        open_pages(data, LIMITS)
    assert caught.value.details == {"pages": 2000, "limit": 500}
    assert len(list(open_pages(data, LIMITS, first=1999))) == 2


@pytest.mark.parametrize("box", [(14_400, 14_400), (1_000_000, 1_000_000), (1, 200_000), (3e7, 0.5)])
def test_huge_page_boxes_stay_within_the_limits(box: tuple[float, float]) -> None:
    picture = open_picture(pdf_files.pages([box]), Limits(max_pixels=1_000_000))
    assert picture.width * picture.height <= 1_000_000
    assert "reduced" in [warning.code for warning in picture.warnings]


@pytest.mark.parametrize("box", [(0, 0), (0, 100)])
def test_a_page_box_without_a_size_counts_as_letter_paper(box: tuple[float, float]) -> None:
    picture = open_picture(pdf_files.pages([box]), LIMITS)
    assert (picture.width, picture.height) == (1700, 2200)


def test_pages_have_sizes_of_their_own() -> None:
    data = pdf_files.pages([(72, 36), (36, 72)])
    assert [(page.width, page.height) for page in open_pages(data, LIMITS)] == [(200, 100), (100, 200)]


def test_a_cut_pdf_is_read_with_a_warning() -> None:
    data = pdf_files.pages([(200, 100)])
    assert codes(data[: data.index(b"startxref")]) == ["truncated"]


def test_a_pdf_that_is_only_a_header_is_damaged() -> None:
    with pytest.raises(BadInput) as caught:
        open_picture(b"%PDF-1.7\n", LIMITS)
    assert (caught.value.code, caught.value.details) == ("damaged", {"format": "PDF"})


def test_a_page_that_is_not_there() -> None:
    with pytest.raises(BadInput) as caught:
        open_picture(pdf_files.pages([(200, 100)]), LIMITS, page=2)
    assert caught.value.details == {"page": 2, "pages": 1}


def test_what_was_typed_into_a_form_is_drawn() -> None:
    """The field's look has to come from the form: the page itself is empty."""
    look = b"BT /F1 24 Tf 2 8 Td (Typed) Tj ET"
    data = pdf_files.pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [5 0 R] >> >>",
            b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Annots [5 0 R] >>",
            b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Typed) /Rect [10 10 150 40] /F 4 /P 4 0 R "
            b"/AP << /N 6 0 R >> >>",
            b"<< /Type /XObject /Subtype /Form /BBox [0 0 140 30] /Resources << /Font << /F1 3 0 R >> >> "
            b"/Length %d >>\nstream\n%s\nendstream" % (len(look), look),
        ]
    )
    assert ink_share(open_picture(data, LIMITS).pixels) > 0.003
