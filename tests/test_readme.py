"""What the README promises about settings and commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ocr_ui.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_stands_in_the_readme_with_its_meaning(name: str) -> None:
    rows = [line for line in README.splitlines() if line.startswith(f"| `OCR_UI_{name.upper()}` |")]
    assert len(rows) == 1
    assert Settings.model_fields[name].description in rows[0]


def test_the_readme_names_no_setting_that_does_not_exist() -> None:
    rows = re.findall(r"^\| `OCR_UI_([A-Z0-9_]+)` \|", README, re.M)
    assert {name.lower() for name in rows} == set(Settings.model_fields)


@pytest.mark.parametrize(
    "file", ["README.md", "README.zh.md", "docs/architecture.md", "docs/templates.md", "docs/rewards.md"]
)
def test_links_lead_somewhere(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if not target.startswith("http"):
            assert (ROOT / file).parent.joinpath(target).exists(), target
