"""One picture in two ways side by side, the better one kept, and two ways in daily use: in the browser."""

from __future__ import annotations

from rest import got
from sampled import answer, page_picture

from tests.engines.scripted_server import chunk, stream

SAID = answer("Total 12.50", "Thank you")


def test_two_ways_are_tried_one_is_kept_and_two_are_compared_in_use(with_server, server, open_desk) -> None:
    server.answers(stream(chunk(SAID), chunk("", finish="stop")))
    desk = open_desk(with_server.url).goto()
    page = desk.page
    page.click("[role=tab][data-tab-id=prompts]")
    page.click("[role=tab][data-tab-id=try]")
    picture = {"name": "bill.png", "mimeType": "image/png", "buffer": page_picture()}
    page.set_input_files("#tries input[type=file]", picture)
    page.wait_for_selector("#tries-go[aria-disabled=false]")
    engines = [page.input_value(f"#try-{letter}-engine") for letter in "ab"]
    assert engines == ["openai", "rapidocr"], "two that differ stand there at first"
    page.select_option("#try-a-version", index=1)
    page.click(".wb-try-way[data-lane=A] summary")
    page.fill("#try-a-wording", "Read it, <b>all</b>.")
    page.click("[role=tab][data-tab-id=experiments]")
    with page.expect_response(lambda found: found.url.endswith("/v1/templates/full_text")):
        page.click("[role=tab][data-tab-id=try]")
    assert page.input_value("#try-a-version") != "", "what was chosen stays"
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".wb-try-shown[data-state=shown]")
    assert server.scripted.questions[-1]["messages"][-1]["content"][-1]["text"] == "Read it, <b>all</b>."
    first = page.locator(".wb-try-row").first
    assert first.locator("[data-lane=A]").inner_text() == "Total 12.50"
    assert first.locator("[data-lane=B]").inner_text() == "not there"
    assert page.locator(".wb-cmp-board .lane-a polygon").count() == 2
    page.click(".wb-try-toggle[data-lane=A]")
    assert not page.locator(".wb-cmp-board .lane-a").is_visible()

    first.click()
    keys = []
    for key, lane in ("1A", "1A", "2B", "1A"):
        with page.expect_response("**/v1/preferences") as kept:
            page.keyboard.press(key)
        keys.append(kept.value.request.post_data_json["client_key"])
        page.wait_for_selector(f".wb-try-head[data-lane={lane}] [data-does=better][aria-pressed=true]")
    assert keys[0] == keys[1], "sent again it counts once"
    assert len(set(keys)) == 3, "another mind counts, and the first one again"
    assert "no pair for DPO" in page.inner_text(".wb-try-head[data-lane=A]")
    page.reload()
    page.wait_for_selector(".wb-try-shown[data-state=shown]")
    assert page.locator(".wb-try-row").first.locator("[data-lane=A]").inner_text() == "Total 12.50"
    page.wait_for_function("document.querySelector('#try-a-wording').value === 'Read it, <b>all</b>.'")

    page.click("[role=tab][data-tab-id=experiments]")
    page.wait_for_selector("#experiments-other_engine option[value=rapidocr]", state="attached")
    page.select_option("#experiments-other_engine", "rapidocr")
    page.fill("#experiments-share", "25")
    page.click("#experiments-start")
    page.wait_for_selector("#experiments-roll_back")
    running = got(with_server, "/v1/experiments")["experiments"][0]
    assert (running["running"], running["share"], running["arms"]["B"]["engine"]) == (True, 0.25, "rapidocr")
    page.click("#experiments-roll_back")
    page.wait_for_selector("#experiments-roll_back", state="hidden")
    assert not got(with_server, "/v1/experiments")["experiments"][0]["running"]
    assert desk.errors == []
