"""Gradio's blocks, whose handlers act as whoever sent the request.

Handlers run in tasks of Gradio's queue, where the request's own context does not reach.
"""

from __future__ import annotations

from typing import Any

from ocr_ui.errors import NotAllowed
from ocr_ui.logs import as_request
from ocr_ui.services.access import Acting, act_as
from ocr_ui.services.page_sessions import PageSessions
from ocr_ui.ui.gradio_quickly import gr


class GuardedBlocks(gr.Blocks):
    """Handlers also have the id of the request that started them, for the log."""

    _key = _named = ""

    def guard(self, key: str, tabs: PageSessions) -> None:
        """Only where there are logins.

        Args:
            key: of the ASGI scope under which `Acting` stands.
            tabs: whose tab is whose.
        """
        self._key, self._tabs = key, tabs

    def name_requests(self, key: str) -> None:
        """Args: key: of the ASGI scope under which the request's id stands."""
        self._named = key

    async def call_function(self, block_fn: Any, processed_input: Any, iterator: Any = None, *more: Any, **named: Any):
        asked = named.get("requests", more[0] if more else None)
        first = asked[0] if isinstance(asked, list) else asked
        with as_request(self._name(first)), act_as(self._acting(first)):
            return await super().call_function(block_fn, processed_input, iterator, *more, **named)

    def _name(self, request: gr.Request | None) -> str:
        known = request is not None and request.request is not None
        return request.request.scope.get(self._named, "") if known else ""

    def _acting(self, request: gr.Request | None) -> Acting:
        """Raises NotAllowed (`not_your_tab`)."""
        if not self._key:
            return Acting()
        now = request.request.scope[self._key] if request is not None and request.request is not None else None
        if now is None or not self._tabs.is_own(request.session_hash or "", now.identity.account):
            raise NotAllowed("not_your_tab", "This tab is somebody else's.", "Load the page again.")
        return now
