"""Coverage-guided fuzzing of the parsers: any string gives a PageContent, in pieces the same as whole, in little time.

Input: one byte for the task, one for the sizes of the pieces, the rest is the answer in UTF-8 (broken bytes become
lone surrogates). `python fuzz/run.py parsing --seconds 600` runs it with its corpus.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

with atheris.instrument_imports(include=["ocr_ui.parsing"]):
    from ocr_ui.parsing import dispatch

from ocr_ui.domain.content import WARNING_CODES, PageContent
from ocr_ui.domain.prompt import Task
from ocr_ui.parsing.spotting_format import Shape, problem, write

TASKS = list(Task)
SIZE = (640, 480)
SECONDS_A_KILOBYTE = 0.05
"""Ten times what the slowest input should take on a busy, instrumented core."""


def one_input(data: bytes) -> None:
    if len(data) < 3:
        return
    task, text = TASKS[data[0] % len(TASKS)], data[2:].decode("utf-8", "surrogateescape")
    start = time.process_time()
    whole = dispatch.parse(task, text, SIZE, field_names=("total", "no"))
    took = time.process_time() - start
    assert took < 0.5 + SECONDS_A_KILOBYTE * len(data) / 1000, f"{took:.1f} s for {len(data)} bytes"
    check(whole)
    stream = dispatch.IncrementalParser(task, SIZE, ("total", "no"))
    for piece in pieces(text, data[1]):
        check(stream.feed(piece))
    assert stream.finish() == whole, "pieces give another result than the whole"
    if task is Task.SPOTTING:
        reads_back(whole)


def pieces(text: str, seed: int) -> list[str]:
    chance = random.Random(seed)
    cuts, at = [], 0
    while at < len(text):
        step = chance.choice((1, 2, 7, 40, 300))
        cuts.append(text[at : at + step])
        at += step
    return cuts


def check(content: PageContent) -> None:
    for line in content.lines:
        corners = line.quad.points if line.quad else ()
        assert all(0 <= x <= SIZE[0] and 0 <= y <= SIZE[1] for x, y in corners), "a box outside the picture"
    for warning in content.warnings:
        assert warning.code in WARNING_CODES
        assert warning.line is None or 0 <= warning.line < len(content.lines)
    for table in content.tables:
        assert len({len(row) for row in table.grid}) <= 1, "an uneven grid"
    assert PageContent.from_dict(content.to_dict()) == content


def reads_back(content: PageContent) -> None:
    """What was read can be written as JSON and read again: the same texts, the same boxes to a thousandth."""
    lines = [line for line in content.lines if not problem(line, Shape.JSON, SIZE)]
    again = dispatch.parse(Task.SPOTTING, write(lines, Shape.JSON, SIZE), SIZE)
    rounded = dispatch.parse(Task.SPOTTING, write(again.lines, Shape.JSON, SIZE), SIZE)
    assert rounded.lines == again.lines
    if len({line.text for line in lines}) == len(lines):
        assert [line.text for line in again.lines] == [line.text for line in lines]


def main() -> None:
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
