"""Every reason of a reward and every problem of a label has its Chinese sentence, with blanks that are filled."""

from __future__ import annotations

import ast
import re

import pytest

from ocr_ui.domain.reward import RewardTask
from ocr_ui.scoring import labels, rewards
from ocr_ui.settings import ROOT
from ocr_ui.ui.label_messages import LEFT_OUT_ZH, PROBLEMS_ZH
from ocr_ui.ui.reward_messages import REASONS_ZH, localize_rewards

PLACE_OF_CODE = {"_told": 1, "_reward": 1, "_failed": 0, "_Failed": 0, "Reward": 3, "LabelProblem": 0, "Reason": 0}


def codes(folder: str) -> dict[str, set[str]]:
    """Codes written as plain strings, by the function that they are given to."""
    found: dict[str, set[str]] = {name: set() for name in PLACE_OF_CODE}
    for file in (ROOT / "ocr_ui" / folder).rglob("*.py"):
        for call in (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)):
            name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
            place = PLACE_OF_CODE.get(name, 99)
            if place < len(call.args) and isinstance(call.args[place], ast.Constant):
                found[name].add(call.args[place].value)
    return found


def test_every_code_has_its_sentence() -> None:
    found = codes("scoring")
    problems = found.pop("LabelProblem") | codes("exports")["LabelProblem"]
    reasons = {code for some in found.values() for code in some if isinstance(code, str)}
    assert len(reasons) > 25
    assert reasons - set(REASONS_ZH) == set()
    assert problems == set(PROBLEMS_ZH)
    elsewhere = {"answer_without_lines", "label_without_lines", "fields_wrong", "no_label", "judge_not_asked"}
    assert set(REASONS_ZH) - reasons == elsewhere


def test_every_reason_for_leaving_out_has_its_sentence() -> None:
    found = codes("exports")["Reason"] | codes("services")["Reason"] | codes("imports")["Reason"]
    assert len(found) > 20
    assert found == set(LEFT_OUT_ZH)
    assert not found & set(PROBLEMS_ZH) - {"label_empty"}


A = "aaaa(0,0),(100,100)"
TABLE = "They have some words. <table><tr><td>aaaa</td><td>bbbb</td></tr></table>"


@pytest.mark.parametrize(
    ("task", "response", "reference"),
    [
        ("spotting", A, "abaa(0,0),(100,100)"),
        ("spotting", A, "a polygon"),
        ("spotting", A, ",(1,2),(3,4)"),
        ("spotting", "", "a(1,2),(30,40)(5,6),(7,8)"),
        ("spotting", A, ""),
        ("ie", '{"a": 1}', '{"a": 2}'),
        ("ie", "nothing", '{"a": 2}'),
        ("ie", "{'a': 1}", "{'a': 1}"),
        ("ie", "{}", "{}"),
        ("parsing", "abc", "xyz"),
        ("parsing", "abcdefghij", "abcdefghix"),
        ("parsing", TABLE, TABLE.replace("aaaa", "xyzz")),
        ("parsing", TABLE, TABLE.replace("<table>", "<table border=1>") + "(1,2)"),
        ("parsing", TABLE, TABLE + "<table></table>"),
        ("vqa", "a", "b"),
        ("layout", "a", "b"),
    ],
)
def test_no_blank_stays_empty(task: str, response: str, reference: str) -> None:
    found = [rewards.score(task, response, reference, rule).to_dict() for rule in rewards.RULES]
    problems = [problem.to_dict() for problem in labels.problems(RewardTask(task), reference)]
    value = localize_rewards({"reason": "", "rewards": found, "label_problems": problems}, "zh")
    told = [reward["reason"] for reward in value["rewards"]] + [p["message"] for p in value["label_problems"]]
    for sentence in told:
        assert re.search("[\u4e00-\u9fff]", sentence), sentence
        assert not re.search(r"\{\w", sentence.replace(response, "")), sentence
    assert value["reason"] == told[0]
