from __future__ import annotations

import csv
import io
import json
import tempfile
import zipfile
from pathlib import Path

import cv2
import numpy as np
import openpyxl
import pytest
from fastapi.testclient import TestClient
from stored import ANN, add_item, content

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.errors import StoreFailed
from ocr_ui.services.workbench import Workbench


def rows(client: TestClient, **query: object) -> list[dict]:
    answer = client.get("/v1/exports/jsonl", params=query)
    assert answer.status_code == 200, answer.text
    return [json.loads(row) for row in answer.text.splitlines()]


def test_json_lines(client: TestClient, item: int) -> None:
    answer = client.get("/v1/exports/jsonl", params={"item": item})
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    assert not answer.content.startswith(b"\xef\xbb\xbf")
    assert len(answer.text.splitlines()) == 1
    assert "Total 12.80" in answer.text


def test_csv_opens_in_spreadsheets(client: TestClient, workbench: Workbench) -> None:
    item = add_item(workbench.store, content("=1+1", "价格,“quoted”"))
    answer = client.get("/v1/exports/csv", params={"item": item})
    assert answer.content.startswith(b"\xef\xbb\xbf")
    assert answer.headers["content-type"].startswith("text/csv")
    read = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert len(read) == 1
    assert not read[0]["model_text"].startswith("=")
    assert "价格" in read[0]["model_text"]


@pytest.mark.parametrize("name", ["docx", "page-xml", "label-studio", "ppocrlabel"])
def test_formats_of_several_files_come_as_an_archive_with_pictures_and_report(
    client: TestClient, item: int, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    answer = client.get(f"/v1/exports/{name}", params={"item": item})
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}.zip"'
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        assert json.loads(archive.read(f"report-{name}.json"))["count_in"] == 1
        assert any(file.endswith(".png") for file in archive.namelist())
    assert list(tmp_path.iterdir()) == [], "nothing stays behind"


def test_a_workbook_comes_as_itself(client: TestClient, item: int) -> None:
    answer = client.get("/v1/exports/xlsx", params={"item": item})
    assert answer.headers["content-disposition"] == 'attachment; filename="items.xlsx"'
    assert openpyxl.load_workbook(io.BytesIO(answer.content)).sheetnames == ["items", "lines", "fields", "tables"]


def test_crops_are_turned_on_request(client: TestClient, workbench: Workbench) -> None:
    tall = TextLine("tall", Quad.from_points([(10, 10), (20, 10), (20, 110), (10, 110)]))
    item = add_item(workbench.store, PageContent((tall,)))
    shapes = {}
    for turn in ("0", "1"):
        answer = client.get("/v1/exports/ppocrlabel", params={"item": item, "turn_crops": turn})
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            [crop] = [file for file in archive.namelist() if "crop_img" in file]
            pixels = cv2.imdecode(np.frombuffer(archive.read(crop), np.uint8), cv2.IMREAD_COLOR)
        shapes[turn] = pixels.shape[:2]
    assert shapes == {"0": (100, 10), "1": (10, 100)}


def test_filters_choose(client: TestClient, workbench: Workbench) -> None:
    chart = add_item(workbench.store, content("chart"), template="chart")
    table = add_item(workbench.store, content("table"), template="table")
    every = len(rows(client))
    assert len(rows(client, item=[chart, table])) == 2
    assert len(rows(client, template="chart", item=[chart, table])) == 1
    assert len(rows(client, templates=["chart", "table"], item=[chart, table])) == 2
    assert len(rows(client, text="")) == every
    assert rows(client, template="none such") == []
    assert rows(client, until="1999-01-01") == []
    assert rows(client, text="a\x00b") == []


