"""What limits the speed now: rules over what was seen of an engine, in the order in which one would look.

Pure: nothing is measured here. Each finding has its English words here; the page has them in its language, by code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ocr_ui.domain.counted import fill

CARD_BUSY = 0.6
"""A card that has work for less of the time than this waits for something."""
PREPARING = 0.3
"""Share of a page's time before the engine from which on preparing counts as slow."""
PLACES_TAKEN = 0.5
DRAFTS_REJECTED = 0.2
"""The same bound as the alert's."""
PICTURE = 0.5
PROCESSORS_BUSY = 0.85


class Runs(StrEnum):
    """Where an engine works."""

    CARD = "card"
    PROCESSORS = "processors"
    SERVER = "server"


class State(StrEnum):
    LIMITS = "limits"
    FINE = "fine"
    UNKNOWN = "unknown"
    """Not measured, or there is no such thing here."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of one engine lately. Means are of the moments in which there was work; shares are 0 to 1.

    Attributes:
        runs: where it works.
        at_work: readings that waited or ran; 0 where there was no work at all.
        running, waiting: pages inside the engine.
        places: that it reads at once; 0 where it does not tell.
        busy: of the cards; None without one.
        preemptions, drafts, drafts_rejected: counted.
        picture: share of the engine's time until the first token; None where it does not tell.
        preparing: share of the pages' time before they came to the engine; None where no page ended.
        processors: how busy the machine's are; None where that is not known.
    """

    runs: Runs
    at_work: float = 0.0
    running: float = 0.0
    waiting: float = 0.0
    places: int = 0
    busy: float | None = None
    preemptions: int = 0
    drafts: int = 0
    drafts_rejected: int = 0
    picture: float | None = None
    preparing: float | None = None
    processors: float | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One look at one thing.

    Attributes:
        code: stable name.
        measure: what was seen, such as 43% or 12/64; empty where nothing was.
        values: what its words are filled with.
    """

    code: str
    state: State
    measure: str = ""
    values: dict[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return WORDS[self.code][0]

    @property
    def says(self) -> bool:
        """Is it more than a look at something that is in order, or not there?"""
        return self.state is State.LIMITS or self.code in ALL_IN_ALL

    @property
    def message(self) -> str:
        return fill(WORDS[self.code][1], **self.values) if self.says else ""

    @property
    def hint(self) -> str:
        return WORDS[self.code][2] if self.says else ""


WORDS = {
    "card_idle": (
        "card at work",
        "The card has work for {busy}% of the time only: pages are not prepared fast enough for it.",
        "More processors; OCR_UI_SHORT_WAY on or, where it is not taken, more OCR_UI_RENDERER_WORKERS; lower "
        "OCR_UI_ENGINE_PIXELS.",
    ),
    "batch_not_full": (
        "places taken",
        "{running} of the engine's {places|place is|places are} taken: more pages could be read at the same time.",
        "Send more pages at once; for batches raise OCR_UI_BATCH_AT_ONCE.",
    ),
    "batch_held": (
        "places taken",
        "{waiting|page waits|pages wait} although {running} of {places|place is|places are} taken: one step takes in "
        "too little.",
        "Raise OCR_UI_MAX_NUM_BATCHED_TOKENS or OCR_UI_GPU_MEMORY_UTILIZATION.",
    ),
    "preemptions": (
        "pages put back",
        "The cache for pages is too small: {preemptions|page was|pages were} put back and begun again.",
        "Lower OCR_UI_MAX_NUM_SEQS, or raise OCR_UI_GPU_MEMORY_UTILIZATION.",
    ),
    "drafts_rejected": (
        "drafts rejected",
        "{rejected}% of the draft model's proposals are rejected: it may cost more than it saves.",
        "Set OCR_UI_DFLASH=off and compare.",
    ),
    "picture_share": (
        "time for pictures",
        "{share}% of the engine's time goes into seeing the pictures, and less into writing.",
        "OCR_UI_PIXELS=need, once `calibrate pixels` has run (docs/pixels.md); or lower OCR_UI_ENGINE_PIXELS, as far "
        "as pages stay legible.",
    ),
    "card_full": (
        "card at work",
        "Nothing holds the card up: it is as fast as it can be here.",
        "For more, another card (OCR_UI_DATA_PARALLEL_SIZE).",
    ),
    "processors_busy": (
        "processors at work",
        "The processors are {processors}% busy: they are what limits the speed.",
        "More processors, an engine on a GPU, or fewer other programs on this machine.",
    ),
    "pages_wait": (
        "pages that wait",
        "{waiting|page waits|pages wait} for the engine, which reads {places} at a time.",
        "A second process on the same database shares batches; an engine on a GPU reads many pages at once.",
    ),
    "readings_wait": (
        "pages that wait",
        "{waiting|page waits|pages wait} for the server.",
        "Look at that server's own figures at its /metrics, or name several servers in OCR_UI_BASE_URL.",
    ),
    "keeps_up": ("all in all", "Nothing holds pages up: they are read as fast as they come.", ""),
    "nothing": ("all in all", "Nothing is being read.", "Read a page or start a batch, and look here again."),
}
"""By code: what is looked at, what is said where it limits the speed, what to do."""
ALL_IN_ALL = ("card_full", "keeps_up", "nothing")
"""Verdicts where nothing limits."""


def findings(seen: Seen) -> list[Finding]:
    """Everything that was looked at, in order; the first that limits is the one to mend. Empty without work."""
    return [look(seen) for look in LOOKS[seen.runs]] if seen.at_work else []


def verdict(seen: Seen, found: Sequence[Finding]) -> Finding:
    """The one sentence."""
    return next((one for one in found if one.state is State.LIMITS), None) or _otherwise(seen)


def _otherwise(seen: Seen) -> Finding:
    if not seen.at_work:
        return Finding("nothing", State.FINE)
    return Finding("card_full" if seen.runs is Runs.CARD else "keeps_up", State.FINE)


def _percent(share: float) -> int:
    return round(100 * share)


def _found(code: str, limits: bool, measure: str, **values: float) -> Finding:
    whole = {name: round(value) for name, value in values.items()}
    return Finding(code, State.LIMITS if limits else State.FINE, measure, whole)


def _card(seen: Seen) -> Finding:
    if seen.busy is None:
        return Finding("card_idle", State.UNKNOWN)
    outside = seen.at_work - seen.running - seen.waiting
    slow = (seen.preparing or 0) >= PREPARING or outside >= 1
    busy = _percent(seen.busy)
    return _found("card_idle", seen.busy < CARD_BUSY and slow, f"{busy}%", busy=busy)


def _places(seen: Seen) -> Finding:
    if not seen.places:
        return Finding("batch_not_full", State.UNKNOWN)
    running, free = round(seen.running), seen.running < PLACES_TAKEN * seen.places
    code = "batch_held" if free and seen.waiting >= 1 else "batch_not_full"
    values = {"running": running, "places": seen.places, "waiting": seen.waiting}
    return _found(code, free, f"{running}/{seen.places}", **values)


def _cache(seen: Seen) -> Finding:
    return _found("preemptions", seen.preemptions > 0, str(seen.preemptions), preemptions=seen.preemptions)


def _drafts(seen: Seen) -> Finding:
    if not seen.drafts:
        return Finding("drafts_rejected", State.UNKNOWN)
    share = seen.drafts_rejected / seen.drafts
    return _found("drafts_rejected", share > DRAFTS_REJECTED, f"{_percent(share)}%", rejected=_percent(share))


def _picture(seen: Seen) -> Finding:
    if seen.picture is None:
        return Finding("picture_share", State.UNKNOWN)
    share = _percent(seen.picture)
    return _found("picture_share", seen.picture > PICTURE, f"{share}%", share=share)


def _processors(seen: Seen) -> Finding:
    if seen.processors is None:
        return Finding("processors_busy", State.UNKNOWN)
    busy = _percent(seen.processors)
    return _found("processors_busy", seen.processors >= PROCESSORS_BUSY, f"{busy}%", processors=busy)


def _queue(seen: Seen) -> Finding:
    waiting = seen.waiting if seen.places else max(0.0, seen.at_work - seen.running)
    if not seen.places:
        return _found("readings_wait", waiting >= 1, str(round(waiting)), waiting=waiting)
    return _found("pages_wait", waiting >= 1, str(round(waiting)), waiting=waiting, places=seen.places)


LOOKS: dict[Runs, tuple[Callable[[Seen], Finding], ...]] = {
    Runs.CARD: (_card, _places, _cache, _drafts, _picture),
    Runs.PROCESSORS: (_processors, _queue),
    Runs.SERVER: (_processors, _queue),
}


def in_words(seen: Seen) -> Iterator[str]:
    """The verdict and what was looked at, a line each, in English."""
    found = findings(seen)
    yield from (part for part in (verdict(seen, found).message, verdict(seen, found).hint) if part)
    for one in found:
        yield f"  {one.name}: {one.measure or 'not known here'} ({one.state.value})"
