"""The product against what a user would get without it, on one card with the same pages, in turns.

Usage: python benchmarks/speed.py --model DIR [--loads 32 96] [--rounds 5] [--tokens 1024] [--seconds 540] [--dummy]
                                  [--parts product tokens penalty switches drafts server transformers] [--out FILE]

Each way runs in a process of its own, all of them on the first card, and only one works at a time. Parts:
- product: "plain", vLLM's AsyncLLM with the flags of the model's own recipe, asked in its process and nothing else;
  "product", `VllmEngine` with the product's settings, asked as the service asks; "small", the same with pictures of
  --pixels pixels, as pixels by need may choose them.
- tokens: the answers of plain, the product, and the product with as many batched tokens as plain has, which takes a
  page in the same pieces as plain does: what is left between them then is all else that the product does otherwise.
- penalty: plain and the product, each with the repetition penalty of the recipe and without.
- switches: the product with weights in fp8, and with its cache in fp8, to the product without.
- drafts: the product with DFlash at 4, 8 and 15 drafted tokens, or those of --drafted, to the product without, and the
  share rejected.
- server: vLLM's OpenAI server with the same flags as plain, asked as the model's batch client does: streamed, 16 at
  once; plain and the product beside it.
- transformers: the model's own `generate`, one page.

They take turns, round by round, the order changing each time. Ratios are pages a second to plain's, the mean of the
rounds (of logarithms) with its 95% interval. Besides: one token out (what pictures cost), the first token alone, and
whether the tokens are equal under greedy decoding, example after example, with plain against itself under load beside
it, since vLLM adds numbers up in another order where more pages are read at once, and how many of the answers differ
from each other: where all pictures get one answer, equal tokens say little.

--dummy takes random weights, for a folder of benchmarks/full_size_model.py; one that was written with --weights needs
no --dummy, and answers each picture in another way.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import multiprocessing
import os
import platform
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from PIL import Image

from benchmarks.engine import (
    PAGE,
    PICTURES,
    PROMPT,
    Card,
    Measured,
    Row,
    change_arguments,
    measure,
    page,
    product,
    ratio,
)
from ocr_ui.engines.asking import SAMPLING, messages
from ocr_ui.engines.base import EngineLoad
from ocr_ui.engines.vllm_embedded import VllmEngine
from ocr_ui.settings import Settings

SHARE = 0.3
"""Of the card's memory for each engine: three are there at a time."""
CACHE = 34 * 10**9
"""Bytes for the pages that are read at once, the same for all: 96 of them with 1,024 tokens out."""
SAME_TOKENS = 128
EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
BATCH_CLIENT = 16
PORT = 18123


def pictures(pixels: int | None = None) -> list[Image.Image]:
    """The pages that all are asked about, with at most so many pixels."""
    pages = [page(seed) for seed in range(PICTURES)]
    if pixels is None:
        return pages
    scale = (pixels / (PAGE[0] * PAGE[1])) ** 0.5
    size = tuple(int(side * scale) for side in PAGE)
    return [one.resize(size, Image.Resampling.LANCZOS) for one in pages]


def examples() -> list[Image.Image]:
    """Pictures that differ from each other, of many sizes: what answers are compared on."""
    files = sorted(file for file in EXAMPLES.iterdir() if file.suffix != ".json")
    return [Image.open(file).convert("RGB") for file in files]


def official(given: argparse.Namespace) -> dict[str, Any]:
    """vLLM's arguments as the model's recipe gives them."""
    return {
        "model": given.model,
        "load_format": "dummy" if given.dummy else "auto",
        "enable_prefix_caching": False,
        "mm_processor_cache_gb": 0,
        "gpu_memory_utilization": SHARE,
        "kv_cache_memory_bytes": CACHE,
        "max_model_len": 8192,
    }


