"""Batches as plain JSON values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ocr_ui.domain.exact_json import dumps
from ocr_ui.domain.job import PRIORITIES
from ocr_ui.services.jobs import JobProgress
from ocr_ui.storage.items import Filters, WholeItem
from ocr_ui.storage.records import FailedTask
from ocr_ui.storage.store import Store

_PRIORITY_OF = {number: name for name, number in PRIORITIES.items()}


def job_value(progress: JobProgress) -> dict[str, Any]:
    """How far a batch is; `reason` and the errors of `failures` are errors in the one form."""
    job, totals = progress.job, progress.totals
    return {
        "job": job.id,
        "name": job.name,
        "person": job.person,
        "state": progress.state,
        "priority": _PRIORITY_OF.get(job.priority, "normal"),
        "created_at": job.created_at.isoformat(),
        "ended_at": job.ended_at.isoformat() if job.ended_at else None,
        "template": job.asked["template"],
        "engine": job.asked["engine"],
        "pages": job.asked["pages"],
        "webhook": job.asked["webhook"],
        "rules": job.asked["rules"],
        "reason": job.reason,
        "total": totals.total,
        "waiting": totals.waiting,
        "running": totals.running,
        "done": totals.done,
        "failed": totals.failed,
        "cancelled": totals.cancelled,
        "unopened": totals.unopened,
        "retryable": totals.retryable,
        "engine_seconds": totals.seconds,
        "pages_per_second": totals.per_second if progress.state == "running" else None,
        "seconds_left": progress.seconds_left,
        "failures": [_failure(one) for one in progress.failures],
        "routes": [
            {
                "route": one.route,
                "pages": one.pages,
                "seconds": one.seconds,
                "second_seconds": one.second_seconds,
            }
            for one in progress.routes
        ],
    }


def _failure(one: FailedTask) -> dict[str, Any]:
    return {"file": one.file, "page": one.number or None, "again": one.again, "error": one.error}


def result_pieces(store: Store, progress: JobProgress) -> Iterator[bytes]:
    """The batch with its pages as they are now, as one JSON object in pieces; holds a few pages in memory."""
    head = dumps(job_value(progress)).encode()
    yield head[:-1] + b',"pages_read":['
    comma = b""
    for item in store.items.each(Filters(jobs=(progress.job.id,))):
        yield comma + dumps(_page(item)).encode()
        comma = b","
    yield b"]}"


def _page(item: WholeItem) -> dict[str, Any]:
    content = item.correction.content if item.correction else item.recognition.content
    return {
        "item": item.id,
        "file": item.document,
        "page": item.page.number,
        "picture": item.page.sha256,
        "width": item.page.width,
        "height": item.page.height,
        "engine": item.recognition.engine.title,
        "outcome": item.recognition.outcome,
        "seconds": item.recognition.generation.seconds,
        "corrected": item.correction is not None,
        **content.to_dict(),
    }
