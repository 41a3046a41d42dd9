"""The data card: Markdown with charts, and the head that makes it the README of a dataset on the Hugging Face hub."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ocr_ui.domain.version import VERSION
from ocr_ui.exports.charts import bars, ranked
from ocr_ui.exports.columns import whole_text
from ocr_ui.exports.examples import WHOLE
from ocr_ui.exports.languages import UNKNOWN, languages_of
from ocr_ui.exports.sample import Sample

_REVIEWERS = "Who made the last change to the review."
_LICENCES = (
    "afl-3.0 agpl-3.0 apache-2.0 apple-amlr apple-ascl artistic-2.0 bigcode-openrail-m bigscience-bloom-rail-1.0 "
    "bigscience-openrail-m bsd bsd-2-clause bsd-3-clause bsd-3-clause-clear bsl-1.0 c-uda cc cc-by-2.0 cc-by-2.5 "
    "cc-by-3.0 cc-by-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 "
    "cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cc-by-nd-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc0-1.0 cdla-permissive-1.0 "
    "cdla-permissive-2.0 cdla-sharing-1.0 creativeml-openrail-m ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1 eupl-1.2 "
    "gfdl gpl gpl-2.0 gpl-3.0 isc lgpl lgpl-2.1 lgpl-3.0 lgpl-lr lppl-1.3c mit mpl-2.0 ms-pl ncsa odbl odc-by ofl-1.1 "
    "openrail openrail++ osl-3.0 pddl postgresql unlicense wtfpl zlib"
)
HUB_LICENCES = frozenset(_LICENCES.split())
"""Names that the hub takes; it refuses a card with another."""
CHARTS = "card"
"""The folder of the charts, beside the card."""

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_DATA = re.compile(r"(?:(sft|dpo|kto|grpo)(?:_(validation|test))?|(train|validation|test)(?:-[0-9a-f]{12})?)\.\w+")
_FIRST = re.compile(r"^(\d*)([#+\-=.)])")
_UNSEEN = re.compile(
    "(?![\t\n\r\x85])[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_MARKUP = re.compile(r"([\\`*_\[\]<>|~$&])")


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two people agree who reviewed the same items.

    Attributes:
        items: that two people reviewed.
        same: of them, those on which both said the same, in the page and in the verdict.
        cer: mean character error rate between both.
    """

    items: int = 0
    same: int = 0
    cer: float = 0.0


@dataclass(slots=True)
class Figures:
    """What is counted of the items; `add` takes them one after the other.

    Attributes:
        pictures: checksums of the pictures, shortened: pages that hold the same picture count once.
        edits: sum of the edit distances of the corrections, in characters; characters: of all labels.
        nameless: the card numbers the reviewers and does not name them.
    """

    items: int = 0
    documents: set[int] = field(default_factory=set)
    pictures: set[str] = field(default_factory=set)
    lines: int = 0
    characters: int = 0
    corrected: int = 0
    edits: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    templates: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    error_kinds: Counter[str] = field(default_factory=Counter)
    reviewers: Counter[str] = field(default_factory=Counter)
    agreement: Agreement = Agreement()
    nameless: bool = False

    def add(self, item: Sample) -> None:
        """Args: item: a Sample, or what has the same recognition, correction and review."""
        label = item.correction.content if item.correction else item.recognition.content
        text = whole_text(label) or " ".join(str(field.value or "") for field in label.fields)
        self.items += 1
        self.documents.add(item.document_id)
        self.pictures.add(item.page.sha256[:16])
        self.lines += len(label.lines)
        self.characters += len(text)
        self.languages.update(languages_of(text))
        self.templates[item.recognition.prompt.template or "(none)"] += 1
        self.models[_model(item)] += 1
        self.verdicts[item.review.verdict or "not judged"] += 1
        self.states[item.review.state.replace("_", " ")] += 1
        self.error_kinds.update(kind.replace("_", " ") for kind in item.review.error_kinds)
        if item.review.person:
            self.reviewers[item.review.person] += 1
        if item.correction:
            self.corrected += 1
            self.edits += item.correction.edit_distance


@dataclass(frozen=True, slots=True)
class Card:
    """What the card says beside the figures.

    Attributes:
        name: of the dataset.
        licence: as the hub names licences, or in words; "" where none was given.
        source: what was frozen or filtered, by name.
        export: the report of the export that the card stands beside, None for a card alone.
    """

    name: str
    licence: str = ""
    source: Mapping[str, str] = field(default_factory=dict)
    export: Mapping[str, Any] | None = None


def write(folder: Path, card: Card, figures: Figures) -> None:
    """Writes README.md and its charts into the folder."""
    charts = {name: bars(title, counts) for name, title, _, counts in _sections(figures) if counts}
    (folder / CHARTS).mkdir(exist_ok=True)
    for name, drawn in charts.items():
        (folder / CHARTS / f"{name}.svg").write_text(drawn, encoding="utf-8")
    (folder / "README.md").write_text(text(card, figures, _data_files(folder)), encoding="utf-8")


