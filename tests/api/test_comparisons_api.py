from __future__ import annotations

from fastapi.testclient import TestClient
from stored import add_item, content, recognition

from ocr_ui.services.workbench import Workbench


def two_readings(workbench: Workbench) -> tuple[int, int]:
    store = workbench.store
    one = add_item(store, ("Total 1", "<b>Thank</b> \ud800you"), shade=77)
    page = store.pages.get(store.recognitions.get(one).page_id)
    again = recognition(page.page.sha256, content("Total 7", "<b>Thank</b> you"), engine="openai")
    return one, store.recognitions.add(again, page.id)


def test_a_comparison_has_both_sides_their_rows_and_the_picture(client: TestClient, workbench: Workbench) -> None:
    one, two = two_readings(workbench)
    answer = client.get(f"/v1/comparisons/{one}/{two}")
    assert answer.status_code == 200
    value = answer.json()
    assert [value[side]["id"] for side in ("left", "right")] == [one, two]
    assert client.get(value["picture"]["url"]).status_code == 200
    rows = value["sections"][0]["rows"]
    assert rows[0]["left"] == [["Total ", False], ["1", True]]
    assert rows[1]["left"] == [["<b>Thank</b> ", False], ["\ud800", True], ["you", False]]
    assert rows[0]["left_quad"] == [[10.0, 0.0], [500.0, 0.0], [500.0, 15.0], [10.0, 15.0]]


def test_the_readings_of_a_page(client: TestClient, workbench: Workbench) -> None:
    one, two = two_readings(workbench)
    assert [row["id"] for row in client.get(f"/v1/items/{one}/readings").json()["readings"]] == [two, one]
    assert client.get("/v1/items/99999/readings").status_code == 404


def test_readings_of_different_pictures_are_refused_in_the_language(client: TestClient, workbench: Workbench) -> None:
    one, two = add_item(workbench.store, shade=78), add_item(workbench.store, shade=79)
    answer = client.get(f"/v1/comparisons/{one}/{two}", headers={"X-Workbench-Lang": "zh"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith(f"条目 {one} 和 {two}")
