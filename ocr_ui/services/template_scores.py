"""How the readings of each version of a template turned out, from labels that were accepted."""

from __future__ import annotations

import threading
import time
from contextlib import closing

from ocr_ui.domain.access import Action
from ocr_ui.domain.reward import OF_TASK
from ocr_ui.exports import label_text
from ocr_ui.exports.label_text import Said
from ocr_ui.exports.reasons import NoLabel
from ocr_ui.services.access import needs
from ocr_ui.services.export import read_as
from ocr_ui.services.rewarding import official_value
from ocr_ui.storage.items import Filters, WholeItem
from ocr_ui.storage.records import WordingUse
from ocr_ui.storage.store import Store

AT_ONCE = 50
"""Rewards that are kept together."""

SECONDS = 0.8
"""So long rewards are worked out at one question; who asks again gets further."""


class TemplateScores:
    """A reward is worked out once for a label and kept."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._working = threading.Lock()

    @needs(Action.READ)
    def counts(self) -> dict[str, int]:
        """Readings of each template by engines that take its wording."""
        return self._store.templates.counts()

    @needs(Action.READ)
    def uses(self, name: str) -> dict[str, WordingUse]:
        """By version. `unscored` says how many rewards are still to be worked out: ask again."""
        if self._working.acquire(blocking=False):
            try:
                self._work_out(name)
            finally:
                self._working.release()
        return self._store.templates.uses(name)

    def _work_out(self, name: str) -> None:
        end = time.monotonic() + SECONDS
        while ids := self._store.templates.unscored(name, AT_ONCE):
            found = []
            with closing(self._store.items.each(Filters(items=tuple(ids)))) as items:
                for item in items:
                    found.append((item.id, item.correction.version if item.correction else 0, _reward(item)))
                    if time.monotonic() > end:
                        break
            self._store.templates.score(found)
            if time.monotonic() > end:
                return


def _reward(item: WholeItem) -> float | None:
    recognition = item.recognition
    content = item.correction.content if item.correction else recognition.content
    said = Said(recognition, content, (item.page.width, item.page.height), read_as(recognition.transform))
    try:
        task = OF_TASK[label_text.task_of(recognition)]
    except NoLabel:
        return None
    return official_value(said, task)
