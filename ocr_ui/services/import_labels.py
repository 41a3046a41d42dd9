"""Labels from other programs as pages to review: nothing is stored where a file is broken."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.page import Page
from ocr_ui.domain.person import Person
from ocr_ui.domain.prompt import PromptTemplate, Task
from ocr_ui.domain.recognition import IMPORTED, EngineName, Generation, PromptUsed, Recognition
from ocr_ui.domain.review import Review, State, Verdict
from ocr_ui.errors import BadInput, ScannerAway, WorkbenchError
from ocr_ui.exports.reasons import NO_PICTURE, LeftOut, Reason
from ocr_ui.images.door import Limits, encode_png, open_picture, thumbnail
from ocr_ui.images.refusals import too_many_bytes
from ocr_ui.imports.readers import FORMATS, READERS, Labelled
from ocr_ui.parsing.dispatch import parse
from ocr_ui.parsing.plain import has_boxes
from ocr_ui.services.checked_content import checked
from ocr_ui.services.figures import add_reading
from ocr_ui.services.scan import Scanner
from ocr_ui.services.view import error_value
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

_BLANK = re.compile(r"\\\{\\\{[^{}]*\\\}\\\}")
_NAMED = 3
"""Labels that are named where nothing was imported."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Attributes: items: ids of the new items; left_out: (place of the label, reason); tasks: items by task."""

    format: str
    count_in: int
    items: tuple[int, ...]
    left_out: tuple[tuple[str, Reason], ...]
    tasks: dict[str, int]


