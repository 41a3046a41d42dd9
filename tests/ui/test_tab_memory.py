"""What the server keeps of tabs: counted after many readings and tabs, through Gradio's own routes."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from ocr_ui.ui import tab_memory
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.guarded import GuardedBlocks
from ocr_ui.ui.tab_memory import keep_little
from ocr_ui.ui.viewer import Viewer

READ, NOTE = 0, 1


class Page:
    """A page like the product's: reading it changes the viewer, tells it values, and changes it again."""

    def __init__(self) -> None:
        async def read() -> AsyncIterator[list[object]]:
            yield [gr.skip(), gr.update(interactive=False)]
            yield [{"text": "Total 12.50"}, gr.skip()]
            yield [gr.skip(), gr.update(interactive=True)]

        with GuardedBlocks() as self.demo:
            viewer, go, written = Viewer(words={"a": "b"}), gr.Button(), gr.State("")
            go.click(read, None, [viewer, go])
            go.click(lambda old: f"{old}x", written, written)
        self.demo.queue()
        self.app = gr.mount_gradio_app(FastAPI(), self.demo, path="/en", run_history=False)
        self.mounted = self.app.routes[-1].app
        keep_little(self.demo, self.mounted)

    @property
    def tabs(self) -> dict:
        return self.mounted.state_holder.session_data

    @property
    def queue(self):
        return self.demo._queue

    def press(self, client: TestClient, tab: str, handler: int) -> None:
        asked = {"data": [None] * handler, "fn_index": handler, "session_hash": tab}
        assert client.post("/en/gradio_api/queue/join", json=asked).status_code == 200
        told = client.get("/en/gradio_api/queue/data", params={"session_hash": tab}).text
        assert '"success":true' in told.split("process_completed")[1]


@pytest.fixture(scope="module")
def page() -> Page:
    return Page()


@pytest.fixture
def client(page: Page) -> Iterator[TestClient]:
    page.tabs.clear()
    with TestClient(page.app) as client:
        yield client


def kinds_held() -> int:
    gc.collect()
    return sum(isinstance(one, Viewer) for one in gc.get_objects())


def test_a_tab_holds_as_much_after_many_readings_as_after_one(page: Page, client: TestClient) -> None:
    page.press(client, "t", READ)
    blocks, viewers = set(page.tabs["t"].blocks_config.blocks), kinds_held()
    for _ in range(5):
        page.press(client, "t", READ)
    assert set(page.tabs["t"].blocks_config.blocks) == blocks == set(page.demo.blocks)
    assert kinds_held() == viewers
    assert not page.tabs["t"].config_values
    assert len(page.queue.event_analytics) == 1
    assert page.queue.cached_event_analytics_summary == {"functions": {}}


def test_what_a_handler_has_changed_and_kept_stays_with_its_tab(page: Page, client: TestClient) -> None:
    state = page.mounted.state_holder["a"]
    written = next(number for number, block in page.demo.blocks.items() if isinstance(block, gr.State))
    for tab in ("a", "a", "b"):
        page.press(client, tab, NOTE)
    assert [page.tabs[tab][written] for tab in ("a", "b")] == ["xx", "x"]
    assert page.tabs["a"] is state


def test_of_closed_tabs_the_last_are_remembered_and_open_ones_stay(
    page: Page, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tab_memory, "CLOSED", 2)
    names = [f"t{number}" for number in range(6)]
    for tab in names:
        page.press(client, tab, READ)
        page.tabs[tab].is_closed = tab != "t0"
    page.press(client, "t2", READ)
    page.mounted.state_holder.delete_all_expired_state()
    assert list(page.tabs) == ["t0", "t5", "t2"]
    assert set(page.mounted.state_holder.time_last_used) >= set(page.tabs)
    assert not {"t1", "t3", "t4"} & {
        *page.mounted.state_holder.time_last_used,
        *page.queue.pending_event_ids_session,
        *page.queue.pending_messages_per_session,
    }
