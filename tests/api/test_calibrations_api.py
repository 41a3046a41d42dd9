"""Thresholds over HTTP: measured, listed, and given with the items that are held to them."""

from __future__ import annotations

import json
from dataclasses import replace

from fastapi.testclient import TestClient
from stored import ANN, add_item, content

from ocr_ui.services.thresholds import LEAST_WRONG
from ocr_ui.services.workbench import Workbench

NAME = "calibrated_over_rest"


def misread(workbench: Workbench, shade: int, template: str = NAME) -> int:
    page = content("Total 1", "Tea 2")
    sure, unsure = page.lines
    page = replace(page, lines=(replace(sure, confidence=0.95), replace(unsure, confidence=0.5)))
    item = add_item(workbench.store, page, template=template, shade=7_000 + shade)
    workbench.store.corrections.add(item, 0, content("Total 1", "Tea 3"), ANN)
    return item


def test_thresholds_are_measured_kept_and_come_with_the_items(client: TestClient, workbench: Workbench) -> None:
    items = [misread(workbench, shade) for shade in range(LEAST_WRONG)]
    asked = {"template": NAME, "miss_rate": 0.1}
    seen = client.post("/v1/calibrations", json={**asked, "keep": False}).json()["thresholds"]
    assert client.get("/v1/calibrations", params={"template": NAME}).json() == {"thresholds": []}
    assert client.get(f"/v1/items/{items[0]}").json()["thresholds"] == []

    (kept,) = client.post("/v1/calibrations", json=asked).json()["thresholds"]
    assert {**kept, "id": 0, "made_at": ""} == {**seen[0], "id": 0, "made_at": ""}
    assert (kept["part"], kept["threshold"], kept["unused"]) == ("line", 0.95, [])
    assert kept["figures"]["chosen"] == {"threshold": 0.95, "load": 0.5, "caught": 1.0}
    assert client.get("/v1/calibrations", params={"template": NAME}).json() == {"thresholds": [kept]}
    (told,) = client.get(f"/v1/items/{items[0]}").json()["thresholds"]
    assert (told["threshold"], told["count"], told["miss_rate"], told["unused"]) == (0.95, 20, 0.1, [])


def test_it_is_told_how_far_a_measurement_is(client: TestClient, workbench: Workbench) -> None:
    for shade in range(3):
        misread(workbench, 100 + shade, "measured_in_steps")
    asked = {"template": "measured_in_steps", "keep": False}
    plain = client.post("/v1/calibrations", json=asked).json()
    answer = client.post("/v1/calibrations", json={**asked, "progress": True})
    first, *_, last = [json.loads(line) for line in answer.text.splitlines()]
    assert set(first) == {"done", "total"}
    assert [one["figures"] for one in last["thresholds"]] == [one["figures"] for one in plain["thresholds"]]
    answer = client.post("/v1/calibrations", json={"template": "nobody_reads_with_it", "progress": True})
    assert json.loads(answer.text.splitlines()[-1])["error"]["code"] == "nothing_to_calibrate"


def test_what_cannot_be_measured_is_told(client: TestClient) -> None:
    for body, code in (
        ({"template": "nobody_reads_with_it"}, "nothing_to_calibrate"),
        ({"template": NAME, "miss_rate": 1}, "bad_miss_rate"),
    ):
        answer = client.post("/v1/calibrations", json=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
