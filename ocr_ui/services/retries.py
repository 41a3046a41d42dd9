"""What can be tried, with one click, where a reading did not come to its end or had fewer pixels than there are."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from typing import Any

from ocr_ui.domain.amounts import pixels_text
from ocr_ui.domain.content import ContentWarning
from ocr_ui.domain.prompt import PromptTemplate, Task
from ocr_ui.domain.recognition import Recognition
from ocr_ui.engines.asking import SAMPLING
from ocr_ui.errors import BadInput, NotFound
from ocr_ui.images.cleaning import OFF, STEPS
from ocr_ui.images.need import WORTH
from ocr_ui.images.transform import PictureTransform, fitting, pixels_for
from ocr_ui.prompting import PromptLibrary
from ocr_ui.services.engines import Engines
from ocr_ui.services.reading import ReadRequest
from ocr_ui.services.smaller import READ_SMALLER
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store

KINDS = ("penalty", "smaller", "longer", "again", "full")
STEP, HIGHEST_PENALTY = 0.12, 2.0
"""How much the repetition penalty grows with each retry, and vLLM's own limit."""
SHARE = 0.5
LEAST_PIXELS = 40_000
OFFERED = {"repeated": ("penalty", "smaller"), "length": ("longer", "smaller"), "timeout": ("again", "smaller")}
"""By how a reading ended (`Generation.finish_reason`)."""
READING = (Task.SPOTTING, Task.TEXT, Task.DOCUMENT, Task.TABLE, Task.LAYOUT)
"""Tasks that read what stands on a page: one of them may do where another goes round in circles."""


@dataclass(frozen=True, slots=True)
class Retry:
    """One thing to try.

    Attributes:
        kind: one of KINDS.
        value: the repetition penalty, the most pixels, the most tokens; 0 for "again" and "full".
    """

    kind: str
    value: float = 0


def retries(recognition: Recognition, settings: Settings) -> tuple[Retry, ...]:
    """What makes sense for a result; of one that came to its end or was stopped by a person no more than to read it at
    full resolution, where it was not."""
    kinds = OFFERED.get(recognition.generation.finish_reason, ())
    if _could_have_more(recognition, settings):
        kinds += ("full",)
    made = (_retry(kind, recognition, settings) for kind in kinds)
    return tuple(retry for retry in made if retry is not None)


def suiting(
    recognition: Recognition, templates: Iterable[PromptTemplate], tasks: Iterable[Task]
) -> tuple[PromptTemplate, ...]:
    """Templates to read the same page with instead: the engine can do them, they ask for much the same, and the
    variables of the run fill their blanks. Those of the same task come first.

    Args:
        tasks: what the engine can do.
    """
    if recognition.generation.finish_reason not in OFFERED:
        return ()
    used = recognition.prompt
    alike = {Task(used.task), *(READING if used.task in READING else ())} & set(tasks)
    fit = [t for t in templates if t.task in alike and t.name != used.template and _filled(t, used.variables)]
    return tuple(sorted(fit, key=lambda template: template.task.value != used.task))


def request_for(recognition: Recognition, kind: str, template: PromptTemplate, settings: Settings) -> ReadRequest:
    """The same question once more with one thing changed, which is said with the new result.

    Raises:
        BadInput: this is not offered for such a result.
    """
    retry = next((retry for retry in retries(recognition, settings) if retry.kind == kind), None)
    if retry is None:
        raise BadInput("no_such_retry", "This cannot be tried with this result.", "Press Read.", kind=kind)
    used = recognition.prompt
    sampling = {key: value for key, value in used.sampling.items() if key != "json_schema"}
    changed: dict[str, Any] = {"penalty": {"repetition_penalty": retry.value}, "longer": {"max_tokens": retry.value}}
    return ReadRequest(
        template,
        used.variables,
        used.text,
        sampling={**sampling, **changed.get(kind, {})},
        pixels={"smaller": int(retry.value), "full": None}.get(kind, pixels_again(recognition)),
        preprocess=cleaning_of(recognition),
        whole=kind == "full",
        structured="json_schema" in used.sampling,
        notices=_notices(retry),
    )


def values_for(template: PromptTemplate, recognition: Recognition) -> dict[str, str]:
    """The variables of a run as far as another template has them."""
    return template.fitting(recognition.prompt.variables)


