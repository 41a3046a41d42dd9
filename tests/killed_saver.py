"""Processes that save corrections until they are killed, and the check of what they leave behind.

Run as a program it is a nursery: it has the store imported, and for each line on its standard input forks a process
that opens the data folder and saves in a loop. So a round costs milliseconds, not an import.
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from stored import ANN, add_item, content, open_store

from ocr_ui.domain.exact_json import dumps
from ocr_ui.storage.store import Store

PATIENCE = 60.0
LONGEST_DELAY = 0.02


@dataclass(frozen=True)
class Acknowledged:
    """One line of a saver: the version was answered as saved, with this content and picture."""

    recognition: int
    version: int
    content: str
    picture: str


class Nursery:
    """Starts savers on one data folder, and kills them."""

    def __init__(self, folder: Path) -> None:
        here = Path(__file__).resolve().parent
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": f"{here.parent}{os.pathsep}{here}"},
            text=True,
            bufsize=1,
        )

    def round(self, seed: int) -> list[Acknowledged]:
        """One saver, killed at a moment that `seed` picks; gives what it acknowledged, never less."""
        choice = random.Random(seed)
        self._process.stdin.write(f"{seed}\n")
        pid = int(self._line().split()[1])
        lines = [self._line() for _ in range(choice.randrange(4))]
        time.sleep(choice.random() * LONGEST_DELAY)
        os.kill(pid, signal.SIGKILL)
        while (line := self._line()) != "gone":
            lines.append(line)
        return [_read(line) for line in lines if line.endswith(" .")]

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._process.stdout.close()

    def _line(self) -> str:
        line = self._process.stdout.readline()
        assert line, "the nursery has ended"
        return line.rstrip("\n")


def kill_savers(folder: Path, rounds: int, first_seed: int = 0) -> int:
    """Kills savers one after the other, checks the store after each, and gives the number of saves acknowledged."""
    nursery = Nursery(folder)
    saved: list[Acknowledged] = []
    try:
        for seed in range(first_seed, first_seed + rounds):
            fresh = nursery.round(seed)
            saved += fresh
            with open_store(folder) as store:
                check(store, fresh)
        with open_store(folder) as store:
            check(store, saved)
            check_all_pictures(store)
    finally:
        nursery.close()
    assert sqlite3.connect(folder / "workbench.sqlite3").execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return len(saved)


def check(store: Store, saved: list[Acknowledged]) -> None:
    """Nothing acknowledged is missing or different, versions have no gap, and the database is whole."""
    for one in saved:
        found = store.corrections.get(one.recognition, one.version)
        assert found is not None, f"lost: {one}"
        assert digest(found.correction.content.to_dict()) == one.content
        assert hashlib.sha256(store.pictures.read(one.picture)).hexdigest() == one.picture
    for recognition in {one.recognition for one in saved}:
        versions = [found.correction.version for found in store.corrections.versions(recognition)]
        assert versions == list(range(1, len(versions) + 1))
        assert store.reviews.get(recognition).latest_version == len(versions)
    with store._database.snapshot() as connection:
        if connection.dialect.name == "sqlite":
            assert connection.exec_driver_sql("PRAGMA quick_check").fetchall() == [("ok",)]


def check_all_pictures(store: Store) -> None:
    """Every page that is in the store has its whole picture, acknowledged or not."""
    for item in store.items.each():
        assert hashlib.sha256(store.pictures.read(item.page.sha256)).hexdigest() == item.page.sha256


def digest(value: object) -> str:
    return hashlib.sha256(dumps(value).encode()).hexdigest()


def _read(line: str) -> Acknowledged:
    recognition, version, written, picture, _end = line.split()
    return Acknowledged(int(recognition), int(version), written, picture)


def _nurse(folder: Path) -> None:
    open_store(folder).close()
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _save_until_killed(folder, int(line))
        os.waitpid(pid, 0)
        # The saver may have been killed in the middle of a line.
        os.write(1, b"\ngone\n")


def _save_until_killed(folder: Path, seed: int) -> None:
    os.write(1, f"pid {os.getpid()}\n".encode())
    choice = random.Random(-seed - 1)
    store = open_store(folder)
    while True:
        shade = choice.randrange(1 << 30)
        recognition = add_item(store, [f"page {shade}"], shade=shade)
        sha256 = store.recognitions.get(recognition).recognition.page_sha256
        for version in range(choice.randrange(1, 5)):
            page = content(*(f"{choice.random()} 漢字 \ud800" for _ in range(choice.randrange(1, 60))))
            saved = store.corrections.add(recognition, version, page, ANN, f"{seed}-{version}")
            line = f"{recognition} {saved.correction.version} {digest(page.to_dict())} {sha256} .\n"
            os.write(1, line.encode())


if __name__ == "__main__":
    _nurse(Path(sys.argv[1]))
