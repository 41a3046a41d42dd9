"""Where a finished export goes: a repository of the Hugging Face hub, or a store that fsspec knows."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fsspec
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token
from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled
from huggingface_hub.utils import disable_progress_bars

from ocr_ui.domain.counted import counted
from ocr_ui.errors import BadInput, PushFailed, WorkbenchError
from ocr_ui.services.whole_folders import files_of
from ocr_ui.storage.addresses import hidden, not_installed, shown_address

HUB = "hub:"
MOST_HUB_FILES = 25_000
"""What the hub takes in one commit without trouble."""

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_TOKEN = re.compile(r"[!-~]{1,500}", re.ASCII)
_FILES_AT_ONCE, _BYTES_AT_ONCE = 100, 64_000_000


@dataclass(frozen=True, slots=True)
class Progress:
    """Attributes: step: `writing` the export, `sending` its files, `finishing`; bytes: of the files."""

    step: str
    done_files: int = 0
    files: int = 0
    done_bytes: int = 0
    bytes: int = 0


Tell = Callable[[Progress], None]


def repository_of(target: str) -> str:
    """USER/NAME of `hub:USER/NAME`, "" for other targets. Raises BadInput (`bad_push_target`)."""
    if not target.startswith(HUB):
        return ""
    name = target.removeprefix(HUB)
    if not _REPOSITORY.fullmatch(name):
        raise bad_target(target)
    return name


def bad_target(target: str) -> BadInput:
    return BadInput(
        "bad_push_target",
        f"{target[:200]!r} is no place to push to.",
        "Write hub:USER/NAME for the Hugging Face hub, an address such as s3://BUCKET/PATH, or a folder.",
        target=target[:200],
    )


def checked_token(token: str) -> str:
    """The token without blanks around it. Raises BadInput (`bad_hub_token`), which does not say the token."""
    token = token.strip()
    if token and not _TOKEN.fullmatch(token):
        raise BadInput(
            "bad_hub_token",
            "The token has characters that no token has.",
            "Copy it once more from https://huggingface.co/settings/tokens.",
        )
    return token


def send_to_hub(folder: Path, repository: str, token: str, public: bool, tell: Tell) -> str:
    """Sends a folder to a data set of the hub in one commit, and gives its address.

    Large files go before the commit, and those that the hub has already are not sent again: a push that broke off goes
    on where it stopped, and until its end the repository shows what it showed before. Of folders that are sent, files
    that are no longer in them are removed.

    Args:
        token: "" for the one of the environment.
        public: the repository may be seen by everybody; otherwise one that is made is private, and one that is there
            has to be.

    Raises:
        BadInput: `hub_refused` (details: repository, reason), `hub_is_public`, `too_many_hub_files`, `hub_offline`.
        PushFailed: `push_failed` (details: target, reason, sent, files).
    """
    names = list(files_of(folder))
    if len(names) > MOST_HUB_FILES:
        raise BadInput(
            "too_many_hub_files",
            f"The export has {len(names)} files, the hub takes {MOST_HUB_FILES} at once.",
            "Choose a format that has the pictures within its files, such as datasets.",
            files=len(names),
            limit=MOST_HUB_FILES,
        )
    disable_progress_bars()
    progress, api = _Sending(folder, names, tell), HfApi(token=token or None)
    try:
        return _commit(api, folder, names, repository, public, progress)
    except WorkbenchError:
        raise
    except OfflineModeIsEnabled:
        raise BadInput(
            "hub_offline", "The hub's client is set to be offline.", "Take HF_HUB_OFFLINE out of the environment."
        ) from None
    except HfHubHTTPError as error:
        if _is_refusal(error, api.endpoint):
            raise _refused(repository, error.response.status_code) from None
        raise _broke_off(f"{HUB}{repository}", _without(str(error), token), progress) from None
    except Exception as error:  # of the client, its HTTP library or the disk: many kinds, none of which is listed
        raise _broke_off(f"{HUB}{repository}", _without(f"{type(error).__name__}: {error}", token), progress) from None


def send_to_store(folder: Path, address: str, tell: Tell) -> str:
    """Copies a folder to an address of fsspec, such as s3://BUCKET/PATH, and gives it.

    Such a store cannot rename a folder: the report is copied last, and where it stands the rest does. What was copied
    is noted beside it until then, so that a push of the same data that broke off goes on where it stopped.

    Raises:
        BadInput: `bad_push_target`, `store_not_installed` (details: address, package).
        PushFailed: `push_failed` (details: target, reason, sent, files).
    """
    shown = shown_address(address)
    try:
        store, root = fsspec.core.url_to_fs(address)
    except ImportError as error:
        raise not_installed(address, error) from None
    except ValueError:
        raise bad_target(shown) from None
    except Exception as error:  # the store cannot be reached; each has errors of its own
        raise _broke_off(
            shown, hidden(f"{type(error).__name__}: {error}", address), _Sending(folder, (), tell)
        ) from None
    names = sorted(files_of(folder), key=lambda name: (name.startswith("report-"), name))
    progress = _Sending(folder, names, tell)
    try:
        _copy(store, root.rstrip("/"), folder, names, progress)
    except Exception as error:  # each store has errors of its own
        raise _broke_off(shown, hidden(f"{type(error).__name__}: {error}", address), progress) from None
    return shown


def _is_refusal(error: HfHubHTTPError, endpoint: str) -> bool:
    """Of the hub itself: the place where it keeps large files refuses an address that is too old, say."""
    reply = error.response
    return reply is not None and reply.status_code in (401, 402, 403, 404) and str(reply.url).startswith(endpoint)


class _Sending:
    """Counts what is there."""

    def __init__(self, folder: Path, names: Sequence[str], tell: Tell) -> None:
        self.folder, self.files, self._tell = folder, len(names), tell
        self._all = sum((folder / name).stat().st_size for name in names)
        self.sent = self._bytes = 0
        self.say("sending")

    def add(self, name: str) -> None:
        self.sent += 1
        self._bytes += (self.folder / name).stat().st_size

    def say(self, step: str) -> None:
        self._tell(Progress(step, self.sent, self.files, self._bytes, self._all))


def _commit(api: HfApi, folder: Path, names: Sequence[str], repository: str, public: bool, progress: _Sending) -> str:
    kind = {"repo_id": repository, "repo_type": "dataset"}
    api.create_repo(**kind, private=not public, exist_ok=True)
    if not public and not api.repo_info(**kind).private:
        raise BadInput(
            "hub_is_public",
            f"The data set {repository} is there already and everybody can see it; nothing was sent.",
            "Make it private on the hub, choose another name, or push it as public.",
            repository=repository,
        )
    additions = []
    for some in _batches(folder, names):
        operations = [CommitOperationAdd(path_in_repo=name, path_or_fileobj=folder / name) for name in some]
        api.preupload_lfs_files(**kind, additions=operations)
        additions += operations
        for name in some:
            progress.add(name)
        progress.say("sending")
    progress.say("finishing")
    own = {name.split("/")[0] for name in names if "/" in name}
    there = api.list_repo_files(**kind)
    gone = sorted(name for name in set(there) - set(names) if "/" in name and name.split("/")[0] in own)
    deletions = [CommitOperationDelete(path_in_repo=name) for name in gone]
    api.create_commit(**kind, operations=[*additions, *deletions], commit_message="Data from OCR Workbench")
    return f"{api.endpoint}/datasets/{repository}"


def _batches(folder: Path, names: Sequence[str]) -> Iterator[list[str]]:
    some, size = [], 0
    for name in names:
        some.append(name)
        size += (folder / name).stat().st_size
        if len(some) >= _FILES_AT_ONCE or size >= _BYTES_AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some


def _copy(store: Any, root: str, folder: Path, names: Sequence[str], progress: _Sending) -> None:
    mark = f"{root}/.unfinished-{_digest(folder, names)[:16]}.json"
    there = _noted(store, mark)
    for other in store.glob(f"{root}/.unfinished-*.json"):
        # Of a push of other data: this one replaces files that it takes for its own.
        if other.strip("/") != mark.strip("/"):
            store.rm_file(other)
    if not there:
        # What says that the folder is whole must not stand over half of it.
        for name in names:
            if name.startswith("report-") and store.exists(f"{root}/{name}"):
                store.rm_file(f"{root}/{name}")
    for some in _batches(folder, names):
        for name in some:
            if name not in there:
                store.makedirs(f"{root}/{name}".rpartition("/")[0], exist_ok=True)
                store.put_file(str(folder / name), f"{root}/{name}")
            there.add(name)
            progress.add(name)
        store.pipe_file(mark, json.dumps(sorted(there)).encode())
        progress.say("sending")
    progress.say("finishing")
    for own in sorted({name.split("/")[0] for name in names if "/" in name}):
        for path in store.find(f"{root}/{own}"):
            if path.removeprefix(f"{root}/") not in there:
                store.rm_file(path)
    store.rm_file(mark)


def _noted(store: Any, mark: str) -> set[str]:
    """Names of what an earlier push of the same data copied; none where the note itself is half-written."""
    try:
        return set(json.loads(store.cat_file(mark))) if store.exists(mark) else set()
    except ValueError:
        return set()


def _digest(folder: Path, names: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for name in names:
        with (folder / name).open("rb") as data:
            digest.update(f"{name} {hashlib.file_digest(data, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()


def _without(text: str, token: str) -> str:
    for secret in filter(None, (token, get_token())):
        text = text.replace(secret, "***")
    return " ".join(text.split())[:500]


def _refused(repository: str, status: int) -> BadInput:
    return BadInput(
        "hub_refused",
        f"The hub does not let this token write to {repository} (HTTP {status}); nothing changed there.",
        "Give a token with the permission to write, as HF_TOKEN in the environment or for this push.",
        repository=repository,
        status=status,
    )


def _broke_off(target: str, reason: str, progress: _Sending) -> PushFailed:
    sent = f"{progress.sent} of {counted(progress.files, 'file had', 'files had')} been sent"
    return PushFailed(
        "push_failed",
        f"The push to {target} broke off: {reason}. {sent}.",
        "Push again: what is there is not sent again.",
        target=target,
        reason=reason,
        sent=progress.sent,
        files=progress.files,
    )
