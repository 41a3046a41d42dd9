"""What people tell each other beside the work: comments on lines and pages, and the guidelines of the project."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from ocr_ui.domain.access import Action
from ocr_ui.domain.person import Person
from ocr_ui.errors import BadInput, NotFound
from ocr_ui.render.markdown import render_markdown
from ocr_ui.services.access import needs
from ocr_ui.services.annotate import checked_key
from ocr_ui.storage.records import Comment, Guidelines
from ocr_ui.storage.store import Store

LONGEST_COMMENT = 10_000
LONGEST_GUIDELINES = 200_000
LONGEST_LINE_ID = 200


@dataclass(frozen=True, slots=True)
class ShownGuidelines:
    """Attributes: html: safe markup of the text."""

    guidelines: Guidelines
    html: str


class Talk:
    def __init__(self, store: Store) -> None:
        self._store = store

    @needs(Action.READ)
    async def comments(self, recognition_id: int) -> list[Comment]:
        """All of an item, oldest first."""
        return await asyncio.to_thread(self._store.comments.of, recognition_id)

    @needs(Action.ANNOTATE, audited="comment.add")
    async def comment(
        self, recognition_id: int, text: str, person: Person, line_id: str = "", client_key: str = ""
    ) -> Comment:
        """Adds a comment on a line, or on the page where `line_id` is empty.

        Raises:
            BadInput: `empty_comment`, `text_too_long` (details: length, limit), `bad_client_key`, `client_key_reused`.
            NotFound: `unknown_recognition`.
        """
        if not text.strip():
            raise BadInput("empty_comment", "The comment is empty.", "Write what others should know.")
        _check_length(text, LONGEST_COMMENT)
        _check_length(line_id, LONGEST_LINE_ID)
        arguments = recognition_id, line_id, text.strip(), person, checked_key(client_key)
        return await asyncio.to_thread(self._store.comments.add, *arguments)

    @needs(Action.READ)
    async def guidelines(self, version: int | None = None) -> ShownGuidelines:
        """Raises NotFound (`no_such_guidelines`)."""
        return await asyncio.to_thread(self._guidelines, version)

    @needs(Action.READ)
    async def versions(self) -> list[Guidelines]:
        """All versions, newest first."""
        return await asyncio.to_thread(self._store.comments.versions)

    @needs(Action.REVIEW, audited="guidelines.write", target=lambda base, _: base + 1)
    async def write(self, base_version: int, text: str, person: Person) -> ShownGuidelines:
        """Stores Markdown as the version after `base_version`.

        Raises:
            Conflict: `guidelines_changed`.
            BadInput: `text_too_long` (details: length, limit).
        """
        _check_length(text, LONGEST_GUIDELINES)
        return _shown(await asyncio.to_thread(self._store.comments.write_guidelines, base_version, text, person))

    def _guidelines(self, version: int | None) -> ShownGuidelines:
        found = self._store.comments.guidelines(version)
        if version and found.version != version:
            raise NotFound(
                "no_such_guidelines", f"There is no version {version} of the guidelines.", "Choose one of the list."
            )
        return _shown(found)


def _shown(guidelines: Guidelines) -> ShownGuidelines:
    return ShownGuidelines(guidelines, render_markdown(guidelines.text))


def _check_length(text: str, limit: int) -> None:
    if len(text) > limit:
        told = {"length": len(text), "limit": limit}
        raise BadInput("text_too_long", f"The text has {len(text)} characters.", f"At most {limit} are kept.", **told)
