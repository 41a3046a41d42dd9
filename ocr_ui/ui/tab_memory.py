"""What Gradio (6.31) keeps of each tab in the server, bounded: by itself it keeps the first 10,000 tabs for good.

It keeps of each tab what all components say of themselves (0.2 MB) and which of them handlers have changed. A component
that a handler changes is made anew under a new number, and the next value that is sent to it is kept under that number
too: each reading of a page added all that the viewer holds (0.1 MB) to its tab.
"""

from __future__ import annotations

import sys
from typing import Any

from ocr_ui.ui.gradio_quickly import gr

CLOSED = 100
"""Closed tabs that are remembered: a connection that broke looks like a closed tab, and its person goes on."""
MOST = 2_000
"""Tabs that are remembered in all, those that were used last."""


class TabState(gr.state_holder.SessionState):
    """What a tab's components are now. What they say of themselves serves Gradio's deep links alone, and the page has
    addresses of its own."""

    def __init__(self, blocks: gr.Blocks) -> None:
        super().__init__(blocks)
        self.config_values.clear()

    def __setitem__(self, key: int, value: Any) -> None:
        if isinstance(value, gr.blocks.Block):
            value._id = key
            self.blocks_config.blocks[key] = value
        else:
            super().__setitem__(key, value)
            self.config_values.clear()

    def _update_config(self, key: int) -> None:
        """Nothing is kept."""

    def _update_value_in_config(self, key: int, value: Any) -> None:
        """Nothing is kept."""


class TabStates(gr.state_holder.StateHolder):
    """The tabs of one page."""

    def __getitem__(self, session_id: str) -> TabState:
        if session_id not in self.session_data:
            self.session_data[session_id] = TabState(self.blocks)
        return super().__getitem__(session_id)

    def delete_all_expired_state(self) -> None:
        """Gradio calls this every second."""
        super().delete_all_expired_state()
        closed = [tab for tab, state in self.session_data.items() if state.is_closed]
        queue = self.blocks._queue
        running = {event.session_hash for event in queue.event_ids_to_events.values()}
        for tab in closed[:-CLOSED]:
            if tab not in running:
                self.delete_state(tab)
                with self.lock:
                    del self.session_data[tab]
                self.time_last_used.pop(tab, None)
        for kept in (queue.pending_event_ids_session, queue.pending_messages_per_session):
            for tab in [tab for tab in kept if tab not in self.session_data and tab not in running]:
                del kept[tab]


def keep_little(demo: gr.Blocks, mounted: Any) -> None:
    """Args: mounted: the app that Gradio has made of the page."""
    states = TabStates()
    states.set_blocks(demo)
    states.capacity = MOST
    mounted.state_holder = states
    # Figures of the last 10,000 events for a dashboard that is not served, worked out anew at the end of each event.
    demo._queue.ANALYTICS_MAX_EVENTS = 1
    demo._queue.ANAYLTICS_CACHE_FREQUENCY = sys.maxsize
