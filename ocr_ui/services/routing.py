"""A page of a batch on its way by the rules: kept, sent to review, read again with another engine.

The first reading of a page that is to be read again is saved with its place in the batch, so that a process that comes
after a crash reads it once more with the second engine alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.person import Person
from ocr_ui.domain.recognition import Recognition
from ocr_ui.domain.routing import (
    AGAIN,
    AGAIN_FAILED,
    AGAIN_REVIEW,
    BOTH,
    NONE,
    REVIEW,
    STRAIGHT,
    UNSURE,
    Rule,
    first_that,
    is_better,
)
from ocr_ui.errors import Conflict
from ocr_ui.services.figures import add_reading
from ocr_ui.services.thresholds import Thresholds
from ocr_ui.storage.records import PageTask
from ocr_ui.storage.store import Store

NOT_KEPT = ("failed", "stopped")
"""Outcomes of readings that leave a page as it was."""


class Routing:
    """All methods block on the store. `keep_first` and `keep_second` are those of `Recognizer.read`.

    Attributes:
        again: the rule by which the page is to be read once more, None where it is not.
    """

    def __init__(
        self, store: Store, thresholds: Thresholds, holder: str, task: PageTask, rules: Sequence[Rule]
    ) -> None:
        self._store, self._thresholds, self._holder, self._task, self._rules = store, thresholds, holder, task, rules
        self.again: Rule | None = None
        self._first = 0
        self._content = PageContent()
        self._template = ""
        self._measured = NONE

    def keep_first(self, value: Recognition, page_id: int, person: Person | None) -> int | None:
        """The result and what comes of the page, together: after a crash it is either both or neither."""
        if value.outcome in NOT_KEPT:
            return None
        jobs, seconds = self._store.jobs, value.generation.seconds
        measured = self._thresholds_of(value)
        again = first_that(self._rules, AGAIN, value.prompt.template, value.content, measured)
        with self._store.transaction():
            added = add_reading(self._store, value, page_id, person)
            if again:
                self._check(jobs.read_once(self._holder, self._task, added, seconds))
            else:
                route = self._reviewed(added, value.prompt.template, value.content, measured, STRAIGHT, REVIEW)
                self._check(jobs.done(self._holder, self._task, added, seconds, route))
        self._remember(added, value, measured, again)
        return added

    def go_on(self, recognition_id: int) -> None:
        """With a page whose first reading is stored."""
        value = self._store.recognitions.get(recognition_id).recognition
        measured = self._thresholds_of(value)
        again = first_that(self._rules, AGAIN, value.prompt.template, value.content, measured)
        self._remember(recognition_id, value, measured, again)

    def keep_second(self, value: Recognition, page_id: int, person: Person | None) -> int | None:
        """As `keep_first`, of the reading by the other engine."""
        assert self.again is not None  # noqa: S101 - the caller has looked
        if value.outcome in NOT_KEPT:
            return None
        measured = self._thresholds_of(value)
        with self._store.transaction():
            added = add_reading(self._store, value, page_id, person)
            better = is_better(self._content, value.content, self.again.kind)
            first = self._first, self._content, self._measured
            kept, content, limits = (added, value.content, measured) if better else first
            other = self._first if better else added
            if self.again.keep == BOTH:
                route = BOTH
            else:
                route = self._reviewed(kept, self._template, content, limits, AGAIN, AGAIN_REVIEW)
            seconds = value.generation.seconds
            self._check(self._store.jobs.read_twice(self._holder, self._task, kept, other, seconds, route))
        return added

    def second_failed(self) -> None:
        """The first reading stays, and a person looks at it."""
        with self._store.transaction():
            self._store.reviews.tag(self._first, UNSURE)
            self._check(self._store.jobs.read_twice(self._holder, self._task, self._first, None, 0.0, AGAIN_FAILED))

    def _thresholds_of(self, value: Recognition) -> Mapping[str, float]:
        """What was measured of the engine that has read, by part."""
        if not any(rule.measured for rule in self._rules):
            return NONE
        return self._thresholds.measured(value)

    def _remember(
        self, recognition_id: int, value: Recognition, measured: Mapping[str, float], again: Rule | None
    ) -> None:
        self._first, self._content, self._template = recognition_id, value.content, value.prompt.template
        self._measured, self.again = measured, again

    def _reviewed(
        self,
        item: int,
        template: str,
        content: PageContent,
        measured: Mapping[str, float],
        otherwise: str,
        route: str,
    ) -> str:
        if first_that(self._rules, REVIEW, template, content, measured) is None:
            return otherwise
        self._store.reviews.tag(item, UNSURE)
        return route

    def _check(self, ours: bool) -> None:
        if not ours:
            raise Conflict(
                "job_task_lost", "Somebody else reads this page.", "Wait for the result.", page=self._task.page_id
            )
