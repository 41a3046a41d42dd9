"""The file of one prompt template: read, checked and written.

It holds YAML between two lines of `---`, then the wording exactly as it is sent, which ends before the last line feed
of the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import yaml

from ocr_ui.domain.prompt import Choice, PromptTemplate, Task, Variable
from ocr_ui.errors import BadInput

MAX_TEXT = 20_000
"""Characters of a wording: far more than any official one, far less than the model's context."""

MAX_NOTE = 1_000
"""Characters of a note."""

MAX_DESCRIPTION = 1_000
"""Characters of a description in one language."""

MAX_TAGS = 20

MAX_CHOICES = 100
"""Of a variable."""

MAX_WORD = 2_000
"""Characters of a label, a default, or a choice with what is sent for it."""

MAX_FILE = 200_000
"""Bytes of a template file."""

MAX_TOLD = 100
"""Characters of what stands in a file that a sentence about it repeats."""

SAMPLING: dict[str, tuple[type, float, float]] = {
    "temperature": (float, 0, 2),
    "top_p": (float, 0.01, 1),
    "top_k": (int, -1, 200_000),
    "min_p": (float, 0, 1),
    "repetition_penalty": (float, 0.01, 2),
    "presence_penalty": (float, -2, 2),
    "frequency_penalty": (float, -2, 2),
    "max_tokens": (int, 1, 32_768),
    "seed": (int, 0, 2**31 - 1),
}
"""What a template may set, with type, least and greatest value (as vLLM's SamplingParams accepts them; max_tokens up
to the model's context)."""

T = TypeVar("T")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")
_HALF = re.compile("[\ud800-\udfff]")  # half a character cannot be written as UTF-8
_KEYS = ("name", "title", "description", "task", "variables", "sampling", "structured", "tags", "saved", "note")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, as a code with its English words; the Chinese ones stand in `ocr_ui.ui.template_messages`."""

    code: str
    message: str
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """A template with what its file says beside it."""

    template: PromptTemplate
    saved: str = ""
    note: str = ""


def read_template_text(path: Path) -> str:
    """The text of a template file.

    Raises:
        BadInput: code `template_broken`: unreadable, too large or not UTF-8.
    """
    file = printable(path.name)
    try:
        if not path.is_file():  # reading a pipe would wait for ever
            raise _broken(file, 1, _fault("not_a_file", "it is a folder or something else that holds no text"))
        with path.open("rb") as opened:
            content = opened.read(MAX_FILE + 1)
    except OSError as error:
        problem = error.strerror or "unknown"
        raise _broken(file, 1, _fault("unreadable", f"the file cannot be read ({problem})", problem=problem)) from error
    return template_text(content, file)


def template_text(content: bytes, file: str) -> str:
    """The text of a template file in memory. Raises as `read_template_text`."""
    if len(content) > MAX_FILE:
        raise _broken(file, 1, _fault("too_large", f"the file has more than {MAX_FILE} bytes", limit=MAX_FILE))
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise _broken(file, line, _fault("not_utf8", "the file is not UTF-8 text")) from error


def printable(file: str) -> str:
    """The name of a file, which on disk may hold bytes that are no text."""
    return file.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def load_template(source: str, file: str, name: str | None, builtin: bool) -> TemplateFile:
    """Reads the content of a template file.

    Args:
        file: what the file is called in messages.
        name: what the template must be called; None for what the file says itself.

    Raises:
        BadInput: code `template_broken`, with file and line.
    """
    source = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = source.split("\n")
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if lines[0].rstrip() != "---" or end is None:
        raise _broken(file, 1, _fault("no_settings", "it must begin with its settings between two lines of ---"))
    reader = _FrontMatter(file, "\n".join(lines[1:end]))
    name = reader.word("name", file.removesuffix(".md")) if name is None else name
    template = reader.template(name, "\n".join(lines[end + 1 :]).removesuffix("\n"), builtin)
    _check_file_placeholders(template, file, end + 2, reader.line_of("variables"))
    return TemplateFile(template, reader.word("saved"), reader.word("note"))


def dump_template(template: PromptTemplate, saved: str = "", note: str = "") -> str:
    """The content of a template file; `load_template` reads it back to an equal template."""
    front = {
        "name": template.name,
        "title": template.title,
        "description": template.description,
        "task": template.task.value,
        "variables": [_variable_dict(variable) for variable in template.variables],
        "sampling": dict(template.sampling),
        "structured": template.structured,
        "tags": list(template.tags),
        "saved": saved,
        "note": note,
    }
    kept = {key: value for key, value in front.items() if value or key in ("name", "title", "task")}
    return (
        f"---\n{yaml.dump(kept, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000)}---\n{template.text}\n"
    )


class _Dumper(yaml.SafeDumper):
    """Writes the line breaks of Unicode as escapes: PyYAML writes them plain in quotes and reads a blank back."""


def _represent_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = '"' if re.search("[\x85\u2028\u2029]", text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


class _FaultHere(yaml.MarkedYAMLError):
    def __init__(self, fault: Fault, mark: yaml.Mark) -> None:
        super().__init__(problem=fault.message, problem_mark=mark)
        self.fault = fault


class _Mapping(dict[str, Any]):
    """A mapping that knows the line (0-based, of the front matter) of each of its keys."""

    lines: dict[str, int]


class _Loader(yaml.SafeLoader):
    """YAML's plain values only: no aliases (they can be made to grow without end) and no key twice."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            alias = _fault("alias", "aliases (*name) are not used here")
            raise _FaultHere(alias, self.peek_event().start_mark)
        return super().compose_node(parent, index)


