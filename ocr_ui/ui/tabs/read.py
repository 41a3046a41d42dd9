"""The Read tab: a picture, a template, the engine's lines as they come, and their correction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

from ocr_ui.domain.counted import fill
from ocr_ui.domain.prompt import PromptTemplate, Task, Variable
from ocr_ui.domain.recognition import PromptUsed
from ocr_ui.errors import BadInput, WorkbenchError
from ocr_ui.services.field_sets import load_field_sets
from ocr_ui.services.reading import ReadRequest
from ocr_ui.services.templates import TemplateVersion, nearest_official
from ocr_ui.services.workbench import Workbench
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.messages import error_sentence, localize
from ocr_ui.ui.module_html import ModuleHTML
from ocr_ui.ui.tabs.again import ReadAgain
from ocr_ui.ui.tabs.result_actions import ResultActions
from ocr_ui.ui.tabs.samples import sample_panel
from ocr_ui.ui.unexpected import expected
from ocr_ui.ui.viewer import Viewer
from ocr_ui.ui.viewer_words import viewer_words
from ocr_ui.ui.words import only

SPEAKING = {"show_progress": "hidden", "concurrency_limit": None}
"""How events are wired whose handlers may show a message: outside Gradio's queue it would never reach the page."""
FULL_TEXT = "full_text"
"""The template that every engine can do."""
SLOTS = 3
"""Variables that a template may have on this tab; each has a text field and a list of choices, one of them shown."""


