"""Working through a list: what is next, whose it is, how fast it goes, and lists kept under a name."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from ocr_ui.domain.person import Person
from ocr_ui.domain.review import State
from ocr_ui.errors import BadInput
from ocr_ui.services.access import own, who
from ocr_ui.services.queue import LONGEST_NAME, MOST_CANDIDATES
from ocr_ui.services.workbench import Workbench

_OWN = {"sort", "person", "since_today"}


class Held(BaseModel):
    """Who asks: a browser tab, by a text that it made up, and the name typed there."""

    holder: str = Field(min_length=8, max_length=64)
    person: str = Field("", max_length=200)

    @property
    def who(self) -> Person:
        return who(self.person)


class TakeBody(Held):
    """Candidates in order; `query` are the filters that an item must still pass, null for none; `alive` the holders
    that are known to be at work, whose items are not free for the same person elsewhere."""

    items: list[int] = Field(max_length=MOST_CANDIDATES)
    query: dict[str, Any] | None = None
    alive: list[str] = Field(default=[], max_length=200)


class WorkBody(Held):
    """Items that are being worked on or loaded ahead; `seconds` of work on item `at` so far, without idle time."""

    items: list[int] = Field(default=[], max_length=MOST_CANDIDATES)
    at: int | None = None
    seconds: float = Field(0, ge=0)


class ReleaseBody(Held):
    items: list[int] | None = None


class StateBody(BaseModel):
    state: State
    person: str = Field("", max_length=200)
    note: str | None = None
    client_key: str = Field(min_length=8, max_length=64)
    base_revision: int | None = None


class FilterBody(BaseModel):
    name: str = Field(max_length=LONGEST_NAME)
    query: dict[str, Any]
    person: str = Field("", max_length=200)


class NameBody(BaseModel):
    name: str


def queue_routes(workbench: Workbench) -> APIRouter:
    routes = APIRouter(tags=["queue"])
    queue = workbench.queue

    @routes.get("/v1/queue")
    async def items(request: Request) -> dict:
        """The numbers of the items that the filters in the query choose, in the order `sort`, at most 10,000 of them,
        and the pace of `person` since `since_today`, the beginning of the day where that person is (ISO 8601)."""
        query = request.query_params
        filters = {key: query.getlist(key) for key in query if key not in _OWN}
        single = {key: values[0] if len(values) == 1 else values for key, values in filters.items()}
        line = await queue.items(single, query.get("sort") or "newest", _person(query), _since(query))
        return {"items": list(line.items), "total": line.total, **_pace(line.pace)}

    @routes.get("/v1/pace")
    async def pace(request: Request) -> dict:
        """How many items `person` has finished since `since_today`, and how many that is in an hour of work."""
        return _pace(await queue.pace(_person(request.query_params), _since(request.query_params)))

    @routes.post("/v1/queue/take")
    async def take(body: TakeBody) -> dict:
        """Claims the first of the items that nobody else has and that the query still chooses; `item` is null where
        there is none. No two that ask get the same."""
        taken = await queue.take(
            body.items, body.query, own(body.holder), body.who, [own(holder) for holder in body.alive]
        )
        return {"item": taken and taken.recognition_id, "until": taken and taken.until.isoformat()}

    @routes.get("/v1/items/{recognition_id}/claim")
    async def holder(recognition_id: int) -> dict:
        """Who has this item now, and until when; both null where nobody has."""
        claim = (await queue.claims([recognition_id])).get(recognition_id)
        return {"person": claim and claim.person, "until": claim and claim.until.isoformat()}

    @routes.post("/v1/items/{recognition_id}/claim")
    async def take_one(recognition_id: int, body: Held) -> dict:
        """Claims this item; 409 says who has it and until when."""
        taken = await queue.take_one(recognition_id, own(body.holder), body.who)
        return {"item": taken.recognition_id, "until": taken.until.isoformat()}

    @routes.post("/v1/queue/work")
    async def work(body: WorkBody) -> dict:
        """A sign of work: the claims get their full time again, and the time of work so far is kept. `lost` are the
        items that somebody else has taken since, after a long pause."""
        until, claims = await queue.work(body.items, own(body.holder), body.who, body.at, body.seconds)
        lost = [claim for claim in claims.values() if claim.holder != own(body.holder)]
        told = [{"item": c.recognition_id, "person": c.person, "until": c.until.isoformat()} for c in lost]
        return {"until": until.isoformat(), "lost": told}

    @routes.post("/v1/queue/release")
    async def release(body: ReleaseBody) -> dict:
        """Gives claimed items back, all where none are named."""
        await queue.release(own(body.holder), body.items)
        return {}

    @routes.post("/v1/items/{recognition_id}/state")
    async def move(recognition_id: int, body: StateBody) -> dict:
        """Moves an item to another state; verdict and page stay."""
        stored = await workbench.annotator.set_state(
            recognition_id, body.state, who(body.person), body.note, body.client_key, body.base_revision
        )
        return {
            "state": stored.review.state,
            "revision": stored.revision,
            "verdict": stored.review.verdict,
            "saved_at": stored.updated_at.isoformat(),
        }

    @routes.get("/v1/items/{recognition_id}/time")
    async def time(recognition_id: int) -> dict:
        """Seconds of work on the item, without idle time, by person."""
        return {"seconds": await queue.seconds(recognition_id)}

    @routes.get("/v1/saved-filters")
    async def saved() -> dict:
        """Filters and orders that were saved under a name, for everybody."""
        return {
            "filters": [
                {"name": f.name, "query": f.query, "person": f.person, "saved_at": f.saved_at.isoformat()}
                for f in await queue.saved()
            ]
        }

    @routes.post("/v1/saved-filters")
    async def save(body: FilterBody) -> dict:
        """Saves filters, and `sort`, under a name; an older one of that name is replaced."""
        await queue.save(body.name, body.query, who(body.person))
        return {}

    @routes.post("/v1/saved-filters/remove")
    async def remove(body: NameBody) -> dict:
        await queue.remove(body.name)
        return {}

    return routes


def _pace(pace: Any) -> dict:
    return {"done": pace.done, "seconds": pace.seconds, "per_hour": pace.per_hour}


def _person(query: Any) -> Person:
    return who(query.get("person", ""))


def _since(query: Any) -> datetime:
    """The moment named, else the beginning of the day in UTC."""
    given = query.get("since_today", "")
    if not given:
        return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        moment = datetime.fromisoformat(given)
    except ValueError as error:
        told = {"name": "since_today", "value": given[:80]}
        raise BadInput("bad_date", f"{given[:80]!r} is not a date.", "Write it as 2026-01-31.", **told) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
