"""Templates handed in and out as files, as they stand in `prompts/`."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ocr_ui.domain.access import Action
from ocr_ui.errors import BadInput, Conflict, TooLarge, WorkbenchError
from ocr_ui.prompt_files import MAX_FILE, TemplateFile, load_template, template_text
from ocr_ui.services.access import needs
from ocr_ui.services.archives import is_archive, look_through, reading, unpacking
from ocr_ui.services.templates import Templates

MOST_FILES = 500
MOST_BYTES = 20_000_000
"""Of what an archive unpacks to."""
ENDING = ".md"


@dataclass(frozen=True, slots=True)
class Handed:
    """A file as it came in. Attributes: name: its path where it came from; never used as a path here."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a file.

    Attributes:
        template: its name; "" where it could not be read.
        outcome: "new", "version", "same" or "refused".
        error: why it was refused.
    """

    file: str
    template: str
    outcome: str
    error: WorkbenchError | None = None


class TemplateFiles:
    def __init__(self, templates: Templates) -> None:
        self._templates = templates

    @needs(Action.REVIEW)
    def take(self, handed: Iterable[Handed], person: str = "") -> list[Taken]:
        """Takes in template files and zip archives of them; one that is broken keeps no other away.

        Raises:
            TooLarge: `too_many_templates`.
        """
        files: list[Handed | Taken] = []
        for one in handed:
            files += _opened(one)
        if len(files) > MOST_FILES:
            raise TooLarge(
                "too_many_templates",
                f"{len(files)} files are more than {MOST_FILES}.",
                "Hand them in in parts.",
                count=len(files),
                limit=MOST_FILES,
            )
        return [one if isinstance(one, Taken) else self._take(one, person) for one in files]

    def _take(self, one: Handed, person: str) -> Taken:
        name = PurePosixPath(one.name.replace("\\", "/")).name[:200]
        try:
            file = _read(one.data, name)
            template, outcome = self._templates.take(file, person)
        except (BadInput, Conflict) as error:
            return Taken(name, "", "refused", error)
        return Taken(name, template.name, outcome)

    @needs(Action.READ)
    def pack(self) -> bytes:
        """A zip of all own templates as they are in use. Raises BadInput (`no_own_templates`)."""
        own = [template.name for template in self._templates.list() if not template.builtin]
        if not own:
            raise BadInput("no_own_templates", "There is no own template yet.", "Duplicate one of the product first.")
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in own:
                archive.writestr(f"{name}{ENDING}", self._templates.file(name))
        return packed.getvalue()


def _read(data: bytes, name: str) -> TemplateFile:
    if not name.lower().endswith(ENDING):
        raise BadInput("not_a_template", f"{name} is no template file.", f"Its name must end in {ENDING}.", file=name)
    return load_template(template_text(data, name), name, None, builtin=False)


def _opened(one: Handed) -> Iterator[Handed | Taken]:
    """The file itself, or those of an archive."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "handed"
        path.write_bytes(one.data)
        if not is_archive(path):
            yield one
            return
        try:
            entries = look_through(path, MOST_FILES, MOST_BYTES)
            with unpacking(path) as archive:
                for entry in entries:
                    if entry.name.lower().endswith(ENDING):
                        with reading(archive, entry) as data:
                            yield Handed(entry.name, data.read(MAX_FILE + 1))
        except (BadInput, TooLarge) as error:
            yield Taken(one.name[:200], "", "refused", error)
