"""A database that is there and refuses: told as what it is by `doctor`, at the start and over REST, with no secret."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest
from fakes import ScriptedEngine
from live import live, rest_app, until

import app
from ocr_ui.__main__ import main
from ocr_ui.errors import StoreFailed
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings
from ocr_ui.storage import failures
from ocr_ui.storage.failures import refused
from ocr_ui.storage.store import Store

pytestmark = pytest.mark.postgresql_only
ROLES = {"keeper": "SUPERUSER LOGIN", "stranger": "LOGIN", "leaver": "NOLOGIN"}
PASSWORD = "geheim-1"


class Locked:
    """A server that asks `keeper` for a password, with a database that strangers may not open."""

    def __init__(self, server) -> None:
        self.server, self.closed = server, server.fresh().rpartition("/")[2]

    def do(self, sql: str) -> None:
        with psycopg.connect(self.server.url("postgres", "postgresql"), autocommit=True) as connection:
            connection.execute(sql)

    def url(self, user: str, database: str) -> str:
        return self.server.url(database).replace("tester@", f"{user}@")

    def asks(self) -> bool:
        try:
            psycopg.connect(self.url("keeper", "postgres").replace("+psycopg", "")).close()
        except psycopg.OperationalError:
            return True
        return False


@pytest.fixture
def locked(database: str, postgres_server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Locked]:
    monkeypatch.setattr(failures, "_logged", {})  # the same is logged once a minute, whichever test has logged it
    server = Locked(postgres_server)
    rules = postgres_server.folder / "data" / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text(f"host all keeper 127.0.0.1/32 scram-sha-256\n{before}")
    for name, rights in ROLES.items():
        server.do(f"CREATE ROLE {name} {rights} PASSWORD '{PASSWORD}'")
    server.do(f"REVOKE CONNECT ON DATABASE {server.closed} FROM PUBLIC")
    server.do("SELECT pg_reload_conf()")
    until(server.asks)
    yield server
    rules.write_text(before)
    server.do("SELECT pg_reload_conf()")
    server.do(f"DROP DATABASE {server.closed} WITH (FORCE)")
    server.do(f"DROP ROLE {', '.join(ROLES)}")


def test_each_refusal_is_told_as_what_it_is(locked: Locked, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for user, named, code in (
        ("keeper:geheim-2", "migrated", "database_login"),
        ("keeper", "migrated", "database_login"),
        ("unheard:geheim-2", "migrated", "database_login"),
        (f"keeper:{PASSWORD}", "no_such", "database_unknown"),
        ("stranger", locked.closed, "database_no_right"),
        ("leaver", "migrated", "database_no_right"),
        ("stranger", "migrated", "database_no_right"),  # which it may open, and read nothing of
    ):
        with pytest.raises(StoreFailed) as failed:
            Store.schema(Settings(data_dir=tmp_path, database_url=locked.url(user, named)))
        assert failed.value.code == code, user
        assert "geheim" not in f"{failed.value} {failed.value.details}"
        assert user.partition(":")[0] not in str(failed.value.details)
    assert "password authentication failed" in caplog.text
    assert "geheim" not in caplog.text


def test_doctor_and_the_start_say_it_in_both_languages(
    locked: Locked, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in {"DATA_DIR": str(tmp_path / "data"), "PORT": "0", "ENGINE": "rapidocr"}.items():
        monkeypatch.setenv(f"OCR_UI_{name}", value)
    monkeypatch.setenv("OCR_UI_DATABASE_URL", locked.url("keeper:geheim-2", "migrated"))
    assert main(["doctor"]) == 3
    told = "".join(capsys.readouterr())
    assert "broken   database login: The database refuses the user or the password" in told
    for language, words in (("C.UTF-8", "refuses the user or the password"), ("zh_CN.UTF-8", "拒绝了用户名或密码")):
        monkeypatch.setenv("LC_ALL", language)
        assert app.main() == 2
        started = "".join(capsys.readouterr())
        assert words in started
        told += started
    assert "geheim" not in told


def test_a_password_that_is_changed_while_the_server_runs_is_told(locked: Locked, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, turn_pages=False, database_url=locked.url(f"keeper:{PASSWORD}", "migrated"))
    with live(rest_app(settings, Engines({"scripted": ScriptedEngine([])}))) as address:
        assert httpx.get(f"{address}/v1/recognitions", timeout=60).status_code == 200
        locked.do("ALTER ROLE keeper PASSWORD 'geheim-2'")
        locked.do("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'keeper'")
        refused_in = {
            language: httpx.get(f"{address}/v1/recognitions", headers={"X-Workbench-Lang": language}, timeout=60)
            for language in ("en", "zh")
        }
        for answer in refused_in.values():
            assert (answer.status_code, answer.json()["error"]["code"]) == (503, "database_login")
            assert "retry-after" not in answer.headers, "it does not pass by itself"
            assert "geheim" not in answer.text
        assert "拒绝了用户名或密码" in refused_in["zh"].text
        assert httpx.get(f"{address}/readyz", timeout=60).status_code == 503
        locked.do(f"ALTER ROLE keeper PASSWORD '{PASSWORD}'")
        assert httpx.get(f"{address}/v1/recognitions", timeout=60).status_code == 200


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ('致命错误:  用户 "ocr" Password 认证失败', "database_login"),
        ('致命错误:  数据库 "ocr" 不存在', "database_unknown"),
        ('致命错误:  没有用于主机 "h", 用户 "u", 数据库 "d", 没有加密 的 pg_hba.conf 记录', "database_no_right"),
        ("FATAL:  sorry, too many clients already", None),
        ("FATAL:  the database system is starting up", None),
        ('connection to server at "127.0.0.1", port 1 failed: Connection refused', None),
    ],
)
def test_servers_speak_chinese_too_and_what_passes_is_no_refusal(words: str, code: str | None) -> None:
    assert refused(words) == code
