"""A model of the hub, fetched once: resumed where it broke off, checked against the hub's own hashes, then offline.

The hub's client by itself begins an interrupted file anew and compares sizes only. So the contents are fetched here,
into the client's own cache (`blobs/<hash>`, an unfinished one with `.incomplete`), and the client makes its snapshot
of them. What a name stood for at the first download is remembered, and later starts ask nobody.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from huggingface_hub import HfApi, constants, get_session, hf_hub_url, snapshot_download
from huggingface_hub.errors import HfHubHTTPError
from huggingface_hub.utils import build_hf_headers, hf_raise_for_status
from tqdm.auto import tqdm

from ocr_ui.engines.base import Phase
from ocr_ui.engines.meter import Meter, Stopped, Tell
from ocr_ui.errors import EngineDead

log = logging.getLogger(__name__)

LEFT_OUT = "v1.0/"
"""Folder of the model's repository that is not fetched: the first version's weights."""

ANSWER_SECONDS = 10.0
"""Longest wait for the hub to connect, or for the next bytes of a file."""
TRIES = 5
"""Times in a row that a file may break off without a new byte."""
FIRST_WAIT = 1.0
"""Seconds before a broken file is taken up again, doubled each time."""
PIECE = 1 << 20
PASSING = frozenset({408, 429, 500, 502, 503, 504})
OF_THE_DISK = frozenset(
    getattr(errno, name)
    for name in ("ENOENT", "ENOTDIR", "ENOSPC", "EDQUOT", "EACCES", "EPERM", "EROFS", "EIO", "EFBIG")
    if hasattr(errno, name)
)
"""Where the disk refuses; not all of these names are on every system."""
HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a model.

    Attributes:
        size: bytes.
        content: the hub's name of what it holds: SHA-256 of a large file, Git's hash (SHA-1) of a small one; empty
            where it is not known.
    """

    path: str
    size: int
    content: str


@dataclass(frozen=True, slots=True)
class HubModel:
    """What a model's name and revision stand for: one commit and its files, those of LEFT_OUT excepted."""

    name: str
    commit: str
    files: tuple[HubFile, ...]

    @property
    def storage(self) -> Path:
        """The model's folder in the client's cache."""
        return storage_of(self.name)

    @property
    def folder(self) -> Path:
        return self.storage / "snapshots" / self.commit

    @property
    def size(self) -> int:
        return sum(content.size for content in self.contents())

    def contents(self) -> list[HubFile]:
        """The files, one of each content."""
        return list({file.content or file.path: file for file in self.files}.values())

    def blob(self, file: HubFile) -> Path:
        return self.storage / "blobs" / file.content

    def is_here(self) -> bool:
        """Is every file in place, with its size?"""
        try:
            return all((self.folder / file.path).stat().st_size == file.size for file in self.files)
        except OSError:
            return False


def storage_of(name: str) -> Path:
    return Path(constants.HF_HUB_CACHE) / f"models--{name.replace('/', '--')}"


class Memory:
    """Remembers in a JSON file what each model's name and revision stood for when it was fetched."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def recall(self, name: str, revision: str) -> HubModel | None:
        try:
            found = self._all()[f"{name}@{revision}"]
            return HubModel(found["name"], found["commit"], tuple(HubFile(**file) for file in found["files"]))
        except KeyError:
            return None
        except (TypeError, ValueError) as error:
            log.warning("%s cannot be read, so the model is looked up anew: %s", self._file, error)
            return None

    def keep(self, revision: str, model: HubModel) -> None:
        try:
            known = self._all()
        except (TypeError, ValueError):
            known = {}
        known[f"{model.name}@{revision}"] = asdict(model)
        part = self._file.with_suffix(".part")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(known, indent=1), encoding="utf-8")
            part.replace(self._file)
        except OSError as error:
            log.warning("the model's commit cannot be remembered in %s: %s", self._file, error)

    def _all(self) -> dict:
        try:
            known = json.loads(self._file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        if not isinstance(known, dict):
            raise TypeError("no JSON object")
        return known


def look_up(name: str, revision: str) -> HubModel:
    """Asks the hub for the commit and the files of a model.

    Raises:
        HfHubHTTPError: the hub's refusal. Otherwise whatever its client raises where there is no network.
    """
    info = HfApi().model_info(name, revision=revision, files_metadata=True, timeout=ANSWER_SECONDS)
    files = tuple(
        HubFile(file.rfilename, file.size or 0, file.lfs.sha256 if file.lfs else file.blob_id)
        for file in info.siblings
        if not file.rfilename.startswith(LEFT_OUT)
    )
    return HubModel(name, info.sha, files)


def in_cache(name: str, revision: str) -> HubModel | None:
    """A model that another program put into the client's cache, as far as its files are there."""
    try:
        folder = Path(snapshot_download(name, revision=revision, local_files_only=True, ignore_patterns=f"{LEFT_OUT}*"))
    except OSError:
        return None
    paths = [path for path in folder.rglob("*") if path.is_file()]
    files = [HubFile(p.relative_to(folder).as_posix(), p.stat().st_size, content_name(p)) for p in paths]
    return HubModel(name, folder.name, tuple(file for file in files if not file.path.startswith(LEFT_OUT)))


