"""Correcting and judging what was read: one save is one transaction, on disk before it is acknowledged."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.content import PageContent
from ocr_ui.domain.person import Person
from ocr_ui.domain.review import REVIEWED, ErrorKind, Review, State, Verdict
from ocr_ui.errors import BadInput
from ocr_ui.metrics import REVIEWS
from ocr_ui.scoring.differences import Difference, compare, same
from ocr_ui.services.access import needs, require
from ocr_ui.services.checked_content import checked
from ocr_ui.storage.corrections import key_reused
from ocr_ui.storage.records import (
    ArmReading,
    StoredCorrection,
    StoredPage,
    StoredRecognition,
    StoredReread,
    StoredReview,
)
from ocr_ui.storage.store import Store

LONGEST_NOTE = 10_000
LONGEST_KEY = 200


@dataclass(frozen=True, slots=True)
class Saved:
    """What is on disk after a save.

    Attributes:
        version: of the newest correction; 0 where the model's own output stands.
        revision: of the review, for the next save's `base_revision`.
        verdict: as stored; `wrong` where a changed page was called right.
        edit_distance, cer: between the model's output and the page as saved.
        error_kinds: given by the person, else found by comparison.
        saved_at: moment of the change, in UTC.
    """

    version: int
    revision: int
    verdict: Verdict | None
    state: State
    edit_distance: int
    cer: float
    error_kinds: tuple[ErrorKind, ...]
    saved_at: datetime


@dataclass(frozen=True, slots=True)
class Item:
    """An item as it was left.

    Attributes:
        rereads: boxes of it that were read anew, oldest first.
        arm: of an experiment; None where it took part in none.
    """

    recognition: StoredRecognition
    page: StoredPage
    correction: StoredCorrection | None
    review: StoredReview
    rereads: tuple[StoredReread, ...] = ()
    arm: ArmReading | None = None

    @property
    def arm_hidden(self) -> bool:
        """Nobody has judged it yet, so that nobody is told whose reading it is."""
        return self.arm is not None and self.review.review.verdict is None

    @property
    def content(self) -> PageContent:
        """The page in its newest version: a person's where there is one, else the model's."""
        return self.correction.correction.content if self.correction else self.recognition.recognition.content


@dataclass(frozen=True, slots=True)
class _Change:
    """One save, as it was asked for."""

    recognition_id: int
    base_version: int
    base_revision: int | None
    content: PageContent | dict[str, Any]
    verdict: Verdict | None
    error_kinds: tuple[ErrorKind, ...] | None
    note: str | None
    person: Person
    client_key: str
    state: State | None


class Annotator:
    """Opens, compares, corrects and judges items of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @needs(Action.READ)
    async def open_item(self, recognition_id: int) -> Item:
        """Raises NotFound (`unknown_recognition`)."""
        return await asyncio.to_thread(self.open_now, recognition_id)

    @needs(Action.READ)
    async def versions(self, recognition_id: int) -> list[StoredCorrection]:
        """All corrections of an item, oldest first."""
        return await asyncio.to_thread(self._store.corrections.versions, recognition_id)

    @needs(Action.READ)
    async def history(self, recognition_id: int) -> list[StoredReview]:
        """All changes of an item's review, oldest first."""
        return await asyncio.to_thread(self._store.reviews.history, recognition_id)

    @needs(Action.READ)
    async def differences(self, recognition_id: int, content: PageContent | dict[str, Any]) -> Difference:
        """The model's output against `content`, which need not be saved.

        Raises:
            BadInput: see `save_correction`.
            NotFound: `unknown_recognition`.
        """
        return await asyncio.to_thread(self._differences, recognition_id, content)

    @needs(Action.ANNOTATE, audited="correction.save")
    async def save_correction(
        self,
        recognition_id: int,
        base_version: int,
        content: PageContent | dict[str, Any],
        verdict: Verdict | str | None = None,
        error_kinds: Sequence[ErrorKind | str] | None = None,
        note: str | None = None,
        person: Person | None = None,
        client_key: str = "",
        base_revision: int | None = None,
        state: State | str | None = None,
    ) -> Saved:
        """Saves a page as the person sees it, with the verdict. When this returns, all of it is on disk.

        The model's output stays as it is. Content that says the same as `base_version` makes no new version. A verdict
        submits the item; without one it is in progress and keeps the verdict that it had, unless that was `right` and
        the page is changed now. A page that differs from the model's output was not read right: calling it right
        stores it as wrong.

        Args:
            base_version: the version that the person saw; 0 for the model's output.
            error_kinds: None to take those found by comparison.
            note: None to keep the note that is there.
            client_key: new for each save; the same key sent again (after a lost answer) applies nothing and gives the
                same answer.
            base_revision: the revision of the review that the person saw; None not to check it.
            state: where the item is to stand; None for what follows from the verdict.

        Raises:
            Conflict: `edited_meanwhile` or `reviewed_meanwhile`, somebody saved since; that save stays, and nothing of
                this one was stored.
            BadInput: `unknown_verdict`, `unknown_state`, `state_not_allowed`, `unknown_error_kind`, `note_too_long`,
                `bad_client_key`, `client_key_reused` (it came before with another page), and those of
                `ocr_ui.services.checked_content`.
            NotFound: `unknown_recognition`.
            StoreFailed: disk full, read-only, locked, broken; nothing was stored.
        """
        arguments = (recognition_id, base_version, content, verdict, error_kinds, note, person, client_key)
        return await asyncio.to_thread(self.save_now, *arguments, base_revision, state)

    def save_now(
        self,
        recognition_id: int,
        base_version: int,
        content: PageContent | dict[str, Any],
        verdict: Verdict | str | None = None,
        error_kinds: Sequence[ErrorKind | str] | None = None,
        note: str | None = None,
        person: Person | None = None,
        client_key: str = "",
        base_revision: int | None = None,
        state: State | str | None = None,
    ) -> Saved:
        """As `save_correction`, in this thread: inside `Store.transaction` it is saved together with the rest."""
        if state == State.ACCEPTED:
            require(Action.REVIEW)
        change = _Change(
            recognition_id,
            base_version,
            base_revision,
            content,
            checked_verdict(verdict),
            checked_kinds(error_kinds),
            checked_note(note),
            person or Person(""),
            checked_key(client_key),
            _choice(State, state, "unknown_state") if state else None,
        )
        return self._save(change)

    @needs(Action.ANNOTATE, audited="state.set")
    async def set_state(
        self,
        recognition_id: int,
        state: State | str,
        person: Person | None = None,
        note: str | None = None,
        client_key: str = "",
        base_revision: int | None = None,
    ) -> StoredReview:
        """Moves an item to accepted, rejected, skipped, pending or in progress; verdict and error kinds stay.

        Raises as `save_correction`, and BadInput (`state_not_allowed`).
        """
        wanted = _choice(State, state, "unknown_state")
        if wanted is State.ACCEPTED:
            require(Action.REVIEW)
        arguments = recognition_id, wanted, person or Person(""), checked_note(note), checked_key(client_key)
        return await asyncio.to_thread(self._move, *arguments, base_revision)

    def open_now(self, recognition_id: int) -> Item:
        """As `open_item`, in this thread."""
        with self._store.one_moment():  # else an older text could come with the number of a newer version
            recognition = self._store.recognitions.get(recognition_id)
            return Item(
                recognition,
                self._store.pages.get(recognition.page_id),
                self._store.corrections.latest(recognition_id),
                self._store.reviews.get(recognition_id),
                tuple(self._store.rereads.of(recognition_id)),
                self._store.experiments.of_readings([recognition_id]).get(recognition_id),
            )

    def _differences(self, recognition_id: int, content: PageContent | dict[str, Any]) -> Difference:
        item = self.open_now(recognition_id)
        return compare(item.recognition.recognition.content, fitted(content, item.page, item.content))

    def _save(self, change: _Change) -> Saved:
        # Comparing takes longest and waits for nobody; the transaction then checks that this item is still the newest.
        item = self.open_now(change.recognition_id)
        content = fitted(change.content, item.page, item.content)
        difference = compare(item.recognition.recognition.content, content)
        with self._store.transaction():
            before = change.client_key and self._store.reviews.saved_with(change.recognition_id, change.client_key)
            if before:
                return self._saved_before(before, item, content)
            version = self._version(change, item, content, difference)
            now = self._store.reviews.get(change.recognition_id).review
            review = _judged(change, now, difference, version)
            stored = self._store.reviews.set(change.recognition_id, review, change.base_revision, change.client_key)
        _count(now.state, review.state)
        return _saved(stored, version, difference.edit_distance, difference.cer)

    def _version(self, change: _Change, item: Item, content: PageContent, difference: Difference) -> int:
        """The version that holds `content`: a new one, or the newest where it says the same."""
        self._store.corrections.check_base(change.recognition_id, change.base_version)
        newest = item.correction.correction.version if item.correction else 0
        if newest == change.base_version and same(content, item.content):
            return newest
        added = self._store.corrections.add(
            change.recognition_id,
            change.base_version,
            content,
            change.person,
            change.client_key,
            difference.edit_distance,
            difference.cer,
        )
        return added.correction.version

    def _saved_before(self, before: StoredReview, item: Item, content: PageContent) -> Saved:
        version = before.review.correction_version
        correction = self._store.corrections.get(before.recognition_id, version)
        value = correction.correction if correction else None
        if not same(content, value.content if value else item.recognition.recognition.content):
            raise key_reused()
        return _saved(before, version, value.edit_distance if value else 0, value.cer if value else 0.0)

    def _move(
        self,
        recognition_id: int,
        state: State,
        person: Person,
        note: str | None,
        client_key: str,
        base_revision: int | None,
    ) -> StoredReview:
        with self._store.transaction():
            now = self._store.reviews.get(recognition_id).review
            wanted = replace(now, state=state, person=person.name, note=now.note if note is None else note)
            stored = self._store.reviews.set(recognition_id, wanted, base_revision, client_key)
        _count(now.state, state)
        return stored