def text(card: Card, figures: Figures, data_files: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """The card as Markdown. Args: data_files: path by part, by configuration, as `datasets` is to load them."""
    parts = [_head(card, figures, data_files or {}), f"# {_paragraph(card.name)}\n", _counts(figures)]
    if card.source:
        parts.append("## Where it comes from\n\n" + _table(("what", "value"), card.source.items()))
    if card.export:
        parts.append(_export(card.export))
    parts += [_section(*one) for one in _sections(figures)]
    parts += [_agreement(figures.agreement), _licence(card.licence)]
    parts.append(f"Written by OCR Workbench {VERSION} from the data itself.\n")
    return "\n".join(parts)


def _model(item: Sample) -> str:
    engine = item.recognition.engine
    model = f"{engine.model} {engine.revision}".strip()
    return f"{engine.kind}: {model}" if model else engine.kind


def _sections(figures: Figures) -> list[tuple[str, str, str, Mapping[str, int]]]:
    estimated = "Estimated from letters and common words; an item may have several. `und`: of none that is known."
    kinds = "Of the model's output, as computed or chosen in the review; an item may have several."
    return [
        ("languages", "Languages", estimated, figures.languages),
        ("templates", "Templates", "What the model was asked for.", figures.templates),
        ("verdicts", "Verdicts on the model's output", "", figures.verdicts),
        ("states", "States of the review", "", figures.states),
        ("error_kinds", "Kinds of error", kinds, figures.error_kinds),
        ("reviewers", "Reviewers", _REVIEWERS + " Names are left out." * figures.nameless, _reviewers(figures)),
        ("models", "Models that read", "Engine, model and revision.", figures.models),
    ]


def _reviewers(figures: Figures) -> Mapping[str, int]:
    if not figures.nameless:
        return figures.reviewers
    return {f"reviewer {number}": count for number, (_, count) in enumerate(ranked(figures.reviewers), start=1)}


def _head(card: Card, figures: Figures, data_files: Mapping[str, Mapping[str, str]]) -> str:
    """YAML in the form of JSON values, which YAML takes as they are: names cannot break it."""
    size = next((name for limit, name in _SIZES if figures.items < limit), "n>1M")
    named = card.licence in HUB_LICENCES
    values: dict[str, Any] = {
        "pretty_name": _line(card.name),
        "license": card.licence if named else "other" if card.licence else "unknown",
        "language": sorted(code for code in figures.languages if code != UNKNOWN),
        "task_categories": ["image-to-text"],
        "tags": ["ocr", "ocr-workbench"],
        "size_categories": [size],
    }
    if card.licence and not named:
        values["license_name"] = _line(card.licence)
    if data_files:
        values["configs"] = [
            {"config_name": name, "data_files": [{"split": part, "path": path} for part, path in files.items()]}
            for name, files in data_files.items()
        ]
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items() if value]
    return "\n".join(["---", *lines, "---", ""])


def _counts(figures: Figures) -> str:
    share = f" ({figures.corrected / figures.items:.0%})" if figures.items else ""
    rows = [
        ("items", f"{figures.items:,}"),
        ("documents", f"{len(figures.documents):,}"),
        ("pictures", f"{len(figures.pictures):,}"),
        ("lines of text", f"{figures.lines:,}"),
        ("characters", f"{figures.characters:,}"),
        ("corrected by a person", f"{figures.corrected:,}{share}"),
        ("characters that corrections changed", f"{figures.edits:,}"),
    ]
    return "## What is in it\n\n" + _table(("", "number"), rows)


def _export(report: Mapping[str, Any]) -> str:
    rows = [
        ("format", report["format"]),
        ("items in", f"{report['count_in']:,}"),
        ("items out", f"{report['count_out']:,}"),
        *((f"rows of {name}", f"{count:,}") for name, count in report["rows"].items()),
        ("SHA-256 of the data", report["sha256"]),
    ]
    left_out = Counter(reason["message"] for _, reason in report["left_out"])
    said = f"The whole report is `report-{report['format']}.json`.\n"
    if left_out:
        said += "\nLeft out:\n\n" + _table(("why", "items"), ((why, f"{count:,}") for why, count in ranked(left_out)))
    return "## This export\n\n" + _table(("", ""), rows) + "\n" + said


def _section(name: str, title: str, said: str, counts: Mapping[str, int]) -> str:
    if not counts:
        return f"## {title}\n\nNone.\n"
    rows = [(value, f"{count:,}") for value, count in ranked(counts)]
    chart = f"![{title}]({CHARTS}/{name}.svg)\n"
    return "\n".join([f"## {title}\n", *([f"{said}\n"] if said else []), chart, _table(("", "items"), rows)])


def _agreement(agreement: Agreement) -> str:
    head = "## Agreement of reviewers\n\n"
    if not agreement.items:
        return f"{head}No item was reviewed by two people.\n"
    rows = [
        ("items that two people reviewed", f"{agreement.items:,}"),
        ("both said the same", f"{agreement.same:,} ({agreement.same / agreement.items:.0%})"),
        ("mean character error rate between both", f"{agreement.cer:.4f}"),
    ]
    return head + _table(("", ""), rows)


def _licence(licence: str) -> str:
    said = _paragraph(licence) if licence else "Not stated: ask who published the data before you use it."
    return f"## Licence\n\n{said}\n"


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    first = list(head)
    lines = [first, ["---"] * len(first), *([_plain(str(cell)) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _paragraph(text: str) -> str:
    """As `_plain`, where a line may begin something."""
    return _FIRST.sub(r"\1\\\2", _plain(text))


def _plain(text: str) -> str:
    """Names are data: nothing of them is markup."""
    return _MARKUP.sub(r"\\\1", _line(text))


def _line(text: str) -> str:
    """One line that YAML, Markdown and UTF-8 hold, and that does not turn what stands beside it."""
    return " ".join(_UNSEEN.sub("\ufffd", text).split())


def _data_files(folder: Path) -> dict[str, dict[str, str]]:
    """The files of rows by part, of the whole data or of each of its configurations."""
    found: dict[str, dict[str, str]] = {}
    for file in sorted([*folder.glob("*/*.parquet"), *folder.glob("*/*.jsonl"), *folder.glob("*/data/*.parquet")]):
        if match := _DATA.fullmatch(file.name):
            method, part, whole = match.groups()
            found.setdefault(method or "default", {})[part or whole or WHOLE] = file.relative_to(folder).as_posix()
    return found
