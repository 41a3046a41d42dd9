"""Several answers about one picture in the page: streamed, scored, judged blind by keyboard, ranked, taken as label."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from conftest import Desk, Product, Server, need_browser
from rest import got
from sampled import CUT, MISREAD, RIGHT, WRONG, add_read, label
from stored import open_store

from tests.engines.scripted_server import Answer, chunk, stream

SAID = (RIGHT, MISREAD, CUT, '<img src=x onerror="document.title=1">(50,100),(400,150)')
PANEL = ".wb-smp-panel:not([hidden])"


def answers(said: tuple[str, ...] = SAID) -> Answer:
    parts = [chunk(text, index=index, logprob=-0.1) for index, text in enumerate(said)]
    return stream(*parts, *(chunk("", index=index, finish="stop") for index in range(len(said))))


@pytest.fixture(scope="module")
def sampling(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    need_browser()
    folder = tmp_path_factory.mktemp("sampling")
    with open_store(folder / "data") as store:
        for shade in range(5):
            item = add_read(store, MISREAD, shade=shade, name=f"page {shade}.png")
            if shade:
                label(store, item)
    settings = {"OCR_UI_ENGINE": "openai", "OCR_UI_BASE_URL": server.url, "OCR_UI_MODEL": "m"}
    running = Product(folder / "data", **settings)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def desk(sampling: Product, server: Server, open_desk: Callable[[str], Desk]) -> Iterator[Desk]:
    server.answers(answers())
    made = open_desk(sampling.url)
    yield made
    assert made.errors == []
    assert made.outside == []


def sample(desk: Desk, item: int, n: int = 4, blind: bool = False) -> None:
    page = desk.goto(f"/en/?item={item}").page
    page.wait_for_selector("#samples-go:not([disabled])")
    page.fill("#samples-n", str(n))
    if blind:
        page.check("#samples-blind")
    page.click("#samples-go")
    page.wait_for_selector(f"{PANEL}[data-state='shown']")
    desk.settle()


def rewards(desk: Desk) -> list[str]:
    return desk.page.locator(f"{PANEL} .wb-smp-reward").all_inner_texts()


def test_answers_stand_side_by_side_with_what_they_are_worth(desk: Desk, server: Server) -> None:
    sample(desk, 2)
    page = desk.page
    assert server.questions[-1]["n"] == 4
    assert rewards(desk)[0] == "1.00"
    assert rewards(desk) != ["1.00"] * 4
    assert page.inner_text(".wb-smp-mark") == "informative"
    assert "mean" in page.inner_text(f"{PANEL} .wb-cmp-summary")
    assert not page.is_visible("#viewer .vw-board img")
    cells = page.locator(".wb-smp-row", has_text="Total 12.50").first.locator("[role=cell]")
    assert cells.nth(1).locator("mark").inner_text() == "8"
    assert page.locator(f"{PANEL} polygon[data-state='text']").count() > 0
    tip = page.get_attribute(".wb-smp-head[title]", "title")
    assert [row.split(" 1.00: ")[0] for row in tip.split("\n")] == ["Official rule", "Our own rule"]
    assert page.title() != "1", "recognised text is data"
    assert page.locator(f"{PANEL} img[src='x']").count() == 0
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.classList.contains('wb-smp-row')")
    assert page.locator(f"{PANEL} polygon.chosen").count() == 1
    page.keyboard.press("Escape")
    page.wait_for_selector(PANEL, state="detached")


def test_the_best_answer_becomes_the_label(desk: Desk) -> None:
    sample(desk, 1)
    page = desk.page
    assert "Nobody has judged" in page.inner_text(".wb-smp-notes")
    page.click(f"{PANEL} .wb-smp-head:has(.wb-smp-number[data-number='0']) [data-does='take']")
    page.wait_for_selector("#viewer .vw-board img", state="visible")
    desk.settle()
    item = got(desk, "/v1/items/1")
    assert [line["text"] for line in item["lines"]] == ["Total 12.50", "Thank you"]
    assert item["verdict"] == "wrong"
    assert "Total 12.50" in page.inner_text("#viewer")


@pytest.mark.stress
def test_pairs_are_judged_blind_by_keyboard(desk: Desk) -> None:
    page = desk.page
    desk.goto("/en/")  # a page that is left while it loads tells of errors
    page.evaluate("localStorage.setItem('workbench.person', 'Ann')")
    sample(desk, 3, n=3, blind=True)
    page.wait_for_selector(".wb-smp-blind:not([hidden]) .wb-smp-said p")
    assert not page.is_visible(f"{PANEL} .wb-smp-reward")
    assert not page.is_visible(".wb-smp-mark")
    shown = page.inner_text(PANEL)
    assert "Pair 1 of 3" in shown
    assert "1.00" not in shown
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("text=Pair 2 of 3")
    page.keyboard.press("x")
    page.wait_for_selector("text=Pair 3 of 3")
    page.keyboard.press("s")
    desk.settle()
    page.keyboard.press("t")
    page.wait_for_selector(f"{PANEL} .wb-smp-reward", state="visible")
    assert "3 pairs judged" in page.inner_text(".wb-smp-notes")
    rollout = got(desk, "/v1/items/3/rollouts")["rollouts"][0]["id"]
    told = got(desk, f"/v1/rollouts/{rollout}/judgements")["judgements"]
    assert [one["choice"] for one in told] == ["left", "both_bad", "tie"]
    assert all(one["blind"] and one["person"] == "Ann" and one["seconds"] > 0 for one in told)


@pytest.mark.stress
def test_a_key_that_is_held_down_judges_one_pair(desk: Desk) -> None:
    sample(desk, 2, n=3, blind=True)
    page = desk.page
    page.wait_for_selector("text=Pair 1 of 3")
    page.keyboard.down("ArrowLeft")
    page.wait_for_selector("text=Pair 2 of 3")
    for _ in range(3):
        page.keyboard.down("ArrowLeft")  # as the keyboard repeats it
        desk.settle()
    page.keyboard.up("ArrowLeft")
    assert "Pair 2 of 3" in page.inner_text(PANEL)


@pytest.mark.stress
def test_answers_are_ranked_by_their_numbers(desk: Desk) -> None:
    sample(desk, 4)
    page = desk.page
    page.keyboard.press("r")
    for number in "312":
        page.keyboard.press(number)
    assert page.get_attribute(".wb-smp-number[data-number='2']", "data-place") == "1."
    page.click("#samples-rank-save")
    page.wait_for_selector("text=The ranking is kept.")
    rollout = got(desk, "/v1/items/4/rollouts")["rollouts"][0]["id"]
    (told,) = got(desk, f"/v1/rollouts/{rollout}/judgements")["judgements"]
    assert (told["kind"], told["answers"]) == ("rank", [2, 0, 1])


@pytest.mark.stress
def test_stop_keeps_what_came_and_it_can_be_shown_again(desk: Desk, server: Server) -> None:
    parts = [chunk(RIGHT, index=0), chunk("", index=0, finish="stop"), chunk(WRONG[:8], index=1)]
    server.answers(Answer(kind="text/event-stream", parts=parts, hangs=True))
    page = desk.goto("/en/?item=5").page
    page.wait_for_selector("#samples-go:not([disabled])")
    page.fill("#samples-n", "2")
    page.click("#samples-go")
    page.wait_for_selector(f"{PANEL} .wb-smp-coming pre:has-text('Nothing')")
    assert "1 of 2 answers have ended" in page.inner_text(f"{PANEL} .wb-cmp-summary")
    page.click("#samples-stop")
    page.wait_for_selector(f"{PANEL}[data-state='shown']")
    assert rewards(desk) == ["1.00", "–"]
    page.click("#samples-close")
    page.click("#samples-open")
    page.wait_for_selector(PANEL)
    assert rewards(desk) == ["1.00", "–"]


@pytest.mark.stress
def test_a_failing_server_is_told_in_the_bar(desk: Desk, server: Server) -> None:
    server.answers(Answer(status=400, parts=['{"error": {"message": "no"}}']))
    page = desk.goto("/en/?item=2").page
    page.wait_for_selector("#samples-go:not([disabled])")
    page.click("#samples-go")
    page.wait_for_selector("#samples .wb-cmp-news[data-state='failed']")
    assert "refused" in page.inner_text("#samples .wb-cmp-news")
    assert page.is_visible("#viewer .vw-board img")


@pytest.mark.stress
def test_all_listed_items_are_sampled_from_the_dataset_tab(desk: Desk) -> None:
    page = desk.goto().page
    page.get_by_role("tab", name="Dataset").click()
    page.wait_for_selector("#items .wb-list")
    page.click("#batch-part > button")
    page.wait_for_selector("#batch-start", state="visible")
    page.fill("#batch-n", "4")
    page.click("#batch-start")
    page.wait_for_selector("#batch-state:has-text('is done: 5 items')")
    assert "informative" in page.inner_text("#batch-state")
    assert got(desk, "/v1/rollout-jobs/newest")["done"] == 5
