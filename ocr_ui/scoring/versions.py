"""Which version of a rule computed a reward: numbers of two versions must not be mixed."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from ocr_ui.scoring.judge import Judge

_FOLDERS = (Path(__file__).parent, Path(__file__).parent.parent / "parsing")
_SHOWN = 12


@cache
def own_rules() -> str:
    """Of the product's own code: the official rules and the clean ones. Another text of the code is another version."""
    digest = hashlib.sha256()
    for folder in _FOLDERS:
        for file in sorted(folder.iterdir()):
            if file.suffix in (".py", ".txt"):
                digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:_SHOWN]


def of_file(path: Path) -> str:
    """Of a reward file; what it imports is not looked at. Empty where it cannot be read any more."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:_SHOWN]
    except OSError:
        return ""


def of_judge(judge: Judge) -> str:
    """Of a judge: the model, and what it is asked."""
    digest = hashlib.sha256(judge.model.encode())
    for file in sorted(judge.prompts.glob("*.md")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:_SHOWN]
