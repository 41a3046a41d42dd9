from __future__ import annotations

import asyncio

import pytest
from fakes import SOON, Pause, ScriptedEngine

from ocr_ui.domain.prompt import Task
from ocr_ui.engines.base import Capabilities, EngineState, Health, MemoryShares
from ocr_ui.errors import BadInput, EngineBusy, EngineDead
from ocr_ui.services import engines as engines_module
from ocr_ui.services.engine_entries import EngineEntry, default_kind
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings


class SlowEngine(ScriptedEngine):
    async def start(self) -> None:
        await asyncio.sleep(60)


class BrokenEngine(ScriptedEngine):
    async def start(self) -> None:
        raise EngineDead("no_weights", "There are no weights.", "Download them.")


class LateEngine(ScriptedEngine):
    """What it needs is there from the second start on."""

    starts = 0

    async def start(self) -> None:
        self.starts += 1
        if self.starts == 1:
            raise EngineDead("no_weights", "There are no weights.", "Download them.")
        await super().start()


async def test_the_first_engine_is_the_default_and_starts_once() -> None:
    first, second = ScriptedEngine([]), ScriptedEngine([])
    engines = Engines({"one": first, "two": second})
    engines.start()
    assert await engines.ready() is first
    assert await engines.ready("two") is second
    assert [info.health.state for info in engines.infos()] == [EngineState.READY, EngineState.READY]
    await engines.close()


async def test_a_loading_engine_is_busy_not_missing() -> None:
    engines = Engines({"slow": SlowEngine([])})
    engines.start()
    with pytest.raises(EngineBusy):
        await engines.ready("slow", wait=0.01)
    await engines.close()


async def test_an_engine_that_does_not_start_says_why_each_time() -> None:
    engines = Engines({"broken": BrokenEngine([])})
    for _ in range(2):
        with pytest.raises(EngineDead, match="no weights"):
            await engines.ready("broken")
    assert engines.infos()[0].health.message == "There are no weights. Download them."
    await engines.close()


async def test_an_engine_that_did_not_start_is_tried_again_when_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = LateEngine([])
    engines = Engines({"broken": broken})
    with pytest.raises(EngineDead):
        await engines.ready("broken")
    with pytest.raises(EngineDead):
        await engines.ready("broken")  # too soon: nobody waits for the same failure twice
    assert broken.starts == 1
    monkeypatch.setattr(engines_module, "RETRY_SECONDS", 0.0)
    assert await engines.ready("broken") is broken
    assert engines.infos()[0].health.state is EngineState.READY
    await engines.close()


async def test_an_engine_that_does_not_start_still_tells_its_memory() -> None:
    memory = MemoryShares(weights=5, vision=4, draft=3, work=2, cache=0, card=14, pages=0)
    broken = BrokenEngine([])
    broken.health = lambda: Health(EngineState.DEAD, memory=memory)
    engines = Engines({"broken": broken})
    with pytest.raises(EngineDead):
        await engines.ready("broken")
    assert engines.infos()[0].health.memory == memory
    await engines.close()


async def test_the_server_logs_engines_that_fail(caplog: pytest.LogCaptureFixture) -> None:
    engines = Engines({"broken": BrokenEngine([])}, {"gone": EngineDead("gone", "It is gone.")})
    engines.start()
    with pytest.raises(EngineDead):
        await engines.ready("broken")
    await asyncio.sleep(0)
    assert [record.getMessage() for record in caplog.records] == [
        "engine gone: It is gone.",
        "engine broken: There are no weights. Download them.",
    ]
    await engines.close()


async def test_unknown_names_are_told_with_what_there_is() -> None:
    with pytest.raises(BadInput, match="Use one of: one"):
        await Engines({"one": ScriptedEngine([])}).ready("other")


def test_can_names_the_engines_that_do_a_task() -> None:
    reader = ScriptedEngine([], Capabilities(tasks=frozenset({Task.TEXT})))
    engines = Engines({"reader": reader, "all": ScriptedEngine([])})
    assert engines.can(Task.TEXT) == ["reader", "all"]
    assert engines.can(Task.QA) == ["all"]


def test_auto_is_the_cpu_engine_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ocr_ui.services.engine_entries.has_gpu", lambda: False)
    assert default_kind(Settings(engine="auto")) == "rapidocr"
    assert default_kind(Settings(engine="openai")) == "openai"


