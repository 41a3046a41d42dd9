from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from labelled import write_page
from stored import ANN, add_item, content, open_store

from ocr_ui.domain.access import MAY, Identity, Role
from ocr_ui.domain.content import Field, PageContent, Table, TextLine
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.review import Review, State, Verdict
from ocr_ui.domain.truth import FactKind
from ocr_ui.errors import BadInput, NotFound
from ocr_ui.services.access import Acting, act_as
from ocr_ui.services.dataset_versions import DatasetVersions
from ocr_ui.services.evaluate import values_for
from ocr_ui.services.labelled_sets import open_set, truth_of
from ocr_ui.services.templates import open_templates
from ocr_ui.settings import Settings


@pytest.fixture
def opened(tmp_path: Path):
    settings = Settings(data_dir=tmp_path / "data")
    with open_store(tmp_path / "data") as store:
        templates = open_templates(settings, store)
        yield store, lambda what: open_set(str(what), store, settings, templates.list()), templates


def manifest(folder: Path, *rows: dict) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "manifest.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


def picture(folder: Path, name: str, shade: int = 0) -> str:
    assert cv2.imwrite(str(folder / name), np.full((20, 40, 3), shade, np.uint8))
    return name


def test_the_examples_say_what_stands_on_them(opened) -> None:
    found = opened[1]("examples")
    pages = {page.name: page for page in found.pages}
    assert len(pages) == 16
    invoice = pages["invoice"]
    assert (invoice.language, invoice.kind, invoice.task) == ("en", "invoice", Task.FIELDS)
    assert {one.name: one.value for one in invoice.truth.fields}["Total"] == "€11,880.01"
    assert pages["table"].truth.tables[0].startswith("<table>")
    assert len(pages["formula_page"].truth.formulas) == 6
    assert pages["chinese_receipt"].truth.answer(Task.TRANSLATE).startswith("Riverside Moon")
    assert (pages["blank_page"].truth.text, pages["blank_page"].language) == ("", "none")
    assert len(found.sha256) == 64


def test_each_template_asks_what_the_page_can_be_judged_by(opened) -> None:
    _, open_it, templates = opened
    pages = {page.name: page for page in open_it("examples").pages}
    fields, qa = templates.get("fields"), templates.get("qa")
    assert values_for(fields, pages["receipt"])["fields"].startswith("Store, Date")
    assert values_for(fields, pages["table"]) is None
    assert values_for(qa, pages["identity_card"]) == {"question": "When does this card expire?"}
    assert values_for(qa, pages["receipt"]) is None
    assert values_for(templates.get("full_text"), pages["table"]) == {}


def test_a_manifest_with_lines_parts_and_facts(opened, tmp_path: Path) -> None:
    folder = manifest(
        tmp_path / "set",
        {
            "id": "a",
            "file": "a.png",
            "language": "de",
            "kind": "receipt",
            "tags": ["scan"],
            "gt": {
                "lines": [{"text": "eins", "quad": [[0, 0], [9, 0], [9, 5], [0, 5]]}, {"text": "zwei", "quad": None}],
                "fields": {"total": "1", "absent": None, "items": [1, 2]},
                "text_parts": ["eins"],
                "tests": [{"page": 1, "type": "order", "before": "eins", "after": "zwei", "checked": "verified"}],
            },
        },
        {"id": "b", "file": "gone.png", "tags": [], "gt": {"text": "x"}},
    )
    picture(folder, "a.png")
    found = opened[1](folder)
    page = found.pages[0]
    assert (page.truth.text, page.truth.lines) == ("eins\nzwei", None)  # one of its lines has no box
    assert [(one.name, one.value) for one in page.truth.fields] == [("total", "1"), ("absent", None)]
    assert [fact.kind for fact in page.truth.facts] == [FactKind.PRESENT, FactKind.ORDER]
    assert found.left_out == (("b", "its picture cannot be read (No such file or directory)"),)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({"file": "a.png", "gt": {"tests": [{"type": "baseline"}]}}, "bad_fact"),
        ({"file": "a.png"}, "broken_known_page"),
        ({"file": "a.png", "gt": {"lines": [{"quad": []}]}}, "broken_known_page"),
    ],
)
def test_a_broken_label_is_named(opened, tmp_path: Path, row: dict, code: str) -> None:
    with pytest.raises(BadInput) as refused:
        opened[1](manifest(tmp_path / "set", row))
    assert refused.value.code == code


