"""A team's own reward function, run as it is: whatever it does, the caller gets one sentence and lives on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ocr_ui.domain.reward import Reward
from ocr_ui.errors import BadInput
from ocr_ui.scoring.reward_file import RewardFile, split
from ocr_ui.scoring.versions import of_file
from tests.processes import gone

FUNCTIONS = """
import os, sys, time
from text import HALF

def compute_score(data_source, solution_str, ground_truth, extra_info=None, **kwargs):
    print("a line of its own")
    return {"score": HALF, "analysis": f"{data_source} {extra_info['task_type']} {extra_info['question']}"}

def echo(data_source, solution_str, ground_truth, extra_info):
    return {"score": 1.0, "reason": solution_str + "|" + ground_truth}

def number(**k): return 3
def yes(**k): return True
def none(**k): return None
def scalar(**k):
    import numpy
    return numpy.float32(0.25)
def no_score(**k): return {"reward": 1}
def text(**k): return "0.5"
def nan(**k): return float("nan")
def raises(**k):
    print("before it broke")
    raise ValueError("the label is odd")
def leaves(**k): sys.exit("enough")
def dies(**k):
    print("last words", flush=True)
    os._exit(3)
def hangs(**k):
    print("thinking", flush=True)
    time.sleep(600)
def spawns(**k):
    import subprocess
    child = subprocess.Popen(["sleep", "600"])
    with open("child.part", "w") as file: file.write(str(child.pid))
    os.replace("child.part", "child.pid")
    time.sleep(600)
def asks(**k): return float(input())
def floods(**k):
    for _ in range(20000): print("x" * 100)
    return 0.5
async def later(**k): return 0.75
calls = 0
def counts(**k):
    global calls
    calls += 1
    return calls
def process(**k): return os.getpid()
def secrets(**k): return {"score": 1, "reason": ",".join(n for n in os.environ if n.endswith("KEY"))}
def splits(solution_str, **k):
    os.fork()
    return len(solution_str)
def silent(**k):
    sys.stdout.close()
    return 1
def memory_score(**k): return float(open("/proc/self/oom_score_adj").read())
not_callable = 5
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("team")
    (made / "kit.py").write_text(FUNCTIONS)
    (made / "text.py").write_text("HALF = 0.5\n")  # a name that the product's package has too
    return made


@pytest.fixture
def ask(folder: Path) -> Iterator:
    def call(name: str, seconds: float = 20, response: str = "answer", reference: str = "label") -> Reward:
        with closing(RewardFile(f"{folder / 'kit.py'}:{name}", seconds)) as file:
            return file.score("ie", response, reference, {"question": "why"})

    return call


@pytest.mark.parametrize(
    ("name", "value"),
    [("compute_score", 0.5), ("number", 3), ("yes", 1), ("none", None), ("scalar", 0.25), ("later", 0.75)],
)
def test_results_of_every_form(ask, name: str, value: float | None) -> None:
    found = ask(name)
    assert found.value == value
    assert found.name == f"kit.py:{name}"
    assert found.code == ("reward_file" if value is not None else "reward_file_none")


def test_it_is_called_as_verl_calls_it(ask) -> None:
    assert ask("compute_score").details["said"] == "ie ie why"
    odd = 'a\n"b"\u2028é\udc00' * 1000
    assert ask("echo", response=odd[:900], reference="R").details["said"] == odd[:900] + "|R"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no_score", "a dict without a score"),
        ("text", "neither a number"),
        ("nan", "nan"),
        ("raises", "ValueError: the label is odd, line"),
        ("leaves", "SystemExit: enough"),
        ("asks", "EOFError"),
        ("dies", "exit code 3"),
        ("missing", "no function missing"),
        ("not_callable", "no function not_callable"),
    ],
)
def test_failures_are_told(ask, name: str, words: str) -> None:
    found = ask(name)
    assert found.value is None
    assert words in found.reason


def test_what_it_printed_before_it_failed_is_shown(ask) -> None:
    assert "before it broke" in ask("raises").reason
    assert "last words" in ask("dies").reason


