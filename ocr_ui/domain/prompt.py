"""Prompt templates: a text with variables, and what it asks the model for."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ocr_ui.errors import BadInput


class Task(StrEnum):
    """What a template asks for; decides how the answer is parsed and which engines can do it."""

    SPOTTING = "spotting"
    TEXT = "text"
    FIELDS = "fields"
    TRANSLATE = "translate"
    QA = "qa"
    DOCUMENT = "document"
    TABLE = "table"
    FORMULA = "formula"
    CHART = "chart"
    LAYOUT = "layout"
    SUBTITLES = "subtitles"


_PLACEHOLDER = re.compile(r"\{\{\s*([a-z_][a-z0-9_]*)\s*\}\}")


@dataclass(frozen=True, slots=True)
class Choice:
    """One value that a variable may take, with its label in both languages.

    Attributes:
        text: what is put into the prompt for this choice, where that is more than the value itself: the model has a
            wording of its own for each target language, for example.
    """

    value: str
    label: dict[str, str]
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Variable:
    """A blank in a template.

    Attributes:
        name: as in ``{{name}}``.
        label: words for it, by language ("en", "zh").
        default: used where nothing is given; None means that a value is required.
        choices: the values allowed; empty for free text.
        many: a list of values (comma or line separated when typed).
    """

    name: str
    label: dict[str, str]
    default: str | None = None
    choices: tuple[Choice, ...] = ()
    many: bool = False


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A prompt with its variables and sampling.

    Attributes:
        name: file name without ending, lower_snake_case.
        title: by language ("en", "zh").
        task: what it asks for.
        text: the wording, with ``{{variable}}`` blanks.
        sampling: settings that differ from the engine's defaults, for example ``{"temperature": 0}``.
        builtin: shipped with the product, read-only.
        description: one or two sentences by language: what comes back, which wording this is.
        structured: the engine is held to a JSON object of exactly the names asked for (fields only).
        tags: words that it is found by; they reach no model.
    """

    name: str
    title: dict[str, str]
    task: Task
    text: str
    variables: tuple[Variable, ...] = ()
    sampling: dict[str, Any] = field(default_factory=dict)
    builtin: bool = True
    description: dict[str, str] = field(default_factory=dict)
    structured: bool = False
    tags: tuple[str, ...] = ()

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The names of the ``{{blanks}}`` in the text, each once, in order."""
        return tuple(dict.fromkeys(_PLACEHOLDER.findall(self.text)))

    @property
    def bare(self) -> str:
        """The wording, whatever its blanks are called."""
        return _PLACEHOLDER.sub("{{}}", self.text).strip()

    @property
    def version(self) -> str:
        """Twelve hex digits over what reaches the model: task, text, variables with their choices, sampling, form."""
        variables = [(v.name, v.default, v.many, [(c.value, c.text) for c in v.choices]) for v in self.variables]
        parts = [self.task.value, self.text, variables, self.sampling, *(["structured"] if self.structured else [])]
        return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:12]

    def render(self, values: dict[str, str] | None = None) -> str:
        """The exact text that is sent.

        A variable with `many` becomes a list in the model's official form: ``['a','b']``.

        Raises:
            BadInput: a variable without a value and without a default, a value outside the choices,
                or a name that the template does not have.
        """
        filled = {variable.name: self._value(variable, values or {}) for variable in self.variables}
        unknown = sorted(set(values or {}) - set(filled))
        if unknown:
            raise BadInput(
                "unknown_variable",
                f"Template {self.name} has no variable {', '.join(unknown)}.",
                f"It knows: {', '.join(filled) or 'none'}.",
                template=self.name,
                variables=", ".join(unknown),
            )
        return _PLACEHOLDER.sub(lambda match: filled.get(match[1], match[0]), self.text)

    def fitting(self, values: dict[str, str]) -> dict[str, str]:
        """Of values that were typed for another template those that this one has a blank for."""
        names = {variable.name for variable in self.variables}
        return {name: value for name, value in values.items() if name in names}

    def names(self, values: dict[str, str] | None = None) -> tuple[str, ...]:
        """The field names asked for: those in the list variables of a fields template; none of any other."""
        if self.task is not Task.FIELDS:
            return ()
        lists = ((values or {}).get(v.name) or v.default or "" for v in self.variables if v.many)
        return tuple(dict.fromkeys(name for typed in lists for name in split_values(typed)))

    def with_blanks(self, text: str, values: dict[str, str] | None = None) -> str:
        """The reverse of `render` for a text that a person has edited: what the values had filled in becomes a blank
        again, wherever it still stands. Variables without a value are left alone.
        """
        for variable in self.variables:
            if (values or {}).get(variable.name) or variable.default:
                filled = self._value(variable, values or {})
                text = text.replace(filled, "{{" + variable.name + "}}")
        return text

    def _value(self, variable: Variable, values: dict[str, str]) -> str:
        value = (values.get(variable.name) or "").strip() or (variable.default or "").strip()
        if not value:
            raise BadInput(
                "missing_variable",
                f"Template {self.name} needs a value for {variable.name}.",
                "Fill it in.",
                template=self.name,
                variable=variable.name,
                label=variable.label.get("zh") or variable.name,
            )
        texts = {choice.value: choice.text or choice.value for choice in variable.choices}
        if texts and value not in texts:
            allowed = ", ".join(texts)
            raise BadInput(
                "not_a_choice",
                f"{value!r} is not a choice for {variable.name}.",
                f"Choose one of: {allowed}.",
                value=value,
                variable=variable.name,
                allowed=allowed,
            )
        if not variable.many:
            return texts.get(value, value)
        return written_list(split_values(value))


def answer_schema(names: tuple[str, ...]) -> dict[str, Any]:
    """The JSON schema of an answer with exactly these fields, each a text or null."""
    return {
        "type": "object",
        "properties": {name: {"anyOf": [{"type": "string"}, {"type": "null"}]} for name in names},
        "required": list(names),
        "additionalProperties": False,
    }


def written_list(names: Iterable[str]) -> str:
    """As the model's official prompts write a list."""
    return "[" + ",".join(f"'{name}'" for name in names) + "]"


def split_values(typed: str) -> list[str]:
    """Names typed with commas (either width), semicolons, ideographic commas or line breaks, without repeats."""
    parts = (part.strip() for part in re.split(r"[,，;；、\n]", typed))
    return list(dict.fromkeys(part for part in parts if part))