def test_labels_of_other_programs(opened, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    picture(folder, "a.png")
    entries = [{"transcription": "合计 12", "points": [[1, 1], [30, 1], [30, 9], [1, 9]], "difficult": False}]
    (folder / "Label.txt").write_text(f"set/a.png\t{json.dumps(entries)}\nset/gone.png\t[]\n", encoding="utf-8")
    found = opened[1](folder)
    assert (found.pages[0].truth.text, len(found.pages[0].truth.lines)) == ("合计 12", 1)
    assert (found.pages[0].language, found.pages[0].task) == ("chinese", Task.SPOTTING)
    assert len(found.left_out) == 1


def test_a_frozen_version_stays_as_it_was(opened) -> None:
    store, open_it, _ = opened
    right, corrected, unjudged = (add_item(store, ("Total 12.50",), shade=shade) for shade in (1, 2, 3))
    store.reviews.set(right, Review(Verdict.RIGHT, State.SUBMITTED, person="Ann", tags=("till",)))
    store.corrections.add(corrected, 0, content("Total 12.90"), ANN)
    DatasetVersions(store).freeze_now("july")
    store.corrections.add(corrected, 1, content("later"), ANN)
    found = open_it("july")
    assert [page.truth.text for page in found.pages] == ["Total 12.50", "Total 12.90"]
    assert found.pages[0].tags == ("till",)
    assert found.pages[0].upright
    assert found.left_out == ((f"receipt.png #{unjudged}", "nobody has said what is right"),)
    assert found.pages[0].picture() == store.pictures.read(found.pages[0].sha256)


def test_a_saved_filter(opened) -> None:
    store, open_it, _ = opened
    for shade, template in ((1, "full_text"), (2, "fields")):
        item = add_item(store, ("x",), template=template, shade=shade)
        store.reviews.set(item, Review(Verdict.RIGHT, State.SUBMITTED, person="Ann"))
    store.queues.save_filter("mine", {"templates": ["full_text"], "sort": "oldest"}, ANN)
    assert [page.kind for page in open_it("filter:mine").pages] == ["full_text"]


def test_with_logins_only_an_admin_names_folders_of_the_server(opened, tmp_path: Path) -> None:
    write_page(tmp_path, 1, text="a")
    for role in Role:
        person = Identity("Ann", MAY[role], 1, role, "password")
        with act_as(Acting(person)):
            if role is Role.ADMIN:
                assert len(opened[1](tmp_path).pages) == 1
            else:
                with pytest.raises(NotFound):
                    opened[1](tmp_path)
            assert len(opened[1]("examples").pages) == 16


def test_a_set_without_labels_is_refused(opened, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as refused:
        opened[1](tmp_path)
    assert refused.value.code == "nothing_labelled"


def test_pages_of_one_name_are_told_apart(opened, tmp_path: Path) -> None:
    write_page(tmp_path, 1, text="a")
    write_page(tmp_path, 2, text="b")
    for file in tmp_path.glob("*.json"):
        file.write_text(json.dumps(json.loads(file.read_text()) | {"name": "page"}))
    assert [page.name for page in opened[1](tmp_path).pages] == ["page", "page (2)"]


def test_another_label_makes_another_set(opened, tmp_path: Path) -> None:
    write_page(tmp_path, 1, text="a")
    before = opened[1](tmp_path).sha256
    assert opened[1](tmp_path).sha256 == before
    write_page(tmp_path, 1, text="b")
    assert opened[1](tmp_path).sha256 != before


@pytest.mark.parametrize(
    ("task", "known"),
    [
        (Task.SPOTTING, {"text", "lines"}),
        (Task.TEXT, {"text", "lines"}),
        (Task.FIELDS, {"fields"}),
        (Task.TABLE, {"tables"}),
        (Task.DOCUMENT, {"answers", "tables"}),
        (Task.FORMULA, {"formulas"}),
        (Task.TRANSLATE, {"answers"}),
        (Task.LAYOUT, set()),
    ],
)
def test_a_label_knows_what_it_was_made_for(task: Task, known: set[str]) -> None:
    page = content("a", "b")
    page = replace(page, fields=(Field("n", "v"),), tables=(Table("<table></table>"),))
    told = truth_of(task, page).to_dict()
    assert {name for name, value in told.items() if value not in (None, {}, [], ())} == known


def test_lines_without_boxes_say_nothing_of_boxes() -> None:
    assert truth_of(Task.TEXT, PageContent(lines=(TextLine("a"),))).lines is None


@pytest.mark.parametrize("name", ["no-such-set", "0" * 5000, "a\0b"])
def test_a_name_of_nothing_is_told_whatever_it_is(opened, name: str) -> None:
    with pytest.raises(NotFound) as refused:
        opened[1](name)
    assert refused.value.code == "unknown_test_set"