def test_prints_beyond_all_measure_change_nothing(ask) -> None:
    assert ask("floods").value == 0.5


def test_a_call_that_hangs_is_ended_with_all_that_it_started(ask, folder: Path) -> None:
    child = folder / "child.pid"
    for name, has_begun in (("hangs", lambda found: "thinking" in found.reason), ("spawns", lambda _: child.exists())):
        for seconds in (1, 5, 25):  # it needs a moment to come as far as that
            found = ask(name, seconds=seconds)
            assert found.code == "reward_file_timeout"
            assert f"{seconds} seconds" in found.reason
            if has_begun(found):
                break
        assert has_begun(found)
    assert gone(int(child.read_text()))


def test_one_process_serves_all_calls_and_is_never_ours(folder: Path) -> None:
    with closing(RewardFile(f"{folder / 'kit.py'}:counts", 20)) as file:
        assert [file.score("ie", "a", "b").value for _ in range(3)] == [1, 2, 3]
    with closing(RewardFile(f"{folder / 'kit.py'}:process", 20)) as file:
        first = file.score("ie", "a", "b").value
        assert first == file.score("ie", "a", "b").value != os.getpid()


def test_a_copy_that_a_function_makes_of_its_process_never_answers(folder: Path) -> None:
    with closing(RewardFile(f"{folder / 'kit.py'}:splits", 20)) as file:
        assert [file.score("ie", "x" * length, "b").value for length in range(1, 9)] == list(range(1, 9))


def test_a_closed_output_is_no_failure(ask) -> None:
    assert ask("silent").value == 1


@pytest.mark.skipif(not Path("/proc/self/oom_score_adj").exists(), reason="Linux alone chooses by this")
def test_where_memory_runs_out_the_function_goes_first(ask) -> None:
    assert ask("memory_score").value == 1000


def test_a_changed_file_is_loaded_anew_and_told_by_its_version(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text("def compute_score(**k): return 1\n")
    with closing(RewardFile(str(own), 20)) as file:
        assert file.score("ie", "a", "b").value == 1
        before, second = file.version, own.stat().st_mtime
        own.write_text("def compute_score(**k): return 2\n")
        os.utime(own, (second, second))  # bytecode would count as fresh
        assert file.score("ie", "a", "b").value == 2
        assert file.version == of_file(own) != before
    assert [one.name for one in tmp_path.iterdir()] == ["own.py"], "nothing is left beside a file that is not ours"


def test_after_a_failure_the_next_call_works(folder: Path) -> None:
    once = folder / "once.py"
    once.write_text(
        "import os\ndef compute_score(solution_str, **k):\n    if solution_str == 'die': os._exit(1)\n    return 1\n"
    )
    with closing(RewardFile(str(once), 20)) as file:
        assert file.score("ie", "die", "").value is None
        assert file.score("ie", "live", "").value == 1


def test_our_keys_stay_here(ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCR_UI_JUDGE_KEY", "secret")
    monkeypatch.setenv("THEIR_KEY", "x")
    said = ask("secrets").details["said"].split(",")
    assert "THEIR_KEY" in said
    assert "OCR_UI_JUDGE_KEY" not in said


def test_a_file_that_cannot_be_loaded(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import nothing_of_this_name\n")
    with closing(RewardFile(str(broken), 20)) as file:
        found = file.score("ie", "a", "b")
    assert found.code == "reward_file_not_loaded"
    assert "nothing_of_this_name" in found.reason
    assert "line 1 of broken.py" in found.reason
    with pytest.raises(BadInput) as refused:
        RewardFile(str(tmp_path / "none.py"), 1)
    assert refused.value.code == "reward_file_missing"


def test_names_of_files_and_functions() -> None:
    assert split("a/b.py:f") == (Path("a/b.py"), "f")
    assert split("a/b.py") == (Path("a/b.py"), "compute_score")
    assert split("C:/b.py") == (Path("C:/b.py"), "compute_score")