class Plain:
    """vLLM by itself."""

    def __init__(self, given: argparse.Namespace) -> None:
        os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
        self._given = given
        self._pages, self._examples = pictures(), examples()

    async def start(self) -> dict[str, str]:
        from vllm import AsyncEngineArgs
        from vllm.v1.engine.async_llm import AsyncLLM

        limit = {"limit_mm_per_prompt": {"image": 1}}
        self._llm = AsyncLLM.from_engine_args(AsyncEngineArgs(**official(self._given), **limit))
        self._text = self._llm.renderer.get_tokenizer().apply_chat_template(
            messages(PROMPT, {"type": "image"}), tokenize=False, add_generation_prompt=True
        )
        scheduler = self._llm.vllm_config.scheduler_config
        return {
            "model_runner": "V2" if self._llm.vllm_config.use_v2_model_runner else "V1",
            "batched_tokens": str(scheduler.max_num_batched_tokens),
        }

    def ask(self, tokens: int, kind: str) -> Callable[[int], AsyncIterator[int]]:
        sampling = changed(kind)

        async def ask(number: int) -> AsyncIterator[int]:
            async for ids in self._answer(self._pages[number % PICTURES], tokens, **sampling):
                yield len(ids)

        return ask

    async def ids(self, number: int, tokens: int) -> list[int]:
        picture = self._examples[number % len(self._examples)]
        return [token async for ids in self._answer(picture, tokens) for token in ids]

    async def _answer(self, picture: Image.Image, tokens: int, **sampling: Any) -> AsyncIterator[Sequence[int]]:
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind

        asked = {**SAMPLING, "max_tokens": tokens, "ignore_eos": True, **sampling}
        params = SamplingParams(**asked, output_kind=RequestOutputKind.DELTA)
        prompt = {"prompt": self._text, "multi_modal_data": {"image": picture}}
        async for output in self._llm.generate(prompt, params, request_id=f"{time.perf_counter_ns()}"):
            yield output.outputs[0].token_ids

    async def close(self) -> None:
        await asyncio.to_thread(self._llm.shutdown)


class Product:
    """The product's engine with its own settings, but for the memory.

    Args:
        changes: settings that are tried.
    """

    def __init__(self, given: argparse.Namespace, **changes: Any) -> None:
        self._pages, self._small, self._examples = pictures(), pictures(given.pixels), examples()
        change_arguments(lambda asked: {**asked, "kv_cache_memory_bytes": CACHE})
        self._engine = VllmEngine(
            Settings(
                _env_file=None,
                model=given.model,
                load_format="dummy" if given.dummy else "auto",
                max_model_len=8192,
                max_num_seqs=max(given.loads),
                gpu_memory_utilization=SHARE,
                first_token_timeout=600,
                silence_timeout=600,
                **{"dflash": "off", **changes},
            )
        )

    async def start(self) -> dict[str, str]:
        await self._engine.start()
        return self._engine.description

    def ask(self, tokens: int, kind: str) -> Callable[[int], AsyncIterator[int]]:
        return product(self._engine, self._small if kind == SMALL else self._pages, tokens, **changed(kind))

    def load(self) -> EngineLoad:
        return self._engine.load()

    async def ids(self, number: int, tokens: int) -> list[int]:
        from ocr_ui.engines.vllm_stream import parameters

        prepared = await self._engine._render(PROMPT, np.asarray(self._examples[number % len(self._examples)]))
        params = parameters({**SAMPLING, "max_tokens": tokens, "ignore_eos": True})
        name = f"ids-{time.perf_counter_ns()}-{number}"
        return [t async for o in self._engine._llm.generate(prepared, params, name) for t in o.outputs[0].token_ids]

    async def close(self) -> None:
        await self._engine.close()


class Server:
    """vLLM's OpenAI server with the official flags, asked from here."""

    def __init__(self, given: argparse.Namespace) -> None:
        flags = official(given)
        named = {name.replace("_", "-"): value for name, value in flags.items() if name != "enable_prefix_caching"}
        command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--no-enable-prefix-caching"]
        command += ["--served-model-name", "hunyuan", "--port", str(PORT), "--host", "127.0.0.1"]
        command += [part for name, value in named.items() for part in (f"--{name}", str(value))]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._urls = [url_of(one) for one in pictures()]

    async def start(self) -> dict[str, str]:
        import httpx
        from openai import AsyncOpenAI

        async with httpx.AsyncClient() as client:
            while self._process.poll() is None:
                with suppress(httpx.HTTPError):
                    if (await client.get(f"http://127.0.0.1:{PORT}/health")).is_success:
                        break
                await asyncio.sleep(0.5)
            else:
                raise RuntimeError("the server did not start")
        self._client = AsyncOpenAI(base_url=f"http://127.0.0.1:{PORT}/v1", api_key="none", timeout=600)
        return {"server": "vllm.entrypoints.openai.api_server"}

    def ask(self, tokens: int, kind: str) -> Callable[[int], AsyncIterator[int]]:
        extra = {key: value for key, value in SAMPLING.items() if key in ("top_k", "repetition_penalty")}

        async def ask(number: int) -> AsyncIterator[int]:
            picture = {"type": "image_url", "image_url": {"url": self._urls[number % PICTURES]}}
            stream = await self._client.chat.completions.create(
                model="hunyuan",
                messages=messages(PROMPT, picture),
                temperature=0,
                max_tokens=tokens,
                stream=True,
                extra_body={**extra, "ignore_eos": True, "return_token_ids": True},
            )
            async for chunk in stream:
                for choice in chunk.choices:
                    if found := (choice.model_extra or {}).get("token_ids"):
                        yield len(found)

        return ask

    async def close(self) -> None:
        self._process.terminate()
        self._process.wait(30)


