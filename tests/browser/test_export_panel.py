"""The export panel of the Dataset tab: options, what is left out, versions, pushes; a token stays in its field."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Desk, Product
from fake_upload_hub import UploadHub
from stored import ANN, add_item, content, open_store

from ocr_ui.domain.review import Review, State, Verdict

SECRET = "hf_SeCrEtSeCrEt"


@pytest.fixture(scope="module")
def hub() -> Iterator[UploadHub]:
    with UploadHub(token=SECRET) as hub:
        yield hub


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, hub: UploadHub) -> Iterator[Product]:
    folder = tmp_path_factory.mktemp("export")
    with open_store(folder / "data") as store:
        for shade in range(6):
            item = add_item(store, ("Total of the bill",), shade=shade, engine="vllm", name=f"bill {shade}.png")
            if shade < 4:
                store.corrections.add(item, 0, content("The total of your bill"), ANN, "", 5, 0.1)
                store.reviews.set(item, Review(Verdict.WRONG, State.SUBMITTED, (), "", "Ann", 1))
    more = {"HF_ENDPOINT": hub.url, "HF_HUB_DISABLE_XET": "1", "HF_TOKEN": "", "OCR_UI_EXPORT_DIR": str(folder / "out")}
    product = Product(folder / "data", **more)
    product.start()
    yield product
    product.stop()


@pytest.fixture
def desk(filled: Product, browser) -> Iterator[Desk]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US", accept_downloads=True)
    made = Desk(context.new_page(), filled.url)
    yield made
    context.close()
    assert made.outside == []


def opened(desk: Desk, *folds: str, path: str = "/en/", tab: str = "Dataset") -> object:
    desk.goto(path)
    page = desk.page
    page.get_by_role("tab", name=tab).click()
    page.wait_for_selector("#items .wb-table tbody tr")
    for fold in folds:
        page.click(f"#items .wb-fold-{fold} summary")
    desk.settle(0.4)
    return page


def shot(page, name: str) -> None:
    if folder := os.environ.get("OCR_SHOTS"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


@pytest.mark.stress
def test_options_are_in_the_download_and_what_is_left_out_is_listed(desk: Desk) -> None:
    page = opened(desk, "options")
    page.select_option("#items .wb-format", "csv")
    assert page.is_disabled("#items [name=split]")
    page.select_option("#items .wb-format", "sft-a")
    page.fill("#items [name=split]", "0.9/0.5")
    assert page.get_attribute("#items .wb-download", "href") is None
    assert "add up to 1" in page.inner_text("#items .wb-fold-options")
    page.fill("#items [name=split]", "0.5/0.25/0.25")
    page.fill("#items [name=max_prompt_length]", "5000")
    page.select_option("#items [name=stored_pictures]", "1")
    page.fill("#items [name=absolute]", "/srv/my labels/")
    href = page.get_attribute("#items .wb-download", "href")
    for part in (
        "split=0.5%2F0.25%2F0.25",
        "max_prompt_length=5000",
        "stored_pictures=1",
        "absolute=%2Fsrv%2Fmy+labels",
    ):
        assert part in href
    page.get_by_role("button", name="List what is left out").click()
    page.wait_for_selector("#items .wb-told li")
    said = page.inner_text("#items .wb-fold-options")
    assert "4 of 6 items are in the export" in said
    assert "nobody has judged it (2)" in said
    assert page.locator("#items .wb-told li a").count() == 2
    shot(page, "options-en")
    with page.expect_download() as loading:
        page.click("#items .wb-download")
    assert loading.value.suggested_filename == "sft-a.zip"
    page.fill("#items [name=max_prompt_length]", "20")
    page.get_by_role("button", name="List what is left out").click()
    page.wait_for_selector("#items .wb-told li:nth-child(2)")
    assert "more than 20 (4)" in page.inner_text("#items .wb-fold-options")
    assert desk.errors == []


@pytest.mark.stress
def test_a_version_is_frozen_chosen_and_listed(desk: Desk) -> None:
    page = opened(desk, "options", "versions")
    page.fill("#items [name=version-name]", "first")
    page.fill("#items [name=version-licence]", "cc0-1.0")
    page.get_by_role("button", name="Freeze").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#items .wb-grid tbody tr")
    assert "first is frozen: 6 items" in page.inner_text("#items .wb-fold-versions")
    page.select_option("#items [name=version]", "first")
    assert "version=first" in page.get_attribute("#items .wb-download", "href")
    card = page.request.get(desk.url + page.get_attribute("#items .wb-grid a", "href"))
    assert "| items | 6 |" in card.text()
    page.fill("#items [name=version-name]", "second")
    page.get_by_role("button", name="Freeze").click()
    page.get_by_role("button", name="Delete the version second").click()
    page.wait_for_function("document.querySelectorAll('#items .wb-versions table:first-child tbody tr').length === 1")
    assert desk.errors == []
    page.get_by_role("button", name="Freeze").click()
    desk.settle(0.3)
    assert "name a version" in page.inner_text("#items .wb-fold-versions")
    shot(page, "versions-en")


@pytest.mark.stress
def test_a_push_shows_its_way_and_its_token_stays_in_the_field(desk: Desk, hub: UploadHub, filled: Product) -> None:
    page = opened(desk, "push")
    page.select_option("#items .wb-format", "trl-sft")
    page.fill("#items [name=push-place]", "ann/bills")
    page.fill("#items [name=push-token]", "hf_wrong")
    page.get_by_role("button", name="Push", exact=True).click()
    page.wait_for_selector("#items .wb-fold-push .wb-wrong")
    assert "does not let this token write to ann/bills" in page.inner_text("#items .wb-fold-push")
    page.fill("#items [name=push-token]", SECRET)
    page.get_by_role("button", name="Push", exact=True).click()
    page.wait_for_selector("#items .wb-fold-push a")
    assert "Pushed 4 items" in page.inner_text("#items .wb-fold-push")
    assert page.input_value("#items [name=push-token]") == ""
    assert hub.private
    assert "trl-sft/train.parquet" in hub.files
    assert SECRET not in page.content()
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])")
    assert SECRET not in kept
    assert SECRET not in filled.log.read_text()
    assert desk.errors == []
    shot(page, "push-en")


@pytest.mark.stress
def test_a_push_into_a_folder_in_chinese(desk: Desk, filled: Product) -> None:
    page = opened(desk, "options", "versions", "push", path="/zh/", tab="数据集")
    page.locator("#items .wb-fold-push select").select_option("folder")
    assert not page.is_visible("#items [name=push-token]")
    page.fill("#items [name=push-place]", "july")
    page.get_by_role("button", name="推送", exact=True).click()
    page.wait_for_selector("#items .wb-fold-push .wb-told bdi")
    assert "已推送 6 个条目" in page.inner_text("#items .wb-fold-push")
    assert (Path(filled.environment["OCR_UI_EXPORT_DIR"]) / "july" / "README.md").is_file()
    assert desk.errors == []
    shot(page, "push-zh")
    page.set_viewport_size({"width": 1920, "height": 1080})
    shot(page, "push-zh-1920")
    page.fill("#items [name=push-place]", "../outside")
    page.get_by_role("button", name="推送", exact=True).click()
    page.wait_for_selector("#items .wb-fold-push .wb-wrong")
    assert "不是可以推送的位置" in page.inner_text("#items .wb-fold-push")


@pytest.mark.stress
@pytest.mark.parametrize(("path", "tab"), [("/en/", "Dataset"), ("/zh/", "数据集")])
def test_names_are_asked_after_only_where_everybody_would_see_them(desk: Desk, path: str, tab: str) -> None:
    page = opened(desk, "push", path=path, tab=tab)
    names = page.locator("#items input[name=push-names]")
    assert not names.is_visible()
    page.check("#items input[name=push-public]")
    assert names.is_visible()
    assert not names.is_checked()
    page.wait_for_timeout(500)
    ground = page.eval_on_selector("#items input[name=push-public]", "one => getComputedStyle(one).backgroundColor")
    assert ground != "rgba(0, 0, 0, 0)", "a tick that is white on white is not seen"
    shot(page, f"push-public-{tab}")
    page.uncheck("#items input[name=push-public]")
    assert not names.is_visible()