def test_an_empty_selection_is_an_empty_file(client: TestClient) -> None:
    answer = client.get("/v1/exports/csv", params={"template": "none such"})
    assert answer.status_code == 200
    assert len(answer.text.splitlines()) == 1
    packed = client.get("/v1/exports/docx", params={"template": "none such"})
    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        assert json.loads(archive.read("report-docx.json"))["count_in"] == 0


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("xml", "unknown_format"),
        ("jsonl?colour=red", "unknown_filter"),
        ("jsonl?since=yesterday", "bad_date"),
        ("csv?until=99999-01-01", "bad_date"),
        ("csv?verdict=maybe", "bad_filter_value"),
        ("csv?item=one", "bad_filter_value"),
        ("jsonl?item=" + "9" * 30, "number_too_large"),
        ("jsonl?item=" + "9" * 5000, "bad_filter_value"),
    ],
)
def test_what_cannot_be_exported_is_refused_before_the_file_begins(client: TestClient, address: str, code: str) -> None:
    answer = client.get(f"/v1/exports/{address}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert "content-disposition" not in answer.headers


def test_a_store_that_cannot_be_read_is_told(
    client: TestClient, workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise StoreFailed("store_locked", "The database is busy with another save; nothing was saved.", "")

    monkeypatch.setattr(workbench.store.items, "each", broken)
    answer = client.get("/v1/exports/jsonl")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "store_locked")


def test_a_large_export_comes_whole(client: TestClient, workbench: Workbench) -> None:
    items = [add_item(workbench.store, content(f"{number} " + "x" * 5000)) for number in range(40)]
    assert len(rows(client, item=items)) == 40


async def judged(workbench: Workbench, shade: int) -> int:
    item = add_item(workbench.store, ["Total 12.80"], shade=shade)
    await workbench.annotator.save_correction(item, 0, content("Total 12.50"), "wrong", person=ANN)
    return item


async def test_a_record_of_a_format_is_shown_before_the_export(client: TestClient, workbench: Workbench) -> None:
    await judged(workbench, 50)
    shown = client.get("/v1/exports/verl-plain/example").json()
    record = json.loads(shown["record"])
    assert record["reward_model"]["ground_truth"].startswith("Total 12.50(10,0)")
    assert record["images"][0]["bytes"].endswith(" bytes>")
    assert "data.train_files=verl-plain/train.parquet" in shown["command"]
    first = client.get("/v1/exports/sft-a/example").json()["record"]
    assert json.loads(first)["conv"][0]["answer"].startswith("Total 12.50(")
    assert "Total 12.50" in client.get("/v1/exports/csv/example", params={"text": "12.50"}).json()["record"]
    assert client.get("/v1/exports/docx/example").json() == {"format": "docx", "record": "", "command": ""}


def test_no_record_where_nothing_fits(client: TestClient, workbench: Workbench) -> None:
    add_item(workbench.store, ["not judged"], shade=60)
    answer = client.get("/v1/exports/trl-dpo/example", params={"text": "not judged"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "nothing_fits")
    assert answer.json()["error"]["message"].endswith("nothing was written. nobody has judged it (1).")
    answer = client.get(
        "/v1/exports/trl-dpo/example", params={"text": "not judged"}, headers={"X-Workbench-Lang": "zh"}
    )
    assert answer.json()["error"]["message"].endswith("原因：还没有人判定（1 个）。")
    answer = client.get("/v1/exports/trl-dpo/example", params={"text": "nowhere"})
    assert answer.json()["error"]["code"] == "nothing_to_export"


async def test_options_of_the_command_line_stand_in_the_address(client: TestClient, workbench: Workbench) -> None:
    item = await judged(workbench, 70)
    asked = {"item": item, "split": "0.5/0.5", "stored_pictures": "1", "max_prompt_length": "5000"}
    answer = client.get("/v1/exports/sft-b", params=asked)
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        report = json.loads(archive.read("report-sft-b.json"))
    assert report["options"]["stored_pictures"]
    assert report["options"]["max_prompt_length"] == 5000
    assert [name for name, _ in report["options"]["shares"]] == ["train", "validation"]
    for query, code in (({"split": "1"}, "bad_split"), ({"max_prompt_length": "many"}, "bad_filter_value")):
        assert client.get("/v1/exports/sft-b", params=query).json()["error"]["code"] == code
