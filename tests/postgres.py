"""A PostgreSQL server of the tests' own: started once, in a temporary folder, with a fresh database for each test."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from processes import free_port

from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

START_SECONDS = 60
_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_FAST = ("fsync=off", "full_page_writes=off", "shared_buffers=16MB", "max_connections=60")
"""What a database of tests may lose when the power fails."""


def find(program: str) -> str | None:
    """A program of PostgreSQL: on the PATH, or where Debian keeps it."""
    newest = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"), reverse=True)
    return shutil.which(program) or (str(newest[0]) if newest else None)


def require() -> None:
    """Skips, saying why, where there is no PostgreSQL; fails where OCR_UI_REQUIRE_POSTGRES=1."""
    if find("initdb") and find("postgres"):
        return
    told = "no PostgreSQL here: apt-get install postgresql"
    if os.environ.get("OCR_UI_REQUIRE_POSTGRES") == "1":
        pytest.fail(told)
    pytest.skip(told)


_CLEAN = """DO $$ DECLARE one record; BEGIN
PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
SET session_replication_role = replica;
FOR one IN SELECT relname, relkind FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S')
LOOP
    IF one.relkind = 'S' THEN PERFORM setval(quote_ident(one.relname), 1, false);
    ELSIF one.relname <> 'alembic_version' THEN EXECUTE format('DELETE FROM %I', one.relname);
    END IF;
END LOOP; END $$"""
_SCHEMA = """SELECT coalesce(md5(string_agg(told, ',' ORDER BY told)), '') FROM (
SELECT concat_ws(' ', relname, attname, atttypid, attnotnull) AS told FROM pg_class JOIN pg_attribute
ON attrelid = pg_class.oid WHERE relnamespace = 'public'::regnamespace AND attnum > 0
UNION ALL SELECT version_num FROM alembic_version) AS columns"""


@dataclass
class Server:
    """A running server. Its databases are reached over a socket file in `folder`, and over `port` of this machine."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None
    _numbers: Iterator[int] = field(default_factory=count)
    _schema: str = ""

    def url(self, database: str, driver: str = "postgresql+psycopg") -> str:
        return f"{driver}://tester@127.0.0.1:{self.port}/{database}"

    def fresh(self) -> str:
        """The address of a new database without tables."""
        name = f"fresh_{next(self._numbers)}"
        self._do(f"CREATE DATABASE {name}")
        return self.url(name)

    def migrated(self) -> str:
        """The address of an empty database that has the tables: always the same one, whose rows of before go."""
        address = self.url("migrated")
        if not self._schema or self._cleaned() != self._schema:
            self._do("DROP DATABASE IF EXISTS migrated WITH (FORCE)")
            self._do("CREATE DATABASE migrated")
            with tempfile.TemporaryDirectory() as folder:
                Store.open(Settings(data_dir=Path(folder), database_url=address)).close()
            self._schema = self._cleaned()
        return address

    def _cleaned(self) -> str:
        """Removes all rows and ends who is still connected; gives a checksum of the schema."""
        with psycopg.connect(self.url("migrated", "postgresql"), autocommit=True) as connection:
            connection.execute(_CLEAN)
            return connection.execute(_SCHEMA).fetchone()[0]

    def start(self) -> None:
        options = [f"port={self.port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={self.folder}", *_FAST]
        command = [find("postgres"), "-D", self.folder / "data"]
        command += [part for option in options for part in ("-c", option)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, preexec_fn=_die_with_parent, **_user())
        self._wait()

    def stop(self) -> None:
        """At once, as if the power had failed."""
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(START_SECONDS)
            self.process = None

    def _wait(self) -> None:
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                return self._do("SELECT 1")
            except psycopg.OperationalError:
                over = time.monotonic() > end or self.process is None or self.process.poll() is not None
                assert not over, (self.folder / "log").read_text()[-2_000:]
                time.sleep(0.05)

    def _do(self, sql: str) -> None:
        with psycopg.connect(self.url("postgres", "postgresql"), autocommit=True) as connection:
            connection.execute(sql)


@contextmanager
def running() -> Iterator[Server]:
    """A new server, which ends with the block, or with this process."""
    folder = Path(tempfile.mkdtemp(prefix="ocr-ui-postgres-"))
    user = _user()
    if user:
        os.chown(folder, user["user"], user["group"])
    server = Server(folder, free_port())
    try:
        made = [find("initdb"), "-D", folder / "data", "-U", "tester", "-A", "trust", "-E", "UTF8", "-N"]
        made += ["--locale=C", "--lc-ctype=C.UTF-8"]
        subprocess.run(made, check=True, capture_output=True, cwd=folder, **user)
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _user() -> dict[str, Any]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid():
        return {}
    with contextlib.suppress(KeyError):
        found = pwd.getpwnam("postgres")
        return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
    found = pwd.getpwnam("nobody")
    return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGQUIT)
