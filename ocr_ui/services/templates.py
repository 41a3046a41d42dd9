"""The prompt templates of one installation, and the variables that a person gives them.

Own templates stand in the store, each version for ever. The version in use is a file in the prompts folder of the data
folder too: what somebody changes there, or puts there, is taken in as a version at the next look. An own template may
have the name of one of the product and stands in for it then.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ocr_ui.domain.access import Action
from ocr_ui.domain.person import Person
from ocr_ui.domain.prompt import PromptTemplate, Task, Variable
from ocr_ui.errors import BadInput, Conflict
from ocr_ui.prompt_files import (
    SAMPLING,
    TemplateFile,
    check_name,
    check_placeholders,
    checked_descriptions,
    checked_note,
    checked_sampling,
    checked_tags,
    checked_task,
    checked_text,
    checked_titles,
    checked_variables,
    dump_template,
    load_template,
)
from ocr_ui.prompting import (
    BUILTIN,
    PromptFolder,
    PromptLibrary,
    SeenFile,
    TemplateVersion,
    in_order,
    split_version,
    template_not_found,
    text_sha256,
    used_variables,
    version_not_found,
    write_atomically,
)
from ocr_ui.services.access import needs, who
from ocr_ui.settings import Settings
from ocr_ui.storage.records import StoredTemplate, StoredWording
from ocr_ui.storage.store import Store

_DIGITS = re.compile(r"[0-9a-f]{12}")
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
_HAN = re.compile("[\u3400-\u9fff]")
_ALIKE = 0.2  # below that what two wordings share is chance


class Templates(PromptLibrary):
    """A library whose changes are a reviewer's, and deleting an administrator's.

    Args:
        builtin_dir: the templates of the product, only read.
        own_dir: where own templates are files too; made when the first one is saved.
    """

    def __init__(self, builtin_dir: Path, own_dir: Path, store: Store) -> None:
        super().__init__(builtin_dir)
        self._own, self._store = PromptFolder(own_dir, builtin=False), store
        self._taken: dict[str, tuple[tuple[int, int, int], str]] = {}
        self._saving = threading.RLock()

    def list(self) -> tuple[PromptTemplate, ...]:
        """Every template that can be used: the main ones, the product's others, then own ones, by name."""
        found = self._all()
        return tuple(found[name] for name in in_order(found, self._builtin.templates()))

    def problems(self) -> tuple[BadInput, ...]:
        """One error for each file, or wording in use, that cannot be used; the others work on."""
        return super().problems() + tuple({**self._unreadable(), **self._own.problems()}.values())

    def get(self, name: str, version: str | None = None) -> PromptTemplate:
        """As `PromptLibrary.get`. Versions of a template that was deleted are still found."""
        name, version = split_version(name, version)
        if version is not None:
            return self._version(name, version)
        found = self._all()
        if name not in found:
            problems = {**self._builtin.problems(), **self._own.problems()}
            raise problems.get(name) or template_not_found(name, found)
        return found[name]

    def versions(self, name: str) -> tuple[TemplateVersion, ...]:
        """All kept versions, the newest first, what comes with the product last. Raises as `get`.

        Args:
            name: of the template, or `name@version`, which makes no difference.
        """
        self._look()
        name, _ = split_version(name)
        builtin, stored = self._builtin.templates().get(name), self._store.templates.get(name)
        current = stored.current if stored and not stored.deleted else ""
        if not current and builtin is None:
            self.get(name)
        rows = [
            TemplateVersion(
                version=one.version,
                number=one.number,
                saved=_moment(one.created_at),
                person=one.person,
                note=one.note,
                current=one.version == current,
                from_file=one.from_file,
            )
            for one in self._store.templates.versions(name)
        ]
        if builtin is not None:
            rows.append(TemplateVersion(builtin.template.version, current=not current, builtin=True))
        return tuple(rows)

    @needs(Action.REVIEW, audited="template.add")
    def save_new(
        self,
        name: str,
        titles: Mapping[str, str],
        text: str,
        *,
        based_on: str | None = None,
        task: Task | str | None = None,
        sampling: Mapping[str, Any] | None = None,
        description: Mapping[str, str] | None = None,
        variables: Sequence[Variable] | None = None,
        structured: bool | None = None,
        tags: Sequence[str] | None = None,
        note: str = "",
        person: str = "",
    ) -> PromptTemplate:
        """Saves a template under a new name.

        What is not given comes from `based_on` (a name, or `name@version`), as far as the text still uses it.

        Raises:
            Conflict: `template_exists`.
            NotFound: there is no `based_on`.
            BadInput: the name, a title, the text, the task or the sampling cannot be used.
        """
        check_name(name)
        base = self.get(based_on) if based_on else PromptTemplate(name, {}, checked_task(task or Task.QA), text)
        made = replace(
            self._changed(base, text, task, sampling, variables, structured, base.variables),
            name=name,
            title=checked_titles(titles),
            description=checked_descriptions(base.description if description is None else description),
            tags=checked_tags(base.tags if tags is None else tags),
        )
        with self._saving, self._store.transaction():
            if name in self._all() or name in self._own.problems():
                raise _exists(name)
            self._put(made, checked_note(note), who(person))
        return made

    @needs(Action.REVIEW, audited="template.save")
    def save_version(
        self,
        name: str,
        text: str,
        *,
        task: Task | str | None = None,
        sampling: Mapping[str, Any] | None = None,
        variables: Sequence[Variable] | None = None,
        structured: bool | None = None,
        note: str = "",
        person: str = "",
        expected: str | None = None,
    ) -> PromptTemplate:
        """Saves a new version, which is in use from now on. Variables that the text no longer uses are dropped.

        A version of a template of the product becomes an own template that stands in for it.

        Args:
            expected: the version that the person started from; a Conflict is raised where another is in use by now.

        Raises:
            NotFound, BadInput, Conflict (`template_changed`).
        """
        with self._saving, self._store.transaction():
            self._refuse_unwritable(name)
            now = self.get(name)
            if expected is not None and expected != now.version:
                raise Conflict(
                    "template_changed",
                    f"Somebody else has saved a version of {name} in the meantime.",
                    "Look at it and save again, or save yours under a new name; nothing is lost.",
                    name=name,
                    version=now.version,
                )
            made = self._changed(now, text, task, sampling, variables, structured, self._all_variables(now))
            self._put(made, checked_note(note), who(person))
        return made

    @needs(Action.REVIEW, audited="template.describe")
    def describe(
        self,
        name: str,
        *,
        titles: Mapping[str, str] | None = None,
        description: Mapping[str, str] | None = None,
        tags: Sequence[str] | None = None,
    ) -> PromptTemplate:
        """Changes what people read of a template, which is no version of it. Of one of the product only the tags can be
        changed.

        Raises:
            NotFound, BadInput (`template_builtin`, and what cannot be used).
        """
        with self._saving, self._store.transaction():
            self._refuse_unwritable(name)
            now = self.get(name)
            made = replace(
                now,
                title=now.title if titles is None else checked_titles(titles),
                description=now.description if description is None else checked_descriptions(description),
                tags=now.tags if tags is None else checked_tags(tags),
            )
            if not now.builtin:
                row = self._store.templates.version(name, made.version)
                self._use(made, row)
            elif (made.title, made.description) != (now.title, now.description):
                raise _is_builtin(name)
            else:
                self._say(made)
        return made

    @needs(Action.REVIEW, audited="template.restore")
    def restore(self, name: str, version: str) -> PromptTemplate:
        """Puts a kept version in use again, also of a template that was deleted.

        Args:
            version: as `get` takes it.

        Raises:
            NotFound: no such template or version.
            BadInput: the own file cannot be read and would be lost.
        """
        with self._saving, self._store.transaction():
            self._refuse_unwritable(name)
            builtin = self._builtin.templates().get(name)
            if builtin is not None and version in (BUILTIN, builtin.template.version):
                self._own.path(name).unlink(missing_ok=True)
                if stored := self._store.templates.get(name):
                    self._say(replace(builtin.template, tags=stored.tags), current="", file_sha256="")
                return builtin.template
            stored, row = self._stored_version(name, version)
            made = self._filled(stored, row.content)
            self._use(made, row)
        return made

    @needs(Action.ADMIN, audited="template.delete")
    def delete(self, name: str) -> None:
        """Takes an own template out of use. Its versions stay, and `restore` brings it back.

        Raises:
            NotFound.
            BadInput: `template_builtin`.
        """
        with self._saving, self._store.transaction():
            if name in self._builtin.templates():
                raise _is_builtin(name)
            if name not in self._own.problems():
                self._refuse_unwritable(name)
                self.get(name)
            self._own.path(name).unlink(missing_ok=True)
            self._store.templates.delete(name)

    @needs(Action.REVIEW, audited="template.import", target=lambda file, _: file.template.name)
    def take(self, file: TemplateFile, person: str = "") -> tuple[PromptTemplate, str]:
        """A template from a file that was handed in: new, a version of the one of its name, or what is there already.

        Returns:
            It, and "new", "version" or "same".
        """
        made = replace(file.template, builtin=False)
        with self._saving, self._store.transaction():
            self._refuse_unwritable(made.name)
            now = self._all().get(made.name)
            if now is not None and replace(now, builtin=False) == made:
                return now, "same"
            self._put(made, file.note, who(person))
        return made, "new" if now is None else "version"

    def file(self, name: str, version: str | None = None) -> str:
        """A template as a file of the prompts folder. Raises as `get`."""
        name, version = split_version(name, version)
        template = self.get(name, version)
        row = None if template.builtin else self._store.templates.version(name, template.version)
        return _written(template, row)

    # Small parts

    def _all(self) -> dict[str, PromptTemplate]:
        self._look()
        found = {name: file.template for name, file in self._builtin.templates().items()}
        for row in self._store.templates.list():
            if row.deleted:
                continue
            if row.current:
                with contextlib.suppress(BadInput):  # `problems` tells of it
                    found[row.name] = self._filled(row, row.content)
            elif row.name in found:
                found[row.name] = replace(found[row.name], tags=row.tags)
        return found

    def _unreadable(self) -> dict[str, BadInput]:
        """Wordings in use that an earlier release took and this one cannot read."""
        found: dict[str, BadInput] = {}
        for row in self._store.templates.list():
            if row.current and not row.deleted:
                try:
                    _loaded(row.content, row.name)
                except BadInput as error:
                    found[row.name] = error
        return found

    def _filled(self, row: StoredTemplate, content: str) -> PromptTemplate:
        said = {"title": row.title, "description": row.description, "tags": row.tags}
        return replace(_loaded(content, row.name).template, **said)

    def _version(self, name: str, version: str) -> PromptTemplate:
        self._look()
        builtin = self._builtin.templates().get(name)
        if builtin is not None and version in (BUILTIN, builtin.template.version):
            return builtin.template
        stored, row = self._stored_version(name, version)
        return self._filled(stored, row.content)

    def _stored_version(self, name: str, version: str) -> tuple[StoredTemplate, StoredWording]:
        stored, row = self._store.templates.get(name), None
        if stored is None and name not in self._builtin.templates():
            raise template_not_found(name, self._all())
        if _DIGITS.fullmatch(version):
            row = self._store.templates.version(name, version)
        elif _NUMBER.fullmatch(version):
            row = self._store.templates.version(name, number=int(version))
        if stored is None or row is None:
            raise version_not_found(name, version)
        return stored, row

    def _changed(
        self,
        base: PromptTemplate,
        text: str,
        task: Task | str | None,
        sampling: Mapping[str, Any] | None,
        variables: Sequence[Variable] | None,
        structured: bool | None,
        known: Sequence[Variable],
    ) -> PromptTemplate:
        wanted = checked_task(task or base.task)
        held = base.structured if structured is None else structured
        made = replace(
            base,
            task=wanted,
            text=checked_text(text),
            variables=used_variables(known if variables is None else checked_variables(variables), text),
            sampling=checked_sampling(base.sampling if sampling is None else sampling),
            builtin=False,
            structured=held and wanted is Task.FIELDS,
        )
        check_placeholders(made)
        return made

    def _all_variables(self, now: PromptTemplate) -> tuple[Variable, ...]:
        """Of the version in use, then those that only the product's version has: an edit may bring them back."""
        builtin = self._builtin.templates().get(now.name)
        known = {variable.name: variable for variable in builtin.template.variables} if builtin else {}
        return tuple({**known, **{v.name: v for v in now.variables}}.values())

    def _refuse_unwritable(self, name: str) -> None:
        """A kept version cannot be changed, and the file of a template that cannot be read would be lost."""
        if "@" in name:
            bare, version = split_version(name)
            raise BadInput(
                "template_version_fixed",
                f"{name[:80]} is a kept version, which stays as it is.",
                f"Write to {bare[:41]}, or restore the version first.",
                name=bare[:41],
                version=(version or "")[:40],
            )
        self._look()
        if problem := self._own.problems().get(name):
            raise problem

    def _put(self, made: PromptTemplate, note: str, person: Person | None) -> None:
        """Keeps a version and puts it in use."""
        self._say(made)
        self._keep(made, note, person)
        self._use(made, self._store.templates.version(made.name, made.version))

    def _keep(self, made: PromptTemplate, note: str, person: Person | None = None, **more: Any) -> None:
        content = dump_template(replace(made, tags=()))
        self._store.templates.keep(made.name, made.version, content, note, person, **more)

    def _use(self, made: PromptTemplate, row: StoredWording | None) -> None:
        """Puts a version in use; its file last, so that nothing is written that the store does not have."""
        content = _written(made, row)
        self._say(made, current=made.version, file_sha256=text_sha256(content))
        write_atomically(self._own.path(made.name), content)

    def _say(self, made: PromptTemplate, **more: str) -> None:
        said = {"title": made.title, "description": made.description, "tags": made.tags}
        self._store.templates.put(made.name, **said, **more)

    # The prompts folder

    def _look(self) -> None:
        """Takes in what has changed in the folder since the last look."""
        for name, seen in self._own.look().items():
            if isinstance(seen.found, BadInput) or self._taken.get(name) == (seen.stamp, seen.sha256):
                continue
            with self._saving, self._store.transaction():
                self._take_in(name, seen, seen.found)
            self._taken[name] = seen.stamp, seen.sha256

    def _take_in(self, name: str, seen: SeenFile, file: TemplateFile) -> None:
        row = self._store.templates.get(name)
        if row is not None and row.file_sha256 == seen.sha256:
            return
        changed = datetime.fromtimestamp(seen.stamp[0] / 1e9, UTC)
        known = row and self._store.templates.version(name, file.template.version)
        if row and known and changed <= row.changed_at:
            # Left from before: a folder that was restored from a copy, or a file that another process is about to
            # replace, for example. So is what a program sets back within one tick of the file system after a save: no
            # time tells the two apart.
            return
        self._say(file.template)
        if row is None:
            self._take_history(name)
        # A file that was edited still says when and why the version before it was saved.
        before = self._store.templates.version(name, row.current) if row else None
        note = "" if before is not None and before.note == file.note else file.note
        at = changed if before is not None else _parsed(file.saved)
        self._keep(file.template, note, from_file=True, at=at)
        self._say(file.template, current=file.template.version, file_sha256=seen.sha256)

    def _take_history(self, name: str) -> None:
        """Versions that stand in the folder as files: where earlier releases kept them."""
        files = PromptFolder(self._own.folder / "versions" / name, builtin=False).read(name)
        for file in sorted(files, key=lambda file: file.saved):
            self._keep(file.template, file.note, from_file=True, at=_parsed(file.saved))


