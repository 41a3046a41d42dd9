"""The command line: `python -m ocr_ui recognize | batch | rollouts | evaluate | benchmark | calibrate | export | push |
dataset | import | parse | reward | check-image | selfcheck | doctor | user | key | audit | retain`.

Standard output carries the result alone; messages go to standard error. Exit codes: 0 done, 1 the engine or the store
failed, 2 the input cannot be used or the output not written, 3 an evaluation is not as good as was asked for, or a
checked service or machine does wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ocr_ui.commands.access import add_access, note
from ocr_ui.commands.backup import add_backup
from ocr_ui.commands.batch import add_batch
from ocr_ui.commands.benchmark import add_benchmark
from ocr_ui.commands.calibrate import add_calibrate
from ocr_ui.commands.doctor import add_doctor
from ocr_ui.commands.erase import add_erase
from ocr_ui.commands.evaluate import add_evaluate
from ocr_ui.commands.filters import add_filter, read_given
from ocr_ui.commands.output import print_json, print_text
from ocr_ui.commands.selfcheck import add_selfcheck
from ocr_ui.domain.counted import counted
from ocr_ui.errors import BadInput, Conflict, NotFound, WorkbenchError, noted_line
from ocr_ui.exports.registry import NAMES
from ocr_ui.images.refusals import too_many_bytes
from ocr_ui.imports.readers import FORMATS
from ocr_ui.settings import Settings, read_settings


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    os.environ.setdefault("VLLM_LOGGING_STREAM", "ext://sys.stderr")  # vLLM would log among the result
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        settings = read_settings()
    except ValidationError as error:
        return _complain("; ".join(f"OCR_UI_{e['loc'][0]}".upper() + f": {e['msg']}" for e in error.errors()), 2)
    except WorkbenchError as error:
        return _complain(_told(error), 2)
    try:
        with _terminated_in_order() as told:
            return arguments.run(arguments, settings)
    except WorkbenchError as error:
        return _complain(_told(error), _exit_code(error))
    except KeyboardInterrupt:
        return _complain("Stopped.", 143 if told.is_set() else 130)


@contextmanager
def _terminated_in_order() -> Iterator[threading.Event]:
    """SIGTERM ends a command as Ctrl+C does: pages that it was reading go back to their batch. Gives if it came.

    Shells have what a script starts in the background ignore SIGINT; asyncio would leave it so, and SIGTERM with it.
    """
    told = threading.Event()

    def end(*_: object) -> None:
        told.set()
        signal.raise_signal(signal.SIGINT)  # asyncio ends its main task in order for this one alone

    if threading.current_thread() is not threading.main_thread():
        yield told  # signals are the main thread's
        return
    before = signal.signal(signal.SIGTERM, end)
    ignored = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    if ignored:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield told
    finally:
        signal.signal(signal.SIGTERM, before)
        if ignored:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


def _told(error: WorkbenchError) -> str:
    """The sentence of the page, which has fields to fill in, in the words of the command line."""
    if error.code == "missing_variable":
        return f"{error.message} Add --var {error.details['variable']}=VALUE."
    return str(error)


def _exit_code(error: WorkbenchError) -> int:
    return 2 if isinstance(error, BadInput | NotFound | Conflict) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m ocr_ui", description="Reads pictures, and what belongs to it.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_recognize(commands)
    add_batch(commands)
    _add_rollouts(commands)
    add_evaluate(commands)
    add_benchmark(commands)
    add_doctor(commands)
    add_calibrate(commands)
    _add_export(commands)
    _add_push(commands)
    _add_dataset(commands)
    _add_import(commands)
    _add_parse(commands)
    _add_reward(commands)
    _add_check_image(commands)
    add_selfcheck(commands)
    add_erase(commands)
    add_backup(commands)
    add_access(commands)
    return parser


def _add_recognize(commands: Any) -> None:
    command = commands.add_parser("recognize", help="read a picture")
    command.add_argument("image", type=Path, metavar="IMAGE", help="a picture or PDF file; of several pages the first")
    command.add_argument(
        "--template", default="full_text", metavar="NAME", help="a template or NAME@VERSION (full_text)"
    )
    command.add_argument("--var", action="append", default=[], metavar="k=v", help="a variable of the template")
    command.add_argument("--engine", default="", metavar="NAME", help="rapidocr, vllm, openai or llama")
    command.add_argument(
        "--preprocess",
        metavar="HOW",
        help="clean the engine's copy where a measure of the page asks for it: off, auto, or steps with commas between",
    )
    command.add_argument(
        "--full-resolution", action="store_true", help="all pixels, where the settings give as few as are needed"
    )
    command.add_argument("--json", action="store_true", help="one JSON object instead of the text")
    command.set_defaults(run=_recognize)


def _add_rollouts(commands: Any) -> None:
    command = commands.add_parser(
        "rollouts",
        help="ask a model several times about items of the dataset",
        description="Samples several answers about each item. The same command goes on with a batch that was "
        "interrupted: no item is asked about twice.",
    )
    command.add_argument("--n", type=int, default=8, metavar="N", help="answers to each item (8)")
    command.add_argument("--temperature", type=float, default=0.8, metavar="T", help="above 0 (0.8)")
    command.add_argument("--top-p", type=float, default=1.0, metavar="P", help="0 to 1 (1)")
    command.add_argument("--seed", type=int, metavar="S", help="of each item's first answer; without it none is fixed")
    command.add_argument("--max-tokens", type=int, metavar="N", help="of an answer; without it as the template says")
    command.add_argument(
        "--engine", default="", metavar="NAME", help="the one that read the item, where this is left out"
    )
    add_filter(command)
    command.add_argument("--at-once", type=int, default=4, metavar="K", help="items that are asked about at once (4)")
    command.add_argument("--retry-failed", action="store_true", help="ask again about items that failed before")
    command.add_argument("--person", default="", metavar="NAME", help="who asks")
    command.set_defaults(run=_rollouts)


def _add_export(commands: Any) -> None:
    command = commands.add_parser("export", help="write the corrections as files")
    _add_what(command)
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder to write to")
    command.add_argument("--absolute", action="store_true", help="for training: absolute paths of the pictures")
    command.set_defaults(run=_export)


def _add_push(commands: Any) -> None:
    command = commands.add_parser("push", help="export with a data card to the hub, an object store or a folder")
    _add_what(command)
    command.add_argument(
        "--to",
        required=True,
        metavar="TARGET",
        help="hub:USER/NAME (with HF_TOKEN in the environment), s3://BUCKET/PATH or another address of fsspec, or a "
        "folder; what broke off goes on when it is pushed again",
    )
    command.add_argument("--public", action="store_true", help="on the hub: for everybody to see, else private")
    command.add_argument(
        "--names",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="names of people in data, report and card; without it they are left out of what is public",
    )
    command.add_argument("--licence", default="", help="of the data, where it is not that of the version")
    command.set_defaults(run=_push)


def _add_what(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--format",
        required=True,
        choices=NAMES,
        metavar="FORMAT",
        help=f"jsonl has everything exactly; csv, xlsx and docx are for people. One of: {', '.join(NAMES)}",
    )
    add_filter(command)
    command.add_argument(
        "--version", default="", metavar="NAME", help="a frozen version (see dataset): corrections as they were then"
    )
    command.add_argument(
        "--reviewed-twice", action="store_true", help="only what two people have reviewed, disputes that are open apart"
    )
    command.add_argument(
        "--agreement",
        type=float,
        metavar="SHARE",
        help="only what two people agree on by this much: 0.95 for a CER of at most 0.05 between them",
    )
    command.add_argument(
        "--model-revision",
        default="",
        metavar="R",
        help="only items, sampled answers and preferences of this revision of the model, the one to be trained",
    )
    command.add_argument(
        "--split",
        default="",
        metavar="SHARES",
        help="0.9/0.05/0.05: train, validation and test, which share neither a document nor a copy of a picture",
    )
    command.add_argument(
        "--max-prompt-length",
        default="",
        metavar="N",
        help="for training: leave out, and list, what has more tokens of picture and prompt; trainers drop it silently",
    )
    command.add_argument(
        "--stored-pictures", action="store_true", help="for training: the stored pictures, not as the model read them"
    )
    command.add_argument(
        "--turn-crops", action="store_true", help="ppocrlabel: lay crops as they are read, tall ones on their side"
    )


def _add_dataset(commands: Any) -> None:
    command = commands.add_parser("dataset", help="frozen versions of the dataset")
    actions = command.add_subparsers(required=True, metavar="ACTION")
    freeze = actions.add_parser("freeze", help="keep what a filter finds now under a name; later edits change it not")
    freeze.add_argument("name", metavar="NAME", help="of the version: letters, digits, dots, underscores, hyphens")
    add_filter(freeze)
    freeze.add_argument("--licence", default="", help="of the data, such as cc-by-4.0")
    freeze.add_argument("--person", default="", metavar="NAME", help="who freezes it")
    freeze.set_defaults(run=_freeze)
    listed = actions.add_parser("list", help="the versions, and what was exported of them; the newest first")
    listed.set_defaults(run=_list_versions)
    card = actions.add_parser("card", help="write a version's data card: README.md with charts")
    card.add_argument("name", metavar="NAME", help="of the version")
    card.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder to write to")
    card.add_argument("--licence", default="", help="of the data, where it is not that of the version")
    card.add_argument("--no-names", action="store_true", help="number the reviewers, do not name them")
    card.set_defaults(run=_write_card)
    gone = actions.add_parser("delete", help="remove a version that was never exported; its items stay")
    gone.add_argument("name", metavar="NAME", help="of the version")
    gone.set_defaults(run=_delete_version)


def _add_import(commands: Any) -> None:
    command = commands.add_parser("import", help="labels from other programs, as pages to review")
    command.add_argument("--format", required=True, choices=FORMATS, help="what wrote the folder; sft: both forms")
    command.add_argument("--person", default="", metavar="NAME", help="who labelled it")
    command.add_argument(
        "--pictures",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="another folder that the labels may name pictures of; pictures elsewhere are left out",
    )
    command.add_argument("folder", type=Path, metavar="DIR", help="the folder with the labels and the pictures")
    command.set_defaults(run=_import)


def _add_parse(commands: Any) -> None:
    command = commands.add_parser("parse", help="model output to lines, fields and tables")
    command.add_argument("file", nargs="?", type=Path, metavar="FILE", help="standard input where it is left out")
    command.add_argument(
        "--task",
        required=True,
        choices=("spotting", "fields", "table", "formula", "markdown"),
        help="what the model was asked for",
    )
    command.add_argument("--width", type=int, required=True, metavar="W", help="of the picture, in pixels")
    command.add_argument("--height", type=int, required=True, metavar="H", help="of the picture, in pixels")
    command.add_argument(
        "--field",
        action="append",
        default=[],
        metavar="NAME",
        help="a field that was asked for, once for each; case, blanks and width are ignored",
    )
    command.set_defaults(run=_parse)


def _add_reward(commands: Any) -> None:
    command = commands.add_parser("reward", help="what an answer is worth against a label")
    command.add_argument(
        "--task",
        required=True,
        metavar="T",
        help="spotting, ie, parsing, layout, chart_deplot, translation or vqa, or the task of a template",
    )
    command.add_argument("--response", type=Path, required=True, metavar="FILE", help="the model's answer")
    command.add_argument("--reference", type=Path, required=True, metavar="FILE", help="the label")
    command.add_argument(
        "--reward-file", default="", metavar="F", help="run this function, path.py:compute_score, in verl's form"
    )
    command.add_argument(
        "--rule", default="", metavar="R", help="official (where there is no reward file) or clean, our own"
    )
    command.add_argument("--question", default="", metavar="TEXT", help="what was asked, for a judge or reward file")
    command.set_defaults(run=_reward)


def _add_check_image(commands: Any) -> None:
    command = commands.add_parser("check-image", help="what a file looks like once it is upright and RGB")
    command.add_argument("file", type=Path, metavar="FILE", help="a picture or PDF file")
    command.add_argument("--out", type=Path, metavar="FILE", help="also write the upright picture, as a PNG file")
    command.set_defaults(run=_check_image)


def _recognize(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.once import recognize_file
    from ocr_ui.services.templates import parse_variables

    values = parse_variables(arguments.var)
    data = _bytes(arguments.image, settings.max_upload_bytes)
    how = (arguments.preprocess, arguments.full_resolution)
    result = asyncio.run(recognize_file(data, arguments.template, values, arguments.engine, settings, *how))
    if result.error and not result.text:
        raise result.error
    for warning in result.warnings:
        sys.stderr.write(f"{warning['message']}\n")
    if arguments.json:
        print_json(result.value)
    else:
        print_text(result.text)
    if result.error:
        raise result.error
    return 0


def _rollouts(arguments: argparse.Namespace, settings: Settings) -> int:
    chosen = settings.model_copy(update={"engine": arguments.engine}) if arguments.engine else settings
    last = asyncio.run(_run_rollouts(arguments, chosen))
    counts = last.counts
    told = {"job": last.job, "total": counts.total, "done": counts.done, "failed": counts.failed}
    print_json({**told, "waiting": counts.waiting, "marks": last.marks, "resumed": last.resumed})
    if last.error is not None:
        raise last.error
    return 1 if counts.failed else 0


async def _run_rollouts(arguments: argparse.Namespace, settings: Settings) -> Any:
    from ocr_ui.domain.person import Person
    from ocr_ui.services.rollouts import Ask
    from ocr_ui.services.workbench import Workbench

    bench = Workbench.open(settings)
    try:
        name = bench.engines.called(arguments.engine) if arguments.engine else ""
        ask = Ask(arguments.n, arguments.temperature, arguments.top_p, name, arguments.seed, arguments.max_tokens)
        person = Person(arguments.person)
        find = (ask, read_given(arguments.filter), person, arguments.retry_failed)
        job, resumed = await asyncio.to_thread(bench.batches.find, *find)
        async for step in bench.batches.run(job, arguments.at_once, person, resumed=resumed):
            sys.stderr.write(f"{_told_batch(step)}\n")
            last = step
        for item, error in await asyncio.to_thread(bench.store.rollout_jobs.errors, job):
            sys.stderr.write(f"item {item}: {noted_line(error)}\n")
        return last
    finally:
        await bench.close()


def _told_batch(step: Any) -> str:
    counts = step.counts
    told = [f"{counts.done + counts.failed} of {counted(counts.total, 'item')}"]
    told += [f"{counts.failed} failed"] if counts.failed else []
    told += [f"{count} {mark.replace('_', ' ')}" for mark, count in step.marks.items()]
    told += ["going on where it stopped"] if step.resumed else []
    return f"batch {step.job}: {', '.join(told)}; {step.seconds:.0f} s"


def _export(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.export import Exporter
    from ocr_ui.storage.store import Store

    absolute = str(arguments.out.absolute()) if arguments.absolute else ""
    filters, options = _what(arguments, absolute)
    with Store.open(settings) as store:
        report = Exporter(store).export_now(arguments.format, arguments.out, filters, True, options)
        note(store, "export.write", f"{arguments.format}, {arguments.out.absolute()}")
        print_json(asdict(report))
    return 0


def _push(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.data_card import DataCards
    from ocr_ui.services.dataset import read_filters
    from ocr_ui.services.export import Exporter
    from ocr_ui.services.push import Asked, Pusher
    from ocr_ui.storage.addresses import shown_address
    from ocr_ui.storage.store import Store

    filters, options = _what(arguments)
    asked = Asked(arguments.format, arguments.to, read_filters(filters), options, arguments.public)
    asked = replace(asked, licence=arguments.licence, names=arguments.names)
    with Store.open(settings) as store:
        note(store, "push.start", shown_address(arguments.to) if "://" in arguments.to else arguments.to)
        pushed = Pusher(Exporter(store), DataCards(store)).push_now(asked, tell=_tell_progress)
        print_json({"address": pushed.address, **asdict(pushed.report)})
    return 0


def _tell_progress(progress: Any) -> None:
    megabytes = f"{progress.done_bytes / 1e6:.1f} of {progress.bytes / 1e6:.1f} MB"
    files = f": {progress.done_files} of {counted(progress.files, 'file')}, {megabytes}" if progress.files else ""
    sys.stderr.write(f"{progress.step}{files}\n")


def _what(arguments: argparse.Namespace, absolute: str = "") -> tuple[dict[str, Any], Any]:
    """Filters and options of what is to be written."""
    from ocr_ui.services.export import read_options

    asked = {name: getattr(arguments, name) for name in ("turn_crops", "stored_pictures", "split", "max_prompt_length")}
    options = read_options({**asked, "absolute": absolute})
    filters = read_given(arguments.filter) | ({"version": arguments.version} if arguments.version else {})
    if arguments.model_revision:
        filters["revision"] = [*filters.get("revision", []), arguments.model_revision]
    if arguments.reviewed_twice:
        filters["reviews"] = ["agreed", "resolved"]
    if arguments.agreement is not None:
        filters["agreement"] = arguments.agreement
    return filters, options


def _freeze(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.dataset_versions import DatasetVersions, version_value
    from ocr_ui.storage.store import Store

    with Store.open(settings) as store:
        made = DatasetVersions(store).freeze_now(
            arguments.name, read_given(arguments.filter), arguments.licence, arguments.person
        )
        note(store, "version.freeze", arguments.name)
    print_json(version_value(made))
    return 0


def _list_versions(_: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.dataset_versions import export_value, version_value
    from ocr_ui.storage.store import Store

    with Store.open(settings) as store:
        versions = [version_value(version) for version in store.versions.list()]
        print_json({"versions": versions, "exports": [export_value(one) for one in store.versions.exports()]})
    return 0


def _write_card(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.data_card import DataCards
    from ocr_ui.storage.store import Store

    with Store.open(settings) as store:
        files = DataCards(store).write_now(arguments.name, arguments.out, arguments.licence, arguments.no_names)
    print_json({"folder": str(arguments.out.absolute()), "files": files})
    return 0


def _delete_version(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.storage.store import Store

    with Store.open(settings) as store:
        store.versions.delete(arguments.name)
        note(store, "version.delete", arguments.name)
    return 0


def _import(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.import_labels import import_labels
    from ocr_ui.services.templates import open_templates
    from ocr_ui.storage.store import Store

    with Store.open(settings) as store:
        places = arguments.folder, store, settings, open_templates(settings, store).list()
        report = import_labels(arguments.format, *places, arguments.person, arguments.pictures)
        note(store, "labels.import", str(arguments.folder.absolute()))
    print_json(asdict(report))
    return 0


def _parse(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.parse import parse_text, read_answer

    text, warnings = read_answer(sys.stdin.buffer.read() if arguments.file is None else _bytes(arguments.file))
    content = parse_text(arguments.task, text, arguments.width, arguments.height, arguments.field)
    print_json({**content, "warnings": [*warnings, *content["warnings"]]})
    return 0


def _reward(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.parse import read_answer
    from ocr_ui.services.reward_once import one_reward

    texts = []
    for path in (arguments.response, arguments.reference):
        text, warnings = read_answer(_bytes(path))
        for warning in warnings:
            sys.stderr.write(f"{path}: {warning['message']}\n")
        texts.append(text)
    found = one_reward(
        arguments.task, *texts, settings, arguments.reward_file, rule=arguments.rule, question=arguments.question
    )
    print_json({"reward": found.value, "reason": found.reason})
    return 0


def _check_image(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.check_image import check_image

    try:
        print_json(check_image(_bytes(arguments.file, settings.max_upload_bytes), settings, out=arguments.out))
    except OSError as error:
        raise BadInput(
            "unwritable_file", f"Cannot write {arguments.out}: {error.strerror}.", "Choose a place that can be written."
        ) from error
    return 0


def _bytes(path: Path, limit: int | None = None) -> bytes:
    """The file's bytes. One that is over the limit is not read, or no further than shows that it is."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if limit is not None and size > limit:
                raise too_many_bytes(size, limit)
            return file.read(-1 if limit is None else limit + 1)
    except OSError as error:
        raise BadInput(
            "unreadable_file", f"Cannot read {path}: {error.strerror}.", "Name a file that can be read.", file=str(path)
        ) from error


def _complain(text: str, code: int) -> int:
    sys.stderr.write(f"{text}\n")
    return code


if __name__ == "__main__":
    raise SystemExit(main())
