"""Prompt templates over HTTP: listed, written, with how their readings turned out, handed in and out as files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, Response, UploadFile
from pydantic import BaseModel, ConfigDict, Field

from ocr_ui.api.errors import Localize, language_of
from ocr_ui.api.pictures import name_of
from ocr_ui.domain.prompt import Choice, PromptTemplate, Variable
from ocr_ui.services.template_files import Handed
from ocr_ui.services.templates import official_of, sampling_limits
from ocr_ui.services.view import error_value
from ocr_ui.services.workbench import Workbench

Words = Annotated[dict[str, Annotated[str, Field(max_length=2_000)]], Field(max_length=20)]
Name = Annotated[str, Field(max_length=100)]


class ChoiceBody(BaseModel):
    """One value of a variable; `text` is what is sent for it, where that is more than the value."""

    model_config = ConfigDict(extra="forbid")

    value: str = Field(max_length=2_000)
    label: Words = {}
    text: str | None = Field(None, max_length=20_000)


class VariableBody(BaseModel):
    """A blank of the wording. Without a `default` a value is required; `many` makes typed names a list."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    label: Words = {}
    default: str | None = Field(None, max_length=20_000)
    many: bool = False
    choices: list[ChoiceBody] = Field([], max_length=200)

    def made(self) -> Variable:
        choices = tuple(Choice(one.value, dict(one.label), one.text) for one in self.choices)
        return Variable(self.name, dict(self.label), self.default, choices, self.many)


