"""The whole store as a folder of files, and a store made of such a folder again, of the same kind or another.

backup.json      what it is, of which schema, and how much there is; written last
checksums.txt    of all other files, in the form of `sha256sum -c`
tables/          the rows of the database, see `ocr_ui.storage.table_files`
pictures/        as in the data folder
uploads/         files of batches that are not read yet
prompts/         own templates as files
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ocr_ui.domain.counted import counted
from ocr_ui.domain.version import VERSION
from ocr_ui.errors import BadInput, NotFound, TooLarge
from ocr_ui.settings import Settings
from ocr_ui.storage.failures import told
from ocr_ui.storage.store import Store
from ocr_ui.storage.whole_files import make_folder, write_whole

FORMAT = 1
MANIFEST, CHECKSUMS = "backup.json", "checksums.txt"
TABLES, PICTURES, UPLOADS, PROMPTS = "tables", "pictures", "uploads", "prompts"
_TELL_EVERY = 500

Tell = Callable[[str], None]
"""Takes a line that says how far it is."""


@dataclass(frozen=True, slots=True)
class Backup:
    """Attributes:
    made_at: in UTC, ISO 8601.
    revision: of the schema.
    tables: names with the numbers of rows.
    pictures, uploads: their numbers.
    missing: sha256 of pictures whose files were not there (any more).
    """

    made_at: str
    program: str
    revision: str
    tables: dict[str, int]
    pictures: int
    uploads: int
    missing: tuple[str, ...]


def back_up(store: Store, settings: Settings, folder: Path, tell: Tell = lambda _: None) -> Backup:
    """Writes a backup into a new or empty folder. The server may run meanwhile: it is of one moment.

    Raises:
        BadInput: `backup_not_empty`. StoreFailed: the disk is full, the folder cannot be written.
    """
    folder = folder.absolute()
    with told(folder):
        if folder.exists() and any(folder.iterdir()):
            raise BadInput(
                "backup_not_empty", f"The folder {folder} is not empty.", "Name a new one.", folder=str(folder)
            )
        for name in (TABLES, PICTURES, UPLOADS, PROMPTS):
            make_folder(folder / name)
    made_at = datetime.now(UTC)
    with store.one_moment():
        revision, tables = store.write_tables(folder / TABLES)
        wanted, uploads = store.pages.pictures(), sorted(store.jobs.needed_files() - {""})
    with told(folder):
        missing = [sha256 for sha256 in _counted(wanted, tell) if not _copy_picture(store, sha256, folder / PICTURES)]
        kept = [sha256 for sha256 in uploads if _copy_upload(store, sha256, folder / UPLOADS)]
        own = settings.data_dir / PROMPTS
        if own.is_dir():
            shutil.copytree(own, folder / PROMPTS, dirs_exist_ok=True)
        write_whole(folder / CHECKSUMS, "".join(_checksums(folder)).encode())
        counts = len(wanted) - len(missing), len(kept)
        made = Backup(made_at.isoformat(), VERSION, revision, tables, *counts, tuple(missing))
        write_whole(folder / MANIFEST, json.dumps(_manifest(made, folder), indent=1).encode())
    return made


def restore(settings: Settings, folder: Path, force: bool = False, tell: Tell = lambda _: None) -> Backup:
    """Makes the store of the settings what the backup was, and brings its schema up to date.

    Args:
        force: what the store has goes first. Stop the servers on it before.

    Raises:
        BadInput: `no_backup`, `backup_broken` (details: file).
        Conflict: `store_not_empty`. StoreFailed: `store_newer` and those of `Store.open`; the database is as it was.
    """
    folder = folder.absolute()
    made = _read(folder)
    _verify(folder)
    before = _pictures(settings) if force else set()
    try:
        Store.refill(settings, folder / TABLES, made.revision, force)
    except (ValueError, KeyError, TypeError) as error:
        raise _broken(TABLES) from error
    with Store.open(settings) as store, told(folder):
        for sha256 in sorted(before - set(store.pages.pictures())):
            store.pictures.remove(sha256)
        for file in _counted(sorted((folder / PICTURES).glob("??/*.png")), tell):
            _take_picture(store, file)
        for file in sorted((folder / UPLOADS).iterdir()):
            with file.open("rb") as data, suppress(TooLarge):
                store.uploads.put(data, file.stat().st_size)
        if any((folder / PROMPTS).iterdir()):
            shutil.copytree(folder / PROMPTS, settings.data_dir / PROMPTS, dirs_exist_ok=True)
    return made


def _pictures(settings: Settings) -> set[str]:
    with Store.open(settings) as store:
        return set(store.pages.pictures())


def _counted(things: list[Any], tell: Tell) -> Iterator[Any]:
    for number, thing in enumerate(things):
        if number and number % _TELL_EVERY == 0:
            tell(f"{number} of {counted(len(things), 'picture')}")
        yield thing


def _copy_picture(store: Store, sha256: str, folder: Path) -> bool:
    """With what was made of it; False where it is not there: removed, before or at this moment."""
    try:
        data = store.pictures.read(sha256)
    except NotFound:
        return False
    file = folder / sha256[:2] / f"{sha256}.png"
    make_folder(file.parent)
    write_whole(file, data)
    small, grey = store.pictures.thumbnail(sha256), store.pictures.grey(sha256)
    if small is not None:
        write_whole(file.with_suffix(".thumb"), small.read_bytes())
    if grey is not None:
        write_whole(file.with_suffix(".grey"), grey)
    return True


def _take_picture(store: Store, file: Path) -> None:
    sha256 = store.pictures.put(file.read_bytes())
    for ending, put in ((".thumb", store.pictures.put_thumbnail), (".grey", store.pictures.put_grey)):
        beside = file.with_suffix(ending)
        if beside.is_file():
            put(sha256, beside.read_bytes())


def _copy_upload(store: Store, sha256: str, folder: Path) -> bool:
    try:
        shutil.copyfile(store.uploads.path(sha256), folder / sha256)
    except (NotFound, FileNotFoundError):
        return False
    return True


def _files(folder: Path) -> list[Path]:
    found = (file for file in folder.rglob("*") if file.is_file())
    return sorted(file for file in found if file.parent != folder)


def _checksums(folder: Path) -> Iterator[str]:
    for file in _files(folder):
        yield f"{_sha256(file)}  {file.relative_to(folder).as_posix()}\n"


def _sha256(file: Path) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def _manifest(made: Backup, folder: Path) -> dict[str, Any]:
    values = {name: getattr(made, name) for name in Backup.__dataclass_fields__}
    return {"format": FORMAT, **values, "checksums": _sha256(folder / CHECKSUMS)}


def _read(folder: Path) -> Backup:
    """Raises BadInput (`no_backup`, `backup_broken`)."""
    try:
        values = json.loads((folder / MANIFEST).read_text("utf-8"))
        if values.pop("format") != FORMAT:
            raise _broken(MANIFEST)
        if values.pop("checksums") != _sha256(folder / CHECKSUMS):
            raise _broken(CHECKSUMS)
        return Backup(**{**values, "missing": tuple(values["missing"])})
    except OSError as error:
        raise BadInput(
            "no_backup",
            f"There is no whole backup in {folder}.",
            "Name the folder that backup wrote.",
            folder=str(folder),
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _broken(MANIFEST) from error


def _verify(folder: Path) -> None:
    """Raises BadInput (`backup_broken`) for a file that is missing, is another one or is not of the backup."""
    lines = (folder / CHECKSUMS).read_text("utf-8").splitlines()
    wanted = {name: sha256 for sha256, _, name in (line.partition("  ") for line in lines)}
    there = {file.relative_to(folder).as_posix(): file for file in _files(folder)}
    for name in sorted(wanted.keys() | there.keys()):
        if name not in wanted or name not in there or _sha256(there[name]) != wanted[name]:
            raise _broken(name)


def _broken(name: str) -> BadInput:
    return BadInput(
        "backup_broken",
        f"The backup is damaged: {name} is not what was written; nothing was restored.",
        "Take another copy of the backup.",
        file=name,
    )
