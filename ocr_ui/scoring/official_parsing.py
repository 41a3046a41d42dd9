"""The official reward of documents, as the model's reinforcement kit computes it, with our own table of LaTeX signs."""

from __future__ import annotations

import re

from rapidfuzz.distance import Indel

from ocr_ui.domain.counted import counted
from ocr_ui.domain.reward import Reward
from ocr_ui.scoring import teds
from ocr_ui.scoring.flat_text import BLANK_LINE, flatten, without_coordinates
from ocr_ui.scoring.text import edit_distance

LEAST_TEXT, WHOLE_TEXT = 0.5, 0.99
LEAST_TEDS, LEAST_STRUCTURE = 0.4, 0.5
REPEATS = 10

_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL | re.IGNORECASE)
_CAPTION = re.compile(r"<caption>.*?</caption>", re.DOTALL | re.IGNORECASE)
_SPACE = re.compile(r"\s+")


def reward(response: str, reference: str) -> Reward:
    """Never raises; -1 where the official rule fails on the pair, None for a table that is too large to compare."""
    if len(response) > 2 * len(reference) and ends_in_repeats(response):
        return _told(0.0, "repeats", "The answer ends in one piece that is repeated ten times or more.")
    similarity = text_similarity(response, reference)
    if similarity < LEAST_TEXT:
        return _told(0.0, "text_too_different", _of_text(similarity, "under 50 % counts as 0"), similarity)
    if similarity > WHOLE_TEXT:
        return _told(1.0, "text_same", _of_text(similarity, "over 99% counts as 1"), similarity)
    if "<table" not in reference:
        return _told(similarity, "text", _of_text(similarity), similarity)
    return _with_tables(response, reference, similarity)


def text_similarity(response: str, reference: str) -> float:
    """1 less the edit distance of the flattened texts per character of the longer one."""
    answer = without_coordinates(flatten(response)).strip(BLANK_LINE).strip()
    label = flatten(reference).strip(BLANK_LINE).strip()
    longest = max(len(answer), len(label))
    return 1 - edit_distance(answer, label) / longest if longest else 1.0


def ends_in_repeats(text: str) -> bool:
    """The text ends in one unit of two characters or more that comes at least ten times in a row."""
    for unit in range(2, len(text) // REPEATS + 1):
        once_more = text[-2 * unit : -unit] == text[-unit:]
        if once_more and text[-(REPEATS - 1) * unit :] == text[-REPEATS * unit : -unit]:
            return True
    return False


def bare_tables(text: str) -> list[str]:
    """Tables as the rule finds them: ``<table>`` without attributes."""
    ends = text.lower().rfind("</table>")
    return _TABLE.findall(text[: ends + len("</table>")]) if ends >= 0 else []


def _with_tables(response: str, reference: str, similarity: float) -> Reward:
    answered, labelled = bare_tables(response), bare_tables(reference)
    if len(answered) != len(labelled):
        reason = f"The answer has {counted(len(answered), 'table')} and the label {len(labelled)}."
        return _told(0.0, "table_numbers", reason, similarity, answered=len(answered), labelled=len(labelled))
    if not labelled:
        reason = "The tables of the label have attributes, so that the rule finds none of them and fails."
        return _told(-1.0, "table_attributes", reason, similarity)
    try:
        scores = [_table_scores(*pair) for pair in _pairs(answered, labelled)]
    except ValueError:
        return _told(-1.0, "bad_span", "A cell's span is no number; the rule fails there.", similarity)
    except teds.TooLarge:
        reason = f"A table has more than {teds.MOST_NODES:,} rows and cells: it is not compared here."
        return _told(None, "table_too_large", reason, similarity, limit=teds.MOST_NODES)
    for whole, structure in scores:
        if whole < LEAST_TEDS or structure < LEAST_STRUCTURE:
            reason = f"A table is too different: {whole:.1%} alike, its structure {structure:.1%}."
            return _told(0.0, "table_too_different", reason, similarity, teds=whole, structure=structure)
    whole, structure = (sum(column) / len(scores) for column in zip(*scores, strict=True))
    value = 0.5 * similarity + 0.25 * whole + 0.25 * structure
    reason = f"Text {similarity:.1%} alike, tables {whole:.1%}, their structure {structure:.1%}"
    if value < LEAST_TEXT:
        reason += "; under 50 % together counts as 0"
        return _told(0.0, "tables_low", f"{reason}.", similarity, teds=whole, structure=structure)
    return _told(value, "tables", f"{reason}.", similarity, teds=whole, structure=structure)


def _pairs(answered: list[str], labelled: list[str]) -> list[tuple[str, str]]:
    """Each table of the answer, in order, with the free one of the label that it is most like."""
    free = list(labelled)
    pairs = []
    for table in answered:
        plain = _plain(table)
        best = max(free, key=lambda label: Indel.normalized_similarity(plain, _plain(label)))
        free.remove(best)
        pairs.append((table, best))
    return pairs


def _plain(table: str) -> str:
    return _SPACE.sub("", table).lower()


def _table_scores(answer: str, label: str) -> tuple[float, float]:
    """TEDS with and without the texts. The rule drops all blanks first, those before an attribute too."""
    answer, label = (_CAPTION.sub("", table).replace("\n", "").replace(" ", "") for table in (answer, label))
    return teds.similarity(answer, label), teds.similarity(answer, label, structure_only=True)


def _of_text(similarity: float, and_so: str = "") -> str:
    return f"The texts are {similarity:.1%} alike{'; ' if and_so else ''}{and_so}."


def _told(value: float | None, code: str, reason: str, similarity: float | None = None, **details: object) -> Reward:
    known = {"text": similarity, **details} if similarity is not None else details
    return Reward("official", value, reason, code, known)
