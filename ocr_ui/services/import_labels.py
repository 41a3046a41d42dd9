"""Labels from other programs as pages to review: nothing is stored where a file is broken."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.page import Page
from ocr_ui.domain.person import Person
from ocr_ui.domain.prompt import PromptTemplate, Task
from ocr_ui.domain.recognition import IMPORTED, EngineName, Generation, PromptUsed, Recognition
from ocr_ui.domain.review import Review, State, Verdict
from ocr_ui.errors import BadInput, TooLarge
from ocr_ui.images.door import Limits, encode_png, open_picture, thumbnail
from ocr_ui.imports.readers import FORMATS, READERS, Labelled
from ocr_ui.parsing.dispatch import parse
from ocr_ui.parsing.plain import has_boxes
from ocr_ui.services.checked_content import checked
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

_BLANK = re.compile(r"\\\{\\\{[^{}]*\\\}\\\}")


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Attributes: items: ids of the new items; left_out: (place of the label, reason); tasks: items by task."""

    format: str
    count_in: int
    items: tuple[int, ...]
    left_out: tuple[tuple[str, str], ...]
    tasks: dict[str, int]


def import_labels(
    format: str, folder: Path, store: Store, settings: Settings, templates: Sequence[PromptTemplate], person: str = ""
) -> ImportReport:
    """Stores every picture with its label, submitted for review. All of it, or nothing where a file is broken.

    Raises:
        BadInput: `unknown_format`, `broken_import` (details: source, reason), `nothing_to_import`.
        StoreFailed: the store cannot be written.
    """
    if format not in READERS:
        allowed = ", ".join(FORMATS)
        raise BadInput(
            "unknown_format",
            f"There is no import format {format[:80]!r}.",
            f"Use one of: {allowed}.",
            format=format[:80],
            allowed=allowed,
        )
    if not folder.exists():
        raise BadInput("unreadable_file", f"Cannot read {folder}: there is no such folder.", "", file=str(folder))
    run = _Import(store, Limits.from_settings(settings), templates, Person(person) if person else None)
    with store.transaction():
        for labelled in READERS[format](folder):
            run.take(labelled)
        if not run.items:
            raise _nothing(format, folder, run.left_out)
    count = len(run.items) + len(run.left_out)
    return ImportReport(format, count, tuple(run.items), tuple(run.left_out), dict(sorted(run.tasks.items())))


class _Import:
    def __init__(
        self, store: Store, limits: Limits, templates: Sequence[PromptTemplate], person: Person | None
    ) -> None:
        self._store, self._limits, self._templates, self._person = store, limits, templates, person
        self._pages: dict[Path, tuple[int, Page]] = {}
        self.items: list[int] = []
        self.left_out: list[tuple[str, str]] = []
        self.tasks: Counter[str] = Counter()

    def take(self, labelled: Labelled) -> None:
        if labelled.picture is None:
            self.left_out.append((labelled.source, "its picture is not there"))
        elif labelled.content is None and not labelled.answer.strip():
            self.left_out.append((labelled.source, "it has no label"))
        else:
            try:
                pixels = self._pixels(labelled.picture)
            except (BadInput, TooLarge, OSError) as error:
                self.left_out.append((labelled.source, f"its picture cannot be read: {error}"))
                return
            self._keep(labelled, *self._page(labelled.picture, pixels))

    def _pixels(self, file: Path) -> np.ndarray | None:
        """None for a file that is stored already."""
        return None if file in self._pages else open_picture(file.read_bytes(), self._limits).pixels

    def _page(self, file: Path, pixels: np.ndarray | None) -> tuple[int, Page]:
        """The stored page of a file; one page for all labels of the same file."""
        if pixels is not None:
            sha256 = self._store.pictures.put(encode_png(pixels))
            self._store.pictures.put_thumbnail(sha256, thumbnail(pixels))
            page = Page(sha256, pixels.shape[1], pixels.shape[0], file.name)
            document = self._store.pages.add_document(file.name, [page], self._person)
            self._pages[file] = document.page_ids[0], page
        return self._pages[file]

    def _keep(self, labelled: Labelled, page_id: int, page: Page) -> None:
        size = page.width, page.height
        if labelled.content is not None:
            content, task = labelled.content(size), Task.SPOTTING
            if not any(line.quad for line in content.lines):
                task = Task.TEXT
            template = next((one for one in self._templates if one.task is task and not one.variables), None)
        else:
            template = _template_of(labelled.prompt, self._templates)
            task = template.task if template else _task_of(labelled.answer)
            content = parse(task, labelled.answer, size)
        prompt = labelled.prompt or (template.text if template else "")
        recognition = Recognition(
            page_sha256=page.sha256,
            engine=EngineName(IMPORTED),
            prompt=PromptUsed(template.name if template else "", template.version if template else "", task, prompt),
            content=_fitting(content.with_ids(), size),
            generation=Generation(labelled.answer),
        )
        item = self._store.recognitions.add(recognition, page_id, self._person)
        review = Review(Verdict.RIGHT, State.SUBMITTED, person=self._person.name if self._person else "")
        self._store.reviews.set(item, review)
        self.items.append(item)
        self.tasks[task.value] += 1


def _fitting(content: PageContent, size: tuple[int, int]) -> PageContent:
    """The page with its boxes inside the picture, as a correction of it would be stored."""
    return checked(content, *size)


def _template_of(prompt: str, templates: Sequence[PromptTemplate]) -> PromptTemplate | None:
    """The template that gives this prompt. One that is nothing but a blank gives any, so it is not asked."""
    for template in templates:
        pattern = _BLANK.sub("(.+)", re.escape(template.text.strip()))
        if pattern != "(.+)" and re.fullmatch(pattern, prompt.strip(), re.DOTALL):
            return template
    return None


def _task_of(answer: str) -> Task:
    if has_boxes(answer):
        return Task.SPOTTING
    return Task.DOCUMENT if "<table" in answer else Task.TEXT


def _nothing(format: str, folder: Path, left_out: Sequence[tuple[str, str]]) -> BadInput:
    told = "; ".join(f"{source}: {reason}" for source, reason in left_out[:3])
    return BadInput(
        "nothing_to_import",
        f"There is no label of the form {format} with its picture in {folder}. {told}".strip(),
        "Check the folder and the format.",
        folder=str(folder),
        reasons=told,
    )
