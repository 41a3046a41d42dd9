"""Whose tab is whose: a tab of the page names itself by a text that it made up."""

from __future__ import annotations

from collections import OrderedDict

MOST = 20_000
"""Tabs that are remembered, those that were seen last."""


class PageSessions:
    """The first account that a tab's text is seen with keeps it: nobody else follows, stops or cancels its work."""

    def __init__(self) -> None:
        self._owners: OrderedDict[str, int] = OrderedDict()

    def is_own(self, tab: str, account: int) -> bool:
        owner = self._owners.setdefault(tab, account)
        self._owners.move_to_end(tab)
        while len(self._owners) > MOST:
            self._owners.popitem(last=False)
        return owner == account
