"""Reads one file from beginning to end and keeps nothing: for the command line."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, replace
from typing import Any

from ocr_ui.domain.content import ContentWarning, PageContent
from ocr_ui.domain.pixels import PixelChoice
from ocr_ui.errors import WorkbenchError
from ocr_ui.images.door import Limits, encode_png, open_picture
from ocr_ui.parsing.field_places import fits
from ocr_ui.services.engines import Engines
from ocr_ui.services.pictures import Upright
from ocr_ui.services.pixel_rules import need_found
from ocr_ui.services.reading import ReadRequest, check_engine
from ocr_ui.services.second_look import read_to_the_end
from ocr_ui.services.templates import find_template
from ocr_ui.settings import Settings


@dataclass(frozen=True, slots=True)
class Once:
    """A result for the console.

    Attributes:
        value: the object of `recognize --json`.
        error: why the reading failed; None where it did not. What had been read is in `value` all the same.
    """

    value: dict[str, Any]
    error: WorkbenchError | None = None

    @property
    def text(self) -> str:
        """What a person wants to see: the fields where some were asked for, else the text."""
        fields = self.value["fields"]
        shown = [f"{f['name']}: {'(absent)' if f['value'] is None else f['value']}" for f in fields]
        return "\n".join(shown) if shown else self.value["text"]

    @property
    def warnings(self) -> list[dict[str, Any]]:
        return self.value["warnings"]


async def recognize_file(
    data: bytes,
    template_name: str,
    values: dict[str, str],
    engine_name: str,
    settings: Settings,
    preprocess: str | None = None,
    whole: bool = False,
) -> Once:
    """Reads the picture in `data`.

    Args:
        engine_name: a name of the engines file, or rapidocr, vllm, openai or llama; empty for the one that the
            settings name.
        preprocess: as of a `ReadRequest`.
        whole: all pixels, whatever the settings say.

    Raises:
        BadInput: no picture, a missing variable, a task that the engine cannot do, `unknown_preprocess`.
        NotFound: no such template.
        EngineDead: the engine could not be started.
    """
    template = await asyncio.to_thread(find_template, settings, template_name)
    template.render(values)
    request = ReadRequest(template, values, preprocess=preprocess)
    picture = await asyncio.to_thread(open_picture, data, Limits.from_settings(settings))
    chosen = settings.model_copy(update={"engine": engine_name}) if engine_name else settings
    engines = Engines.from_settings(chosen)
    name = engines.called(engine_name)
    own = engines.settings_of(name, settings)
    try:
        engine = await engines.ready(name)
        check_engine(engine, template)
        pixels, turned = await Upright(engines, settings).turn(picture.pixels)
        sha256 = hashlib.sha256(encode_png(pixels)).hexdigest()
        request = request if whole else replace(request, need=await asyncio.to_thread(need_found, engine.name, own))
        last = await read_to_the_end(pixels, sha256, engine, request, own)
    finally:
        await engines.close()
    page = {"width": pixels.shape[1], "height": pixels.shape[0], "sha256": sha256}
    notices, choice = (*picture.warnings, *turned), last.recognition.pixels if last.recognition else None
    shown = recognition_value(page, engine.name.kind, template.name, last.content, notices, choice)
    return Once(shown, last.error)


def recognition_value(
    page: dict[str, Any],
    engine: str,
    template: str,
    content: PageContent,
    notices: tuple[ContentWarning, ...] = (),
    choice: PixelChoice | None = None,
) -> dict[str, Any]:
    """The object of `recognize --json`: page, engine, template, lines, fields, tables, text, warnings;
    and `pixels` where they went by need.

    Quads are in pixels of the upright picture and inside it; `fits` says whether a field's value looks like its kind
    (an amount, a date, a number). What the door for pictures has said is not said again.
    """
    whole = content.to_dict()
    said = {notice.code for notice in notices}
    warnings = (*notices, *(w for w in content.warnings if w.line is not None or w.code not in said))
    return {
        "page": page,
        "engine": engine,
        "template": template,
        **({"pixels": choice.to_dict()} if choice else {}),
        "lines": [{key: line[key] for key in ("text", "quad", "confidence")} for line in whole["lines"]],
        "fields": [
            {**{key: shown[key] for key in ("name", "value", "quad", "confidence", "kind")}, "fits": fits(field)}
            for field, shown in zip(content.fields, whole["fields"], strict=True)
        ],
        "tables": [{key: table[key] for key in ("html", "grid")} for table in whole["tables"]],
        "text": whole["text"],
        "warnings": [_warning(warning) for warning in warnings],
    }


def _warning(warning: ContentWarning) -> dict[str, Any]:
    told = {"code": warning.code, "message": warning.message}
    return {**told, "details": warning.details} if warning.details else told