def _construct_mapping(loader: _Loader, node: yaml.MappingNode) -> _Mapping:
    found = _Mapping()
    found.lines = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str):
            raise _FaultHere(_quotes(key), key_node.start_mark)
        if key in found:
            twice = _fault("key_twice", f"{_short(key)} stands here twice", key=_short(key))
            raise _FaultHere(twice, key_node.start_mark)
        found[key] = loader.construct_object(value_node, deep=True)
        found.lines[key] = key_node.start_mark.line
    return found


def _construct_text(loader: _Loader, node: yaml.ScalarNode) -> str:
    text = loader.construct_scalar(node)
    if _HALF.search(text):  # from an escape: the file itself is UTF-8
        raise _FaultHere(_fault("half_character", "it holds half a character"), node.start_mark)
    return text


_Loader.add_constructor("tag:yaml.org,2002:map", _construct_mapping)
_Loader.add_constructor("tag:yaml.org,2002:str", _construct_text)


class _FrontMatter:
    """Reads the settings of one file; every complaint names file and line."""

    def __init__(self, file: str, source: str) -> None:
        self._file = file
        try:
            self._front = yaml.load(source, _Loader)  # noqa: S506 - a SafeLoader
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            fault = error.fault if isinstance(error, _FaultHere) else _not_yaml(error.problem or "this is not YAML")
            raise self._error(mark.line if mark else 0, fault) from error
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise self._error(0, _not_yaml("this is not YAML that can be read here")) from error
        if not isinstance(self._front, _Mapping):
            raise self._error(0, _fault("no_mapping", "the settings must be lines of `key: value`"))
        self._refuse_unknown(self._front, _KEYS)

    def template(self, name: str, text: str, builtin: bool) -> PromptTemplate:
        if self.word("name", name) != name:
            raise self._at("name", _fault("other_name", f"the name must be {name}, like the file's", name=name))
        if not _NAME.fullmatch(name):
            why = f"{_short(name)} is not a name: small letters, digits and _, at most 41"
            raise self._at("name", _fault("bad_name", why, name=_short(name)))
        return PromptTemplate(
            name=name,
            title=self._checked("title", checked_titles, self._labels(self._front, "title")),
            task=self._checked("task", checked_task, self.word("task")),
            text=self._checked("", checked_text, text),
            variables=self._variables(),
            sampling=self._checked("sampling", checked_sampling, self._front.get("sampling") or {}),
            builtin=builtin,
            description=self._labels(self._front, "description"),
            structured=self._structured(),
            tags=self._checked("tags", checked_tags, self._front.get("tags") or ()),
        )

    def _structured(self) -> bool:
        found = self._front.get("structured", False)
        if not isinstance(found, bool):
            raise self._at("structured", _yes_or_no("structured"))
        if found and self.word("task") != Task.FIELDS:
            why = "only templates of the task fields can be structured"
            raise self._at("structured", _fault("structured_task", why))
        return found

    def word(self, key: str, default: str = "") -> str:
        """A string of the top level."""
        return self._word(self._front, key, default)

    def line_of(self, key: str) -> int:
        """1-based line in the file; 1 where the key is not there."""
        return self._front.lines.get(key, -1) + 2

    def _variables(self) -> tuple[Variable, ...]:
        items = self._items(self._front, "variables")
        made = tuple(self._variable(item) for item in items)
        names = [variable.name for variable in made]
        if len(set(names)) < len(names):
            raise self._at("variables", _fault("variable_twice", "two variables have the same name"))
        return made

    def _variable(self, item: _Mapping) -> Variable:
        line = min(item.lines.values(), default=0)
        self._refuse_unknown(item, ("name", "label", "default", "choices", "many"))
        name, default = self._word(item, "name", ""), item.get("default")
        choices = tuple(self._choice(choice) for choice in self._items(item, "choices"))
        if not _NAME.fullmatch(name):
            raise self._error(line, _fault("variable_name", "a variable needs a name of small letters, digits and _"))
        if default is not None and not isinstance(default, str):
            raise self._error(item.lines["default"], _quotes(default))
        if not isinstance(item.get("many", False), bool):
            raise self._error(item.lines["many"], _yes_or_no("many"))
        made = Variable(name, self._labels(item, "label"), default, choices, item.get("many", False))
        if fault := _choices_fault(made):
            raise self._error(item.lines["default" if fault.code == "default_no_choice" else "choices"], fault)
        return made

    def _choice(self, item: _Mapping) -> Choice:
        self._refuse_unknown(item, ("value", "label", "text"))
        return Choice(self._word(item, "value", ""), self._labels(item, "label"), self._word(item, "text", "") or None)

    def _refuse_unknown(self, holder: _Mapping, known: Sequence[str]) -> None:
        for key, line in holder.lines.items():
            if key not in known:
                names = ", ".join(known)
                why = f"{_short(key)} is not known; use {names}"
                raise self._error(line, _fault("unknown_key", why, key=_short(key), known=names))

    def _items(self, holder: _Mapping, key: str) -> list[_Mapping]:
        found = holder.get(key) or []
        if not isinstance(found, list) or not all(isinstance(item, _Mapping) for item in found):
            raise self._error(holder.lines[key], _fault("no_list", f"{key} must be a list of `- key: value`", key=key))
        return found

    def _labels(self, holder: _Mapping, key: str) -> dict[str, str]:
        found = holder.get(key) or {}
        if not isinstance(found, dict) or not all(isinstance(word, str) for word in found.values()):
            why = f"{key} must have words by language: {{en: ..., zh: ...}}"
            raise self._error(holder.lines[key], _fault("no_labels", why, key=key))
        return dict(found)

    def _word(self, holder: _Mapping, key: str, default: str) -> str:
        found = holder.get(key, default)
        if not isinstance(found, str):
            raise self._error(holder.lines[key], _quotes(found))
        return found

    def _checked(self, key: str, check: Callable[[Any], T], value: Any) -> T:
        try:
            return check(value)
        except BadInput as error:
            raise self._at(key, Fault(error.code, error.message, error.details)) from error

    def _at(self, key: str, fault: Fault) -> BadInput:
        return _broken(self._file, self.line_of(key), fault)

    def _error(self, line: int, fault: Fault) -> BadInput:
        return _broken(self._file, line + 2, fault)