def _count(before: State, after: State) -> None:
    if before != after and after in REVIEWED:
        REVIEWS.labels(after.value).inc()


def _judged(change: _Change, before: Review, difference: Difference, version: int) -> Review:
    verdict = change.verdict or before.verdict
    if difference.changed and verdict is Verdict.RIGHT:
        verdict = Verdict.WRONG if change.verdict else None
    if (
        change.verdict is None
        and before.verdict is Verdict.WRONG
        and before.correction_version
        and not difference.changed
    ):
        verdict = None  # it was wrong because it had been corrected, and the corrections are taken back
    kinds = difference.kinds if change.error_kinds is None else change.error_kinds
    return replace(
        before,
        verdict=verdict,
        state=change.state or (State.SUBMITTED if change.verdict else State.IN_PROGRESS),
        error_kinds=() if verdict is Verdict.RIGHT else kinds,
        note=before.note if change.note is None else change.note,
        person=change.person.name,
        correction_version=version,
    )


def _saved(stored: StoredReview, version: int, distance: int, cer: float) -> Saved:
    review = stored.review
    return Saved(
        version, stored.revision, review.verdict, review.state, distance, cer, review.error_kinds, stored.updated_at
    )


def fitted(content: PageContent | dict[str, Any], page: StoredPage, newest: PageContent) -> PageContent:
    """Content that can be stored for this page: checked, boxes inside the picture, the text following the lines."""
    fit = checked(content, page.page.width, page.page.height)
    follows = newest.text == _joined(newest) and fit.text in ("", newest.text)
    return replace(fit, text=_joined(fit)) if follows else fit


