"""What is running, by owner, so that whoever started it can stop it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from ocr_ui.services.engines import Engines


class Runs:
    def __init__(self, engines: Engines) -> None:
        self._engines = engines
        self._of: dict[str, dict[str, asyncio.Event]] = {}

    @contextmanager
    def listed(self, owner: str, run_id: str) -> Iterator[asyncio.Event]:
        """Gives what is set once `stop` is called for the owner; list a run before anything is waited for.

        A run that is listed already stays so, with the same event, until the outermost `with` ends.
        """
        runs = self._of.setdefault(owner, {})
        known = run_id in runs
        try:
            yield runs.setdefault(run_id, asyncio.Event())
        finally:
            if not known:
                del runs[run_id]
            if not runs:
                self._of.pop(owner, None)

    def any(self, owner: str) -> bool:
        """Has `owner` something running?"""
        return bool(self._of.get(owner))

    async def stop(self, owner: str) -> int:
        """Stops what `owner` has running; gives how many runs that were."""
        runs = dict(self._of.get(owner, {}))
        for run_id, stop in runs.items():
            stop.set()
            await self._engines.abort(run_id)
        return len(runs)
