"""One answer of a model to one PageContent, by what was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from ocr_ui.domain.content import ContentWarning, PageContent
from ocr_ui.domain.prompt import Task
from ocr_ui.parsing import document, fields, formula, plain, spotting, tables
from ocr_ui.parsing.answers import clean, inside_string, is_empty, says_empty
from ocr_ui.parsing.notes import SENTENCES

_MAY_BE_EMPTY = frozenset(Task) - {Task.QA}
_DOCUMENTS = frozenset({Task.DOCUMENT, Task.CHART, Task.LAYOUT, Task.TRANSLATE})
GROWTH = 1.125


def parse(
    task: Task,
    text: str,
    size: tuple[int, int],
    *,
    field_names: Sequence[str] = (),
    finished: bool = True,
) -> PageContent:
    """What an answer says. Total: any string gives a PageContent, in time linear in its length.

    Args:
        task: what was asked for.
        text: the raw answer.
        size: width and height of the stored picture in pixels.
        field_names: the names asked for (fields).
        finished: nothing more will come, so that open ends are told as ``truncated`` and loops are cut.
    """
    text = clean(text)
    if is_empty(text) and (task in _MAY_BE_EMPTY or not text.strip()):
        return _empty(finished)
    if task is Task.SPOTTING and says_empty(text):
        return _empty(finished)
    if task is Task.SPOTTING:
        if (inner := inside_string(text)) is not None:
            return spotting.parse(inner, size, finished).with_warnings(
                ContentWarning("repaired", SENTENCES["repaired"])
            )
        return spotting.parse(text, size, finished)
    if task is Task.FIELDS:
        return fields.parse(text, field_names, finished)
    if task is Task.TABLE:
        return tables.parse(text, finished)
    if task is Task.FORMULA:
        return formula.parse(text, finished)
    if task in _DOCUMENTS:
        return document.parse(text, size, finished, task is Task.LAYOUT, task is not Task.TRANSLATE)
    if task is Task.TEXT and plain.has_boxes(text):
        note = ContentWarning("mixed_format", "The answer came with coordinates although plain text was asked for.")
        return spotting.parse(text, size, finished).with_warnings(note)
    return plain.parse(text, finished)


def _empty(finished: bool) -> PageContent:
    return PageContent(warnings=(ContentWarning("empty", SENTENCES["empty"]),) if finished else ())


class IncrementalParser:
    """An answer while it comes.

    `feed` gives the content so far. Lines of a spotting answer appear with the last bracket of their box; what other
    tasks give is brought up to date each time the answer grew by an eighth, and at least every 256 characters.
    `finish` gives what `parse` gives for the whole.
    """

    def __init__(self, task: Task, size: tuple[int, int], field_names: Sequence[str] = ()) -> None:
        self._task, self._size, self._names = task, size, tuple(field_names)
        self._parts: list[str] = []
        self._length = 0
        self._next = 1
        self._content = PageContent()
        self._spotting = spotting.Incremental(size) if task is Task.SPOTTING else None

    def feed(self, delta: str) -> PageContent:
        self._parts.append(delta)
        self._length += len(delta)
        if self._spotting is not None:
            return self._spotting.feed(delta)
        if self._length >= self._next:
            self._next = self._length + max(256, int(self._length * (GROWTH - 1)))
            self._content = parse(self._task, self._text(), self._size, field_names=self._names, finished=False)
        return self._content

    def finish(self) -> PageContent:
        text = self._text()
        if self._spotting is None or text != clean(text) or is_empty(text) or says_empty(text) or inside_string(text):
            return parse(self._task, text, self._size, field_names=self._names)
        return self._spotting.finish()

    def _text(self) -> str:
        text = "".join(self._parts)
        self._parts = [text]
        return text
