"""The prompt templates: files of the product and own ones, each version kept.

Templates that come with the product are never written. An own file of the same name stands in for one of them until it
is restored. Every version that was ever saved stays under `<own folder>/versions/<name>/<version>.md`.
"""

from __future__ import annotations

import difflib
import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ocr_ui.domain.prompt import PromptTemplate, Task, Variable
from ocr_ui.errors import BadInput, Conflict, NotFound
from ocr_ui.prompt_files import (
    TemplateFile,
    check_name,
    check_placeholders,
    checked_note,
    checked_sampling,
    checked_task,
    checked_text,
    checked_titles,
    dump_template,
    load_template,
    read_template_text,
)

MAIN = ("full_text", "fields", "translate", "qa", "document", "table", "formula", "chart", "layout", "subtitles")
"""The templates that are listed first, in this order."""

_VERSION = re.compile(r"[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class TemplateVersion:
    """One kept version of a template.

    Attributes:
        version: twelve hex digits, `PromptTemplate.version`.
        saved: when, ISO 8601 in UTC; empty for what comes with the product.
        note: what the person said about it.
        current: this one is in use.
        builtin: comes with the product.
    """

    version: str
    saved: str = ""
    note: str = ""
    current: bool = False
    builtin: bool = False


class PromptLibrary:
    """All templates of two folders. A change on disk is seen at the next call.

    Args:
        builtin_dir: the templates of the product, only read.
        own_dir: own templates and versions; made when the first one is saved.
        now: the clock.
    """

    def __init__(
        self, builtin_dir: Path, own_dir: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._builtin = _Folder(builtin_dir, builtin=True)
        self._own = _Folder(own_dir, builtin=False)
        self._now = now
        self._saving = threading.Lock()

    def list(self) -> tuple[PromptTemplate, ...]:
        """Every template that can be used: the main ones, the product's others, then own ones, by name."""
        builtin, own = self._builtin.templates(), self._own.templates()
        names = sorted({**builtin, **own}, key=lambda name: (_rank(name), name not in builtin, name))
        return tuple((own.get(name) or builtin[name]).template for name in names)

    def problems(self) -> tuple[BadInput, ...]:
        """One error for each file that cannot be used; the others work on."""
        return tuple(self._builtin.problems().values()) + tuple(self._own.problems().values())

    def get(self, name: str, version: str | None = None) -> PromptTemplate:
        """The template in use, or a kept version of it.

        Raises:
            NotFound: no such template (the hint names similar ones) or version.
            BadInput: its file is broken.
        """
        file = self._current(name)
        if version is None or version == file.template.version:
            return file.template
        return self._kept(name, version).template

    def versions(self, name: str) -> tuple[TemplateVersion, ...]:
        """All kept versions, the newest first, what comes with the product last.

        Raises:
            NotFound, BadInput: as `get`.
        """
        current = self._current(name).template
        builtin = self._builtin.templates().get(name)
        files = {file.template.version: file for file in _Folder(self._folder_of(name), builtin=False).read(name)}
        if not current.builtin:
            files.setdefault(current.version, self._current(name))
        rows = [
            TemplateVersion(version, file.saved, file.note, version == current.version and not current.builtin)
            for version, file in sorted(files.items(), key=lambda item: (item[1].saved, item[0]), reverse=True)
        ]
        if builtin is not None:
            rows.append(TemplateVersion(builtin.template.version, current=current.builtin, builtin=True))
        return tuple(rows)

    def save_new(
        self,
        name: str,
        titles: Mapping[str, str],
        text: str,
        *,
        based_on: str | None = None,
        task: Task | str | None = None,
        sampling: Mapping[str, Any] | None = None,
        note: str = "",
    ) -> PromptTemplate:
        """Saves a template under a new name.

        Task, sampling, description and the variables that the text still uses come from `based_on` where they are
        not given.

        Raises:
            Conflict: the name is taken.
            NotFound: there is no `based_on`.
            BadInput: the name, a title, the text, the task or the sampling cannot be used.
        """
        check_name(name)
        base = self.get(based_on) if based_on else PromptTemplate(name, {}, checked_task(task or Task.QA), text)
        wanted = checked_task(task or base.task)
        made = replace(
            base,
            name=name,
            title=checked_titles(titles),
            task=wanted,
            text=checked_text(text),
            variables=_used(base.variables, text),
            sampling=checked_sampling(base.sampling if sampling is None else sampling),
            builtin=False,
            structured=base.structured and wanted is Task.FIELDS,
        )
        check_placeholders(made)
        with self._saving:
            if name in {**self._builtin.templates(), **self._own.templates(), **self._own.problems()}:
                raise Conflict(
                    "template_exists",
                    f"There is a template named {name} already.",
                    "Choose another name, or save this as a new version of it.",
                    name=name,
                )
            self._write(made, note)
        return made

    def save_version(
        self,
        name: str,
        text: str,
        *,
        sampling: Mapping[str, Any] | None = None,
        note: str = "",
        expected: str | None = None,
    ) -> PromptTemplate:
        """Saves a new version, which is in use from now on. Variables that the text no longer uses are dropped.

        A version of a template of the product becomes an own file that stands in for it.

        Args:
            expected: the version that the person started from; a Conflict is raised where another is in use by now.

        Raises:
            NotFound, BadInput, Conflict.
        """
        with self._saving:
            self._refuse_broken(name)
            file = self._current(name)
            if expected is not None and expected != file.template.version:
                raise Conflict(
                    "template_changed",
                    f"Somebody else has saved a version of {name} in the meantime.",
                    "Look at it and save again, or save yours under a new name; nothing is lost.",
                    name=name,
                    version=file.template.version,
                )
            made = replace(
                file.template,
                text=checked_text(text),
                variables=_used(self._all_variables(name), text),
                sampling=checked_sampling(file.template.sampling if sampling is None else sampling),
                builtin=False,
            )
            check_placeholders(made)
            self._keep(file)
            self._write(made, note)
        return made

    def restore(self, name: str, version: str) -> PromptTemplate:
        """Puts a kept version in use again; the one in use stays among the kept ones.

        Raises:
            NotFound: no such template or version.
            BadInput: the own file cannot be read and would be lost.
        """
        with self._saving:
            self._refuse_broken(name)
            self._keep(self._current(name))
            builtin = self._builtin.templates().get(name)
            if builtin is not None and version == builtin.template.version:
                self._own.path(name).unlink(missing_ok=True)
                return builtin.template
            file = self._kept(name, version)
            write_atomically(self._own.path(name), dump_template(file.template, file.saved, file.note))
            return file.template

    def _current(self, name: str) -> TemplateFile:
        builtin, own = self._builtin.templates(), self._own.templates()
        file = own.get(name) or builtin.get(name)
        if file is not None:
            return file
        problem = self._own.problems().get(name) or self._builtin.problems().get(name)
        if problem is not None:
            raise problem
        raise _not_found(name, (*builtin, *own))

    def _kept(self, name: str, version: str) -> TemplateFile:
        builtin = self._builtin.templates().get(name)
        if builtin is not None and builtin.template.version == version:
            return builtin
        path = self._folder_of(name) / f"{version}.md"
        if not _VERSION.fullmatch(version) or not path.is_file():
            raise NotFound(
                "template_version_not_found",
                f"Template {name} has no version {version}.",
                "Choose one from the list of its versions.",
                name=name,
                version=version,
            )
        return load_template(read_template_text(path), path.name, name, builtin=False)

    def _all_variables(self, name: str) -> tuple[Variable, ...]:
        """Of the version in use, then those that only the product's version has: an edit may bring them back."""
        builtin = self._builtin.templates().get(name)
        known = {variable.name: variable for variable in builtin.template.variables} if builtin else {}
        return tuple({**known, **{v.name: v for v in self._current(name).template.variables}}.values())

    def _refuse_broken(self, name: str) -> None:
        if problem := self._own.problems().get(name):
            raise problem

    def _folder_of(self, name: str) -> Path:
        check_name(name)
        return self._own.folder / "versions" / name

    def _keep(self, file: TemplateFile) -> None:
        """A version that was put there by hand is kept too before another takes its place."""
        path = self._folder_of(file.template.name) / f"{file.template.version}.md"
        if not file.template.builtin and not path.exists():
            write_atomically(path, dump_template(file.template, file.saved, file.note))

    def _write(self, template: PromptTemplate, note: str) -> None:
        """The kept version first: a crash in between leaves the old version in use and nothing half-written."""
        content = dump_template(template, self._now().isoformat(timespec="milliseconds"), checked_note(note))
        kept = self._folder_of(template.name) / f"{template.version}.md"
        if not kept.exists():
            write_atomically(kept, content)
        write_atomically(self._own.path(template.name), content)


class _Folder:
    """The templates of one folder, each read again only when its file has changed."""

    def __init__(self, folder: Path, builtin: bool) -> None:
        self.folder = folder
        self._is_builtin = builtin
        self._seen: dict[str, tuple[tuple[int, int, int], TemplateFile | BadInput]] = {}

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.md"

    def templates(self) -> dict[str, TemplateFile]:
        return {name: found for name, found in self._refresh().items() if isinstance(found, TemplateFile)}

    def problems(self) -> dict[str, BadInput]:
        return {name: found for name, found in self._refresh().items() if isinstance(found, BadInput)}

    def read(self, name: str) -> list[TemplateFile]:
        """All files as templates of one name, whatever the files are called; broken ones are left out."""
        return [file for file in self._refresh(name).values() if isinstance(file, TemplateFile)]

    def _refresh(self, name: str | None = None) -> dict[str, TemplateFile | BadInput]:
        seen: dict[str, tuple[tuple[int, int, int], TemplateFile | BadInput]] = {}
        paths = sorted(self.folder.glob("*.md")) if self.folder.is_dir() else []
        for path in paths:
            stamp, known = _stamp(path), self._seen.get(path.stem)
            if stamp is not None:
                fresh = known is None or known[0] != stamp
                seen[path.stem] = (stamp, self._load(path, name or path.stem)) if fresh else known
        self._seen = seen
        return {stem: found for stem, (_, found) in seen.items()}

    def _load(self, path: Path, name: str) -> TemplateFile | BadInput:
        try:
            return load_template(read_template_text(path), path.name, name, self._is_builtin)
        except BadInput as error:
            return error


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


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """What changes when a file does; None where it has just gone."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _rank(name: str) -> int:
    return MAIN.index(name) if name in MAIN else len(MAIN)


def _used(variables: Sequence[Variable], text: str) -> tuple[Variable, ...]:
    names = PromptTemplate("", {}, Task.QA, text).placeholders
    return tuple(variable for variable in variables if variable.name in names)


def _not_found(name: str, known: Iterable[str]) -> NotFound:
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
