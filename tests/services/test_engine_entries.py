"""Which engines a file of engines gives, and how each mistake in it is told."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from ocr_ui.engines.registry import KINDS
from ocr_ui.errors import BadInput
from ocr_ui.services.engine_entries import SETTINGS_OF, engine_entries
from ocr_ui.services.engines import Engines
from ocr_ui.settings import ROOT, Settings
from ocr_ui.ui.messages import localize_error

TWO = """
[[engines]]
name = "office"
kind = "openai"
base_url = "http://one/v1"
model = "big"

[[engines]]
name = "trial"
kind = "openai"
base_url = "http://two/v1, http://three/v1"
api_key = "secret-of-trial"
max_new_tokens = 99
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("OCR_UI_ENGINE", "OCR_UI_BASE_URL", "OCR_UI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize("kind", ["vllm", "llama"])
def test_an_entry_takes_every_setting_that_is_of_its_kind(kind: str) -> None:
    told = {name for name, field in Settings.model_fields.items() if field.description.startswith(f"{kind}:")}
    assert told <= set(SETTINGS_OF[kind])


def wrong(folder: Path, text: str) -> BadInput:
    (folder / "engines.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        engine_entries(Settings())
    return caught.value


def test_without_a_file_there_is_the_chosen_engine_and_the_cpu_engine(folder: Path) -> None:
    names = [(entry.name, entry.kind) for entry in engine_entries(Settings(engine="openai"))]
    assert names == [("openai", "openai"), ("rapidocr", "rapidocr")]
    assert [entry.name for entry in engine_entries(Settings(engine="rapidocr"))] == ["rapidocr"]


async def test_two_servers_have_settings_of_their_own(folder: Path) -> None:
    (folder / "engines.toml").write_text(TWO)
    office, trial, cpu = engine_entries(Settings())
    assert (office.name, trial.name, cpu.name) == ("office", "trial", "rapidocr")
    assert (office.settings.base_url, office.settings.model) == ("http://one/v1", "big")
    assert trial.settings.base_url == "http://two/v1, http://three/v1"
    assert (trial.settings.api_key.get_secret_value(), trial.settings.max_new_tokens) == ("secret-of-trial", 99)
    assert (office.settings.api_key.get_secret_value(), office.settings.max_new_tokens) == ("", 8192)
    assert trial.settings.model == "tencent/HunyuanOCR"
    engines = Engines.from_settings(Settings())
    built = engines._engines["office"], engines._engines["trial"]
    assert [[server.url for server in engine._servers] for engine in built] == [
        ["http://one/v1"],
        ["http://two/v1", "http://three/v1"],
    ]
    await engines.close()


@pytest.mark.parametrize(
    ("engine", "first"),
    [("auto", "office"), ("trial", "trial"), ("openai", "office"), ("rapidocr", "rapidocr"), ("llama", "llama")],
)
def test_the_environment_picks_the_default_by_name_or_kind(folder: Path, engine: str, first: str) -> None:
    (folder / "engines.toml").write_text(TWO)
    entries = engine_entries(Settings(engine=engine))
    assert entries[0].name == first
    assert {entry.name for entry in entries} == {"office", "trial", "rapidocr", first}


def test_a_default_that_is_neither_is_told_with_what_there_is(folder: Path) -> None:
    (folder / "engines.toml").write_text(TWO)
    with pytest.raises(BadInput, match="Use one of: office, trial, rapidocr, vllm, openai, llama"):
        engine_entries(Settings(engine="offcie"))


def test_the_environment_overrides_and_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "engines.toml").write_text(TWO)
    monkeypatch.setenv("OCR_UI_MODEL", "mine")
    with caplog.at_level(logging.WARNING):
        office, trial, _ = engine_entries(Settings())
    assert (office.settings.model, trial.settings.model) == ("mine", "mine")
    assert office.settings.base_url == "http://one/v1"
    assert caplog.messages == ["OCR_UI_MODEL overrides model of the engine office in engines.toml"]


def test_a_key_may_stand_in_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '[[engines]]\nname = "a"\nkind = "openai"\napi_key_env = "KEY_OF_A"\n'
    error = wrong(folder, text)
    assert (error.code, error.details["variable"]) == ("engine_key_missing", "KEY_OF_A")
    monkeypatch.setenv("KEY_OF_A", "k1")
    assert engine_entries(Settings())[0].settings.api_key.get_secret_value() == "k1"


ENTRY = '[[engines]]\nname = "{name}"\nkind = "{kind}"\n{more}\n'


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("[[engines\n", "engines_file_broken", "engines.toml"),
        ("\x00", "engines_file_broken", "engines.toml"),
        ('[engines]\nname = "a"\n', "engines_file_broken", "two brackets"),
        ('engine = "a"\n', "engines_file_broken", "engine stands outside"),
        ('[[engines]]\nkind = "openai"\n', "engine_entry_broken", "entry 1"),
        ("engines = [1]\n", "engine_entry_broken", "entry 1"),
        (ENTRY.format(name="a", kind="tesseract", more=""), "engine_kind_unknown", "rapidocr, vllm, openai, llama"),
        (ENTRY.format(name="a", kind="openai", more="base_ulr = 'x'"), "engine_setting_unknown", "base_ulr"),
        (ENTRY.format(name="a", kind="rapidocr", more="base_url = 'x'"), "engine_setting_unknown", "engine_pixels"),
        (ENTRY.format(name="a", kind="openai", more="port = 1"), "engine_setting_unknown", "port"),
        (
            ENTRY.format(name="a", kind="openai", more="max_new_tokens = 'many'"),
            "engine_setting_wrong",
            "max_new_tokens",
        ),
        (ENTRY.format(name="a", kind="openai", more="max_new_tokens = 0"), "engine_setting_wrong", "greater than 0"),
        (ENTRY.format(name="a", kind="vllm", more="dflash = 'maybe'"), "engine_setting_wrong", "'auto', 'on' or 'off'"),
        (ENTRY.format(name="a", kind="openai", more="") * 2, "engine_name_twice", "the name a"),
        (ENTRY.format(name="", kind="openai", more=""), "engine_name_bad", "1 to 40"),
        (ENTRY.format(name="vllm", kind="openai", more=""), "engine_name_bad", "another kind"),
        (ENTRY.format(name="auto", kind="openai", more=""), "engine_name_bad", "another kind"),
    ],
)
def test_every_mistake_is_told_in_both_languages(folder: Path, text: str, code: str, said: str) -> None:
    error = wrong(folder, text)
    assert error.code == code
    assert said in str(error)
    value = {"code": error.code, "message": error.message, "hint": error.hint, "details": error.details}
    chinese = localize_error(value, "zh")["message"]
    assert "engines.toml" in chinese
    assert "{" not in chinese


def test_a_wrong_key_is_not_repeated(folder: Path) -> None:
    error = wrong(folder, ENTRY.format(name="a", kind="openai", more='api_key = ["s3cret"]'))
    assert error.code == "engine_setting_wrong"
    assert "s3cret" not in str(error)


def test_a_file_that_somebody_names_must_be_there(folder: Path) -> None:
    with pytest.raises(BadInput) as caught:
        engine_entries(Settings(engines_file=folder / "mine.toml"))
    assert caught.value.code == "engines_file_missing"


def test_every_kind_lists_its_settings() -> None:
    assert set(SETTINGS_OF) == set(KINDS)
    assert {name for names in SETTINGS_OF.values() for name in names} <= set(Settings.model_fields)


def test_the_example_works(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OFFICE_OCR_KEY", "k")
    entries = engine_entries(Settings(engines_file=ROOT / "docs" / "engines.example.toml"))
    assert [(entry.name, entry.kind) for entry in entries] == [
        ("office", "openai"),
        ("trial", "openai"),
        ("cpu", "rapidocr"),
    ]
