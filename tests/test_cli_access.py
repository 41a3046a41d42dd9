"""Accounts, keys, the audit log and old pictures from the command line."""

from __future__ import annotations

import io
import json
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from stored import add_item, open_store, png

from ocr_ui.__main__ import main
from ocr_ui.domain.page import Page
from ocr_ui.services import retention
from ocr_ui.services.retention import Retention
from ocr_ui.storage.store import DATABASE


class Console:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *arguments: str, stdin: str = "", code: int = 0) -> Any:
        self._monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        assert main(arguments) == code
        out, self.err = self._capsys.readouterr()
        lines = [json.loads(line) for line in out.splitlines()]
        return lines[0] if len(lines) == 1 else lines


@pytest.fixture
def console(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Console:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OCR_UI_DATA_DIR", str(tmp_path / "data"))
    open_store(tmp_path / "data").close()
    return Console(monkeypatch, capsys)


def test_accounts(console: Console) -> None:
    made = console("user", "add", "Ann", "--role", "admin", stdin="correct horse\n")
    assert (made["name"], made["role"], made["has_password"]) == ("Ann", "admin", True)
    assert console("user", "add", "Bo", stdin="correct horse\n")["role"] == "annotator"
    console("user", "add", "Bo", stdin="correct horse\n", code=2)
    assert "already" in console.err
    console("user", "add", "Cy", stdin="short\n", code=2)
    assert "10" in console.err
    assert console("user", "role", "Bo", "viewer")["role"] == "viewer"
    assert console("user", "disable", "Bo")["disabled"] is True
    assert console("user", "enable", "Bo")["disabled"] is False
    assert console("user", "password", "Bo", stdin="another horse\n")["name"] == "Bo"
    console("user", "disable", "Cy", code=2)
    assert [one["name"] for one in console("user", "list")["accounts"]] == ["Ann", "Bo"]
    said = [(row["action"], row["target"], row["via"]) for row in console("audit")]
    assert said[:3] == [
        ("account.add", "Ann", "console"),
        ("account.add", "Bo", "console"),
        ("account.role", "Bo", "console"),
    ]
    assert "horse" not in str(console("audit"))


def test_what_goes_out_or_changes_much_is_kept_too(console: Console, tmp_path: Path) -> None:
    with open_store(tmp_path / "data") as store:
        add_item(store)
    console("export", "--format", "jsonl", "--out", "labels")
    console("dataset", "freeze", "july")
    console("dataset", "delete", "july")
    console("push", "--format", "jsonl", "--to", str(tmp_path / "pushed"))
    console("backup", str(tmp_path / "kept"))
    rows = [(row["action"], row["target"]) for row in console("audit")]
    assert rows == [
        ("export.write", f"jsonl, {tmp_path / 'labels'}"),
        ("version.freeze", "july"),
        ("version.delete", "july"),
        ("push.start", str(tmp_path / "pushed")),
        ("backup", str(tmp_path / "kept")),
    ]


def test_keys(console: Console, tmp_path: Path) -> None:
    console("user", "add", "Ann", stdin="correct horse\n")
    made = console("key", "add", "Ann", "--name", "scanner", "--scope", "recognize", "--days", "9")
    assert made["key"].startswith("ocrw_")
    assert made["scopes"] == ["recognize"]
    assert made["key"].encode() not in (tmp_path / "data" / DATABASE).read_bytes()
    assert console("key", "revoke", "Ann", str(made["id"])) == []
    listed = console("key", "list", "Ann")["keys"][0]
    assert listed["revoked_at"]
    assert "key" not in listed
    console("key", "revoke", "Ann", "99", code=2)
    console("key", "add", "Nobody", "--name", "x", code=2)
    console("key", "add", "Ann", "--name", "x", "--days", "0", code=2)


def test_old_pictures_go_and_labels_stay(console: Console, tmp_path: Path) -> None:
    with open_store(tmp_path / "data") as store:
        old, new, again = (add_item(store, shade=shade) for shade in (1, 2, 3))
        store.pages.add_document("again", [Page(store.pictures.put(png(3)), 1000, 800, "again")])
    long_ago = (datetime.now(UTC) - timedelta(days=40)).replace(tzinfo=None)
    with sqlite3.connect(tmp_path / "data" / DATABASE) as database:
        database.execute("UPDATE page SET created_at = ? WHERE id IN (1, 3)", (str(long_ago),))
    console("retain", code=2)
    console("retain", "--days", "99999999999", code=2)
    assert console("retain", "--days", "50") == {"removed": 0}
    assert console("retain", "--days", "30") == {"removed": 1}
    assert console("retain", "--days", "30") == {"removed": 0}
    with open_store(tmp_path / "data") as store:
        there = {item: store.recognitions.get(item).recognition for item in (old, new, again)}
        has = {item: store.pictures.has(one.page_sha256) for item, one in there.items()}
        assert has == {old: False, new: True, again: True}, "a picture that came in again is as new as that"
        assert there[old].content.lines
        assert store.pictures.thumbnail(there[old].page_sha256) is None
    assert [row["action"] for row in [console("audit")]] == ["pictures.remove"]


async def test_a_server_that_keeps_pictures_for_a_time_sweeps_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import asyncio

    with open_store(tmp_path / "data") as store:
        item = add_item(store, shade=1)
        sha256 = store.recognitions.get(item).recognition.page_sha256
        with sqlite3.connect(tmp_path / "data" / DATABASE) as database:
            database.execute("UPDATE page SET created_at = '2020-01-01 00:00:00'")
        rounds, sweep = [], store.uploads.sweep
        monkeypatch.setattr(store.uploads, "sweep", lambda needed: rounds.append(needed) or sweep(needed))
        monkeypatch.setattr(retention, "EVERY_SECONDS", 0.01)
        for days, stays in ((0, True), (1, False)):
            sweeper = Retention(store, days)
            sweeper.start()
            rounds.clear()
            async with asyncio.timeout(60):
                while len(rounds) < 3:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
            await sweeper.close()
            assert store.pictures.has(sha256) is stays
