from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from stored import content, line, recognition

from ocr_ui.domain.content import Field, PageContent, TextLine
from ocr_ui.domain.page import Page
from ocr_ui.domain.pixels import PixelChoice
from ocr_ui.domain.review import Correction, ErrorKind, Review, State, Verdict
from ocr_ui.errors import BadInput
from ocr_ui.exports.columns import COLUMNS, LONGEST_CELL
from ocr_ui.exports.csv import cell
from ocr_ui.exports.files import document_stem
from ocr_ui.exports.registry import format_named
from ocr_ui.exports.sample import Notes, Sample

NOON = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)
ODD = "a\ud800b\x00c\u2028d\x85e\u202ef\r\ng\t\x1b[0m\uffff,\"';= 👨‍👩‍👧 \\frac"

# EX01, formulas in CSV
NEUTRALISED = [
    "=1+1",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    "＝1+1",
    '=HYPERLINK("http://127.0.0.1:9","x")',
]
UNCHANGED = ["-2.00", "-2,00", "a=b"]

# EX03, leading zeros and long numbers
NUMBERS = ["007", "12345678901234567890", "1e5", "3-4", "1/2", "TRUE", "0x1F"]

# EX04, characters that XML forbids
FORBIDDEN = {
    "a\x00b": "ab",
    "ge\x02plant": "geplant",
    "esc\x1b[0m": "esc[0m",
    "bad\uffff": "bad",
    "tab\tnl\nok": "tab\tnl\nok",
}


def sample(*texts: str, page: PageContent | None = None, corrected: PageContent | None = None, **parts) -> Sample:
    said = page or content(*texts)
    values = {
        "id": 7,
        "page_id": 3,
        "document_id": 2,
        "document": "scan.pdf",
        "page": Page("ab" * 32, 1000, 800, "scan.pdf", 2),
        "picture": "pictures/abab.png",
        "recognition": recognition("ab" * 32, said),
        "read_by": "Ann",
        "read_at": NOON,
        "correction": Correction(corrected, 2, "薄", 3, 0.25) if corrected else None,
        "corrected_at": NOON if corrected else None,
        "review": Review(
            Verdict.WRONG, State.SUBMITTED, (ErrorKind.OTHER, ErrorKind.BOX_OFF), "a note", "薄", 2, ("t",)
        ),
        "reviewed_at": NOON,
    }
    return Sample(**{**values, **parts})


def written(name: str, *samples: Sample, notes: Notes | None = None) -> bytes:
    return "".join(format_named(name).write(samples, notes or Notes())).encode("utf-8")


def rows(*samples: Sample) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(written("csv", *samples).decode("utf-8-sig"), newline="")))


def objects(*samples: Sample) -> list[dict]:
    return [json.loads(line) for line in written("jsonl", *samples).decode().split("\n")[:-1]]


@pytest.mark.parametrize("text", NEUTRALISED)
def test_ex01_a_formula_gets_an_apostrophe_in_csv_and_stays_exact_in_jsonl(text: str) -> None:
    assert rows(sample(text))[0]["model_text"] == "'" + text
    assert objects(sample(text))[0]["output"]["content"]["lines"][0]["text"] == text


@pytest.mark.parametrize("text", UNCHANGED)
def test_ex01_amounts_and_text_stay_as_they_are(text: str) -> None:
    assert rows(sample(text))[0]["model_text"] == text


@pytest.mark.parametrize(
    "text",
    [
        "\u200b=1+1",
        "\ufeff=1",
        "\u00a0@A1",
        "\x00=1+1",
        "\n=1",
        "−1+cmd|'/C calc'!A0",
        "﹦1",
        "－1+1",
        "-2.00+cmd|x!A",
        "--1",
    ],
)
def test_ex01_hidden_beginnings_do_not_get_past(text: str) -> None:
    assert cell(text, Notes()).startswith("'")


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a;=1+1;b", "a;'=1+1;b"),
        ("first\n=cmd|'/C calc'!A0", "first\n'=cmd|'/C calc'!A0"),
        ("a\t@SUM(A1)", "a\t'@SUM(A1)"),
        ("a; +SUM(A1)", "a;' +SUM(A1)"),
        ("list\n- item\n-2.00; +49 30", "list\n- item\n-2.00; +49 30"),
        ("a,=b", "a,=b"),
        ("\r=cmd|x!A0\n", "'\r'=cmd|x!A0\n"),
    ],
)
def test_ex01_nor_do_formulas_behind_what_a_spreadsheet_set_to_semicolons_cuts_at(text: str, safe: str) -> None:
    assert cell(text, Notes()) == safe


