"""Time of the parsers on large and hostile answers, in seconds of one core.

Bounds: 16,000 characters without a bracket in 0.01 s, 1 MB of anything in 1 s, and twice the input in little more than
twice the time. `python benchmarks/parsing.py` prints a table and exits with 1 where a bound is broken.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ocr_ui.domain.prompt import Task
from ocr_ui.parsing import dispatch, repeats

SIZE = (1000, 1000)
random.seed(1)
TASKS = (Task.SPOTTING, Task.FIELDS, Task.TABLE, Task.FORMULA, Task.DOCUMENT, Task.LAYOUT, Task.TEXT)


def repeated(unit: str) -> Callable[[int], str]:
    """Turns of `unit`, with an end that is none: the loop is not to be cut before it is read."""
    return lambda size: unit * (size // len(unit.encode()) + 1) + "\nNo. 7 is the end."


def counted(unit: str) -> Callable[[int], str]:
    def build(size: int) -> str:
        turns = size // len(unit.format(i=10_000, x=500, y=500).encode()) + 1
        return "".join(unit.format(i=i, x=i % 100 * 10, y=i // 100 % 100 * 10) for i in range(turns))

    return build


HOSTILE: dict[str, Callable[[int], str]] = {
    "words": repeated("plain words 12.50 没有 "),
    "words, counted": counted("line number {i} with words\n"),
    "tags": counted("<ref>w{i}</ref><quad>({x},{y}),(999,999)</quad>"),
    "positions": counted("<quad><pos_{x}><pos_{y}><pos_999><pos_999></quad><ref>w{i}</ref>"),
    "bare": counted("w{i}({x},{y}),(999,999)"),
    "json boxes": lambda size: "[" + counted('{{"box":[{x},{y},999,999],"text":"w{i}"}},')(size)[:-1] + "]",
    "json boxes, single quotes": lambda size: "[" + counted("{{'box':[{x},{y},999,999],'text':'w{i}'}},")(size),
    "opening brackets": repeated("("),
    "coordinates": repeated("(1,2),(3,4)"),
    "half coordinates": repeated("(1,2),(3,"),
    "long coordinate chain": repeated("(1,2),"),
    "open refs": repeated("<ref>a"),
    "open refs with boxes": counted("<ref>a{i}<quad>({x},{y}),(999,999)</quad>"),
    "close refs": repeated("</ref>"),
    "open quads": repeated("<quad>"),
    "open quads with numbers": repeated("<quad>(1,2),(3"),
    "less-than": repeated("<"),
    "blanks": repeated(" "),
    "line feeds": repeated("\n"),
    "brackets and blanks": repeated("( "),
    "backslashes": repeated("\\"),
    "backslash, quote": repeated('\\"'),
    "quotes": repeated('"'),
    "open entries": repeated('{"text":"'),
    "open entries, numbered": counted('{{"text":"{i}'),
    "object of fields": lambda size: "{" + counted('"k{i}": "value {i}", ')(size)[:-2] + "}",
    "object of bare fields": lambda size: "{" + counted("k{i}: value {i}, ")(size)[:-2] + "}",
    "object of broken quotes": lambda size: "{" + counted('"k{i}": "a "b" {i}", ')(size),
    "unclosed quotes": lambda size: "{" + counted('"k{i}: "v,\n')(size),
    "nested objects": repeated('{"a":'),
    "nested lists": repeated("["),
    "nested and closed": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "small objects": counted('{{"a": {i}}}\n'),
    "comments": repeated("{/*"),
    "colon lines": counted("name {i}: value\n"),
    "table rows": lambda size: "<table>" + counted("<tr><td>cell {i}</td><td>{x}</td></tr>")(size) + "</table>",
    "tables": counted("<table><tr><td>{i}</td></tr></table>\n"),
    "nested tables": repeated("<table><tr><td>"),
    "open tables": repeated("<table>"),
    "html comments": repeated("<table><!--"),
    "scripts": repeated("<table><script>"),
    "html quotes": repeated('<table><td a="'),
    "pipes": repeated("|"),
    "pipe table": lambda size: "| a | b |\n|---|---|\n" + counted("| {i} | {x} |\n")(size),
    "pipe rules": repeated("|-"),
    "dollars": repeated("$"),
    "dollar formulas": counted("$x_{{{i}}}$ "),
    "open formulas": repeated("\\["),
    "environments": repeated("\\begin{a}"),
    "letters": lambda size: "".join(f"{random.choice('abcdefghij')}\n" for _ in range(size // 2)),
    "fences": repeated("```\n"),
    "layouts": counted("t{i}<hy-meta><layout>text</layout><poly>({x},{y}),(9,9),(9,9),(9,9)</poly></hy-meta>"),
    "figures": counted("figure {i}({x},{y}),(999,999)\n"),
    "loop": lambda size: "loop of some words, " * (size // 20),
    "almost a loop": lambda size: ("ab" * 40 + "c") * (size // 81) + "d",
}


def seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bytes", type=int, default=1_000_000)
    parser.add_argument("--only", default="", help="name of one input")
    options = parser.parse_args()
    broken = 0
    text = ("plain words without a bracket " * 600)[:16_000]
    for task in Task:
        took = min(seconds(lambda task=task: dispatch.parse(task, text, SIZE)) for _ in range(5))
        broken += took > 0.01
        print(f"{'16,000 characters':28} {task.value:10} {took * 1000:8.2f} ms{'  OVER 10 ms' if took > 0.01 else ''}")
    for name, build in HOSTILE.items():
        if options.only not in name:
            continue
        whole, half = build(options.bytes), build(options.bytes // 2)
        row = []
        for task in TASKS:
            took = seconds(lambda task=task, whole=whole: dispatch.parse(task, whole, SIZE))
            again = seconds(lambda task=task, half=half: dispatch.parse(task, half, SIZE))
            over = took > 1 or (took > 0.3 and took > 3.2 * again)
            broken += over
            row.append(f"{task.value} {took:.2f}{f' (half: {again:.2f}) OVER' if over else ''}")
        print(f"{name:28} " + "  ".join(row), flush=True)
    guard = repeats.RepeatGuard()
    text = HOSTILE["words, counted"](100_000)
    took = seconds(lambda: [guard.feed(text[i : i + 4]) for i in range(0, len(text), 4)])
    print(f"{'loop guard, 25,000 tokens':28} {took:.2f} s")
    for task in (Task.SPOTTING, Task.DOCUMENT, Task.TABLE, Task.FIELDS):
        name = {Task.TABLE: "table rows", Task.FIELDS: "object of fields"}.get(task, "tags")
        text = HOSTILE[name](100_000)
        stream = dispatch.IncrementalParser(task, SIZE)
        took = seconds(lambda s=stream, t=text: [s.feed(t[i : i + 4]) for i in range(0, len(t), 4)])
        print(f"{'stream, 25,000 tokens':28} {task.value:10} {took:.2f} s")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
