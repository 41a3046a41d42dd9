"""From readings of labelled pages to numbers: of a page, of a competitor, and between two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from ocr_ui.domain.content import Field, PageContent, Table
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.reward import OF_TASK
from ocr_ui.domain.truth import Truth
from ocr_ui.errors import BadInput, WorkbenchError, noted
from ocr_ui.exports.label_text import Said
from ocr_ui.images.transform import PictureTransform, Turn
from ocr_ui.scoring.contest import difference, interval
from ocr_ui.scoring.facts import holds
from ocr_ui.scoring.metrics import METRIC, METRICS, Part, corpus, score_page, value, written
from ocr_ui.scoring.text import EXACT, Normalization
from ocr_ui.services.export import read_as
from ocr_ui.services.kept_readings import KeptReading
from ocr_ui.services.rewarding import official_value
from ocr_ui.services.view import note_value

PERCENTILES = (50, 95, 99)
GROUPS = ("language", "kind", "tag")
LONGEST_SHOWN = 4_000
"""Characters of a text whose difference is shown."""


@dataclass(frozen=True, slots=True)
class PageScore:
    """What a competitor made of a page.

    Attributes:
        parts: by the keys of `scoring.metrics.METRICS`.
        facts: of the page, in their order: does each hold?
        key: of the kept reading, "" where the page was not read.
        seconds, first_seconds: None where nothing was read.
        error: why it was not, as `errors.noted` gives it.
    """

    parts: Mapping[str, Part]
    outcome: str
    key: str = ""
    facts: tuple[bool, ...] = ()
    seconds: float | None = None
    first_seconds: float | None = None
    tokens: int | None = None
    repeated: bool = False
    cached: bool = False
    error: str = ""
    timings: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "scores": {name: value(part) for name, part in self.parts.items()},
            "parts": {name: list(part) for name, part in self.parts.items()},
            "facts": list(self.facts),
            "outcome": self.outcome,
            "error": note_value(self.error),
            "seconds": self.seconds,
            "first_seconds": self.first_seconds,
            "tokens": self.tokens,
            "repeated": self.repeated,
            "cached": self.cached,
            "reading": self.key,
        }


def parts_of(told: Mapping[str, Any]) -> dict[str, Part]:
    """The parts in a page's result as `PageScore.to_dict` gives it."""
    return {name: (part[0], part[1]) for name, part in told.get("parts", {}).items()}


def can_be_scored(truth: Truth, task: Task) -> bool:
    """Is anything known of a page that an answer to this task can be compared with?"""
    return bool(score_page(truth, PageContent(), task, Normalization()))


def score_reading(truth: Truth, reading: KeptReading, normalization: Normalization) -> PageScore:
    """A reading by every measure. One that failed counts as nothing read, whatever had come."""
    recognition = reading.recognition
    failed = recognition.outcome == "failed"
    task = Task(recognition.prompt.task)
    upright = turned(truth, reading)
    read = PageContent() if failed else recognition.content
    official = None if failed else official_reward(upright, reading, task)
    return PageScore(
        parts=score_page(upright, read, task, normalization, official),
        outcome=recognition.outcome,
        key="" if failed else reading.key,
        facts=tuple(holds(fact, read, normalization) for fact in truth.facts),
        seconds=reading.seconds,
        first_seconds=reading.first_seconds,
        tokens=recognition.generation.tokens,
        repeated=recognition.generation.finish_reason == "repeated",
        cached=reading.cached,
        error=recognition.error,
        timings=recognition.timings,
    )


def score_failure(truth: Truth, task: Task, normalization: Normalization, error: WorkbenchError) -> PageScore:
    """A page of which nothing came at all."""
    nothing = PageContent()
    facts = tuple(holds(fact, nothing, normalization) for fact in truth.facts)
    return PageScore(score_page(truth, nothing, task, normalization), "failed", facts=facts, error=noted(error))


