"""Batches of documents and pictures: handed in, read in the background, paused, resumed, cancelled, tried again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import IO, Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.exact_json import dumps
from ocr_ui.domain.job import PRIORITIES, JobState, PageRanges, numbered
from ocr_ui.domain.person import Person
from ocr_ui.domain.prompt import PromptTemplate
from ocr_ui.domain.recognition import Recognition
from ocr_ui.domain.routing import AGAIN, Rule, read_rules, rule_value
from ocr_ui.engines.registry import unknown_kind
from ocr_ui.errors import BadInput, TooLarge
from ocr_ui.images import refusals
from ocr_ui.images.door import video_kind_of
from ocr_ui.prompting import PromptLibrary
from ocr_ui.services.access import needs
from ocr_ui.services.archives import is_archive, look_through
from ocr_ui.services.engines import Engines
from ocr_ui.services.pictures import check_handed, clean_name
from ocr_ui.services.reading import check_task
from ocr_ui.services.scan import Scanner
from ocr_ui.services.view import error_value
from ocr_ui.settings import Settings
from ocr_ui.storage.records import FailedTask, JobTotals, RouteTotals, StoredJob, StoredPage
from ocr_ui.storage.store import Store

MOST_LISTED = 100
LONGEST_NAME = 200
MOST_PATH = 500
FULL_TEXT = "full_text"


@dataclass(frozen=True, slots=True)
class Handed:
    """A file that is handed in: its name, with the folders it was dropped with, and its bytes.

    Attributes:
        sha256: of a file that is here already, in the place of its bytes.
    """

    name: str
    data: IO[bytes] | None = None
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class JobAsk:
    """What is asked of each page of a batch.

    Attributes:
        template: its name.
        values: the template's variables.
        engine: by its name, "" for the default.
        pages: of each document, as `PageRanges` reads them; "" for all.
        priority: one of `ocr_ui.domain.job.PRIORITIES`.
        name: of the batch; "" for that of its first file.
        webhook: tell the address in the settings once it is done.
        rules: what is done with pages that were read with little confidence, see `ocr_ui.domain.routing`.
    """

    template: str = FULL_TEXT
    values: dict[str, str] = field(default_factory=dict)
    engine: str = ""
    pages: str = ""
    priority: str = "normal"
    name: str = ""
    webhook: bool = False
    rules: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Again:
    """How pictures are read once more.

    Attributes:
        engine: by its name; "" for the one that read the item, or the default where that is not there any more.
        template: its name; "" for the item's own, in the version that was used, with its variables.
        values: of the template's variables, in the place of the item's.
    """

    engine: str = ""
    template: str = ""
    values: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JobProgress:
    """A batch and how far it is.

    Attributes:
        failures: at most MOST_LISTED.
        routes: how many pages went where, where rules were given.
    """

    job: StoredJob
    totals: JobTotals
    failures: tuple[FailedTask, ...] = ()
    routes: tuple[RouteTotals, ...] = ()

    @property
    def state(self) -> str:
        """waiting, running, paused, done or cancelled."""
        if self.job.state != JobState.OPEN:
            return self.job.state.value
        return "running" if self.totals.running else "waiting"

    @property
    def seconds_left(self) -> float | None:
        """None where nothing runs, or nobody can tell yet."""
        speed = self.totals.per_second
        if self.state != "running" or not speed:
            return None
        return (self.totals.waiting + self.totals.running) / speed


class Jobs:
    """Batches of a store. They are read by `ocr_ui.services.job_runner`, in this process or another one."""

    def __init__(self, store: Store, templates: PromptLibrary, engines: Engines, settings: Settings) -> None:
        self._store, self._templates, self._engines, self._settings = store, templates, engines, settings
        self._scanner = Scanner(settings.clamd)
        self._listeners: list[asyncio.Event] = []

    def listen(self) -> asyncio.Event:
        """An event that is set whenever a batch was begun or changed by this process."""
        event = asyncio.Event()
        self._listeners.append(event)
        return event

    def _tell(self) -> None:
        for event in self._listeners:
            event.set()

    @needs(Action.RECOGNIZE, audited="job.create", target=lambda _, done: done.job.id)
    async def create(
        self, ask: JobAsk, files: Sequence[Handed] = (), person: Person | None = None, start: bool = True
    ) -> JobProgress:
        """Stores a batch with its files. One file that cannot be taken is refused with it, several are its failures.

        Args:
            start: begin at once; else it waits, paused, for `add` and `resume`.

        Raises:
            BadInput: `bad_page_range`, `bad_priority`, `no_files`, `bad_rule`, unknown template or engine, a variable
                is missing; of the one file those of `ocr_ui.services.archives`, TooLarge, Infected.
            StoreFailed, ScannerAway.
        """
        asked = await asyncio.to_thread(self._asked, ask)
        if start and not files:
            raise BadInput("no_files", "There is no file.", "Choose pictures, documents, a folder or a zip archive.")
        job = await asyncio.to_thread(self._create, ask, asked, files, person, start)
        self._tell()
        return await self.progress(job)

    @needs(Action.RECOGNIZE, audited="job.add")
    async def add(self, job: int, files: Sequence[Handed]) -> JobProgress:
        """More files for a batch that has not ended. Raises NotFound, Conflict (`job_ended`), and as `create`."""
        await asyncio.to_thread(self._add, job, files)
        self._tell()
        return await self.progress(job)

    @needs(Action.RECOGNIZE, audited="job.again")
    async def again(self, items: Sequence[int], ask: Again, person: Person | None = None) -> list[JobProgress]:
        """Reads the pictures of items once more in the background: a batch for each question that is asked of them.

        Raises:
            BadInput: `no_items`, unknown template or engine, a variable is missing. NotFound: `unknown_recognition`.
            TooLarge: `too_many_files`. StoreFailed.
        """
        jobs = await asyncio.to_thread(self._again, items, ask, person)
        self._tell()
        return [await self.progress(job) for job in jobs]

    @needs(Action.READ)
    async def list(self, limit: int = 20) -> list[JobProgress]:
        """The newest first, without their failures."""
        return await asyncio.to_thread(self._list, min(limit, MOST_LISTED))

    @needs(Action.READ)
    async def progress(self, job: int) -> JobProgress:
        """Raises NotFound (`unknown_job`)."""
        return await asyncio.to_thread(self._progress, job)

    @needs(Action.READ, audited="job.results")
    async def handed_out(self, job: int) -> JobProgress:
        """As `progress`, for who takes all that was read away."""
        return await self.progress(job)

    @needs(Action.READ)
    async def asked(self, ask: JobAsk) -> dict[str, Any]:
        """What a batch keeps of a question. Raises BadInput, as `create`."""
        return await asyncio.to_thread(self._asked, ask)

    @needs(Action.READ)
    async def files(self, job: int) -> list[str]:
        """As `ocr_ui.storage.jobs.Jobs.files`."""
        return await asyncio.to_thread(self._store.jobs.files, job)

    @needs(Action.READ)
    async def has_frames(self, job: int) -> bool:
        """Is there a video among its files? Raises NotFound (`unknown_job`)."""
        await asyncio.to_thread(self._store.jobs.get, job)
        return await asyncio.to_thread(self._store.jobs.has_frames, job)

    @needs(Action.RECOGNIZE, audited="job.pause")
    async def pause(self, job: int) -> JobProgress:
        """Begins no more pages; those that are being read are finished. Raises NotFound."""
        return await self._changed(self._store.jobs.pause, job)

    @needs(Action.RECOGNIZE, audited="job.resume")
    async def resume(self, job: int) -> JobProgress:
        """Goes on with a batch that is paused. Raises NotFound."""
        return await self._changed(self._store.jobs.resume, job)

    @needs(Action.RECOGNIZE, audited="job.cancel")
    async def cancel(self, job: int) -> JobProgress:
        """Gives up what is not done; what is done stays. Raises NotFound."""
        return await self._changed(self._store.jobs.cancel, job)

    @needs(Action.RECOGNIZE, audited="job.retry")
    async def retry(self, job: int) -> JobProgress:
        """What failed is tried once more. Raises NotFound, Conflict (`job_ended`) for a cancelled one."""
        return await self._changed(self._store.jobs.retry, job)

    def _again(self, items: Sequence[int], ask: Again, person: Person | None) -> list[int]:
        wanted = list(dict.fromkeys(items))
        if not wanted:
            raise BadInput("no_items", "No item is named.", "Choose items of the dataset.")
        self._check_room(len(wanted))
        questions: dict[str, tuple[dict[str, Any], dict[int, StoredPage]]] = {}
        for item in wanted:
            stored = self._store.recognitions.get(item)
            asked = self._asked_again(stored.recognition, ask)
            _, pages = questions.setdefault(dumps(asked), (asked, {}))
            pages[stored.page_id] = self._store.pages.get(stored.page_id)
        jobs = []
        with self._store.transaction():
            for asked, pages in questions.values():
                name = numbered(clean_name(page.document) for page in pages.values())
                jobs.append(self._store.jobs.begin(name, asked, PRIORITIES["normal"], person))
                for page in pages.values():
                    self._store.jobs.add_page(jobs[-1], page)
        return jobs

    def _asked_again(self, read: Recognition, ask: Again) -> dict[str, Any]:
        used = read.prompt
        template = self._templates.get(ask.template or used.template)
        known = {variable.name for variable in template.variables}
        values = {name: value for name, value in used.variables.items() if name in known} | ask.values
        own = read.engine.name or read.engine.kind
        engine = ask.engine or (own if own in {info.name for info in self._engines.infos()} else "")
        asked = self._asked(JobAsk(template.name, values, engine))
        return asked if ask.template else asked | {"template_version": used.version}

    async def _changed(self, change: Callable[[int], object], job: int) -> JobProgress:
        await asyncio.to_thread(change, job)
        self._tell()
        return await self.progress(job)

    def _progress(self, job: int) -> JobProgress:
        with self._store.one_moment():
            found = self._store.jobs.get(job)
            totals = self._store.jobs.totals(job)
            failures = self._store.jobs.failures(job, MOST_LISTED) if totals.failed else []
            return JobProgress(found, totals, tuple(failures), self._routes(found))

    def _list(self, limit: int) -> list[JobProgress]:
        with self._store.one_moment():
            return [
                JobProgress(job, self._store.jobs.totals(job.id), routes=self._routes(job))
                for job in self._store.jobs.list(limit)
            ]

    def _routes(self, job: StoredJob) -> tuple[RouteTotals, ...]:
        return tuple(self._store.jobs.routes(job.id)) if job.asked["rules"] else ()

    def _asked(self, ask: JobAsk) -> dict[str, Any]:
        """What is stored of the question, once it is known that it can be asked."""
        template = self._templates.get(ask.template)
        template.render(ask.values)
        engine = self._engines.called(ask.engine) if ask.engine else ""
        self._check_engine(engine or self._engines.default, template)
        if ask.priority not in PRIORITIES:
            allowed = ", ".join(PRIORITIES)
            raise BadInput(
                "bad_priority",
                f"There is no priority {ask.priority[:40]!r}.",
                f"Use one of: {allowed}.",
                value=ask.priority[:40],
                allowed=allowed,
            )
        if ask.webhook and not self._settings.batch_webhook.get_secret_value():
            raise BadInput(
                "no_webhook",
                "There is no address that could be told of a batch.",
                "Set OCR_UI_BATCH_WEBHOOK, or ask without webhook.",
            )
        return {
            "template": template.name,
            "template_version": template.version,
            "values": ask.values,
            "engine": engine,
            "pages": str(PageRanges.parse(ask.pages)),
            "webhook": ask.webhook,
            "rules": [rule_value(rule) for rule in self._rules(ask, template)],
        }

    def _rules(self, ask: JobAsk, template: PromptTemplate) -> list[Rule]:
        """The rules, with the engines that read again known to be able to."""
        rules = []
        for rule in read_rules(ask.rules):
            if rule.then == AGAIN:
                rule = replace(rule, engine=self._engines.called(rule.engine))
                self._check_engine(rule.engine, template)
            rules.append(rule)
        return rules

    def _check_engine(self, engine: str, template: PromptTemplate) -> None:
        tasks = {info.name: info.tasks for info in self._engines.infos()}
        if engine not in tasks:
            raise unknown_kind(engine, tasks)
        check_task(engine, tasks[engine], template)

    def _create(
        self, ask: JobAsk, asked: dict[str, Any], files: Sequence[Handed], person: Person | None, start: bool
    ) -> int:
        self._check_room(len(files))
        taken = self._taken(files)
        name = " ".join(ask.name.split())[:LONGEST_NAME] or numbered(clean_name(one.name) for one in files)
        with self._store.transaction():
            job = self._store.jobs.begin(name, asked, PRIORITIES[ask.priority], person, paused=not start)
            self._note(job, taken)
        return job

    def _add(self, job: int, files: Sequence[Handed]) -> None:
        found, totals = self._store.jobs.get(job), self._store.jobs.totals(job)
        self._check_room(len(files) + totals.total + totals.unopened)
        taken = self._taken(files)
        with self._store.transaction():
            self._note(job, taken)
            if not found.name:
                self._store.jobs.name(job, numbered(clean_name(one.name) for one in files))

    def _check_room(self, files: int) -> None:
        most = self._settings.batch_files
        if files > most:
            raise TooLarge(
                "too_many_files",
                f"The batch has {files} files or pages; at most {most} are taken.",
                "Make several batches.",
                files=files,
                limit=most,
            )

    def _taken(self, files: Sequence[Handed]) -> list[_Taken]:
        """The files stored, or why they are not. Raises what is wrong with a file that comes alone."""
        taken = []
        for one in files:
            try:
                taken.append(_Taken(path_of(one.name), *self._take(one)))
            except BadInput as error:
                if len(files) == 1:
                    raise
                taken.append(_Taken(path_of(one.name), error=error))
        return taken

    def _take(self, one: Handed) -> tuple[str, int]:
        """Stores a file; of an archive it is known then that it can be unpacked within the limits."""
        if one.data is None:
            check_handed(self._store, one.sha256)
            return one.sha256, self._store.uploads.path(one.sha256).stat().st_size
        with self._scanner.through(one.data) as data:
            sha256, size = self._store.uploads.put(data, self._settings.batch_bytes)
        file = self._store.uploads.path(sha256)
        if not size:
            raise refusals.empty_file()
        if is_archive(file):
            look_through(file, self._settings.batch_files, self._settings.batch_bytes)
            return sha256, size
        video = video_kind_of(file) is not None
        most = self._settings.max_video_bytes if video else self._settings.max_document_bytes
        if size > most:
            raise refusals.too_many_bytes(size, most)
        return sha256, size

    def _note(self, job: int, taken: list[_Taken]) -> None:
        for one in taken:
            if one.error is None:
                self._store.jobs.add_file(job, one.name, one.sha256, one.size)
            else:
                self._store.jobs.refuse_file(job, one.name, error_value(one.error))


@dataclass(frozen=True, slots=True)
class _Taken:
    name: str
    sha256: str = ""
    size: int = 0
    error: BadInput | None = None


def nothing_was_read(job: int) -> BadInput:
    return BadInput(
        "nothing_was_read",
        f"Batch {job} has no page that was read.",
        "See what failed and read it once more, or wait for the first page.",
        job=job,
    )


def path_of(name: str) -> str:
    """A name with its folders, as it is shown; never used as a path."""
    parts = (clean_name(part) for part in name.replace("\\", "/").split("/"))
    return "/".join(part for part in parts if part not in ("", ".", ".."))[-MOST_PATH:]
