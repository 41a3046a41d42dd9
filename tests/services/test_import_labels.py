"""Labels of other programs: files as those programs write them, and round trips through the product's own exports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trainer_readers as readers
from stored import open_store

from ocr_ui.domain.review import State, Verdict
from ocr_ui.errors import BadInput
from ocr_ui.images.stored import encode_png
from ocr_ui.services.export import Exporter
from ocr_ui.services.import_labels import ImportReport, import_labels
from ocr_ui.services.templates import open_templates
from ocr_ui.services.view import error_value
from ocr_ui.settings import Settings
from ocr_ui.storage.items import WholeItem
from ocr_ui.storage.store import Store
from ocr_ui.ui.messages import localize_error

SPOT = "检测并识别图片中的文字，将文本坐标格式化输出。"
FIELDS = "提取图片中的: ['Total','No'] 的字段内容，并按照 JSON 格式返回。"
LABEL = "TOTAL(100,20),(300,60)12.50(700,20),(800,60)"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "data") as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in"
    (made / "train").mkdir(parents=True)
    for name in ("a.png", "train/a.png"):
        (made / name).write_bytes(encode_png(np.full((800, 1000, 3), 200, np.uint8)))
    return made


def take(store: Store, format: str, folder: Path, *pictures: Path) -> tuple[ImportReport, list[WholeItem]]:
    settings = Settings(data_dir=folder.parent / "data")
    report = import_labels(format, folder, store, settings, open_templates(settings, store).list(), "Ann", pictures)
    return report, list(store.items.each())


def lines(folder: Path, name: str, *rows: Any) -> None:
    (folder / name).write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def boxes(item: WholeItem) -> list[tuple[str, list[tuple[float, float]]]]:
    return [(line.text, [tuple(point) for point in line.quad.points]) for line in item.recognition.content.lines]


TOTAL = [("TOTAL", [(100, 16), (300, 16), (300, 48), (100, 48)])]


def test_the_official_lines_of_both_forms(store: Store, folder: Path) -> None:
    lines(
        folder,
        "data.jsonl",
        {"img_path_sh": str(folder / "a.png"), "conv": [{"question": SPOT, "answer": LABEL}]},
        {
            "image_path": ["a.png"],
            "conversations": [
                {"from": "human", "value": f"<image>\n{FIELDS}"},
                {"from": "gpt", "value": '{"Total": "12.50", "No": null}'},
            ],
        },
        {"img_path_sh": "gone.png", "conv": [{"question": SPOT, "answer": LABEL}]},
        {"img_path_sh": "a.png", "conv": [{"question": SPOT, "answer": ""}]},
    )
    report, (first, second) = take(store, "sft", folder)
    assert (report.count_in, len(report.items), report.tasks) == (4, 2, {"fields": 1, "spotting": 1})
    assert [(source, reason.code) for source, reason in report.left_out] == [
        ("data.jsonl, line 3", "no_picture"),
        ("data.jsonl, line 4", "no_label"),
    ]
    assert first.recognition.prompt.template == "full_text"
    assert boxes(first)[0] == TOTAL[0]
    assert second.recognition.prompt.template == "fields"
    assert [(f.name, f.value) for f in second.recognition.content.fields] == [("Total", "12.50"), ("No", None)]
    assert (first.review.verdict, first.review.state, first.review.person) == (Verdict.RIGHT, State.SUBMITTED, "Ann")


def test_a_folder_of_ppocrlabel(store: Store, folder: Path) -> None:
    entries = [{"transcription": "TOTAL", "points": [[100, 16], [300, 16], [300, 48], [100, 48]], "difficult": False}]
    illegible = {**entries[0], "transcription": "###", "difficult": True}
    (folder / "train" / "Label.txt").write_text(f"train/a.png\t{json.dumps([*entries, illegible])}\n", "utf-8")
    _, [item] = take(store, "ppocrlabel", folder / "train")
    assert boxes(item) == [*TOTAL, ("", TOTAL[0][1])]


def test_an_export_of_label_studio(store: Store, folder: Path) -> None:
    frame = {"id": "r1", "to_name": "image", "original_width": 1000, "original_height": 800, "image_rotation": 0}
    place = {"x": 10, "y": 2, "width": 20, "height": 4, "rotation": 0}
    results = [
        {**frame, "type": "rectangle", "from_name": "bbox", "value": place},
        {**frame, "type": "labels", "from_name": "label", "value": {**place, "labels": ["Text"]}},
        {**frame, "type": "textarea", "from_name": "transcription", "value": {**place, "text": ["TOTAL"]}},
    ]
    cancelled = {"was_cancelled": True, "result": []}
    said = {"was_cancelled": False, "completed_by": 1, "lead_time": 3.2, "result": results}
    task = {"id": 5, "data": {"ocr": "/data/local-files/?d=a.png"}, "annotations": [cancelled, said]}
    (folder / "project-1.json").write_text(json.dumps([task]), "utf-8")
    _, [item] = take(store, "label-studio", folder)
    [(text, corners)] = boxes(item)
    assert text == "TOTAL"
    assert np.allclose(corners, TOTAL[0][1])


def test_an_image_folder(store: Store, folder: Path) -> None:
    row = {"file_name": "a.png", "text": "TOTAL 12.50", "prompt": "提取图中的文字。"}
    lines(folder / "train", "metadata.jsonl", row)
    _, [item] = take(store, "imagefolder", folder)
    assert item.recognition.prompt.template == "full_text_plain"
    assert item.recognition.content.text == "TOTAL 12.50"


@pytest.mark.parametrize(
    ("format", "name", "text", "source"),
    [
        (
            "sft",
            "data.jsonl",
            '{"img_path_sh": "a.png", "conv": [{"question": "q", "answer": "a"}]}\n{"x": \n',
            "line 2",
        ),
        ("sft", "data.jsonl", '{"img_path_sh": "a.png", "conv": [{"question": "q", "answer": "a"}]}\n7\n', "line 2"),
        ("ppocrlabel", "Label.txt", 'in/a.png\t[{"transcription": "a", "points": [[1, 1]]}]\n', "line 1"),
        ("label-studio", "tasks.json", "[{", "tasks.json"),
        ("imagefolder", "metadata.jsonl", "\xff\xfe", "metadata.jsonl"),
    ],
)
def test_a_broken_file_imports_nothing(
    store: Store, folder: Path, format: str, name: str, text: str, source: str
) -> None:
    (folder / name).write_bytes(text.encode("latin-1"))
    with pytest.raises(BadInput) as failed:
        take(store, format, folder)
    assert failed.value.code == "broken_import"
    assert source in failed.value.message
    assert store.items.count() == 0
    assert store.pages.places() == []


def test_a_folder_without_labels_and_a_picture_that_is_none(store: Store, folder: Path) -> None:
    for format in ("sft", "ppocrlabel", "label-studio", "imagefolder"):
        with pytest.raises(BadInput) as failed:
            take(store, format, folder)
        assert failed.value.code == "nothing_to_import"
    (folder / "a.png").write_bytes(b"no picture")
    lines(folder, "data.jsonl", {"img_path_sh": "a.png", "conv": [{"question": SPOT, "answer": LABEL}]})
    with pytest.raises(BadInput) as failed:
        take(store, "sft", folder)
    assert "its picture cannot be read" in failed.value.message


@pytest.mark.sqlite_only
@pytest.mark.parametrize("format", ["sft-a", "sft-b", "imagefolder", "label-studio", "ppocrlabel"])
async def test_what_is_exported_comes_back_with_the_same_labels(
    store: Store, folder: Path, tmp_path: Path, format: str
) -> None:
    spotting = {"img_path_sh": "a.png", "conv": [{"question": SPOT, "answer": LABEL}]}
    fields = {"img_path_sh": "a.png", "conv": [{"question": FIELDS, "answer": '{"Total": "1", "No": null}'}]}
    boxed = format in ("label-studio", "ppocrlabel")
    lines(folder, "data.jsonl", spotting, *([] if boxed else [fields]))
    take(store, "sft", folder)
    await Exporter(store).export(format, tmp_path / "out")
    source = tmp_path / "out" / ("" if format == "label-studio" else format)
    with open_store(tmp_path / "again") as other:
        _, items = take(other, "sft" if format.startswith("sft") else format, source)
        await Exporter(other).export("sft-a", tmp_path / "back")
    rows = readers.rows(tmp_path / "back", "sft-a")
    wanted = [(SPOT, LABEL)] if boxed else [(SPOT, LABEL), (FIELDS, '{"Total": "1", "No": null}')]
    assert [(row.prompt, row.answer) for row in rows] == wanted
    assert {row.picture.shape for row in rows} == {(800, 1000, 3)}
    assert {item.page.sha256 for item in items} == {item.page.sha256 for item in store.items.each()}


async def test_an_imported_label_is_no_answer_of_a_model(store: Store, folder: Path, tmp_path: Path) -> None:
    lines(folder, "data.jsonl", {"img_path_sh": "a.png", "conv": [{"question": SPOT, "answer": LABEL}]})
    take(store, "sft", folder)
    with pytest.raises(BadInput) as failed:
        await Exporter(store).export("trl-kto", tmp_path / "out")
    assert failed.value.code == "nothing_fits"


def say(format: str, folder: Path, value: Any) -> None:
    """Writes a file of the format with one label or task."""
    if format == "label-studio":
        (folder / "tasks.json").write_text(json.dumps([value]), "utf-8")
    elif format == "ppocrlabel":
        (folder / "Label.txt").write_text(f"in/a.png\t{json.dumps(value)}\n", "utf-8")
    else:
        lines(folder, "data.jsonl" if format == "sft" else "metadata.jsonl", value)


BOX = [[1, 1], [50, 1], [50, 9], [1, 9]]
TASK = {"data": {"ocr": "a.png"}}
ODD = [
    ("sft", {"img_path_sh": "a.png", "conv": 5}),
    ("sft", {"img_path_sh": "a.png", "conv": ["x"]}),
    ("sft", {"img_path_sh": "a.png", "conv": [{"question": "q", "answer": 5}]}),
    ("sft", {"image_path": {"a": 1}, "conversations": []}),
    ("sft", {"image_path": ["a.png"], "conversations": 5}),
    ("sft", {"image_path": ["a.png"], "conversations": ["x"]}),
    ("imagefolder", {"file_name": "a.png", "text": {"a": 1}}),
    ("ppocrlabel", 5),
    ("ppocrlabel", None),
    ("ppocrlabel", [{"transcription": "x", "points": [[float("nan"), 1], *BOX[1:]]}]),
    ("label-studio", {"data": 5}),
    ("label-studio", {"data": {"ocr": "http://[::1"}}),
    ("label-studio", {**TASK, "annotations": 5}),
    ("label-studio", {**TASK, "annotations": ["x"]}),
    ("label-studio", {**TASK, "annotations": [{"result": 5}]}),
    ("label-studio", {**TASK, "annotations": [{"result": ["x"]}]}),
    ("label-studio", {**TASK, "annotations": [{"result": [{"id": 1, "value": {"text": [1, 2]}}]}]}),
    ("label-studio", {**TASK, "annotations": [{"result": [{"id": 1, "value": {"points": [[float("inf"), 1]]}}]}]}),
]


@pytest.mark.parametrize(("format", "value"), ODD)
def test_values_of_another_kind_are_told_with_their_place(store: Store, folder: Path, format: str, value: Any) -> None:
    say(format, folder, value)
    with pytest.raises(BadInput) as failed:
        take(store, format, folder)
    assert failed.value.code == "broken_import"
    said = localize_error(error_value(failed.value), "zh")["message"]
    assert "这里的内容不符合该格式。未导入任何内容。" in said
    assert "第 1 行" in said or "的任务 1" in said
    assert store.pages.places() == []


def test_nesting_that_no_parser_follows(store: Store, folder: Path) -> None:
    (folder / "data.jsonl").write_text("[" * 1_000_000)
    with pytest.raises(BadInput, match=r"data\.jsonl, line 1: not JSON"):
        take(store, "sft", folder)


@pytest.mark.parametrize("path", ["../secret.png", "link.png", "absolute"])
def test_pictures_elsewhere_are_not_taken(store: Store, folder: Path, path: str) -> None:
    secret = folder.parent / "secret.png"
    secret.write_bytes(encode_png(np.full((80, 100, 3), 7, np.uint8)))
    (folder / "link.png").symlink_to(secret)
    said = {"img_path_sh": str(secret) if path == "absolute" else path, "conv": [{"question": SPOT, "answer": LABEL}]}
    lines(folder, "data.jsonl", said, {**said, "img_path_sh": "a.png"})
    report, _ = take(store, "sft", folder)
    assert [(source, reason.code) for source, reason in report.left_out] == [("data.jsonl, line 1", "picture_outside")]
    report, items = take(store, "sft", folder, folder.parent)
    assert len(report.items) == 1, "a folder that was named is one to take pictures of"
    assert len(items) == 2


@pytest.mark.parametrize("name", ["x" * 300 + ".png", "a\0.png", "/etc", ""])
def test_names_that_no_file_has(store: Store, folder: Path, name: str) -> None:
    said = {"img_path_sh": name, "conv": [{"question": SPOT, "answer": LABEL}]}
    lines(folder, "data.jsonl", said, {**said, "img_path_sh": "a.png"})
    report, _ = take(store, "sft", folder)
    assert [reason.code for _, reason in report.left_out] == ["no_picture"]


@pytest.mark.parametrize("format", ["sft", "ppocrlabel", "label-studio", "imagefolder"])
def test_an_import_that_is_done_again_adds_nothing(store: Store, folder: Path, format: str) -> None:
    result = [{"id": "r", "value": {"x": 1, "y": 1, "width": 9, "height": 9, "text": ["x"]}}]
    values = {
        "sft": {"img_path_sh": "a.png", "conv": [{"question": SPOT, "answer": LABEL}]},
        "imagefolder": {"file_name": "a.png", "text": "x"},
        "ppocrlabel": [{"transcription": "x", "points": BOX}],
        "label-studio": {**TASK, "annotations": [{"result": result}]},
    }
    say(format, folder, values[format])
    first, _ = take(store, format, folder)
    again, items = take(store, format, folder)
    assert (again.count_in, again.items) == (1, ())
    assert [str(reason) for _, reason in again.left_out] == [f"it was imported before, as item {first.items[0]}"]
    assert len(items) == len(store.pages.places()) == 1


def test_another_label_of_the_same_picture_is_imported(store: Store, folder: Path) -> None:
    said = {"img_path_sh": "a.png", "conv": [{"question": SPOT, "answer": LABEL}]}
    lines(folder, "data.jsonl", said, said)
    assert len(take(store, "sft", folder)[1]) == 1
    lines(folder, "data.jsonl", {**said, "conv": [{"question": SPOT, "answer": LABEL.replace("TOTAL", "TOTALS")}]})
    assert len(take(store, "sft", folder)[1]) == 2
    lines(folder, "data.jsonl", {**said, "conv": [{"question": FIELDS, "answer": LABEL}]})
    assert len(take(store, "sft", folder)[1]) == 3


def test_a_task_that_nobody_has_labelled_is_no_empty_page(store: Store, folder: Path) -> None:
    say("label-studio", folder, {**TASK, "annotations": []})
    with pytest.raises(BadInput) as failed:
        take(store, "label-studio", folder)
    said = localize_error(error_value(failed.value), "zh")["message"]
    assert "tasks.json 的任务 1：没有标签。" in said


def test_why_a_label_is_left_out_is_told_in_chinese_to_the_last_word(store: Store, folder: Path) -> None:
    (folder / "a.png").write_bytes(b"no picture")
    lines(folder, "data.jsonl", {"img_path_sh": "a.png", "conv": [{"question": SPOT, "answer": LABEL}]})
    with pytest.raises(BadInput) as failed:
        take(store, "sft", folder)
    said = localize_error(error_value(failed.value), "zh")["message"].replace(str(folder), "").replace("data.jsonl", "")
    assert "第 1 行：图片无法读取：" in said
    assert "picture" not in said


def test_the_file_of_the_labels_may_be_named_itself(store: Store, folder: Path) -> None:
    lines(folder, "data.jsonl", {"img_path_sh": "a.png", "conv": [{"question": SPOT, "answer": LABEL}]})
    assert len(take(store, "sft", folder / "data.jsonl")[1]) == 1


def test_a_file_that_is_too_large_is_not_read(store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (folder / "a.png").open("wb") as file:
        file.truncate(40_000_000_000)
    read, seen = Path.read_bytes, []
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) if path.suffix == ".md" else seen.append(path))
    lines(folder, "data.jsonl", {"img_path_sh": "a.png", "conv": [{"question": SPOT, "answer": LABEL}]})
    with pytest.raises(BadInput, match="The file is too large"):
        take(store, "sft", folder)
    assert seen == []
