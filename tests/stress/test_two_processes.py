"""Two processes of the server on one PostgreSQL database share a batch; one is killed in the middle of it."""

from __future__ import annotations

import os
from pathlib import Path

import httpx
import pytest
from live import until
from processes import running
from stored import png

pytestmark = [pytest.mark.stress, pytest.mark.postgresql_only]
PAGES = 60
LEASE_SECONDS = 30


def test_a_batch_of_two_processes_is_read_once_though_one_is_killed(tmp_path: Path) -> None:
    shared = {"OCR_UI_DATABASE_URL": os.environ["OCR_UI_DATABASE_URL"], "OCR_UI_BATCH_AT_ONCE": "2"}
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    # Both have the data folder of the first one; the second has its messages in a folder of its own.
    shared["OCR_UI_DATA_DIR"] = str(tmp_path / "data")
    with (
        running(tmp_path / "first", 0.2, **shared) as (first, at_first),
        running(tmp_path / "second", 0.2, **shared) as (_, at_second),
    ):
        files = [("files", (f"{shade}.png", png(shade), "image/png")) for shade in range(PAGES)]
        job = httpx.post(f"{at_first}/v1/jobs", files=files, timeout=60).json()["job"]

        def progress() -> dict:
            return httpx.get(f"{at_second}/v1/jobs/{job}", timeout=60).json()

        until(lambda: progress()["done"] >= PAGES // 3, 120)
        first.kill()
        until(lambda: progress()["state"] == "done", LEASE_SECONDS + 120)
        told = progress()
        assert (told["done"], told["failed"]) == (PAGES, 0)
        assert httpx.get(f"{at_second}/v1/recognitions", timeout=60).json()["total"] == PAGES