class ReadTab:
    """Builds the tab and wires it. Handlers call one service each and turn its answer into updates."""

    def __init__(self, workbench: Workbench, words: dict[str, str], language: str) -> None:
        self._workbench, self._words, self._language = workbench, words, language
        self.again = ReadAgain(workbench, words, language)
        self.actions = ResultActions(workbench, words, language)

    def build(self) -> None:
        self.written = gr.State("")  # the prompt as a handler wrote it last; another text is a person's
        with gr.Row(elem_classes="wb-read"):
            with gr.Column(scale=0, min_width=320, elem_classes="wb-side"):
                self._build_choices()
                self._build_prompt()
                self._build_examples()
            with gr.Column(scale=1, min_width=640):
                self.again.build(engine_choices(self._workbench))
                self.samples = sample_panel(self._workbench, self._words, self._language)
                self.viewer = Viewer(
                    self._workbench.views.empty(),
                    words=viewer_words(self._language, self._workbench.settings.max_upload_bytes),
                    lang=self._language,
                )
                self.actions.build()

    def _build_choices(self) -> None:
        names = self._template_choices()
        engines = engine_choices(self._workbench)
        self.template = gr.Dropdown(
            names, value=names[0][1], label=self._words["read.template"], elem_id="template", filterable=True
        )
        self.field_set = gr.Dropdown(
            self._field_sets(), value="", label=self._words["read.field_set"], elem_id="field-set", visible=False
        )
        self.texts = [gr.Textbox(visible=False, elem_id=f"variable-{n}", max_lines=4) for n in range(SLOTS)]
        self.lists = [gr.Dropdown(visible=False, elem_id=f"choice-{n}") for n in range(SLOTS)]
        self.engine = gr.Dropdown(
            engines,
            value=self._workbench.engines.default,
            label=self._words["read.engine"],
            elem_id="engine",
            visible=len(engines) > 1,
        )
        with gr.Row(elem_classes="wb-go"):
            self.go = gr.Button(self._words["read.go"], variant="primary", elem_id="read-go", scale=3)
            self.stop = gr.Button(
                self._words["read.stop"], elem_id="read-stop", interactive=False, scale=1, min_width=80
            )
        self.offer = gr.Markdown(visible=False, elem_id="offer", elem_classes="wb-offer")
        self.instead = gr.Button(self._words["read.instead"], visible=False, elem_id="read-instead", size="sm")
        self.structured = gr.Checkbox(
            label=self._words["read.structured"], visible=False, elem_id="structured", container=False
        )
        self.confidence = gr.Checkbox(
            self._workbench.settings.token_logprobs,
            label=self._words["read.confidence"],
            info=self._words["read.confidence.info"],
            visible=False,
            elem_id="with-confidence",
            container=False,
        )

    def _build_prompt(self) -> None:
        words = self._words
        self.prompt = gr.Textbox(
            label=words["read.prompt"], info=words["read.prompt.info"], lines=4, max_lines=12, elem_id="prompt"
        )
        self.note = gr.Markdown("", elem_id="prompt-note", elem_classes="wb-note")
        with gr.Row(elem_classes="wb-prompt-buttons"):
            self.restore = gr.Button(words["read.restore"], size="sm", elem_id="prompt-restore", min_width=60)
            self.save_version = gr.Button(words["read.save_version"], size="sm", elem_id="prompt-save", min_width=60)
        gr.Markdown(words["read.save_not"], elem_id="prompt-save-not", elem_classes="wb-note")
        with gr.Accordion(words["read.more"], open=False, elem_id="prompt-more"):
            self.versions = gr.Dropdown(
                [], label=words["read.versions"], info=words["read.versions.info"], elem_id="prompt-versions"
            )
            self.new_name = gr.Textbox(
                label=words["read.new_name"], info=words["read.new_name.info"], elem_id="new-name"
            )
            self.save_new = gr.Button(words["read.save_new"], size="sm", elem_id="prompt-save-new")

    def _build_examples(self) -> None:
        shown = [
            {
                "name": example.name,
                "title": example.title[self._language],
                "thumbnail": f"/examples/{example.name}/thumbnail",
            }
            for example in self._workbench.examples.list()
        ]
        self.examples = ModuleHTML(
            shown,
            module="page/examples.mjs",
            words=only(self._words, "read.examples"),
            elem_id="examples",
            frame_class="wb-examples",
            events=("select",),
        )

    # Wiring

    def wire(self, header: ModuleHTML, tab: gr.Tab) -> None:
        """Args: header: selects an engine, where one is offered for another that is not ready."""
        quiet = {"show_progress": "hidden", "queue": False, "trigger_mode": "always_last"}
        slots = [*self.texts, *self.lists]
        self.chosen = [self.template, self.engine, *slots]
        self.asking = [self.prompt, self.written, self.structured, self.confidence, *self.chosen]
        shown_or_not = [self.offer, self.go, self.instead, self.structured, self.confidence]
        self.explained = [self.prompt, self.written, self.note, *shown_or_not]
        self.described = [self.field_set, *slots, self.versions, *self.explained]
        # Only what a person does: a value that a handler sets comes with all that belongs to it.
        self.template.input(self.choose, [self.template, self.engine], self.described, **quiet)
        self.engine.input(self.choose_engine, self.chosen, self.explained, **quiet)
        header.select(self.take_engine, [self.template, *slots], [self.engine, *self.explained], **quiet)
        self.field_set.input(
            self.fill_fields, [self.field_set, *self.chosen], [self.texts[0], *self.explained], **quiet
        )
        for slot in slots:
            slot.input(self.explain, self.chosen, self.explained, **quiet)
        self.prompt.input(self.notice_edit, [self.prompt, self.written, *self.chosen], self.note, **quiet)
        self.restore.click(self.explain, self.chosen, self.explained, **quiet)
        self._wire_versions(quiet)
        asked = [self.prompt, self.written, *self.chosen]
        tab.select(self.look_again, asked, [self.template, *self.described], **quiet)
        taken = [self.viewer, *self.actions.parts, self.template, *self.described]
        self.examples.select(self.take_example, self.engine, taken, **SPEAKING)
        self.viewer.upload(self.actions.hidden, None, self.actions.parts, **quiet)
        self._wire_reading(quiet)

    def _wire_reading(self, quiet: dict) -> None:
        told = [self.viewer, self.go, self.stop, *self.actions.parts]
        streamed = {"show_progress": "hidden", "concurrency_limit": 32, "concurrency_id": "read"}
        asked = [self.viewer, *self.asking]
        described = [self.template, *self.described]
        self.go.click(self.read, asked, told, **streamed)
        full = self.instead.click(self.choose_full_text, self.engine, described, **quiet)
        full.success(self.read, asked, told, **streamed)
        for kind, button in self.actions.buttons.items():
            button.click(self.retry(kind), self.viewer, told, **streamed)
        other = self.actions.template.input(
            self.choose_other, [self.actions.template, self.viewer, self.engine], described, **quiet
        )
        other.success(self.read, asked, told, **streamed)
        self.stop.click(self.stop_reading, None, None, **quiet)
        self.again.wire(self)

    def _wire_versions(self, quiet: dict) -> None:
        text = [self.prompt, *self.chosen]
        saved = [self.template, self.versions, self.written, self.note]
        self.save_version.click(self.keep_version, text, saved, **quiet)
        kept = [self.template, self.new_name, *self.described]
        self.save_new.click(self.keep_new, [self.new_name, *text], kept, **SPEAKING)
        of_version = [self.template, self.versions, self.engine]
        self.versions.input(self.take_version, of_version, [self.template, *self.described], **quiet)

    # Handlers

    def choose(
        self, name: str, engine: str, values: dict[str, str] | None = None, held: bool | None = None
    ) -> list[Any]:
        """Another template: its variables with these values or their defaults, its versions, its text.

        Args:
            held: whether the answer is held to the field names; None as the template says.
        """
        template = self._template(name)
        slots = [*template.variables[:SLOTS], *[None] * (SLOTS - len(template.variables[:SLOTS]))]
        given = [(values or {}).get(v.name, v.default or "") if v else "" for v in slots]
        return [
            gr.update(visible=any(v is not None and v.many for v in slots), value=""),
            *(self._text_slot(variable, value) for variable, value in zip(slots, given, strict=True)),
            *(self._list_slot(variable, value) for variable, value in zip(slots, given, strict=True)),
            self._version_choices(template),
            *self.explain(name, engine, *given, *given, held=template.structured if held is None else held),
        ]

    def look_again(self, prompt: str, written: str, name: str, engine: str, *slots: str | None) -> list[Any]:
        """What was changed in the library meanwhile; a text that was edited here stays as it is."""
        try:
            template = self._template(name)
        except WorkbenchError:
            return self.at_first(engine)
        values = self._values(template, slots)
        if prompt == written and written != self._rendered(template, values):
            return [self._chosen(name), *self.choose(name, engine, values)]
        unchanged = [gr.skip()] * len(self.described)
        unchanged[self.described.index(self.versions)] = self._version_choices(template)
        return [self._chosen(name), *unchanged]

    def choose_full_text(self, engine: str) -> list[Any]:
        return [self._chosen(FULL_TEXT), *self.choose(FULL_TEXT, engine)]

    def choose_other(self, name: str, shown: dict[str, Any] | None, engine: str) -> list[Any]:
        """The template to read the same page with instead, with the variables of the result that is shown."""
        used = ((shown or {}).get("item") or {}).get("variables") or {}
        return [self._chosen(name), *self.choose(name, engine, self._template(name).fitting(used))]

    def at_first(self, engine: str) -> list[Any]:
        """The first template, for a page that has just been opened."""
        first = self._template_choices()[0][1]
        return [self._chosen(first), *self.choose(first, engine)]

    def as_used(self, prompt: PromptUsed, engine: str) -> list[Any]:
        """The version of the template of a stored run with its variables; nothing where that template is gone."""
        if prompt.template not in {name for _, name in self._template_choices()}:
            return [gr.skip()] * (1 + len(self.described))
        held = "json_schema" in prompt.sampling
        written = self._written(prompt.template, prompt.version)
        return [self._chosen(written), *self.choose(written, engine, prompt.variables, held)]

    def explain(self, name: str, engine: str, *slots: str | None, held: bool | None = None) -> list[Any]:
        """The exact text that will be sent with these values, and what a person should know about it.

        Args:
            held: sets the switch that holds the answer to the field names; None leaves it.
        """
        template = self._template(name)
        text = self._rendered(template, self._values(template, slots))
        return [text, text, self._note(template, engine, slots), *self._possible(template, engine, held)]

    async def choose_engine(self, name: str, engine: str, *slots: str | None) -> list[Any]:
        """Another engine: it starts where it has not been needed before."""
        self._workbench.engines.wake(engine)
        return await asyncio.to_thread(self.explain, name, engine, *slots)

    async def take_engine(self, event: gr.SelectData, name: str, *slots: str | None) -> list[Any]:
        """Another engine, chosen outside of the tab."""
        return [event.value, *await self.choose_engine(name, event.value, *slots)]

    def notice_edit(self, prompt: str, written: str, name: str, engine: str, *slots: str | None) -> str:
        return (
            self._words["read.prompt.edited"] if prompt != written else self._note(self._template(name), engine, slots)
        )

    def fill_fields(self, field_set: str, name: str, engine: str, *slots: str | None) -> list[Any]:
        chosen = load_field_sets().get(field_set)
        if chosen is None:
            return [gr.skip()] * (1 + len(self.explained))
        names = ", ".join(chosen.names[self._language])
        return [names, *self.explain(name, engine, names, *slots[1:])]

    async def take_example(self, event: gr.SelectData, request: gr.Request, engine: str) -> list[Any]:
        """Opens an example and sets the template that fits it."""
        if self._workbench.recognizer.is_reading(request.session_hash or ""):
            gr.Warning(self._words["read.stop_first"])
            return [gr.skip()] * (2 + len(self.actions.parts) + len(self.described))
        example = self._workbench.examples.get(event.value)
        data = await self._workbench.examples.bytes(example.name)
        received = await self._workbench.pictures.receive(data, example.file.name)
        value = localize(self._workbench.views.picture(received), self._language)
        described = await asyncio.to_thread(self.choose, example.template, engine, example.variables)
        return [value, *self.actions.hidden(), self._chosen(example.template), *described]

    async def read(
        self,
        request: gr.Request,
        shown: dict[str, Any] | None,
        prompt: str,
        written: str,
        structured: bool,
        confidence: bool,
        name: str,
        engine: str,
        *slots: str | None,
    ) -> AsyncIterator[list[Any]]:
        """Reads the page that is shown as the choices say."""
        choices = (prompt, written, structured, confidence, name, engine, slots)
        asked = await asyncio.to_thread(self.asked, *choices)
        async with aclosing(self._stream(request, shown, asked, engine, daily=True)) as steps:
            async for step in steps:
                yield step

    def retry(self, kind: str) -> Callable[..., AsyncIterator[list[Any]]]:
        """The handler that reads the result that is shown once more, with one thing changed."""

        async def read_again(request: gr.Request, shown: dict[str, Any] | None) -> AsyncIterator[list[Any]]:
            recognition_id = ((shown or {}).get("item") or {}).get("recognition_id")
            try:
                asked, engine = await self._workbench.retries.request(int(recognition_id or 0), kind)
            except WorkbenchError as error:
                gr.Warning(error_sentence(error, self._language))
                yield [gr.skip(), gr.skip(), gr.skip(), *self.actions.hidden()]
                return
            async with aclosing(self._stream(request, shown, asked, engine)) as steps:
                async for step in steps:
                    yield step

        return read_again

    async def _stream(
        self,
        request: gr.Request,
        shown: dict[str, Any] | None,
        asked: ReadRequest,
        engine: str,
        daily: bool = False,
    ) -> AsyncIterator[list[Any]]:
        """Streams a reading into the viewer. Read and Stop change places while it runs; then comes what can be done
        with the result."""
        page_id = _page_id(shown)
        views = self._workbench.views
        kept = [gr.skip()] * len(self.actions.parts)
        running = [gr.update(interactive=False), gr.update(interactive=True)]
        idle = [gr.update(interactive=True), gr.update(interactive=False)]
        if page_id is None:
            gr.Info(self._words["read.no_picture"])
            yield [gr.skip(), *idle, *kept]
            return
        yield [gr.skip(), *running, *self.actions.hidden()]
        recognition = None
        try:
            owner = request.session_hash or ""
            reading = self._workbench.recognizer.read(page_id, asked, engine=engine, owner=owner, daily=daily)
            async with aclosing(reading) as steps:
                async for step in steps:
                    value = localize(await asyncio.to_thread(views.reading, page_id, step), self._language)
                    value["warnings"] = [*_about_picture(shown), *value["warnings"]]
                    recognition = step.progress.recognition if step.recognition_id is not None else None
                    yield [value, gr.skip(), gr.skip(), *kept]
        except Exception as error:
            page, _ = await self._workbench.pictures.load(page_id)
            yield [localize(views.failed(page, page_id, expected(error)), self._language), *idle, *kept]
            return
        yield [gr.skip(), *idle, *await asyncio.to_thread(self.actions.updates, recognition)]

    def asked(
        self,
        prompt: str,
        written: str,
        structured: bool,
        confidence: bool,
        name: str,
        engine: str,
        slots: tuple[str | None, ...],
    ) -> ReadRequest:
        """What the tab asks an engine for: its template with the values typed, or with the text edited for this run."""
        template = self._template(name)
        return ReadRequest(
            template,
            self._values(template, slots),
            # A text that nobody has touched since it was written here follows the values, however late they came.
            None if prompt == written else prompt,
            sampling=self._with_confidence(engine, confidence),
            structured=bool(structured) if template.task is Task.FIELDS else None,
        )

    def keep_version(self, prompt: str, name: str, engine: str, *slots: str | None) -> list[Any]:
        """Saves the text as a version, in use from now on, with the settings of the version it was made from."""
        template = self._template(name)
        text = template.with_blanks(prompt, self._values(template, slots))
        settings = {"task": template.task, "sampling": template.sampling, "structured": template.structured}
        if template.version != self._template(template.name).version:
            settings["variables"] = template.variables
        try:
            saved = self._workbench.templates.save_version(template.name, text, **settings)
        except WorkbenchError as error:
            return [gr.skip(), gr.skip(), gr.skip(), error_sentence(error, self._language)]
        rows = self._workbench.templates.versions(saved.name)
        number = next(row.number for row in rows if row.version == saved.version)
        said = fill(self._words["read.saved_version"], version=number, name=saved.name)
        return [self._chosen(saved.name), self._version_choices(saved), prompt, said]

    def keep_new(self, new_name: str, prompt: str, name: str, engine: str, *slots: str | None) -> list[Any]:
        template = self._template(name)
        values = self._values(template, slots)
        text = template.with_blanks(prompt, values)
        titles = dict.fromkeys(template.title, new_name)
        try:
            saved = self._workbench.templates.save_new(new_name.strip(), titles, text, based_on=name)
        except WorkbenchError as error:
            gr.Warning(error_sentence(error, self._language))
            return [gr.skip()] * (2 + len(self.described))
        gr.Info(fill(self._words["read.saved_new"], name=saved.name))
        return [self._chosen(saved.name), "", *self.choose(saved.name, engine, values)]

    def take_version(self, name: str, version: str, engine: str) -> list[Any]:
        """Another version of the template, for the readings to come here."""
        written = self._written(self._template(name).name, version)
        return [self._chosen(written), *self.choose(written, engine)]

    async def stop_reading(self, request: gr.Request) -> None:
        await self._workbench.recognizer.stop(request.session_hash or "")

    # Small parts

    def _template(self, name: str) -> PromptTemplate:
        return self._workbench.templates.get(name)

    def _template_choices(self, written: str = "") -> list[tuple[str, str]]:
        """Args: written: a `name@version` that is to be among them."""
        name, at, version = written.partition("@")
        choices = []
        for template in self._workbench.templates.list():
            title = template.title.get(self._language) or template.name
            choices.append((title, template.name))
            if at and template.name == name:
                row = next(row for row in self._workbench.templates.versions(name) if row.version == version)
                choices.append((f"{title} · {self._version_word(row)}", written))
        return choices

    def _chosen(self, written: str) -> Any:
        """The list of templates as it is now, with one of them chosen."""
        return gr.update(choices=self._template_choices(written), value=written)

    def _written(self, name: str, version: str) -> str:
        """A version as it stands in the list of templates: by the name alone where it is in use, or is not there."""
        rows = self._workbench.templates.versions(name)
        other = any(row.version == version and not row.current for row in rows)
        return f"{name}@{version}" if other else name

    def _version_word(self, row: TemplateVersion) -> str:
        return fill(self._words["read.version.builtin" if row.builtin else "read.version"], version=row.number)

    def _field_sets(self) -> list[tuple[str, str]]:
        sets = load_field_sets()
        return [(self._words["read.field_set.none"], ""), *((s.title[self._language], key) for key, s in sets.items())]

    def _version_choices(self, template: PromptTemplate) -> Any:
        """The versions by number, with that of `template` chosen."""
        shown = []
        for row in self._workbench.templates.versions(template.name):
            current = self._words["read.version.current"] if row.current else ""
            parts = [self._version_word(row), current, row.saved[:16].replace("T", " "), row.note[:60]]
            shown.append((" · ".join(part for part in parts if part), row.version))
        return gr.update(choices=shown, value=template.version)

    def _label(self, variable: Variable) -> str:
        return variable.label.get(self._language) or variable.name

    def _text_slot(self, variable: Variable | None, value: str) -> Any:
        if variable is None or variable.choices:
            return gr.update(visible=False)
        return gr.update(visible=True, label=self._label(variable), value=value)

    def _list_slot(self, variable: Variable | None, value: str) -> Any:
        if variable is None or not variable.choices:
            return gr.update(visible=False)
        choices = [(choice.label.get(self._language) or choice.value, choice.value) for choice in variable.choices]
        return gr.update(visible=True, label=self._label(variable), choices=choices, value=value)

    def _values(self, template: PromptTemplate, slots: tuple[str | None, ...]) -> dict[str, str]:
        """The values of the template's variables: from the list where it has choices, else from the text field."""
        values = {}
        for number, variable in enumerate(template.variables[:SLOTS]):
            value = slots[SLOTS + number] if variable.choices else slots[number]
            if variable.choices and value not in {choice.value for choice in variable.choices}:
                value = variable.default  # the list still holds the choice of the template before
            if value:
                values[variable.name] = str(value)
        return values

    def _rendered(self, template: PromptTemplate, values: dict[str, str]) -> str:
        """The text with its blanks filled; as it is where a value is missing."""
        try:
            return template.render(values)
        except BadInput:
            return template.text

    def _note(self, template: PromptTemplate, engine: str, slots: tuple[str | None, ...]) -> str:
        values = self._values(template, slots)
        missing = [self._label(v) for v in template.variables if not (values.get(v.name) or v.default)]
        if missing:
            return fill(self._words["read.prompt.missing"], names=", ".join(missing))
        able = engine in self._workbench.engines.can(template.task)
        if able and not self._takes_prompt(engine):
            return fill(self._words["read.prompt.unused"], engine=engine)
        official = nearest_official(template, self._workbench.templates.builtin())
        title = official and (official.title.get(self._language) or official.name)
        return fill(self._words["read.prompt.own"], title=title) if title else ""

    def _offer(self, template: PromptTemplate, engine: str) -> Any:
        """Which engines can do this, where the chosen one cannot."""
        able = self._workbench.engines.can(template.task)
        if engine in able:
            return gr.update(visible=False)
        here = [fill(self._words["read.can_here"], engine=name) for name in able]
        kinds = {self._workbench.engines.kind_of(name) for name in able}
        elsewhere = [self._words[f"read.get.{kind}"] for kind in ("vllm", "openai", "llama") if kind not in kinds]
        head = fill(self._words["read.cannot"], engine=engine)
        return gr.update(visible=True, value="\n".join([head, "", *(f"- {line}" for line in here + elsewhere)]))

    def _possible(self, template: PromptTemplate, engine: str, held: bool | None) -> list[Any]:
        """The offer, Read or what to press instead, and the switches, as far as the engine can do them."""
        full_text = self._workbench.engines.can(self._template(FULL_TEXT).task)
        vain = engine not in self._workbench.engines.can(template.task) and engine in full_text
        cannot = "" if self._holds_form(engine) else fill(self._words["read.structured.cannot"], engine=engine)
        switch = {
            "visible": template.task is Task.FIELDS,
            "interactive": not cannot,
            "info": cannot or self._words["read.structured.info"],
            **({} if held is None else {"value": held}),
        }
        return [
            self._offer(template, engine),
            gr.update(visible=not vain),
            gr.update(visible=vain),
            gr.update(**switch),
            gr.update(visible=self._takes_prompt(engine)),
        ]

    def _with_confidence(self, engine: str, wanted: bool) -> dict[str, Any]:
        """The sampling for it, where it is not what the engine does anyway."""
        usual = self._workbench.engines.settings_of(engine, self._workbench.settings).token_logprobs
        return {"logprobs": wanted} if self._takes_prompt(engine) and wanted != usual else {}

    def _holds_form(self, engine: str) -> bool:
        return any(info.holds_form for info in self._workbench.engines.infos() if info.name == engine)

    def _takes_prompt(self, engine: str) -> bool:
        return next((info.takes_prompt for info in self._workbench.engines.infos() if info.name == engine), True)


def engine_choices(workbench: Workbench) -> list[tuple[str, str]]:
    """What a list of engines shows, and the name that each stands for."""
    infos = workbench.engines.infos()
    return [(info.name if info.name == info.kind else f"{info.name} ({info.kind})", info.name) for info in infos]


def _about_picture(shown: dict[str, Any] | None) -> list[dict[str, Any]]:
    """What was said when the picture came in (it was turned, has more pages, ...), until it has been read."""
    value = shown or {}
    fresh = (value.get("item") or {}).get("recognition_id") is None
    return [{**warning, "line": None} for warning in value.get("warnings") or []] if fresh else []


def _page_id(shown: dict[str, Any] | None) -> int | None:
    """The page in a viewer's value."""
    page = ((shown or {}).get("item") or {}).get("page") or {}
    return page.get("id")
