"""What a program may ask of `POST /v1/ocr`: the same in a form with a file, or in JSON with the file in base64."""

from __future__ import annotations

import base64
import binascii
import json
import time
from collections.abc import Mapping
from typing import Any

from fastapi import Request, UploadFile
from fastapi.exceptions import HTTPException, RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ocr_ui.api.pictures import name_of
from ocr_ui.errors import BadInput
from ocr_ui.services.ocr import Asked

FORM, JSON = "multipart/form-data", "application/json"
DATA_URL = "data:"
NOT_JSON = (ValueError, RecursionError)
"""What Python's reader of JSON raises: of a number with thousands of digits, or of thousands of brackets, too."""


class OcrOptions(BaseModel):
    """How to read. What is not given is as the template and the settings say.

    `confidence` asks a model for the probability of each token; `structured` holds an answer to the field names;
    `prompt` is sent in place of the template's text; `pixels` are the most that the engine gets; `preprocess` is off,
    auto, or names of cleaning steps with commas between; `full_resolution` gives the engine all pixels that it may have
    where the settings go by need; `page` is that of a document, from 1.
    """

    model_config = ConfigDict(extra="forbid")

    prompt: str | None = Field(None, max_length=100_000)
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, gt=0, le=1)
    top_k: int | None = Field(None, ge=-1, le=1_000_000)
    repetition_penalty: float | None = Field(None, gt=0, le=2)
    seed: int | None = Field(None, ge=0, lt=2**63)
    max_tokens: int | None = Field(None, ge=1, le=1_000_000)
    confidence: bool | None = None
    pixels: int | None = Field(None, ge=1_000, le=1_000_000_000)
    preprocess: str | None = Field(None, max_length=200)
    full_resolution: bool = False
    structured: bool | None = None
    page: int = Field(1, ge=1, le=1_000_000)

    @property
    def sampling(self) -> dict[str, Any]:
        names = ("temperature", "top_p", "top_k", "repetition_penalty", "seed", "max_tokens")
        given = {**{name: getattr(self, name) for name in names}, "logprobs": self.confidence}
        return {name: value for name, value in given.items() if value is not None}


class OcrBody(BaseModel):
    """All but the picture."""

    model_config = ConfigDict(extra="forbid")

    template: str = Field("full_text", max_length=100)
    variables: dict[str, str] = {}
    engine: str = Field("", max_length=200)
    options: OcrOptions = OcrOptions()
    stream: bool = False
    person: str = Field("", max_length=200)


class OcrJson(OcrBody):
    """`image`: the file in base64, bare or as a data: address."""

    image: str = Field(description="The file in base64, bare or as a data: address.")
    name: str = Field("", max_length=500)


async def read_ocr(request: Request) -> tuple[Asked, bool]:
    """What is asked, and whether the answer is to be a stream.

    Raises:
        RequestValidationError, HTTPException (415), BadInput (`bad_base64`).
    """
    begin = time.perf_counter()
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == FORM:
        body, data, name = await _form(request)
    elif kind == JSON:
        body, data, name = await _json(request)
    else:
        raise HTTPException(415, f"Send {FORM} or {JSON}.")
    options = body.options
    asked = Asked(
        data,
        name,
        body.template,
        body.variables,
        body.engine,
        options.page,
        options.prompt,
        options.sampling,
        options.pixels,
        options.preprocess,
        options.structured,
        body.person.strip(),
        time.perf_counter() - begin,
        options.full_resolution,
        body.stream,
    )
    return asked, body.stream


async def _form(request: Request) -> tuple[OcrBody, bytes, str]:
    async with request.form(max_files=1, max_fields=20) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile) and not hasattr(file, "read"):
            raise _lacking("file", "a file is needed")
        fields = {name: value for name, value in form.items() if name != "file"}
        for name in ("variables", "options"):
            if name in fields:
                fields[name] = _parsed(name, str(fields[name]))
        return validated(OcrBody, fields), await file.read(), name_of(file)


async def _json(request: Request) -> tuple[OcrBody, bytes, str]:
    try:
        body = validated(OcrJson, await request.json())
    except NOT_JSON as error:
        raise _lacking("body", "not JSON") from error
    return body, picture_bytes(body.image), body.name


def validated(model: type[BaseModel], value: Any) -> Any:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        told = [{**one, "loc": ("body", *one["loc"])} for one in error.errors(include_url=False, include_context=False)]
        raise RequestValidationError(told) from error


def _parsed(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except NOT_JSON as error:
        raise _lacking(name, "not JSON") from error


def _lacking(name: str, said: str) -> RequestValidationError:
    return RequestValidationError([{"loc": ("body", name), "msg": said, "type": "value_error"}])


def picture_bytes(text: str) -> bytes:
    """The bytes of base64 text, bare or a data: address. Nothing is ever fetched.

    Raises:
        BadInput: `no_fetching` for another address, `bad_base64`.
    """
    if text[:8].lower().startswith(("http:", "https:", "file:", "ftp:")):
        raise BadInput("no_fetching", "This server fetches no addresses.", "Upload the file itself.")
    bare = text.partition(",")[2] if text.startswith(DATA_URL) else text
    try:
        return base64.b64decode("".join(bare.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadInput("bad_base64", "The picture is not base64.", "Encode the file's bytes as base64.") from error


def schema_of(model: type[BaseModel], **more: Any) -> dict[str, Any]:
    """A model's JSON schema with nothing outside of it. Args: more: further properties, all required."""
    schema = model.model_json_schema()
    named: Mapping[str, Any] = schema.pop("$defs", {})
    whole = _inlined(schema, named)
    if more:
        whole["properties"] = {**more, **whole["properties"]}
        whole["required"] = [*more, *whole.get("required", [])]
    return whole


def _inlined(value: Any, named: Mapping[str, Any]) -> Any:
    if isinstance(value, dict):
        if "$ref" in value:
            return _inlined(named[value["$ref"].rpartition("/")[2]], named)
        return {key: _inlined(one, named) for key, one in value.items()}
    return [_inlined(one, named) for one in value] if isinstance(value, list) else value
