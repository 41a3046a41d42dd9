"""The client in the package, and the lines of the README, against the running product with the real CPU engine."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fakes import ReadingOnce
from live import live, rest_app, until

from ocr_ui.client import Client, Refused
from ocr_ui.engines.registry import create_engine
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
RECEIPT = ROOT / "examples" / "receipt.jpg"
NOT_READ_YET = ROOT / "examples" / "identity_card.webp"
"""Comes bit by bit; what was read before is there at once."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("client") / "data", engine="rapidocr", turn_pages=False)
    engines = Engines({"rapidocr": ReadingOnce(create_engine("rapidocr", settings))})
    with live(rest_app(settings, engines)) as url:
        until(lambda: httpx.get(f"{url}/readyz", timeout=60).status_code == 200, 120)
        yield url


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[Client]:
    with Client(url) as made:
        yield made


def test_reading_correcting_listing_and_exporting(client: Client, tmp_path: Path) -> None:
    read = client.read(RECEIPT, person="Client Tester")
    assert "Coffee House & Bakery" in [line["text"] for line in read["lines"]]
    assert client.read(RECEIPT.read_bytes())["text"] == read["text"]
    item = client.item(read["id"])
    content = {name: item[name] for name in ("lines", "fields", "tables", "text")}
    content["lines"][0]["text"] = "Corrected by a script"
    saved = client.correct(read["id"], content, item["version"], "wrong", person="Client Tester")
    assert (saved["version"], saved["verdict"]) == (1, "wrong")
    assert client.item(read["id"])["lines"][0]["text"] == "Corrected by a script"
    assert [row["id"] for row in client.recognitions(limit=1)][:2] == [read["id"] + 1, read["id"]]
    rows = client.export("jsonl", tmp_path / "all.jsonl", verdict="wrong").read_text(encoding="utf-8").splitlines()
    assert "Corrected by a script" in rows[0]
    assert len(rows) == 1
    with pytest.raises(Refused) as refused:
        client.correct(read["id"], content, 0)
    assert (refused.value.status, refused.value.code) == (409, "edited_meanwhile")


def test_a_stream_ends_with_the_object(client: Client) -> None:
    told = list(client.stream(NOT_READ_YET))
    assert told[-1][0] == "done"
    assert [data["text"] for name, data in told if name == "line"] == [one["text"] for one in told[-1][1]["lines"]]
    assert len([name for name, _ in told if name == "text"]) > 1


def test_fields_come_with_whether_they_fit(client: Client) -> None:
    fields = client.read(RECEIPT, "fields", variables={"fields": "Total, Nowhere"})["fields"]
    assert [field["name"] for field in fields] == ["Total", "Nowhere"]
    assert all(field["fits"] is True for field in fields)


def test_refusals_are_exceptions_in_the_language_asked_for(client: Client, url: str, tmp_path: Path) -> None:
    for call in (lambda: client.read(b"none"), lambda: next(client.stream(b"none"))):
        with pytest.raises(Refused) as refused:
            call()
        assert (refused.value.status, refused.value.code) == (400, "not_a_picture")
    with Client(url, language="zh") as chinese, pytest.raises(Refused, match="图片"):
        chinese.read(b"none")
    with pytest.raises(Refused) as refused:
        client.export("nothing", tmp_path / "x")
    assert refused.value.status in (400, 404)
    assert not (tmp_path / "x").exists()


def test_a_busy_server_is_asked_again_when_it_says() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        if len(asked) < 3:
            return httpx.Response(503, json={"error": {"code": "engine_loading"}}, headers={"retry-after": "0"})
        return httpx.Response(200, json={"templates": []})

    with Client("http://busy.example", tries=3) as client:
        client._http = httpx.Client(base_url="http://busy.example", transport=httpx.MockTransport(answer))
        assert client.templates() == []
    assert len(asked) == 3


def curl_lines(name: str) -> list[str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.startswith("curl ") and "/v1/ocr" in line]


def script_of(name: str) -> str:
    return re.search(r"```python\n(.*?ocr_ui\.client.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.S)[1]


def test_both_readmes_have_the_same_lines_and_script() -> None:
    assert curl_lines("README.zh.md") == curl_lines("README.md")
    assert script_of("README.zh.md") == script_of("README.md")


@pytest.mark.parametrize("name", ["README.md", "docs/rest.md"])
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl")
def test_the_lines_with_curl_do_what_they_say(url: str, name: str, tmp_path: Path) -> None:
    for picture in ("page.jpg", "receipt.jpg"):
        shutil.copy(RECEIPT, tmp_path / picture)
    lines = curl_lines(name)
    assert len(lines) == 3
    for line in lines:
        command = shlex.split(line.replace("http://localhost:7860", url))
        out = subprocess.run([*command, "-s"], cwd=tmp_path, capture_output=True, check=True, timeout=120).stdout
        if "stream=true" in line:
            assert out.decode().rstrip().rpartition("event: ")[2].startswith("done\n")
        elif "fields" in line:
            assert [field["name"] for field in json.loads(out)["fields"]] == ["Total", "Date"]
        else:
            assert "Coffee House & Bakery" in json.loads(out)["text"]


def test_the_script_of_the_readme_runs(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for picture in ("page.jpg", "receipt.jpg"):
        shutil.copy(RECEIPT, tmp_path / picture)
    monkeypatch.chdir(tmp_path)
    script = script_of("README.md")
    exec(compile(script.replace("http://localhost:7860", url), "README.md", "exec"), {})
    out = capsys.readouterr().out
    assert "'name': 'Total'" in out
    assert "\ndone {" in out
