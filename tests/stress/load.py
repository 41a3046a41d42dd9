"""Many clients at once against the running product, and what it costs: `make soak`.

REST clients read pictures, half of them as a stream; page sessions do what a tab does: load the page, hand a picture
in, press Read and listen. Memory, open files and sockets of the server are noted every second and written as CSV and
SVG.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import statistics
import sys
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx
from stored import png

from ocr_ui.client import Client
from tests.stress.serving import serving

BUSY = (429, 503)
REFUSALS = ("queue_full", "too_many_requests", "store_locked")
"""What would be a 503 with Retry-After, in a stream whose head was sent already: nothing is saved, and may be asked for
again."""
EXAMPLE = Path(__file__).resolve().parent.parent.parent / "examples" / "film_still.jpg"
MEASURES = ("memory MB", "open files", "sockets", "threads", "read in all")
FLAT = {"memory MB": 60, "open files": 60, "sockets": 60}
"""What the growth of the database's caches and of Python's arenas may be, beside a page of 100 MB kept for good; and
how far the connections of one moment differ from those of another, beside a file kept for each reading."""
WAIT = 0.5
"""Seconds that a client that was refused waits, where the server asks for longer: the pressure is the point."""


@dataclass
class Load:
    """What came of it.

    Attributes:
        answers: how often, by the status or by what failed.
        read: items that were acknowledged.
        seconds: of every answered reading.
        samples: seconds since the start and MEASURES.
    """

    answers: Counter[str] = field(default_factory=Counter)
    read: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    samples: list[tuple[float, ...]] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)

    @property
    def errors(self) -> dict[str, int]:
        """All that is neither an answer nor a refusal because of the load."""
        return {told: number for told, number in self.answers.items() if told not in ("200", "page", "429", "503")}

    @property
    def growth(self) -> dict[str, float]:
        """By how much the last quarter's median is over the second quarter's, by measure; the start is left out."""
        quarter = max(1, len(self.samples) // 4)
        columns = dict(zip(MEASURES, list(zip(*self.samples, strict=True))[1:], strict=True)) if self.samples else {}
        return {
            name: round(statistics.median(values[-quarter:]) - statistics.median(values[quarter : 2 * quarter]), 1)
            for name, values in columns.items()
            if name in FLAT
        }

    @property
    def grown(self) -> dict[str, float]:
        """What did not stay flat."""
        return {name: by for name, by in self.growth.items() if by > FLAT[name]}

    def told(self) -> dict[str, Any]:
        of = sorted(self.seconds)
        share = (
            {
                name: round(of[min(len(of) - 1, int(len(of) * part))], 3)
                for name, part in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
            }
            if of
            else {}
        )
        columns = list(zip(*self.samples, strict=True))[1:] if self.samples else []
        ranges = {name: [min(values), max(values)] for name, values in zip(MEASURES, columns, strict=False)}
        return {
            "answers": dict(self.answers),
            "read": len(self.read),
            "lost": len(self.lost),
            "seconds": share,
            "growth": self.growth,
            **ranges,
        }


async def load(url: str, pid: int, seconds: float, clients: int = 200, sessions: int = 20, real: bool = False) -> Load:
    """Args: pid: of the server. real: pictures with text for a real engine, else tiny ones that all differ."""
    found, end, numbers = Load(), time.monotonic() + seconds, count(1)
    picture = EXAMPLE.read_bytes() if real else b""
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=url, timeout=120, limits=limits) as http:
        work = [_client(http, found, end, numbers, picture, streamed=bool(n % 2)) for n in range(clients)]
        work += [_session(http, found, end, numbers, picture) for _ in range(sessions)]
        watching = asyncio.create_task(_watch(pid, found))
        await asyncio.gather(*work)
        watching.cancel()
    found.lost = await asyncio.to_thread(_lost, url, found.read)
    return found


def _lost(url: str, read: Sequence[int]) -> list[int]:
    """What was acknowledged and does not stand in the store."""
    with Client(url) as client:
        kept = {row["id"] for row in client.recognitions() if row["outcome"] == "complete"}
    return sorted(set(read) - kept)


async def _client(
    http: httpx.AsyncClient, found: Load, end: float, numbers: Any, picture: bytes, streamed: bool
) -> None:
    while time.monotonic() < end:
        form = {"files": {"file": ("a.png", picture or png(next(numbers)))}, "data": {"stream": str(streamed).lower()}}
        began = time.monotonic()
        try:
            status, item = await (_streamed if streamed else _whole)(http, form)
        except httpx.HTTPError as error:
            found.answers[f"{type(error).__name__}: {error}"[:100]] += 1
            continue
        found.answers[str(status)] += 1
        if item is not None:
            found.read.append(item)
            found.seconds.append(time.monotonic() - began)
        elif status in BUSY:
            await asyncio.sleep(WAIT)


async def _whole(http: httpx.AsyncClient, form: dict[str, Any]) -> tuple[int, int | None]:
    answer = await http.post("/v1/ocr", **form)
    return answer.status_code, answer.json()["id"] if answer.status_code == 200 else None


async def _streamed(http: httpx.AsyncClient, form: dict[str, Any]) -> tuple[int | str, int | None]:
    async with http.stream("POST", "/v1/ocr", **form) as answer:
        if answer.status_code != 200:
            return answer.status_code, None
        name, told = "", {}
        async for line in answer.aiter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                told = json.loads(line[6:])
    if name == "error":  # the head was sent already
        code = told["error"]["code"]
        return (503 if code in REFUSALS else code), None
    return (200, told["id"]) if name == "done" else ("a stream without an end", None)


async def _session(http: httpx.AsyncClient, found: Load, end: float, numbers: Any, picture: bytes) -> None:
    """A tab: it is loaded anew after every tenth page, as people do."""
    while time.monotonic() < end:
        try:
            async with _tab(http) as (tab, read, data):
                for _ in range(10):
                    if time.monotonic() < end:
                        await _read_in_tab(http, found, tab, read, data, picture or png(next(numbers)))
        except httpx.HTTPError as error:
            found.answers[f"tab: {type(error).__name__}: {error}"[:100]] += 1


@contextlib.asynccontextmanager
async def _tab(http: httpx.AsyncClient) -> AsyncIterator[tuple[str, int, list[Any]]]:
    """The id of a tab whose heartbeat goes on, the number of the handler of Read, and its values at the start."""
    (await http.get("/en/")).raise_for_status()
    config = (await http.get("/en/config")).raise_for_status().json()
    values = {one["id"]: one["props"].get("value") for one in config["components"]}
    handler = next(one for one in config["dependencies"] if one["api_name"] == "read")
    tab = uuid.uuid4().hex

    async def beat() -> None:
        with contextlib.suppress(httpx.HTTPError):
            async with http.stream("GET", f"/en/gradio_api/heartbeat/{tab}") as answer:
                async for _ in answer.aiter_raw():
                    pass

    beating = asyncio.create_task(beat())
    try:
        yield tab, handler["id"], [values[one] for one in handler["inputs"]]
    finally:
        beating.cancel()


async def _read_in_tab(
    http: httpx.AsyncClient, found: Load, tab: str, read: int, data: list[Any], picture: bytes
) -> None:
    received = await http.post("/v1/pictures", files={"file": ("a.png", picture)})
    if received.status_code != 200:
        found.answers[str(received.status_code)] += 1
        await asyncio.sleep(WAIT)
        return
    shown = {**json.loads(data[0]), "item": {"recognition_id": None, "page": received.json()["page"]}}
    asked = {
        "data": [json.dumps(shown), *data[1:]],
        "fn_index": read,
        "session_hash": tab,
        "trigger_id": read,
        "event_data": None,
    }
    (await http.post("/en/gradio_api/queue/join", json=asked)).raise_for_status()
    async with http.stream("GET", "/en/gradio_api/queue/data", params={"session_hash": tab}) as answer:
        async for line in answer.aiter_lines():
            told = json.loads(line[6:]) if line.startswith("data: ") else {}
            if told.get("msg") == "process_completed":
                found.answers["page" if told["success"] else f"page failed: {told['output']}"[:100]] += 1
                return


async def _watch(pid: int, found: Load) -> None:
    began = time.monotonic()
    while True:
        with contextlib.suppress(OSError, ValueError):
            found.samples.append((round(time.monotonic() - began, 1), *measured(pid), len(found.read)))
        await asyncio.sleep(1)


def measured(pid: int) -> tuple[float, int, int, int]:
    """Memory in MB, open files, of these sockets, threads of a process."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    kinds = Counter()
    for one in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            kinds["socket" if str(one.readlink()).startswith("socket:") else "file"] += 1
    memory = int(status["VmRSS"].split()[0]) / 1024
    return round(memory, 1), kinds.total(), kinds["socket"], int(status["Threads"])


