"""Prompt templates as files: those of the product, and any other folder of them, where a change is seen at once."""

from __future__ import annotations

import difflib
import hashlib
import os
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ocr_ui.domain.prompt import PromptTemplate, Task, Variable
from ocr_ui.errors import BadInput, NotFound
from ocr_ui.prompt_files import TemplateFile, load_template, printable, read_template_text

MAIN = ("full_text", "fields", "translate", "qa", "document", "table", "formula", "chart", "layout", "subtitles")
"""The templates that are listed first, in this order."""

BUILTIN = "builtin"
"""Stands in the place of a version for the wording that comes with the product."""

_COARSEST_TICK_NS = 2_000_000_000
"""FAT keeps times of two seconds."""


@dataclass(frozen=True, slots=True)
class TemplateVersion:
    """One kept version of a template.

    Attributes:
        version: twelve hex digits, `PromptTemplate.version`.
        number: 1 for the first that was saved; 0 for what comes with the product.
        saved: when, ISO 8601 in UTC; empty for what comes with the product.
        person: who saved it, "" where nobody gave a name.
        note: what the person said about it.
        current: this one is in use.
        builtin: comes with the product.
        from_file: it was a file in the prompts folder.
    """

    version: str
    number: int = 0
    saved: str = ""
    person: str = ""
    note: str = ""
    current: bool = False
    builtin: bool = False
    from_file: bool = False


class PromptLibrary:
    """The templates that come with the product. A change on disk is seen at the next call."""

    def __init__(self, builtin_dir: Path) -> None:
        self._builtin = PromptFolder(builtin_dir, builtin=True)

    def list(self) -> tuple[PromptTemplate, ...]:
        """Every template that can be used: the main ones, the product's others, then own ones, by name."""
        return self.builtin()

    def builtin(self) -> tuple[PromptTemplate, ...]:
        """Those of the product as they come, whatever stands in for them: the official wordings."""
        found = self._builtin.templates()
        return tuple(found[name].template for name in in_order(found, found))

    def problems(self) -> tuple[BadInput, ...]:
        """One error for each file that cannot be used; the others work on."""
        return tuple(self._builtin.problems().values())

    def get(self, name: str, version: str | None = None) -> PromptTemplate:
        """The template in use, or a kept version of it.

        Args:
            name: of the template, or `name@version`.
            version: its twelve digits, its number, or BUILTIN.

        Raises:
            NotFound: no such template (the hint names similar ones) or version.
            BadInput: its file is broken.
        """
        name, version = split_version(name, version)
        found = self._builtin.templates()
        if name not in found:
            raise self._builtin.problems().get(name) or template_not_found(name, found)
        template = found[name].template
        if version not in (None, BUILTIN, template.version):
            raise version_not_found(name, version)
        return template


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file of a folder as it was last looked at.

    Attributes:
        stamp: changes when the file does; its first part is the time of the change, in nanoseconds.
        sha256: of its text, "" where it could not be read.
        found: what stands in it, or what is wrong with it.
    """

    stamp: tuple[int, int, int]
    sha256: str
    found: TemplateFile | BadInput


class PromptFolder:
    """The templates of one folder, each read again only when its file has changed."""

    def __init__(self, folder: Path, builtin: bool) -> None:
        self.folder = folder
        self._is_builtin = builtin
        self._seen: dict[str, SeenFile] = {}

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.md"

    def templates(self) -> dict[str, TemplateFile]:
        return {name: one.found for name, one in self.look().items() if isinstance(one.found, TemplateFile)}

    def problems(self) -> dict[str, BadInput]:
        return {name: one.found for name, one in self.look().items() if isinstance(one.found, BadInput)}

    def read(self, name: str) -> list[TemplateFile]:
        """All files as templates of one name, whatever the files are called; broken ones are left out."""
        return [one.found for one in self.look(name).values() if isinstance(one.found, TemplateFile)]

    def look(self, name: str | None = None) -> dict[str, SeenFile]:
        """All files as they are now, by their names without ending. Args: name: of all templates, see `read`."""
        seen: dict[str, SeenFile] = {}
        for path in sorted(self.folder.glob("*.md")) if self.folder.is_dir() else []:
            stamp, known = _stamp(path), self._seen.get(path.stem)
            if stamp is not None:
                fresh = known is None or known.stamp != stamp or _may_change_unseen(stamp)
                seen[path.stem] = self._load(path, name or path.stem, stamp) if fresh else known
        self._seen = seen
        return seen

    def _load(self, path: Path, name: str, stamp: tuple[int, int, int]) -> SeenFile:
        sha256, file = "", printable(path.name)
        try:
            text = read_template_text(path)
            sha256 = text_sha256(text)
            return SeenFile(stamp, sha256, load_template(text, file, printable(name), self._is_builtin))
        except BadInput as error:
            return SeenFile(stamp, sha256, error)


def text_sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write_atomically(path: Path, content: str) -> None:
    """Writes a file that is either the old one or wholly the new one, whatever happens in between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def split_version(name: str, version: str | None = None) -> tuple[str, str | None]:
    """`name@version` in its two parts, unless the version is given by itself."""
    bare, at, after = name.partition("@")
    return (bare, after) if at and version is None else (name, version)


def in_order(names: Iterable[str], builtin: Iterable[str]) -> list[str]:
    """The main templates, the product's others, then own ones, by name."""
    known = set(builtin)
    return sorted(names, key=lambda name: (_rank(name), name not in known, name))


def used_variables(variables: Sequence[Variable], text: str) -> tuple[Variable, ...]:
    """Those that have a blank in the text."""
    names = PromptTemplate("", {}, Task.QA, text).placeholders
    return tuple(variable for variable in variables if variable.name in names)


def template_not_found(name: str, known: Iterable[str]) -> NotFound:
    known = sorted(set(known))
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    return NotFound(
        "template_not_found",
        f"There is no template named {name!r}.",
        f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(known)}.",
        name=name,
        near=", ".join(near),
        known=", ".join(known),
    )


def version_not_found(name: str, version: str) -> NotFound:
    return NotFound(
        "template_version_not_found",
        f"Template {name} has no version {version[:40]}.",
        "Choose one from the list of its versions.",
        name=name,
        version=version[:40],
    )


def _rank(name: str) -> int:
    return MAIN.index(name) if name in MAIN else len(MAIN)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """What changes when a file does; None where it has just gone."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    except OSError:
        stat = path.lstat()  # a link in a circle, for example: reading it says what is wrong
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _may_change_unseen(stamp: tuple[int, int, int]) -> bool:
    """Whether another write of the same length, at the same tick of the file system, would leave the stamp as it is."""
    return time.time_ns() - stamp[0] < _COARSEST_TICK_NS