def _retry(kind: str, recognition: Recognition, settings: Settings) -> Retry | None:
    sampling = {**SAMPLING, "max_tokens": settings.max_new_tokens, **recognition.prompt.sampling}
    if kind == "penalty":
        higher = round(min(sampling["repetition_penalty"] + STEP, HIGHEST_PENALTY), 2)
        return Retry(kind, higher) if higher > sampling["repetition_penalty"] else None
    if kind == "smaller":
        pixels = int((pixels_of(recognition) or 0) * SHARE)
        return Retry(kind, pixels) if pixels >= LEAST_PIXELS else None
    if kind == "longer":
        allowed = min(sampling["max_tokens"], settings.max_new_tokens)  # the setting is the most for every template
        longer = min(2 * allowed, settings.max_new_tokens)
        # An answer that ended sooner had no room left in the model's context: more tokens would not help.
        ended_at_limit = (recognition.generation.tokens or 0) >= allowed
        return Retry(kind, longer) if longer > allowed and ended_at_limit else None
    return Retry(kind)


def pixels_of(recognition: Recognition) -> int | None:
    """Of the picture that the engine had."""
    transform = PictureTransform.recorded(recognition.transform)
    return None if transform is None else prod(transform.engine_size)


def pixels_again(recognition: Recognition) -> int | None:
    """The most pixels with which the engine gets just the same copy again, as a `ReadRequest` takes them."""
    transform = PictureTransform.recorded(recognition.transform)
    return None if transform is None else pixels_for(*transform.scaled)


def _could_have_more(recognition: Recognition, settings: Settings) -> bool:
    """Was it read with markedly fewer pixels than the engine may have, and not for want of memory?"""
    transform = PictureTransform.recorded(recognition.transform)
    if transform is None or any(w.code == READ_SMALLER for w in recognition.content.warnings):
        return False
    size, copy = transform.scaled
    return prod(copy) <= WORTH * prod(fitting(size, settings.engine_pixels))


def cleaning_of(recognition: Recognition) -> str:
    """What was done to the engine's copy, as a `ReadRequest` takes it: another reading gets the same one."""
    transform = PictureTransform.recorded(recognition.transform)
    steps = () if transform is None else transform.steps
    return ",".join(step.kind for step in steps if step.kind in STEPS) or OFF


def _filled(template: PromptTemplate, values: dict[str, str]) -> bool:
    return all(variable.default or values.get(variable.name) for variable in template.variables)


def _notices(retry: Retry) -> tuple[ContentWarning, ...]:
    said = {
        "penalty": (f"Read again with a repetition penalty of {retry.value:g}.", "penalty"),
        "smaller": (f"Read again with a picture of at most {pixels_text(int(retry.value))}.", "pixels"),
        "longer": (f"Read again with an answer of up to {retry.value:g} tokens.", "tokens"),
    }
    if retry.kind not in said:
        return ()
    message, name = said[retry.kind]
    return (ContentWarning(f"again_{retry.kind}", message, details={name: retry.value}),)


class Retries:
    """Retries of stored results."""

    def __init__(self, store: Store, engines: Engines, library: PromptLibrary, settings: Settings) -> None:
        self._store, self._engines, self._library, self._settings = store, engines, library, settings

    def offered(self, recognition: Recognition) -> tuple[Retry, ...]:
        return retries(recognition, self._settings_of(recognition))

    def suiting(self, recognition: Recognition) -> tuple[PromptTemplate, ...]:
        """Templates to read the page with instead, see `suiting`."""
        infos = {info.name: info for info in self._engines.infos()}
        tasks = infos[self.engine_of(recognition)].tasks
        return suiting(recognition, self._library.list(), tasks)

    async def request(self, recognition_id: int, kind: str) -> tuple[ReadRequest, str]:
        """What to read once more, and the engine to read it with: the one that read it before.

        Raises:
            NotFound: no such result, or its template is gone. BadInput: it does not offer this.
        """
        stored = await asyncio.to_thread(self._store.recognitions.get, recognition_id)
        recognition = stored.recognition
        template = await asyncio.to_thread(self.template_of, recognition)
        asked = request_for(recognition, kind, template, self._settings_of(recognition))
        return asked, self.engine_of(recognition)

    def engine_of(self, recognition: Recognition) -> str:
        """The engine of a result by the name that it has now; the default where it is gone."""
        name = self._engines.called(recognition.engine.name or recognition.engine.kind)
        return name if name in {info.name for info in self._engines.infos()} else self._engines.default

    def template_of(self, recognition: Recognition) -> PromptTemplate:
        """As it was then, where that version is kept."""
        used = recognition.prompt
        try:
            return self._library.get(used.template, used.version)
        except NotFound:
            return self._library.get(used.template)

    def _settings_of(self, recognition: Recognition) -> Settings:
        return self._engines.settings_of(self.engine_of(recognition), self._settings)