async def test_only_the_default_and_the_cpu_engine_start_at_once() -> None:
    names = {"office": "openai", "cpu": "rapidocr", "trial": "openai"}
    entries = {name: EngineEntry(name, kind, Settings()) for name, kind in names.items()}
    engines = Engines({name: ScriptedEngine([]) for name in names}, entries=entries)
    engines.start()
    await engines.ready("office")
    await engines.ready("cpu")
    states = [(info.name, info.kind, info.health.state) for info in engines.infos()]
    ready, idle = EngineState.READY, EngineState.IDLE
    assert states == [("office", "openai", ready), ("cpu", "rapidocr", ready), ("trial", "openai", idle)]
    engines.wake("trial")
    engines.wake("unheard of")
    async with asyncio.timeout(SOON):
        while engines.infos()[2].health.state is not EngineState.READY:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await engines.close()


class CardEngine(ScriptedEngine):
    """Takes a share of a card; fails as the check of the memory does where the card has not so much left."""

    card = 1.0

    def __init__(self, share: float) -> None:
        super().__init__([Pause(60)])
        self.share, self.held = share, 0.0

    async def start(self) -> None:
        if CardEngine.card < self.share:
            raise EngineDead("gpu_memory_taken", "Memory is missing.", "End other programs.")
        CardEngine.card -= self.share
        self.held = self.share
        await super().start()

    def is_idle(self) -> bool:
        return not self.running

    async def close(self) -> None:
        CardEngine.card += self.held
        await super().close()


@pytest.fixture
def on_one_card(monkeypatch: pytest.MonkeyPatch) -> Engines:
    """Two engines that fit onto the card one at a time, a small one beside either, and one that never fits."""
    shares = {"office": 0.6, "trial": 0.6, "small": 0.3, "huge": 2.0}
    monkeypatch.setattr(CardEngine, "card", 1.0)
    monkeypatch.setattr(engines_module, "GIVEN_SECONDS", 0.0)
    monkeypatch.setattr(engines_module, "ROOM_WAIT", 0.0)
    monkeypatch.setattr(engines_module, "create_engine", lambda kind, settings: CardEngine(float(kind)))
    entries = {name: EngineEntry(name, str(share), Settings()) for name, share in shares.items()}
    return Engines({name: CardEngine(share) for name, share in shares.items()}, entries=entries)


def states(engines: Engines) -> dict[str, str]:
    return {info.name: info.health.state.value for info in engines.infos()}


async def test_an_idle_engine_makes_room_for_the_one_that_is_chosen(on_one_card: Engines) -> None:
    first = await on_one_card.ready("office")
    await on_one_card.ready("trial")
    assert states(on_one_card) == {"office": "idle", "trial": "ready", "small": "idle", "huge": "idle"}
    office, trial, small, _ = on_one_card.infos()
    assert office.health.message.startswith("The engine office was put away to make room for trial.")
    assert (trial.health.message, small.health.message) == ("", "")
    again = await on_one_card.ready("office")
    assert again is not first
    assert states(on_one_card)["trial"] == "idle"
    assert on_one_card.infos()[0].health.message == ""
    await on_one_card.close()


async def test_where_both_fit_none_is_put_away(on_one_card: Engines) -> None:
    await on_one_card.ready("office")
    await on_one_card.ready("small")
    assert [states(on_one_card)[name] for name in ("office", "small")] == ["ready", "ready"]
    await on_one_card.close()


async def test_an_engine_that_reads_is_never_put_away(on_one_card: Engines) -> None:
    office = await on_one_card.ready("office")
    office.running.add("a page")
    with pytest.raises(EngineDead) as caught:
        await on_one_card.ready("trial")
    assert caught.value.code == "engine_in_the_way"
    assert caught.value.details["other"] == "office"
    assert states(on_one_card)["office"] == "ready"
    await on_one_card.close()


async def test_an_engine_just_given_to_a_reader_is_not_put_away(
    on_one_card: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines_module, "GIVEN_SECONDS", 60.0)
    await on_one_card.ready("office")
    with pytest.raises(EngineDead, match="while office reads"):
        await on_one_card.ready("trial")
    assert states(on_one_card)["office"] == "ready"
    await on_one_card.close()


async def test_what_fits_on_no_card_says_what_is_missing(on_one_card: Engines) -> None:
    with pytest.raises(EngineDead) as caught:
        await on_one_card.ready("huge")
    assert caught.value.code == "gpu_memory_taken"
    await on_one_card.close()
