"""The templates of an installation, and variables as they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from stored import open_store

from ocr_ui.errors import BadInput
from ocr_ui.services.templates import open_templates, parse_variables
from ocr_ui.settings import Settings


def test_own_templates_stand_in_the_data_folder_beside_those_of_the_product(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        library = open_templates(Settings(data_dir=tmp_path), store)
        library.save_new("mine", {"en": "Mine"}, "Mine.", based_on="table")
        assert {"full_text", "mine"} <= {template.name for template in library.list()}
    assert (tmp_path / "prompts" / "mine.md").is_file()


def test_variables_of_the_command_line() -> None:
    assert parse_variables(["a=1", " b =x=y", "c="]) == {"a": "1", "b": "x=y", "c": ""}
    for pairs in (["a"], ["=1"], ["a=1", "a=2"]):
        with pytest.raises(BadInput) as told:
            parse_variables(pairs)
        assert told.value.code == "bad_variable"