class Transformers:
    """The model's own `generate`, one page at a time."""

    def __init__(self, given: argparse.Namespace) -> None:
        self._model, self._dummy = given.model, given.dummy

    async def start(self) -> dict[str, str]:
        import torch
        import transformers

        kind = transformers.HunYuanVLForConditionalGeneration
        self._processor = transformers.AutoProcessor.from_pretrained(self._model)
        if self._dummy:
            with torch.device("cuda"):
                torch.set_default_dtype(torch.bfloat16)
                self._net = kind(transformers.AutoConfig.from_pretrained(self._model)).eval()
                torch.set_default_dtype(torch.float32)
        else:
            self._net = kind.from_pretrained(self._model, dtype=torch.bfloat16).to("cuda").eval()
        self._pages = pictures()
        return {"transformers": transformers.__version__}

    def ask(self, tokens: int, kind: str) -> Callable[[int], AsyncIterator[int]]:
        async def ask(number: int) -> AsyncIterator[int]:
            asked = self._processor.apply_chat_template(
                messages(PROMPT, {"type": "image", "image": self._pages[number % PICTURES]}),
                tokenize=True,
                add_generation_prompt=True,
                return_dict=True,
                return_tensors="pt",
            ).to("cuda")
            penalty = SAMPLING["repetition_penalty"]
            limits = {"max_new_tokens": tokens, "min_new_tokens": tokens, "repetition_penalty": penalty}
            made = await asyncio.to_thread(self._net.generate, **asked, **limits, do_sample=False)
            yield made.shape[1] - asked["input_ids"].shape[1]

        return ask

    async def close(self) -> None:
        del self._net


AS_PLAIN = "product, batched as plain"
OFFICIAL_BATCH = 2048
"""Tokens that vLLM's engine takes in at a time where nothing is said."""

WAYS: dict[str, Callable[[argparse.Namespace], Any]] = {
    "plain": Plain,
    "product": Product,
    AS_PLAIN: lambda given: Product(given, max_num_batched_tokens=OFFICIAL_BATCH),
    "fp8 weights": lambda given: Product(given, quantization="fp8"),
    "fp8 cache": lambda given: Product(given, kv_cache_dtype="fp8"),
    "server": Server,
    "transformers": Transformers,
}
PARTS = ("product", "tokens", "penalty", "switches", "drafts", "server", "transformers")


SMALL, UNPENALISED, DRAFTED = "small", "without penalty", " drafted"


def changed(kind: str) -> dict[str, Any]:
    """What is asked for otherwise than the recipe does."""
    return {"repetition_penalty": 1.0} if kind == UNPENALISED else {}


def url_of(picture: Image.Image) -> str:
    """A picture as the batch client sends it."""
    import base64
    import io

    out = io.BytesIO()
    picture.save(out, "PNG")
    return "data:image/png;base64," + base64.b64encode(out.getvalue()).decode()


async def serve(way: str, given: argparse.Namespace, orders: Connection) -> None:
    """One way in its process: does what it is told until there is nothing more."""
    count, drafted, _ = way.partition(DRAFTED)
    one = Product(given, dflash="on", draft_tokens=int(count)) if drafted else WAYS[way](given)
    begun = time.monotonic()
    orders.send({**await one.start(), "up_seconds": f"{time.monotonic() - begun:.1f}"})
    while order := await asyncio.to_thread(orders.recv):
        kind, load, tokens = order
        if kind == "ids":
            places = asyncio.Semaphore(load)
            count = max(load, len(examples()))
            orders.send(await asyncio.gather(*[ids_of(one, number, tokens, places) for number in range(count)]))
        elif kind == "load":
            orders.send(one.load())
        else:
            orders.send(await measure(one.ask(tokens, kind), load))
    await one.close()
    orders.send(None)


