"""Contests over drawn pages, whose numbers are worked out once more here in plain Python."""

from __future__ import annotations

from pathlib import Path

import jiwer
import pytest
from labelled import PAGES, Bench, answer, number_of, truth_fields, truth_text, write_page, write_set

from ocr_ui.errors import BadInput, EngineDead, EngineFailed, NotFound
from ocr_ui.images.need import RULE
from ocr_ui.scoring.text import EXACT, Normalization
from ocr_ui.services.evaluate import Ask


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


def competitor(result: dict, key: str) -> dict:
    return next(one for one in result["competitors"] if one["key"] == key)


async def test_the_numbers_are_those_of_jiwer_and_of_counting(bench: Bench, data: Path) -> None:
    result = await bench.run("one", "two", "fields", data=data, normalization=EXACT)
    wanted = [truth_text(number) for number in range(PAGES)]
    for key, prompt in (("A", "Read it"), ("B", "Read it two")):
        read = []
        for text, number in zip(wanted, range(PAGES), strict=True):
            said = text.replace("o", "0", 2) if number % 3 == 0 else text
            read.append(said.replace("e", "", 1) if "two" in prompt else said)
        scores = competitor(result, key)["scores"]
        assert scores["cer"]["value"] == pytest.approx(jiwer.cer(wanted, read))
        assert scores["wer"]["value"] == pytest.approx(
            jiwer.wer([one.replace("\n", " ") for one in wanted], [one.replace("\n", " ") for one in read])
        )
        means = [jiwer.cer(one, other) for one, other in zip(wanted, read, strict=True)]
        assert scores["cer"]["page_mean"] == pytest.approx(sum(means) / PAGES)
        assert [page["results"][key]["scores"]["cer"] for page in result["pages"]] == pytest.approx(means)
        invoices = [pair for number, pair in enumerate(zip(wanted, read, strict=True)) if number % 2]
        group = competitor(result, key)["groups"]["kind"]["invoice"]
        assert group["pages"] == len(invoices)
        assert group["scores"]["cer"] == pytest.approx(jiwer.cer(*map(list, zip(*invoices, strict=True))))
    fields = competitor(result, "C")["scores"]
    mixed = next(one for one in result["differences"] if one["second"] == "C")
    assert [one["metric"] for one in mixed["metrics"]] == ["facts"]  # rewards of two tasks are no measure of both
    assert (fields["field_f1"]["value"], fields["field_exact"]["value"], fields["official"]["value"]) == (1, 1, 1)
    contest = next(one for one in result["differences"] if one["second"] == "B")
    cer = next(one for one in contest["metrics"] if one["metric"] == "cer")
    worse = sum("e" in one for one in wanted)
    assert (cer["better"], cer["equal"], cer["worse"]) == (0, PAGES - worse, worse)
    assert cer["verdict"] == "worse"
    assert cer["low"] > 0
    kinds = contest["groups"]["kind"]
    assert {kind: one["pages"] for kind, one in kinds.items()} == {"invoice": PAGES // 2, "receipt": PAGES // 2}
    assert contest["groups"]["tag"]["small"]["pages"] == 4
    steps = [one["second"] - one["first"] for one in contest["pages"]]
    assert len(steps) == worse
    assert steps == sorted(steps, reverse=True)


async def test_the_normalisation_is_chosen_and_shown(bench: Bench, data: Path) -> None:
    bench.engine.answer = lambda request: truth_text(number_of(request)).upper()
    strict = await bench.run("one", data=data)
    open_case = await bench.run("one", data=data, normalization=Normalization(case=True, no_spaces=True))
    assert competitor(strict, "A")["scores"]["cer"]["value"] > 0.2
    assert competitor(open_case, "A")["scores"]["cer"]["value"] == 0
    assert open_case["normalization"]["case"] is True
    assert len(bench.engine.seen) == PAGES  # the second one asked nothing anew


async def test_a_template_that_drops_a_field_is_found_and_marked(bench: Bench, data: Path) -> None:
    bench.fields_template("Total, Date, Shop")
    first = await bench.run("mine", data=data)
    assert first["regressions"] == []
    bench.fields_template("Total, Shop")
    second = await bench.run("mine", data=data)
    marked = second["regressions"][0]
    assert (marked["key"], marked["run"]) == ("A", first["run"])
    versions = (one["competitors"][0]["template_version"] for one in (first, second))
    assert marked["changes"] == [dict(zip(("what", "before", "now"), ("template", *versions), strict=True))]
    assert {one["metric"] for one in marked["worse"]} == {"field_exact", "field_recall", "field_f1", "official"}
    recall = next(one for one in marked["worse"] if one["metric"] == "field_recall")
    assert recall["second"] == pytest.approx(2 / 3)
    assert recall["worse"] == PAGES
    worst = second["worst"][0]["pages"][0]
    assert {"kind": "field", "name": "Date", "pieces": [("missing", "0 May")]} in worst["differences"]
    bench.fields_template("Date, Total, Shop")
    third = await bench.run("mine", data=data)
    assert third["regressions"][0]["worse"] == []
    assert {one["metric"] for one in third["regressions"][0]["better"]} >= {"field_recall"}


async def test_a_fact_that_held_before_and_does_not_now_is_named(bench: Bench, data: Path) -> None:
    bench.fields_template("Total, Date, Shop")
    await bench.run("mine", data=data)
    bench.fields_template("Total, Date")
    second = await bench.run("mine", data=data)
    lost = second["regressions"][0]["facts_lost"]
    assert [one["page"] for one in lost] == ["page00", "page01", "page02"]
    assert competitor(second, "A")["scores"]["facts"]["value"] == 0
    assert second["pages"][0]["facts"] == [{"kind": "present", "text": "Shop 0", "case": True}]


async def test_the_same_again_is_no_regression_and_asks_nothing(bench: Bench, data: Path) -> None:
    await bench.run("one", data=data)
    again = await bench.run("one", data=data)
    assert len(bench.engine.seen) == PAGES
    assert competitor(again, "A")["cached"] == PAGES
    assert competitor(again, "A")["pages_per_second"] is None
    assert again["regressions"][0]["worse"] == again["regressions"][0]["facts_lost"] == []
    fresh = await bench.run("one", data=data, fresh=True)
    assert len(bench.engine.seen) == 2 * PAGES
    assert competitor(fresh, "A")["pages_per_second"] > 0


async def test_what_was_interrupted_goes_on(bench: Bench, data: Path) -> None:
    steps = bench.evaluator.run(Ask(str(data), ("one",), ("m",)))
    for _ in range(5):
        await anext(steps)
    await steps.aclose()
    done = len(bench.engine.seen)
    assert done < PAGES
    assert bench.store.evaluations.list() == []
    bench.open()
    result = await bench.run("one", data=data)
    assert competitor(result, "A")["pages"] == PAGES
    assert len(bench.engine.seen) <= PAGES + 1  # the one that was under way is asked once more
    assert [run.id for run in bench.store.evaluations.list()] == [result["run"]] == [1]


async def test_another_engine_revision_or_template_is_read_anew(bench: Bench, data: Path) -> None:
    await bench.run("one", data=data)
    bench.template("one", "Read it, please")
    await bench.run("one", data=data)
    assert len(bench.engine.seen) == 2 * PAGES
    bench.engine.name = type(bench.engine.name)("openai", "1", "answering", "r2")
    third = await bench.run("one", data=data)
    assert len(bench.engine.seen) == 3 * PAGES
    assert third["regressions"][0]["changes"] == [{"what": "engine.revision", "before": "r1", "now": "r2"}]


async def test_a_height_of_text_that_was_measured_meanwhile_is_told_as_a_change(bench: Bench, data: Path) -> None:
    bench.settings = bench.settings.model_copy(update={"pixels": "need"})
    bench.open()
    await bench.run("one", data=data)
    bench.store.pixel_calibrations.add(bench.engine.name, 12.0, RULE, {}, None)
    second = await bench.run("one", data=data)
    changed = {"what": "settings.pixels_target", "before": "not measured", "now": "12.0"}
    assert second["regressions"][0]["changes"] == [changed]


async def test_pages_that_fail_count_as_wrong_and_are_asked_again(bench: Bench, data: Path) -> None:
    down = EngineFailed("engine_failed", "It broke.", "")
    bench.engine.answer = lambda request: down if number_of(request) == 4 else truth_text(number_of(request))
    first = await bench.run("one", data=data)
    assert (competitor(first, "A")["failed"], competitor(first, "A")["pages"]) == (1, PAGES)
    lengths = [len(truth_text(number)) for number in range(PAGES)]
    assert competitor(first, "A")["scores"]["cer"]["value"] == pytest.approx(lengths[4] / sum(lengths))
    told = {"code": "engine_failed", "message": "It broke.", "hint": "", "details": {}}
    assert first["pages"][4]["results"]["A"]["error"] == told
    assert first["pages"][3]["results"]["A"]["error"] is None
    assert (first["worst"][0]["pages"][0]["page"], first["worst"][0]["pages"][0]["error"]) == ("page04", told)
    bench.engine.answer = answer
    second = await bench.run("one", data=data)
    assert competitor(second, "A")["failed"] == 0
    assert len(bench.engine.seen) == PAGES + 1


async def test_as_many_pages_at_once_as_were_asked_for(bench: Bench, data: Path) -> None:
    bench.engine.hold(4)
    await bench.run("one", data=data, at_once=4)
    assert bench.engine.most_at_once == 4


async def test_times_and_tokens_are_told(bench: Bench, data: Path) -> None:
    one = competitor(await bench.run("one", data=data), "A")
    assert 0 < one["first_seconds"]["p50"] <= one["seconds"]["p50"] <= one["seconds"]["p95"] <= one["seconds"]["p99"]
    tokens = [len(text_answer_of(number)) // 4 for number in range(PAGES)]
    assert one["tokens"] == {"sum": sum(tokens), "mean": sum(tokens) / PAGES}


def text_answer_of(number: int) -> str:
    text = truth_text(number)
    return text.replace("o", "0", 2) if number % 3 == 0 else text


async def test_pages_without_what_a_template_is_asked_are_left_out(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    write_page(folder, 1, text=truth_text(1))
    write_page(folder, 2, text=truth_text(2), fields=truth_fields(2))
    result = await bench.run("one", "fields", data=folder)
    assert [competitor(result, key)["pages"] for key in "AB"] == [2, 1]
    assert list(result["pages"][0]["results"]) == ["A"]
    with pytest.raises(BadInput) as refused:
        await bench.run("table", data=folder)
    assert refused.value.code == "nothing_to_compare"


async def test_an_engine_that_dies_ends_the_contest_which_goes_on_later(bench: Bench, data: Path) -> None:
    gone = EngineDead("engine_gone", "It is gone.", "")
    bench.engine.answer = lambda request: gone if number_of(request) == 5 else answer(request)
    with pytest.raises(EngineDead):
        await bench.run("one", data=data)
    bench.engine.answer = answer
    result = await bench.run("one", data=data)
    assert (competitor(result, "A")["failed"], competitor(result, "A")["cached"]) == (0, 5)
    assert result["run"] == 1


@pytest.mark.parametrize(("what", "code"), [("nowhere", "unknown_test_set"), ("filter:none", "unknown_test_set")])
async def test_what_names_no_pages_is_refused(bench: Bench, what: str, code: str) -> None:
    with pytest.raises(NotFound) as refused:
        await bench.run("one", data=Path(what))
    assert refused.value.code == code
