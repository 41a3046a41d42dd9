"""Pages whose right answer is known, from wherever they come: the examples, a folder with labels, a frozen version of
the dataset, or what a saved filter finds.
"""

from __future__ import annotations

import functools
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.content import PageContent
from ocr_ui.domain.exact_json import dumps
from ocr_ui.domain.prompt import PromptTemplate, Task
from ocr_ui.domain.review import Verdict
from ocr_ui.domain.truth import Truth
from ocr_ui.errors import BadInput, NotFound, WorkbenchError
from ocr_ui.exports.languages import UNKNOWN
from ocr_ui.images.door import Limits, open_picture
from ocr_ui.imports.known_pages import KnownPage, known_pages
from ocr_ui.imports.readers import READERS, Labelled
from ocr_ui.parsing.dispatch import parse
from ocr_ui.scoring.facts import read_fact
from ocr_ui.scoring.scripts import script_of
from ocr_ui.services.access import acting
from ocr_ui.services.dataset import read_filters
from ocr_ui.services.figures import prepare
from ocr_ui.services.import_labels import task_of_answer, template_of
from ocr_ui.settings import Settings
from ocr_ui.storage.items import WholeItem
from ocr_ui.storage.store import Store

EXAMPLES = "examples"
FILTER = "filter:"
"""Before the name of a saved filter."""

_FORMATS = (
    ("Label.txt", "ppocrlabel"),
    ("metadata.jsonl", "imagefolder"),
    ("*.jsonl", "sft"),
    ("*.json", "label-studio"),
)


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """Attributes:
    name: unlike that of any other page of the set.
    sha256: of the picture's bytes as they were handed in.
    picture: gives those bytes.
    upright: a stored picture, which was turned when it came in.
    task: that the label was made for; None where it belongs to the page whatever is asked.
    variables: what the label answers: field names, a question, a language.
    layout: simple, dense or complex, where the label says so; `regions` blocks that it names.
    """

    name: str
    sha256: str
    picture: Callable[[], bytes]
    truth: Truth
    language: str = ""
    kind: str = ""
    tags: tuple[str, ...] = ()
    upright: bool = False
    task: Task | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    layout: str = ""
    regions: int = 0


@dataclass(frozen=True)
class LabelledSet:
    """Attributes: left_out: names of what cannot be used, each with the reason in English."""

    name: str
    pages: tuple[LabelledPage, ...]
    left_out: tuple[tuple[str, str], ...] = ()

    @functools.cached_property
    def sha256(self) -> str:
        """Over names, pictures and what is known of them: two sets with the same checksum ask the same."""
        digest = hashlib.sha256()
        for page in self.pages:
            digest.update(dumps([page.name, page.sha256, page.truth.to_dict(), dict(page.variables)]).encode())
        return digest.hexdigest()


def open_set(what: str, store: Store, settings: Settings, templates: Sequence[PromptTemplate]) -> LabelledSet:
    """The pages that a name stands for.

    Args:
        what: `examples`, a folder, `filter:` with the name of a saved filter, or the name of a frozen version.

    Raises:
        BadInput: `nothing_labelled` (details: data), `broken_known_page`, `bad_fact`, `broken_import`.
        NotFound: `unknown_test_set` (details: name), `unknown_version`.
            Also a folder, where somebody is logged in who is no admin: they learn of none whether it is there.
        StoreFailed: the store cannot be read.
    """
    check_set(what, store)
    return open_known_set(what, store, settings, templates)


def check_set(what: str, store: Store) -> None:
    """Knows a name, and whoever acts may name it; no page is looked at. Raises NotFound as `open_set`."""
    if what == EXAMPLES:
        return
    if what.startswith(FILTER):
        _saved_filter(store, what.removeprefix(FILTER))
    elif acting().identity.may(Action.ADMIN) and _is_folder(what):
        return
    elif not any(version.name == what for version in store.versions.list()):
        shown = what[:100]
        raise NotFound(
            "unknown_test_set",
            f"There is no folder and no frozen version {shown!r}.",
            "Name a folder with labels, a version of the dataset, filter:NAME of a saved filter, or examples.",
            name=shown,
        )


def _is_folder(what: str) -> bool:
    with suppress(OSError):  # longer than a name may be
        return Path(what).is_dir()
    return False


def open_known_set(what: str, store: Store, settings: Settings, templates: Sequence[PromptTemplate]) -> LabelledSet:
    """As `open_set`, for a name that somebody who may has given before, such as that of a run in the log."""
    if what == EXAMPLES:
        found = _of_folder(settings.examples_dir, settings, templates)
    elif what.startswith(FILTER):
        found = _of_items(store, _saved_filter(store, what.removeprefix(FILTER)))
    elif _is_folder(what):
        found = _of_folder(Path(what), settings, templates)
    else:
        found = _of_items(store, {"version": what})
    pages, left_out = _split(found)
    if not pages:
        told = "; ".join(f"{name}: {reason}" for name, reason in left_out[:3])
        raise BadInput(
            "nothing_labelled",
            f"No page of {what[:100]} has a label that can be used. {told}".strip(),
            "docs/evaluation.md shows the forms of labels.",
            data=what[:100],
        )
    return LabelledSet(what, tuple(_named_apart(pages)), tuple(left_out))


Found = LabelledPage | tuple[str, str]
"""A page, or the name of what is left out and why."""


