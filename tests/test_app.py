"""Starting and ending the server."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

import pytest
from fakes import ScriptedEngine
from fastapi import FastAPI
from processes import first_line

import app
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings
from ocr_ui.ui.tab_memory import TabStates
from tests.forked import starter

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OCR_UI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("OCR_UI_PORT", "0")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


@contextmanager
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken.getsockname()[1]


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> None:
    assert app.main() == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    for word in words:
        assert word in err


def test_a_port_in_use_is_told_before_anything_is_loaded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with taken_port() as port:
        monkeypatch.setenv("OCR_UI_PORT", str(port))
        refused(capsys, f"127.0.0.1:{port}", "in use", "OCR_UI_PORT")
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "many"),
        ("PORT", "70000"),
        ("LOW_CONFIDENCE", "2"),
        ("DFLASH", "perhaps"),
        ("MAX_UPLOAD_BYTES", "0"),
        ("PROXY_HEADER", "X-User: "),
    ],
)
def test_a_setting_that_does_not_fit_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, value: str
) -> None:
    monkeypatch.setenv(f"OCR_UI_{name}", value)
    refused(capsys, f"OCR_UI_{name}: ")


def test_all_settings_that_do_not_fit_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OCR_UI_PORT", "many")
    monkeypatch.setenv("OCR_UI_MAX_PIXELS", "few")
    refused(capsys, "OCR_UI_PORT: ", "OCR_UI_MAX_PIXELS: ")


def test_an_unknown_engine(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    monkeypatch.setenv("OCR_UI_ENGINE", "tesseract")
    refused(capsys, "tesseract", "rapidocr, vllm, openai, llama")
    assert not (tmp_path / "data").exists()


def test_a_broken_list_of_engines_is_told_in_the_language_of_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "engines.toml").write_text('[[engines]]\nname = "a"\nkind = "tesseract"\n')
    monkeypatch.setenv("LC_ALL", "")
    monkeypatch.setenv("LC_MESSAGES", "")
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    refused(capsys, "engines.toml", "unknown kind 'tesseract'", "rapidocr")
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    refused(capsys, "engines.toml", "类型 tesseract 不存在", "rapidocr")


def test_a_host_that_is_not_this_machine(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OCR_UI_HOST", "192.0.2.1")
    refused(capsys, "192.0.2.1")
    monkeypatch.setenv("OCR_UI_AUTH", "password")
    for host in ("192.0.2.1", "http://localhost", "a" * 70):
        monkeypatch.setenv("OCR_UI_HOST", host)
        refused(capsys, f"Cannot listen on {host}", "Correct OCR_UI_HOST")


def test_a_data_folder_that_is_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("OCR_UI_DATA_DIR", str(tmp_path / "file"))
    monkeypatch.setenv("OCR_UI_ENGINE", "rapidocr")
    refused(capsys, "OCR_UI_DATA_DIR")


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("127.0.0.1", "http://localhost:80"),
        ("0.0.0.0", "http://localhost:80"),
        ("::", "http://localhost:80"),
        ("192.168.1.5", "http://192.168.1.5:80"),
        ("::1", "http://[::1]:80"),
    ],
)
def test_the_address_can_be_typed_into_a_browser(host: str, shown: str) -> None:
    assert app.address(host, 80) == shown


def test_host_and_port_are_those_of_the_settings() -> None:
    with closing(app.bind(Settings(host="127.0.0.2", port=0))) as listener:
        assert listener.getsockname()[0] == "127.0.0.2"


def test_a_server_that_does_not_come_up_names_no_address(capsys: pytest.CaptureFixture[str]) -> None:
    @asynccontextmanager
    async def broken(_: FastAPI) -> AsyncIterator[None]:
        raise RuntimeError("no")
        yield

    settings = Settings()
    with closing(app.bind(settings)) as listener, pytest.raises(SystemExit) as ended:
        app.serve(FastAPI(lifespan=broken), settings, listener)
    assert ended.value.code != 0
    assert capsys.readouterr().out == ""


def test_the_whole_server_builds_without_starting_an_engine(tmp_path: Path) -> None:
    engine = ScriptedEngine([])
    made = app.create_app(Settings(data_dir=tmp_path / "data"), Engines({"scripted": engine}))
    assert engine.health().state == "loading"
    pages = [route.app for route in made.routes if getattr(route, "path", "") in ("/en", "/zh")]
    assert [type(page.state_holder) for page in pages] == [TabStates] * 2


NO_NETWORK = """
import socket, sys, runpy
real = socket.socket.connect
def connect(self, address):
    if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(("127.", "::1")):
        sys.stderr.write(f"CALLED {address}\\n")
        raise OSError("no network")
    return real(self, address)
socket.socket.connect = connect
real_lookup = socket.getaddrinfo
def lookup(host, *rest, **more):
    if host not in (None, "localhost", "127.0.0.1"):
        sys.stderr.write(f"CALLED {host}\\n")
        raise socket.gaierror("no network")
    return real_lookup(host, *rest, **more)
socket.getaddrinfo = lookup
runpy.run_path("app.py", run_name="__main__")
"""


@contextmanager
def running(log: Path) -> Iterator[tuple[subprocess.Popen, int]]:
    """The program as people start it, and its port."""
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", NO_NETWORK],
            cwd=ROOT,
            env={**os.environ, "OCR_UI_ENGINE": "rapidocr"},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        said = process.stdout.readline()  # type: ignore[union-attr]
        found = re.fullmatch(r"OCR Workbench: http://localhost:(\d+)\n", said)
        assert found, (said, log.read_text())
        yield process, int(found[1])
    finally:
        process.kill()
        process.wait()


def test_it_starts_without_a_network_serves_and_ends_in_order(tmp_path: Path) -> None:
    with running(tmp_path / "err") as (process, port):
        page = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        page.request("GET", "/en/")
        assert page.getresponse().status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    errors = (tmp_path / "err").read_text()
    assert "Traceback" not in errors
    assert "CALLED" not in errors


def test_it_ends_although_somebody_keeps_a_connection(tmp_path: Path) -> None:
    out, err = tmp_path / "out", tmp_path / "err"
    process = starter("app").start({**os.environ, "OCR_UI_ENGINE": "rapidocr"}, out, err)
    try:
        port = int(first_line(process, out, err).rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as unfinished:
            unfinished.sendall(b"POST /v1/differences HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{")
            process.terminate()
            assert process.wait(30) in (0, -signal.SIGTERM)
    finally:
        process.kill()
        process.wait()
