"""Takes the screenshots of docs/images from the running product.

Usage: python scripts/screenshots.py [--out docs/images]

Starts the product on a free port with an empty data folder and the CPU engine, reads a few examples, corrects one, and
photographs each tab in both languages. Needs Chromium and the packages of requirements-dev.txt.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
SIZES = {"": (1280, 860), "-wide": (1920, 1080)}
READ_FIRST = ("invoice", "chinese_form", "phone_photo")
SHOWN = "receipt"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    parser.add_argument("--wide", action="store_true", help="at 1920 pixels too")
    parser.add_argument("--dark", action="store_true", help="in the dark theme too")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        server, url = start(Path(data))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        try:
            prepare(browser.new_page(), url)
            for language in ("en", "zh"):
                for suffix, size in SIZES.items():
                    if suffix and not arguments.wide:
                        continue
                    for theme in ("light", "dark") if arguments.dark else ("light",):
                        name = f"{language}{suffix}{'-dark' if theme == 'dark' else ''}"
                        photograph(
                            browser.new_page(viewport=dict(zip(("width", "height"), size, strict=True))),
                            url,
                            language,
                            theme,
                            arguments.out,
                            name,
                        )
        finally:
            browser.close()
            server.terminate()
            server.wait()


def start(data: Path) -> tuple[subprocess.Popen, str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "OCR_UI_PORT": str(port), "OCR_UI_DATA_DIR": str(data), "OCR_UI_ENGINE": "rapidocr"}
    server = subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=environment)
    url = f"http://127.0.0.1:{port}"
    for _ in range(600):
        try:
            with urllib.request.urlopen(url + "/readyz", timeout=2):
                return server, url
        except OSError:
            time.sleep(0.2)
    raise SystemExit("the product did not start")


def prepare(page: Page, url: str) -> None:
    """Fills the dataset: some pages read, one judged right, one corrected."""
    opened(page, url, "en")
    for name in READ_FIRST:
        read(page, name)
    page.locator("#viewer .vw-list").focus()
    page.keyboard.press("r")
    page.keyboard.press("Control+s")
    page.wait_for_timeout(1500)
    read(page, SHOWN)
    page.get_by_role("tab", name="Lines").click()
    page.locator("#viewer .vw-row .vw-text").nth(3).click()
    page.keyboard.press("End")
    page.keyboard.type(".")
    page.keyboard.press("Enter")  # keeps the text and opens the next line
    page.keyboard.press("Escape")
    page.wait_for_timeout(1000)
    page.keyboard.press("w")
    page.keyboard.press("Control+s")
    page.wait_for_timeout(1500)


def photograph(page: Page, url: str, language: str, theme: str, out: Path, name: str) -> None:
    opened(page, url, language, theme)
    page.screenshot(path=out / f"start-{name}.png")
    read(page, SHOWN)
    page.get_by_role("tab", name={"en": "Lines", "zh": "文本行"}[language]).click()
    page.locator("#viewer .vw-row").nth(4).locator(".vw-num").click()
    page.wait_for_timeout(500)
    page.screenshot(path=out / f"read-{name}.png")
    page.get_by_role("tab", name={"en": "Fields", "zh": "字段"}[language]).click()
    page.wait_for_timeout(300)
    page.screenshot(path=out / f"fields-{name}.png")
    page.get_by_role("tab", name={"en": "Dataset", "zh": "数据集"}[language]).click()
    page.wait_for_selector("#items tbody tr")
    page.wait_for_timeout(2500)
    page.screenshot(path=out / f"dataset-{name}.png")
    review(page, out / f"review-{name}.png")
    page.close()


def review(page: Page, file: Path) -> None:
    """The desk with its first page, a line chosen and the comments open."""
    page.fill("#review-person", "Ann")
    page.wait_for_selector("#review-start:enabled")
    page.click("#review-start")
    page.wait_for_selector(".wb-rv-desk[data-item]")
    page.keyboard.press("j")
    page.keyboard.press("m")
    page.mouse.move(0, 0)
    page.wait_for_timeout(1000)
    page.screenshot(path=file)
    page.keyboard.press("Escape")
    page.keyboard.press("q")
    page.wait_for_selector("#review-start")


def opened(page: Page, url: str, language: str, theme: str = "light") -> None:
    page.set_default_timeout(120_000)
    page.goto(f"{url}/{language}/?__theme={theme}")
    page.wait_for_selector("#viewer [data-ready='1']", state="attached")
    page.wait_for_timeout(1500)


def read(page: Page, example: str) -> None:
    picture = "document.querySelector('#viewer .vw-board img')"
    before = page.evaluate(f"{picture}?.src ?? ''")
    page.click(f"[data-name='{example}']")
    page.wait_for_function(f"before => {picture}?.src !== before && {picture}.naturalWidth > 0", arg=before)
    page.wait_for_timeout(1000)
    page.click("#read-go")
    page.wait_for_selector("#viewer [data-run='running']", state="attached")
    page.wait_for_selector("#viewer [data-run='complete']", state="attached")
    page.wait_for_timeout(800)


if __name__ == "__main__":
    main()
