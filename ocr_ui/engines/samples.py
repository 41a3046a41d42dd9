"""Several answers of any engine to one question."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.asking import SAMPLING
from ocr_ui.engines.base import AskedApart, Engine, EngineRequest, Finished, SampleEvent
from ocr_ui.errors import BadInput

MOST = 64
HOTTEST = 2
"""Temperature; beyond it servers refuse."""


def check_count(sampling: dict[str, object], n: int) -> None:
    """Raises BadInput where no engine gives n answers with this sampling, or all would be the same."""
    if not 1 <= n <= MOST:
        raise BadInput("bad_sample_count", f"{n} answers cannot be asked for.", f"Ask for 1 to {MOST}.", n=n, most=MOST)
    temperature, top_p = (sampling.get(name, SAMPLING[name]) for name in ("temperature", "top_p"))
    if isinstance(temperature, int | float) and not 0 <= temperature <= HOTTEST:
        raise _out_of_range("temperature", temperature, f"0 ≤ temperature ≤ {HOTTEST}")
    if not (isinstance(top_p, int | float) and 0 < top_p <= 1):
        raise _out_of_range("top_p", top_p, "0 < top_p ≤ 1")
    if n > 1 and not (isinstance(temperature, int | float) and temperature > 0):
        raise BadInput("greedy_samples", "At temperature 0 all answers are the same.", "Raise the temperature.")


def _out_of_range(name: str, value: object, allowed: str) -> BadInput:
    message = f"{name} {str(value)[:40]} cannot be used for sampling."
    hint = f"Choose {allowed}."
    return BadInput("sampling_out_of_range", message, hint, name=name, value=str(value)[:40], allowed=allowed)


def check_samples(engine: Engine, sampling: dict[str, object], n: int) -> None:
    """As `check_count`, for an engine: raises BadInput also where its answers never differ."""
    if not engine.capabilities.varies:
        name = engine.name.title
        raise BadInput(
            "engine_never_varies",
            f"The engine {name} gives the same answer to a picture each time.",
            "Choose an engine with a model.",
            engine=name,
        )
    check_count(sampling, n)


async def samples(engine: Engine, request: EngineRequest, n: int) -> AsyncGenerator[tuple[int, SampleEvent], None]:
    """n answers, each event with the index of its answer: in one request where the engine can, else one by one.

    As `SamplingEngine.samples`, for every engine; `AskedApart` comes before answers that are asked one after another.

    Raises:
        BadInput: see `check_samples`. Else as `Engine.generate`.
    """
    check_samples(engine, request.sampling, n)
    together = engine.samples(request, n) if engine.capabilities.answers_together else _one_by_one(engine, request, n)
    async with aclosing(together) as events:
        async for event in events:
            yield event


async def _one_by_one(engine: Engine, request: EngineRequest, n: int) -> AsyncGenerator[tuple[int, SampleEvent], None]:
    if n > 1:
        yield 0, AskedApart()
    seed = request.sampling.get("seed")
    aborted = False
    for index in range(n):
        if aborted:
            yield index, Finished(Generation("", "aborted", 0))
            continue
        sampling = request.sampling if seed is None else {**request.sampling, "seed": seed + index}
        async with aclosing(engine.generate(replace(request, sampling=sampling))) as events:
            async for event in events:
                aborted = isinstance(event, Finished) and event.generation.finish_reason == "aborted"
                yield index, event