def write(found: Load, out: Path) -> None:
    """`load.csv`, `load.json` and a curve for each measure in `load.svg`."""
    out.mkdir(parents=True, exist_ok=True)
    rows = [",".join(("seconds", *MEASURES)), *(",".join(map(str, sample)) for sample in found.samples)]
    (out / "load.csv").write_text("\n".join(rows) + "\n")
    (out / "load.json").write_text(json.dumps(found.told(), indent=1) + "\n")
    (out / "load.svg").write_text(curves(found.samples))


def curves(samples: Sequence[tuple[float, ...]], width: int = 800, height: int = 110) -> str:
    parts = []
    last = samples[-1][0] or 1
    for row, name in enumerate(MEASURES):
        values = [sample[row + 1] for sample in samples]
        most, top = max(values) or 1, row * (height + 30) + 24
        points = " ".join(
            f"{sample[0] / last * width:.1f},{top + height - value / most * height:.1f}"
            for sample, value in zip(samples, values, strict=True)
        )
        told = f"{name}: {values[0]:g} at first, {most:g} at most, {values[-1]:g} after {last:.0f} s"
        parts.append(f'<text x="4" y="{top - 8}" font-family="sans-serif" font-size="13">{told}</text>')
        parts.append(f'<polyline points="{points}" fill="none" stroke="#2563eb" stroke-width="1.5"/>')
    size = f'width="{width}" height="{len(MEASURES) * (height + 30)}"'
    body = "".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}><rect width="100%" height="100%" fill="#fff"/>{body}</svg>\n'
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--engine", default="scripted", help="scripted, rapidocr, ...")
    parser.add_argument("--out", type=Path, default=Path("build/load"))
    asked = parser.parse_args()
    with serving(asked.out.resolve() / f"data-{uuid.uuid4().hex[:8]}", asked.engine) as (url, process):
        real = asked.engine != "scripted"
        found = asyncio.run(load(url, process.pid, asked.seconds, asked.clients, asked.sessions, real))
    write(found, asked.out)
    sys.stdout.write((asked.out / "load.json").read_text())
    return 1 if found.errors or found.lost or found.grown else 0


if __name__ == "__main__":
    raise SystemExit(main())
