"""What an engine did with a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.pixels import PixelChoice

OUTCOMES = ("complete", "stopped", "cut", "failed")
"""complete; stopped by a person; cut by a limit, a loop or a time-out; failed with an error (what came is kept)."""


IMPORTED = "import"
"""The kind of engine of a label that came from another program: no model has said it."""

ASKED_NOTHING = frozenset({IMPORTED, "rapidocr"})
"""Kinds of engines that take no prompt: what they give is no answer that a model could learn to prefer or avoid."""


@dataclass(frozen=True, slots=True)
class Generation:
    """The raw answer of a model.

    Attributes:
        text: exactly as it came.
        finish_reason: stop, length, aborted, repeated, timeout or error.
        tokens: number of tokens, None where the engine does not count in tokens.
        seconds: from asking to the end.
    """

    text: str = ""
    finish_reason: str = "stop"
    tokens: int | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class EngineName:
    """Which engine read a page.

    Attributes:
        kind: rapidocr, vllm, openai, llama, or IMPORTED.
        version: of the engine's package.
        model, revision: what it read with.
        name: as it was configured at the time; empty where it had none.
    """

    kind: str
    version: str = ""
    model: str = ""
    revision: str = ""
    name: str = ""

    @property
    def title(self) -> str:
        """For a person: the configured name, with the kind where that says more."""
        return self.kind if self.name in ("", self.kind) else f"{self.name} ({self.kind})"


@dataclass(frozen=True, slots=True)
class PromptUsed:
    """The template of a run: name, version hash, variables and the exact text that was sent."""

    template: str
    version: str
    task: str
    text: str
    variables: dict[str, str] = field(default_factory=dict)
    sampling: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recognition:
    """One reading of one page. Never changed once stored: corrections are versions of their own.

    Attributes:
        transform: what was done to the stored picture for the engine, see `ocr_ui.images.PictureTransform.to_dict`.
        timings: seconds by stage, keys from `ocr_ui.metrics.STAGES`.
        method: how the result was found, where that is not the model alone (fields by rules).
        pixels: how many the engine was given, and why, where they were chosen by need.
    """

    page_sha256: str
    engine: EngineName
    prompt: PromptUsed
    content: PageContent
    generation: Generation
    outcome: str = "complete"
    transform: dict[str, Any] = field(default_factory=dict)
    timings: dict[str, float] = field(default_factory=dict)
    method: str = ""
    error: str = ""
    pixels: PixelChoice | None = None
