"""The prompt templates as the page and the command line use them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ocr_ui.domain.prompt import Choice, PromptTemplate, Variable
from ocr_ui.domain.recognition import PromptUsed
from ocr_ui.errors import BadInput
from ocr_ui.prompting import PromptLibrary, TemplateVersion


@dataclass(frozen=True, slots=True)
class ChoiceView:
    value: str
    label: str


@dataclass(frozen=True, slots=True)
class VariableView:
    """A blank to fill in. `required`: there is no default."""

    name: str
    label: str
    default: str = ""
    required: bool = True
    many: bool = False
    choices: tuple[ChoiceView, ...] = ()


@dataclass(frozen=True, slots=True)
class TemplateView:
    """A template in the words of one language."""

    name: str
    title: str
    description: str
    task: str
    version: str
    text: str
    variables: tuple[VariableView, ...] = ()
    sampling: dict[str, Any] = field(default_factory=dict)
    builtin: bool = True


class Templates:
    """What a person does with templates. Files are read and written beside the event loop, not in it.

    Errors are those of `PromptLibrary`: an unknown name is a NotFound that names similar ones.
    """

    def __init__(self, library: PromptLibrary) -> None:
        self.library = library

    async def list(self, language: str = "en") -> tuple[TemplateView, ...]:
        """All templates, the main ones first, in the words of `language` ("en", "zh")."""
        templates = await asyncio.to_thread(self.library.list)
        return tuple(_view(template, language) for template in templates)

    async def problems(self) -> tuple[BadInput, ...]:
        """What is wrong with files that cannot be used."""
        return await asyncio.to_thread(self.library.problems)

    async def get(self, name: str, version: str | None = None) -> PromptTemplate:
        return await asyncio.to_thread(self.library.get, name, version)

    async def render(self, name: str, values: Mapping[str, str] | None = None) -> str:
        """The text exactly as it will be sent.

        Raises:
            BadInput: a variable is missing, unknown or not among its choices.
        """
        return (await self.get(name)).render(dict(values or {}))

    async def use(self, name: str, values: Mapping[str, str] | None = None, edited: str | None = None) -> PromptUsed:
        """What a run records of its template; `edited` is the text that a person changed for this one run."""
        template = await self.get(name)
        given = {key: value for key, value in (values or {}).items() if value.strip()}
        text = template.render(given) if edited is None else edited
        if not text.strip():
            raise BadInput("prompt_empty", "The text to send is empty.", "Type it, or restore the template's own.")
        filled = {v.name: given.get(v.name, v.default or "") for v in template.variables}
        return PromptUsed(template.name, template.version, template.task.value, text, filled, dict(template.sampling))

    async def save_as_new(
        self, name: str, titles: Mapping[str, str], text: str, based_on: str | None = None, note: str = "", **more: Any
    ) -> PromptTemplate:
        """Saves a text under a new name; `more` is passed on to `PromptLibrary.save_new` (task, sampling)."""
        return await asyncio.to_thread(self.library.save_new, name, titles, text, based_on=based_on, note=note, **more)

    async def save_version(
        self,
        name: str,
        text: str,
        sampling: Mapping[str, Any] | None = None,
        note: str = "",
        expected: str | None = None,
    ) -> PromptTemplate:
        return await asyncio.to_thread(
            self.library.save_version, name, text, sampling=sampling, note=note, expected=expected
        )

    async def versions(self, name: str) -> tuple[TemplateVersion, ...]:
        return await asyncio.to_thread(self.library.versions, name)

    async def restore(self, name: str, version: str) -> PromptTemplate:
        return await asyncio.to_thread(self.library.restore, name, version)


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


def in_language(words: Mapping[str, str], language: str, otherwise: str = "") -> str:
    """The words of a language, of English, of any, or `otherwise`."""
    return words.get(language) or words.get("en") or next(iter(words.values()), "") or otherwise


def _view(template: PromptTemplate, language: str) -> TemplateView:
    return TemplateView(
        name=template.name,
        title=in_language(template.title, language, template.name),
        description=in_language(template.description, language),
        task=template.task.value,
        version=template.version,
        text=template.text,
        variables=tuple(_variable_view(variable, language) for variable in template.variables),
        sampling=dict(template.sampling),
        builtin=template.builtin,
    )


def _variable_view(variable: Variable, language: str) -> VariableView:
    return VariableView(
        name=variable.name,
        label=in_language(variable.label, language, variable.name),
        default=variable.default or "",
        required=not variable.default,
        many=variable.many,
        choices=tuple(_choice_view(choice, language) for choice in variable.choices),
    )


def _choice_view(choice: Choice, language: str) -> ChoiceView:
    return ChoiceView(choice.value, in_language(choice.label, language, choice.value))