def check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise BadInput(
            "template_bad_name",
            f"{name!r} cannot be the name of a template.",
            "Use small letters, digits and _, a letter first, at most 41 characters.",
            name=name,
        )


def checked_titles(titles: Mapping[str, str]) -> dict[str, str]:
    kept = {language: title.strip() for language, title in titles.items() if title.strip()}
    if not kept or any(len(title) > 200 or _HALF.search(title) for title in kept.values()):
        raise BadInput("template_bad_title", "A template needs a title, of at most 200 characters.", "Type one.")
    return kept


def checked_descriptions(descriptions: Mapping[str, str]) -> dict[str, str]:
    kept = {language: words.strip() for language, words in descriptions.items() if words.strip()}
    if any(len(words) > MAX_DESCRIPTION or _HALF.search(words) for words in kept.values()):
        raise BadInput(
            "template_bad_description",
            f"A description has at most {MAX_DESCRIPTION} characters.",
            "Shorten it.",
            limit=MAX_DESCRIPTION,
        )
    return kept


def checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Each once, without blanks around it, in the order given."""
    right = isinstance(tags, list | tuple) and all(isinstance(tag, str) for tag in tags)
    kept = tuple(dict.fromkeys(tag.strip() for tag in tags if tag.strip())) if right else ()
    if not right or len(kept) > MAX_TAGS or any(len(tag) > 40 or _HALF.search(tag) for tag in kept):
        raise BadInput(
            "template_bad_tags",
            f"Tags are at most {MAX_TAGS} words of at most 40 characters.",
            "Leave some out, or shorten them.",
            limit=MAX_TAGS,
        )
    return kept


def checked_variables(variables: Sequence[Variable]) -> tuple[Variable, ...]:
    """Variables that did not come from a file, which is checked line by line."""
    seen: set[str] = set()
    for one in variables:
        if not _NAME.fullmatch(one.name) or one.name in seen:
            why = "a name is small letters, digits and _, and stands there once"
            raise _bad_variable(one.name, _fault("variable_name_once", why))
        if fault := _choices_fault(one):
            raise _bad_variable(one.name, fault)
        labels = [*one.label.values(), *(word for choice in one.choices for word in choice.label.values())]
        words = [*labels, one.default or "", *(c.value + (c.text or "") for c in one.choices)]
        if len(one.choices) > MAX_CHOICES:
            why = f"it has more than {MAX_CHOICES} choices"
            raise _bad_variable(one.name, _fault("too_many_choices", why, limit=MAX_CHOICES))
        if any(len(word) > MAX_WORD or _HALF.search(word) for word in words):
            why = f"none of its words may be longer than {MAX_WORD} characters"
            raise _bad_variable(one.name, _fault("word_too_long", why, limit=MAX_WORD))
        seen.add(one.name)
    return tuple(variables)


def _choices_fault(variable: Variable) -> Fault | None:
    values = [choice.value for choice in variable.choices]
    if not all(value.strip() for value in values):
        return _fault("choice_empty", "a choice needs a value")
    if len(set(values)) < len(values):
        twice = _short(next(value for value in values if values.count(value) > 1))
        return _fault("choice_twice", f"the choice {twice} stands there twice", value=twice)
    if values and variable.default is not None and variable.default not in values:
        default = _short(variable.default)
        return _fault("default_no_choice", f"{default} is not among the choices", value=default)
    return None


def _bad_variable(name: str, fault: Fault) -> BadInput:
    return BadInput(
        "template_bad_variable",
        f"The variable {name[:60]!r} cannot be used: {fault.message}.",
        "Correct it.",
        name=name[:60],
        reason=fault.message,
        fault={"code": fault.code, "details": fault.details},
    )


def checked_note(note: str) -> str:
    if len(note) > MAX_NOTE or _HALF.search(note):
        raise BadInput("template_bad_note", f"A note has at most {MAX_NOTE} characters.", "Shorten it.", limit=MAX_NOTE)
    return note.strip()


def checked_text(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip() or len(text) > MAX_TEXT:
        raise BadInput(
            "template_bad_text",
            f"The wording must have 1 to {MAX_TEXT} characters; this has {len(text)}.",
            "Type what the model is to be asked.",
            length=len(text),
            limit=MAX_TEXT,
        )
    if _HALF.search(text):
        raise BadInput("template_half_character", "The wording holds half a character.", "Type it again.")
    return text


def checked_task(task: Task | str) -> Task:
    try:
        return Task(task)
    except ValueError as error:
        known = ", ".join(Task)
        raise BadInput(
            "template_bad_task", f"{task!r} is not a task.", f"Use one of: {known}.", task=str(task), known=known
        ) from error


def checked_sampling(sampling: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(sampling, Mapping):
        raise BadInput(
            "template_bad_sampling",
            "sampling must be settings with numbers.",
            "Write it as temperature: 0.",
            setting="sampling",
        )
    return {key: _checked_setting(key, value) for key, value in sampling.items()}


def _checked_setting(key: str, value: Any) -> float:
    kind, least, most = SAMPLING.get(key, (None, 0, 0))
    whole = isinstance(value, int) and not isinstance(value, bool)
    if kind is not None and (whole or (kind is float and isinstance(value, float))) and least <= value <= most:
        return value
    wanted = f"{key} from {least} to {most}" if kind else ", ".join(SAMPLING)
    raise BadInput(
        "template_bad_sampling",
        f"Sampling cannot have {key} = {value!r}.",
        f"Use {wanted}.",
        setting=key,
        value=str(value),
        wanted=wanted,
    )


def check_placeholders(template: PromptTemplate) -> None:
    unknown = [name for name in template.placeholders if name not in {v.name for v in template.variables}]
    if unknown:
        known = ", ".join(v.name for v in template.variables)
        raise BadInput(
            "template_unknown_placeholder",
            f"Nothing says what {{{{{unknown[0]}}}}} in the wording stands for.",
            f"Use the variables of the template ({known or 'it has none'}), or write the words themselves.",
            placeholder=unknown[0],
            known=known,
        )


def _check_file_placeholders(template: PromptTemplate, file: str, first_line: int, variables_line: int) -> None:
    """`first_line`: 1-based line of the file on which the wording begins."""
    try:
        check_placeholders(template)
    except BadInput as error:
        name = error.details["placeholder"]
        line = next(
            n for n, words in enumerate(template.text.split("\n")) if re.search(rf"{{{{\s*{name}\s*}}}}", words)
        )
        raise _broken(file, first_line + line, Fault(error.code, error.message, error.details)) from error
    unused = [v.name for v in template.variables if v.name not in template.placeholders]
    if unused:
        why = f"variable {unused[0]} is not used in the wording"
        raise _broken(file, variables_line, _fault("variable_unused", why, name=unused[0]))


def _variable_dict(variable: Variable) -> dict[str, Any]:
    made: dict[str, Any] = {"name": variable.name, "label": variable.label}
    if variable.default is not None:
        made["default"] = variable.default
    if variable.many:
        made["many"] = True
    if variable.choices:
        made["choices"] = [_choice_dict(choice) for choice in variable.choices]
    return made


def _choice_dict(choice: Choice) -> dict[str, Any]:
    made = {"value": choice.value, "label": choice.label}
    return made if choice.text is None else {**made, "text": choice.text}


def _fault(code: str, message: str, **details: Any) -> Fault:
    return Fault(code, message, details)


def _not_yaml(problem: str) -> Fault:
    return _fault("not_yaml", problem[:MAX_TOLD])


def _quotes(found: Any) -> Fault:
    return _fault("quotes", f"{_short(found)} must be in quotes", found=_short(found))


def _yes_or_no(key: str) -> Fault:
    return _fault("yes_or_no", f"{key} is true or false", key=key)


def _short(found: Any) -> str:
    """As it may stand in a sentence, however long it is."""
    told = repr(found)
    return told if len(told) <= MAX_TOLD else f"{told[:MAX_TOLD]}…"


def _broken(file: str, line: int, fault: Fault) -> BadInput:
    reason = fault.message.removesuffix(".")
    return BadInput(
        "template_broken",
        f"{file}, line {line}: {reason}.",
        "Mend the file; all other templates work.",
        file=file,
        line=line,
        reason=reason,
        fault={"code": fault.code, "details": fault.details},
    )
