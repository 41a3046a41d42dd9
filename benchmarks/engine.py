"""Plain vLLM against the product's engine interface, in one run on one engine with the same pictures.

Usage: python benchmarks/engine.py --model DIR [--loads 1 8 32 64] [--rounds 5] [--tokens 1024] [--seconds 520]
                                   [--dummy] [--drafts LENGTH] [--rereads N] [--caches] [--profile FOLDER] [--out FILE]

Both ask the same engine in this process for answers of --tokens tokens about the same drawn A4 pages. "plain" calls
vLLM's AsyncLLM with a text and a picture and nothing else; "product" goes through `VllmEngine.generate` as the service
does. They take turns, round by round, the order changing each time; the ratio is product to plain in pages a second,
with the 95% interval over the rounds. Then what token probabilities and the repetition penalty cost. Where --seconds
run out, rounds that are missing are left out and said.

--rereads N: what it costs to read N new pages at once, the same N again, one new page in N requests, and one new page
in one request for N answers. With --caches the engine keeps prefixes and prepared pictures (the settings
OCR_UI_ENABLE_PREFIX_CACHING and OCR_UI_MM_PROCESSOR_CACHE_GB); a run without them beside it shows what they bring.
--profile FOLDER writes what one loaded round does on the card, kernel by kernel (torch.profiler).

--dummy takes random weights, for a folder of benchmarks/full_size_model.py. --drafts LENGTH reads with the draft model
of the folder, of whose proposals as many are accepted as give LENGTH tokens a step: random weights would accept none.
Compare with a run without it on the same card. Needs vLLM, and of this project the engines alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import math
import platform
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from PIL import Image, ImageDraw

from ocr_ui.domain.prompt import Task
from ocr_ui.engines import vllm_start
from ocr_ui.engines.asking import SAMPLING, messages
from ocr_ui.engines.base import EngineRequest, TextDelta
from ocr_ui.engines.vllm_embedded import VllmEngine
from ocr_ui.settings import Settings

PROMPT = "提取图中的文字。"
PAGE = (1240, 1754)
PICTURES = 16
T_95 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26}
"""Student's t by degrees of freedom."""

Ask = Callable[[int], AsyncIterator[int]]
"""Asks for the page of a number; yields how many tokens came at once."""


def page(seed: int) -> Image.Image:
    """An A4 page at 150 dpi full of random small print: about 2,150 tokens for the model."""
    import random

    rng = random.Random(seed)
    image = Image.new("RGB", PAGE, "white")
    draw = ImageDraw.Draw(image)
    letters = "abcdefghijklmnopqrstuvwxyz 0123456789"
    for y in range(40, PAGE[1] - 40, 28):
        draw.text((60, y), "".join(rng.choice(letters) for _ in range(150)), fill="black")
    return image


@dataclass
class Measured:
    """One batch of requests that were asked at once.

    Attributes:
        first: seconds to each request's first token.
        gaps: seconds between two tokens, one mean a request.
        whole: seconds to each request's end.
        answers: how many were asked for, a request having one or several.
    """

    seconds: float
    tokens: int
    first: list[float]
    gaps: list[float]
    whole: list[float]
    answers: int

    @property
    def pages(self) -> float:
        """Answers a second: pages, where each is read once."""
        return self.answers / self.seconds


async def measure(ask: Ask, load: int, answers: int = 1) -> Measured:
    """Asks `load` times at once, each time for so many answers; the time of each counts from when all were asked."""
    begun = time.perf_counter()

    async def one(number: int) -> tuple[float, float, float, int]:
        first, last, tokens = 0.0, 0.0, 0
        async for count in ask(number):
            last = time.perf_counter()
            first = first or last
            tokens += count
        return first - begun, (last - first) / max(1, tokens - 1), last - begun, tokens

    done = await asyncio.gather(*[one(number) for number in range(load)])
    first, gaps, whole, tokens = (list(column) for column in zip(*done, strict=True))
    return Measured(time.perf_counter() - begun, sum(tokens), first, gaps, whole, load * answers)


