"""From pressing Read to the first line on the page and to the last, in a browser.

    python benchmarks/first_line.py [--data examples] [--rounds 3] [--only NAME ...] [--chromium /usr/bin/chromium]

Starts app.py with the CPU engine, hands in each picture as a person does, waits until nothing moves, and presses Read.
Timed in the page, from the press to the frame after the first line was drawn, and to the end; page and server share the
machine. Beside it stand when the server had the first line, from the beginning of the reading, and the processor time
that it spent until the end: compare with the engine's alone in cpu_engine.py.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.review_queue import served
from ocr_ui.imports.known_pages import known_pages
from ocr_ui.scoring.facts import read_fact

WANTED_SECONDS = 1.2

PRESS = """() => new Promise((resolve) => {
  const root = document.querySelector('#viewer [data-run]');
  let node = root;
  while (node && !node.mounted?.editor) node = node.parentNode ?? node.host;
  const start = performance.now();
  let first = null;
  const note = () => {
    if (first === null && root.querySelector('.vw-row[data-id]')) {
      first = 0;
      requestAnimationFrame(() => { first = performance.now() - start; });
    }
    if (!['idle', 'running'].includes(root.dataset.run)) {
      watch.disconnect();
      requestAnimationFrame(() => resolve({
        state: root.dataset.run, first, whole: performance.now() - start,
        server: node?.mounted.editor.value.run?.first_line_seconds ?? NaN,
      }));
    }
  };
  const watch = new MutationObserver(note);
  watch.observe(root, { childList: true, subtree: true, attributes: true, attributeFilter: ['data-run'] });
  document.querySelector('#read-go').click();
})"""
SHOWN = """before => {
  const picture = document.querySelector('#viewer .vw-board img');
  return picture && picture.src !== before && picture.naturalWidth > 0 && !document.querySelector('.vw-row[data-id]');
}"""


def server_processor() -> float:
    """Processor seconds of the servers that this process has started, without the browser's."""
    spent = 0
    for file in Path("/proc/self/task").glob("*/children"):
        for child in file.read_text().split():
            if b"app.py" in Path(f"/proc/{child}/cmdline").read_bytes():
                fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
                spent += int(fields[11]) + int(fields[12])
    return spent / os.sysconf("SC_CLK_TCK")


def read(page: Page, address: str, picture: Path) -> tuple[float, float, float, float]:
    """Seconds to the first line in the page and in the server, to the end, and of the server's processor."""
    page.goto(f"{address}/en/")
    page.wait_for_selector("#viewer [data-ready='1']", state="attached")
    page.set_input_files("#viewer input[type=file] >> nth=0", str(picture))
    page.wait_for_function(SHOWN, arg="")
    page.wait_for_selector("#read-go:enabled")
    page.wait_for_timeout(2000)
    spent = server_processor()
    told = page.evaluate(PRESS)
    spent = server_processor() - spent
    if told["state"] != "complete":
        raise SystemExit(f"{picture.name}: {told['state']}")
    return (told["first"] or told["whole"]) / 1000, told["server"], told["whole"] / 1000, spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("examples"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    only = set(options.only)
    pages = [one for one in known_pages(options.data, read_fact) if not only or one.name in only]
    over = []
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"])
        cores = len(os.sched_getaffinity(0))
        print(f"Chromium {browser.version}, {platform.machine()}, {cores} cores, load {os.getloadavg()[0]:.1f}")
        title = f"seconds, median of {options.rounds}"
        print(f"{title:36}{'first line':>12}{'in the server':>15}{'end':>8}{'core':>8}")
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        read(page, address, pages[0].picture)
        for one in pages:
            found = [read(page, address, one.picture) for _ in range(options.rounds)]
            first, server, whole, spent = (statistics.median(column) for column in zip(*found, strict=True))
            print(f"{one.name:36}{first:12.2f}{server:15.2f}{whole:8.2f}{spent:8.2f}", flush=True)
            over += [one.name] if first > WANTED_SECONDS else []
        print(f"load {os.getloadavg()[0]:.1f}; over {WANTED_SECONDS} s: {', '.join(over) or 'none'}")
        browser.close()


if __name__ == "__main__":
    main()
