"""Speculative decoding with the model's own draft folder: used where it can be, and where it pays.

`auto` times the model once without drafts and once with them, on the example pages, and remembers both for this model,
card and version; afterwards every step in use is watched. See `draft_watch` for the figures.
"""

from __future__ import annotations

import logging
from pathlib import Path

from ocr_ui.domain.recognition import EngineName
from ocr_ui.engines import draft_watch, vllm_memory
from ocr_ui.engines.base import DraftedLoad, Drafting, DraftReason
from ocr_ui.engines.draft_watch import Measured, Record, Stopwatch
from ocr_ui.engines.vllm_start import draft_model
from ocr_ui.settings import Settings

log = logging.getLogger(__name__)

FILE = "speculation.json"
"""In the data folder."""


class Drafts:
    """What is decided and seen about drafts between one start of the engine and the next.

    Attributes:
        folder: of the draft model; None where the engine runs without it.
        reason: why it does; None where it runs with it.
        watch: the steps since the start.
    """

    def __init__(self, folder: Path, settings: Settings, name: EngineName) -> None:
        """Raises EngineDead where drafts are asked for (`dflash=on`) and cannot be had."""
        self.folder, self.reason = draft_model(folder, settings, name.version)
        self.watch = Stopwatch()
        self._auto = settings.dflash == "auto"
        self._tokens = settings.draft_tokens
        formats = f"{settings.dtype} {settings.quantization} {settings.kv_cache_dtype}"
        steps = f"{settings.model_runner}{' eager' * settings.enforce_eager}, {settings.draft_tokens} drafted"
        key = f"{name.model} {name.revision} {formats} {steps}"
        self._record = Record(settings.data_dir / FILE, f"{key}, vllm {name.version}, {vllm_memory.card_name()}")
        self._measured = self._record.read() or Measured()
        if self.folder and self._auto and not self._measured.pays:
            self.do_without(self._no_gain())

    @property
    def unmeasured(self) -> bool:
        """Is the time without drafts still to be measured?"""
        return bool(self.folder and self._auto and not self._measured.without)

    @property
    def undecided(self) -> bool:
        """Is the time with drafts still to be measured?"""
        return bool(self.folder and self._auto and self._measured.without and not self._measured.drafted)

    @property
    def may_do_without(self) -> bool:
        return self._auto

    def do_without(self, reason: DraftReason) -> None:
        log.warning("no speculative decoding: %s", reason.text)
        self.folder, self.reason = None, reason

    def _no_gain(self) -> DraftReason:
        return DraftReason("no_gain", f"they do not pay here ({draft_watch.in_words(self._measured.saved())})")

    def keep_without(self) -> None:
        """Takes the steps seen so far as the time without drafts."""
        self._measured.without = self.watch.token_seconds()
        self.watch = Stopwatch()

    def decide(self) -> bool:
        """Takes the steps seen so far as the time with drafts and keeps both. False where drafts save nothing."""
        self._measured.drafted = self.watch.token_seconds()
        self.watch = Stopwatch()
        compared = self._measured.saved()
        self._measured.pays = not compared or self._measured.pays_somewhere()
        if compared:
            self._record.write(self._measured)
        if not self._measured.pays:
            self.do_without(self._no_gain())
        return self._measured.pays

    def judge(self) -> None:
        """Once enough was read: does it pay at the loads that there really are? If not, the next start is without."""
        if not (self.folder and self._auto and self._measured.pays) or self.watch.tokens < draft_watch.ENOUGH_TOKENS:
            return
        saved = draft_watch.saved_in_use(self._measured, self.watch)
        if saved is None or saved >= 0:
            return
        self._measured.drafted |= self.watch.token_seconds()
        self._measured.pays = False
        self._record.write(self._measured)
        log.warning("speculative decoding costs %.0f%% of the time: off from the next start", -100 * saved)

    def told(self) -> Drafting:
        """The same for a page."""
        saved = self._saved()
        seen = {load: pace.accepted_length for load, pace in self.watch.paces.items() if pace.drafts}
        loads = [DraftedLoad(load, seen.get(load), saved.get(load)) for load in sorted({*seen, *saved})]
        reason = self.reason or (None if self._measured.pays else DraftReason("next_start", "it does not pay"))
        return Drafting(self.reason is None, reason, tuple(loads))

    def _saved(self) -> dict[int, float]:
        """Share of the time by load: as it is in use, as it was measured where too little was read at a load."""
        return Measured(self._measured.without, self._measured.drafted | self.watch.token_seconds()).saved()

    def __str__(self) -> str:
        """Such as "on: DFlash with 15 tokens; 5.2 tokens a step at 1 page; saves 52% at 1 page"."""
        if self.reason:
            return f"off: {self.reason.text}"
        said = [f"on: DFlash with {self._tokens} tokens", draft_watch.accepted_in_words(self.watch)]
        said.append(draft_watch.in_words(self._saved()))
        if not self._measured.pays:
            said.append("off from the next start: it does not pay at this load")
        return "; ".join(part for part in said if part)
