r"""Formulas: bare LaTeX, whatever delimiters (``$$``, ``\[``, ``\(``, fences, doubled ``$``) the model puts around."""

from __future__ import annotations

import re

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.parsing.answers import unfence
from ocr_ui.parsing.notes import Notes
from ocr_ui.parsing.plain import cut_repeat, text_lines

_FENCES = frozenset({"latex", "tex", "math", "katex", ""})
_ENDS = {"$$": "$$", r"\[": r"\]", r"\(": r"\)", "$": "$"}
_OPEN = re.compile(r"\$\$|\\\[|\\\(|\$|\\.", re.DOTALL)
_BEGIN = re.compile(r"\\(begin|end)\{([A-Za-z]+\*?)\}")
_LEAD_IN = re.compile(r"[^\n]*[:：]\s*")


def parse(text: str, finished: bool = True) -> PageContent:
    """One line for each formula. Where prose stands around formulas, the whole is kept as it is."""
    notes = Notes()
    text = cut_repeat(text, notes, finished)
    body = unfence(text, _FENCES).strip()
    parts, prose, closed = split(body)
    if not parts or (prose and not _LEAD_IN.fullmatch(prose)):
        formulas = [line.text for line in text_lines(body, notes)] if parts else [body] if body else []
        joined = body
    else:
        formulas = parts
        joined = "\n".join(formulas)
    if finished and (not closed or is_cut(joined)):
        notes.add("truncated")
    if parts and prose and joined == body:
        notes.add("mixed_format", "The answer has prose between the formulas; it is kept.")
    lines = tuple(TextLine(formula) for formula in formulas)
    if not lines:
        notes.add("empty")
    return PageContent(lines, text=joined, warnings=notes.warnings())


def split(text: str) -> tuple[list[str], str, bool]:
    """The formulas between delimiters, what stands outside them, and whether the last delimiter is closed."""
    formulas: list[str] = []
    outside: list[str] = []
    at = start = 0
    while (found := _OPEN.search(text, at)) is not None:
        end = _ENDS.get(found[0])
        if end is None:
            at = found.end()
            continue
        outside.append(text[start : found.start()])
        close = _find_end(text, found.end(), end)
        inner = text[found.end() : close if close >= 0 else len(text)].strip()
        formulas += split_doubled(inner)
        if close < 0:
            return formulas, "".join(outside).strip(), False
        at = start = close + len(end)
    outside.append(text[start:])
    return formulas, "".join(outside).strip(), True


def split_doubled(inner: str) -> list[str]:
    """A formula whose delimiters are doubled (``$$\\[x\\]$$``) without the inner ones; nothing for an empty one."""
    for start, end in _ENDS.items():
        if inner.startswith(start) and inner.endswith(end) and len(inner) >= len(start) + len(end):
            inner = inner[len(start) : -len(end)].strip()
            break
    return [inner] if inner else []


def _find_end(text: str, start: int, end: str) -> int:
    r"""Where the closing delimiter stands, -1 for nowhere. An escaped ``\$`` closes nothing."""
    at = text.find(end, start)
    while at > 0 and end[0] == "$" and text[at - 1] == "\\":
        at = text.find(end, at + 1)
    return at


def is_cut(latex: str) -> bool:
    """Braces or environments are left open at the end."""
    depth = 0
    for piece in re.findall(r"\\.|[{}]", latex, re.DOTALL):
        depth += {"{": 1, "}": -1}.get(piece, 0)
    opened = [found[1] == "begin" for found in _BEGIN.finditer(latex)]
    return depth > 0 or opened.count(True) > opened.count(False)