def _split(found: Iterable[Found]) -> tuple[list[LabelledPage], list[tuple[str, str]]]:
    pages, left_out = [], []
    for one in found:
        (pages if isinstance(one, LabelledPage) else left_out).append(one)
    return pages, left_out


def _named_apart(pages: Sequence[LabelledPage]) -> Iterator[LabelledPage]:
    seen: Counter[str] = Counter()
    for page in pages:
        seen[page.name] += 1
        again = seen[page.name]
        yield page if again == 1 else replace(page, name=f"{page.name} ({again})")


# ---- folders


def _of_folder(folder: Path, settings: Settings, templates: Sequence[PromptTemplate]) -> Iterator[Found]:
    known = known_pages(folder, read_fact)
    if known:
        by_name = {template.name: template for template in templates}
        for page in known:
            yield _of_known(page, by_name)
        return
    name = next((name for pattern, name in _FORMATS if any(folder.rglob(pattern))), None)
    limits = Limits.from_settings(settings)
    for labelled in READERS[name](folder) if name else ():
        yield _of_labelled(labelled, folder.resolve(), limits, templates)


def _of_known(page: KnownPage, by_name: Mapping[str, PromptTemplate]) -> Found:
    try:
        digest = hashlib.sha256(page.picture.read_bytes()).hexdigest()
    except OSError as error:
        return page.name, f"its picture cannot be read ({error.strerror})"
    fitting = by_name.get(page.template)
    return LabelledPage(
        name=page.name,
        sha256=digest,
        picture=page.picture.read_bytes,
        truth=page.truth,
        language=script_of(page.truth.text or "") if page.language == UNKNOWN else page.language,
        kind=page.kind,
        tags=page.tags,
        task=fitting.task if fitting else None,
        variables=page.variables,
        layout=page.layout,
        regions=page.regions,
    )


def _of_labelled(labelled: Labelled, folder: Path, limits: Limits, templates: Sequence[PromptTemplate]) -> Found:
    file = labelled.picture
    if file is None or not file.resolve().is_relative_to(folder):
        return labelled.source, "it names no picture within the folder"
    try:
        data = file.read_bytes()
        height, width = open_picture(data, limits).pixels.shape[:2]
    except OSError as error:
        return labelled.source, f"its picture cannot be read ({error.strerror})"
    except WorkbenchError as error:
        return labelled.source, error.message
    if labelled.content is not None:
        content = labelled.content((width, height))
        task = Task.SPOTTING if any(line.quad for line in content.lines) else Task.TEXT
        template = None
    else:
        template = template_of(labelled.prompt, templates)
        task = template.task if template else task_of_answer(labelled.answer)
        content = parse(task, labelled.answer, (width, height))
    return LabelledPage(
        name=file.name,
        sha256=hashlib.sha256(data).hexdigest(),
        picture=file.read_bytes,
        truth=truth_of(task, content),
        language=script_of(content.text),
        kind=template.name if template else task.value,
        task=task,
    )


# ---- the store


def _saved_filter(store: Store, name: str) -> dict[str, Any]:
    for saved in store.queues.filters():
        if saved.name == name:
            return {key: value for key, value in saved.query.items() if key != "sort"}
    raise NotFound(
        "unknown_test_set", f"There is no saved filter {name[:100]!r}.", "The Dataset tab lists them.", name=name[:100]
    )


def _of_items(store: Store, values: Mapping[str, Any]) -> Iterator[Found]:
    filters = read_filters(values)
    prepare(store, filters, "newest")
    for item in store.items.each(filters):
        yield _of_item(store, item)


def _of_item(store: Store, item: WholeItem) -> Found:
    name = f"{item.page.name} #{item.id}"
    if item.correction is not None:
        content = item.correction.content
    elif item.review.verdict is Verdict.RIGHT:
        content = item.recognition.content
    else:
        return name, "nobody has said what is right"
    prompt = item.recognition.prompt
    if prompt.task not in set(Task):
        return name, f"its task {prompt.task[:40]!r} is unknown"
    task, sha256 = Task(prompt.task), item.page.sha256
    return LabelledPage(
        name=name,
        sha256=sha256,
        picture=functools.partial(store.pictures.read, sha256),
        truth=truth_of(task, content),
        language=script_of(content.text or " ".join(one.value or "" for one in content.fields)),
        kind=prompt.template or task.value,
        tags=tuple(item.review.tags),
        upright=True,
        task=task,
        variables=dict(prompt.variables),
    )


def truth_of(task: Task, content: PageContent) -> Truth:
    """What a page that was labelled as the answer to a task says of what else may be asked about it."""
    text = "\n".join(line.text for line in content.lines) if content.lines else content.text
    if task in (Task.SPOTTING, Task.TEXT, Task.SUBTITLES):
        boxed = tuple(line for line in content.lines if line.quad)
        return Truth(text=text, lines=boxed if len(boxed) == len(content.lines) else None)
    if task is Task.FIELDS:
        return Truth(fields=content.fields)
    tables = tuple(table.html for table in content.tables)
    if task is Task.DOCUMENT:
        return Truth(answers={Task.DOCUMENT: content.text}, tables=tables)
    if task is Task.TABLE:
        return Truth(tables=tables)
    if task is Task.FORMULA:
        return Truth(formulas=tuple(text.split("\n")))
    return Truth() if task is Task.LAYOUT else Truth(answers={task: content.text})
