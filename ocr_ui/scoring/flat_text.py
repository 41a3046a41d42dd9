"""A document's answer as one run of characters, so that two notations of the same page compare as equal."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

BLANK_LINE = "2"
"""The official rule writes a digit for an empty line between paragraphs; at either end it drops such digits."""

_TABLE = Path(__file__).with_name("latex_signs.txt")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{(?:array|[a-zA-Z]{0,2}matrix|aligned|align|cases|equation|gathered)\*?\}")
_COLUMNS = re.compile(r"\{[lcr|]{1,40}\}")
_FIGURE = re.compile(r"<(pFig|pSeal|quad|hy-meta)>(?:(?!<\1>).)*?</\1>", re.DOTALL)
_DROPPED_TAGS = re.compile(r"</?(?:pFig|pSeal|pseal|quad|caption)>|<br>|<\|endoftext\|>|align=\"center\"")
_WRAPPER_NAMES = (
    "left right mathrm mathbf mathit mathsf mathcal mathbb boldsymbol bm text textbf textit operatorname overline "
    "underline overrightarrow widehat hat bar vec tilde boxed displaystyle textstyle quad qquad limits nolimits "
    "big Big bigg Bigg begin end"
)
_WRAPPERS = frozenset(_WRAPPER_NAMES.split())
_LONGEST_COMMAND = 20
_WIDTHS = str.maketrans({"，": ",", "（": "(", "）": ")", "“": '"', "”": '"'})
_SPACED_OUT = str.maketrans("", "", "\n $\\")
_COORDINATES = re.compile(r"\(\s*\d+\s*,\s*\d+\s*\)")


def flatten(text: str) -> str:
    """Without line breaks, spaces, markup of figures and LaTeX's wrappers; commands as the signs they stand for."""
    text = text.replace("\n\n", BLANK_LINE).replace("\n", "").replace(" ", "")
    if "</" in text:
        text = _FIGURE.sub("", text)
    if "\\" in text:
        text = _plain_formulas(text)
    text = _DROPPED_TAGS.sub("", text).translate(_SPACED_OUT).translate(_WIDTHS)
    return text.replace("....", "")


def without_coordinates(text: str) -> str:
    """Without ``(12,34)``: the rule drops such pairs from the answer and not from the label."""
    return _COORDINATES.sub("", text)


def _plain_formulas(text: str) -> str:
    text = _COLUMNS.sub("", _ENVIRONMENT.sub("", text))
    text = text.replace(r"\{&", "").replace(r"\,", "").replace(r"\;", "").replace(r"\!", "")
    return _COMMAND.sub(_sign, text)


def _sign(found: re.Match[str]) -> str:
    """The longest known command at the start of a run of letters: blanks between command and text are gone by now."""
    run, signs = found[1], _signs()
    for end in range(min(len(run), _LONGEST_COMMAND), 1, -1):
        name = run[:end]
        if name in signs:
            return signs[name] + run[end:]
        if name in _WRAPPERS:
            return run[end:]
    return run


@cache
def _signs() -> dict[str, str]:
    lines = _TABLE.read_text(encoding="utf-8").splitlines()
    return dict(line.split() for line in lines if line and not line.startswith("# "))  # type: ignore[misc]