async def ids_of(one: Any, number: int, tokens: int, places: asyncio.Semaphore) -> list[int]:
    async with places:
        return await one.ids(number, tokens)


def run_way(way: str, given: argparse.Namespace, orders: Connection) -> None:
    logging.basicConfig(level=logging.WARNING)
    try:
        asyncio.run(serve(way, given, orders))
    except Exception as error:  # told to the one who waits
        logging.getLogger(__name__).exception("%s ended", way)
        with suppress(OSError):
            orders.send(error)


class Worker:
    """A way in a process of its own."""

    def __init__(self, way: str, given: argparse.Namespace) -> None:
        self.way = way
        self._orders, other = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("spawn").Process(target=run_way, args=(way, given, other))
        self._process.start()
        self.about: dict[str, str] = {}

    def ready(self) -> None:
        self.about = self._answer()
        print(json.dumps({self.way: self.about}, ensure_ascii=False), flush=True)

    def measure(self, load: int, tokens: int, kind: str = "") -> Measured:
        self._orders.send((kind, load, tokens))
        return self._answer()

    def load(self) -> EngineLoad:
        self._orders.send(("load", 0, 0))
        return self._answer()

    def ids(self, load: int) -> list[list[int]]:
        self._orders.send(("ids", load, SAME_TOKENS))
        return self._answer()

    def close(self) -> None:
        with suppress(OSError):
            self._orders.send(None)
        self._process.join(60)
        if self._process.is_alive():
            self._process.kill()

    def _answer(self) -> Any:
        while not self._orders.poll(1):
            if not self._process.is_alive():
                raise RuntimeError(f"{self.way} ended")
        found = self._orders.recv()
        if isinstance(found, Exception):
            raise found
        return found


@contextmanager
def working(given: argparse.Namespace, *ways: str) -> Iterator[list[Worker]]:
    """Some ways, ready and warmed up, for a while."""
    workers = [Worker(way, given) for way in ways]
    try:
        for worker in workers:
            worker.ready()
            worker.measure(1 if worker.way == "transformers" else 16, 16)
        yield workers
    finally:
        for worker in workers:
            worker.close()


@dataclass
class Otherwise:
    """A way that is there already, asked for something else: SMALL or UNPENALISED."""

    worker: Worker
    kind: str
    way: str

    def measure(self, load: int, tokens: int) -> Measured:
        return self.worker.measure(load, tokens, self.kind)


Asked = Worker | Otherwise


def in_turns(workers: Sequence[Asked], load: int, tokens: int, rounds: int, card: Card, until: float) -> list[Row]:
    """All of them at one load, round by round, the order changing each time."""
    rows = [Row(worker.way, load) for worker in workers]
    for number in range(rounds):
        if time.monotonic() > until:
            print(f"left out for want of time: {tokens} tokens at {load}, round {number + 1} and later", flush=True)
            break
        pairs = list(zip(workers, rows, strict=True))
        for worker, row in pairs if number % 2 == 0 else pairs[::-1]:
            with card.watched():
                row.rounds.append(worker.measure(load, tokens))
            row.card = card.summary() or row.card
    for row in rows:
        if row.rounds:
            print(json.dumps({**row.summary(), "tokens": tokens}, ensure_ascii=False), flush=True)
    return [row for row in rows if row.rounds]


def told(rows: Sequence[Row], tokens: int) -> list[dict[str, Any]]:
    """Each row to the first one."""
    found = []
    for row in rows[1:]:
        compared = {"way": row.way, "to": rows[0].way, "tokens": tokens, **ratio(row, rows[0])}
        print(json.dumps(compared), flush=True)
        found.append(compared)
    return found


def equal_tokens(plain: Worker, *others: Worker, load: int) -> dict[str, str]:
    """How many examples begin with the same tokens, and how many of their tokens do: each against plain, one by one."""
    reference = plain.ids(1)
    compared = {"plain again, alone": plain.ids(1), f"plain, {load} at once": plain.ids(load)}
    for other in others:
        compared |= {f"{other.way} alone": other.ids(1), f"{other.way}, {load} at once": other.ids(load)}
    apart = len({tuple(ids) for ids in reference})
    found = {name: agreement(reference, ids) for name, ids in compared.items()}
    return {"answers of plain": f"{apart} different ones to {len(reference)} pictures", **found}


