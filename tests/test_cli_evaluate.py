"""`python -m ocr_ui evaluate`, in process with an engine that answers by rule; once on the CPU engine as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from labelled import AnsweringEngine, number_of, write_page

from ocr_ui.__main__ import main
from ocr_ui.commands.evaluate import broken_bounds, read_bounds
from ocr_ui.errors import BadInput
from ocr_ui.services.engines import Engines

PAGES = 4
TEMPLATE = """---
name: mine
title: {{en: "T", zh: "T"}}
task: fields
variables: [{{name: names, label: {{en: "n", zh: "n"}}, many: true, default: "{names}"}}]
---
Give {{{{names}}}}
"""


def truth(number: int) -> dict[str, str]:
    return {"Total": f"{number}.50", "Date": f"{number} May"}


def answer(request) -> str:
    known = truth(number_of(request))
    if "Give" in request.prompt:
        return json.dumps({name: value for name, value in known.items() if f"'{name}'" in request.prompt})
    return f"<b>page</b> {number_of(request)}"


class Ran:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    folder.mkdir()
    for number in range(PAGES):
        write_page(folder, number, text=f"<b>page</b> {number + (number == 2)}", fields=truth(number))
    return folder


@pytest.fixture
def evaluate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, data: Path, capfdbinary: pytest.CaptureFixture[bytes]):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OCR_UI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("OCR_UI_TURN_PAGES", "false")
    monkeypatch.setattr(
        Engines, "from_settings", staticmethod(lambda settings: Engines({settings.engine: AnsweringEngine(answer)}))
    )

    def call(*arguments: str) -> Ran:
        code = main(("evaluate", "--data", str(data), "--engine", "m", *arguments))
        out, err = capfdbinary.readouterr()
        return Ran(code, out.decode(), err.decode())

    return call


def template(tmp_path: Path, names: str) -> None:
    folder = tmp_path / "data" / "prompts"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mine.md").write_text(TEMPLATE.format(names=names), encoding="utf-8")


def test_a_table_a_file_and_a_report(evaluate, tmp_path: Path) -> None:
    ran = evaluate("--template", "full_text_plain", "--json", "out/all.json", "--html", "out/all.html")
    assert ran.code == 0
    result = json.loads((tmp_path / "out" / "all.json").read_text(encoding="utf-8"))
    cer = result["competitors"][0]["scores"]["cer"]["value"]
    assert cer == pytest.approx(1 / (PAGES * len("<b>page</b> 0")))
    assert f"{cer:.4f}" in ran.out
    assert "4/4" in ran.err
    html = (tmp_path / "out" / "all.html").read_text(encoding="utf-8")
    assert f"{cer:.4f}" in html
    assert "&lt;b&gt;page&lt;/b&gt; <del>3</del><ins>2</ins>" in html
    assert "<b>page</b>" not in html


def test_a_bound_that_is_broken_has_its_own_exit_code(evaluate) -> None:
    assert evaluate("--template", "full_text_plain", "--fail-under", "cer=0.05").code == 0
    ran = evaluate("--template", "full_text_plain", "--fail-under", "cer=0.001", "--fail-under", "field_f1=0.5")
    assert ran.code == 3
    assert "cer is 0.0192, the bound 0.001" in ran.err
    assert "field_f1 was not measured" in ran.err


def test_a_template_that_drops_a_field_fails_the_build(evaluate, tmp_path: Path) -> None:
    template(tmp_path, "Total, Date")
    assert evaluate("--template", "mine", "--fail-on-regression", "--fail-under", "field_recall=0.9").code == 0
    template(tmp_path, "Total")
    assert evaluate("--template", "mine").code == 0
    template(tmp_path, "Total, Date")
    assert evaluate("--template", "mine", "--fail-on-regression").code == 0
    template(tmp_path, "Date")
    ran = evaluate("--template", "mine", "--fail-on-regression", "--fail-under", "field_recall=0.9")
    assert ran.code == 3
    assert "worse than in run 3: field_exact 1.0000 to 0.5000" in ran.err
    assert "field_recall is 0.5000, the bound 0.9" in ran.err
    assert "REGRESSION" in ran.out


def test_two_templates_are_compared(evaluate, tmp_path: Path) -> None:
    template(tmp_path, "Total")
    ran = evaluate("--template", "fields", "--template", "mine")
    assert ran.code == 0
    assert "B against A" in ran.out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--fail-under", "cer"), "no bound"),
        (("--fail-under", "beauty=1"), "no bound"),
        (("--normalize", "colour"), "made equal"),
        (("--template", "nowhere"), "nowhere"),
        (("--template", "table"), "should have read"),
        (("--data", "nowhere"), "no folder and no frozen version"),
        (("--template", "full_text_plain", "--json", "set/page00.png/x.json"), "Cannot write"),
    ],
)
def test_what_cannot_be_used_is_refused(evaluate, arguments: tuple[str, ...], word: str) -> None:
    ran = evaluate(*arguments)
    assert ran.code == 2
    assert word in ran.err
    assert "Traceback" not in ran.err


def test_bounds_go_the_way_that_is_better() -> None:
    scores = {"cer": {"value": 0.04}, "teds": {"value": 0.8}}
    result = {
        "metrics": [{"key": "cer", "lower": True}, {"key": "teds", "lower": False}],
        "competitors": [{"title": "A", "scores": scores}],
    }
    assert broken_bounds(result, {"cer": 0.05, "teds": 0.8}) == []
    assert len(broken_bounds(result, {"cer": 0.03, "teds": 0.9})) == 2
    with pytest.raises(BadInput):
        read_bounds(["cer=many"])


@pytest.mark.stress
def test_the_examples_out_of_the_box(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OCR_UI_DATA_DIR", str(tmp_path / "data"))
    asked = ("evaluate", "--data", "examples", "--engine", "rapidocr")
    written = ("--json", str(tmp_path / "a.json"), "--html", str(tmp_path / "a.html"))
    assert main((*asked, *written, "--fail-under", "cer=0.1", "--fail-under", "box_f1=0.7")) == 0
    result = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert result["data"]["pages"] == 16
    sideways = next(page for page in result["pages"] if page["page"] == "sideways_page")
    assert sideways["results"]["A"]["scores"]["box_f1"] > 0.9