def turned(truth: Truth, reading: KeptReading) -> Truth:
    """What is known of the page with its boxes where they stand once the picture is upright."""
    if truth.lines is None or not reading.turns:
        return truth
    width, height = reading.size if reading.turns % 2 == 0 else reading.size[::-1]
    turn = PictureTransform(width, height, (Turn(-reading.turns % 4),))
    lines = (replace(one, quad=turn.to_engine(one.quad)) if one.quad else one for one in truth.lines)
    return replace(truth, lines=tuple(lines))


def official_reward(truth: Truth, reading: KeptReading, task: Task) -> float | None:
    """The model's official reward of the answer; None where there is no rule, no label for it, or it is too long."""
    recognition = reading.recognition
    content = _label(truth, task)
    if content is None:
        return None
    said = Said(recognition, content, reading.size, read_as(recognition.transform))
    return official_value(said, OF_TASK[task])


def _label(truth: Truth, task: Task) -> PageContent | None:
    """What is known of a page as the right answer to a task; None where that is not known."""
    if task is Task.SPOTTING:
        return None if truth.lines is None else PageContent(lines=truth.lines)
    if task is Task.FIELDS:
        return None if truth.fields is None else PageContent(fields=truth.fields)
    if task is Task.TABLE and truth.tables:
        return PageContent(tables=tuple(map(Table, truth.tables)), text="\n".join(truth.tables))
    if task is Task.FORMULA and truth.formulas:
        return PageContent(text="\n".join(truth.formulas))
    text = truth.answer(task)
    return None if text is None else PageContent(text=text)


# ---- of a competitor


def summary(
    scores: Sequence[PageScore | None], groups: Sequence[Mapping[str, Sequence[str]]], wall: float
) -> dict[str, Any]:
    """What a competitor comes to.

    Args:
        scores: of every page of the set, None where the page was none for this competitor.
        groups: of each page the values it belongs to, by GROUPS.
        wall: seconds that reading the pages took that were not kept.
    """
    got = [score for score in scores if score is not None]
    fresh = sum(not score.cached for score in got)
    tokens = [score.tokens for score in got if score.tokens is not None]
    return {
        "pages": len(got),
        "left_out": len(scores) - len(got),
        "failed": sum(score.outcome == "failed" for score in got),
        "cut": sum(score.outcome == "cut" for score in got),
        "repeated": sum(score.repeated for score in got),
        "cached": len(got) - fresh,
        "tokens": {"sum": sum(tokens), "mean": sum(tokens) / len(tokens)} if tokens else None,
        "seconds": percentiles(score.seconds for score in got if score.outcome != "failed"),
        "first_seconds": percentiles(score.first_seconds for score in got),
        "pages_per_second": fresh / wall if fresh and wall > 0 else None,
        "scores": _scores([score.parts for score in got]),
        "groups": {name: _grouped(name, scores, groups) for name in GROUPS},
    }


def _scores(pages: Sequence[Mapping[str, Part]]) -> dict[str, dict[str, Any]]:
    found = {}
    for metric in METRICS:
        parts = [page[metric.key] for page in pages if metric.key in page]
        bounds = interval(parts)
        if bounds is not None:
            mean = sum(map(value, parts)) / len(parts)
            told = {"value": corpus(parts), "low": bounds[0], "high": bounds[1], "page_mean": mean, "pages": len(parts)}
            found[metric.key] = told
    return found


def _grouped(
    name: str, scores: Sequence[PageScore | None], groups: Sequence[Mapping[str, Sequence[str]]]
) -> dict[str, dict[str, Any]]:
    members: dict[str, list[Mapping[str, Part]]] = {}
    for score, page in zip(scores, groups, strict=True):
        for one in page[name] if score is not None else ():
            members.setdefault(one, []).append(score.parts)
    return {one: {"pages": len(pages), "scores": _values(pages)} for one, pages in sorted(members.items())}


