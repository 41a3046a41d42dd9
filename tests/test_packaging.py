"""What an installed wheel has of the files that are no Python."""

from __future__ import annotations

import tomllib
from pathlib import Path

from ocr_ui.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
DATA = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]


def test_every_data_file_of_the_package_is_in_the_wheel() -> None:
    package = ROOT / "ocr_ui"
    needed = {f for f in package.rglob("*") if f.is_file() and f.suffix != ".py" and f.parent.name != "__pycache__"}
    packed = {file for pattern in DATA["ocr_ui"] for file in package.glob(pattern)}
    assert needed - packed == set()


def test_every_template_is_in_the_wheel() -> None:
    packed = {file for pattern in DATA["ocr_ui.prompts"] for file in (ROOT / "prompts").glob(pattern)}
    assert packed == {file for file in Settings().prompts_dir.rglob("*") if file.is_file()}
