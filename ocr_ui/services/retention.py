"""Old pictures go; what was read of them and corrected stays. Files that were handed in go when nothing needs them."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, timedelta

from ocr_ui.errors import WorkbenchError
from ocr_ui.storage.store import Store

log = logging.getLogger(__name__)

EVERY_SECONDS = 3_600.0


class Retention:
    """Args: days: that a picture stays since the newest page with it came in; 0 for ever."""

    def __init__(self, store: Store, days: int) -> None:
        self._store, self._days = store, days
        self._task: asyncio.Task[None] | None = None

    def sweep_now(self) -> int:
        """Removes the files of old pictures and their small copies; gives how many pictures."""
        before = datetime.now(UTC) - timedelta(days=self._days)
        removed = sum(self._store.pictures.remove(sha256) for sha256 in self._store.pages.pictures_before(before))
        if removed:
            self._store.audit.add("", "retention", "", "pictures.remove", str(removed), f"{self._days} days")
        return removed

    def start(self) -> None:
        """Sweeps now and every hour; needs a running event loop."""
        if self._task is None:
            self._task = asyncio.create_task(self._work())

    async def _work(self) -> None:
        while True:
            try:
                await asyncio.to_thread(self._sweep_uploads)
                removed = await asyncio.to_thread(self.sweep_now) if self._days else 0
                if removed:
                    log.info("%d pictures older than %d days were removed", removed, self._days)
            except WorkbenchError as error:
                log.warning("old pictures wait: %s", error)
            await asyncio.sleep(EVERY_SECONDS)

    def _sweep_uploads(self) -> None:
        self._store.uploads.sweep(self._store.jobs.needed_files())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
