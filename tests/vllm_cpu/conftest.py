"""The tiny model, built once and kept, and engines that run it on vLLM's CPU build."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

if importlib.util.find_spec("vllm") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def tiny_model() -> Path:
    """The folder of the model; building it takes minutes the first time."""
    command = [sys.executable, "-m", "scripts.tiny_model.build"]
    out = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    return Path(out.splitlines()[-1])


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Ends with its file: while Playwright runs, no asynchronous test of another file can."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import need_browser

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=need_browser(), args=["--no-sandbox"])
        yield browser
        browser.close()
