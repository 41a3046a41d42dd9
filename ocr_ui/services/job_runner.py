"""Reads the pages of batches in the background, beside whatever other process does so on the same store."""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import urllib.request
from collections import Counter
from collections.abc import Awaitable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from ocr_ui.domain.counted import counted
from ocr_ui.domain.job import PageRanges
from ocr_ui.domain.routing import read_rules
from ocr_ui.errors import (
    BadInput,
    Conflict,
    EngineBusy,
    EngineDead,
    EngineFailed,
    Infected,
    NotFound,
    ScannerAway,
    StoreFailed,
    WorkbenchError,
)
from ocr_ui.images import refusals
from ocr_ui.logs import as_request, run_name
from ocr_ui.metrics import JOB_PAGES, error_told
from ocr_ui.prompting import PromptLibrary
from ocr_ui.services.archives import is_archive, look_through, reading, unpacking
from ocr_ui.services.engines import Engines
from ocr_ui.services.jobs import JobProgress, Jobs, path_of
from ocr_ui.services.outage import Outage
from ocr_ui.services.pictures import PageStore
from ocr_ui.services.reading import ReadRequest
from ocr_ui.services.recognize import Recognizer
from ocr_ui.services.rollout_batch import BUSY_SECONDS, NOBODY_ANSWERS
from ocr_ui.services.routing import Routing
from ocr_ui.services.scan import INFECTED, Scanner, target_of
from ocr_ui.services.thresholds import Thresholds
from ocr_ui.services.traffic import Keep
from ocr_ui.services.view import error_value
from ocr_ui.services.work_off import HALT_SECONDS, first_of, holder_name, work_off
from ocr_ui.settings import Settings, is_address
from ocr_ui.storage.records import PageTask, StoredJob
from ocr_ui.storage.store import Store

log = logging.getLogger(__name__)

LEASE_SECONDS = 30.0
"""So long a page is a process's without a sign of life; a process that was killed loses its pages then."""
WEBHOOK_SECONDS = 10.0
LEAST_AT_ONCE = 2
"""Of an engine that reads one page at a time too: the next one's picture is there when it comes to it. And of a server
that does not tell how many it reads at once: pages that wait inside it for too long would be taken for silence."""
MAY_PASS = frozenset({"decode_timeout", "decoder_crashed"})
"""What is wrong with a file because the machine is busy; all else would be wrong each time."""


