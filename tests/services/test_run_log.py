"""The log of runs: any two against each other, page by page, and what was different between them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from labelled import PAGES, Bench, number_of, truth_text, write_page, write_set

from ocr_ui.engines.base import EngineRequest
from ocr_ui.errors import BadInput, EngineFailed, NotFound
from ocr_ui.services.benchmark import speed_differences
from ocr_ui.services.run_changes import changes, told_setup
from ocr_ui.services.view import error_value
from ocr_ui.ui.messages import localize_error


@pytest.fixture
def bench(tmp_path: Path):
    made = Bench(tmp_path)
    made.template("one", "Read it")
    made.template("two", "Read it two")
    yield made
    made.store.close()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_set(tmp_path / "set")


async def test_any_two_runs_can_be_compared(bench: Bench, data: Path) -> None:
    first = await bench.run("one", data=data)
    second = await bench.run("two", data=data)
    log = await bench.runs.list("evaluate", first["data"]["sha256"])
    assert [run["run"] for run in log] == [second["run"], first["run"]]
    assert log[1]["competitors"][0]["scores"] == first["competitors"][0]["scores"]
    assert await bench.runs.list(data="0" * 64) == await bench.runs.list("benchmark") == []
    found = await bench.runs.compare((first["run"], "A"), (second["run"], "A"))
    cer = found["metrics"][0]
    worse = sum("e" in truth_text(number) for number in range(PAGES))
    assert (cer["metric"], cer["verdict"], cer["pages"]) == ("cer", "worse", PAGES)
    assert (cer["better"], cer["equal"], cer["worse"]) == (0, PAGES - worse, worse)
    assert found["groups"]["tag"]["small"]["pages"] == 4
    assert len(found["pages"]) == PAGES
    for row in found["pages"]:
        assert row["page"] == f"page{row['number']:02}"
        for side, run in (("first", first), ("second", second)):
            assert row[side] == run["pages"][row["number"]]["results"]["A"]["scores"]["cer"]
    for side in ((99, "A"), (first["run"], "B")):
        with pytest.raises(NotFound) as unknown:
            await bench.runs.compare(side, (second["run"], "A"))
        assert unknown.value.code in ("unknown_run", "unknown_competitor")


async def test_runs_of_other_pages_have_nothing_in_common(bench: Bench, data: Path, tmp_path: Path) -> None:
    first = await bench.run("one", data=data)
    (tmp_path / "other").mkdir()
    write_page(tmp_path / "other", 20, text="Total")
    second = await bench.run("one", data=tmp_path / "other")
    with pytest.raises(BadInput) as refused:
        await bench.runs.compare((first["run"], "A"), (second["run"], "A"))
    assert refused.value.code == "nothing_to_compare"


async def test_a_page_is_shown_beside_its_label(bench: Bench, data: Path) -> None:
    result = await bench.run("one", "fields", data=data)
    found = await bench.runs.page(result["run"], 3, "A")
    (section,) = found["sections"]
    said = ["".join(text for text, _ in row["left"]) for row in section["rows"]]
    assert "\n".join(said) == truth_text(3)
    assert found["edit_distance"] == sum(
        differs * len(text) for row in section["rows"] for text, differs in row["left"]
    )
    assert (found["picture"]["width"], found["picture"]["height"]) == (100, 60)
    assert found["result"]["scores"] == result["pages"][3]["results"]["A"]["scores"]
    fields = await bench.runs.page(result["run"], 3, "B")
    assert {row["name"]: row["state"] for row in fields["sections"][0]["rows"]} == dict.fromkeys(
        ("Total", "Date", "Shop"), "same"
    )
    picture = cv2.imdecode(np.frombuffer(await bench.runs.picture(result["run"], 3), np.uint8), cv2.IMREAD_COLOR)
    assert picture.shape == (60, 100, 3)
    assert picture[30, 50, 0] == 3
    turned = await bench.runs.picture(result["run"], 3, 1)
    assert cv2.imdecode(np.frombuffer(turned, np.uint8), cv2.IMREAD_COLOR).shape == (100, 60, 3)


async def test_a_page_is_marked_as_its_scores_count_or_as_it_is_written(bench: Bench, data: Path) -> None:
    wide = str.maketrans("0123456789", "０１２３４５６７８９")
    first, *rest = truth_text(3).split("\n")

    def otherwise(request: EngineRequest) -> str:
        if "['" in request.prompt:
            return json.dumps({"Total": "３.50", "Date": "3 May", "Shop": "Shop 4"})
        return f"{first} {rest[0]}\n".translate(wide) + "\n".join(rest[1:-1]) + "\n" + rest[-1].replace("e", "é", 1)

    bench.engine.answer = otherwise
    run = await bench.run("one", "fields", data=data)
    wrong = rest[-1].count("e") > 0
    assert wrong
    number = run["pages"][3]["results"]
    assert number["A"]["parts"]["cer"][0] == 1
    scored = await bench.runs.page(run["run"], 3, "A", as_scored=True)
    rows = scored["sections"][0]["rows"]
    assert [row["state"] for row in rows if row["state"] not in ("same", "alike")] == ["text"]
    assert [[text for text, differs in row["right"] if differs] for row in rows if row["state"] == "text"] == [["é"]]
    assert sum(row["state"] == "alike" for row in rows) == 2, "one line that was two"
    assert (scored["edit_distance"], scored["normalization"]["unicode"]) == (1, "NFKC")
    written = await bench.runs.page(run["run"], 3, "A")
    assert written["edit_distance"] > 1
    assert sum(row["state"] != "same" for row in written["sections"][0]["rows"]) == 3
    fields = await bench.runs.page(run["run"], 3, "B", as_scored=True)
    states = {row["name"]: row["state"] for row in fields["sections"][0]["rows"]}
    assert states == {"Total": "alike", "Date": "same", "Shop": "text"}
    assert fields["edit_distance"] == 1


async def test_a_page_that_is_not_there_any_more_is_told_so(bench: Bench, data: Path) -> None:
    result = await bench.run("one", data=data)
    write_page(data, 3, text="another page")
    (data / "page03.png").write_bytes((data / "page04.png").read_bytes())
    assert (await bench.runs.page(result["run"], 4, "A"))["page"] == "page04"
    for number in (3, PAGES):
        with pytest.raises(NotFound) as gone:
            await bench.runs.page(result["run"], number, "A")
        assert gone.value.code == "page_gone"


async def test_the_report_is_that_of_the_run(bench: Bench, data: Path) -> None:
    result = await bench.run("one", data=data)
    html = await bench.runs.report(result["run"])
    assert f"{result['competitors'][0]['scores']['cer']['value']:.4f}" in html
    number = bench.store.evaluations.begin("benchmark", "x", "0" * 64, {})
    bench.store.evaluations.end(number, {"run": number})
    with pytest.raises(BadInput):
        await bench.runs.report(number)


async def test_why_a_page_failed_is_told_in_the_words_of_whoever_asks(bench: Bench, data: Path) -> None:
    down = EngineFailed("reading_failed", "Reading failed: it broke.", "Try again.", reason="it broke")
    bench.engine.answer = lambda request: down if number_of(request) == 4 else truth_text(number_of(request))
    run = (await bench.run("one", data=data))["run"]
    said = "识别此页时出错（it broke）。请重试。"

    def zh(error: dict[str, Any]) -> dict[str, Any]:
        return localize_error(error, "zh")

    async def told() -> list[str]:
        whole, page = await bench.runs.result(run, tell=zh), await bench.runs.page(run, 4, "A", zh)
        found = (whole["pages"][4]["results"]["A"], whole["worst"][0]["pages"][0], page["result"])
        return [one["error"]["message"] for one in found]

    assert await told() == [said] * 3
    assert (await bench.runs.result(run))["pages"][4]["results"]["A"]["error"] == error_value(down)
    assert said in await bench.runs.report(run, "zh", zh)
    older = bench.store.evaluations.get(run).result
    older["worst"][0]["pages"][0]["error"] = "It broke."
    bench.store.evaluations.end(run, older)
    whole = await bench.runs.result(run, tell=zh)
    assert whole["worst"][0]["pages"][0]["error"]["message"] == "It broke.", "stored before there were codes"


async def test_the_best_is_marked_only_beyond_chance(bench: Bench, data: Path) -> None:
    clear = await bench.run("one", "two", data=data)
    assert clear["best"]["cer"] == clear["best"]["wer"] == "A"
    assert "facts" not in clear["best"], "both are equal in it"
    few = await bench.run("one", "two", data=write_set(data.parent / "few", pages=4))
    assert few["best"] == {}, "of four pages nothing is certain"


def test_what_changed_is_told_in_the_order_of_causes() -> None:
    engine = {"kind": "vllm", "version": "0.30", "model": "m", "revision": "r1"}
    before = told_setup(
        {"template_version": "a", "sampling": {"temperature": 0}, "engine": engine, "engine_name": "gpu"},
        {"settings": {"gpu": {"engine_pixels": 4}}, "rules": "x", "at_once": 1},
        {"packages": {"vllm": "0.30"}, "settings": {"engine_pixels": 1, "dtype": "auto"}, "cards": []},
    )
    now = told_setup(
        {"template_version": "a", "sampling": {}, "engine": {**engine, "revision": "r2"}, "engine_name": "gpu"},
        {"settings": {"gpu": {"engine_pixels": 8}}, "rules": "x", "at_once": 1},
        {
            "packages": {"vllm": "0.31"},
            "settings": {"engine_pixels": 1, "dtype": "auto"},
            "cards": [{"name": "H200", "driver": "570"}],
        },
    )
    assert changes(before, before) == []
    assert changes(before, now) == [
        {"what": "settings.engine_pixels", "before": "4", "now": "8"},
        {"what": "engine.revision", "before": "r1", "now": "r2"},
        {"what": "package.vllm", "before": "0.30", "now": "0.31"},
        {"what": "cards", "before": "", "now": "H200 (driver 570)"},
        {"what": "sampling.temperature", "before": "0", "now": ""},
    ]


def test_slower_is_said_of_what_is_so_on_the_same_pages_and_by_more_than_a_little() -> None:
    before = [{"page": str(n), "seconds": {"1": [0.1 * n, 0.1 * n], "4": [0.2]}} for n in range(1, 9)]
    slow = [{"page": str(n), "seconds": {"1": [0.13 * n], "4": [0.2]}} for n in range(1, 10)]
    found = speed_differences(before, slow)
    assert [(one["at_once"], one["slower"], one["verdict"], one["pages"]) for one in found] == [
        (1, True, "worse", 8),
        (4, False, "equal", 8),
    ]
    assert found[0]["first"] == pytest.approx(0.45)
    assert found[0]["second"] == pytest.approx(0.585)
    little = [{"page": str(n), "seconds": {"1": [0.105 * n]}} for n in range(1, 9)]
    assert [(one["verdict"], one["slower"]) for one in speed_differences(before, little)] == [("worse", False)]
    assert speed_differences(before, [{"page": "other", "seconds": {"1": [9]}}]) == []
