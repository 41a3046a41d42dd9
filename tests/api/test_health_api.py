from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fakes import ScriptedEngine
from fastapi import FastAPI
from fastapi.testclient import TestClient
from stored import open_store

from ocr_ui.api.health import health_routes
from ocr_ui.engines.base import DraftedLoad, Drafting, DraftReason, EngineState, Health, MemoryShares, Phase, Share
from ocr_ui.errors import EngineDead, EngineFailed
from ocr_ui.services.admission import Admission
from ocr_ui.services.engines import Engines
from ocr_ui.storage.store import Store
from ocr_ui.ui.messages import localize_error


class Being(ScriptedEngine):
    """An engine in a state."""

    def __init__(self, state: EngineState) -> None:
        super().__init__([])
        self._state = state

    def health(self) -> Health:
        problem = EngineFailed("server_busy", "The server U is busy (503).", "Wait.", url="U")
        memory = MemoryShares(weights=5, vision=4, draft=3, work=2, cache=1, card=20, pages=7)
        drafts = Drafting(True, DraftReason("next_start", "it does not pay"), (DraftedLoad(4, 5.2, -0.1),))
        return Health(self._state, Phase.FETCHING, (problem, problem), Share(1, 2, 3.5), memory, drafts)


@dataclass
class Bench:
    engines: Engines
    store: Store
    admission: Admission = field(default_factory=lambda: Admission(1))


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Callable[[Engines], TestClient]]:
    with open_store(tmp_path) as store:

        def made(engines: Engines) -> TestClient:
            app = FastAPI()
            app.include_router(health_routes(Bench(engines, store), localize_error))  # type: ignore[arg-type]
            return TestClient(app)

        yield made


@pytest.mark.parametrize(
    ("state", "ready"),
    [
        (EngineState.LOADING, 503),
        (EngineState.READY, 200),
        (EngineState.DEGRADED, 200),
        (EngineState.DEAD, 503),
    ],
)
def test_the_server_is_healthy_while_it_lives_and_ready_once_its_engine_is(
    client, state: EngineState, ready: int
) -> None:
    asked = client(Engines({"one": Being(state), "two": Being(EngineState.READY)}))
    healthy, readiness = asked.get("/healthz"), asked.get("/readyz")
    assert (healthy.status_code, readiness.status_code) == (200, ready)
    assert healthy.json() == readiness.json()
    assert healthy.json()["state"] == state.value
    assert healthy.json()["engines"][0] == {
        "name": "one",
        "kind": "one",
        "state": state.value,
        "phase": "fetching",
        "message": "The server U is busy (503). Wait.",
        "seconds": 0.0,
        "share": {"done": 1, "total": 2, "per_second": 3.5},
        "memory": {"weights": 5, "vision": 4, "draft": 3, "work": 2, "cache": 1, "card": 20, "pages": 7},
        "drafts": {
            "on": True,
            "reason": {"code": "next_start", "text": "it does not pay", "values": {}},
            "loads": [{"pages": 4, "tokens": 5.2, "saved": -0.1}],
        },
    }


def test_what_is_wrong_is_told_in_the_language_of_the_page(client) -> None:
    asked = client(Engines({"one": Being(EngineState.DEGRADED)}))
    told = asked.get("/healthz", headers={"X-Workbench-Lang": "zh"}).json()["engines"][0]
    assert told["message"] == "服务器 U 正忙。请稍后再试。"


def test_an_engine_that_cannot_be_built_is_dead_with_its_reason(client) -> None:
    error = EngineDead("engine_not_installed", "vLLM is not installed.", "pip install vllm")
    answer = client(Engines({}, {"vllm": error})).get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["engines"][0]["message"] == "vLLM is not installed. For the administrator: pip install vllm"
    assert client(Engines({})).get("/readyz").status_code == 503


def test_the_running_server_is_ready(server: TestClient) -> None:
    assert server.get("/readyz").json()["state"] == "ready"