def open_templates(settings: Settings, store: Store) -> Templates:
    """The templates that come with the product, and own ones.

    They are read and written at once: call from a thread, as handlers that are no coroutines are.

    Raises:
        BadInput: `no_templates`, where the folder of those of the product has none.
    """
    made = Templates(settings.prompts_dir, _own_dir(settings), store)
    if not made.builtin():
        folder = str(settings.prompts_dir)
        raise BadInput(
            "no_templates", f"There are no templates in {folder}.", "Correct OCR_UI_PROMPTS_DIR.", folder=folder
        )
    return made


def find_template(settings: Settings, name: str) -> PromptTemplate:
    """A template for a command that needs no store otherwise: none is made where there is none. Raises as `get`."""
    builtin = PromptLibrary(settings.prompts_dir)
    if not _own_dir(settings).is_dir() and not Store.is_at(settings):
        return builtin.get(name)
    with Store.open(settings) as store:
        return open_templates(settings, store).get(name)


def official_of(template: PromptTemplate, builtin: Iterable[PromptTemplate]) -> str | None:
    """The template of the product whose wording for the same task this one has, whatever its blanks are called; None
    where it deviates from all."""
    return next((one.name for one in builtin if (one.task, one.bare) == (template.task, template.bare)), None)


def nearest_official(template: PromptTemplate, builtin: Iterable[PromptTemplate]) -> PromptTemplate | None:
    """The template of the product that a wording deviates from: of the same writing, the one that is most alike. None
    where it deviates from none, and for questions, which have no official wording."""
    known = tuple(builtin)
    if template.task is Task.QA or official_of(template, known) is not None:
        return None

    def likeness(one: PromptTemplate) -> tuple[bool, float]:
        alike = difflib.SequenceMatcher(None, one.bare, template.bare, autojunk=False).ratio()
        return bool(_HAN.search(one.bare)) is bool(_HAN.search(template.bare)), alike if alike >= _ALIKE else 0

    return max((one for one in known if one.task is template.task), key=likeness, default=None)


def sampling_limits() -> dict[str, dict[str, Any]]:
    """What a template may set, each with its least and greatest value and whether it is a whole number."""
    return {
        name: {"least": least, "most": most, "whole": kind is int} for name, (kind, least, most) in SAMPLING.items()
    }


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


def _own_dir(settings: Settings) -> Path:
    return settings.data_dir / "prompts"


@functools.lru_cache(maxsize=2_000)
def _loaded(content: str, name: str) -> TemplateFile:
    return load_template(content, f"{name}.md", name, builtin=False)


def _written(template: PromptTemplate, row: StoredWording | None) -> str:
    return dump_template(template, _moment(row.created_at), row.note) if row else dump_template(template)


def _moment(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds")


def _parsed(saved: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(saved)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _exists(name: str) -> Conflict:
    return Conflict(
        "template_exists",
        f"There is a template named {name} already.",
        "Choose another name, or save this as a new version of it.",
        name=name,
    )


def _is_builtin(name: str) -> BadInput:
    return BadInput(
        "template_builtin",
        f"The template {name} comes with the product and stays as it is.",
        "Duplicate it, or save a version of your own that stands in for it.",
        name=name,
    )
