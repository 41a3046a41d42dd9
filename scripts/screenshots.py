"""Takes the screenshots of docs/images from the running product.

Usage: python scripts/screenshots.py [--out docs/images] [--all]

Starts the product once, on a free port with an empty data folder and the CPU engine, fills its store, and photographs
the Read tab, the list and the desk in both languages, as the README shows them. `--all` adds what one looks at before a
release: the start, fields, a table, a form and a page of 1,000 boxes, both themes, and a window of 1,920 pixels.
Needs Chromium and the packages of requirements-dev.txt.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
# The tests know how to fill a store and how to wait for the page.
sys.path[:0] = [str(ROOT / folder) for folder in ("tests/browser", "tests", "benchmarks", ".")]

from conftest import Desk, Product  # noqa: E402
from reviewing import read_examples, read_pictures  # noqa: E402
from stored import ANN, open_store, recognition  # noqa: E402
from viewer_page import big  # noqa: E402

from ocr_ui.domain.content import PageContent, TextLine  # noqa: E402
from ocr_ui.domain.geometry import Quad  # noqa: E402
from ocr_ui.domain.page import Page  # noqa: E402
from ocr_ui.domain.prompt import Task  # noqa: E402
from ocr_ui.domain.recognition import Generation, PromptUsed  # noqa: E402
from ocr_ui.parsing import tables  # noqa: E402
from ocr_ui.storage.store import Store  # noqa: E402

SIZES = {"": {"width": 1280, "height": 860}, "-wide": {"width": 1920, "height": 1080}}
PICTURES = {
    "invoice": "invoice.png",
    "table": "table.webp",
    "form": "chinese_form.jpg",
    "notice": "phone_photo.jpg",
}
DATASET = {"en": "Dataset", "zh": "数据集"}


@dataclass(frozen=True)
class Shot:
    """One window of the product; `name` ends the names of its files."""

    desk: Desk
    items: dict[str, int]
    language: str
    themes: tuple[str, ...]
    out: Path
    name: str

    def open(self, query: str = "") -> None:
        self.desk.goto(f"/{self.language}/?__theme=light{query}")

    def take(self, what: str) -> None:
        page = self.desk.page
        page.mouse.move(0, 0)
        self.desk.settle()
        for theme in self.themes:
            page.evaluate("dark => document.body.classList.toggle('dark', dark)", theme == "dark")
            page.wait_for_timeout(350)  # what fades is in between before
            file = self.out / f"{what}-{self.name}{'-dark' if theme == 'dark' else ''}.png"
            page.screenshot(path=file)
            shrink(file)
        page.evaluate("document.body.classList.remove('dark')")


def shrink(file: Path) -> None:
    """Colours go to a palette: a screenshot has few, and the file is half the size."""
    with Image.open(file) as picture:
        picture.convert("RGB").quantize(256, kmeans=4, dither=Image.Dither.NONE).save(file, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    parser.add_argument("--all", action="store_true", help="more states, both themes, at 1920 pixels too")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        product = Product(Path(folder) / "data")
        items = filled(product.data_dir, arguments.all)
        product.start()
        try:
            judge(product.url, items)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                for shot in shots(browser, product.url, items, arguments):
                    photograph(shot, arguments.all)
                browser.close()
        finally:
            product.stop()


def shots(browser: Browser, url: str, items: dict[str, int], arguments: argparse.Namespace) -> Iterator[Shot]:
    """A profile for each language: what it has compiled of the page is used for all its windows."""
    for language in ("en", "zh"):
        context = browser.new_context(locale={"en": "en-US", "zh": "zh-CN"}[language])
        for suffix, size in SIZES.items() if arguments.all else [("", SIZES[""])]:
            page = context.new_page()
            page.set_viewport_size(size)
            themes = ("light", "dark") if arguments.all else ("light",)
            yield Shot(Desk(page, url), items, language, themes, arguments.out, f"{language}{suffix}")
            page.close()
        context.close()


def filled(data: Path, more: bool) -> dict[str, int]:
    """Reads the pictures with the CPU engine; gives the numbers of the items by what they show."""
    examples = ROOT / "examples"
    asked = json.loads((examples / "receipt.json").read_text(encoding="utf-8"))
    receipt = {"receipt.jpg": (examples / "receipt.jpg").read_bytes()}
    (with_fields,) = read_pictures(data, receipt, asked["template"], asked["variables"])
    items = {"receipt": with_fields, **dict(zip(PICTURES, read_examples(data, *PICTURES.values()), strict=True))}
    if more:
        with open_store(data) as store:
            items["boxes"] = add_boxes(store)
            items["table"] = add_table(store, items["table"])
    return items


def add_table(store: Store, read: int) -> int:
    """The table as a model with prompts would answer."""
    html = json.loads((ROOT / "examples" / "table.json").read_text(encoding="utf-8"))["html"]
    page = store.recognitions.get(read)
    value = recognition(page.recognition.page_sha256, tables.parse(html), engine="openai")
    prompt = PromptUsed("table", "0123456789ab", Task.TABLE.value, "html", {}, {})
    value = replace(value, prompt=prompt, generation=Generation(html, "stop", 400, 2.1), transform={}, timings={})
    return store.recognitions.add(value, page.page_id)


def add_boxes(store: Store) -> int:
    """A page of 1,000 lines in five columns."""
    drawn = big(1000)
    lines = tuple(
        TextLine(line["text"], Quad.from_points(line["quad"]), line["confidence"], line["id"]) for line in drawn.lines
    )
    sha256 = store.pictures.put(drawn.picture)
    page_id = store.pages.add_document("goods.png", [Page(sha256, *drawn.size, "goods.png")], ANN).page_ids[0]
    content = PageContent(lines=lines, text="\n".join(line.text for line in lines))
    return store.recognitions.add(recognition(sha256, content), page_id)


def send(url: str, path: str, body: dict) -> None:
    data = json.dumps(body).encode()
    urllib.request.urlopen(urllib.request.Request(url + path, data, {"Content-Type": "application/json"})).close()


def judge(url: str, items: dict[str, int]) -> None:
    """One page was right, one was corrected by Ann, and Bo has asked about a line of another."""
    for name, person, ending in (("form", "Bo", ""), ("receipt", "Ann", ".")):
        with urllib.request.urlopen(f"{url}/v1/items/{items[name]}") as answer:
            value = json.load(answer)
        content = {key: value[key] for key in ("lines", "regions", "fields", "tables")}
        content["lines"][3]["text"] += ending
        content["text"] = "\n".join(line["text"] for line in content["lines"])
        body = {"recognition_id": items[name], "content": content, "base_version": 0, "person": person}
        verdict = "wrong" if ending else "right"
        send(url, "/v1/corrections", {**body, "verdict": verdict, "state": "submitted", "client_key": f"shot-{name}"})
    comment = {"text": "Is this a 7 or a 1?", "person": "Bo", "line_id": "l2", "client_key": "shot-comment"}
    send(url, f"/v1/items/{items['notice']}/comments", comment)


def photograph(shot: Shot, more: bool) -> None:
    page = shot.desk.page
    if more:
        shot.open()
        shot.take("start")
    for what in ("form", "boxes", "table", "receipt") if more else ("receipt",):
        shot.open(f"&item={shot.items[what]}")
        page.wait_for_function("document.querySelector('#viewer .vw-board img')?.naturalWidth > 0")
        if what == "table":
            page.keyboard.press("Alt+t")
            page.keyboard.press("ArrowDown")
        else:
            page.click("#viewer [data-view='lines']")
            page.locator("#viewer .vw-row .vw-num").nth(4).click()
        shot.take("read" if what == "receipt" else what)
    if more:
        page.click("#viewer [data-view='fields']")
        shot.take("fields")
    page.get_by_role("tab", name=DATASET[shot.language]).click()
    page.wait_for_selector("#items tbody tr")
    page.wait_for_selector("#chart-template .main-svg")
    shot.take("dataset")
    review(shot)


def review(shot: Shot) -> None:
    """The desk with a page, a line chosen and the comments open."""
    page = shot.desk.page
    page.fill("#review-person", f"Ann {shot.name}" if shot.name not in ("en", "zh") else "Ann")
    page.wait_for_selector("#review-start:enabled")
    page.click("#review-start")
    page.wait_for_selector(".wb-rv-desk[data-item]")
    for _ in range(len(shot.items)):
        if page.get_attribute(".wb-rv-desk", "data-item") == str(shot.items["notice"]):
            break
        before = page.get_attribute(".wb-rv-desk", "data-item")
        page.keyboard.press("]")
        page.wait_for_function("before => document.querySelector('.wb-rv-desk')?.dataset.item !== before", arg=before)
    page.keyboard.press("j")
    page.keyboard.press("m")
    shot.take("review")
    page.keyboard.press("Escape")
    page.keyboard.press("q")
    page.wait_for_selector("#review-start", state="visible")


if __name__ == "__main__":
    main()
