"""The end of the server while pages are read, and https."""

from __future__ import annotations

import shutil
import signal
import ssl
import subprocess
import threading
from pathlib import Path

import httpx
import pytest
from live import until
from processes import GO, running
from stored import png

import app
from ocr_ui.errors import WorkbenchError
from ocr_ui.settings import Settings

HERE = Path(__file__).resolve().parent


def reading(url: str, told: list[str], begun: threading.Event) -> None:
    with httpx.stream(
        "POST", f"{url}/v1/ocr", files={"file": ("a.png", png())}, data={"stream": "true"}, timeout=60
    ) as answer:
        for line in answer.iter_lines():
            told.append(line)
            if line == "event: text":
                begun.set()


def test_what_is_being_read_comes_to_its_end_while_the_server_says_that_it_is_not_ready(tmp_path: Path) -> None:
    with running(tmp_path, 600, OCR_UI_DRAIN_S="600") as (process, url):
        told: list[str] = []
        begun = threading.Event()
        reader = threading.Thread(target=reading, args=(url, told, begun))
        reader.start()
        assert begun.wait(60)
        assert httpx.get(f"{url}/readyz", timeout=60).status_code == 200
        process.send_signal(signal.SIGTERM)
        until(lambda: httpx.get(f"{url}/readyz", timeout=60).status_code == 503, 60)  # new connections are answered
        refused = httpx.post(f"{url}/v1/ocr", files={"file": ("a.png", png())}, timeout=60)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "server_stopping")
        assert "event: done" not in told
        (tmp_path / GO).touch()
        reader.join(60)
        assert "event: done" in told
        assert process.wait(30) in (0, -signal.SIGTERM)


def test_the_wait_has_an_end(tmp_path: Path) -> None:
    with running(tmp_path, 600, OCR_UI_DRAIN_S="0.5") as (process, url):
        begun = threading.Event()
        with pytest.raises(httpx.TransportError):  # noqa: PT012 - the reader is cut off at some point
            killer = threading.Thread(target=lambda: begun.wait(60) and process.send_signal(signal.SIGTERM))
            killer.start()
            reading(url, [], begun)
        assert process.wait(30) in (0, -signal.SIGTERM)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl")
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    asked = ["-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
    names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(cert)]
    subprocess.run(["openssl", "req", *asked, *names], check=True, capture_output=True)
    return cert, key


def test_https(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    cert, key = certificate
    with running(tmp_path, 0, OCR_UI_TLS_CERT=str(cert), OCR_UI_TLS_KEY=str(key)) as (_, url):
        assert url.startswith("https://localhost:")
        trusted = ssl.create_default_context(cafile=str(cert))
        assert httpx.get(f"{url}/healthz", verify=trusted, timeout=60).status_code == 200


def test_a_certificate_that_cannot_be_used_is_told(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    cert, key = certificate
    for chosen in ({"tls_cert": cert}, {"tls_cert": key, "tls_key": cert}, {"tls_cert": cert, "tls_key": tmp_path}):
        with pytest.raises(WorkbenchError) as refused:
            app.check_tls(Settings(**chosen))
        assert refused.value.code == "tls_unusable"
    app.check_tls(Settings(tls_cert=cert, tls_key=key))
    app.check_tls(Settings())
