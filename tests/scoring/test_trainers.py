"""The reward functions in the trainers' hands.

verl's own loader (`verl.utils.import_utils.load_extern_object`) and TRL's trainer are used where they are installed
(last with verl 0.9.1 and TRL 1.16.0).
Elsewhere stand the loader and the call below, written from what both document: verl executes a file by its path and
calls the function with its arguments by name; TRL calls with `prompts`, `completions` and every other column.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ocr_ui.errors import BadInput
from ocr_ui.scoring import compute_score, trl_reward, trl_reward_with
from ocr_ui.scoring.rewards import with_length
from ocr_ui.settings import ROOT

FILE = ROOT / "ocr_ui" / "scoring" / "rewards.py"
LABEL = '{"a": "x", "b": "y"}'

IN_A_TRAINER = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("custom_module", sys.argv[1])
module = importlib.util.module_from_spec(spec)
sys.modules["custom_module"] = module
spec.loader.exec_module(module)
given = dict(data_source="ie", solution_str='{"a": "x"}', ground_truth='{"a": "x", "b": "y"}')
found = module.compute_score(**given, extra_info={"task_type": "ie", "img_path": []}, reward_router_address=None)
tables = "Some <table><tr><td>a</td></tr></table>"
module.compute_score("parsing", tables, tables.replace("Some", "Same"))
print(json.dumps([found, sorted(sys.modules)]))
"""


def load_by_path(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("custom_module", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_file_that_is_loaded_by_its_path_needs_nothing_of_the_page(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_A_TRAINER, str(FILE)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    found, loaded = json.loads(done.stdout)
    assert found["score"] == 0.5
    needed = {"numpy", "lxml", "rapidfuzz"}
    unneeded = {"gradio", "fastapi", "pydantic", "sqlalchemy", "PIL", "pandas", "scipy", "openai", "onnxruntime"}
    names = {name.split(".")[0] for name in loaded}
    assert needed <= names
    assert unneeded & names == set()


def test_the_package_names_them() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, ocr_ui.scoring.text\nassert 'ocr_ui.scoring.rewards' not in sys.modules\n"
            "from ocr_ui.scoring import compute_score, trl_reward\nassert 'gradio' not in sys.modules\n"
            "print(compute_score('spotting', 'a', 'a')['score'])",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1.0\n"
    import ocr_ui.scoring

    with pytest.raises(AttributeError):
        _ = ocr_ui.scoring.nothing_of_this_name


def test_verls_own_loader_takes_the_file() -> None:
    loader = pytest.importorskip("verl.utils.import_utils")
    for path in (str(FILE), "pkg://ocr_ui.scoring.rewards"):
        function = loader.load_extern_object(module_path=path, object_name="compute_score")
        assert function(data_source="ie", solution_str='{"a": "x"}', ground_truth=LABEL)["score"] == 0.5


def test_trl_takes_the_function() -> None:
    utils = pytest.importorskip("trl.trainer.utils")
    assert utils.get_callable_name(trl_reward) == "trl_reward"


@pytest.mark.parametrize(
    ("data_source", "extra", "score"),
    [
        ("ie", None, 0.5),
        ("receipts-2026", {"task_type": "ie"}, 0.5),
        ("receipts-2026", {"task_type": "rule_based_IE"}, 0.5),
        ("spotting", {"task_type": ""}, 0.0),
        ("chart_deplot", None, -1.0),
        ("translation", None, -1.0),
    ],
)
def test_the_task_is_that_of_the_row(data_source: str, extra: dict[str, Any] | None, score: float) -> None:
    found = compute_score(data_source, '{"a": "x"}', LABEL, extra)
    assert found["score"] == score
    assert found["acc"] == float(score > 0)
    assert found["reason"]
    assert type(found["score"]) is float


def test_no_value_and_minus_1_are_what_verl_leaves_out() -> None:
    box = "a(1,2),(30,40)"
    assert compute_score("spotting", ",(1,2),(3,4)", box)["score"] == -1
    assert compute_score("spotting", box, "no shape")["score"] == -1


def test_an_unknown_task_is_no_reward_of_minus_1_for_ever() -> None:
    with pytest.raises(BadInput) as refused:
        compute_score("receipts-2026", "a", "b")
    assert refused.value.code == "unknown_task"


def test_a_short_right_answer_can_be_worth_more() -> None:
    label = '[{"box": [1, 2, 30, 40], "text": "a"}]'
    short, long = "a(1,2),(30,40)", "<ref>a</ref><quad>(1,2),(30,40)</quad>" + " " * 30
    assert compute_score("spotting", short, label)["score"] == compute_score("spotting", long, label)["score"] == 1
    excess = (len(long) - len(label)) / len(label)
    assert compute_score("spotting", short, label, length_weight=0.2)["score"] == 1
    assert compute_score("spotting", long, label, length_weight=0.2)["score"] == pytest.approx(1 - 0.2 * excess)
    assert with_length(1, "x" * 1000, "x", 0.2) == pytest.approx(0.8)
    assert with_length(0.5, "x", "", 0.2) == pytest.approx(0.4)
    for kept in (0, -1):
        assert with_length(kept, "x" * 1000, "x", 0.2) == kept


def test_trl_gets_one_number_a_completion() -> None:
    completions = [
        [{"role": "assistant", "content": '{"a": "x"}'}],
        [{"role": "assistant", "content": [{"type": "text", "text": "a(1,2),(30,40)"}]}],
        "anything",
        "a(1,2),(30,40)",
    ]
    columns = {
        "ground_truth": [LABEL, "a(1,2),(30,40)", "x", "no shape"],
        "task_type": ["ie", "spotting", "vqa", "spotting"],
        "images": [[], [], [], []],
        "trainer_state": object(),
        "completion_ids": [[1], [2], [3], [4]],
    }
    assert trl_reward(prompts=["p"] * 4, completions=completions, **columns) == [0.5, 1.0, None, None]
    named = trl_reward_with(rule="clean", length_weight=0.5)
    assert named(prompts=["p"], completions=["Total"], reference=["To"], task=["parsing"]) == [pytest.approx(0.2)]


def test_trl_without_labels_says_which_columns_it_looked_for() -> None:
    with pytest.raises(BadInput, match="ground_truth"):
        trl_reward(["p"], ["c"], task_type=["ie"])
    with pytest.raises(BadInput, match="task_type"):
        trl_reward(["p"], ["c"], answer=["c"])
