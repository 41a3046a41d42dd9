"""Batches over HTTP."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Iterator

import pytest
from batches import SAYS, archive, pdf, picture
from fakes import ScriptedEngine
from fastapi.testclient import TestClient
from live import rest_app

from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings

LIMIT = 20_000


@pytest.fixture(scope="module")
def batcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = Settings(
        _env_file=None,
        data_dir=tmp_path_factory.mktemp("data"),
        turn_pages=False,
        allowed_hosts="testserver",
        max_upload_bytes=LIMIT,
        batch_bytes=10 * LIMIT,
        max_document_bytes=5 * LIMIT,
    )
    with TestClient(rest_app(settings, Engines({"scripted": ScriptedEngine(SAYS)}))) as running:
        yield running


def post(client: TestClient, files: dict[str, bytes], language: str = "en", **fields: str) -> object:
    parts = [("files", (name, io.BytesIO(data))) for name, data in files.items()]
    return client.post("/v1/jobs", files=parts, data=fields, headers={"X-Workbench-Lang": language})


def ended(client: TestClient, job: int) -> dict:
    for _ in range(3000):
        told = client.get(f"/v1/jobs/{job}").json()
        if told["state"] in ("done", "cancelled"):
            return told
        time.sleep(0.02)
    raise AssertionError(told)


def test_a_batch_from_its_files_to_its_results(batcher: TestClient) -> None:
    fields = {"pages": "1-2", "priority": "high", "person": "Ann", "name": "July"}
    begun = post(batcher, {"in/three.pdf": pdf(3), "notes.txt": b"x"}, "zh", **fields)
    assert begun.status_code == 202
    told = ended(batcher, begun.json()["job"])
    assert (told["name"], told["person"], told["priority"], told["pages"]) == ("July", "Ann", "high", "1-2")
    assert (told["done"], told["failed"], told["total"]) == (2, 1, 3)
    (failure,) = told["failures"]
    assert (failure["file"], failure["page"], failure["error"]["code"]) == ("notes.txt", None, "not_a_picture")
    assert failure["error"]["message"].startswith("This is not a picture")
    zh = batcher.get(f"/v1/jobs/{told['job']}", headers={"X-Workbench-Lang": "zh"}).json()
    assert zh["failures"][0]["error"]["message"].startswith("这不是图片")
    results = batcher.get(f"/v1/jobs/{told['job']}/results").json()
    assert results["done"] == 2
    # two are read at the same time, and whichever is done first stands first
    assert sorted((page["file"], page["page"]) for page in results["pages_read"]) == [
        ("in/three.pdf", 1),
        ("in/three.pdf", 2),
    ]
    assert results["pages_read"][0]["lines"][0]["text"] == "Total 12.50"
    assert batcher.get("/v1/jobs").json()["jobs"][0]["job"] == told["job"]
    packed = batcher.get(f"/v1/jobs/{told['job']}/results.zip?formats=csv,pdf,markdown")
    assert packed.headers["content-disposition"] == f'attachment; filename="batch-{told["job"]}.zip"'
    names = zipfile.ZipFile(io.BytesIO(packed.content)).namelist()
    assert {name.split("/")[0] for name in names if not name.startswith(("report", "sha256"))} == {
        "items.csv",
        "markdown",
        "pdf",
    }
    usual = batcher.get(f"/v1/jobs/{told['job']}/results.zip?formats=,").content
    assert "items.jsonl" in zipfile.ZipFile(io.BytesIO(usual)).namelist(), "no format is named"
    listed = batcher.get(f"/v1/exports/csv?jobs={told['job']}").text.splitlines()
    assert len(listed) > 2
    assert batcher.get(f"/v1/exports/csv?jobs={told['job'] + 999}").text.count("\n") == 1
    assert batcher.get(f"/v1/jobs/{told['job']}/results.zip?formats=no").status_code == 400


def test_a_batch_is_filled_in_parts_and_begun(batcher: TestClient) -> None:
    job = post(batcher, {}, start="false").json()["job"]
    empty = batcher.get(f"/v1/jobs/{job}/results.zip")
    assert (empty.status_code, empty.json()["error"]["code"]) == (400, "nothing_was_read")
    assert "filter" not in empty.json()["error"]["hint"]
    for number in range(2):
        parts = [("files", (f"{number}.png", io.BytesIO(picture(str(number)))))]
        assert batcher.post(f"/v1/jobs/{job}/files", files=parts).json()["unopened"] == number + 1
    assert batcher.get(f"/v1/jobs/{job}").json()["state"] == "paused"
    assert batcher.post(f"/v1/jobs/{job}/resume").status_code == 200
    assert ended(batcher, job)["done"] == 2
    parts = [("files", ("late.png", io.BytesIO(picture())))]
    late = batcher.post(f"/v1/jobs/{job}/files", files=parts)
    assert (late.status_code, late.json()["error"]["code"]) == (409, "job_ended")


def test_archives_may_be_larger_than_a_picture_but_not_without_end(batcher: TestClient) -> None:
    inside = {f"{number}.png": picture(str(number)) for number in range(3)}
    data = archive(inside | {"big.txt": bytes(2 * LIMIT)}, 0)
    assert len(data) > LIMIT
    told = ended(batcher, post(batcher, {"a.zip": data}).json()["job"])
    assert (told["done"], told["failed"]) == (3, 1)
    refused = post(batcher, {"a.zip": archive({"big": bytes(11 * LIMIT)}, 0)})
    assert refused.status_code == 413
    assert refused.json()["error"]["details"]["limit"] == 10 * LIMIT
    assert batcher.post("/v1/pictures", files={"file": ("a.png", io.BytesIO(bytes(7 * LIMIT)))}).status_code == 413


@pytest.mark.parametrize(
    ("files", "fields", "status", "code"),
    [
        ({}, {}, 400, "no_files"),
        ({"a.png": b""}, {}, 400, "empty_file"),
        ({"a.zip": archive({"../a.png": b"x"})}, {}, 400, "zip_bad_name"),
        ({"a.png": picture()}, {"pages": "x"}, 400, "bad_page_range"),
        ({"a.png": picture()}, {"template": "none"}, 404, "template_not_found"),
        ({"a.png": picture()}, {"variables": "[1]"}, 400, "malformed"),
        ({"a.png": picture()}, {"rules": "{"}, 400, "malformed"),
        ({"a.png": picture()}, {"rules": "[" * 10_000}, 400, "malformed"),
        ({"a.png": picture()}, {"variables": "1" * 5_000}, 400, "malformed"),
        ({"a.png": picture()}, {"priority": "asap"}, 400, "bad_priority"),
        ({"a.png": picture()}, {"webhook": "true"}, 400, "no_webhook"),
    ],
)
def test_what_is_wrong_is_said(
    batcher: TestClient, files: dict[str, bytes], fields: dict[str, str], status: int, code: str
) -> None:
    before = len(batcher.get("/v1/jobs").json()["jobs"])
    answer = post(batcher, files, **fields)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert len(batcher.get("/v1/jobs").json()["jobs"]) == before


def test_variables_reach_the_template(batcher: TestClient) -> None:
    job = post(batcher, {"a.png": picture()}, template="fields", variables=json.dumps({"fields": "Total"})).json()[
        "job"
    ]
    assert ended(batcher, job)["done"] == 1
    item = batcher.get(f"/v1/jobs/{job}/results").json()["pages_read"][0]["item"]
    assert batcher.get(f"/v1/items/{item}").json()["item"]["variables"]["fields"] == "Total"


def test_pause_cancel_and_retry_answer_with_the_batch(batcher: TestClient) -> None:
    job = post(batcher, {"a.png": picture()}, start="false").json()["job"]
    assert batcher.post(f"/v1/jobs/{job}/pause").json()["state"] == "paused"
    assert batcher.post(f"/v1/jobs/{job}/cancel").json()["state"] == "cancelled"
    assert batcher.post(f"/v1/jobs/{job}/retry").status_code == 409
    for action in ("pause", "resume", "cancel", "retry"):
        assert batcher.post(f"/v1/jobs/99999/{action}").status_code == 404