def content_name(path: Path) -> str:
    """The name of the content that a snapshot's link leads to; empty where it is no link."""
    name = os.readlink(path).rpartition("/")[2] if path.is_symlink() else ""
    return name if HASH.fullmatch(name) else ""


def fetch(model: HubModel, revision: str, tell: Tell, stop: threading.Event) -> None:
    """Fetches what is missing and checks all of it. Blocks.

    Args:
        revision: the name that stood for the commit.

    Raises:
        EngineDead: no room, a broken connection, a wrong hash. Stopped: `stop` was set.
    """
    with one_at_a_time(model, stop):
        fetch_contents(model, tell, stop)
        verify(model, tell, stop)
        snapshot_download(
            model.name, revision=model.commit, ignore_patterns=f"{LEFT_OUT}*", tqdm_class=SilentBar, max_workers=1
        )
        name_commit(model, revision)


def name_commit(model: HubModel, revision: str) -> None:
    """Leaves the revision's name where the client's other users look for it, unless they have named it already."""
    named = model.storage / "refs" / revision
    if revision != model.commit and not named.exists():
        named.parent.mkdir(parents=True, exist_ok=True)
        named.write_text(model.commit)


class SilentBar(tqdm):
    def __init__(self, *args: object, **named: object) -> None:
        named.pop("name", None)
        super().__init__(*args, **{**named, "disable": True})


@contextmanager
def one_at_a_time(model: HubModel, stop: threading.Event) -> Iterator[None]:
    """Two products may share a cache: the second waits, and then finds all in place."""
    model.storage.mkdir(parents=True, exist_ok=True)
    lock = FileLock(model.storage / "ocr-workbench.lock")
    while not lock.is_locked:
        try:
            lock.acquire(timeout=1)
        except Timeout:
            if stop.is_set():
                raise Stopped from None
    try:
        yield
    finally:
        lock.release()


def fetch_contents(model: HubModel, tell: Tell, stop: threading.Event) -> None:
    missing = [file for file in model.contents() if not model.blob(file).exists()]
    there = model.size - sum(file.size - unfinished_bytes(model.blob(file)) for file in missing)
    check_room(model.storage, model.size - there)
    (model.storage / "blobs").mkdir(exist_ok=True)
    with Meter(Phase.FETCHING, model.size, there, tell, stop, model.name) as meter:
        for file in missing:
            fetch_content(model, file, meter)
            check(model, file, unfinished(model.blob(file)))
            unfinished(model.blob(file)).replace(model.blob(file))


def unfinished(blob: Path) -> Path:
    return blob.with_name(f"{blob.name}.incomplete")


def unfinished_bytes(blob: Path) -> int:
    path = unfinished(blob)
    return path.stat().st_size if path.exists() else 0


