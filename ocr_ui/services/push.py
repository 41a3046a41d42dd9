"""Pushes: an export with its data card, sent to the Hugging Face hub, to an object store or into a folder.

The export is written into a temporary folder first, so that nothing half-written is sent. A token is used for the one
push and kept nowhere.
"""

from __future__ import annotations

import logging
import re
import tempfile
import threading
from collections import OrderedDict
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.errors import BadInput, NotFound, WorkbenchError, internal
from ocr_ui.exports.sample import Options
from ocr_ui.logs import request_id
from ocr_ui.services.access import needs
from ocr_ui.services.data_card import DataCards
from ocr_ui.services.dataset import Filters
from ocr_ui.services.export import Exporter, ExportReport
from ocr_ui.services.push_targets import (
    Progress,
    Tell,
    bad_target,
    checked_token,
    repository_of,
    send_to_hub,
    send_to_store,
)
from ocr_ui.services.whole_folders import real, told

log = logging.getLogger(__name__)

KEPT = 20
"""Pushes that can be asked after."""


_OBJECT_STORE = re.compile(r"(s3|s3a|gs|gcs|az|abfs|abfss)://[\w.-]+(/[^:]*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Asked:
    """What to push.

    Attributes:
        target: hub:USER/NAME, an address of fsspec such as s3://BUCKET/PATH, or a folder.
        public: on the hub, for everybody to see.
        licence: of the data, for its card; "" for that of the version.
        names: of people stand in data, report and card; None for all but what everybody can see.
    """

    format: str
    target: str
    filters: Filters = field(default_factory=Filters)
    options: Options = field(default_factory=Options)
    public: bool = False
    licence: str = ""
    names: bool | None = None

    @property
    def nameless(self) -> bool:
        return self.public if self.names is None else not self.names


@dataclass(frozen=True, slots=True)
class Pushed:
    """Attributes: address: where the data is now."""

    address: str
    report: ExportReport


@dataclass(slots=True)
class Push:
    """A push on its way or ended.

    Attributes:
        state: running, done or failed.
        error: what went wrong, None otherwise.
    """

    id: int
    format: str
    target: str
    state: str = "running"
    progress: Progress = field(default_factory=lambda: Progress("writing"))
    address: str = ""
    items: int = 0
    error: WorkbenchError | None = None
    ended: threading.Event = field(default_factory=threading.Event)


class Pusher:
    def __init__(self, exporter: Exporter, cards: DataCards) -> None:
        self._exporter, self._cards = exporter, cards

    def push_now(self, asked: Asked, token: str = "", tell: Tell = lambda progress: None) -> Pushed:
        """Writes the export with its card, sends it, and notes it in the log of exports.

        Raises:
            BadInput: `bad_push_target`, `bad_hub_token`, those of `Exporter.export_now` and of `push_targets`.
            PushFailed: `push_failed`.
        """
        repository, token, target = (
            repository_of(asked.target),
            checked_token(token),
            asked.target.strip().removeprefix("file://"),
        )
        tell(Progress("writing"))
        if not target:
            raise bad_target(target)
        if not repository and "://" not in target:
            folder = real(Path(target))
            address, report = str(folder), self._write(asked, folder, folder.name)
        else:
            if asked.options.absolute:
                raise _absolute()
            with tempfile.TemporaryDirectory(prefix="ocr-push-") as temporary, told(Path(temporary)):
                folder = Path(temporary) / "data"
                report = self._write(asked, folder, (repository or target).rstrip("/").rpartition("/")[2])
                if repository:
                    address = send_to_hub(folder, repository, token, asked.public, tell)
                else:
                    address = send_to_store(folder, target, tell)
        self._exporter.note(report, address, asked.filters, replace(asked.options, nameless=asked.nameless))
        return Pushed(address, report)

    def _write(self, asked: Asked, folder: Path, name: str) -> ExportReport:
        options = replace(asked.options, nameless=asked.nameless)

        def card(work: Path, report: ExportReport) -> None:
            self._cards.put_beside(work, report, name, asked.filters, asked.licence, asked.nameless)

        return self._exporter.write_now(asked.format, folder, asked.filters, True, options, card)


class Pushes:
    """Pushes that run while their page does other things; the newest can be asked after.

    Args:
        folder: within which folders may be named.
    """

    def __init__(self, pusher: Pusher, folder: Path) -> None:
        self._pusher, self._folder = pusher, Path(folder).resolve()
        self._kept, self._next = OrderedDict[int, Push](), 1

    @needs(Action.ADMIN, audited="push.start", target=lambda _, push: push.target)
    def start(self, asked: Asked, token: str = "") -> Push:
        """Begins a push in a thread of its own.

        What a page may name is less than what the command line may: a repository of the hub, an object store, or a
        folder within the one of the settings.

        Raises:
            BadInput: `bad_push_target`, `bad_hub_token`.
        """
        asked, token = replace(asked, target=self._allowed(asked.target.strip())), checked_token(token)
        push = Push(self._next, asked.format, asked.target)
        self._next += 1
        self._kept[push.id] = push
        for old in [one.id for one in self._kept.values() if one.state != "running"][: max(0, len(self._kept) - KEPT)]:
            del self._kept[old]
        threading.Thread(target=self._run, args=(push, asked, token), name=f"push-{push.id}", daemon=True).start()
        return push

    @needs(Action.ADMIN)
    def get(self, push_id: int) -> Push:
        """Raises NotFound (`unknown_push`)."""
        if push_id not in self._kept:
            raise NotFound("unknown_push", f"There is no push {push_id}.", "Start it again.", push=push_id)
        return self._kept[push_id]

    def _allowed(self, target: str) -> str:
        if repository_of(target) or _OBJECT_STORE.fullmatch(target):
            return target
        try:
            inside = (self._folder / target).resolve()
        except (ValueError, OSError):
            raise bad_target(target) from None
        if not target or "://" in target or not inside.is_relative_to(self._folder) or inside == self._folder:
            raise bad_target(target)
        return str(inside)

    def _run(self, push: Push, asked: Asked, token: str) -> None:
        def tell(progress: Progress) -> None:
            push.progress = progress

        try:
            pushed = self._pusher.push_now(asked, token, tell)
            push.address, push.items, push.state = pushed.address, pushed.report.count_out, "done"
        except WorkbenchError as error:
            push.error, push.state = _alone(error), "failed"
            log.warning("The push to %s failed: %s", push.target, error.message)
        except Exception:
            push.error, push.state = internal(request_id()), "failed"
            log.exception("The push to %s failed", push.target)
        finally:
            push.ended.set()


def _alone(error: WorkbenchError) -> WorkbenchError:
    """Without what it came from: frames of the stack hold what they were called with, the token among it."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def push_value(push: Push) -> dict[str, Any]:
    """As JSON, the error apart."""
    return {
        "id": push.id,
        "format": push.format,
        "target": push.target,
        "state": push.state,
        "progress": asdict(push.progress),
        "address": push.address,
        "items": push.items,
    }


def _absolute() -> BadInput:
    return BadInput(
        "absolute_elsewhere",
        "Absolute paths of this machine mean nothing elsewhere.",
        "Push with relative paths.",
    )
