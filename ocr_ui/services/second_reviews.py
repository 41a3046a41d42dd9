"""A page reviewed by a second person, how far the two agree, and one page made of both where they do not."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.content import Field, PageContent, Table, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.person import Person
from ocr_ui.domain.review import REVIEWED, Correction, ErrorKind, Review, Verdict
from ocr_ui.domain.second import Choice, SecondReview
from ocr_ui.errors import BadInput, Conflict, NotFound
from ocr_ui.scoring.differences import compare
from ocr_ui.scoring.merging import Part, Value, agreement, merged, parts
from ocr_ui.scoring.segments import segments
from ocr_ui.services.access import needs
from ocr_ui.services.annotate import (
    Annotator,
    Item,
    Saved,
    checked_key,
    checked_kinds,
    checked_note,
    checked_verdict,
    fitted,
)
from ocr_ui.storage import people
from ocr_ui.storage.records import AgreementRow, StoredCorrection, StoredReview, StoredSecondReview
from ocr_ui.storage.store import Store

TAKES = ("first", "second", "own")


@dataclass(frozen=True, slots=True)
class Begun:
    """An item as a second person gets it: the model's output where blind, else the first review, or what the same
    person has saved of it before.

    Attributes:
        item: without anything of the first review where blind.
        first: the first review, None where blind.
    """

    item: Item
    blind: bool
    first: Review | None


@dataclass(frozen=True, slots=True)
class Dispute:
    """Attributes: item: as the first left it; second: the review that differs from it; parts: see `scoring.merging`."""

    item: Item
    second: StoredSecondReview
    parts: tuple[Part, ...]


class SecondReviewer:
    """Second reviews of a store."""

    def __init__(self, store: Store, annotator: Annotator) -> None:
        self._store, self._annotator = store, annotator

    @needs(Action.ANNOTATE)
    async def begin(self, recognition_id: int, person: Person, blind: bool = True) -> Begun:
        """Raises as `save`, the checks of the content apart."""
        return await asyncio.to_thread(self._begin, recognition_id, person, blind)

    @needs(Action.ANNOTATE, audited="second_review.save")
    async def save(
        self,
        recognition_id: int,
        content: PageContent | dict[str, Any],
        person: Person,
        blind: bool,
        verdict: Verdict | str | None = None,
        error_kinds: Sequence[ErrorKind | str] | None = None,
        note: str | None = None,
        client_key: str = "",
    ) -> StoredSecondReview:
        """Keeps what a second person says of a page, with how far it agrees with the first. The item stays as it is.

        Args:
            verdict: None for what the content says: right where it is the model's, else wrong.
            error_kinds: None to take those found by comparison with the model's output.

        Raises:
            BadInput: `name_needed`, `same_person` (details: person), `not_reviewed`: nobody has reviewed the item yet;
                and as `Annotator.save_correction`.
            NotFound: `unknown_recognition`.
            StoreFailed: nothing was stored.
        """
        checked = checked_verdict(verdict), checked_kinds(error_kinds), checked_note(note), checked_key(client_key)
        return await asyncio.to_thread(self._save, recognition_id, content, person, blind, *checked)

    @needs(Action.READ)
    async def agreement(self) -> dict[str, list[AgreementRow]]:
        """Per pair of people and per template, of the second reviews that stand."""
        return await asyncio.to_thread(self._agreement)

    @needs(Action.READ)
    async def dispute(self, recognition_id: int) -> Dispute:
        """Raises NotFound (`unknown_recognition`, `no_second_review`)."""
        return await asyncio.to_thread(self._dispute, recognition_id)

    @needs(Action.REVIEW, audited="dispute.resolve")
    async def resolve(
        self,
        recognition_id: int,
        second_id: int,
        base_version: int,
        choices: Mapping[int, Choice],
        person: Person,
        verdict: Verdict | str | None = None,
        client_key: str = "",
    ) -> Saved:
        """Makes one page of both and stores it as a correction, with what was chosen.

        Args:
            second_id, base_version: the two versions that the choices are about.
            choices: by the index of each part of the dispute that differs.
            verdict: None for what the page says.

        Raises:
            BadInput: `choice_missing` (details: part), `bad_choice` (details: part, take), and those of
                `Annotator.save_correction`.
            Conflict: `edited_meanwhile`; `second_meanwhile`, there is a newer second review.
            NotFound: see `dispute`.
        """
        arguments = recognition_id, second_id, base_version, choices, person
        return await asyncio.to_thread(self._resolve, *arguments, checked_verdict(verdict), checked_key(client_key))

    def _begin(self, recognition_id: int, person: Person, blind: bool) -> Begun:
        with self._store.one_moment():
            item = self._annotator.open_now(recognition_id)
            mine = self._store.second_reviews.by(recognition_id, person)
        _check_person(item, person)
        first = item.review.review
        if mine is not None:
            shown = Correction(mine.review.content, 0, mine.review.person)
            correction = StoredCorrection(recognition_id, mine.saved_at, shown)
            blind = blind and mine.review.blind  # what has once been seen stays seen
        else:
            correction = None if blind else item.correction
        own = (
            Review(mine.review.verdict, error_kinds=mine.review.error_kinds, note=mine.review.note)
            if mine
            else Review()
        )
        untouched = StoredReview(recognition_id, 0, 0, item.review.updated_at, own)
        return Begun(replace(item, correction=correction, review=untouched), blind, None if blind else first)

    def _save(
        self,
        recognition_id: int,
        given: PageContent | dict[str, Any],
        person: Person,
        blind: bool,
        verdict: Verdict | None,
        kinds: tuple[ErrorKind, ...] | None,
        note: str | None,
        client_key: str,
    ) -> StoredSecondReview:
        with self._store.transaction():
            item = self._annotator.open_now(recognition_id)
            _check_person(item, person)
            content = fitted(given, item.page, item.content)
            difference = compare(item.recognition.recognition.content, content)
            said = Verdict.WRONG if difference.changed else verdict or Verdict.RIGHT
            found = difference.kinds if kinds is None else kinds
            between = agreement(item.content, content)
            first = item.review.review
            value = SecondReview(
                content=content,
                person=people.clean(person),
                blind=blind,
                first_version=item.review.latest_version,
                first_person=first.person,
                first_verdict=first.verdict,
                agreement=between,
                disputed=bool(between.differing) or (first.verdict is not None and said is not first.verdict),
                verdict=said,
                error_kinds=() if said is Verdict.RIGHT else found,
                note=note or "",
            )
            return self._store.second_reviews.add(recognition_id, value, client_key)

    def _agreement(self) -> dict[str, list[AgreementRow]]:
        with self._store.one_moment():
            return {group: self._store.second_reviews.agreement(group) for group in ("pair", "template")}

    def _dispute(self, recognition_id: int) -> Dispute:
        with self._store.one_moment():
            item = self._annotator.open_now(recognition_id)
            second = self._store.second_reviews.newest(recognition_id)
        if second is None:
            raise NotFound("no_second_review", "Nobody else has reviewed this page.", "Ask for a second review first.")
        return Dispute(item, second, parts(item.content, second.review.content))

    def _resolve(
        self,
        recognition_id: int,
        second_id: int,
        base_version: int,
        choices: Mapping[int, Choice],
        person: Person,
        verdict: Verdict | None,
        client_key: str,
    ) -> Saved:
        with self._store.transaction():
            dispute = self._dispute(recognition_id)
            ended = dispute.second.resolution
            again = client_key and self._store.reviews.saved_with(recognition_id, client_key)
            if dispute.second.id != second_id:
                raise Conflict(
                    "second_meanwhile",
                    f"{dispute.second.review.person} reviewed this page while you were merging it.",
                    "Look at the page once more.",
                    person=dispute.second.review.person,
                )
            if again and ended:
                said = again.review
                value = dispute.item.correction.correction if dispute.item.correction else None
                figures = (value.edit_distance, value.cer) if value else (0, 0.0)
                return Saved(
                    ended.version,
                    again.revision,
                    said.verdict,
                    said.state,
                    *figures,
                    said.error_kinds,
                    again.updated_at,
                )
            self._store.corrections.check_base(recognition_id, base_version)
            _check_choices(dispute.parts, choices)
            content = merged(dispute.item.content, dispute.second.review.content, choices)
            right = verdict or Verdict.RIGHT  # a page that differs from the model's output is stored as wrong
            saved = self._annotator.save_now(
                recognition_id, base_version, content, right, person=person, client_key=client_key
            )
            kept = [
                {"part": n, "take": choices[n].take, "text": choices[n].text}
                for n, part in enumerate(dispute.parts)
                if part.differs
            ]
            self._store.second_reviews.resolve(second_id, person, saved.version, kept)
            return saved


def _check_person(item: Item, person: Person) -> None:
    name = people.clean(person)
    if not name:
        raise BadInput("name_needed", "A second review needs a name.", "Type your name first.")
    if item.review.review.state not in REVIEWED:
        raise BadInput("not_reviewed", "Nobody has reviewed this page yet.", "Review it first, or take another page.")
    first = item.review.review.person
    if name == first:
        raise BadInput(
            "same_person", f"{name} reviewed this page first.", "A second review is another person's.", person=name
        )


def _check_choices(found: Sequence[Part], choices: Mapping[int, Choice]) -> None:
    for n, part in enumerate(found):
        if not part.differs:
            continue
        choice = choices.get(n)
        if choice is None:
            raise BadInput("choice_missing", "A difference is undecided.", "Choose for each difference.", part=n)
        own = part.kind in ("line", "field", "text")
        if choice.take not in TAKES or (choice.take == "own" and not own):
            raise BadInput(
                "bad_choice",
                f"{choice.take[:20]!r} cannot be chosen here.",
                "Choose one side.",
                part=n,
                take=choice.take[:20],
            )


def second_value(value: StoredSecondReview) -> dict[str, Any]:
    """Plain JSON values of a second review, without its page."""
    review = value.review
    return {
        "id": value.id,
        "person": review.person,
        "blind": review.blind,
        "saved_at": value.saved_at.isoformat(),
        "verdict": review.verdict,
        "error_kinds": list(review.error_kinds),
        "note": review.note,
        "first": {"person": review.first_person, "version": review.first_version, "verdict": review.first_verdict},
        "agreement": {
            "cer": review.agreement.cer,
            "box_f1": review.agreement.box_f1,
            "fields": review.agreement.fields,
            "differing": review.agreement.differing,
        },
        "disputed": review.disputed,
        "resolved": value.resolution
        and {
            "person": value.resolution.person,
            "at": value.resolution.at.isoformat(),
            "version": value.resolution.version,
        },
    }


def dispute_value(dispute: Dispute) -> dict[str, Any]:
    """Plain JSON values, for the page: both reviews, and each part with its texts in pieces."""
    item, page = dispute.item, dispute.item.page.page
    review = item.review.review
    return {
        "item": item.recognition.id,
        "picture": {"url": f"/pictures/{page.sha256}", "width": page.width, "height": page.height, "name": page.name},
        "version": item.review.latest_version,
        "first": {"person": review.person, "verdict": review.verdict, "note": review.note},
        "second": second_value(dispute.second),
        "parts": [_part(part) for part in dispute.parts],
    }


def _kind(value: Value) -> str | None:
    return value.kind if isinstance(value, Field) else None


def _part(part: Part) -> dict[str, Any]:
    one, other = _text(part.first), _text(part.second)
    if one is None or other is None or part.kind in ("order", "regions"):
        pieces = tuple(None if text is None else ((text, True),) for text in (one, other))
    else:
        pieces = segments(one, other)
    return {
        "kind": part.kind,
        "name": part.name,
        "state": part.state,
        "own": part.kind in ("line", "field", "text"),
        "left": pieces[0] and [list(piece) for piece in pieces[0]],
        "right": pieces[1] and [list(piece) for piece in pieces[1]],
        "left_kind": _kind(part.first),
        "right_kind": _kind(part.second),
        "left_quad": _points(part.first),
        "right_quad": _points(part.second),
    }


def _text(value: Any) -> str | None:
    if isinstance(value, TextLine):
        return value.text
    if isinstance(value, Field):
        return value.value
    if isinstance(value, Table):
        return "\n".join(" | ".join(row) for row in value.grid)
    if isinstance(value, tuple):
        return "\n".join(entry.text for entry in value)
    return value


def _points(value: Any) -> list[list[float]] | None:
    quad: Quad | None = getattr(value, "quad", None)
    return None if quad is None else [list(point) for point in quad.points]


def agreement_value(row: AgreementRow) -> dict[str, Any]:
    return {
        "names": list(row.names),
        "items": row.items,
        "same": row.same,
        "disputes": row.disputes,
        "cer": row.cer,
        "box_f1": row.box_f1,
        "fields": row.fields,
    }
