from __future__ import annotations

import hashlib
import os
import socket
import sqlite3
import time
from pathlib import Path

import pytest

from ocr_ui.domain.calibration import LINE, Calibration, Load
from ocr_ui.domain.recognition import EngineName
from ocr_ui.images.need import RULE
from ocr_ui.services import doctor
from ocr_ui.services.doctor import Verdict, changed_settings, checks, weights_of, without_secrets
from ocr_ui.settings import Settings
from ocr_ui.storage.store import DATABASE, Store


def found(settings: Settings, name: str, running: bool = False) -> doctor.Check:
    return next(one for one in checks(settings, running) if one.name == name)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data", port=0, engine="rapidocr")


@pytest.mark.sqlite_only
def test_a_machine_that_has_what_is_needed_is_called_fine_and_nothing_is_made(settings: Settings) -> None:
    said = {one.name: one.verdict for one in checks(settings)}
    assert said["data folder"] == said["port"] == said["engine rapidocr"] == said["clock"] == Verdict.FINE
    assert said["database"] == Verdict.NOT_HERE
    assert Verdict.BROKEN not in said.values()
    assert not settings.data_dir.exists()


def test_a_data_folder_that_is_a_file_is_broken(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    broken = found(settings, "data folder")
    assert broken.verdict == Verdict.BROKEN
    assert "OCR_UI_DATA_DIR" in broken.hint


@pytest.mark.parametrize(("free", "verdict"), [(10**8 - 1, "broken"), (10**9, "odd"), (10**10, "fine")])
def test_a_full_disk_is_told(settings: Settings, monkeypatch: pytest.MonkeyPatch, free: int, verdict: str) -> None:
    usage = type("Usage", (), {"free": free})
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: usage)
    assert found(settings, "disk").verdict == verdict


@pytest.mark.sqlite_only
def test_the_schema_of_the_database_is_looked_at_and_left_as_it_is(settings: Settings) -> None:
    Store.open(settings).close()
    assert found(settings, "database").verdict == Verdict.FINE
    file = settings.data_dir / DATABASE
    for revision, verdict in (("0001", Verdict.ODD), ("9999", Verdict.BROKEN)):
        with sqlite3.connect(file) as database:
            database.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        database.close()
        assert found(settings, "database").verdict == verdict
        with sqlite3.connect(file) as database:
            assert database.execute("SELECT version_num FROM alembic_version").fetchone() == (revision,)
        database.close()
    file.write_bytes(b"no database" * 1000)
    assert [one.verdict for one in checks(settings) if "store broken" in one.name] == [Verdict.BROKEN]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pictures_url", "nothing://u:geheim@host/x"),
        ("pictures_url", "file:///proc/nowhere/x"),
        ("tls_cert", "no-such.pem"),
        ("log_file", "afile/product.log"),
        ("clamd", "127.0.0.1:9"),
        ("clamd", "geheim"),
    ],
)
def test_what_would_refuse_a_start_or_every_file_is_broken(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "afile").write_text("x")
    usual = {one.name for one in checks(settings) if one.verdict == Verdict.BROKEN}
    chosen = Settings(**settings.model_dump(exclude_unset=True), **{name: value})
    broken = [one for one in checks(chosen) if one.verdict == Verdict.BROKEN and one.name not in usual]
    assert len(broken) == 1
    assert broken[0].hint
    assert "u:geheim" not in str(broken)


def test_what_is_named_and_works_is_fine(settings: Settings, tmp_path: Path) -> None:
    chosen = Settings(
        **settings.model_dump(exclude_unset=True),
        pictures_url=f"file://{tmp_path}/far",
        log_file=tmp_path / "new" / "p.log",
    )
    assert found(chosen, "pictures").verdict == found(chosen, "log file").verdict == Verdict.FINE
    assert not (tmp_path / "new").exists(), "nothing is changed"


def test_a_port_of_another_program_is_broken_and_ones_own_is_not(settings: Settings) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = settings.model_copy(update={"port": other.getsockname()[1]})
        assert found(taken, "port").verdict == Verdict.BROKEN
        assert found(taken, "port", running=True).verdict == Verdict.FINE


