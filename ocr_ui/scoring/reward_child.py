"""Runs one reward function, in a process of its own: ``python reward_child.py FILE NAME DESCRIPTOR``.

Nothing but the standard library, and nothing of the product, is imported here: the function sees what it would see in
a trainer. Questions come as lines of JSON on standard input, answers go as lines of JSON to the descriptor. What the
function prints goes to standard output.
"""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import json
import math
import os
import sys
import traceback
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any


def main(file: str, name: str, descriptor: int) -> int:
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    answers = os.fdopen(descriptor, "w", encoding="utf-8")
    sys.path[0] = str(Path(file).resolve().parent)
    first_to_go()
    mine = os.getpid()
    try:
        function = load(file, name)
    except BaseException as error:  # SystemExit too: the parent is told
        tell(answers, {"error": described(error), "loading": True})
        return 1
    if os.getpid() != mine:
        return 0  # a copy that it made of itself while it was loaded
    tell(answers, {"ready": True})
    for line in questions:
        try:
            answer = checked(called(function, json.loads(line)))
        except BaseException as error:
            answer = {"error": described(error)}
        if os.getpid() != mine:
            os._exit(0)  # its copy must not answer too: that would be taken for the answer to the next question
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        tell(answers, answer)
    return 0


def first_to_go() -> None:
    """Where memory runs out Linux ends this process, and not the one that asks."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


class FromItsText(SourceFileLoader):
    """Takes the file as it is written now, and leaves nothing beside it.

    Python's kept bytecode counts as fresh while size and second of the last change are the same, which they are where
    a number was changed and saved at once.
    """

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def load(file: str, name: str) -> Any:
    loader = FromItsText("custom_reward", file) if file.endswith(".py") else None
    spec = importlib.util.spec_from_file_location("custom_reward", file, loader=loader)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules["custom_reward"] = module
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        raise AttributeError(f"it has no function {name}")
    return function


def called(function: Any, question: dict[str, Any]) -> Any:
    """The arguments go by name, as verl hands them over."""
    result = function(**question)
    return asyncio.run(awaited(result)) if inspect.isawaitable(result) else result


async def awaited(result: Any) -> Any:
    return await result


def checked(result: Any) -> dict[str, Any]:
    """A number, a bool, None, or a dict with such a score; anything else is told."""
    said = ""
    if isinstance(result, dict):
        if "score" not in result:
            return {"error": f"It returned a dict without a score (it has: {', '.join(map(str, result))[:200]})."}
        said = next((result[key] for key in ("reason", "analysis") if isinstance(result.get(key), str)), "")
        result = result["score"]
    if result is None:
        return {"reward": None, "said": said[:2000]}
    kind = type(result).__name__
    if isinstance(result, str | bytes) or not hasattr(result, "__float__"):
        return {"error": f"It returned {kind}, which is neither a number nor a dict with a score."}
    value = float(result)
    if not math.isfinite(value):
        return {"error": f"It returned {value}, which is no score."}
    return {"reward": value, "said": said[:2000]}


def described(error: BaseException) -> str:
    """The last line of the traceback and the place in the function's own file."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__ and "<" not in f.filename]
    place = f", line {frames[-1].lineno} of {Path(frames[-1].filename).name}" if frames else ""
    said = "".join(traceback.format_exception_only(error)).strip()
    return f"{said[-1000:]}{place}"


def tell(answers: Any, value: dict[str, Any]) -> None:
    answers.write(json.dumps(value) + "\n")
    answers.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
