"""The few ways in which a request fails. Each error says what the person can do about it.

An error carries a `code` (stable, for programs and for the table of words in `ocr_ui.ui.texts`), a `message`
and a `hint` in English, and the `details` that a translated sentence is filled with.
"""

from __future__ import annotations

import json
from typing import Any


class WorkbenchError(Exception):
    """Base of all errors that are told to a person.

    Args:
        code: stable name of the failure, lower_snake_case, for example ``too_many_bytes``.
        message: one English sentence saying what is wrong.
        hint: one English sentence saying what to do; may be empty.
        details: values that the sentence in another language is filled with.
    """

    status = 500

    def __init__(self, code: str, message: str, hint: str = "", **details: Any) -> None:
        super().__init__(f"{message} {hint}".strip())
        self.code = code
        self.message = message
        self.hint = hint
        self.details = details


NO_CODE = ""
"""Of an error that was stored as its English sentence alone."""


def noted(error: WorkbenchError | None) -> str:
    """An error as it is stored, so that it can be told in any language later; empty for none."""
    if error is None:
        return ""
    value = {"code": error.code, "message": error.message, "hint": error.hint, "details": error.details}
    return json.dumps(value, ensure_ascii=False, default=str)


def of_note(note: str) -> WorkbenchError | None:
    """What `noted` gave; of before there was one, the English sentence alone is known."""
    if not note:
        return None
    try:
        value = json.loads(note)
        return WorkbenchError(value["code"], value["message"], value["hint"], **value["details"])
    except (ValueError, KeyError, TypeError):
        return WorkbenchError(NO_CODE, note)


def noted_line(note: str) -> str:
    """What `noted` gave as a line of the command line: the English sentence, and the code where one is known."""
    error = of_note(note)
    return f"{error} ({error.code})" if error and error.code else note


class BadInput(WorkbenchError):
    """What was handed in cannot be used: not a picture, an unknown template, a missing variable."""

    status = 400


class NotFound(WorkbenchError):
    """There is no such page, recognition or template."""

    status = 404


class Conflict(WorkbenchError):
    """Somebody else saved in the meantime; nothing of either is lost."""

    status = 409


class TooLarge(BadInput):
    """A picture or upload over a limit."""

    status = 413


class TooSlow(BadInput):
    """A request that stopped on its way."""

    status = 408


class Infected(BadInput):
    """The virus scanner found something in the file; nothing of it is kept."""


class ScannerAway(WorkbenchError):
    """The virus scanner does not answer: nothing is taken in until it does."""

    status = 503


class NotLoggedIn(WorkbenchError):
    """Nobody has said who asks, or the name and its secret do not belong together."""

    status = 401


class NotAllowed(WorkbenchError):
    """Whoever asks may not do this."""

    status = 403


class TooMany(WorkbenchError):
    """More requests than one person may send in a time; `details["seconds"]` says how long to wait."""

    status = 429


class TooLate(WorkbenchError):
    """The work took longer than a request may; what had come of it may be kept."""

    status = 504


class EngineBusy(WorkbenchError):
    """The engine is loading or its queue is full: try again."""

    status = 503


class EngineFailed(WorkbenchError):
    """This one request failed in the engine; the same request may go through later."""

    status = 502


class EngineDead(WorkbenchError):
    """The engine is gone or cannot be made here; trying again does not help until it is restarted or installed."""

    status = 503


class StoreFailed(WorkbenchError):
    """The data folder cannot be read or written: full, read-only, locked or broken. Nothing was half-written."""

    status = 503


class PushFailed(WorkbenchError):
    """The other side of a push did not take all of it; the same push goes on where it broke off."""

    status = 502


def internal(request: str) -> WorkbenchError:
    """What a person is told where something went wrong that nobody expected.

    Args:
        request: the id under which the log has what it was.
    """
    name = request or "ERROR"
    hint = f"The log has the whole error under {name}."
    return WorkbenchError("internal", "Something went wrong in the server. Try again.", hint, request=name)