def _values(pages: Sequence[Mapping[str, Part]]) -> dict[str, float]:
    found = {metric.key: corpus([page[metric.key] for page in pages if metric.key in page]) for metric in METRICS}
    return {key: one for key, one in found.items() if one is not None}


def percentiles(seconds: Iterable[float | None]) -> dict[str, float] | None:
    """p50, p95 and p99 of those that are known; None of none."""
    known = [one for one in seconds if one is not None]
    if not known:
        return None
    return {f"p{p}": float(found) for p, found in zip(PERCENTILES, np.percentile(known, PERCENTILES), strict=True)}


# ---- between two


def differences(
    first: Sequence[Mapping[str, Part]], second: Sequence[Mapping[str, Part]], same_task: bool = True
) -> list[dict[str, Any]]:
    """Every measure that both have, the second against the first.

    Args:
        same_task: both were asked the same; else their official rewards follow different rules and are left out.
    """
    wanted = (metric.key for metric in METRICS if same_task or metric.key != "official")
    found = (difference(first, second, key) for key in wanted)
    return [one.to_dict() for one in found if one is not None]


def group_differences(
    first: Sequence[Mapping[str, Part]],
    second: Sequence[Mapping[str, Part]],
    groups: Sequence[Mapping[str, Sequence[str]]],
    metric: str,
) -> dict[str, dict[str, dict[str, Any]]]:
    """One measure by every value of GROUPS that a page of both has."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for name in GROUPS:
        for one in sorted({member for page in groups for member in page[name]}):
            inside = [number for number, page in enumerate(groups) if one in page[name]]
            told = difference([first[n] for n in inside], [second[n] for n in inside], metric)
            if told is not None:
                found.setdefault(name, {})[one] = told.to_dict()
    return found


def page_differences(
    first: Sequence[Mapping[str, Part]], second: Sequence[Mapping[str, Part]], names: Sequence[str], metric: str
) -> list[dict[str, Any]]:
    """Pages that both have the measure of and that differ in it, those first where the second is worst."""
    rows = page_values(first, second, names, metric)
    return [row for row in rows if row["first"] != row["second"]]


def page_values(
    first: Sequence[Mapping[str, Part]], second: Sequence[Mapping[str, Part]], names: Sequence[str], metric: str
) -> list[dict[str, Any]]:
    """Pages that both have the measure of, those first where the second is worst against the first."""
    rows = [
        {"page": name, "metric": metric, "first": value(a[metric]), "second": value(b[metric])}
        for name, a, b in zip(names, first, second, strict=True)
        if metric in a and metric in b
    ]
    sign = -1 if METRIC[metric].lower else 1
    return sorted(rows, key=lambda row: sign * (row["second"] - row["first"]))


def best_of(sides: Mapping[str, Sequence[Mapping[str, Part]]], same_task: bool) -> dict[str, str]:
    """Of each measure who is better in it than everybody else beyond chance; nobody of the others.

    Args:
        sides: every competitor's pages, in one order.
        same_task: all were asked the same; else there is no best of the official rewards.
    """
    found: dict[str, str] = {}
    for metric in METRICS:
        have = {key: pages for key, pages in sides.items() if any(metric.key in page for page in pages)}
        if len(have) < 2 or (metric.key == "official" and not same_task):
            continue
        scores = {
            key: corpus([page[metric.key] for page in pages if metric.key in page]) for key, pages in have.items()
        }
        first = (min if metric.lower else max)(scores, key=lambda key: scores[key] or 0.0)
        others = (difference(have[key], have[first], metric.key) for key in have if key != first)
        if all(one is not None and one.verdict == "better" for one in others):
            found[metric.key] = first
    return found


def read_normalization(written: str) -> Normalization:
    """A normalisation from a list such as `nfkc,width,case,spaces`; "" or "exact" for none.

    Raises:
        BadInput: `bad_normalization` (details: value, allowed).
    """
    forms = {"nfc": "NFC", "nfd": "NFD", "nfkc": "NFKC", "nfkd": "NFKD"}
    flags = ("width", "case", "spaces", "no_spaces", "punctuation")
    parts: dict[str, Any] = {}
    for one in filter(None, (part.strip().lower().replace("-", "_") for part in written.split(","))):
        if one in forms:
            parts["unicode"] = forms[one]
        elif one in flags:
            parts[one] = True
        elif one != "exact":
            allowed = ", ".join((*forms, *flags, "exact"))
            raise BadInput(
                "bad_normalization",
                f"{one[:40]!r} is nothing that can be made equal.",
                f"Use some of: {allowed}.",
                value=one[:40],
                allowed=allowed,
            )
    return Normalization(**parts)


# ---- for a person


def shown_difference(truth: Truth, reading: KeptReading, normalization: Normalization) -> list[dict[str, Any]]:
    """Where a reading differs from what is known: rows of a `kind` (text, tables, formulas, field) and a name, and
    pieces that are the same, missing or invented. What the normalization makes equal counts as no error and is the
    same here too.
    """
    recognition = reading.recognition
    task, content = Task(recognition.prompt.task), recognition.content
    rows: list[dict[str, Any]] = []
    wanted = truth.answer(task)
    if wanted is not None:
        rows.append({"kind": "text", "name": "text", "pieces": pieces(wanted, written(content), normalization)})
    if truth.fields is not None and task is Task.FIELDS:
        rows += _field_rows(truth.fields, content.fields, normalization)
    if truth.tables and task in (Task.TABLE, Task.DOCUMENT):
        read = "\n".join(table.html for table in content.tables)
        rows.append(
            {"kind": "tables", "name": "tables", "pieces": pieces("\n".join(truth.tables), read, normalization)}
        )
    if truth.formulas and task is Task.FORMULA:
        told = pieces("\n".join(truth.formulas), written(content))
        rows.append({"kind": "formulas", "name": "formulas", "pieces": told})
    return rows


def _field_rows(wanted: Sequence[Field], read: Sequence[Field], normalization: Normalization) -> list[dict[str, Any]]:
    got = {one.name: one.value for one in read}
    names = dict.fromkeys([*(one.name for one in wanted), *got])
    right = {one.name: one.value for one in wanted}
    rows = ((name, right.get(name) or "", got.get(name) or "") for name in names)
    return [
        {"kind": "field", "name": name, "pieces": pieces(one, other, normalization)}
        for name, one, other in rows
        if normalization(one) != normalization(other)
    ]


def pieces(wanted: str, read: str, normalization: Normalization = EXACT) -> list[tuple[str, str]]:
    """Runs of (same, missing or invented; text), in the order of what is known."""
    wanted, read = wanted[:LONGEST_SHOWN], read[:LONGEST_SHOWN]
    found: list[tuple[str, str]] = []
    for block in Levenshtein.opcodes(wanted, read):
        ours, theirs = wanted[block.src_start : block.src_end], read[block.dest_start : block.dest_end]
        if block.tag == "equal":
            found.append(("same", ours))
            continue
        found += [(state, text) for state, text in (("missing", ours), ("invented", theirs)) if text]
    runs = (run for _, run in groupby(found, lambda one: one[0] == "same"))
    return [piece for run in runs for piece in _counted(run, normalization)]


def _counted(run: Iterable[tuple[str, str]], normalization: Normalization) -> list[tuple[str, str]]:
    """Pieces that stand together, as one that is the same where the normalization makes both sides equal."""
    listed = list(run)
    ours, theirs = ("".join(text for state, text in listed if state == side) for side in ("missing", "invented"))
    # Between two letters: blanks at the ends of a piece are none at the ends of the text.
    equal = normalization(f"x{ours}x") == normalization(f"x{theirs}x")
    return [("same", ours or theirs)] if equal and (ours or theirs) else listed
