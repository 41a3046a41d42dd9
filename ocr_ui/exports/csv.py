"""CSV for people with a spreadsheet: UTF-8 with a byte order mark, commas, one item a row.

For reading, not for training: a text that a spreadsheet would run gets an apostrophe in front, control characters are
dropped and cells that no spreadsheet holds are cut. Each is counted in the notes; JSON Lines has the texts exactly.

The rule is OWASP's (CSV Injection): a cell must not begin with = + - @, a tab or a carriage return. Amounts and
telephone numbers keep their sign, since nothing in them can be run. A spreadsheet set to semicolons cuts our cells at
semicolons and line ends, so what would be a formula behind those is treated the same way.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ocr_ui.exports.columns import COLUMNS, cut, values
from ocr_ui.exports.sample import Notes, Sample

_BOM = "\ufeff"
# What XML and with it the spreadsheets' own files cannot hold; tab and line ends stay.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_UNSEEN = " \u00a0\u00ad\u1680\u2000-\u200f\u202a-\u202f\u205f-\u2064\u3000\ufeff"
_FORMULA = re.compile(f"[\\s{_UNSEEN}]*[=+\\-@＝＋－＠\u2212﹢﹣﹦﹫]")
_BLANKS = re.compile(f"[\\s{_UNSEEN}]*")
_CUT_AT = re.compile("[;\t\r\n]")
_STARTS_A_CELL = re.compile(r"[\t\r\n]")
# A signed amount or a telephone number.
_NUMBER = re.compile("[+-] ?\\d[\\d.,' \u00a0]*%?")
_INNER_FORMULA = re.compile(f"(?<=[;\t\r\n])(?=[{_UNSEEN}]*(?:[=@＝＠]|[+\\-＋－][^;\t\r\n]*[|(]))")


class Csv:
    name = "csv"
    file_name = "items.csv"
    media_type = "text/csv; charset=utf-8"

    def write(self, samples: Iterable[Sample], notes: Notes) -> Iterator[str]:
        yield _BOM + _line(COLUMNS)
        for sample in samples:
            row = values(sample)
            yield _line([cell(row[name], notes) for name in COLUMNS])


def cell(value: Any, notes: Notes) -> str:
    """A value as a cell that every spreadsheet shows as that text."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value)
    text, dropped = _CONTROL.subn("", value)
    notes.changes["control_characters_dropped"] += dropped
    text = cut(text, notes)
    safe, added = _without_inner_formulas(text)
    if _would_run(text):
        safe, added = "'" + safe, added + 1
    notes.changes["apostrophes_added"] += added
    return safe


def _without_inner_formulas(text: str) -> tuple[str, int]:
    """The text with an apostrophe before each formula behind a place where it may be cut, and their number."""
    start = len(_BLANKS.match(text)[0])
    if start and not _CUT_AT.search(text, start):
        # One formula behind blanks: what follows in the file on the same line keeps it from being one by itself.
        return text, 0
    return _INNER_FORMULA.subn("'", text)


def _would_run(text: str) -> bool:
    if _NUMBER.fullmatch(text):
        return False
    return bool(_FORMULA.match(text) or _STARTS_A_CELL.match(text))


def _line(cells: Iterable[str]) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerow(cells)
    return out.getvalue()
