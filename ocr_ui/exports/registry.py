"""The formats by name; each is imported when it is used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Protocol, runtime_checkable

from ocr_ui.errors import BadInput
from ocr_ui.exports.sample import Notes, Options, Sample


@runtime_checkable
class TextFormat(Protocol):
    """Writes samples as text, one after the other, in constant memory; the same samples give the same text."""

    name: str
    file_name: str
    media_type: str

    def write(self, samples: Iterable[Sample], notes: Notes) -> Iterator[str]:
        """Pieces of the file, to be encoded as UTF-8. What is left out or changed is told to `notes`."""
        ...


@runtime_checkable
class FolderFormat(Protocol):
    """Writes samples as files, one sample after the other, in constant memory; the same samples give the same files.

    A format is a subclass, so that it says only what is its own.

    Attributes:
        file_name: the file or folder that holds the data, relative to the export.
        media_type: of a download.
        folder: a folder of its own, whose old contents a new export replaces; "" for none.
        pictures: the folder that pictures are bundled in.
        needs_pictures: nothing can be written without them.
        single_file: a download is that file, else an archive of all.
        as_read: the pictures are bundled as the model read them.
        splits: the data can be written in parts.
        rated: it uses sampled answers and what people prefer among them.
    """

    name: str
    file_name: str
    media_type: str = "application/zip"
    folder: str = ""
    pictures: str = "pictures"
    needs_pictures: bool = False
    single_file: bool = False
    as_read: bool = False
    splits: bool = False
    rated: bool = False

    def fill(self, folder: Path, samples: Iterable[Sample], notes: Notes, options: Options) -> None:
        """Writes the files below an empty `folder`, where the picture of a sample stands when the sample comes."""
        ...


Format = TextFormat | FolderFormat

_MODULES = {
    "jsonl": "ocr_ui.exports.jsonl:JsonLines",
    "csv": "ocr_ui.exports.csv:Csv",
    "xlsx": "ocr_ui.exports.xlsx:Xlsx",
    "docx": "ocr_ui.exports.docx:Docx",
    "markdown": "ocr_ui.exports.markdown:Markdown",
    "pdf": "ocr_ui.exports.pdf:SearchablePdf",
    "boxes": "ocr_ui.exports.boxes:Boxes",
    "srt": "ocr_ui.exports.subtitles:Srt",
    "vtt": "ocr_ui.exports.subtitles:WebVtt",
    "page-xml": "ocr_ui.exports.page_xml:PageXml",
    "label-studio": "ocr_ui.exports.label_studio:LabelStudio",
    "ppocrlabel": "ocr_ui.exports.ppocrlabel:PpocrLabel",
    "coco-text": "ocr_ui.exports.coco_text:CocoText",
    "imagefolder": "ocr_ui.exports.hugging_face:ImageFolder",
    "datasets": "ocr_ui.exports.hugging_face:DatasetsParquet",
    "sft-a": "ocr_ui.exports.trainers.official:SftA",
    "sft-b": "ocr_ui.exports.trainers.official:SftB",
    "trl-sft": "ocr_ui.exports.trainers.trl:TrlSft",
    "trl-dpo": "ocr_ui.exports.trainers.trl:TrlDpo",
    "trl-kto": "ocr_ui.exports.trainers.trl:TrlKto",
    "trl-grpo": "ocr_ui.exports.trainers.trl:TrlGrpo",
    "llama-factory": "ocr_ui.exports.trainers.conversations:LlamaFactory",
    "ms-swift": "ocr_ui.exports.trainers.conversations:MsSwift",
    "verl": "ocr_ui.exports.trainers.official:Verl",
    "verl-plain": "ocr_ui.exports.trainers.official:VerlPlain",
    "easyr1": "ocr_ui.exports.trainers.easyr1:EasyR1",
}

NAMES = tuple(_MODULES)


def format_named(name: str) -> Format:
    """Raises BadInput (`unknown_format`; details: format, allowed)."""
    if name not in _MODULES:
        allowed = ", ".join(NAMES)
        raise BadInput(
            "unknown_format",
            f"There is no export format {name[:80]!r}.",
            f"Use one of: {allowed}.",
            format=name[:80],
            allowed=allowed,
        )
    module, _, attribute = _MODULES[name].partition(":")
    return getattr(import_module(module), attribute)()
