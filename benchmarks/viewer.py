"""How fluid the viewer is: frames a second while a person hovers, pans, zooms, drags, steps and types.

    python benchmarks/viewer.py [--boxes 300 1000 2000] [--table 100] [--chromium /usr/bin/chromium]

Drives Chromium through Playwright over `viewer_page.py`: 80 input events of each kind, frames counted by
requestAnimationFrame from the first event to the last. Beside it stands the processor time of the page's main thread
for one event, which a busy machine does not change. Chromium draws in software where there is no GPU.

Of a table with so many rows of 30 cells: milliseconds from a key until its outcome is on the screen, median of nine.
"""

from __future__ import annotations

import argparse
import os
import platform
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

import uvicorn
from playwright.sync_api import CDPSession, Page, sync_playwright
from viewer_page import build

EVENTS = 80
WANTED_FPS = 50

COUNT_FRAMES = """() => {
  const frames = [performance.now()];
  window.counting = true;
  const tick = () => { frames.push(performance.now()); if (window.counting) requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
  window.stopCounting = () => {
    window.counting = false;
    const gaps = frames.slice(1).map((time, index) => time - frames[index]);
    return { fps: 1000 * gaps.length / (frames.at(-1) - frames[0]), worst: Math.max(...gaps) };
  };
}"""
VIEWER = "[...document.querySelectorAll('*')].find((node) => node.mounted?.editor).mounted"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def served() -> Iterator[str]:
    """The address of the page, served from a thread."""
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(build(), port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(5)


class Person:
    """Does one thing eighty times."""

    def __init__(self, page: Page) -> None:
        self.page = page
        pane = page.locator(".vw-pane").bounding_box()
        assert pane is not None
        self.left, self.top, self.width, self.height = pane["x"], pane["y"], pane["width"], pane["height"]

    def place(self, x: float, y: float) -> tuple[float, float]:
        return self.left + self.width * x, self.top + self.height * y

    def hover(self) -> None:
        for step in range(EVENTS):
            self.page.mouse.move(*self.place(0.2 + 0.6 * step / EVENTS, 0.3 + 0.005 * (step % 40)))

    def pan(self) -> None:
        self.page.mouse.move(*self.place(0.5, 0.01))
        self.page.mouse.down()
        for step in range(EVENTS):
            self.page.mouse.move(*self.place(0.5 + 0.002 * step, 0.01 + 0.003 * step))
        self.page.mouse.up()

    def zoom(self) -> None:
        self.page.mouse.move(*self.place(0.5, 0.5))
        for step in range(EVENTS):
            self.page.mouse.wheel(0, -30 if step < EVENTS / 2 else 30)

    def drag(self) -> None:
        box = self.page.locator("polygon.selected").bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        for step in range(EVENTS):
            self.page.mouse.move(x + step, y + step / 2)
        self.page.mouse.up()

    def step(self) -> None:
        for _ in range(EVENTS):
            self.page.keyboard.press("j")

    def type(self) -> None:
        self.page.keyboard.press("Enter")
        for step in range(EVENTS):
            self.page.keyboard.press("abcdefgh"[step % 8])
        self.page.keyboard.press("Escape")

    def scroll(self) -> None:
        self.page.hover(".vw-list")
        for step in range(EVENTS):
            self.page.mouse.wheel(0, 400 if step < EVENTS / 2 else -400)


def main_thread_seconds(session: CDPSession) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")


def measured(page: Page, session: CDPSession, act: Callable[[], None]) -> str:
    page.wait_for_timeout(300)
    page.evaluate(COUNT_FRAMES)
    before = main_thread_seconds(session)
    act()
    busy = (main_thread_seconds(session) - before) / EVENTS * 1000
    page.wait_for_timeout(60)
    result = page.evaluate("() => window.stopCounting()")
    return f"{result['fps']:5.0f} fps, longest frame {result['worst']:4.0f} ms, main thread {busy:5.1f} ms an event"


def open_page(page: Page, address: str, boxes: int) -> float:
    """Seconds until all boxes and rows are there."""
    start = time.perf_counter()
    page.goto(f"{address}/?set=big&lines={boxes}")
    page.wait_for_selector(f".vw-row[data-id=l{boxes - 1}]", state="attached", timeout=60_000)
    return time.perf_counter() - start


def run(page: Page, address: str, boxes: int) -> dict[str, str]:
    seconds = open_page(page, address, boxes)
    person = Person(page)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    results = {"ready": f"{seconds:.1f} s"}
    for name in ("hover", "pan", "zoom"):
        results[name] = measured(page, session, getattr(person, name))
    page.evaluate(f"() => {{ const v = {VIEWER}; v.stage.fit(); v.editor.select('l{boxes // 2}'); }}")
    for name in ("drag", "step", "type", "scroll"):
        results[name] = measured(page, session, getattr(person, name))
    return results


def streaming(page: Page, address: str, boxes: int) -> str:
    """Frames while lines come twenty times a second."""
    page.goto(f"{address}/?set=big&lines={boxes}&stream=1")
    page.wait_for_selector(".vw-row", state="attached", timeout=60_000)
    page.evaluate(COUNT_FRAMES)
    page.wait_for_selector(f".vw-row[data-id=l{boxes - 1}]", state="attached", timeout=60_000)
    result = page.evaluate("() => window.stopCounting()")
    return f"{result['fps']:5.0f} fps, longest frame {result['worst']:4.0f} ms"


KEY_TO_SCREEN = """key => new Promise(done => {
  const begin = performance.now();
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { ...key, bubbles: true, cancelable: true }));
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
})"""
TABLE_KEYS = {
    "row": {"key": "r", "altKey": True},
    "column": {"key": "c", "altKey": True},
    "remove": {"key": "Delete", "altKey": True},
    "go": {"key": "ArrowDown"},
    "undo": {"key": "z", "ctrlKey": True},
}


def table_times(page: Page, address: str, rows: int) -> dict[str, str]:
    """How long it takes to insert a row or a column in the middle of a table, to remove a row, to go on by a cell, and
    to undo."""
    page.goto(f"{address}/?set=table&lines={rows}")
    page.wait_for_selector(".vw-tab[data-view=tables]", timeout=60_000)
    page.wait_for_selector(".vw.has-page", timeout=60_000)
    page.keyboard.press("Alt+t")
    page.evaluate(f"() => {VIEWER}.tables.goTo({rows // 2}, 10)")
    page.wait_for_timeout(1000)
    times = {}
    for name, key in TABLE_KEYS.items():
        taken = []
        for _ in range(9):
            page.wait_for_timeout(150)
            taken.append(page.evaluate(KEY_TO_SCREEN, key))
        times[name] = f"{sorted(taken)[4]:5.0f} ms, longest {max(taken):4.0f} ms"
    return times


def conditions(browser: Any) -> str:
    versions = " ".join(f"{name} {version(name)}" for name in ("gradio", "playwright"))
    cores, load = os.cpu_count(), os.getloadavg()[0]
    return f"{versions}, Chromium {browser.version}, {platform.machine()}, {cores} cores, load {load:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boxes", type=int, nargs="*", default=[300, 1000, 2000])
    parser.add_argument("--table", type=int, nargs="*", default=[100], metavar="ROWS")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--size", type=int, nargs=2, default=[1280, 800], metavar=("WIDTH", "HEIGHT"))
    options = parser.parse_args()
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"])
        print(conditions(browser))
        print(f"window {options.size[0]} x {options.size[1]}, page 2480 x 3508; wanted: {WANTED_FPS} fps at 1000 boxes")
        for boxes in options.boxes:
            page = browser.new_page(viewport={"width": options.size[0], "height": options.size[1]})
            results = run(page, address, boxes)
            results["stream"] = streaming(page, address, boxes)
            print(f"\n{boxes} boxes")
            for name, result in results.items():
                print(f"  {name:<8}{result}")
            page.close()
        for rows in options.table:
            page = browser.new_page(viewport={"width": options.size[0], "height": options.size[1]})
            print(f"\ntable of {rows} x 30")
            for name, result in table_times(page, address, rows).items():
                print(f"  {name:<8}{result}")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
