"""What happens around one reading, on the page: retries, the form of an answer, what the model was not sure of.

The real product with its server engine; the server answers what a test wrote and keeps what it was asked.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Iterator

import pytest
from conftest import Desk, Product, Server
from PIL import Image
from rest import addressed, item_at

from tests.engines.scripted_server import Answer, chunk, stream

SURE, DOUBT = -0.01, -1.2
LOOP = "<ref>again and again</ref><quad>(10,10),(400,60)</quad>"


@pytest.fixture
def page_of(with_server: Product, open_desk: Callable[[str], Desk]) -> Iterator[Desk]:
    made = open_desk(with_server.url)
    yield made
    assert made.errors == []


def said(*parts: str | tuple[str, float]) -> Answer:
    """An answer in tokens; those with a number are that doubtful."""
    pairs = [(part, SURE) if isinstance(part, str) else part for part in parts]
    return stream(*[chunk(text, logprob=value) for text, value in pairs], chunk("", finish="stop"))


def looping() -> Answer:
    return stream(*[chunk(LOOP) for _ in range(60)], hangs=True)


def sent_size(question: dict) -> tuple[int, int]:
    url = question["messages"][1]["content"][0]["image_url"]["url"]
    return Image.open(io.BytesIO(base64.b64decode(url.split(",")[1]))).size


def item(desk: Desk) -> dict:
    return item_at(desk, addressed(desk))


def press_read(desk: Desk, state: str) -> None:
    desk.page.click("#read-go")
    wait_for(desk, state)


def wait_for(desk: Desk, state: str) -> None:
    desk.page.wait_for_selector(f"#viewer [data-run='{state}']", state="attached")
    desk.page.wait_for_selector("#read-go:not([disabled])")
    desk.settle()


FULL = said("<ref>", "Total", "</ref>", "<quad>(10,10),(400,60)</quad>")


@pytest.mark.stress
def test_a_loop_is_marked_and_each_retry_is_one_click(page_of: Desk, server: Server) -> None:
    desk, page = page_of, page_of.goto("/en/").page
    desk.take_example("bad_scan")
    server.answers(looping(), looping(), FULL)
    press_read(desk, "cut")
    assert "Stopped: repeating" in page.inner_text("#viewer .vw-status")
    assert page.locator("#viewer .vw-warnings [data-code='repeated'] .vw-link").inner_text() == "Line 1"
    page.get_by_role("tab", name="Raw").click()
    begins = page.evaluate(
        "document.querySelector('#viewer .vw-loop').previousSibling.textContent.length"
        " + document.querySelector('#viewer .vw-loop').nextSibling.textContent.indexOf('<ref>again')"
    )
    assert begins == 0, "the loop is all of this answer"
    assert "begins here" in page.get_attribute("#viewer .vw-loop", "aria-label")

    page.locator("#retry-penalty").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('#retry-penalty')?.textContent.includes('1.32')")
    wait_for(desk, "cut")
    first, second = server.questions
    assert (first["repetition_penalty"], second["repetition_penalty"]) == (1.08, 1.2)
    assert second["messages"][1]["content"][1] == first["messages"][1]["content"][1], "the same question"
    assert "1.2" in page.inner_text("#viewer .vw-warnings [data-code='again_penalty']")
    assert item(desk)["item"]["sampling"]["repetition_penalty"] == 1.2

    page.click("#retry-smaller")
    wait_for(desk, "complete")
    whole, smaller = sent_size(server.questions[1]), sent_size(server.questions[2])
    assert smaller[0] * smaller[1] <= whole[0] * whole[1] / 2
    assert server.questions[2]["repetition_penalty"] == 1.2, "what was tried before stays"
    assert page.locator("#viewer .vw-warnings [data-code='again_smaller']").count() == 1
    assert page.locator("#retry-penalty").count() == 0, "it came to its end"


@pytest.mark.stress
def test_a_loop_is_read_with_another_template_and_offered_again_when_it_is_opened(
    page_of: Desk, server: Server
) -> None:
    desk, page = page_of, page_of.goto("/en/").page
    desk.take_example("bad_scan")
    server.answers(looping(), said("Total ", "12.50"))
    press_read(desk, "cut")
    page.reload()
    page.wait_for_selector("#retry-penalty")
    desk.settle()
    other = page.locator("#retry-template input")
    other.click()
    options = page.locator("[role='option']").all_inner_texts()
    assert any("JSON" in option for option in options)
    page.keyboard.type("without boxes")
    page.keyboard.press("Enter")
    page.wait_for_selector("#viewer [data-run='complete']", state="attached")
    desk.settle()
    assert item(desk)["item"]["template"] == "full_text_plain"
    assert "Total 12.50" in page.inner_text("#viewer .vw-list")


@pytest.mark.stress
def test_an_answer_cut_at_its_length_can_be_longer(page_of: Desk, server: Server) -> None:
    desk, page = page_of, page_of.goto("/zh/").page
    desk.take_example("bad_scan")
    usage = {"completion_tokens": 8192, "prompt_tokens": 1, "total_tokens": 8193}
    last = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [], "usage": usage}
    counted = f"data: {json.dumps(last)}\n\n"
    server.answers(stream(chunk("<ref>Total"), chunk("", finish="length"), counted), FULL)
    press_read(desk, "cut")
    assert "长度上限" in page.inner_text("#viewer .vw-status")
    page.click("#retry-longer")
    wait_for(desk, "complete")
    assert [question["max_tokens"] for question in server.questions] == [8192, 16384]
    assert "16384" in page.inner_text("#viewer .vw-warnings")


@pytest.mark.stress
def test_fields_are_held_to_their_names_where_that_is_wanted(page_of: Desk, server: Server) -> None:
    desk, page = page_of, page_of.goto("/en/").page
    desk.take_example("receipt")
    switch = page.get_by_label("Hold the answer to these names")
    server.answers(said('{"Shop": "Marlow"}'))
    press_read(desk, "complete")
    assert "response_format" not in server.questions[0]
    switch.focus()
    page.keyboard.press("Space")
    desk.settle()
    server.answers(said('{"Shop": "Marlow"}'))
    press_read(desk, "complete")
    schema = server.questions[0]["response_format"]["json_schema"]["schema"]
    asked = [name.strip() for name in item(desk)["item"]["variables"]["fields"].split(",")]
    assert list(schema["properties"]) == schema["required"] == asked
    assert item(desk)["item"]["sampling"]["json_schema"] == schema, "recorded as it was sent"
    page.reload()
    page.wait_for_selector("#viewer [data-run='complete']", state="attached")
    desk.settle()
    assert switch.is_checked(), "a result opens as it was asked"


def test_what_the_model_doubted_is_shown_and_visited_by_a_key(page_of: Desk, server: Server) -> None:
    desk, page = page_of, page_of.goto("/en/").page
    desk.take_example("receipt")
    server.answers(said('{"', "Shop", '": "', "Marlow", '", "', "Total", '": "', "12", ".", ("50", DOUBT), '"}'))
    press_read(desk, "complete")
    rows = page.locator("#viewer .vw-fields tbody tr")
    low = page.locator("#viewer .vw-fields tr.low")
    assert (rows.count(), low.count()) == (2, 1)
    assert low.locator("th .vw-field-name-text").inner_text() == "Total"
    assert "lowest 0.30" in low.locator(".vw-unsure").get_attribute("aria-label")
    page.locator("#viewer .vw-pane").focus()
    page.keyboard.press("u")
    assert page.evaluate("document.activeElement.matches('#viewer .vw-fields tr.low')")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.value") == "12.50"
    page.keyboard.press("End")
    page.keyboard.type("0")
    assert low.count() == 0, "what a person wrote is not the model's to doubt"


@pytest.mark.stress
def test_doubtful_cells_and_lines_are_visited_in_turn(page_of: Desk, server: Server) -> None:
    desk, page = page_of, page_of.goto("/en/").page
    desk.take_example("bad_scan")
    page.locator("#template input").click()
    page.keyboard.press("Control+a")
    page.keyboard.type("Table")
    page.keyboard.press("Enter")
    desk.settle()
    first = ["<table><tr><td>", "Tea", "</td><td>", ("1.00", DOUBT), "</td></tr>"]
    second = ["<tr><td>", "Cake", "</td><td>", ("2.00", DOUBT), "</td></tr></table>"]
    server.answers(said(("Prices", DOUBT), "\n", *first, *second))
    press_read(desk, "complete")
    page.get_by_role("tab", name="Rendered").click()
    cells = page.locator("#viewer .vw-rendered td.low")
    assert [text.strip() for text in cells.all_inner_texts()] == ["1.00", "2.00"]
    assert cells.first.locator(".vw-unsure svg").count() == 1, "a sign, not a colour alone"
    page.locator("#viewer .vw-pane").focus()
    visited = []
    for _ in range(4):
        page.keyboard.press("u")
        visited.append(
            page.evaluate(
                "document.activeElement.matches('td') ? document.activeElement.innerText.trim()"
                " : document.querySelector('#viewer .vw-row.selected .vw-text')?.textContent"
            )
        )
    assert visited == ["1.00", "2.00", "Prices", "1.00"]


@pytest.mark.stress
def test_confidence_can_be_left_out(page_of: Desk, server: Server) -> None:
    desk, page = page_of, page_of.goto("/en/").page
    desk.take_example("bad_scan")
    server.answers(FULL)
    press_read(desk, "complete")
    assert server.questions[0]["logprobs"] is True
    assert item(desk)["lines"][0]["lowest"] == pytest.approx(0.99, abs=0.01)
    page.get_by_label("Confidence").first.focus()
    page.keyboard.press("Space")
    desk.settle()
    server.answers(stream(chunk(LOOP), chunk("", finish="stop")))
    press_read(desk, "complete")
    assert "logprobs" not in server.questions[0]
    assert item(desk)["lines"][0]["confidence"] is None
    assert item(desk)["item"]["sampling"]["logprobs"] is False


@pytest.mark.stress
def test_out_of_memory_is_read_smaller_and_said(page_of: Desk, server: Server) -> None:
    desk, page = page_of, page_of.goto("/zh/").page
    desk.take_example("bad_scan")
    said_so = json.dumps({"error": {"message": "CUDA out of memory. Tried to allocate 2.00 GiB", "code": 500}})
    server.answers(Answer(500, parts=[said_so]), FULL)
    press_read(desk, "complete")
    first, second = map(sent_size, server.questions)
    assert second[0] * second[1] <= first[0] * first[1] / 2
    assert f"{first[0]} × {first[1]}" in page.inner_text("#viewer .vw-warnings [data-code='read_smaller']")
