"""`python -m ocr_ui backup` and `restore`: everything that is stored, as a folder."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ocr_ui.commands.access import note
from ocr_ui.commands.output import print_json
from ocr_ui.errors import NotFound
from ocr_ui.settings import Settings


def add_backup(commands: Any) -> None:
    backup = commands.add_parser(
        "backup",
        help="everything that is stored, as a folder; the server may run meanwhile",
        description="Writes the database and the pictures, as they are at one moment, into a new folder with "
        "checksums. It holds what the database holds, hashes of passwords and keys too: keep it as safe.",
    )
    backup.add_argument("folder", type=Path, metavar="FOLDER", help="a new one")
    backup.set_defaults(run=_back_up)
    restore = commands.add_parser(
        "restore",
        help="a store from such a folder, on SQLite or PostgreSQL whichever it came from",
        description="Fills the empty store that the settings name with a backup, after all checksums were compared.",
    )
    restore.add_argument("folder", type=Path, metavar="FOLDER", help="that `backup` wrote")
    restore.add_argument("--force", action="store_true", help="delete what the store has; stop its servers before")
    restore.set_defaults(run=_restore)


def _back_up(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.backups import back_up
    from ocr_ui.storage.store import Store

    if not Store.is_at(settings):
        folder = str(settings.data_dir)
        raise NotFound(
            "nothing_stored",
            f"There is no data in {folder}.",
            "Set OCR_UI_DATA_DIR as the server has it.",
            folder=folder,
        )
    with Store.open(settings) as store:
        made = back_up(store, settings, arguments.folder, _tell)
        note(store, "backup", str(arguments.folder.absolute()))
    _print(made)
    return 0


def _restore(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.backups import restore
    from ocr_ui.storage.store import Store

    made = restore(settings, arguments.folder, arguments.force, _tell)
    with Store.open(settings) as store:
        note(store, "restore", str(arguments.folder.absolute()))
    _print(made)
    return 0


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def _print(made: Any) -> None:
    shown = ("made_at", "program", "revision", "pictures", "uploads")
    counts = {"rows": sum(made.tables.values()), "missing_pictures": len(made.missing)}
    print_json({**{name: getattr(made, name) for name in shown}, **counts})
