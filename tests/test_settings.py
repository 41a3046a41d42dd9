"""Settings as people write them: empty, beyond all measure, misspelt, in a file that cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from ocr_ui.errors import BadInput
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import PREFIX, Settings, odd_settings, read_settings


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def test_a_setting_that_is_left_empty_is_as_if_it_were_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.setenv(f"{PREFIX}{name.upper()}", "")
    read = read_settings()
    assert read == Settings.model_construct(trusted_proxies="")
    assert read.model_fields_set == {"trusted_proxies"}, "what is empty replaces nothing of an engines file"
    assert read.trusted_proxies == "", "trusts nobody"


@pytest.mark.parametrize("name", [name for name, field in Settings.model_fields.items() if field.annotation is float])
def test_no_number_is_without_end(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("inf", "nan", "1e18", "9" * 400):
        monkeypatch.setenv(f"{PREFIX}{name.upper()}", value)
        with pytest.raises(ValidationError) as refused:
            read_settings()
        assert [error["loc"] for error in refused.value.errors()] == [(name,)]


@pytest.mark.parametrize(
    ("name", "most"), [("keep_pictures_days", 36_500), ("log_days", 36_500), ("max_upload_bytes", 2**53)]
)
def test_whole_numbers_end_where_dates_and_scripts_do(name: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{PREFIX}{name.upper()}", str(most))
    assert getattr(read_settings(), name) == most
    monkeypatch.setenv(f"{PREFIX}{name.upper()}", str(most + 1))
    with pytest.raises(ValidationError, match=f"at most {most}"):
        read_settings()


def test_names_that_are_none_are_told(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OCR_UI_DATADIR=x\nOCR_UI_PORT=1\nPATH=y\n")
    told = odd_settings(Settings(), {"ocr_ui_prot": "8000", "OCR_UI_QUUX": "", "HOME": "/"})
    assert told == [
        ("There is no setting OCR_UI_DATADIR.", "Did you mean OCR_UI_DATA_DIR?"),
        ("There is no setting OCR_UI_PROT.", "Did you mean OCR_UI_PORT?"),
        ("There is no setting OCR_UI_QUUX.", "The README lists all."),
    ]


def test_examples_that_are_not_there_are_told(tmp_path: Path) -> None:
    assert odd_settings(Settings(), {}) == []
    ((says, hint),) = odd_settings(Settings(examples_dir=tmp_path / "no"), {})
    assert str(tmp_path / "no") in says
    assert "OCR_UI_EXAMPLES_DIR" in hint


def test_a_file_that_is_not_utf8_is_told(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes("OCR_UI_MODEL=模型\n".encode("gbk"))
    with pytest.raises(BadInput) as refused:
        read_settings()
    assert refused.value.code == "settings_unreadable"


def test_a_folder_without_templates_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as refused:
        Workbench.open(Settings(data_dir=tmp_path / "data", prompts_dir=tmp_path, engine="rapidocr"))
    assert refused.value.code == "no_templates"
    assert "OCR_UI_PROMPTS_DIR" in refused.value.hint
