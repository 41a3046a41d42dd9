"""A page of a batch on its way by the rules: kept, sent to review, read again with another engine.

The first reading of a page that is to be read again is saved with its place in the batch, so that a process that comes
after a crash reads it once more with the second engine alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.person import Person
from ocr_ui.domain.recognition import Recognition
from ocr_ui.domain.routing import (
    AGAIN,
    AGAIN_FAILED,
    AGAIN_REVIEW,
    BOTH,
    REVIEW,
    STRAIGHT,
    UNSURE,
    Rule,
    first_that,
    is_better,
)
from ocr_ui.errors import Conflict
from ocr_ui.services.figures import add_reading
from ocr_ui.storage.records import PageTask
from ocr_ui.storage.store import Store

NOT_KEPT = ("failed", "stopped")
"""Outcomes of readings that leave a page as it was."""


class Routing:
    """All methods block on the store. `keep_first` and `keep_second` are those of `Recognizer.read`.

    Attributes:
        again: the rule by which the page is to be read once more, None where it is not.
    """

    def __init__(self, store: Store, holder: str, task: PageTask, rules: Sequence[Rule]) -> None:
        self._store, self._holder, self._task, self._rules = store, holder, task, rules
        self.again: Rule | None = None
        self._first = 0
        self._content = PageContent()
        self._template = ""

    def keep_first(self, value: Recognition, page_id: int, person: Person | None) -> int | None:
        """The result and what comes of the page, together: after a crash it is either both or neither."""
        if value.outcome in NOT_KEPT:
            return None
        jobs, seconds = self._store.jobs, value.generation.seconds
        again = first_that(self._rules, AGAIN, value.prompt.template, value.content)
        with self._store.transaction():
            added = add_reading(self._store, value, page_id, person)
            if again:
                self._check(jobs.read_once(self._holder, self._task, added, seconds))
            else:
                route = self._reviewed(added, value.prompt.template, value.content, STRAIGHT, REVIEW)
                self._check(jobs.done(self._holder, self._task, added, seconds, route))
        self._remember(added, value, again)
        return added

    def go_on(self, recognition_id: int) -> None:
        """With a page whose first reading is stored."""
        value = self._store.recognitions.get(recognition_id).recognition
        self._remember(recognition_id, value, first_that(self._rules, AGAIN, value.prompt.template, value.content))

    def keep_second(self, value: Recognition, page_id: int, person: Person | None) -> int | None:
        """As `keep_first`, of the reading by the other engine."""
        assert self.again is not None  # noqa: S101 - the caller has looked
        if value.outcome in NOT_KEPT:
            return None
        with self._store.transaction():
            added = add_reading(self._store, value, page_id, person)
            better = is_better(self._content, value.content, self.again.kind)
            kept, content = (added, value.content) if better else (self._first, self._content)
            other = self._first if better else added
            if self.again.keep == BOTH:
                route = BOTH
            else:
                route = self._reviewed(kept, self._template, content, AGAIN, AGAIN_REVIEW)
            seconds = value.generation.seconds
            self._check(self._store.jobs.read_twice(self._holder, self._task, kept, other, seconds, route))
        return added

    def second_failed(self) -> None:
        """The first reading stays, and a person looks at it."""
        with self._store.transaction():
            self._store.reviews.tag(self._first, UNSURE)
            self._check(self._store.jobs.read_twice(self._holder, self._task, self._first, None, 0.0, AGAIN_FAILED))

    def _remember(self, recognition_id: int, value: Recognition, again: Rule | None) -> None:
        self._first, self._content, self._template, self.again = (
            recognition_id,
            value.content,
            value.prompt.template,
            again,
        )

    def _reviewed(self, item: int, template: str, content: PageContent, otherwise: str, route: str) -> str:
        if not self._rules or first_that(self._rules, REVIEW, template, content) is None:
            return otherwise
        self._store.reviews.tag(item, UNSURE)
        return route

    def _check(self, ours: bool) -> None:
        if not ours:
            raise Conflict("job_task_lost", "Somebody else reads this page.", "", page=self._task.page_id)
