"""What keeps background work waiting, such as a database that is away."""

from __future__ import annotations

import logging

from ocr_ui.errors import WorkbenchError

LOOK_SECONDS = 1.0
"""Between two looks whether there is work that another process has begun."""
LONGEST_SECONDS = 10.0


class Outage:
    """Told once until it changes, and looked at less and less often while it lasts."""

    def __init__(self, what: str, log: logging.Logger) -> None:
        self._what, self._log = what, log
        self._code = ""
        self._again = False
        self._seconds = LOOK_SECONDS

    def tell(self, error: WorkbenchError) -> None:
        self._again = True
        if error.code != self._code:
            self._code = error.code
            self._log.warning("%s wait: %s", self._what, error)

    def over(self) -> None:
        """Something worked that would not have."""
        if self._code:
            self._log.info("%s go on", self._what)
        self._code, self._again, self._seconds = "", False, LOOK_SECONDS

    def pause(self) -> float:
        """Seconds to wait at the end of a round; one in which nothing was told ends the outage."""
        if not self._again:
            self.over()
            return self._seconds
        self._again = False
        seconds = self._seconds
        self._seconds = min(2 * seconds, LONGEST_SECONDS)
        return seconds