def test_ex01_every_text_column_is_treated() -> None:
    formula = "=1+1"
    engine = replace(recognition("ab" * 32, content("a")).engine, kind=formula, model=formula, revision=formula)
    prompt = replace(recognition("ab" * 32, content("a")).prompt, template=formula, version=formula, text=formula)
    hostile = replace(recognition("ab" * 32, content(formula)), engine=engine, prompt=prompt)
    row = rows(
        sample(
            document=formula,
            page=None,
            corrected=content(formula),
            recognition=hostile,
            read_by=formula,
            review=Review(note=formula, person=formula),
        )
    )[0]
    assert [name for name, value in row.items() if value.startswith("=")] == []
    assert row["note"] == "'=1+1"


@pytest.mark.parametrize("text", NUMBERS)
def test_ex03_numbers_stay_the_text_that_they_are(text: str) -> None:
    assert rows(sample(text))[0]["model_text"] == text
    assert objects(sample(text))[0]["output"]["content"]["lines"][0]["text"] == text


@pytest.mark.parametrize(("text", "kept"), FORBIDDEN.items())
def test_ex04_forbidden_characters_are_dropped_counted_and_kept_in_jsonl(text: str, kept: str) -> None:
    notes = Notes()
    out = written("csv", sample(text), notes=notes).decode("utf-8-sig")
    assert next(csv.DictReader(io.StringIO(out, newline="")))["model_text"] == kept
    assert notes.changes["control_characters_dropped"] == len(text) - len(kept)
    assert objects(sample(text))[0]["output"]["content"]["lines"][0]["text"] == text


def test_csv_is_utf8_with_a_byte_order_mark_and_one_row_an_item() -> None:
    out = written("csv", sample("合计\n第二行", '"quoted", comma'), sample("b"))
    assert out.startswith(b"\xef\xbb\xbf" + b'"id",')
    found = list(csv.reader(io.StringIO(out.decode("utf-8-sig"), newline="")))
    assert [len(row) for row in found] == [len(COLUMNS)] * 3
    assert found[1][COLUMNS.index("model_text")] == '合计\n第二行\n"quoted", comma'


def test_csv_says_what_people_look_for() -> None:
    fields = PageContent((line("a"),), fields=(Field("total", "12.50"), Field("date", None)), text="a")
    row = rows(sample(page=fields, corrected=content("b")))[0]
    assert (row["id"], row["page_name"], row["page_number"], row["picture"]) == (
        "7",
        "scan.pdf",
        "2",
        "pictures/abab.png",
    )
    assert (row["verdict"], row["state"], row["error_kinds"]) == ("wrong", "submitted", "other; box_off")
    assert (row["model_text"], row["corrected_text"], row["edit_distance"], row["cer"]) == ("a", "b", "3", "0.25")
    assert (row["read_at"], row["reviewed_by"]) == ("2026-03-01 12:00:05", "薄")
    assert json.loads(row["model_fields"]) == {"total": "12.50", "date": None}
    untouched = rows(sample("a", review=Review(), reviewed_at=None))[0]
    assert (untouched["corrected_text"], untouched["verdict"], untouched["reviewed_at"]) == ("", "", "")


def test_a_cell_too_long_for_a_spreadsheet_is_cut_and_said() -> None:
    notes = Notes()
    text = cell("x" * 40_000, notes)
    assert LONGEST_CELL < len(text) < 32_767
    assert "JSON Lines" in text
    assert notes.changes["cells_cut"] == 1


def test_jsonl_keeps_every_string_and_no_reader_cuts_a_line() -> None:
    page = PageContent((TextLine(ODD, None, 0.5, "l0"),), text=ODD)
    odd = sample(page=page, document=ODD, corrected=page, read_by=ODD, review=Review(note=ODD))
    out = written("jsonl", odd, odd)
    assert len(out.decode().splitlines()) == 2
    found = json.loads(out.split(b"\n")[0])
    assert found["output"]["content"] == page.to_dict()
    assert PageContent.from_dict(found["correction"]["content"]) == page
    assert (found["document"], found["person"], found["review"]["note"]) == (ODD, ODD, ODD)
    assert "👨‍👩‍👧".encode() in out  # letters stand as they are