class Card:
    """Memory and use of the first GPU, looked at twice a second while something runs."""

    def __init__(self) -> None:
        self.name = self._ask("name,driver_version") or "no NVIDIA card"
        self._seen: list[tuple[float, float]] = []

    def _ask(self, what: str) -> str:
        command = ["nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader,nounits"]
        with suppress(OSError, subprocess.SubprocessError, IndexError):
            return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.splitlines()[
                0
            ]
        return ""

    @contextmanager
    def watched(self) -> Any:
        stop = threading.Event()

        def look() -> None:
            while not stop.wait(0.5):
                with suppress(ValueError):
                    use, memory = self._ask("utilization.gpu,memory.used").split(",")
                    self._seen.append((float(use), float(memory)))

        self._seen = []
        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def summary(self) -> dict[str, float]:
        """Mean use in per cent, most memory in GiB."""
        if not self._seen:
            return {}
        uses, memories = zip(*self._seen, strict=True)
        return {"gpu_percent": round(statistics.fmean(uses)), "gpu_gib": round(max(memories) / 1024, 1)}


def plain(engine: VllmEngine, pictures: Sequence[Image.Image], tokens: int) -> Ask:
    """vLLM by itself: the text rendered once, everything else left to it."""
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    llm = engine._llm
    text = llm.renderer.get_tokenizer().apply_chat_template(
        messages(PROMPT, {"type": "image"}), tokenize=False, add_generation_prompt=True
    )
    params = SamplingParams(**SAMPLING, max_tokens=tokens, ignore_eos=True, output_kind=RequestOutputKind.DELTA)

    async def ask(number: int) -> AsyncIterator[int]:
        prompt = {"prompt": text, "multi_modal_data": {"image": pictures[number % len(pictures)]}}
        async for output in llm.generate(prompt, params, request_id=f"plain-{time.perf_counter_ns()}-{number}"):
            yield len(output.outputs[0].token_ids)

    return ask


def product(engine: VllmEngine, pictures: Sequence[Image.Image], tokens: int, **sampling: Any) -> Ask:
    """The product's interface, as the service uses it."""
    arrays = [np.asarray(picture) for picture in pictures]
    asked = {"max_tokens": tokens, "ignore_eos": True, "logprobs": False, **sampling}

    async def ask(number: int) -> AsyncIterator[int]:
        name = f"product-{time.perf_counter_ns()}-{number}"
        pixels = arrays[number % len(arrays)]
        async for event in engine.generate(EngineRequest(name, pixels, bytes, Task.TEXT, PROMPT, asked)):
            if isinstance(event, TextDelta):
                yield event.tokens

    return ask


