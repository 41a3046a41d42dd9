"""What keeps background work waiting is told once, and asked about less and less often."""

from __future__ import annotations

import logging

import pytest

from ocr_ui.errors import StoreFailed
from ocr_ui.services.outage import LONGEST_SECONDS, LOOK_SECONDS, Outage

AWAY, FULL = StoreFailed("database_away", "It is away.", ""), StoreFailed("disk_full", "It is full.", "")


def test_it_is_told_once_until_it_changes_or_is_over(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    outage = Outage("batches", logging.getLogger("test.outage"))
    pauses = []
    for _ in range(6):
        outage.tell(AWAY)
        outage.tell(AWAY)
        pauses.append(outage.pause())
    outage.tell(FULL)
    outage.pause()
    assert outage.pause() == LOOK_SECONDS
    assert outage.pause() == LOOK_SECONDS
    outage.tell(FULL)
    assert pauses == [1, 2, 4, 8, LONGEST_SECONDS, LONGEST_SECONDS]
    assert [line.split(":")[0] for line in caplog.messages] == [
        "batches wait",
        "batches wait",
        "batches go on",
        "batches wait",
    ]
    assert "away" in caplog.messages[0]
    assert "full" in caplog.messages[1]
