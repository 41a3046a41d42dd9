"""What the deployment page, the proxies' files and the changelog name exists, and fits the settings."""

from __future__ import annotations

import re
import socket
import tomllib
from pathlib import Path

import pytest
from fastapi import FastAPI
from test_operations import exported

import app
from ocr_ui.__main__ import main
from ocr_ui.domain.version import VERSION
from ocr_ui.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
NGINX = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
CADDY = (ROOT / "deploy" / "Caddyfile").read_text(encoding="utf-8")


def default(name: str) -> float:
    return Settings.model_fields[name].default


def test_every_setting_on_it_exists_with_the_default_that_it_names() -> None:
    named = set(re.findall(r"OCR_UI_([A-Z0-9_]+)", PAGE + NGINX + CADDY))
    assert {name.lower() for name in named} <= set(Settings.model_fields)
    told = re.findall(r"`OCR_UI_([A-Z_]+)` \(([\d,]+)\)", PAGE)
    assert len(told) > 5
    assert {name: float(value.replace(",", "")) for name, value in told} == {
        name: float(default(name.lower())) for name, _ in told
    }


def test_every_figure_on_it_is_exported() -> None:
    known = exported()
    named = set(re.findall(r"\bocr_ui_\w+", PAGE))
    assert named
    assert named <= set(known)


@pytest.mark.parametrize("line", sorted(set(re.findall(r"python -m ocr_ui (\w[\w-]*)", PAGE))))
def test_every_command_on_it_exists(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main((line, "--help"))
    assert ended.value.code == 0


def test_proxies_wait_longer_than_a_reading_may_take_and_take_what_the_product_takes() -> None:
    found = re.findall(r"(?:proxy_(?:read|send)_timeout|response_header_timeout) (\d+)s", NGINX + CADDY)
    waits = [int(seconds) for seconds in found]
    assert len(waits) == 3
    assert min(waits) > default("request_seconds")
    small, large = (int(size) * 2**20 for size in re.findall(r"client_max_body_size (\d+)m", NGINX))
    assert small > default("max_upload_bytes") * 4 / 3
    assert large > default("batch_bytes")
    assert "proxy_buffering off" in NGINX
    assert "flush_interval -1" in CADDY


def test_the_server_keeps_idle_connections_longer_than_load_balancers_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it closes one just as a request comes on it."""
    seen: list[int] = []
    monkeypatch.setattr(app.TalkingServer, "run", lambda self, **_: seen.append(self.config.timeout_keep_alive))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        app.serve(FastAPI(), Settings(_env_file=None), listener)
    assert seen[0] > 60
    assert f"kept for {seen[0]} seconds" in PAGE


def test_one_version_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert project["version"] == VERSION
    assert re.search(r"^## (\S+?),? ", changes, re.M)[1] == VERSION
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)


def test_its_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