def _joined(content: PageContent) -> str:
    return "\n".join(line.text for line in content.lines)


def checked_verdict(value: Verdict | str | None) -> Verdict | None:
    return _choice(Verdict, value, "unknown_verdict") if value else None


def checked_kinds(values: Sequence[ErrorKind | str] | None) -> tuple[ErrorKind, ...] | None:
    if values is None:
        return None
    chosen = {_choice(ErrorKind, value, "unknown_error_kind") for value in values}
    return tuple(kind for kind in ErrorKind if kind in chosen)


def _choice(choices: Any, value: Any, code: str) -> Any:
    try:
        return choices(value)
    except ValueError as error:
        allowed = ", ".join(choices)
        raise BadInput(
            code,
            f"{str(value)[:80]!r} is not a choice.",
            f"Choose one of: {allowed}.",
            value=str(value)[:80],
            allowed=allowed,
        ) from error


def checked_note(note: str | None) -> str | None:
    if note is not None and len(note) > LONGEST_NOTE:
        raise BadInput(
            "note_too_long",
            f"The note has {len(note)} characters.",
            f"At most {LONGEST_NOTE} are kept.",
            length=len(note),
            limit=LONGEST_NOTE,
        )
    return note


def checked_key(client_key: str) -> str:
    if len(client_key) > LONGEST_KEY or not client_key.isprintable():
        raise BadInput(
            "bad_client_key",
            f"A key has at most {LONGEST_KEY} printable characters.",
            "Send a shorter one.",
            limit=LONGEST_KEY,
        )
    return client_key
