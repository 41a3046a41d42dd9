"""Server-sent events, JSON Lines, and the end of work that nobody waits for any more."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, TypeVar

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from ocr_ui.domain.exact_json import dumps

CLIENT_GONE = 499
"""Never seen by anybody; logs and counters tell it from real answers (nginx's number for it)."""
NO_BUFFERING = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""A proxy that collected the events would hide that they come."""
BEAT = b": \n\n"
"""A comment: says nothing, and shows that somebody is still there."""

Step = TypeVar("Step")


def event(data: Any, name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {dumps(data)}\n\n".encode()


def event_stream(pieces: AsyncIterator[bytes]) -> StreamingResponse:
    return StreamingResponse(pieces, media_type="text/event-stream", headers=NO_BUFFERING)


def json_lines(values: AsyncIterator[dict[str, Any]]) -> StreamingResponse:
    """Each value as a line of JSON, when it comes. A client that goes ends them."""

    async def lines() -> AsyncIterator[bytes]:
        async with aclosing(values) as found:  # type: ignore[type-var]
            async for value in found:
                text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
                yield text.encode("utf-8", "backslashreplace") + b"\n"

    return StreamingResponse(lines(), media_type="application/x-ndjson")


async def after(first: Step, rest: AsyncIterator[Step]) -> AsyncIterator[Step]:
    """`first`, which was waited for while the answer could still be an error, and then the rest."""
    async with aclosing(rest) as steps:  # type: ignore[type-var]
        yield first
        async for step in steps:
            yield step


class Gone(Exception):
    """The client has closed its connection."""


async def while_there(request: Request, steps: AsyncIterator[Step]) -> AsyncIterator[Step]:
    """The steps, as long as the client waits for the answer. Raises Gone; the work is ended then."""
    async with aclosing(steps) as found:  # type: ignore[type-var]
        async for step in found:
            yield step
            if await request.is_disconnected():
                raise Gone


def nobody_there() -> Response:
    return Response(status_code=CLIENT_GONE)
