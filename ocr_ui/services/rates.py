"""How often somebody may do something: counted in the store, so for all processes on it."""

from __future__ import annotations

import math
import time

from limits import RateLimitItem, RateLimitItemPerMinute

from ocr_ui.domain.counted import counted
from ocr_ui.errors import TooMany
from ocr_ui.settings import Settings
from ocr_ui.storage import people
from ocr_ui.storage.store import Store

FROM_ADDRESS, OF_NAME = 4, 20
"""How many times as many failures one address may have for all names, and one name from all addresses: enough for an
office behind one address, and for a person whom somebody else wants to lock out."""


class Rates:
    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        tries, minutes = settings.login_tries, max(1, round(settings.login_minutes))
        self._pair = RateLimitItemPerMinute(tries, minutes, namespace="login")
        self._address = RateLimitItemPerMinute(tries * FROM_ADDRESS, minutes, namespace="address")
        self._name = RateLimitItemPerMinute(tries * OF_NAME, minutes, namespace="name")
        per_minute = {"uploads": settings.uploads_per_minute, "reads": settings.reads_per_minute}
        self._kinds = {kind: RateLimitItemPerMinute(most, namespace=kind) for kind, most in per_minute.items() if most}

    def take(self, kind: str, key: str) -> None:
        """One of what an account may have. Raises TooMany (`too_often`, details: seconds)."""
        item = self._kinds.get(kind)
        if item is not None and not self._hit(item, key):
            seconds = self._wait(item, key)
            raise TooMany(
                "too_often",
                f"These are too many {kind} in a minute: {item.amount} are allowed.",
                f"Go on in {counted(seconds, 'second')}.",
                seconds=seconds,
                most=item.amount,
            )

    def check_login(self, name: str, address: str) -> None:
        """Raises TooMany (`too_many_logins`, details: seconds)."""
        for item, *key in self._failures(name, address):
            if self._window(item, *key)[1] >= item.amount:
                seconds = self._wait(item, *key)
                raise TooMany(
                    "too_many_logins",
                    "There were too many wrong passwords.",
                    f"Try again in {counted(seconds, 'second')}.",
                    seconds=seconds,
                )

    def count_failure(self, name: str, address: str) -> None:
        with self._store.transaction():
            for item, *key in self._failures(name, address):
                self._hit(item, *key)

    def _failures(self, name: str, address: str) -> list[tuple]:
        one = people.folded(name)
        return [(self._pair, one, address), (self._address, address), (self._name, one)]

    def _hit(self, item: RateLimitItem, *key: str) -> bool:
        return self._store.rate_hits.take(item.key_for(*key), item.amount, item.get_expiry())

    def _window(self, item: RateLimitItem, *key: str) -> tuple[float, int]:
        return self._store.rate_hits.window(item.key_for(*key))

    def _wait(self, item: RateLimitItem, *key: str) -> int:
        return max(1, math.ceil(self._window(item, *key)[0] + item.get_expiry() - time.time()))
