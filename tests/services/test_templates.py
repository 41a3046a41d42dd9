"""The templates of an installation, and variables as they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from stored import open_store

from ocr_ui.errors import BadInput
from ocr_ui.services.templates import find_template, open_templates, parse_variables
from ocr_ui.settings import Settings


def test_own_templates_stand_in_the_data_folder_beside_those_of_the_product(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        library = open_templates(Settings(data_dir=tmp_path), store)
        library.save_new("mine", {"en": "Mine"}, "Mine.", based_on="table")
        assert {"full_text", "mine"} <= {template.name for template in library.list()}
    assert (tmp_path / "prompts" / "mine.md").is_file()


@pytest.mark.sqlite_only
def test_a_command_finds_own_templates_and_makes_no_store_for_others(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    assert find_template(settings, "table@builtin").builtin
    assert not (tmp_path / "data").exists()
    (tmp_path / "data" / "prompts").mkdir(parents=True)
    file = tmp_path / "data" / "prompts" / "mine.md"
    file.write_text("---\ntitle: {en: Mine}\ntask: text\n---\nOne.", encoding="utf-8")
    assert find_template(settings, "mine").text == "One."
    file.write_text(file.read_text(encoding="utf-8").replace("One.", "Two, longer."), encoding="utf-8")
    assert [find_template(settings, name).text for name in ("mine", "mine@1", "mine@2")] == [
        "Two, longer.",
        "One.",
        "Two, longer.",
    ]


def test_variables_of_the_command_line() -> None:
    assert parse_variables(["a=1", " b =x=y", "c="]) == {"a": "1", "b": "x=y", "c": ""}
    for pairs in (["a"], ["=1"], ["a=1", "a=2"]):
        with pytest.raises(BadInput) as told:
            parse_variables(pairs)
        assert told.value.code == "bad_variable"
