"""`python -m ocr_ui batch`: many files, read and written; the same command goes on where it was interrupted."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ocr_ui.commands.access import as_console, note
from ocr_ui.commands.output import print_json, write_file
from ocr_ui.domain.counted import counted
from ocr_ui.domain.person import Person
from ocr_ui.errors import BadInput, Conflict, EngineFailed, NotFound
from ocr_ui.settings import Settings

KEPT = "batch.json"
"""In the folder of the results: which batch they are of."""
AT_ONCE = 50
"""Files that are handed in together."""
LOOK_SECONDS = 0.5


def add_batch(commands: Any) -> None:
    command = commands.add_parser(
        "batch",
        help="read many pictures, documents, folders and archives, and write what they say",
        description="Reads files in a batch of the data folder, as the Batch tab does, and writes the results to DIR. "
        "The same command goes on with a batch that was interrupted: no page is read twice.",
    )
    command.add_argument("files", type=Path, nargs="+", metavar="FILE", help="files, folders and zip archives")
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder to write to")
    command.add_argument("--template", default="full_text", metavar="NAME", help="as of recognize (full_text)")
    command.add_argument("--var", action="append", default=[], metavar="k=v", help="a variable of the template")
    command.add_argument("--engine", default="", metavar="NAME", help="the one of the settings, where it is left out")
    command.add_argument("--pages", default="", metavar="RANGES", help="of each document, as 1-3,7 or 5-")
    command.add_argument(
        "--format", action="append", default=[], metavar="FORMAT", help="as of export, several times (markdown, jsonl)"
    )
    command.add_argument("--retry-failed", action="store_true", help="read once more what failed before")
    command.add_argument("--person", default="", metavar="NAME", help="who asks")
    command.set_defaults(run=_batch)


def _batch(arguments: argparse.Namespace, settings: Settings) -> int:
    files = _told_apart(_found(arguments.files))
    if not files:
        raise BadInput("no_files", "There is no file.", "Name pictures, documents, folders or zip archives.")
    told = asyncio.run(_run(arguments, settings, files))
    print_json(told)
    return 1 if told["failed"] or not told["done"] else 0


async def _run(arguments: argparse.Namespace, settings: Settings, files: dict[str, Path]) -> dict[str, Any]:
    from ocr_ui.services.workbench import Workbench

    bench = Workbench.open(settings.model_copy(update={"batch_at_once": 1} if settings.batch_at_once == 0 else {}))
    try:
        formats = arguments.format or ["markdown", "jsonl"]
        for name in formats:
            bench.exporter.file_name(name)  # told before anything is read
        with as_console(bench.store):
            job = await _begun(bench, arguments)
            await _hand_in(bench, job, files)
        if arguments.retry_failed:
            await bench.jobs.retry(job)
        await bench.jobs.resume(job)
        bench.engines.start()
        bench.runner.start()
        progress = await _to_its_end(bench, job)
        written = formats if progress.totals.done else []
        if not written:
            sys.stderr.write("No page was read; nothing was written.\n")
        for name in written:
            await bench.exporter.export(name, arguments.out, {"jobs": [job]})
            note(bench.store, "export.write", f"{name}, {arguments.out.absolute()}")
    finally:
        await bench.close()
    totals = progress.totals
    return {"job": job, "done": totals.done, "failed": totals.failed, "formats": written, "out": str(arguments.out)}


async def _begun(bench: Any, arguments: argparse.Namespace) -> int:
    """The batch that the folder's results are of, where it asks the same; else a new one.

    Raises Conflict: `other_batch`.
    """
    from ocr_ui.services.jobs import JobAsk
    from ocr_ui.services.templates import parse_variables

    ask = JobAsk(arguments.template, parse_variables(arguments.var), arguments.engine, arguments.pages)
    asked = await bench.jobs.asked(ask)
    kept = _kept(arguments.out / KEPT)
    if kept is not None:
        try:
            found = (await bench.jobs.progress(kept)).job
        except NotFound:
            found = None
        if found is not None and {**found.asked, "template_version": ""} == {**asked, "template_version": ""}:
            return kept
        raise Conflict(
            "other_batch",
            f"{arguments.out} holds the results of another batch.",
            "Name another folder, or ask as before.",
            folder=str(arguments.out),
        )
    person = Person(arguments.person) if arguments.person else None
    job = (await bench.jobs.create(ask, (), person, start=False)).job.id
    write_file(arguments.out / KEPT, json.dumps({"job": job}))
    return job


def _kept(file: Path) -> int | None:
    try:
        return int(json.loads(file.read_text())["job"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        told = f"{file} does not say which batch it is of."
        raise BadInput("bad_batch_file", told, "Name another folder.", file=str(file)) from error


async def _hand_in(bench: Any, job: int, files: dict[str, Path]) -> None:
    """The files that the batch does not have yet."""
    from ocr_ui.services.jobs import Handed, path_of

    names = await bench.jobs.files(job)
    known = {*names, *(name[: end.start()] for name in names for end in re.finditer("/", name))}
    left = [(path_of(name), path) for name, path in files.items() if path_of(name) not in known]
    for start in range(0, len(left), AT_ONCE):
        some = left[start : start + AT_ONCE]
        with ExitStack() as opened:
            handed = [Handed(name, opened.enter_context(_open(path))) for name, path in some]
            await bench.jobs.add(job, handed)
        sys.stderr.write(f"{min(start + AT_ONCE, len(left))} of {counted(len(left), 'file')} handed in\n")


async def _to_its_end(bench: Any, job: int) -> Any:
    """Raises EngineFailed where the batch was paused: its engine is gone."""
    said = ""
    while True:
        progress = await bench.jobs.progress(job)
        totals = progress.totals
        line = f"batch {job}: {totals.done + totals.failed} of {counted(totals.total, 'page')}, {totals.failed} failed"
        if line != said:
            sys.stderr.write(f"{line}\n")
            said = line
        if progress.state == "paused":
            why = (progress.job.reason or {}).get("message", "The batch was paused.")
            raise EngineFailed("batch_paused", why, "Run the same command again to go on.")
        if progress.state in ("done", "cancelled"):
            for one in progress.failures:
                page = f", page {one.number}" if one.number else ""
                sys.stderr.write(f"{one.file}{page}: {one.error['message']} ({one.error['code']})\n")
            return progress
        await asyncio.sleep(LOOK_SECONDS)


def _found(named: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """Files by the names that they get, those of folders with their paths. Raises BadInput (`unreadable_file`)."""
    for path in named:
        if path.is_dir():
            for file in sorted(path.rglob("*")):
                hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
                if file.is_file() and not hidden:
                    yield f"{path.resolve().name}/{file.relative_to(path).as_posix()}", file
        elif path.exists():
            yield path.name if path.is_absolute() or ".." in path.parts else path.as_posix(), path
        else:
            raise BadInput(
                "unreadable_file", f"Cannot read {path}.", "Name a file or folder that can be read.", file=str(path)
            )


def _told_apart(found: Iterable[tuple[str, Path]]) -> dict[str, Path]:
    """Files by names: where two have the same, as in folders that are called alike, the later one's begins with the
    folder that it stands in, or with as many as it takes."""
    files: dict[str, Path] = {}
    for name, path in found:
        whole = path.resolve().parts
        while name in files and files[name].resolve() != path.resolve() and name.count("/") + 1 < len(whole):
            name = "/".join(whole[-name.count("/") - 2 :])
        files[name] = path
    return files


def _open(path: Path) -> Any:
    try:
        return path.open("rb")
    except OSError as error:
        raise BadInput(
            "unreadable_file",
            f"Cannot read {path}: {error.strerror}.",
            "Name a file or folder that can be read.",
            file=str(path),
        ) from error
