"""How high text must be for an engine: labelled pages read with fewer and fewer pixels, as the rule would make them.

Every page is read with all its pixels, and for each height of the smallest text that is tried once more where the rule
would make it smaller for that. A height is good enough where the character error rate of those pages rises by no more
than is allowed, in the worse end of the interval over pages, and where it does so at every greater height that was
tried. The least of them is the target.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.content import PageContent
from ocr_ui.domain.pixels import Need, PixelChoice
from ocr_ui.domain.prompt import PromptTemplate
from ocr_ui.engines.base import Engine
from ocr_ui.errors import BadInput, EngineDead, WorkbenchError
from ocr_ui.images.cleaning import clean
from ocr_ui.images.need import RULE, pixels_needed
from ocr_ui.images.transform import full_size
from ocr_ui.prompting import PromptLibrary
from ocr_ui.scoring.contest import FEWEST, difference
from ocr_ui.scoring.metrics import Part, score_page, value
from ocr_ui.scoring.text import LENIENT
from ocr_ui.services.access import needs, who
from ocr_ui.services.conditions import conditions
from ocr_ui.services.engines import Engines
from ocr_ui.services.evaluate import nothing_to_compare, values_for
from ocr_ui.services.evaluation_scores import PageScore, score_failure, score_reading
from ocr_ui.services.kept_readings import KeptReadings
from ocr_ui.services.labelled_sets import LabelledPage, open_set
from ocr_ui.services.reading import check_engine
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

HEIGHTS = (8.0, 10.0, 12.0, 14.0, 17.0, 20.0)
MAY_LOSE = 0.005
CER = "cer"
GOOD, WORSE, FEW = "good", "worse", "few"
FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Ask:
    """Attributes:
    data: as `labelled_sets.open_set` takes it.
    template, engine: by name; "" for the default engine.
    heights: of the smallest text, pixels, that are tried.
    may_lose: by how much the character error rate may rise.
    keep: it counts from now on for readings whose pixels go by need.
    """

    data: str
    template: str = "full_text"
    engine: str = ""
    heights: tuple[float, ...] = HEIGHTS
    may_lose: float = MAY_LOSE
    keep: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """How far it is. Attributes: result: with the last step alone."""

    page: str
    done: int
    total: int
    result: dict[str, Any] | None = None


@dataclass
class TriedPage:
    """A page with all its pixels and, by height, with the fewer that the rule gives it."""

    name: str
    full: PageScore
    choices: dict[float, PixelChoice] = field(default_factory=dict)
    reduced: dict[float, PageScore] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """One of its readings was none, which says nothing of pixels."""
        return any(score.outcome == FAILED for score in (self.full, *self.reduced.values()))


class PixelCalibrator:
    def __init__(self, store: Store, engines: Engines, templates: PromptLibrary, settings: Settings) -> None:
        self._store, self._engines, self._templates, self._settings = store, engines, templates, settings
        self._readings = KeptReadings(store, engines, settings)

    @needs(Action.ADMIN, audited="pixels.calibrate", limited="reads")
    async def run(self, ask: Ask, person: str = "") -> AsyncIterator[Step]:
        """Reads, scores and keeps; the last step carries the result. What was read before is kept: the same call goes
        on where it was interrupted.

        Raises:
            BadInput: those of `labelled_sets.open_set`, `bad_heights`, `bad_loss`, `nothing_to_compare`.
            NotFound, EngineDead, StoreFailed.
        """
        heights = check_heights(ask)
        templates = await asyncio.to_thread(self._templates.list)
        template = await asyncio.to_thread(self._templates.get, ask.template)
        labelled = await asyncio.to_thread(open_set, ask.data, self._store, self._settings, templates)
        name = self._engines.called(ask.engine) if ask.engine else self._engines.default
        engine = await self._engines.ready(name)
        check_engine(engine, template)
        pages = [page for page in labelled.pages if _has_text(page, template)]
        if not pages:
            raise nothing_to_compare(template.name)
        read: list[TriedPage] = []
        for number, page in enumerate(pages):
            yield Step(page.name, number, len(pages))
            read.append(await self._read(page, template, engine, name, heights))
        own = {name: self._engines.settings_of(name, self._settings)}
        result = {
            "data": {"name": labelled.name, "sha256": labelled.sha256, "pages": len(pages)},
            "engine": asdict(replace(engine.name, name=name)),
            "template": template.name,
            "rule": RULE,
            "fewest": own[name].pixels_fewest,
            "may_lose": ask.may_lose,
            **await asyncio.to_thread(summary, read, heights, ask.may_lose),
            "conditions": await asyncio.to_thread(conditions, self._settings, own),
        }
        result["kept"] = ask.keep and any(one["verdict"] != FEW for one in result["heights"])
        if result["kept"]:
            add = self._store.pixel_calibrations.add
            await asyncio.to_thread(add, engine.name, result["target"], RULE, result, who(person))
        yield Step("", len(pages), len(pages), result)

    async def _read(
        self, page: LabelledPage, template: PromptTemplate, engine: Engine, name: str, heights: Sequence[float]
    ) -> TriedPage:
        own = self._engines.settings_of(name, self._settings)
        score = _Scorer(self._readings, page, template, engine, name)
        found = TriedPage(page.name, await score.read(own.engine_pixels))
        picture = await self._readings.pixels(page)
        pixels, *_ = await asyncio.to_thread(clean, picture, own.preprocess)  # the engine's pixels are chosen of it
        size = full_size(pixels, own.engine_pixels)
        for height in heights:
            need = Need(height, own.pixels_fewest)
            most, choice = await asyncio.to_thread(pixels_needed, pixels, size, need)
            found.choices[height] = choice
            if choice.reduced:
                found.reduced[height] = await score.read(most)
        return found


@dataclass
class _Scorer:
    """Reads one page with any number of pixels, and scores what was read."""

    readings: KeptReadings
    page: LabelledPage
    template: PromptTemplate
    engine: Engine
    engine_name: str

    async def read(self, pixels: int) -> PageScore:
        """Args: pixels: that the engine gets at most."""
        values = values_for(self.template, self.page) or {}
        truth, task = self.page.truth, self.template.task
        try:
            reading = await self.readings.read(
                self.page, self.template, values, self.engine, self.engine_name, pixels=pixels
            )
        except EngineDead:
            raise
        except WorkbenchError as error:
            return await asyncio.to_thread(score_failure, truth, task, LENIENT, error)
        return await asyncio.to_thread(score_reading, truth, reading, LENIENT)


def check_heights(ask: Ask) -> tuple[float, ...]:
    """The heights to try, in order. Raises BadInput: `bad_heights`, `bad_loss`."""
    if not ask.heights or not all(4 <= height <= 200 for height in ask.heights):
        told = ", ".join(f"{height:g}" for height in ask.heights)
        raise BadInput(
            "bad_heights", f"{told or 'Nothing'} is no height of text.", "Give pixels, 4 to 200.", heights=told
        )
    if not 0 <= ask.may_lose < 1:
        shown = f"{ask.may_lose:g}"
        raise BadInput("bad_loss", f"{shown} is no error rate that may be lost.", "Choose 0.005, say.", value=shown)
    return tuple(sorted(set(ask.heights)))


def summary(pages: Sequence[TriedPage], heights: Sequence[float], may_lose: float) -> dict[str, Any]:
    """The target, and what each height costs and saves, over the pages of which no reading failed.

    Args:
        heights: ascending.
    """
    whole = [page for page in pages if not page.failed]
    tried = [_height_value(whole, height, may_lose) for height in heights]
    good: list[float] = []
    for height, one in zip(reversed(heights), reversed(tried), strict=True):
        if one["verdict"] == WORSE:
            break
        if one["verdict"] == GOOD:
            good.append(height)
    seconds = sorted(choice.seconds for page in pages for choice in page.choices.values() if choice.seconds)
    return {
        "target": good[-1] if good else None,
        "heights": tried,
        "estimate_seconds": {"median": seconds[len(seconds) // 2], "most": seconds[-1]} if seconds else None,
        "pages": [_page_value(page) for page in pages],
    }


def _height_value(pages: Sequence[TriedPage], height: float, may_lose: float) -> dict[str, Any]:
    """What a height does to the pages that it makes smaller. `verdict`: good, worse, or few where they are too few to
    tell."""
    changed = [page for page in pages if height in page.reduced]
    found = difference([page.full.parts for page in changed], [page.reduced[height].parts for page in changed], CER)
    lost = {"cer_full": None, "cer": None, "low": None, "high": None, "better": 0, "equal": 0, "worse": 0}
    if found is not None:
        lost = {name: getattr(found, name) for name in ("low", "high", "better", "equal", "worse")}
        lost |= {"cer_full": found.first, "cer": found.second}
    enough = found is not None and found.high <= may_lose
    return {
        "height": height,
        "reduced": len(changed),
        **lost,
        "verdict": (GOOD if enough else WORSE) if len(changed) >= FEWEST else FEW,
        "pixels": _share(pages, height),
        "seconds_full": _seconds(page.full for page in pages),
        "seconds": _seconds(page.reduced.get(height, page.full) for page in pages),
    }


def _share(pages: Sequence[TriedPage], height: float) -> float:
    """Of all pixels of all pages."""
    choices = [page.choices[height] for page in pages]
    whole = sum(choice.full[0] * choice.full[1] for choice in choices)
    return sum(choice.size[0] * choice.size[1] for choice in choices) / whole if whole else 1.0


def _seconds(scores: Iterable[PageScore]) -> float:
    return sum(score.seconds or 0.0 for score in scores)


def _page_value(page: TriedPage) -> dict[str, Any]:
    first = next(iter(page.choices.values()))
    return {
        "page": page.name,
        "size": list(first.full),
        "text_height": first.text_height,
        "reason": first.reason,
        "cer": _cer(page.full),
        "failed": page.failed,
        "seconds": page.full.seconds,
        "heights": [
            {"height": height, "size": list(page.choices[height].size), "cer": _cer(score), "seconds": score.seconds}
            for height, score in page.reduced.items()
        ],
    }


def _cer(score: PageScore) -> float | None:
    part: Part | None = score.parts.get(CER)
    return None if part is None else value(part)


def _has_text(page: LabelledPage, template: PromptTemplate) -> bool:
    """Something is known of it that has a character error rate, and the template can be asked about it."""
    known = score_page(page.truth, PageContent(), template.task, LENIENT)
    return CER in known and values_for(template, page) is not None