def import_labels(
    format: str,
    folder: Path,
    store: Store,
    settings: Settings,
    templates: Sequence[PromptTemplate],
    person: str = "",
    pictures: Sequence[Path] = (),
) -> ImportReport:
    """Stores every picture with its label, submitted for review. All of it, or nothing where a file is broken.

    A label that was imported before, of the same picture and prompt, is left out: an import can be done again.

    Args:
        folder: with the labels and the pictures, or the file of the labels.
        pictures: folders beside it that labels may name pictures of; any other place is none of theirs.

    Raises:
        BadInput: `unknown_format`, `broken_import` (details: source, reason), `nothing_to_import`.
        StoreFailed: the store cannot be written. ScannerAway.
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
        raise BadInput(
            "unreadable_file", f"Cannot read {folder}: there is no such folder.", "Name another.", file=str(folder)
        )
    places = [place.resolve() for place in (folder.parent if folder.is_file() else folder, *pictures)]
    limits, scanner = Limits.from_settings(settings), Scanner(settings.clamd)
    run = _Import(store, limits, scanner, templates, Person(person) if person else None, places)
    with store.transaction():
        for labelled in READERS[format](folder):
            run.take(labelled)
        if not run.items and not any(reason.code == "imported_before" for _, reason in run.left_out):
            raise _nothing(format, folder, run.left_out)
    count = len(run.items) + len(run.left_out)
    return ImportReport(format, count, tuple(run.items), tuple(run.left_out), dict(sorted(run.tasks.items())))


class _Import:
    def __init__(
        self,
        store: Store,
        limits: Limits,
        scanner: Scanner,
        templates: Sequence[PromptTemplate],
        person: Person | None,
        places: Sequence[Path],
    ) -> None:
        self._store, self._limits, self._templates, self._person = store, limits, templates, person
        self._places, self._scanner = places, scanner
        self._read: dict[Path, Page] = {}
        self._pages: dict[Path, int] = {}
        self.items: list[int] = []
        self.left_out: list[tuple[str, Reason]] = []
        self.tasks: Counter[str] = Counter()

    def take(self, labelled: Labelled) -> None:
        try:
            self._keep(labelled)
        except LeftOut as left_out:
            self.left_out.append((labelled.source, left_out.reason))

    def _picture(self, file: Path | None) -> Page:
        """The stored picture of a file, which is read once for all of its labels. Raises LeftOut."""
        if file is None:
            raise LeftOut(NO_PICTURE)
        if not any(file.resolve().is_relative_to(place) for place in self._places):
            told = "its picture lies outside of the folder (name its folder with --pictures)"
            raise LeftOut(Reason("picture_outside", told))
        if file not in self._read:
            try:
                data = _bytes(file, self._limits.max_bytes)
                self._scanner.check(data)
                pixels = open_picture(data, self._limits).pixels
            except ScannerAway:
                raise
            except WorkbenchError as error:
                raise LeftOut(_unreadable(error)) from error
            except OSError as error:
                why = error.strerror or str(error)
                raise LeftOut(Reason("not_readable", f"it cannot be read ({why})", {"why": why})) from error
            sha256 = self._store.pictures.put(encode_png(pixels))
            self._store.pictures.put_thumbnail(sha256, thumbnail(pixels))
            self._read[file] = Page(sha256, pixels.shape[1], pixels.shape[0], file.name)
        return self._read[file]

    def _page(self, file: Path, page: Page) -> int:
        """The stored page of a file; one page for all labels of the same file."""
        if file not in self._pages:
            self._pages[file] = self._store.pages.add_document(file.name, [page], self._person).page_ids[0]
        return self._pages[file]

    def _check_new(self, value: Recognition) -> None:
        """Raises LeftOut: the label was imported before."""
        for earlier in self._store.recognitions.of_picture(value.page_sha256, IMPORTED):
            if _said(earlier.recognition) == _said(value):
                told = f"it was imported before, as item {earlier.id}"
                raise LeftOut(Reason("imported_before", told, {"item": earlier.id}))

    def _keep(self, labelled: Labelled) -> None:
        if labelled.content is None and not labelled.answer.strip():
            raise LeftOut(Reason("no_label", "it has no label"))
        page = self._picture(labelled.picture)
        size = page.width, page.height
        if labelled.content is not None:
            content, task = labelled.content(size), Task.SPOTTING
            if not any(line.quad for line in content.lines):
                task = Task.TEXT
            template = next((one for one in self._templates if one.task is task and not one.variables), None)
        else:
            template = template_of(labelled.prompt, self._templates)
            task = template.task if template else task_of_answer(labelled.answer)
            content = parse(task, labelled.answer, size)
        prompt = labelled.prompt or (template.text if template else "")
        recognition = Recognition(
            page_sha256=page.sha256,
            engine=EngineName(IMPORTED),
            prompt=PromptUsed(template.name if template else "", template.version if template else "", task, prompt),
            content=_fitting(content.with_ids(), size),
            generation=Generation(labelled.answer),
        )
        self._check_new(recognition)
        item = add_reading(self._store, recognition, self._page(labelled.picture, page), self._person)
        review = Review(Verdict.RIGHT, State.SUBMITTED, person=self._person.name if self._person else "")
        self._store.reviews.set(item, review)
        self.items.append(item)
        self.tasks[task.value] += 1


def _fitting(content: PageContent, size: tuple[int, int]) -> PageContent:
    """The page with its boxes inside the picture, as a correction of it would be stored. Raises LeftOut."""
    try:
        return checked(content, *size)
    except BadInput as error:
        told = {"problem": error_value(error)}
        raise LeftOut(Reason("label_refused", f"its label cannot be stored: {error.message}", told)) from error


def _said(value: Recognition) -> tuple[object, ...]:
    """What a label says of a picture, whatever ids its lines have."""
    lines = tuple((line.text, line.quad) for line in value.content.lines)
    return value.prompt.text, value.generation.text, lines, value.content.text


def _bytes(file: Path, limit: int) -> bytes:
    """Raises TooLarge before the file is read."""
    if (size := file.stat().st_size) > limit:
        raise too_many_bytes(size, limit)
    return file.read_bytes()


def _unreadable(error: WorkbenchError) -> Reason:
    told = {"problem": error_value(error)}
    return Reason("picture_unreadable", f"its picture cannot be read: {error.message}", told)


def template_of(prompt: str, templates: Sequence[PromptTemplate]) -> PromptTemplate | None:
    """The template that gives this prompt. One that is nothing but a blank gives any, so it is not asked."""
    for template in templates:
        pattern = _BLANK.sub("(.+)", re.escape(template.text.strip()))
        if pattern != "(.+)" and re.fullmatch(pattern, prompt.strip(), re.DOTALL):
            return template
    return None


def task_of_answer(answer: str) -> Task:
    if has_boxes(answer):
        return Task.SPOTTING
    return Task.DOCUMENT if "<table" in answer else Task.TEXT


def _nothing(format: str, folder: Path, left_out: Sequence[tuple[str, Reason]]) -> BadInput:
    told = "; ".join(f"{source}: {reason}" for source, reason in left_out[:_NAMED])
    return BadInput(
        "nothing_to_import",
        f"No label of the form {format} was imported from {folder}. {told}".strip(),
        "Check the folder and the format.",
        format=format,
        folder=str(folder),
        reasons=[{"source": source, **asdict(reason)} for source, reason in left_out[:_NAMED]],
    )
