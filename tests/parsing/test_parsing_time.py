"""Parsing keeps to its bounds: time of the processor, the best of some runs; benchmarks/parsing.py has more kinds."""

from __future__ import annotations

import random
import time

import pytest

from ocr_ui.domain.prompt import Task
from ocr_ui.parsing import dispatch

SIZE = (1000, 1000)
LARGE = 1_000_000


def seconds(task: Task, text: str, runs: int) -> float:
    took = []
    for _ in range(runs):
        start = time.process_time()
        dispatch.parse(task, text, SIZE)
        took.append(time.process_time() - start)
    return min(took)


@pytest.mark.parametrize("task", Task)
def test_16000_characters_without_a_bracket_take_under_10_ms(task: Task) -> None:
    assert seconds(task, ("plain words without a bracket " * 600)[:16_000], runs=5) < 0.01
    random.seed(1)
    assert seconds(task, "".join(random.choices("abcdefgh \n", k=16_000)), runs=5) < 0.01


@pytest.mark.stress
@pytest.mark.parametrize("task", [Task.SPOTTING, Task.FIELDS, Task.TABLE, Task.DOCUMENT, Task.LAYOUT, Task.TEXT])
@pytest.mark.parametrize("kind", ["fences", "letters", "colons"])
def test_a_megabyte_takes_under_a_second(task: Task, kind: str) -> None:
    random.seed(1)
    text = {
        "fences": "```\n" * (LARGE // 4) + "the end",
        "letters": "\n".join(random.choices("abcdefgh", k=LARGE // 2)),
        "colons": "".join(f"name {number}: value\n" for number in range(LARGE // 19)),
    }[kind]
    assert seconds(task, text, runs=2) < 1
