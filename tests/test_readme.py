"""What the README promises about settings and commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from ocr_ui.__main__ import _parser
from ocr_ui.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
PAGES = [page.relative_to(ROOT) for folder in (ROOT, ROOT / "docs") for page in sorted(folder.glob("*.md"))]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_stands_in_the_readme_with_its_meaning(name: str) -> None:
    rows = [line for line in README.splitlines() if line.startswith(f"| `OCR_UI_{name.upper()}` |")]
    assert len(rows) == 1
    assert Settings.model_fields[name].description in rows[0]


def test_the_readme_names_no_setting_that_does_not_exist() -> None:
    rows = re.findall(r"^\| `OCR_UI_([A-Z0-9_]+)` \|", README, re.M)
    assert {name.lower() for name in rows} == set(Settings.model_fields)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_somewhere(page: Path) -> None:
    for target, heading in re.findall(r"\]\((?!http)([^)#]*)#?([^)]*)\)", (ROOT / page).read_text(encoding="utf-8")):
        found = (ROOT / page).parent / target if target else ROOT / page
        assert found.exists(), target
        if heading:
            heads = re.findall(r"^#+ (.*)$", found.read_text(encoding="utf-8"), re.M)
            assert heading in {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}, heading


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_setting_that_a_page_names_exists(page: Path) -> None:
    named = set(re.findall(r"OCR_UI_([A-Z0-9_]+)", (ROOT / page).read_text(encoding="utf-8")))
    assert {name.lower() for name in named} <= set(Settings.model_fields)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_command_line_that_a_page_shows_is_understood(page: Path) -> None:
    for block in re.findall(r"```sh\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S):
        for line in re.findall(r"python -m ocr_ui (.*)", block.replace("\\\n", " ")):
            _parser().parse_args(shlex.split(line.split(" > ")[0], comments=True))