def agreement(reference: Sequence[Sequence[int]], ids: Sequence[Sequence[int]]) -> str:
    """Of the pictures that both have."""
    lengths = [agreed(one, other) for one, other in zip(reference, ids, strict=False)]
    whole = sum(length == SAME_TOKENS for length in lengths)
    mean = sum(lengths) / len(lengths)
    return f"{whole} of {len(lengths)} pictures equal, {mean:.0f} of {SAME_TOKENS} tokens in the mean"


def agreed(one: Sequence[int], other: Sequence[int]) -> int:
    """Tokens before the first difference."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (mine, its) in enumerate(pairs) if mine != its), min(len(one), len(other)))


def run(given: argparse.Namespace) -> dict[str, Any]:
    until = time.monotonic() + given.seconds
    card = Card()
    about: dict[str, Any] = {
        "card": card.name,
        "python": platform.python_version(),
        "pixels": f"{PAGE[0]} x {PAGE[1]}",
        "date": time.strftime("%Y-%m-%d"),
    }
    print(json.dumps(about), flush=True)
    rows: list[dict[str, Any]] = []
    ratios: list[dict[str, Any]] = []

    def compare(workers: Sequence[Asked], load: int, tokens: int, rounds: int) -> None:
        found = in_turns(workers, load, tokens, rounds, card, until)
        rows.extend({**row.summary(), "tokens": tokens} for row in found)
        ratios.extend(told(found, tokens))

    def drafts(workers: Sequence[Worker]) -> None:
        for load in (1, min(given.loads)):
            compare(workers, load, given.tokens, given.rounds)
        alone = workers[0].ids(1)
        for worker in workers[1:]:
            load = worker.load()
            about[worker.way] = {
                **worker.about,
                "drafts rejected": f"{load.drafts_rejected / max(1, load.drafts):.1%}",
                "tokens accepted": f"{load.draft_tokens_accepted / max(1, load.draft_tokens):.1%}",
                "to none": agreement(alone, worker.ids(1)),
            }
            print(json.dumps({worker.way: about[worker.way]}), flush=True)

    if "product" in given.parts:
        with working(given, "plain", "product") as workers:
            about |= {worker.way: worker.about for worker in workers}
            about["equal tokens"] = equal_tokens(*workers, load=min(given.loads))
            print(json.dumps(about["equal tokens"]), flush=True)
            small = Otherwise(workers[1], SMALL, "small")
            compare(workers, 1, 8, 2 * given.rounds)
            compare([*workers, small], min(given.loads), 1, given.rounds)
            for load in given.loads:
                compare([*workers, small], load, given.tokens, given.rounds)
    if "tokens" in given.parts:
        with working(given, "plain", "product", AS_PLAIN) as workers:
            about["equal tokens"] = equal_tokens(*workers, load=min(given.loads))
            print(json.dumps(about["equal tokens"]), flush=True)
    if "penalty" in given.parts:
        with working(given, "plain", "product") as workers:
            for worker in reversed(workers):
                other = Otherwise(worker, UNPENALISED, f"{worker.way}, no penalty")
                for load in given.loads:
                    compare([worker, other], load, given.tokens, given.rounds)
    if "switches" in given.parts:
        with working(given, "product", "fp8 weights", "fp8 cache") as workers:
            about |= {worker.way: worker.about for worker in workers}
            for load in given.loads:
                compare(workers, load, given.tokens, given.rounds)
    if "drafts" in given.parts:
        for at in range(0, len(given.drafted), 2):
            with working(given, "product", *[f"{count}{DRAFTED}" for count in given.drafted[at : at + 2]]) as workers:
                drafts(workers)
    if "server" in given.parts:
        with working(given, "plain", "server", "product") as workers:
            compare(workers, BATCH_CLIENT, given.tokens, given.rounds)
    if "transformers" in given.parts:
        with working(given, "transformers") as workers:
            compare(workers, 1, given.tokens, 1)
    return {"about": about, "rows": rows, "ratios": ratios}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--dummy", action="store_true", help="random weights")
    parser.add_argument("--loads", type=int, nargs="*", default=[32, 96])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=1024)
    parser.add_argument("--pixels", type=int, default=1024 * 1024, help="of the pages of the way named small")
    parser.add_argument("--drafted", type=int, nargs="*", default=[4, 8, 15], help="tokens that are drafted at a time")
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument("--seconds", type=float, default=540, help="no new round after this many, start included")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def main() -> None:
    given = arguments()
    result = run(given)
    if given.out:
        given.out.write_text(json.dumps(result, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
