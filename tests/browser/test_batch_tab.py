"""The Batch tab: files in, read in the background, results out."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pypdfium2
from batches import archive, pdf

from tests.browser.conftest import Desk

WATCH = """() => {
    window.changes = 0;
    const watch = new MutationObserver((found) => (window.changes += found.length));
    watch.observe(document.querySelector(".wb-jobs-list"), { childList: true, characterData: true, subtree: true });
}"""


def card(name: str, state: str = "") -> str:
    return f".wb-job{f'[data-state={state}]' if state else ''}:has(h3:has-text('{name}'))"


def test_a_batch_from_dropped_files_to_its_results_and_its_review(desk: Desk, tmp_path: Path) -> None:
    page = desk.goto().page
    (tmp_path / "three.pdf").write_bytes(pdf(3))
    (tmp_path / "inner.zip").write_bytes(archive({"notes.txt": b"no picture"}))
    page.set_input_files("#viewer input[type=file] >> nth=0", tmp_path / "three.pdf")
    page.click(".vw-pages button:has-text('Next page')")
    page.wait_for_selector(".vw-pages-place:has-text('Page 2 of 3')")
    assert page.get_attribute(".vw-pages-thumb[data-page='2']", "aria-current") == "true"
    page.click(".vw-pages button:has-text('Read several pages')")
    page.wait_for_selector("#jobs-start[aria-disabled='false']")
    assert page.inner_text(".wb-jobs-names") == "three.pdf"
    page.set_input_files("#jobs-files", tmp_path / "inner.zip")
    assert "2" in page.inner_text(".wb-jobs-chosen")

    page.fill("#jobs-pages", "2-3")
    page.fill("#jobs-name", "Quarter four")
    page.select_option("#jobs-template", "fields_en")
    page.wait_for_selector("#jobs-start[aria-disabled='true']")
    assert page.inner_text(".wb-jobs-side [role=status].wb-wrong").startswith("Fill in")
    page.select_option("#jobs-template", "full_text")
    page.focus("#jobs-notify")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.querySelector('#jobs-notify:focus')).outlineStyle") == "solid"
    page.focus("#jobs-start")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(card("Quarter four", "done"))
    assert page.evaluate("document.activeElement.id") == "jobs-start", "the focus stays where the key was pressed"

    done = page.locator(card("Quarter four"))
    assert done.locator(".wb-jobs-line").first.inner_text() == "2 of 3 pages · 1 failed"
    page.evaluate(WATCH)
    with page.expect_response(re.compile(r"/v1/jobs\?")):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    desk.settle()
    assert page.evaluate("window.changes") == 0, "what is the same is not written again: a selection stays"
    done.locator("summary").click()
    failure = done.locator("li")
    failure.wait_for()
    assert "inner.zip/notes.txt" in failure.inner_text()
    assert "not a picture" in failure.inner_text()
    assert done.locator("[data-act=retry]").is_hidden(), "it would fail each time"
    assert page.inner_text(".wb-jobs-ended") == "The batch Quarter four is done: 2 pages, 1 failed."

    done.locator("select").select_option("pdf")
    with page.expect_download() as coming:
        done.locator("a[download]").click()
    packed = zipfile.ZipFile(io.BytesIO(Path(coming.value.path()).read_bytes()))
    (name,) = (name for name in packed.namelist() if name.endswith(".pdf"))
    assert name.endswith("-three.pdf")
    assert len(pypdfium2.PdfDocument(packed.read(name))) == 2

    done.locator("[data-act=show]").click()
    page.wait_for_selector("#items .wb-list[data-total='2']")
    names = page.locator("#items .wb-open").all_inner_texts()
    assert sorted(names) == ["three.pdf, page 2", "three.pdf, page 3"]
    assert "Total 123.45" in page.locator("#items .wb-snippet").first.inner_text()
