"""How long a reviewer waits between two pages with many items in the store, and what accepting and fixing cost.

    python benchmarks/review_queue.py [--items 10000] [--pages 20] [--chromium /usr/bin/chromium]

Fills a store with items of 40 lines over pictures of 1240 x 1754 pixels, starts app.py over it, and goes through
pages at the desk with one key each: with two seconds of work on each, then as fast as they come. A switch is timed in
the page from the key press to the frame that shows the next page with its picture; accepting includes the save.
Beside it stand the server's own answers (the queue, a claim, an item), and the key presses and requests for a right
page and for a page with three wrong lines.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from ocr_ui.domain.content import PageContent, TextLine  # noqa: E402
from ocr_ui.domain.geometry import Quad  # noqa: E402
from ocr_ui.domain.page import Page as Picture  # noqa: E402
from ocr_ui.domain.recognition import EngineName, Generation, PromptUsed, Recognition  # noqa: E402
from ocr_ui.services.figures import add_reading  # noqa: E402
from ocr_ui.settings import Settings  # noqa: E402
from ocr_ui.storage.store import Store  # noqa: E402

SIZE = 1240, 1754
LINES = 40
WANTED_SECONDS = 0.2

SWITCH = """([key, code]) => new Promise((resolve) => {
  const desk = document.querySelector('.wb-rv-desk');
  const image = desk.querySelector('.vw-board img');
  const before = desk.dataset.item;
  const start = performance.now();
  const look = () => {
    const there = desk.dataset.item && desk.dataset.item !== before && image.complete && image.naturalWidth > 0;
    if (there) requestAnimationFrame(() => resolve(performance.now() - start));
    else requestAnimationFrame(look);
  };
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true }));
  look();
})"""


def picture(number: int) -> bytes:
    image = Image.new("RGB", SIZE, "white")
    draw = ImageDraw.Draw(image)
    for line in range(LINES):
        draw.text((80, 60 + line * 40), f"Line {line} of picture {number}: Milk 1.25, Rye bread 2.40, Total", "black")
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def content(rng: random.Random) -> PageContent:
    lines = []
    for number in range(LINES):
        top = 60 + number * 40
        quad = Quad.from_points([(80, top), (900, top), (900, top + 30), (80, top + 30)])
        text = " ".join(rng.choice(("Milk", "bread", "Total", "合计", "12.50", "Thank you")) for _ in range(8))
        lines.append(TextLine(text, quad, rng.random(), f"l{number}"))
    return PageContent(lines=tuple(lines), text="\n".join(line.text for line in lines))


def fill(folder: Path, items: int) -> None:
    rng = random.Random(1)
    with Store.open(Settings(data_dir=folder)) as store:
        shas = [store.pictures.put(picture(number)) for number in range(20)]
        with store.transaction():
            for number in range(items):
                sha256, name = shas[number % len(shas)], f"page-{number}.png"
                page = store.pages.add_document(name, [Picture(sha256, *SIZE, name)], None).page_ids[0]
                read = Recognition(
                    page_sha256=sha256,
                    engine=EngineName("rapidocr", "3", "small", "r1"),
                    prompt=PromptUsed("full_text", "1", "spotting", "", {}, {}),
                    content=content(rng),
                    generation=Generation("", "stop", None, 1.0),
                    transform={},
                    timings={},
                )
                add_reading(store, read, page)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    told = {"OCR_UI_PORT": str(port), "OCR_UI_DATA_DIR": str(folder), "OCR_UI_ENGINE": "rapidocr"}
    server = subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env={**os.environ, **told})
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(address + "/readyz").close()
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait(20)


def asked(address: str, path: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def timed(times: int, act: Callable[[int], Any]) -> list[float]:
    found = []
    for number in range(times):
        start = time.perf_counter()
        act(number)
        found.append(time.perf_counter() - start)
    return found


def figures(name: str, seconds: list[float]) -> str:
    ordered = sorted(seconds)
    at = lambda share: ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000  # noqa: E731
    return f"{name:<44}{statistics.median(ordered) * 1000:7.0f}{at(0.9):7.0f}{ordered[-1] * 1000:7.0f}{len(ordered):6}"


def server_times(address: str) -> Iterator[str]:
    queue = "/v1/queue?states=pending&states=in_progress&sort={}&person=Ann"
    for sort in ("newest", "least_sure", "disagreement"):
        yield figures(f"queue by {sort}", timed(5, lambda _, sort=sort: asked(address, queue.format(sort))))
    ids = asked(address, queue.format("newest"))["items"]
    held = {"holder": "benchmark", "query": {"states": ["pending", "in_progress"]}}
    claims = timed(50, lambda n: asked(address, "/v1/queue/take", {**held, "items": ids[-200 - n :][:200]}))
    yield figures("a claim", claims)
    yield figures("an item", timed(50, lambda n: asked(address, f"/v1/items/{ids[n]}")))
    asked(address, "/v1/queue/release", {"holder": "benchmark"})


def begin(page: Page, address: str) -> None:
    page.goto(f"{address}/en/")
    page.wait_for_selector("#viewer [data-ready='1']", state="attached")
    page.get_by_role("tab", name="Dataset").click()
    page.wait_for_selector("#items tr[data-id]")
    page.fill("#review-person", "Ann")
    page.wait_for_selector("#review-start:enabled")
    page.click("#review-start")
    page.wait_for_selector(".wb-rv-desk[data-item]")
    page.wait_for_timeout(2000)


def switches(page: Page, pages: int, key: tuple[str, str], pause_ms: int) -> list[float]:
    found = []
    for _ in range(pages):
        page.wait_for_timeout(pause_ms)
        found.append(page.evaluate(SWITCH, list(key)) / 1000)
    return found


def cost(page: Page, keys: list[str]) -> str:
    """Presses these keys on the page that is shown, and counts what they ask of the server before the next stands."""
    requests: list[str] = []
    note = lambda request: requests.append(request.url.partition("/v1/")[2]) if "/v1/" in request.url else None  # noqa: E731
    before = page.get_attribute(".wb-rv-desk", "data-item")
    page.on("request", note)
    for key in keys:
        page.keyboard.press(key) if len(key) == 1 or key.isalpha() or "+" in key else page.keyboard.insert_text(key)
    changed = "before => ![undefined, before].includes(document.querySelector('.wb-rv-desk').dataset.item)"
    page.wait_for_function(changed, arg=before)
    page.remove_listener("request", note)
    waited = [path for path in requests if path.startswith("corrections")]
    return f"{len(keys)} keys, {len(waited)} request waited for ({len(requests)} in all)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        fill(Path(folder), options.items)
        with served(Path(folder)) as address:
            browser = playwright.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"])
            load = os.getloadavg()[0]
            print(f"{options.items} items, Chromium {browser.version}, {platform.machine()}, load {load:.1f}")
            print(f"{'milliseconds':<44}{'median':>7}{'p90':>7}{'most':>7}{'n':>6}")
            for line in server_times(address):
                print(line)
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            begin(page, address)
            following, accepting = ("]", "BracketRight"), ("a", "KeyA")
            for name, key, pause in (
                ("next page, two seconds of work on each", following, 2000),
                ("accept and next, two seconds on each", accepting, 2000),
                ("accept and next, as fast as they come", accepting, 0),
            ):
                print(figures(name, switches(page, options.pages, key, pause)))
            page.wait_for_timeout(2000)
            print("a right page:", cost(page, ["a"]))
            page.wait_for_timeout(2000)
            line = ["Enter", "Control+a", "x", "Enter", "Escape"]
            print("three wrong lines:", cost(page, ["Home", *line, *line, *line, "Control+Enter"]))
            browser.close()
    print(f"wanted: a switch in less than {WANTED_SECONDS} s")


if __name__ == "__main__":
    main()
