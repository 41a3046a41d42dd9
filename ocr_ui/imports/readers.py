"""Labels that other programs wrote: Label Studio, PPOCRLabel, the official SFT JSON Lines, and image folders.

Every reader gives the pictures of a folder with what is said of them, in the order of the files, and refuses a file
that it cannot read before it gives the rest of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import isfinite, radians
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.domain.geometry import Point, Quad
from ocr_ui.errors import BadInput
from ocr_ui.exports.label_studio import turned
from ocr_ui.exports.ppocrlabel import ILLEGIBLE
from ocr_ui.exports.reasons import Reason

Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A picture and its label.

    Attributes:
        picture: its file, which may lie anywhere; None where the label names none that can be one.
        source: file and place of the label, for messages.
        prompt: what was asked, "" where the format has no prompts.
        answer: the label as a model's answer.
        content: the label as a page, by the picture's size; None where `answer` is the label.
    """

    picture: Path | None
    source: str
    prompt: str = ""
    answer: str = ""
    content: Callable[[Size], PageContent] | None = None


def sft(folder: Path) -> Iterator[Labelled]:
    """The official JSON Lines, both forms; of several turns the first, as the official kit takes it."""
    for file in _files(folder, "*.jsonl"):
        for source, row in _json_lines(file):
            with _as_the_format_has_it(source):
                labelled = _sft_row(file.parent, source, row)
            yield labelled


def _sft_row(folder: Path, source: str, row: Mapping[str, Any]) -> Labelled:
    if "conv" in row:
        turn, picture = _first(row["conv"]), row.get("img_path_sh") or row.get("img_path_cq")
        prompt, answer = turn.get("question"), turn.get("answer")
    else:
        turns = row.get("conversations") or ()
        picture = _first(row.get("image_path"), ())
        prompt, answer = (_said(turns, speaker) for speaker in ("human", "gpt"))
        prompt = prompt.removeprefix("<image>").removeprefix("\n")
    return Labelled(_below(folder, picture), source, _text_of(prompt), _text_of(answer))


def image_folder(folder: Path) -> Iterator[Labelled]:
    """`metadata.jsonl` beside the pictures, in the folder or one below; `label` is the label, else `text`."""
    for file in [folder] if folder.is_file() else sorted(folder.rglob("metadata.jsonl")):
        for source, row in _json_lines(file):
            with _as_the_format_has_it(source):
                answer = row["label"] if "label" in row else row.get("text")
                picture = _below(file.parent, row.get("file_name"))
                labelled = Labelled(picture, source, _text_of(row.get("prompt")), _text_of(answer))
            yield labelled


def ppocrlabel(folder: Path) -> Iterator[Labelled]:
    """`Label.txt`, whose keys are the last two parts of the pictures' paths."""
    for file in _files(folder, "Label.txt"):
        for number, row in enumerate(_lines(file), 1):
            key, _, written = row.partition("\t")
            source = f"{file.name}, line {number}"
            entries = _parsed(written, source)
            with _as_the_format_has_it(source):
                lines = [_ppocr_line(entry) for entry in entries]
            picture = _existing(file.parent / Path(key).name, file.parent.parent / key)
            yield Labelled(picture, source, content=lambda size, lines=lines: _page(lines))


def label_studio(folder: Path) -> Iterator[Labelled]:
    """An export as JSON: the first annotation of a task that was not cancelled, else the prediction."""
    for file in _files(folder, "*.json"):
        tasks = _parsed(_text(file), file.name)
        if not isinstance(tasks, list) or not all(isinstance(task, dict) and "data" in task for task in tasks):
            continue
        for number, task in enumerate(tasks, 1):
            source = f"{file.name}, task {task.get('id', number)}"
            with _as_the_format_has_it(source):
                labelled = _studio_task(file.parent, source, task)
            yield labelled


def _studio_task(folder: Path, source: str, task: Mapping[str, Any]) -> Labelled:
    given = [one for one in task.get("annotations") or () if not one.get("was_cancelled")]
    said = [*given, *(task.get("predictions") or ())]
    picture = _studio_picture(folder, task["data"])
    if not said:
        return Labelled(picture, source)
    results = said[0].get("result") or ()

    def content(size: Size) -> PageContent:
        with _as_the_format_has_it(source):
            return _studio_page(results, size)

    return Labelled(picture, source, content=content)


READERS: dict[str, Callable[[Path], Iterator[Labelled]]] = {
    "sft": sft,
    "imagefolder": image_folder,
    "ppocrlabel": ppocrlabel,
    "label-studio": label_studio,
}
FORMATS = tuple(READERS)


def _said(turns: Any, speaker: str) -> str:
    return next((_text_of(turn.get("value")) for turn in turns if turn.get("from") == speaker), "")


