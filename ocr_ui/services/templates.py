"""The prompt templates of one installation, and the variables that a person gives them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.prompt import PromptTemplate
from ocr_ui.errors import BadInput
from ocr_ui.prompting import PromptLibrary
from ocr_ui.services.access import needs
from ocr_ui.settings import Settings


class Templates(PromptLibrary):
    """A library whose changes are a reviewer's."""

    @needs(Action.REVIEW, audited="template.add")
    def save_new(self, *arguments: Any, **named: Any) -> PromptTemplate:
        return super().save_new(*arguments, **named)

    @needs(Action.REVIEW, audited="template.save")
    def save_version(self, *arguments: Any, **named: Any) -> PromptTemplate:
        return super().save_version(*arguments, **named)

    @needs(Action.REVIEW, audited="template.restore")
    def restore(self, *arguments: Any, **named: Any) -> PromptTemplate:
        return super().restore(*arguments, **named)


def open_templates(settings: Settings) -> PromptLibrary:
    """The templates that come with the product, and own ones in the data folder.

    They are read and written at once: call from a thread, as handlers that are no coroutines are.
    """
    return Templates(settings.prompts_dir, settings.data_dir / "prompts")


def parse_variables(pairs: Iterable[str]) -> dict[str, str]:
    """The values of `--var name=value` given any number of times; a value may hold further equals signs.

    Raises:
        BadInput: no equals sign, no name, or a name twice.
    """
    values: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip()
        if not equals or not name or name in values:
            raise BadInput(
                "bad_variable",
                f"{pair!r} is not a variable with its value, or its name stands there twice.",
                "Write --var NAME=VALUE, once for each name.",
                given=pair,
            )
        values[name] = value
    return values