def check_room(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise EngineDead(
            "model_no_room",
            f"The model still needs {needed / 1e9:.1f} GB in {folder}, and {free / 1e9:.1f} GB are free there.",
            "Make room, or set HF_HOME to a folder elsewhere.",
            needed=f"{needed / 1e9:.1f}",
            free=f"{free / 1e9:.1f}",
            folder=str(folder),
        )


def fetch_content(model: HubModel, file: HubFile, meter: Meter) -> None:
    """Adds to the unfinished file until it is whole, taking it up again where the connection breaks.

    Raises:
        EngineDead: it broke off TRIES times in a row without a new byte.
    """
    blob, failures = model.blob(file), 0
    while (had := unfinished_bytes(blob)) < file.size:
        try:
            add_bytes(hf_hub_url(model.name, file.path, revision=model.commit), unfinished(blob), meter)
            reason = "the connection ended early"
        except Stopped:
            raise
        except Exception as error:  # the client's own classes for a lost connection differ from version to version
            if not passes(error):
                raise
            reason = str(error) or type(error).__name__
        if unfinished_bytes(blob) > had:
            failures = 0
            continue
        failures += 1
        if failures == TRIES:
            raise broke_off(model, file, reason)
        log.warning("%s of %s broke off, taking it up again: %s", file.path, model.name, reason)
        meter.pause(FIRST_WAIT * 2 ** (failures - 1))
    unfinished(blob).touch()


def passes(error: Exception) -> bool:
    """May the same request go through a little later? Not where the hub refuses it, or the disk does."""
    if isinstance(error, HfHubHTTPError):
        return error.response.status_code in PASSING
    return not (isinstance(error, OSError) and error.errno in OF_THE_DISK)


def add_bytes(url: str, part: Path, meter: Meter) -> None:
    """Asks for what the unfinished file lacks, and adds it; from the beginning where the server knows no parts."""
    with part.open("ab") as out:
        had = out.tell()
        headers = {**build_hf_headers(), "Accept-Encoding": "identity"}
        if had:
            headers["Range"] = f"bytes={had}-"
        with get_session().stream("GET", url, headers=headers, follow_redirects=True, timeout=ANSWER_SECONDS) as answer:
            hf_raise_for_status(answer)
            if had and answer.status_code != 206:
                out.truncate(0)
                meter.add(-had)
            for piece in answer.iter_bytes():  # as they come: what waits to fill a larger piece would be lost
                out.write(piece)
                meter.add(len(piece))


def broke_off(model: HubModel, file: HubFile, reason: str) -> EngineDead:
    done = f"{unfinished_bytes(model.blob(file)) / 1e6:,.0f} of {file.size / 1e6:,.0f} MB"
    return EngineDead(
        "model_broke_off",
        f"Fetching {file.path} of {model.name} broke off at {done}: {reason}.",
        "Start the product again where the network is better: it goes on where it stopped.",
        file=file.path,
        model=model.name,
        done=done,
        reason=reason,
    )


def verify(model: HubModel, tell: Tell, stop: threading.Event) -> None:
    """Compares every content with its hash; one that is wrong is removed, so that it is fetched anew.

    Raises:
        EngineDead: one was wrong.
    """
    with Meter(Phase.VERIFYING, model.size, 0, tell, stop, f"{model.name}, checking") as meter:
        for file in model.contents():
            if file.content:
                check(model, file, model.blob(file), meter)


def check(model: HubModel, file: HubFile, path: Path, meter: Meter | None = None) -> None:
    """Compares a file with its size and its hash; see `verify`."""
    if path.stat().st_size == file.size and content_of(path, file, meter) == file.content:
        return
    os.remove(path)
    raise EngineDead(
        "model_damaged",
        f"{file.path} of {model.name} is not what the hub says it is (its checksum differs), and was removed.",
        "Start the product again to fetch it anew; if that does not help, something on the way here changes it.",
        file=file.path,
        model=model.name,
    )


def content_of(path: Path, file: HubFile, meter: Meter | None) -> str:
    """The hub's name for what a file on this machine holds."""
    made = hashlib.sha256() if SHA256.fullmatch(file.content) else git_hash(file.size)
    with path.open("rb") as content:
        while piece := content.read(PIECE):
            made.update(piece)
            if meter:
                meter.add(len(piece))
    return made.hexdigest()


def git_hash(size: int) -> hashlib._Hash:
    return hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