def _first(values: Any, default: Any = None) -> Any:
    if isinstance(values, str):
        return values
    return values[0] if values else ({} if default is None else default)


def _text_of(value: Any) -> str:
    """Raises TypeError: another kind of value is no text, and none is made of it."""
    if not isinstance(value, str | None):
        raise TypeError(f"{value!r:.40} is no text")
    return value or ""


def _page(lines: list[TextLine]) -> PageContent:
    return PageContent(tuple(lines), text="\n".join(line.text for line in lines))


def _ppocr_line(entry: Any) -> TextLine:
    text = _text_of(entry["transcription"])
    return TextLine("" if text == ILLEGIBLE else text, _finite(Quad.from_points(entry["points"])))


def _studio_picture(folder: Path, data: Mapping[str, Any]) -> Path | None:
    written = data.get("ocr") or data.get("image") or next((v for v in data.values() if isinstance(v, str)), "")
    address = urlsplit(str(written))
    path = parse_qs(address.query).get("d", [unquote(address.path)])[0]
    return _existing(folder / path.lstrip("/"), folder / Path(path).name, folder / "images" / Path(path).name)


def _studio_page(results: Any, size: Size) -> PageContent:
    """Results of one id are one line: its place and its transcription."""
    lines: dict[str, tuple[str, Quad | None]] = {}
    whole = ""
    for result in results:
        value, key = result.get("value") or {}, str(result.get("id"))
        text, quad = lines.get(key, ("", None))
        quad = quad or _studio_quad(value, size)
        said = value.get("text")
        text = _text_of(said if isinstance(said, str) else "\n".join(said)) if said else text
        lines[key] = text, quad
        if quad is None and said:
            whole = text
    placed = [TextLine(text, _finite(quad)) for text, quad in lines.values() if quad]
    if placed:
        return _page(placed)
    return PageContent(tuple(TextLine(row) for row in whole.split("\n") if row), text=whole)


def _finite(quad: Quad) -> Quad:
    """Raises ValueError: a corner is nowhere."""
    if not all(isfinite(number) for point in quad.points for number in point):
        raise ValueError("a corner that is nowhere")
    return quad


def _studio_quad(value: Mapping[str, Any], size: Size) -> Quad | None:
    width, height = size
    if "points" in value:
        points = [(x * width / 100, y * height / 100) for x, y in value["points"]]
        return Quad.from_points(points) if len(points) == 4 else _around(points)
    if "width" not in value:
        return None
    start = value["x"] * width / 100, value["y"] * height / 100
    wide, high = value["width"] * width / 100, value["height"] * height / 100
    return turned(start, wide, high, radians(value.get("rotation") or 0))


def _around(points: list[Point]) -> Quad:
    xs, ys = zip(*points, strict=True)
    return Quad.from_points([(min(xs), min(ys)), (max(xs), min(ys)), (max(xs), max(ys)), (min(xs), max(ys))])


def _below(folder: Path, path: Any) -> Path | None:
    return _existing(folder / path) if isinstance(path, str) and path else None


def _existing(*paths: Path) -> Path | None:
    for path in paths:
        try:
            if path.is_file():
                return path
        except OSError:  # a name that is too long, say
            continue
    return None


def _json_lines(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(_lines(file), 1):
        source = f"{file.name}, line {number}"
        row = _parsed(line, source)
        if not isinstance(row, dict):
            raise _broken(source, Reason("not_an_object", "not a JSON object"))
        yield source, row


def _files(folder: Path, pattern: str) -> list[Path]:
    return [folder] if folder.is_file() else sorted(folder.glob(pattern)) or sorted(folder.glob(f"*/{pattern}"))


def _lines(file: Path) -> list[str]:
    return [line for line in _text(file).split("\n") if line.strip()]


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise _broken(file.name, Reason("not_utf8", "not UTF-8 text")) from error
    except OSError as error:
        why = error.strerror or str(error)
        raise _broken(file.name, Reason("not_readable", f"it cannot be read ({why})", {"why": why})) from error


def _parsed(text: str, source: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _broken(source, Reason("not_json", "not JSON")) from error


@contextmanager
def _as_the_format_has_it(source: str) -> Iterator[None]:
    """Raises BadInput (`broken_import`): what stands at the place is of another kind than the format has there."""
    try:
        yield
    except (TypeError, AttributeError, LookupError, ValueError, ArithmeticError) as error:
        raise _broken(source, Reason("not_the_format", "not what this format has there")) from error


def _broken(source: str, reason: Reason) -> BadInput:
    return BadInput(
        "broken_import",
        f"{source}: {reason}. Nothing was imported.",
        "Mend the file, or export it again.",
        source=source,
        reason=asdict(reason),
    )