class JobRunner:
    """Claims pages of batches and reads them, `batch_at_once` at the same time.

    Where that is not set, each engine has half of its places at work for batches: as many more as a card gains by would
    leave none for people.

    Args:
        lease: seconds.

    Raises:
        BadInput: `bad_webhook_url`.
    """

    def __init__(
        self,
        store: Store,
        jobs: Jobs,
        pages: PageStore,
        recognizer: Recognizer,
        engines: Engines,
        templates: PromptLibrary,
        settings: Settings,
        thresholds: Thresholds,
        lease: float = LEASE_SECONDS,
    ) -> None:
        self._store, self._jobs, self._pages, self._recognizer = store, jobs, pages, recognizer
        self._engines = engines
        self._templates, self._settings, self._thresholds, self._lease = templates, settings, thresholds, lease
        self._scanner = Scanner(settings.clamd)
        self._webhook = _checked(settings.batch_webhook.get_secret_value().strip())
        self.holder = holder_name()
        self._held: dict[int, PageTask] = {}
        self._outage = Outage("batches", log)
        self._stop = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        if self._settings.batch_at_once != 0 and not self._tasks:
            self._tasks = [asyncio.create_task(self._work()), asyncio.create_task(self._keep_claims())]

    async def close(self) -> None:
        """Ends what runs; its pages wait for the next process."""
        self._stop.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _work(self) -> None:
        wake = self._jobs.listen()
        await self._quietly(self._sweep())
        while not self._stop.is_set():
            at_once = self._settings.batch_at_once
            async with aclosing(work_off(self._take, self._one, at_once, self._stop, self._halt, wake)) as ended:
                async for _ in ended:
                    await self._quietly(self._announce())
            await self._quietly(self._announce())
            await first_of(self._stop.wait(), wake.wait(), seconds=self._outage.pause())
            wake.clear()

    async def _keep_claims(self) -> None:
        """Renews the claims on what is being read, and ends the reading of what was cancelled."""
        changed = self._jobs.listen()
        while not self._stop.is_set():
            await first_of(self._stop.wait(), changed.wait(), seconds=self._lease / 3)
            changed.clear()
            await self._quietly(self._renew())

    async def _renew(self) -> None:
        while held := list(self._held):
            kept = await asyncio.to_thread(self._store.jobs.renew, self.holder, self._lease, held)
            lost = set(held) - kept
            for task in lost:
                await self._recognizer.stop(_owner(task))
            if not lost:
                return
            await asyncio.sleep(HALT_SECONDS)  # one that had only just been begun is stopped the next time

    async def _halt(self) -> None:
        for task in list(self._held):
            await self._recognizer.stop(_owner(task))

    async def _quietly(self, work: Awaitable[object]) -> None:
        """What fails is tried again in time; the store may be gone for a minute."""
        try:
            await work
        except StoreFailed as error:
            self._outage.tell(error)
        except WorkbenchError as error:
            log.warning("batches: %s", error)
        except Exception:
            log.exception("batches: a fault of the product")

    async def _take(self) -> PageTask | None:
        try:
            found = await asyncio.to_thread(self._store.jobs.take, self.holder, self._lease, self._full())
        except StoreFailed as error:
            self._outage.tell(error)
            return None
        if found is not None:
            self._held[found.id] = found
        return found

    def _full(self) -> set[str]:
        """Engines, as batches name them, that have as much to do as they may."""
        if self._settings.batch_at_once is not None:
            return set()
        at_work = Counter(task.engine or self._engines.default for task in self._held.values())
        full = {name for name, pages in at_work.items() if pages >= max(LEAST_AT_ONCE, self._engines.places(name) // 2)}
        return full | ({""} if self._engines.default in full else set())

    async def _one(self, task: PageTask) -> None:
        """One page, or a file to be looked into; whatever happens stands with it, or it waits again."""
        with as_request(f"job-{task.job}-{task.id}"):
            await self._work_on(task)

    async def _work_on(self, task: PageTask) -> None:
        try:
            if not task.number:
                await self._look_into(task)
            elif await self._read(task):
                JOB_PAGES.labels("done").inc()
                self._outage.over()
        except (EngineDead, StoreFailed) as error:
            await self._give_back(task, error)
        except (EngineBusy, ScannerAway):
            await first_of(self._stop.wait(), asyncio.Event().wait(), seconds=BUSY_SECONDS)
            await self._give_back(task)
        except WorkbenchError as error:
            if error.code in NOBODY_ANSWERS:
                await self._give_back(task, error)
            else:
                await self._failed(task, error)
        except Exception as error:
            log.exception("page %d of a file failed", task.number)
            reason = f"{type(error).__name__}: {error}"
            told = EngineFailed("reading_failed", f"Reading failed: {reason}", "Try again.", reason=reason)
            await self._failed(task, told)
        finally:
            self._held.pop(task.id, None)

    async def _failed(self, task: PageTask, error: WorkbenchError) -> None:
        final = not task.number and isinstance(error, BadInput) and error.code not in MAY_PASS
        value = error_value(error)
        error_told("job", error.code)
        JOB_PAGES.labels("failed").inc()
        await self._quietly(asyncio.to_thread(self._store.jobs.failed, self.holder, task, value, final))

    async def _give_back(self, task: PageTask, error: WorkbenchError | None = None) -> None:
        """Args: error: what would fail for every page: the batch is paused, with it as the reason."""

        def give_back() -> None:
            with self._store.transaction():
                if error is not None and not isinstance(error, StoreFailed):
                    self._store.jobs.pause(task.job, error_value(error))
                self._store.jobs.give_back(self.holder, [task.id])

        if isinstance(error, StoreFailed):
            self._outage.tell(error)
            await first_of(self._stop.wait(), asyncio.Event().wait(), seconds=BUSY_SECONDS)
        await self._quietly(asyncio.to_thread(give_back))

    # A file

    async def _look_into(self, task: PageTask) -> None:
        file = self._store.uploads.path(task.sha256)
        if await asyncio.to_thread(is_archive, file):
            await asyncio.to_thread(self._unpack, task)
            return
        frames = await self._pages.frames(task.sha256)
        pages = await self._pages.count(task.sha256) if frames is None else len(frames)
        job = await asyncio.to_thread(self._store.jobs.get, task.job)
        wanted = PageRanges.parse(job.asked["pages"]).of(pages)
        if not wanted:
            raise BadInput(
                "pages_not_there",
                f"The document has {counted(pages, 'page')}; none of those asked for.",
                "Choose other pages.",
                pages=pages,
            )
        if frames is not None and len(wanted) > self._settings.max_video_frames:
            raise refusals.too_many_frames(len(wanted), self._settings.max_video_frames)
        if frames is None and len(wanted) > self._settings.max_pages:
            raise refusals.too_many_pages(len(wanted), self._settings.max_pages)
        spans = dict(enumerate(frames or (), 1))
        await asyncio.to_thread(self._store.jobs.counted, self.holder, task, wanted, spans)

    def _unpack(self, task: PageTask) -> None:
        """Stores the files of an archive; what cannot be unpacked fails by itself."""
        file = self._store.uploads.path(task.sha256)
        left = self._settings.batch_bytes
        found, refused = [], []
        entries = look_through(file, self._settings.batch_files, left)
        with unpacking(file) as archive:
            for entry in entries:
                name = path_of(f"{task.name}/{entry.name}")
                try:
                    with reading(archive, entry) as data, self._scanner.through(data) as seen:
                        sha256, size = self._store.uploads.put(seen, min(left, self._settings.max_document_bytes))
                except BadInput as error:
                    refused.append((name, error_value(error)))
                    if isinstance(error, Infected):
                        handed_in = self._store.jobs.get(task.job).person
                        self._store.audit.add(handed_in, "batch", "", INFECTED, target_of(error))
                else:
                    left -= size
                    found.append((name, sha256, size))
        self._store.jobs.unpacked(self.holder, task, found, refused)

    # A page

    async def _read(self, task: PageTask) -> bool:
        """Whether the page is done; one whose reading was stopped waits again."""
        job = await asyncio.to_thread(self._store.jobs.get, task.job)
        route = Routing(self._store, self._thresholds, self.holder, task, read_rules(job.asked["rules"]))
        page_id, request = await self._prepared(task, job)
        if task.recognition_id is None:
            if not await self._read_with(task, job, page_id, request, job.asked["engine"], route.keep_first, True):
                return False
        else:
            await asyncio.to_thread(route.go_on, task.recognition_id)
        if route.again is None:
            return True
        again = replace(request, run_id=run_name())
        try:
            return await self._read_with(task, job, page_id, again, route.again.engine, route.keep_second)
        except (EngineDead, EngineBusy, StoreFailed, Conflict):
            raise
        except WorkbenchError as error:
            if error.code in NOBODY_ANSWERS:
                raise
            log.warning("page %d of a file was not read again: %s", task.number, error)
            await asyncio.to_thread(route.second_failed)
            return True

    async def _read_with(
        self,
        task: PageTask,
        job: StoredJob,
        page_id: int,
        request: ReadRequest,
        engine: str,
        keep: Keep,
        daily: bool = False,
    ) -> bool:
        """Whether the reading was kept; one that was stopped goes back. Raises what it failed with."""
        asked = {"engine": engine, "person": job.person, "owner": _owner(task.id), "keep": keep, "daily": daily}
        async with aclosing(self._recognizer.read(page_id, request, **asked)) as steps:
            *_, last = [step async for step in steps]
        if last.recognition_id is not None:
            return True
        if last.progress.error is not None:
            raise last.progress.error
        await self._give_back(task)
        return False

    async def _prepared(self, task: PageTask, job: StoredJob) -> tuple[int, ReadRequest]:
        """The stored page and what is asked of it; its picture is drawn where it was not yet."""
        template = await asyncio.to_thread(self._template, job.asked)
        if task.page_id is not None:
            return task.page_id, ReadRequest(template, job.asked["values"], followed=False)
        of = task.sha256, task.number, task.name
        page, notices = await (self._pages.frame_of(*of, task.span) if task.span else self._pages.picture_of(*of))
        page_id = await asyncio.to_thread(self._store.jobs.keep_page, task, page)
        return page_id, ReadRequest(template, job.asked["values"], notices=notices, followed=False)

    def _template(self, asked: dict[str, Any]) -> Any:
        try:
            return self._templates.get(asked["template"], asked["template_version"])
        except NotFound:
            return self._templates.get(asked["template"])

    # The end of a batch

    async def _announce(self) -> None:
        for number in await asyncio.to_thread(self._store.jobs.unannounced):
            progress = await self._jobs.progress(number)
            await self._sweep()
            if progress.job.asked["webhook"] and self._webhook:
                await asyncio.to_thread(_post, self._webhook, progress)

    async def _sweep(self) -> None:
        needed = await asyncio.to_thread(self._store.jobs.needed_files)
        await asyncio.to_thread(self._store.uploads.sweep, needed)


def _owner(task: int) -> str:
    return f"job-task-{task}"


def _checked(address: str) -> str:
    if address and not is_address(address):
        raise BadInput(
            "bad_webhook_url", "OCR_UI_BATCH_WEBHOOK is no address.", "Set it to https://HOST/PATH, or leave it empty."
        )
    return address


def _post(address: str, progress: JobProgress) -> None:
    """Tells the address of the settings; nobody else can name one. What it answers is not looked at."""
    totals = progress.totals
    told = {"job": progress.job.id, "name": progress.job.name, "state": progress.state, "total": totals.total}
    told |= {"done": totals.done, "failed": totals.failed, "seconds": totals.seconds}
    body = json.dumps(told, ensure_ascii=False).encode("utf-8", "backslashreplace")
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=WEBHOOK_SECONDS):  # noqa: S310 - an address of the settings
            pass
    except (OSError, http.client.HTTPException, ValueError) as error:
        log.warning("the end of batch %d could not be told: %s", progress.job.id, error)