class Rereads:
    """Ways of asking for several answers, each round about pages that the engine never saw."""

    def __init__(self, engine: VllmEngine, pictures: Sequence[Image.Image], tokens: int, answers: int) -> None:
        self._engine, self._tokens, self._answers = engine, tokens, answers
        self._arrays = [np.array(picture) for picture in pictures]
        self._stamp = 0
        self._last: dict[int, np.ndarray] = {}

    def ways(self) -> dict[str, Ask]:
        return {"new pages": self.new, "the same pages again": self.again, "one page": self.one, "in one": self.in_one}

    async def new(self, number: int) -> AsyncIterator[int]:
        self._last[number] = self._fresh(number)
        async for count in self._ask(self._last[number], number):
            yield count

    async def again(self, number: int) -> AsyncIterator[int]:
        pixels = self._last[number] if number in self._last else self._fresh(number)
        async for count in self._ask(pixels, number):
            yield count

    async def one(self, number: int) -> AsyncIterator[int]:
        if number == 0:
            self._shared = self._fresh(0)
        async for count in self._ask(self._shared, number):
            yield count

    async def in_one(self, number: int) -> AsyncIterator[int]:
        async for _, event in self._engine.samples(self._request(self._fresh(0), number), self._answers):
            if isinstance(event, TextDelta):
                yield event.tokens

    def _fresh(self, number: int) -> np.ndarray:
        """The page of a number with a pixel that no earlier page had."""
        self._stamp += 1
        pixels = self._arrays[number % len(self._arrays)].copy()
        pixels[0, 0] = (self._stamp // 65536 % 256, self._stamp // 256 % 256, self._stamp % 256)
        return pixels

    async def _ask(self, pixels: np.ndarray, number: int) -> AsyncIterator[int]:
        async for event in self._engine.generate(self._request(pixels, number)):
            if isinstance(event, TextDelta):
                yield event.tokens

    def _request(self, pixels: np.ndarray, number: int) -> EngineRequest:
        asked = {"max_tokens": self._tokens, "ignore_eos": True, "logprobs": False, "temperature": 1.0}
        return EngineRequest(f"again-{time.perf_counter_ns()}-{number}", pixels, bytes, Task.TEXT, PROMPT, asked)


@dataclass
class Row:
    """All rounds of one way of asking at one load."""

    way: str
    load: int
    rounds: list[Measured] = field(default_factory=list)
    card: dict[str, float] = field(default_factory=dict)

    def summary(self) -> dict[str, Any]:
        first = [value for one in self.rounds for value in one.first]
        gaps = [value for one in self.rounds for value in one.gaps]
        whole = [value for one in self.rounds for value in one.whole]
        return {
            "way": self.way,
            "at once": self.load,
            "rounds": len(self.rounds),
            "pages/s": round(statistics.fmean(one.pages for one in self.rounds), 3),
            "tokens/s": round(statistics.fmean(one.tokens / one.seconds for one in self.rounds)),
            "first token s": spread(first),
            "gap ms": spread([value * 1000 for value in gaps]),
            "page s": spread(whole),
            **self.card,
        }


def spread(values: Sequence[float]) -> str:
    """p50 / p95 / p99."""
    return " / ".join(f"{float(np.percentile(values, p)):.3g}" for p in (50, 95, 99))


def ratio(one: Row, other: Row) -> dict[str, float]:
    """`one` to `other` in pages a second, round by round, with the 95% interval of the mean (of logarithms)."""
    logs = [math.log(a.pages / b.pages) for a, b in zip(one.rounds, other.rounds, strict=False)]
    mean = statistics.fmean(logs)
    found = {"at once": one.load, "rounds": len(logs), "ratio": round(math.exp(mean), 4)}
    if len(logs) > 1:
        half = T_95.get(len(logs) - 1, 1.96) * statistics.stdev(logs) / math.sqrt(len(logs))
        found |= {"low": round(math.exp(mean - half), 4), "high": round(math.exp(mean + half), 4)}
    return found


class Benchmark:
    """Runs rounds until they are done or the time is over."""

    def __init__(self, card: Card, until: float) -> None:
        self._card, self._until = card, until
        self.left_out: list[str] = []

    async def alternate(self, ways: dict[str, Ask], load: int, rounds: int, in_one: Collection[str] = ()) -> list[Row]:
        """Asks in each way by turns; those `in_one` ask once for as many answers as the others have requests."""
        rows = {name: Row(name, load) for name in ways}
        for number in range(rounds):
            if time.monotonic() > self._until:
                self.left_out.append(f"{' and '.join(ways)} at {load}: round {number + 1} of {rounds} and later")
                break
            for name in list(ways) if number % 2 == 0 else list(ways)[::-1]:
                requests, answers = (1, load) if name in in_one else (load, 1)
                with self._card.watched():
                    rows[name].rounds.append(await measure(ways[name], requests, answers))
                rows[name].card = self._card.summary() or rows[name].card
        done = [row for row in rows.values() if row.rounds]
        for row in done:
            print(json.dumps(row.summary(), ensure_ascii=False), flush=True)
        return done


def change_arguments(change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Starts vLLM with its arguments changed."""
    arguments = vllm_start.engine_arguments
    vllm_start.engine_arguments = lambda *settings: change(arguments(*settings))


def accept(length: float) -> None:
    """Makes vLLM take so many tokens a step, one of them the model's own, whatever the draft model says."""
    synthetic = {"rejection_sample_method": "synthetic", "synthetic_acceptance_length": length}
    change_arguments(
        lambda asked: {**asked, "speculative_config": {**asked["speculative_config"], **synthetic}},
    )


def let_profile(folder: Path) -> None:
    """Gives vLLM torch's profiler for its workers; in the front process it cannot be stopped from another thread."""
    from vllm.config import ProfilerConfig

    config = ProfilerConfig(
        profiler="torch", torch_profiler_dir=str(folder), torch_profiler_with_stack=False, ignore_frontend=True
    )
    change_arguments(lambda asked: {**asked, "profiler_config": config})


async def run(given: argparse.Namespace) -> dict[str, Any]:
    until = time.monotonic() + given.seconds
    card = Card()
    print(f"card: {card.name}", flush=True)
    settings = Settings(
        _env_file=None,
        model=given.model,
        load_format="dummy" if given.dummy else "auto",
        max_model_len=given.max_model_len,
        max_num_seqs=max([16, *given.loads, *given.cost_loads, given.rereads]),
        max_num_batched_tokens=given.batched_tokens,
        gpu_memory_utilization=given.gpu_memory,
        enforce_eager=given.eager,
        stream_interval=given.stream_interval,
        first_token_timeout=600,
        silence_timeout=600,
        dflash="on" if given.drafts else "off",
        enable_prefix_caching=given.caches,
        mm_processor_cache_gb=4 if given.caches else 0,
    )
    begun = time.monotonic()
    if given.drafts:
        accept(given.drafts)
    if given.profile:
        let_profile(given.profile)
    engine = VllmEngine(settings)
    await engine.start()
    up = time.monotonic() - begun
    about = {**engine.description, "card": card.name, "python": platform.python_version(), "up_seconds": f"{up:.1f}"}
    if given.drafts:
        about |= {"drafts": f"DFlash, {given.drafts:g} tokens a step"}
    about |= {"caches": "prefixes and prepared pictures" if given.caches else "none"}
    about |= {"tokens": str(given.tokens), "pixels": f"{PAGE[0]} x {PAGE[1]}", "date": time.strftime("%Y-%m-%d")}
    for name, value in about.items():
        print(f"{name}: {value}", flush=True)
    pictures = [page(seed) for seed in range(PICTURES)]
    ways = {"plain": plain(engine, pictures, given.tokens), "product": product(engine, pictures, given.tokens)}
    for ask in ways.values():
        await measure(ask, 16)
    benchmark = Benchmark(card, until)
    rows: list[Row] = []
    ratios: list[dict[str, float]] = []
    for load in given.loads:
        found = await benchmark.alternate(ways, load, given.rounds)
        rows += found
        if len(found) == 2:
            ratios.append(ratio(found[1], found[0]))
            print(json.dumps({"product to plain": ratios[-1]}), flush=True)
    costs = await measure_costs(benchmark, engine, pictures, given)
    again = await measure_rereads(benchmark, engine, pictures, given) if given.rereads else []
    if given.profile:
        await profile(engine, ways["product"], max(given.cost_loads, default=32))
    await engine.close()
    return {
        "about": about,
        "rows": [row.summary() for row in rows + again],
        "ratios": ratios,
        "costs": costs,
        "left_out": benchmark.left_out,
        "raw": [asdict(row) for row in rows],
    }


async def measure_costs(
    benchmark: Benchmark, engine: VllmEngine, pictures: Sequence[Image.Image], given: argparse.Namespace
) -> dict[str, list[dict[str, float]]]:
    """Pages a second without the repetition penalty, with token probabilities and with one token out, to the usual."""
    usual = product(engine, pictures, given.tokens)
    ways = {
        "without repetition penalty": product(engine, pictures, given.tokens, repetition_penalty=1.0),
        "with probabilities": product(engine, pictures, given.tokens, logprobs=True),
        "one token": product(engine, pictures, 1),
    }
    found: dict[str, list[dict[str, float]]] = {name: [] for name in ways}
    for name, ask in ways.items():
        for load in given.cost_loads:
            rows = await benchmark.alternate({"usual": usual, name: ask}, load, given.cost_rounds)
            if len(rows) == 2:
                found[name].append(ratio(rows[1], rows[0]))
                print(json.dumps({name: found[name][-1]}), flush=True)
    return found


async def measure_rereads(
    benchmark: Benchmark, engine: VllmEngine, pictures: Sequence[Image.Image], given: argparse.Namespace
) -> list[Row]:
    """Several answers about new pages, the same pages again and one page, in several requests and in one."""
    ways = Rereads(engine, pictures, given.tokens, given.rereads).ways()
    rows = await benchmark.alternate(ways, given.rereads, given.cost_rounds, in_one=["in one"])
    for row in rows[1:]:
        print(json.dumps({f"{row.way} to {rows[0].way}": ratio(row, rows[0])}), flush=True)
    return rows


async def profile(engine: VllmEngine, ask: Ask, load: int) -> None:
    """One loaded round under torch's profiler, which writes its table and trace when it stops."""
    await engine._llm.start_profile()
    await measure(ask, load)
    await engine._llm.stop_profile()


def markdown(result: dict[str, Any]) -> str:
    """The result as tables for docs/benchmarks.md."""
    columns = list(dict.fromkeys(name for row in result["rows"] for name in row))
    lines = [f"- {name.replace('_', ' ')}: {value}" for name, value in result["about"].items()]
    lines += ["", f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    lines += [f"| {' | '.join(str(row.get(name, '')) for name in columns)} |" for row in result["rows"]]
    lines += ["", "| product to plain, at once | ratio | 95% interval | rounds |", "|---|---|---|---|"]
    lines += [table_row(str(one["at once"]), one) for one in result["ratios"]]
    lines += [table_row(f"{name}, at {one['at once']}", one) for name, all in result["costs"].items() for one in all]
    lines += [f"- left out: {words}" for words in result["left_out"]]
    return "\n".join(lines)


def table_row(name: str, one: dict[str, float]) -> str:
    interval = f"{one['low']} to {one['high']}" if "low" in one else ""
    return f"| {name} | {one['ratio']} | {interval} | {one['rounds']} |"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--dummy", action="store_true", help="random weights")
    parser.add_argument("--loads", type=int, nargs="*", default=[1, 8, 32, 64])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=1024)
    parser.add_argument("--cost-loads", type=int, nargs="*", default=[32])
    parser.add_argument("--cost-rounds", type=int, default=3)
    parser.add_argument("--rereads", type=int, default=0, metavar="N", help="answers asked for at once; 0: left out")
    parser.add_argument("--caches", action="store_true", help="keep prefixes and prepared pictures")
    parser.add_argument("--profile", type=Path, metavar="FOLDER", help="where one round's kernels are listed")
    parser.add_argument("--seconds", type=float, default=520, help="no new round after this many, start included")
    parser.add_argument("--max-model-len", type=int, default=8192)
    parser.add_argument("--batched-tokens", type=int, default=16384)
    parser.add_argument("--gpu-memory", type=float, default=0.5)
    parser.add_argument("--stream-interval", type=int, default=1)
    parser.add_argument("--eager", action="store_true")
    parser.add_argument("--drafts", type=float, metavar="LENGTH", help="speculative decoding, LENGTH tokens a step")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def main() -> None:
    logging.basicConfig(level=logging.WARNING)
    given = arguments()
    result = asyncio.run(run(given))
    print(markdown(result))
    if given.out:
        given.out.write_text(json.dumps(result, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
