"""The command line, in process with a scripted engine; once as a program."""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from fakes import ScriptedEngine, ScriptStep
from slanting import askew, page
from stored import ANN, BO, add_item, content, open_store

from ocr_ui.__main__ import _parser, main
from ocr_ui.domain.content import ContentWarning, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Capabilities, Finished, LinesDelta, Started
from ocr_ui.errors import BadInput, EngineFailed
from ocr_ui.exports.registry import NAMES
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.engines import Engines
from ocr_ui.services.second_reviews import SecondReviewer
from ocr_ui.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
DONE = Finished(Generation(finish_reason="stop"), (ContentWarning("unreadable_script", "Some of it.", 0),))


def line(text: str, left: float, right: float) -> TextLine:
    return TextLine(text, Quad.from_points([(left, 5), (right, 5), (right, 20), (left, 20)]), 0.9)


LINES = LinesDelta((line("Total", 5, 30), line("12.50 €", 35, 9000)))


class Output:
    def __init__(self, code: int, out: bytes, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def value(self) -> dict:
        assert self.out.endswith(b"\n")
        return json.loads(self.out)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OCR_UI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("OCR_UI_TURN_PAGES", "false")

    def call(*arguments: str, stdin: bytes = b"") -> Output:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            code = main(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = capfdbinary.readouterr()
        return Output(code, out, err.decode())

    return call


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch):
    """Sets the script of the engine that the command finds; gives the engine and the settings it was made with."""
    asked: list[Settings] = []
    tasks = frozenset({Task.SPOTTING, Task.TEXT, Task.FIELDS})

    def scripted(*script: ScriptStep) -> list[Settings]:
        def from_settings(settings: Settings) -> Engines:
            asked.append(settings)
            name = "rapidocr" if settings.engine == "auto" else settings.engine
            return Engines({name: ScriptedEngine(script, Capabilities(tasks=tasks, gives_boxes=True))})

        monkeypatch.setattr(Engines, "from_settings", staticmethod(from_settings))
        return asked

    return scripted


@pytest.fixture
def picture(tmp_path: Path) -> str:
    file = tmp_path / "page.png"
    pixels = np.full((40, 60, 3), 255, np.uint8)
    pixels[5:20, 5:50] = 0
    assert cv2.imwrite(str(file), pixels)
    return str(file)


def refused(output: Output, *words: str, code: int = 2) -> None:
    assert output.code == code, output.err
    assert output.out == b""
    assert "Traceback" not in output.err
    for word in words:
        assert word in output.err


def test_recognize_prints_the_text(run, engine, picture: str) -> None:
    engine(Started(), LINES, DONE)
    output = run("recognize", picture)
    assert (output.code, output.out.decode()) == (0, "Total\n12.50 €\n")
    assert output.err == "Some of it.\n"


def test_recognize_json_prints_one_object_alone(run, engine, picture: str) -> None:
    engine(Started(), LINES, DONE)
    output = run("recognize", picture, "--json")
    assert output.code == 0
    value = output.value
    assert list(value) == ["page", "engine", "template", "lines", "fields", "tables", "text", "warnings"]
    sha256 = value["page"].pop("sha256")
    assert len(sha256) == 64
    assert value == {
        "page": {"width": 60, "height": 40},
        "engine": "scripted",
        "template": "full_text",
        "lines": [
            {"text": "Total", "quad": [[5, 5], [30, 5], [30, 20], [5, 20]], "confidence": 0.9},
            {"text": "12.50 €", "quad": [[35, 5], [60, 5], [60, 20], [35, 20]], "confidence": 0.9},
        ],
        "fields": [],
        "tables": [],
        "text": "Total\n12.50 €",
        "warnings": [{"code": "unreadable_script", "message": "Some of it."}],
    }
    assert output.out.count(b"\n") == 1


def test_recognize_cleans_the_engines_copy_where_that_is_asked_for(run, engine, tmp_path: Path) -> None:
    engine(Started(), LINES, DONE)
    file = tmp_path / "askew.png"
    assert cv2.imwrite(str(file), askew(page(8), 4))
    as_it_is, cleaned = (
        run("recognize", str(file), "--json", *more).value for more in ((), ("--preprocess", "deskew"))
    )
    assert [one["code"] for one in as_it_is["warnings"]] == ["unreadable_script"]
    assert [one["code"] for one in cleaned["warnings"]] == ["deskewed", "unreadable_script"]
    assert "by 4.0 degrees" in cleaned["warnings"][0]["message"]
    assert cleaned["page"] == as_it_is["page"]
    assert cleaned["lines"][0]["quad"] != as_it_is["lines"][0]["quad"]
    refused(run("recognize", str(file), "--preprocess", "iron"), "'iron'", "deskew")


def test_recognize_keeps_nothing(run, engine, picture: str, tmp_path: Path) -> None:
    engine(Started(), LINES, DONE)
    run("recognize", picture)
    assert not (tmp_path / "data").exists()


def test_fields(run, engine, picture: str) -> None:
    engine(Started(), LINES, DONE)
    asked = ("recognize", picture, "--template", "fields", "--var", "fields=Total, Nowhere")
    fields = run(*asked, "--json").value["fields"]
    assert [(field["name"], field["value"]) for field in fields] == [("Total", "12.50 €"), ("Nowhere", None)]
    assert fields[0]["quad"][0] == [35, 5]
    assert run(*asked).out.decode() == "Total: 12.50 €\nNowhere: (absent)\n"


def test_a_blank_page_is_said_once(run, engine, tmp_path: Path) -> None:
    engine(Started(), Finished(Generation(), (ContentWarning("empty", "No text was found."),)))
    assert cv2.imwrite("blank.png", np.full((40, 60, 3), 255, np.uint8))
    output = run("recognize", "blank.png", "--json")
    assert [warning["code"] for warning in output.value["warnings"]] == ["empty"]


def test_the_engine_asked_for_is_the_one_that_reads(run, engine, picture: str) -> None:
    settings = engine(Started(), LINES, DONE)
    assert run("recognize", picture, "--engine", "openai").code == 0
    assert run("recognize", picture).code == 0
    assert [one.engine for one in settings] == ["openai", "auto"]


def test_an_engine_that_does_not_exist(run, picture: str) -> None:
    refused(run("recognize", picture, "--engine", "other"), "'other'", "rapidocr, vllm, openai, llama")


@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_a_failure_keeps_what_came(run, engine, picture: str, arguments: list[str]) -> None:
    engine(Started(), LINES, EngineFailed("gone", "The engine is gone.", "Try again."))
    output = run("recognize", picture, *arguments)
    assert output.code == 1
    assert b"12.50" in output.out
    assert output.err == "The engine is gone. Try again.\n"


@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_a_failure_before_anything_came(run, engine, picture: str, arguments: list[str]) -> None:
    engine(EngineFailed("gone", "The engine is gone.", "Try again."))
    refused(run("recognize", picture, *arguments), "The engine is gone. Try again.", code=1)


def test_an_engine_that_is_not_there_is_told_once(picture: str, tmp_path: Path) -> None:
    """As a program: what the log says and what the command says both go to standard error."""
    done = program(tmp_path, "recognize", picture, "--engine", "llama", OCR_UI_LLAMA_SERVER="no-such-server")
    assert (done.returncode, done.stdout) == (1, b"")
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1, lines
    assert "no-such-server" in lines[0]


def test_a_picture_that_the_engine_refuses_is_refused_input(run, engine, picture: str) -> None:
    engine(BadInput("refused_by_engine", "The engine refuses this page: too narrow.", "Cut it."))
    refused(run("recognize", picture), "too narrow", code=2)


def test_output_that_cannot_be_written_is_told_once(picture: str, tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = program(tmp_path, "check-image", picture, stdout=full)
    told = b"Cannot write to standard output: No space left on device. Choose a place that can be written.\n"
    assert (done.returncode, done.stderr) == (2, told)


BAD_FILES = [(b"", "0 bytes"), (b"Dear Sir or Madam", "not a picture"), (b"\x89PNG\r\n\x1a\nxx", "damaged")]


@pytest.mark.parametrize("command", ["recognize", "check-image"])
@pytest.mark.parametrize(("data", "word"), BAD_FILES)
def test_files_that_are_no_picture(run, engine, tmp_path: Path, command: str, data: bytes, word: str) -> None:
    engine(Started(), LINES, DONE)
    (tmp_path / "bad.png").write_bytes(data)
    refused(run(command, "bad.png"), word)
    refused(run(command, "bad.png", "--json" if command == "recognize" else "--out=x.png"), word)
    assert not (tmp_path / "x.png").exists()


@pytest.mark.parametrize("command", ["recognize", "check-image"])
def test_files_that_cannot_be_read(run, tmp_path: Path, command: str) -> None:
    refused(run(command, "missing.png"), "missing.png", "No such file")
    refused(run(command, str(tmp_path)), "directory")


@pytest.mark.parametrize("command", ["recognize", "check-image"])
def test_files_over_the_limit_are_not_read_to_their_end(
    run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    with (tmp_path / "huge.png").open("wb") as file:
        file.truncate(1 << 40)
    refused(run(command, "huge.png"), "too large")
    refused(run(command, "/dev/zero"), "too large")


def test_an_unknown_template_names_near_ones(run, picture: str) -> None:
    refused(run("recognize", picture, "--template", "ful_text"), "ful_text", "full_text")


@pytest.mark.parametrize(
    ("template", "variables", "word"),
    [
        ("fields", [], "--var fields=VALUE"),
        ("fields", ["fields"], "--var NAME=VALUE"),
        ("fields", ["=x"], "--var NAME=VALUE"),
        ("fields", ["fields=a", "fields=b"], "twice"),
        ("fields", ["fields=a", "other=b"], "no variable other"),
        ("full_text", ["fields=a"], "no variable fields"),
        ("translate", ["target=Klingon"], "Klingon"),
        ("qa", ["question=Why?"], "cannot do"),
    ],
)
def test_variables_and_tasks_that_do_not_fit(
    run, engine, picture: str, template: str, variables: list[str], word: str
) -> None:
    engine(Started(), LINES, DONE)
    given = [part for variable in variables for part in ("--var", variable)]
    refused(run("recognize", picture, "--template", template, *given, "--json"), word)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nothing"],
        ["recognize"],
        ["recognize", "a", "b"],
        ["export", "--format", "xml", "--out", "x"],
        ["export", "--format", "csv"],
        ["parse", "--task", "spotting", "--width", "wide", "--height", "1"],
        ["parse", "--task", "nothing", "--width", "1", "--height", "1"],
    ],
)
def test_arguments_that_do_not_fit(run, arguments: list[str]) -> None:
    refused(run(*arguments), "usage")


def test_a_setting_that_does_not_fit_is_named(run, picture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCR_UI_MAX_PIXELS", "many")
    refused(run("recognize", picture), "OCR_UI_MAX_PIXELS")


@pytest.mark.parametrize("format", [name for name in NAMES if name not in ("srt", "vtt")])  # those need times
def test_export_into_a_folder(run, tmp_path: Path, format: str) -> None:
    with open_store(tmp_path / "data") as store:
        item = add_item(store, engine="vllm")
        asyncio.run(Annotator(store).save_correction(item, 0, content("corrected"), "wrong", person=ANN))
    output = run("export", "--format", format, "--out", "out")
    assert output.code == 0
    report = output.value
    assert (report["count_in"], report["count_out"], report["pictures"]) == (1, 1, 1)
    for file in report["files"]:
        assert (tmp_path / "out" / file).exists()
    embedded = {
        "datasets",
        "verl-plain",
        "easyr1",
        "pdf",
        "boxes",
        *(name for name in NAMES if name.startswith("trl-")),
    }
    assert len(list((tmp_path / "out").rglob("*.png"))) == (0 if format in embedded else 1)


def test_export_in_parts_and_import_of_it(run, tmp_path: Path) -> None:
    with open_store(tmp_path / "data") as store:
        for shade in range(4):
            item = add_item(store, shade=shade)
            asyncio.run(Annotator(store).save_correction(item, 0, content("corrected"), "wrong", person=ANN))
    asked = ("export", "--format", "sft-a", "--out", "out", "--absolute", "--split", "0.5/0.5")
    report = run(*asked).value
    assert sum(report["rows"].values()) == report["count_out"] == 4
    row = json.loads(next((tmp_path / "out" / "sft-a").glob("*.jsonl")).read_text("utf-8").splitlines()[0])
    assert row["img_path_sh"].startswith(str(tmp_path / "out"))
    assert run("import", "--format", "sft", "out/sft-a").value["count_in"] == 4
    refused(run("import", "--format", "sft", "nowhere"), "no such folder")
    refused(run(*asked[:-1], "half"), "0.9/0.05/0.05")
    refused(run(*asked, "--max-prompt-length", "1"), "more than 1")


def test_export_of_what_filters_find(run, tmp_path: Path) -> None:
    with open_store(tmp_path / "data") as store:
        for template in ("full_text", "table", "chart"):
            add_item(store, template=template)
    asked = ("export", "--format", "jsonl", "--out", "out", "--filter")
    assert run(*asked, "template=table").value["count_in"] == 1
    assert run(*asked, "template=table", "--filter", "template=chart", "--filter", "text=total").value["count_in"] == 2
    refused(run(*asked, "template"), "name=value")
    refused(run(*asked, "colour=red"), "no filter")


def test_export_of_what_two_people_agree_on(run, tmp_path: Path) -> None:
    with open_store(tmp_path / "data") as store:
        annotator = Annotator(store)
        for shade, theirs in enumerate(("Total 12.50", "Total 12.5O")):
            item = add_item(store, ("Total 12.50",), shade=shade)
            asyncio.run(annotator.save_correction(item, 0, content("Total 12.50"), "right", person=ANN))
            asyncio.run(SecondReviewer(store, annotator).save(item, content(theirs), BO, blind=True))
        add_item(store, ("never reviewed",), shade=9)
    asked = ("export", "--format", "jsonl", "--out", "out")
    for more, count in (
        ((), 3),
        (("--reviewed-twice",), 1),
        (("--agreement", "0.95"), 1),
        (("--agreement", "0.9"), 2),
        (("--filter", "review=disputed"), 1),
        (("--filter", "review=none"), 1),
    ):
        assert run(*asked, *more).value["count_out"] == count, more


def test_export_of_nothing(run, tmp_path: Path) -> None:
    refused(run("export", "--format", "csv", "--out", "out"), "nothing was written")
    assert not (tmp_path / "out").exists()


def test_export_to_where_nothing_can_be_written(run, tmp_path: Path) -> None:
    with open_store(tmp_path / "data") as store:
        add_item(store)
    (tmp_path / "file").write_text("x")
    refused(run("export", "--format", "csv", "--out", "file/out"), "could not be written")


ANSWER = "<ref>Total</ref><quad>(100,100),(500,200)</quad>"


def test_parse_from_a_file_and_from_standard_input(run, tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text(ANSWER, encoding="utf-8")
    size = ("--width", "1000", "--height", "500")
    from_file = run("parse", "answer.txt", "--task", "spotting", *size)
    from_input = run("parse", "--task", "spotting", *size, stdin=ANSWER.encode())
    assert from_file.code == from_input.code == 0
    assert from_file.value == from_input.value
    quad = [[100, 50], [500, 50], [500, 100], [100, 100]]
    assert from_file.value["lines"] == [{"text": "Total", "quad": quad, "confidence": None}]


def test_a_file_that_is_no_text_is_parsed_and_said(run, tmp_path: Path, picture: str) -> None:
    size = ("--width", "60", "--height", "40")
    value = run("parse", picture, "--task", "spotting", *size).value
    assert value["warnings"][0]["code"] == "not_text"
    assert "Is it a text file?" in value["warnings"][0]["message"]
    for name in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        answer = "Total: 5 €".encode(name)
        output = run("parse", "--task", "fields", "--field", "ＴＯ ＴＡＬ", *size, stdin=answer)
        assert output.value["fields"] == [{"name": "ＴＯ ＴＡＬ", "value": "5 €"}], name
        assert "not_text" not in {warning["code"] for warning in output.value["warnings"]}


def test_vllm_is_told_to_log_beside_the_result(run, engine, picture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It logs to standard output where nobody tells it otherwise; what somebody has told it stays."""
    seen = []
    tasks = frozenset({Task.SPOTTING})

    def from_settings(settings: Settings) -> Engines:
        seen.append(os.environ.get("VLLM_LOGGING_STREAM"))
        return Engines({"rapidocr": ScriptedEngine((Started(), LINES, DONE), Capabilities(tasks=tasks))})

    monkeypatch.setattr(Engines, "from_settings", staticmethod(from_settings))
    monkeypatch.setenv("VLLM_LOGGING_STREAM", "ext://sys.stdout")
    run("recognize", picture)
    monkeypatch.delenv("VLLM_LOGGING_STREAM")
    run("recognize", picture)
    assert seen == ["ext://sys.stdout", "ext://sys.stderr"]


def test_every_option_says_what_it_is_for() -> None:
    commands = subcommands(_parser())
    names = {
        "recognize",
        "rollouts",
        "evaluate",
        "benchmark",
        "calibrate",
        "export",
        "push",
        "dataset",
        "import",
        "parse",
        "reward",
        "check-image",
        "user",
        "key",
        "audit",
        "retain",
        "delete",
        "batch",
        "backup",
        "restore",
        "doctor",
        "selfcheck",
    }
    assert set(commands) == names
    for name, command in [*commands.items(), *subcommands(commands["dataset"]).items()]:
        given = [action for action in command._actions if not isinstance(action, argparse._SubParsersAction)]
        assert [action.dest for action in given if not action.help] == [], name


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    [found] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return found.choices


@pytest.mark.parametrize("task", ["spotting", "fields", "table", "formula", "markdown"])
@pytest.mark.parametrize("answer", [b"", b"\xff\xfe\x00", b'{"a": "\\ud83d"}', b"<table><tr><td>\xed\xa0\xbd"])
def test_parse_takes_any_bytes(run, task: str, answer: bytes) -> None:
    output = run("parse", "--task", task, "--width", "10", "--height", "10", "--field", "a", stdin=answer)
    assert output.code == 0
    assert set(output.value) == {"lines", "fields", "tables", "text", "warnings"}


def test_parse_of_an_impossible_size(run) -> None:
    refused(run("parse", "--task", "spotting", "--width", "0", "--height", "-1"), "0 x -1")


def test_check_image(run, picture: str, tmp_path: Path) -> None:
    output = run("check-image", picture, "--out", "upright.png")
    assert output.code == 0
    assert output.value == {"width": 60, "height": 40, "mode": "RGB", "pages": 1, "warnings": []}
    assert cv2.imread(str(tmp_path / "upright.png")).shape == (40, 60, 3)


def test_check_image_to_where_nothing_can_be_written(run, picture: str) -> None:
    refused(run("check-image", picture, "--out", "missing/upright.png"), "missing/upright.png")


def test_stopped_by_the_keyboard(run, picture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ocr_ui.services.check_image.open_picture", interrupted)
    refused(run("check-image", picture), "Stopped.", code=130)


def test_a_refusal_says_what_to_do(run, picture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BadInput("no", "This cannot be used.", "Use another.")

    monkeypatch.setattr("ocr_ui.services.check_image.open_picture", refuse)
    assert run("check-image", picture).err == "This cannot be used. Use another.\n"


def program(
    folder: Path, *arguments: str, stdout: object = subprocess.PIPE, **environment: str
) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "ocr_ui", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OCR_UI_ENGINE": "rapidocr", "LC_ALL": "C", **environment},
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=120,
        check=False,
    )


def test_as_a_program_with_the_real_engine(tmp_path: Path) -> None:
    done = program(tmp_path, "recognize", str(ROOT / "examples" / "receipt.jpg"), "--json")
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert value["engine"] == "rapidocr"
    assert len(value["lines"]) > 10
    page = value["page"]
    for one in value["lines"]:
        assert len(one["quad"]) == 4
        assert all(0 <= x <= page["width"] and 0 <= y <= page["height"] for x, y in one["quad"])
    assert list(tmp_path.iterdir()) == []


def test_versions_are_frozen_listed_exported_and_deleted(run, tmp_path: Path) -> None:
    with open_store(tmp_path / "data") as store:
        item = add_item(store, engine="vllm")
        add_item(store, ("other",), template="table", shade=1)
        asyncio.run(Annotator(store).save_correction(item, 0, content("corrected"), "wrong", person=ANN))
    frozen = run("dataset", "freeze", "v1", "--filter", "template=full_text", "--licence", "cc0-1.0")
    assert (frozen.value["name"], frozen.value["items"], frozen.value["licence"]) == ("v1", 1, "cc0-1.0")
    with open_store(tmp_path / "data") as store:
        asyncio.run(Annotator(store).save_correction(item, 1, content("later"), "wrong", person=ANN))
    report = run("export", "--format", "sft-a", "--out", "out", "--version", "v1").value
    assert report["dataset_version"] == {"name": "v1", "sha256": frozen.value["sha256"]}
    text = next((tmp_path / "out" / "sft-a").glob("*.jsonl")).read_text("utf-8")
    assert "corrected" in text
    assert "later" not in text
    assert run("dataset", "freeze", "v2").code == 0
    listed = run("dataset", "list").value
    assert [version["name"] for version in listed["versions"]] == ["v2", "v1"]
    assert [logged["version"] for logged in listed["exports"]] == ["v1"]
    assert run("dataset", "delete", "v2").code == 0
    refused(run("dataset", "delete", "v1"), "was exported 1 time and")
    refused(run("dataset", "freeze", "v1"), "Choose another name")
    refused(run("export", "--format", "csv", "--out", "o2", "--version", "v3"), "no version 'v3'")


def test_the_card_of_a_version(run, tmp_path: Path) -> None:
    with open_store(tmp_path / "data") as store:
        add_item(store)
    run("dataset", "freeze", "v1", "--licence", "cc0-1.0")
    assert "README.md" in run("dataset", "card", "v1", "--out", "card").value["files"]
    assert 'license: "cc0-1.0"' in (tmp_path / "card" / "README.md").read_text("utf-8")
    refused(run("dataset", "card", "v2", "--out", "card"), "no version 'v2'")


def test_push_into_a_folder_tells_its_progress(run, tmp_path: Path) -> None:
    with open_store(tmp_path / "data") as store:
        add_item(store)
    pushed = run("push", "--format", "jsonl", "--to", "shared", "--licence", "cc0-1.0")
    assert pushed.value["address"] == str(tmp_path / "shared")
    assert pushed.err == "writing\n"
    assert (tmp_path / "shared" / "README.md").is_file()
    stored = run("push", "--format", "jsonl", "--to", "memory://bucket/x")
    assert "sending: 0 of" in stored.err
    refused(run("push", "--format", "jsonl", "--to", "hub:nobody"), "hub:USER/NAME")
    refused(run("push", "--format", "jsonl", "--to", "s4://x"), "hub:USER/NAME")


def test_an_export_of_the_model_revision_that_is_trained(run, tmp_path: Path) -> None:
    with open_store(tmp_path / "data") as store:
        item = add_item(store, engine="vllm")
        asyncio.run(Annotator(store).save_correction(item, 0, content("corrected"), "wrong", person=ANN))
    report = run("export", "--format", "trl-dpo", "--out", "out", "--model-revision", "r1").value
    assert (report["count_out"], report["count_in"]) == (1, 1)
    refused(run("export", "--format", "trl-dpo", "--out", "out", "--model-revision", "r2"), "filter")
