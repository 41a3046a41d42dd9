"""`python -m ocr_ui reward`, in process; once as a program."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ocr_ui.__main__ import main

ROOT = Path(__file__).resolve().parent.parent
Run = Callable[..., subprocess.CompletedProcess]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(task: str, response: str | bytes, reference: str, *more: str) -> subprocess.CompletedProcess:
        data = response if isinstance(response, bytes) else response.encode()
        (tmp_path / "response").write_bytes(data)
        (tmp_path / "reference").write_bytes(reference.encode())
        command = ["reward", "--task", task, "--response", "response", "--reference", "reference", *more]
        try:
            code = main(command)
        except SystemExit as end:
            code = int(end.code or 0)
        return subprocess.CompletedProcess(command, code, *capfd.readouterr())

    return call


def test_as_a_program(run: Run, tmp_path: Path) -> None:
    here = run("fields", '{"a": "x"}', '{"a": "x", "b": "金额"}')
    command = [sys.executable, "-m", "ocr_ui", *here.args]
    there = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert (there.returncode, there.stdout, there.stderr) == (0, here.stdout, "")
    assert json.loads(there.stdout)["reward"] == 0.5


@pytest.mark.parametrize(
    ("task", "response", "reference", "reward"),
    [
        ("spotting", "Tota1(1,2),(30,40)", "Total(1,2),(30,40)", pytest.approx(0.8, abs=1e-6)),
        ("spotting", ",(1,2),(3,4)", "Total(1,2),(30,40)", None),
        ("spotting", "Total(1,2),(30,40)", "Total", -1),
        ("fields", '{"a": "x"}', '{"a": "x", "b": "金额"}', 0.5),
        ("parsing", "一二三四五六七八九〇", "一二三四五六七八九十", 0.9),
        ("translation", "a", "a", None),
    ],
)
def test_one_line_of_json(run: Run, task: str, response: str, reference: str, reward: float | None) -> None:
    done = run(task, response, reference)
    assert done.returncode == 0
    assert done.stderr == ""
    (line,) = done.stdout.splitlines()
    value = json.loads(line)
    assert set(value) == {"reward", "reason"}
    assert value["reward"] == reward
    assert value["reason"].endswith(".")


def test_our_own_rule(run: Run) -> None:
    assert json.loads(run("parsing", "abcdxxxxxx", "abcdefghij").stdout)["reward"] == 0
    assert json.loads(run("parsing", "abcdxxxxxx", "abcdefghij", "--rule", "clean").stdout)["reward"] == 0.4


def test_a_reward_file_and_the_setting_that_names_it(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "team.py").write_text(
        "def compute_score(data_source, solution_str, ground_truth, extra_info=None):\n"
        "    print('noise')\n    return len(solution_str) / 10\n"
        "def broken(**k): raise RuntimeError('as they are')\n"
    )
    assert json.loads(run("vqa", "abc", "x", "--reward-file", "team.py").stdout)["reward"] == 0.3
    failed = run("vqa", "abc", "x", "--reward-file", "team.py:broken")
    assert failed.returncode == 0
    assert json.loads(failed.stdout)["reward"] is None
    assert "RuntimeError: as they are" in json.loads(failed.stdout)["reason"]
    monkeypatch.setenv("OCR_UI_REWARD_FILE", "team.py:compute_score")
    assert json.loads(run("ie", "{}", "{}").stdout)["reward"] == 0.2
    assert json.loads(run("ie", '{"a": 1}', '{"a": 1}', "--rule", "official").stdout)["reward"] == 1


@pytest.mark.parametrize(
    ("task", "more", "words"),
    [
        ("nonsense", (), "no task 'nonsense'"),
        ("ie", ("--rule", "mine"), "no rule 'mine'"),
        ("ie", ("--reference", "nowhere"), "Cannot read nowhere"),
        ("ie", ("--response", "."), "Cannot read ."),
        ("ie", ("--reward-file", "nowhere.py"), "no file nowhere.py"),
    ],
)
def test_what_cannot_be_used_is_told_with_exit_code_2(run: Run, task: str, more: tuple[str, ...], words: str) -> None:
    done = run(task, "{}", "{}", *more)
    assert done.returncode == 2
    assert done.stdout == ""
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_no_text_is_told(run: Run) -> None:
    done = run("parsing", b"\xff\xfe\xff\xff\xff", "a")
    assert done.returncode == 0
    assert "not all UTF-8" in done.stderr


def test_it_never_loads_the_page(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("{}")
    code = (
        "import sys; from ocr_ui.__main__ import main\n"
        "main(['reward', '--task', 'ie', '--response', 'a', '--reference', 'a'])\n"
        "assert 'gradio' not in sys.modules and 'fastapi' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, check=True)
