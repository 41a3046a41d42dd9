"""Formats for trainers: written by the product from a store, read back by the trainers' own loader and rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import jinja2
import numpy as np
import pytest
import trainer_readers as readers
from stored import ANN, open_store, recognition

from ocr_ui.domain.content import Field, PageContent, Table, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.page import Page
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import Generation
from ocr_ui.errors import BadInput
from ocr_ui.exports.sample import Options
from ocr_ui.images.stored import encode_png
from ocr_ui.images.transform import prepare
from ocr_ui.parsing.dispatch import parse
from ocr_ui.scoring.rewards import score, trl_reward
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.export import Exporter
from ocr_ui.storage.store import Store

ROWS = ("sft-a", "sft-b", "verl", "verl-plain", "easyr1", "trl-sft", "trl-dpo", "trl-kto", "trl-grpo")
SPOT = "检测并识别图片中的文字，将文本坐标格式化输出。"
WIDTH, HEIGHT = 1200, 800


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "data") as opened:
        yield opened


def picture(seed: int = 0, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    """A picture that no other seed's is like: coarse blocks of grey."""
    blocks = np.random.default_rng(seed).integers(0, 255, (9, 12), np.uint8)
    grey = np.kron(blocks, np.ones((-(-height // 9), -(-width // 12)), np.uint8))[:height, :width]
    return np.repeat(grey[:, :, None], 3, axis=2)


def add(
    store: Store,
    raw: str,
    task: Task = Task.SPOTTING,
    prompt: str = SPOT,
    pixels: np.ndarray | None = None,
    max_pixels: int = 10**9,
    said: PageContent | None = None,
    outcome: str = "complete",
    variables: dict[str, str] | None = None,
    engine: str = "vllm",
) -> int:
    """An item as the product stores it: the raw answer read by the product's own parser."""
    pixels = picture() if pixels is None else pixels
    height, width = pixels.shape[:2]
    sha256 = store.pictures.put(encode_png(pixels))
    page_id = store.pages.add_document("page.png", [Page(sha256, width, height, "page.png")], ANN).page_ids[0]
    _, transform, _ = prepare(pixels, max_pixels)
    read = said or parse(task, raw, (width, height)).with_ids()
    base = recognition(sha256, read, engine=engine)
    used = replace(base.prompt, task=task.value, text=prompt, variables=variables or {})
    made = Generation(raw, "stop", 10, 0.1)
    value = replace(base, prompt=used, generation=made, outcome=outcome, transform=transform.to_dict())
    return store.recognitions.add(value, page_id, ANN)


async def right(store: Store, item: int) -> None:
    said = store.recognitions.get(item).recognition.content
    await Annotator(store).save_correction(item, 0, said, "right", person=ANN)


async def correct(store: Store, item: int, said: PageContent, verdict: str = "wrong") -> None:
    await Annotator(store).save_correction(item, 0, said, verdict, person=ANN)


def with_texts(store: Store, item: int, *texts: str) -> PageContent:
    said = store.recognitions.get(item).recognition.content
    lines = tuple(replace(line, text=text) for line, text in zip(said.lines, texts, strict=True))
    return replace(said, lines=lines, text="\n".join(texts))


async def corrected(store: Store) -> int:
    """A picture that was scaled down for reading, read with a mistake and corrected."""
    item = add(store, "TOTAI(100,20),(300,60)12.50(700,20),(800,60)", max_pixels=WIDTH * HEIGHT // 4)
    await correct(store, item, with_texts(store, item, "TOTAL", "12.50"))
    return item


LABEL = "TOTAL(100,20),(300,60)12.50(700,20),(800,60)"


@pytest.mark.parametrize("name", ROWS)
async def test_the_row_has_the_prompt_the_label_and_the_picture_as_it_was_read(
    store: Store, tmp_path: Path, name: str
) -> None:
    item = await corrected(store)
    report = await Exporter(store).export(name, tmp_path / "out")
    [row] = readers.rows(tmp_path / "out", name)
    assert row.prompt == SPOT
    assert row.picture.shape == (HEIGHT // 2, WIDTH // 2, 3), "scaled as it was for the model"
    if name == "trl-kto":
        assert (row.answer, row.flag) == ("TOTAI(100,20),(300,60)12.50(700,20),(800,60)", False)
    else:
        assert row.answer == LABEL
    if name == "trl-dpo":
        assert row.worse == "TOTAI(100,20),(300,60)12.50(700,20),(800,60)"
    assert (report.count_in, report.count_out, report.left_out, report.rows) == (1, 1, (), {"train": 1})
    assert report.copies == {"smaller": 1, "cleaned": 0}
    assert item == 1


@pytest.mark.parametrize("name", ROWS)
async def test_the_stored_picture_on_request(store: Store, tmp_path: Path, name: str) -> None:
    await corrected(store)
    report = await Exporter(store).export(name, tmp_path / "out", options=Options(stored_pictures=True))
    assert report.copies == {"smaller": 0, "cleaned": 0}
    [row] = readers.rows(tmp_path / "out", name)
    assert np.array_equal(row.picture, picture())


@pytest.mark.parametrize("name", ["verl", "verl-plain", "easyr1", "trl-grpo"])
async def test_the_official_reward_of_the_label_against_itself_is_one(store: Store, tmp_path: Path, name: str) -> None:
    await corrected(store)
    for seed, (shape, answer) in enumerate(ANSWERS.items(), 1):
        item = add(store, answer, pixels=picture(seed), prompt=shape)
        await correct(store, item, with_texts(store, item, "TOTAL", "1 (2,3),(4,5)"))
    item = add(store, '{"No": "7"}', Task.FIELDS, "f", pixels=picture(7))
    await correct(store, item, PageContent(fields=(Field("No", "007"), Field("Tax", None))))
    item = add(store, "x", Task.TABLE, "t", pixels=picture(8))
    await correct(store, item, PageContent(text='<table border="1"><tr><td>2</td></tr></table>'))
    report = await Exporter(store).export(name, tmp_path / "out")
    found = readers.rows(tmp_path / "out", name)
    assert (len(found), report.left_out) == (6, ())
    for row in found:
        task = row.raw.get("task_type") or row.raw["extra_info"]["task_type"]
        assert score(task, row.answer, row.answer).value == pytest.approx(1.0), row.answer
        if name == "trl-grpo":
            columns = {key: [row.raw[key]] for key in ("ground_truth", "task_type")}
            assert trl_reward([row.raw["prompt"]], [row.answer], **columns) == [pytest.approx(1.0)]


async def test_a_label_that_the_reward_cannot_score_is_left_out_of_rewards_alone(store: Store, tmp_path: Path) -> None:
    await corrected(store)
    item = add(store, "x", Task.TEXT, "t", pixels=picture(1))
    await correct(store, item, PageContent(text="at (1,2),(3,4)"))
    report = await Exporter(store).export("verl", tmp_path / "out")
    assert [one for one, reason in report.left_out if str(reason).startswith("its label cannot be scored")] == [item]
    await Exporter(store).export("sft-a", tmp_path / "out")
    assert readers.rows(tmp_path / "out", "sft-a")[1].answer == "at (1,2),(3,4)"


async def test_paths_are_relative_or_absolute_and_a_new_export_has_a_file_of_its_own(
    store: Store, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    item = await corrected(store)
    await Exporter(store).export("sft-a", out)
    [before] = (out / "sft-a").glob("*.jsonl")
    await Exporter(store).export("sft-a", out, options=Options(absolute=str(out)))
    [row] = readers.rows(out, "sft-a")
    assert row.raw["img_path_sh"].startswith(str(out / "sft-a" / "pictures"))
    await correct_again(store, item)
    await Exporter(store).export("sft-a", out)
    [after] = (out / "sft-a").glob("*.jsonl")
    assert before.name != after.name, "the kit would go on with the counts of a file of the same name"
    assert readers.rows(out, "sft-a")[0].raw["img_path_sh"].startswith("pictures/")


async def correct_again(store: Store, item: int) -> None:
    said = with_texts(store, item, "SUM", "12.50")
    await Annotator(store).save_correction(item, 1, said, "wrong", person=ANN)


async def test_boxes_in_a_margin_stand_where_the_model_sees_them(store: Store, tmp_path: Path) -> None:
    pixels = np.full((10, 3000, 3), 255, np.uint8)
    pixels[:, ::7] = 0
    item = add(store, "a(0,0),(1000,1000)", pixels=pixels)
    await right(store, item)
    await Exporter(store).export("sft-a", tmp_path / "out")
    [row] = readers.rows(tmp_path / "out", "sft-a")
    high = row.picture.shape[0]
    assert high == 15, "no more than 200 times as long as wide"
    top = (high - 10) // 2
    assert row.answer == f"a(0,{round(top / high * 1000)}),(1000,{round((top + 10) / high * 1000)})"


ANSWERS = {
    "tags": "<ref>TOTAI</ref><quad>(100,20),(300,60)</quad><ref>12.50</ref><quad>(700,20),(800,60)</quad>",
    "positions": "<quad><pos_100><pos_20><pos_300><pos_60></quad><ref>TOTAI</ref>"
    "<quad><pos_700><pos_20><pos_800><pos_60></quad><ref>12.50</ref>",
    "json": '[{"box": [100, 20, 300, 60], "text": "TOTAI"},\n{"box": [700, 20, 800, 60], "text": "12.50"}]',
}


@pytest.mark.parametrize("shape", ANSWERS)
async def test_the_label_has_the_shape_of_the_models_own_answer(store: Store, tmp_path: Path, shape: str) -> None:
    item = add(store, ANSWERS[shape])
    await correct(store, item, with_texts(store, item, "TOTAL", "12.50"))
    await Exporter(store).export("sft-a", tmp_path / "out")
    [row] = readers.rows(tmp_path / "out", "sft-a")
    assert row.answer == ANSWERS[shape].replace("TOTAI", "TOTAL")


async def test_a_text_that_the_shape_cannot_hold_is_json_for_a_reward_and_left_out_elsewhere(
    store: Store, tmp_path: Path
) -> None:
    item = add(store, "at(100,20),(300,60)x(1,1),(9,9)")
    await correct(store, item, with_texts(store, item, "at (1,2),(3,4)", "x"))
    report = await Exporter(store).export("verl", tmp_path / "out")
    [row] = readers.rows(tmp_path / "out", "verl")
    assert [entry["text"] for entry in json.loads(row.answer)] == ["at (1,2),(3,4)", "x"]
    assert report.changes == {"labels_as_json": 1}
    with pytest.raises(BadInput) as failed:
        await Exporter(store).export("sft-a", tmp_path / "other")
    assert failed.value.code == "nothing_fits"
    assert "line 1" in failed.value.message.lower()
    assert not (tmp_path / "other").exists()


async def test_a_page_without_text_and_a_turned_box(store: Store, tmp_path: Path) -> None:
    empty = add(store, "没有文字")
    await right(store, empty)
    turned = Quad.from_points([(120, 80), (600, 160), (588, 240), (108, 160)])
    item = add(store, "a(100,100),(500,300)", pixels=picture(1))
    await correct(store, item, PageContent((TextLine("a", turned, None, "l0"),), text="a"))
    report = await Exporter(store).export("verl", tmp_path / "out")
    first, second = readers.rows(tmp_path / "out", "verl")
    assert first.answer == "没有文字"
    assert second.answer == "a(90,100),(500,300)", "the official scorer knows two corners only"
    assert report.changes == {"turned_boxes_as_upright": 1}


async def test_fields_are_one_json_object_in_the_order_asked_for(store: Store, tmp_path: Path) -> None:
    raw = '```json\n{"Total": "12.80", "No": "007"}\n```'
    item = add(store, raw, Task.FIELDS, "提取图片中的: ['Total','No'] 的字段内容，并按照 JSON 格式返回。")
    fields = (Field("Total", "12.50"), Field("No", "007"), Field("Tax", None), Field("Items", '[{"p": 1.50}]'))
    await correct(store, item, PageContent(fields=fields, text=raw))
    await Exporter(store).export("verl", tmp_path / "out")
    [row] = readers.rows(tmp_path / "out", "verl")
    assert row.raw["extra_info"]["task_type"] == "ie"
    assert json.loads(row.answer) == {"Total": "12.50", "No": "007", "Tax": None, "Items": [{"p": 1.5}]}
    assert list(json.loads(row.answer)) == ["Total", "No", "Tax", "Items"]
    assert "1.50" in row.answer, "a number keeps its digits"


async def test_a_table_is_found_by_the_rewards_pattern(store: Store, tmp_path: Path) -> None:
    html = "<table><tr><td>1</td></tr></table>"
    item = add(store, html, Task.TABLE, "把图中的表格解析为HTML。")
    await correct(store, item, PageContent(text='before <table border="1"><tr><td>2</td></tr></table>'))
    edited = add(store, f"before\n{html}", Task.DOCUMENT, "d", pixels=picture(1))
    said = store.recognitions.get(edited).recognition.content
    await correct(store, edited, replace(said, tables=(Table(html.replace("1", "3"), (("3",),)),)))
    report = await Exporter(store).export("verl", tmp_path / "out")
    first, second = readers.rows(tmp_path / "out", "verl")
    assert first.answer == "before <table><tr><td>2</td></tr></table>"
    assert second.answer == "before\n<table><tr><td>3</td></tr></table>", "a cell that was edited beside the text"
    assert report.changes == {"table_attributes_dropped": 1}


@pytest.mark.parametrize(
    ("task", "raw", "said", "answer", "reward"),
    [
        (Task.FORMULA, "$$x^2$$", PageContent((TextLine("x^3"),), text="x^3"), "$$x^3$$", "parsing"),
        (Task.QA, "Ann", PageContent((TextLine("Bo"),), text="Bo"), "Bo", "vqa"),
        (Task.TRANSLATE, "Guten", PageContent((TextLine("Good"),), text="Good"), "Good", "translation"),
        (Task.CHART, "|a|", PageContent((TextLine("|b|"),), text="|b|"), "|b|", "chart_deplot"),
        (Task.SUBTITLES, "hi", PageContent(), "没有文字", "parsing"),
    ],
)
async def test_other_tasks(
    store: Store, tmp_path: Path, task: Task, raw: str, said: PageContent, answer: str, reward: str
) -> None:
    item = add(store, raw, task, "ask", variables={"target": "en"})
    await correct(store, item, said)
    await Exporter(store).export("verl", tmp_path / "out")
    [row] = readers.rows(tmp_path / "out", "verl")
    assert row.answer == answer
    extra = row.raw["extra_info"]
    assert extra["task_type"] == reward
    assert extra["question"] == ("ask" if task is Task.QA else "")
    assert extra["target_lang"] == ("en" if task is Task.TRANSLATE else None)


async def test_what_is_no_example_is_left_out_and_told(store: Store, tmp_path: Path) -> None:
    good = await corrected(store)
    add(store, "a(1,1),(9,9)", pixels=picture(1))
    wrong = add(store, "a(1,1),(9,9)", pixels=picture(2))
    await Annotator(store).save_correction(wrong, 0, parse(Task.SPOTTING, "a(1,1),(9,9)", (WIDTH, HEIGHT)).with_ids())
    unplaced = add(store, "a(1,1),(9,9)", pixels=picture(3))
    await correct(store, unplaced, content_without_boxes("a"))
    sign = add(store, "a(1,1),(9,9)", prompt="what is <image>?", pixels=picture(4))
    await right(store, sign)
    gone = add(store, "a(1,1),(9,9)", pixels=picture(5))
    await right(store, gone)
    store.pictures.path(store.recognitions.get(gone).recognition.page_sha256).unlink()
    empty = add(store, "{}", Task.FIELDS, "f", pixels=picture(6))
    await right(store, empty)
    report = await Exporter(store).export("sft-b", tmp_path / "out")
    assert len(readers.rows(tmp_path / "out", "sft-b")) == report.count_out == good
    reasons = {one: str(reason) for one, reason in report.left_out}
    assert report.count_in == 7
    assert [reasons[item] for item in range(2, 8)] == [
        "nobody has judged it",
        "nobody has judged it",
        "line 1 has no box",
        "its prompt holds <image>, which trainers take for a picture or the end of a turn",
        "the picture is missing",
        "it has no fields",
    ]
    sheet = json.loads((tmp_path / "out" / "report-sft-b.json").read_text())
    told = {"code": "not_judged", "message": "nobody has judged it", "details": {}}
    assert sheet["left_out"][0] == [2, told]
    assert (sheet["count_in"], sheet["count_out"], sheet["rows"], sheet["version"]) == (7, 1, {"train": 1}, "0.1.0")


@pytest.mark.parametrize("sign", ["<image>", "<video>", "<|im_end|>", "<｜hy_User｜>"])
async def test_texts_that_trainers_take_for_something_else_are_in_no_row(
    store: Store, tmp_path: Path, sign: str
) -> None:
    bad = add(store, "a", Task.TEXT, "p")
    await correct(store, bad, PageContent((), text=f"a {sign} b"))
    answered = add(store, f"{sign}(1,1),(9,9)", pixels=picture(1))
    await correct(store, answered, parse(Task.SPOTTING, "a(1,1),(9,9)", (WIDTH, HEIGHT)).with_ids())
    report = await Exporter(store).export("llama-factory", tmp_path / "out")
    assert [(item, reason.code) for item, reason in report.left_out] == [(bad, "label_holds_sign")]
    assert report.rows == {"sft": 1}, "what the model said with such signs is in no pair"
    with pytest.raises(BadInput) as failed:
        await Exporter(store).export("trl-kto", tmp_path / "kto")
    reasons = failed.value.details["reasons"]
    assert {reason["code"] for reason in reasons} == {"label_holds_sign", "answer_holds_sign"}


def content_without_boxes(*texts: str) -> PageContent:
    return PageContent(
        tuple(TextLine(text, None, None, f"l{n}") for n, text in enumerate(texts)), text="\n".join(texts)
    )


async def test_rows_over_the_length_are_left_out_and_listed(store: Store, tmp_path: Path) -> None:
    await corrected(store)
    large = add(store, "a(1,1),(9,9)", pixels=picture(1, 2000, 2000))
    await right(store, large)
    report = await Exporter(store).export("verl", tmp_path / "out", options=Options(max_prompt_length=1024))
    assert len(readers.rows(tmp_path / "out", "verl")) == 1
    [(item, reason)] = report.left_out
    assert item == large
    # 2000 x 2000 pixels are 62 x 63 tokens and two more
    assert str(reason) == f"picture and prompt have about {62 * 63 + 2 + len(SPOT) + 8} tokens, more than 1024"


async def test_kto_takes_right_and_wrong_and_dpo_only_pairs(store: Store, tmp_path: Path) -> None:
    await corrected(store)
    good = add(store, "yes(1,1),(9,9)", pixels=picture(1))
    await right(store, good)
    stopped = add(store, "no(1,1),(9,9)", pixels=picture(2), outcome="stopped")
    await correct(store, stopped, with_texts(store, stopped, "now"))
    await Exporter(store).export("trl-kto", tmp_path / "out")
    assert [row.flag for row in readers.rows(tmp_path / "out", "trl-kto")] == [False, True]
    report = await Exporter(store).export("trl-dpo", tmp_path / "out")
    assert [row.worse[:5] for row in readers.rows(tmp_path / "out", "trl-dpo")] == ["TOTAI"]
    assert [(one, str(reason)) for one, reason in report.left_out] == [
        (good, "the model was right, so that there is no worse answer"),
        (stopped, "the model's answer is not whole (stopped)"),
    ]
    for name, kto, dpo in (("llama-factory", "ocr_kto", "ocr_dpo"), ("ms-swift", "kto", "dpo")):
        await Exporter(store).export(name, tmp_path / "out")
        read = readers.llama_factory if name == "llama-factory" else readers.ms_swift
        assert [row.flag for row in read(tmp_path / "out", kto)] == [False, True]
        assert [row.worse[:5] for row in read(tmp_path / "out", dpo)] == ["TOTAI"]
        sft = read(tmp_path / "out", kto.replace("kto", "sft"))
        assert [(row.prompt, row.answer) for row in sft] == [
            (SPOT, LABEL),
            (SPOT, "yes(1,1),(9,9)"),
            (SPOT, "now(1,1),(9,9)"),
        ]
    assert readers.ms_swift(tmp_path / "out", "grpo")[0].answer == LABEL


async def test_an_engine_that_takes_no_prompt_gave_no_answer_to_one(store: Store, tmp_path: Path) -> None:
    item = add(store, "TOTAI\n12.50", said=parse(Task.SPOTTING, LABEL, (WIDTH, HEIGHT)).with_ids(), engine="rapidocr")
    await correct(store, item, with_texts(store, item, "SUM", "12.50"))
    await Exporter(store).export("llama-factory", tmp_path / "out")
    assert [row.answer for row in readers.llama_factory(tmp_path / "out", "ocr_sft")] == [LABEL.replace("TOTAL", "SUM")]
    assert [file.name for file in (tmp_path / "out" / "llama-factory").glob("*.jsonl")] == ["sft.jsonl"]
    with pytest.raises(BadInput) as failed:
        await Exporter(store).export("trl-kto", tmp_path / "out")
    assert "takes no prompt" in failed.value.message


async def test_a_method_without_rows_has_no_file(store: Store, tmp_path: Path) -> None:
    item = add(store, "yes(1,1),(9,9)")
    await right(store, item)
    await Exporter(store).export("llama-factory", tmp_path / "out")
    info = json.loads((tmp_path / "out" / "llama-factory" / "dataset_info.json").read_text())
    assert set(info) == {"ocr_sft", "ocr_kto"}
    assert {entry["file_name"] for entry in info.values()} == {"sft.jsonl", "kto.jsonl"}
    assert not (tmp_path / "out" / "llama-factory" / "dpo.jsonl").exists()


async def test_text_that_no_file_of_utf8_holds_is_replaced(store: Store, tmp_path: Path) -> None:
    item = add(store, "x", Task.TEXT, "提取图中的文字。")
    await correct(store, item, PageContent((TextLine("a\ud800b"),), text="a\ud800b"))
    for name in ("trl-sft", "sft-a"):
        await Exporter(store).export(name, tmp_path / "out")
        assert readers.rows(tmp_path / "out", name)[0].answer == "a\ufffdb"


# ---- the Hugging Face formats and COCO


async def test_an_image_folder_loads_with_its_metadata(store: Store, tmp_path: Path) -> None:
    first = await corrected(store)
    again = add(store, "b(0,0),(500,500)")  # the same picture once more, not judged
    await Exporter(store).export("imagefolder", tmp_path / "out")
    with readers.loading() as load:
        found = load("imagefolder", data_dir=str(tmp_path / "out" / "imagefolder"))
        assert set(found) == {"train"}
        rows = list(found["train"])
    assert [np.array_equal(np.asarray(row["image"]), picture()) for row in rows] == [True, True]
    assert [(row["text"], row["label"], row["verdict"]) for row in rows] == [
        ("TOTAL\n12.50", LABEL, "wrong"),
        ("b", "", ""),
    ]
    assert rows[0]["objects"]["bbox"] == [[120.0, 16.0, 240.0, 32.0], [840.0, 16.0, 120.0, 32.0]]
    assert (first, again) == (1, 2)
    assert not (tmp_path / "out" / "imagefolder" / "pictures").exists()


async def test_the_parquet_folder_loads_as_a_data_set_with_pictures(store: Store, tmp_path: Path) -> None:
    await corrected(store)
    await Exporter(store).export("datasets", tmp_path / "out")
    with readers.loading() as load:
        found = load(str(tmp_path / "out" / "datasets"))
        [row] = list(found["train"])
        assert type(found["train"].features["image"]).__name__ == "Image"
    assert np.array_equal(np.asarray(row["image"]), picture())
    assert (row["text"], row["label"], row["prompt"]) == ("TOTAL\n12.50", LABEL, SPOT)
    assert row["lines"][0] == {"text": "TOTAL", "bbox": [120.0, 16.0, 240.0, 32.0]}


async def test_coco_text_reads_by_its_rules_and_coco_by_its_own_library(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from pycocotools.coco import COCO

    item = await corrected(store)
    unplaced = add(store, "plain", Task.TEXT, "t", pixels=picture(1))
    report = await Exporter(store).export("coco-text", tmp_path / "out")
    assert [(one, reason.code) for one, reason in report.left_out] == [(unplaced, "no_boxes")]
    own = tmp_path / "out" / "coco-text"
    theirs = json.loads((own / "cocotext.json").read_text("utf-8"))
    image = theirs["imgs"][str(item)]
    assert (own / "images" / image["file_name"]).is_file()
    assert (image["set"], image["width"], image["height"]) == ("train", WIDTH, HEIGHT)
    words = [theirs["anns"][str(number)] for number in theirs["imgToAnns"][str(item)]]
    assert [(word["utf8_string"], word["bbox"], word["legibility"], word["image_id"]) for word in words] == [
        ("TOTAL", [120, 16, 240, 32], "legible", item),
        ("12.50", [840, 16, 120, 32], "legible", item),
    ]
    coco = COCO(str(own / "coco.json"))
    capsys.readouterr()
    [one] = coco.loadImgs(coco.getImgIds())
    found = coco.loadAnns(coco.getAnnIds(imgIds=[one["id"]]))
    assert [entry["bbox"] for entry in found] == [[120, 16, 240, 32], [840, 16, 120, 32]]


class Templating:
    """Writes a conversation as one text, as a model's processor does with its chat template."""

    TEMPLATE = jinja2.Template(
        "{% for turn in messages %}<{{ turn.role }}>{% for part in turn.content %}"
        "{{ '<picture>' if part.type == 'image' else part.text }}{% endfor %}{% endfor %}"
        "{{ '<assistant>' if add_generation_prompt }}"
    )

    def apply_chat_template(self, conversation: list, add_generation_prompt: bool = False, **named: object) -> str:
        return self.TEMPLATE.render(messages=conversation, add_generation_prompt=add_generation_prompt)


@pytest.mark.parametrize("name", [name for name in ROWS if name.startswith("trl-")])
async def test_trls_own_functions_take_the_rows(store: Store, tmp_path: Path, name: str) -> None:
    """What its trainers do with a row: see that it is a conversation, put its pictures in, write it as text."""
    trl = pytest.importorskip("trl.data_utils")
    await corrected(store)
    await Exporter(store).export(name, tmp_path / "out")
    [row] = readers.loaded("parquet", data_files=str(tmp_path / "out" / name / "train.parquet"))
    assert trl.is_conversational(row)
    [turn] = trl.prepare_multimodal_messages(row["prompt"], images=row["images"])
    assert turn["content"][0]["image"] is row["images"][0]
    known = {"prompt", "completion", "chosen", "rejected", "label"} & row.keys()
    written = trl.maybe_apply_chat_template({key: row[key] for key in known}, Templating())
    assert written["prompt"] == f"<user><picture>{SPOT}<assistant>"
    misread = LABEL.replace("TOTAL", "TOTAI")
    answers = {
        "trl-sft": {"completion": LABEL},
        "trl-dpo": {"chosen": LABEL, "rejected": misread},
        "trl-kto": {"completion": misread, "label": False},
        "trl-grpo": {},
    }
    assert {key: value for key, value in written.items() if key != "prompt"} == answers[name]
