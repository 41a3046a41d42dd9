"""Gradio's blocks, whose handlers act as whoever sent the request.

Handlers run in tasks of Gradio's queue, where the request's own context does not reach.
"""

from __future__ import annotations

from typing import Any

from ocr_ui.errors import NotAllowed
from ocr_ui.services.access import Acting, act_as
from ocr_ui.services.page_sessions import PageSessions
from ocr_ui.ui.gradio_quickly import gr


class GuardedBlocks(gr.Blocks):
    """Args: key: of the ASGI scope under which `Acting` stands, where there are logins. tabs: whose tab is whose."""

    _key = ""

    def guard(self, key: str, tabs: PageSessions) -> None:
        self._key, self._tabs = key, tabs

    async def call_function(self, block_fn: Any, processed_input: Any, iterator: Any = None, *more: Any, **named: Any):
        asked = named.get("requests", more[0] if more else None)
        with act_as(self._acting(asked[0] if isinstance(asked, list) else asked)):
            return await super().call_function(block_fn, processed_input, iterator, *more, **named)

    def _acting(self, request: gr.Request | None) -> Acting:
        """Raises NotAllowed (`not_your_tab`)."""
        if not self._key:
            return Acting()
        now = request.request.scope[self._key] if request is not None and request.request is not None else None
        if now is None or not self._tabs.is_own(request.session_hash or "", now.identity.account):
            raise NotAllowed("not_your_tab", "This tab is somebody else's.", "Load the page again.")
        return now
