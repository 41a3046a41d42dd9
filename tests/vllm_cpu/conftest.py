"""The tiny model, built once and kept, and engines that run it on vLLM's CPU build."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

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