def test_jsonl_has_the_whole_story() -> None:
    row = objects(sample("a", corrected=content("b")))[0]
    assert row["page"] == {
        "sha256": "ab" * 32,
        "width": 1000,
        "height": 800,
        "name": "scan.pdf",
        "number": 2,
        "start": None,
        "end": None,
        "picture": "pictures/abab.png",
    }
    assert (row["id"], row["page_id"], row["document_id"]) == (7, 3, 2)
    assert row["template"] == {
        "name": "full_text",
        "version": "0123456789ab",
        "task": "spotting",
        "text": "检测",
        "variables": {"target": "en"},
        "sampling": {"temperature": 0},
    }
    assert row["engine"] == {"kind": "rapidocr", "version": "3.10", "model": "PP-OCRv6", "revision": "r1", "name": ""}
    assert (row["output"]["raw"], row["output"]["outcome"]) == ("raw answer", "complete")
    assert row["correction"]["content"]["lines"][0]["text"] == "b"
    assert (row["correction"]["version"], row["correction"]["edit_distance"], row["correction"]["cer"]) == (2, 3, 0.25)
    assert row["review"] == {
        "verdict": "wrong",
        "state": "submitted",
        "error_kinds": ["other", "box_off"],
        "note": "a note",
        "tags": ["t"],
        "person": "薄",
        "correction_version": 2,
        "changed_at": "2026-03-01T12:00:05+00:00",
    }
    assert (row["person"], row["created_at"]) == ("Ann", "2026-03-01T12:00:05+00:00")


def test_jsonl_tells_with_how_many_pixels_a_page_was_read() -> None:
    whole = sample("a")
    assert objects(whole)[0]["pixels"] is None
    choice = PixelChoice("reduced", (500, 400), (1000, 800), 24.0, 12.0, 101)
    few = replace(whole, recognition=replace(whole.recognition, pixels=choice))
    assert PixelChoice.from_dict(objects(few)[0]["pixels"]) == choice
    assert objects(sample("a", picture=""))[0]["page"]["picture"] is None


def test_pe07_a_box_drawn_by_hand_is_exported() -> None:
    page = content("a")
    drawn = replace(page, lines=(*page.lines, line("drawn", 5, "l9"), line("", 6, "l10")))
    found = objects(sample("a", corrected=drawn))[0]["correction"]["content"]["lines"]
    assert [one["text"] for one in found] == ["a", "drawn", ""]
    assert found[1]["quad"] == [[10, 100], [500, 100], [500, 115], [10, 115]]


@pytest.mark.parametrize("name", ["jsonl", "csv"])
def test_an_empty_page_is_a_row_like_any_other(name: str) -> None:
    notes = Notes()
    out = written(name, sample(page=PageContent()), notes=notes)
    assert out.count(b"\n") == (2 if name == "csv" else 1)
    assert notes.left_out == []


@pytest.mark.parametrize("name", ["jsonl", "csv"])
def test_the_same_samples_give_the_same_bytes(name: str) -> None:
    assert written(name, sample("a"), sample(ODD)) == written(name, sample("a"), sample(ODD))


@pytest.mark.parametrize("name", ["jsonl", "csv"])
def test_samples_are_taken_one_at_a_time(name: str) -> None:
    taken: list[int] = []

    def endless():
        while True:
            taken.append(1)
            yield sample("a")

    pieces = format_named(name).write(endless(), Notes())
    for _ in range(5):
        next(pieces)
    assert len(taken) <= 5


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match="jsonl, csv") as failed:
        format_named("xls")
    assert failed.value.code == "unknown_format"


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ("in/three.pdf", "in_three"),
        ("scans.2024/page", "scans.2024_page"),
        ("o.zip/a/one", "o.zip_a_one"),
        ("letter.v2.pdf", "letter.v2"),
        (".png", "png"),
        ("../..", ""),
    ],
)
def test_only_the_ending_of_the_file_is_left_out_of_a_name(document: str, name: str) -> None:
    assert document_stem(sample("a", document=document, document_id=7)) == f"000007-{name}".rstrip("-")
