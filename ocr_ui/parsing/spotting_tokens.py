"""The tokens of spotting answers: tags under all their names, coordinates, and the beginnings of both.

No token holds another, and all repetitions are bounded: a reader of a running answer has to know how much text it must
see before it can decide.
"""

from __future__ import annotations

import re

from ocr_ui.parsing.coordinates import NUMBER, POINTS, SPACE

_BAR = r"[|｜]?"
_POS = rf"<{_BAR}pos[_▁ ]({NUMBER}){_BAR}>"
_POSITIONS = rf"(?:{_POS.replace('(', '(?:', 1)}{SPACE}){{1,16}}"
_NAMES = "ref|quad|box|bbox|poly|det|object_ref_start|object_ref_end|box_start|box_end"
_TAG = rf"<\s?{_BAR}\s?(?P<close>/?)\s?(?P<name>{_NAMES})\s?{_BAR}\s?>"
_HOLDER = rf"<{_BAR}hy_place[▁_]holder[▁_]no[▁_](?P<holder>\d{{1,4}}){_BAR}>"
_SPECIAL = r"<[|｜][A-Za-z][\w▁ \-]{0,60}[|｜]>"
_KEYS = (
    "box|bbox|bbox_2d|box_2d|quad|poly|polygon|points|position|location|coordinates|rect|text|text_content|content|"
    "label|transcription|words|layout_type|category|type|confidence|score|id|index|no|line"
)
_ENTRY_START = rf"\{{\s{{0,40}}[\"'“”‘’]?(?:{_KEYS})[\"'“”‘’]?\s{{0,4}}[:：]"
TOKEN = re.compile(
    rf"(?P<points>{POINTS})|(?P<positions>{_POSITIONS})|(?P<tag>{_TAG})|(?P<old>{_HOLDER})|(?P<special>{_SPECIAL})"
    rf"|(?P<entry>{_ENTRY_START})",
    re.IGNORECASE,
)
ENTRY = re.compile(_ENTRY_START, re.IGNORECASE)
_OLD_NAMES = {110: "quad", 111: "/quad", 112: "ref", 113: "/ref"}
_QUAD_NAMES = {"quad", "box", "bbox", "poly", "det", "box_start", "box_end"}
_OPEN_REF_TAG = rf"<\s?{_BAR}\s?ref\s?{_BAR}\s?>|<{_BAR}hy_place[▁_]holder[▁_]no[▁_]112{_BAR}>|<\|object_ref_start\|>"
_CLOSE_REF_TAG = (
    rf"<\s?{_BAR}\s?/\s?ref\s?{_BAR}\s?>|<{_BAR}hy_place[▁_]holder[▁_]no[▁_]113{_BAR}>|<\|object_ref_end\|>"
)
_OPEN_QUAD_TAG = (
    rf"<\s?{_BAR}\s?(?:quad|box|bbox|poly|det)\s?{_BAR}\s?>|<{_BAR}hy_place[▁_]holder[▁_]no[▁_]110{_BAR}>"
    r"|<\|box_start\|>"
)
_CLOSE_QUAD_TAG = (
    rf"<\s?{_BAR}\s?/\s?(?:quad|box|bbox|poly|det)\s?{_BAR}\s?>|<{_BAR}hy_place[▁_]holder[▁_]no[▁_]111{_BAR}>"
    r"|<\|box_end\|>"
)
OPEN_REF = re.compile(_OPEN_REF_TAG, re.IGNORECASE)
CLOSE_REF = re.compile(_CLOSE_REF_TAG, re.IGNORECASE)
OPEN_QUAD = re.compile(rf"\s{{0,8}}(?:{_OPEN_QUAD_TAG})", re.IGNORECASE)
CLOSE_QUAD = re.compile(rf"\s{{0,8}}(?:{_CLOSE_QUAD_TAG})", re.IGNORECASE)
WHOLE_QUAD = re.compile(
    rf"(?:{_OPEN_QUAD_TAG})\s{{0,4}}(?:{POINTS}|{_POSITIONS})\s{{0,4}}(?:{_CLOSE_QUAD_TAG})", re.IGNORECASE
)
POSITION = re.compile(_POS, re.IGNORECASE)
POSITION_RUN = re.compile(rf"\s{{0,4}}{_POSITIONS}", re.IGNORECASE)
POINT_RUN = re.compile(rf"\s{{0,4}}{POINTS}")
COORDINATE_RUN = re.compile(r"[\s\d.．,，、;；()（）\[\]%％+\-−－＋]{0,600}")
NO_TAG = re.compile(r"[^<]{0,200}")

MORE_POINTS = re.compile(r"\s{0,4}(?:[,，、]\s{0,4}(?:[(（][^)）]{0,64})?)?\Z")
MORE_TAG = re.compile(r"\s{0,8}(?:<[^<>]{0,64})?\Z")
BLANK_END = re.compile(r"\s*\Z")
ENDS_TOKEN = re.compile(r"[)）>}]")

CUT_TAG = re.compile(r"<[|｜/ ]{0,3}([A-Za-z0-9_▁\-]{0,40})[|｜]?$")
_TAG_STARTS = ("ref", "quad", "pos_", "hy_place▁holder▁no▁", "box", "det", "object_ref_", "poly")
_CUT_PAIR = re.compile(
    rf"[(（]{SPACE}(?:{NUMBER}{SPACE}(?:[,，]{SPACE}(?:{NUMBER}{SPACE}(?:[)）]{SPACE}(?:[,，]{SPACE}"
    rf"(?:[(（]{SPACE}(?:{NUMBER}{SPACE}(?:[,，]{SPACE}(?:{NUMBER}{SPACE})?)?)?)?)?)?)?)?)?$"
)
FOUR = re.compile(rf"[(（\[]{SPACE}{NUMBER}(?:{SPACE}[,，]{SPACE}{NUMBER}){{3}}{SPACE}[)）\]]")
JSON_LEFT = re.compile(r"^[\s\]},;`]+")


def run_end(text: str, start: int) -> int:
    """Where the run of digits, brackets and commas that begins at `start` ends."""
    run = COORDINATE_RUN.match(text, start)
    return run.end() if run else start


def after_open(text: str, start: int) -> int:
    opening = OPEN_QUAD.match(text, start)
    return opening.end() if opening else start


def holds_token(text: str) -> bool:
    """The text holds what reads as coordinates, a tag or a JSON entry outside ``<ref>``."""
    return TOKEN.search(text) is not None


def tag_name(found: re.Match[str]) -> str:
    if found["old"]:
        return _OLD_NAMES.get(int(found["holder"]), "figure")
    name = found["name"].lower()
    close = bool(found["close"]) or name.endswith("_end")
    return ("/" if close else "") + ("quad" if name in _QUAD_NAMES else "ref")


def cut_tag(text: str) -> re.Match[str] | None:
    """The beginning of a tag at the end of `text`."""
    found = CUT_TAG.search(text, max(0, len(text) - 64))
    if found is None:
        return None
    name = found[1].lower()
    known = not name or any(start.startswith(name) or name.startswith(start) for start in _TAG_STARTS)
    return found if known else None


def cut_pair(text: str, sure: bool) -> re.Match[str] | None:
    """The beginning of coordinates at the end of `text`; a lone bracket only where the answer has had coordinates."""
    found = _CUT_PAIR.search(text, max(0, len(text) - 200))
    return found if found and (sure or found[0].count(",") + found[0].count("，") > 0) else None
