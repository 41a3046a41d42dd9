"""Reviewing in a browser: drawn examples that the CPU engine has read, and what a reviewer does at the desk."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path

from conftest import Desk
from rest import got

from ocr_ui.services.reading import ReadRequest
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import Settings

DESK = ".wb-rv-desk"
EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"


def read_examples(data_dir: Path, *files: str) -> list[int]:
    """Reads these examples with the CPU engine; gives the numbers of the items, in order."""
    return read_pictures(data_dir, {file: (EXAMPLES / file).read_bytes() for file in files})


def read_pictures(
    data_dir: Path, pictures: dict[str, bytes], template: str = "full_text", variables: dict[str, str] | None = None
) -> list[int]:
    """Reads pictures, by their names, with the CPU engine; gives the numbers of the items, in order."""
    with ThreadPoolExecutor(1) as own_thread:  # Playwright's event loop runs in this one
        return own_thread.submit(asyncio.run, _read(data_dir, pictures, template, variables or {})).result()


async def _read(data_dir: Path, pictures: dict[str, bytes], name: str, variables: dict[str, str]) -> list[int]:
    workbench = Workbench.open(Settings(data_dir=data_dir, engine="rapidocr"))
    template = workbench.templates.get(name)
    found = []
    try:
        for file, data in pictures.items():
            received = await workbench.pictures.receive(data, file)
            request = ReadRequest(template, variables)
            async with aclosing(workbench.recognizer.read(received.page_id, request)) as steps:
                async for step in steps:
                    found += [step.recognition_id] if step.recognition_id is not None else []
    finally:
        await workbench.close()
    return found


def texts(desk: Desk, item: int) -> list[str]:
    return [line["text"] for line in got(desk, f"/v1/items/{item}")["lines"]]


def begun(desk: Desk, person: str, mode: str, language: str = "en", load: bool = True) -> Desk:
    """Opens the Dataset tab as this person and starts the queue; `load`: in a page that is loaded anew."""
    page = desk.page
    if load:
        desk.goto(f"/{language}/")
        page.get_by_role("tab", name={"en": "Dataset", "zh": "数据集"}[language]).click()
    page.wait_for_selector("#items [data-total]")
    page.fill("#review-person", person)
    page.select_option("#review-mode", mode)
    page.wait_for_selector("#review-start:enabled")
    page.click("#review-start")
    page.wait_for_selector(f"{DESK}[data-item], .wb-rv-end")
    return desk


def item_of(desk: Desk) -> int:
    return int(desk.page.get_attribute(DESK, "data-item"))


def moved(desk: Desk, before: int) -> None:
    """Waits until another page stands on the desk, or none is left."""
    desk.page.wait_for_function(
        "before => document.querySelector('.wb-rv-end') ||"
        " ![undefined, before].includes(document.querySelector('.wb-rv-desk').dataset.item)",
        arg=str(before),
    )


def tab_to(desk: Desk, selector: str) -> None:
    """Presses Tab until the element has the focus."""
    for _ in range(60):
        if desk.page.evaluate("selector => document.activeElement?.matches(selector)", selector):
            return
        desk.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {selector}")


def retype(desk: Desk, changes: dict[int, str]) -> None:
    """Writes other texts into lines, by their numbers from 0, by keys alone."""
    keys = desk.page.keyboard
    for number, text in changes.items():
        keys.press("Home")
        for _ in range(number):
            keys.press("j")
        keys.press("Enter")
        keys.press("Control+a")
        keys.insert_text(text)
        keys.press("Enter")
        keys.press("Escape")