class WordingBody(BaseModel):
    """What reaches the model. What is left out is as it was."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=100_000)
    task: str | None = Field(None, max_length=50)
    sampling: dict[str, Any] | None = None
    structured: bool | None = None
    variables: list[VariableBody] | None = Field(None, max_length=100)
    note: str = Field("", max_length=10_000)
    person: str = Field("", max_length=200)

    def given(self) -> dict[str, Any]:
        made = None if self.variables is None else [one.made() for one in self.variables]
        plain = self.model_dump(include={"task", "sampling", "structured", "note", "person"})
        return {**plain, "variables": made}


class NewTemplate(WordingBody):
    """`based_on`: a name, or `name@version`, that what is left out comes from."""

    name: Name
    title: Words
    description: Words | None = None
    tags: list[str] | None = Field(None, max_length=100)
    based_on: Name | None = None


class NewVersion(WordingBody):
    """`expected`: the version that was changed; another in use by now is a conflict (409)."""

    expected: Name | None = None


class About(BaseModel):
    """What people read of a template. What is left out is as it was."""

    model_config = ConfigDict(extra="forbid")

    title: Words | None = None
    description: Words | None = None
    tags: list[str] | None = Field(None, max_length=100)


class Restored(BaseModel):
    """`version`: its digits, its number, or `builtin`."""

    version: Name


def template_routes(workbench: Workbench, localize_error: Localize) -> APIRouter:
    routes = APIRouter(tags=["templates"])
    templates, scores, files = workbench.templates, workbench.template_scores, workbench.template_files

    def shown(template: PromptTemplate) -> dict[str, Any]:
        return template_value(template, workbench.engines.can(template.task), templates.builtin())

    async def done(change: Callable[..., PromptTemplate], *arguments: Any, **named: Any) -> dict[str, Any]:
        return await asyncio.to_thread(lambda: shown(change(*arguments, **named)))

    def all_shown(language: str) -> dict[str, Any]:
        counts, official = scores.counts(), templates.builtin()
        problems = [localize_error(error_value(one), language) for one in templates.problems()]
        return {
            "templates": [{**shown(one), "readings": counts.get(one.name, 0)} for one in templates.list()],
            "official": [template_value(one, [], official) for one in official],
            "limits": sampling_limits(),
            "problems": problems,
        }

    def one_shown(name: str) -> dict[str, Any]:
        template = templates.get(name)
        uses = scores.uses(template.name)
        versions = []
        for one in templates.versions(name):
            wording = template_value(templates.get(template.name, one.version), [], ())
            parts = {key: wording[key] for key in ("task", "text", "sampling", "structured", "variables")}
            use = uses.get(one.version)
            versions.append({**asdict(one), **parts, "uses": use and asdict(use)})
        unscored = sum(use.unscored for use in uses.values())
        return {"template": shown(template), "versions": versions, "unscored": unscored}

    @routes.get("/v1/templates")
    async def listed(request: Request) -> dict[str, Any]:
        """What can be asked for: templates, their variables, the engines that can do them, and how often each has been
        read with by engines that take its wording. `official` are the model's own wordings, `limits` those of sampling;
        `problems` are template files that cannot be used."""
        return await asyncio.to_thread(all_shown, language_of(request))

    @routes.post("/v1/templates", status_code=201)
    async def create(body: NewTemplate) -> dict[str, Any]:
        """A new own template; 409 where the name is taken."""
        said = {"based_on": body.based_on, "description": body.description, "tags": body.tags}
        return await done(templates.save_new, body.name, dict(body.title), body.text, **said, **body.given())

    @routes.get("/v1/templates.zip", responses={200: {"content": {"application/zip": {}}}})
    async def packed() -> Response:
        """All own templates as the files of the prompts folder."""
        headers = {"Content-Disposition": 'attachment; filename="templates.zip"'}
        return Response(await asyncio.to_thread(files.pack), media_type="application/zip", headers=headers)

    @routes.post("/v1/templates/import")
    async def take(
        request: Request,
        handed: Annotated[list[UploadFile], File(alias="files")],
        person: Annotated[str, Form(max_length=200)] = "",
    ) -> dict[str, Any]:
        """Takes in template files (.md) and zip archives of them, and says what became of each.

        That is `new`, `version` (of the template of its name), `same` (nothing to do), or `refused` with the reason and
        its line.
        """
        came = [Handed(name_of(one), await one.read()) for one in handed]
        language = language_of(request)
        return {
            "files": [
                {
                    "file": one.file,
                    "template": one.template,
                    "outcome": one.outcome,
                    "error": one.error and localize_error(error_value(one.error), language),
                }
                for one in await asyncio.to_thread(files.take, came, person)
            ]
        }

    @routes.get("/v1/templates/{name}")
    async def one(name: str) -> dict[str, Any]:
        """A template, or a version of it (`name@3`), and all its versions, the newest first, with how the readings of
        each turned out.

        That is how many there are, how many labels of them were accepted, and of these the mean error rate of
        characters (`cer`), the share in which something was corrected (`edited`) and the mean official `reward`.
        Readings by engines that take no wording are not counted. Rewards are worked out as they are asked for: while
        `unscored` is not 0, ask again.
        """
        return await asyncio.to_thread(one_shown, name)

    @routes.post("/v1/templates/{name}/versions", status_code=201)
    async def version(name: str, body: NewVersion) -> dict[str, Any]:
        """A new version, in use from now on. One of a template of the product stands in for it."""
        return await done(templates.save_version, name, body.text, expected=body.expected, **body.given())

    @routes.post("/v1/templates/{name}/about")
    async def about(name: str, body: About) -> dict[str, Any]:
        """Changes title, description and tags, which is no version. Of one of the product the tags alone."""
        said = {"titles": body.title, "description": body.description, "tags": body.tags}
        return await done(templates.describe, name, **said)

    @routes.post("/v1/templates/{name}/restore")
    async def restore(name: str, body: Restored) -> dict[str, Any]:
        """Puts a version in use again, also of a template that was deleted."""
        return await done(templates.restore, name, body.version)

    @routes.delete("/v1/templates/{name}", status_code=204)
    async def delete(name: str) -> None:
        """Takes an own template out of use; its versions stay and can be restored."""
        await asyncio.to_thread(templates.delete, name)

    @routes.get("/v1/templates/{name}/file", responses={200: {"content": {"text/markdown": {}}}})
    async def file(name: str, version: str | None = None) -> Response:
        """A template as the file of the prompts folder."""
        content = await asyncio.to_thread(templates.file, name, version)
        headers = {"Content-Disposition": f'attachment; filename="{name.partition("@")[0]}.md"'}
        return Response(content, media_type="text/markdown", headers=headers)

    return routes


def template_value(template: PromptTemplate, engines: list[str], official: Iterable[PromptTemplate]) -> dict[str, Any]:
    """`official` in the value is the template of the product whose wording for the task this is, null where it is none
    of them."""
    return {
        "name": template.name,
        "title": template.title,
        "description": template.description,
        "tags": template.tags,
        "task": template.task.value,
        "text": template.text,
        "version": template.version,
        "builtin": template.builtin,
        "official": official_of(template, official),
        "sampling": template.sampling,
        "structured": template.structured,
        "variables": [
            {
                "name": one.name,
                "label": one.label,
                "default": one.default,
                "choices": [choice.value for choice in one.choices],
                "options": [asdict(choice) for choice in one.choices],
                "many": one.many,
            }
            for one in template.variables
        ],
        "engines": engines,
    }