def test_each_engine_is_looked_at(settings: Settings, tmp_path: Path) -> None:
    nobody = "http://user:geheim@127.0.0.1:9/v1"
    (tmp_path / "engines.toml").write_text(
        f'[[engines]]\nname = "there"\nkind = "openai"\nbase_url = "{nobody}"\n'
        '[[engines]]\nname = "laptop"\nkind = "llama"\nllama_server = "no-such-program"\n'
    )
    listed = Settings(**settings.model_dump(exclude_unset=True), engines_file=tmp_path / "engines.toml")
    told = {one.name: one for one in checks(listed)}
    assert told["engine rapidocr"].verdict == Verdict.FINE
    assert told["engine there"].verdict == Verdict.BROKEN
    assert "http://***@127.0.0.1:9/v1 does not answer" in told["engine there"].says
    assert "geheim" not in str(told)
    assert "no-such-program" in told["engine laptop"].says
    (tmp_path / "engines.toml").write_text("[[engines")
    assert any(one.verdict == Verdict.BROKEN and "engines.toml" in one.says for one in checks(listed))
    assert weights_of(listed) == {}


@pytest.mark.skipif(Path("/dev/nvidia0").exists(), reason="there is a card")
def test_without_vllm_and_card_it_says_what_is_missing(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    vllm = settings.model_copy(update={"engine": "vllm"})
    monkeypatch.setattr(doctor.vllm_versions, "PACKAGES", ("no-such-package",))
    assert "not installed" in found(vllm, "engine vllm").says
    assert found(vllm, "card").verdict == Verdict.NOT_HERE
    monkeypatch.setattr(doctor, "has_gpu", lambda: True)
    assert found(vllm, "card").verdict == Verdict.BROKEN, "a card whose driver does not answer"


def test_clocks_that_are_apart_are_told(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(doctor.time, "time", lambda: now + 60)
    assert found(settings, "clock").verdict == Verdict.ODD
    monkeypatch.setattr(doctor.time, "gmtime", lambda: time.struct_time((1970, 1, 1, 0, 0, 0, 3, 1, 0)))
    assert found(settings, "clock").verdict == Verdict.BROKEN


def test_settings_that_differ_are_told_without_their_secrets() -> None:
    changed = changed_settings(
        Settings(
            _env_file=None,
            max_pages=7,
            api_key="geheim-1",
            database_url="postgresql://u:geheim-2@h/d",
            base_url="http://u:geheim-3@h/v1,http://other/v1?token=geheim-4",
        )
    )
    assert changed["OCR_UI_MAX_PAGES"] == "7"
    assert changed["OCR_UI_API_KEY"] == changed["OCR_UI_DATABASE_URL"] == "***"
    assert changed["OCR_UI_BASE_URL"] == "http://***@h/v1,http://other/v1?***"
    assert "geheim" not in str(changed)
    usual = changed_settings(Settings(_env_file=None))
    assert not [name for name in usual if os.environ.get(name) is None]
    assert without_secrets("http://[") == "***"


def test_the_weights_of_a_folder_are_told_by_their_hash(settings: Settings, tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    (model / "model.safetensors").write_bytes(b"weights")
    of_folder = settings.model_copy(update={"engine": "vllm", "model": str(model)})
    assert weights_of(of_folder) == {"vllm": {"model.safetensors": hashlib.sha256(b"weights").hexdigest()}}
    assert weights_of(settings) == {}
    assert weights_of(settings.model_copy(update={"engine": "vllm", "model": "/no/such/folder"})) == {}


def test_an_engine_that_was_never_measured_says_what_to_run(settings: Settings) -> None:
    asked = settings.model_copy(update={"engine": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"})
    need = asked.model_copy(update={"pixels": "need"})
    told = found(need, "pixels of openai")
    assert (told.verdict, "never measured for m" in told.says) == (Verdict.ODD, True)
    assert "calibrate pixels --data DIR --engine openai" in told.hint
    assert found(asked, "pixels of openai").verdict == Verdict.NOT_HERE, "nothing is asked of it"
    assert "calibrate --template NAME" in found(need, "confidences of openai").hint
    assert not settings.data_dir.exists()
    with Store.open(settings) as store:
        engine = EngineName("openai", model="m", revision="r1", name="openai")
        store.pixel_calibrations.add(EngineName("openai", model="other"), 14.0, RULE, {}, None)
        store.pixel_calibrations.add(engine, 14.0, RULE - 1, {}, None)
        assert found(need, "pixels of openai").verdict == Verdict.ODD, "another model, and by another rule"
        store.pixel_calibrations.add(engine, 14.0, RULE, {}, None)
        load = Load(0.7, 0.5, 0.95)
        figures = Calibration(20, 10, 0.1, (), (), 0.05, load)
        store.calibrations.add("full_text", engine, {}, [(LINE, figures)])
    names = {one.name for one in checks(need)}
    assert names & {"pixels of openai", "pixels of rapidocr", "confidences of openai"} == set()
    assert "confidences of rapidocr" in names
