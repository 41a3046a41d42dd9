"""Does speculative decoding pay? Steps are timed with and without the draft model, by how many pages are read at once.

What was measured is kept in a file, so that a start need not measure again. Knows nothing of vLLM.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

log = logging.getLogger(__name__)

LOADS = (1, 4, 16, 64)
"""Pages at once: one, up to 4, up to 16, up to 64; more count as the last."""
FEWEST_STEPS = 20
"""Steps of a load below which nothing is said about it."""
ENOUGH_TOKENS = 20_000
"""Tokens in use after which the engine's own figures decide, whatever the first measurement said."""
LONGEST_STEP = 2.0
"""Seconds; a longer step waited for something else and is not counted."""


def load_of(pages: int) -> int:
    """The class of a number of pages at once: the smallest of LOADS that holds it."""
    return next((load for load in LOADS if pages <= load), LOADS[-1])


@dataclass(slots=True)
class Pace:
    """Steps at one load.

    Attributes:
        turns: steps, each counted for every page that took part.
        seconds: the time of these turns.
        tokens: that came of them.
        drafts: proposals of the draft model that were checked.
        accepted: tokens of these that were right.
    """

    steps: int = 0
    turns: int = 0
    seconds: float = 0.0
    tokens: int = 0
    drafts: int = 0
    accepted: int = 0

    @property
    def token_seconds(self) -> float:
        """Seconds that a page waits for its next token."""
        return self.seconds / self.tokens if self.tokens else 0.0

    @property
    def accepted_length(self) -> float:
        """Tokens that one step gives a page: those accepted and the one that the model itself adds."""
        return self.tokens / self.turns if self.turns else 1.0


class Stopwatch:
    """Paces by load, from what the engine tells after each step."""

    def __init__(self) -> None:
        self.paces: dict[int, Pace] = {}
        self._before: tuple[float, int, bool] | None = None

    def step(
        self, now: float, running: int, tokens: int, prompt_tokens: int, drafts: int = 0, accepted: int = 0
    ) -> None:
        """One step has ended.

        Only steps count that did nothing but write, with the same number of pages before and after: a picture that is
        prepared between two of them would be taken for their own time.

        Args:
            now: monotonic seconds.
            running: pages that are being read.
            tokens, prompt_tokens: written and taken in by this step.
            drafts, accepted: proposals that it checked, and tokens of these that it took.
        """
        before, self._before = self._before, (now, running, prompt_tokens == 0)
        if before is None or not running or not tokens or prompt_tokens or before[1:] != (running, True):
            return
        seconds = now - before[0]
        if seconds > LONGEST_STEP:
            return
        pace = self.paces.setdefault(load_of(running), Pace())
        pace.steps += 1
        pace.turns += running
        pace.seconds += seconds * running
        pace.tokens += tokens
        pace.drafts += drafts
        pace.accepted += accepted

    @property
    def tokens(self) -> int:
        return sum(pace.tokens for pace in self.paces.values())

    def token_seconds(self) -> dict[int, float]:
        """Seconds a token, by load, where enough steps were seen."""
        return {load: pace.token_seconds for load, pace in self.paces.items() if pace.steps >= FEWEST_STEPS}


@dataclass(slots=True)
class Measured:
    """What is known of one model on one card.

    Attributes:
        without: seconds a token by load, without the draft model.
        drafted: the same with it.
        pays: False where the engine is to run without it.
    """

    without: dict[int, float] = field(default_factory=dict)
    drafted: dict[int, float] = field(default_factory=dict)
    pays: bool = True

    def saved(self) -> dict[int, float]:
        """Share of the time that drafts save, by load; negative where they cost time."""
        return {
            load: 1 - self.drafted[load] / self.without[load] for load in sorted(self.without) if load in self.drafted
        }

    def pays_somewhere(self) -> bool:
        return any(share > 0 for share in self.saved().values())


class Record:
    """The file of what was measured, by a name for model, card and versions. A damaged file counts as empty."""

    def __init__(self, file: Path, name: str) -> None:
        self._file, self._name = file, name

    def read(self) -> Measured | None:
        known = self._all().get(self._name)
        if known is None:
            return None
        try:
            without, drafted = (
                {int(load): float(seconds) for load, seconds in known[part].items()} for part in ("without", "drafted")
            )
            return Measured(without, drafted, bool(known["pays"]))
        except (TypeError, KeyError, ValueError, AttributeError):
            return None

    def write(self, measured: Measured) -> None:
        """Adds or replaces; a file that cannot be written costs a measurement at the next start, nothing else."""
        known = {**self._all(), self._name: asdict(measured)}
        whole = self._file.with_name(f".{self._file.name}.{os.getpid()}")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            whole.write_text(json.dumps(known, indent=1), encoding="utf-8")
            whole.replace(self._file)
        except OSError as error:
            log.warning("what drafts save cannot be kept in %s: %s", self._file, error)

    def _all(self) -> dict[str, dict]:
        try:
            known = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}


def saved_in_use(measured: Measured, watch: Stopwatch) -> float | None:
    """Share of the time that drafts saved over all that was read since the start, each load by its tokens.

    None where nothing was read at a load whose time without drafts is known.
    """
    known = {load: pace for load, pace in watch.paces.items() if load in measured.without and pace.tokens}
    without = sum(measured.without[load] * pace.tokens for load, pace in known.items())
    return 1 - sum(pace.seconds for pace in known.values()) / without if without else None


def in_words(shares: Mapping[int, float]) -> str:
    """Such as "saves 52% at 1 page, costs 8% at up to 16": of the time that a token takes."""
    told = [
        f"{'saves' if share >= 0 else 'costs'} {abs(share):.0%} at {'1 page' if load == 1 else f'up to {load}'}"
        for load, share in sorted(shares.items())
    ]
    return ", ".join(told)


def accepted_in_words(watch: Stopwatch) -> str:
    """Such as "5.2 tokens a step at 1 page, 4.9 at up to 16"; empty before anything was read."""
    told = [
        f"{pace.accepted_length:.1f} tokens a step at {'1 page' if load == 1 else f'up to {load}'}"
        for load, pace in sorted(watch.paces.items())
        if pace.drafts
    ]
    return ", ".join(told)
