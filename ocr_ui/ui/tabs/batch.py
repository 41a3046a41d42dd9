"""The Batch tab: many documents, read in the background. Its module asks the REST interface itself."""

from __future__ import annotations

from typing import Any

from ocr_ui.domain.counted import fill
from ocr_ui.domain.prompt import Variable
from ocr_ui.services.field_sets import load_field_sets
from ocr_ui.services.workbench import Workbench
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.module_html import ModuleHTML
from ocr_ui.ui.viewer_words import viewer_words
from ocr_ui.ui.words import only


class BatchTab:
    """`panel` selects a batch, whose pages are to be shown in the Dataset tab."""

    def __init__(self, workbench: Workbench, words: dict[str, str], language: str) -> None:
        self._workbench, self._words, self._language = workbench, words, language

    def build(self) -> None:
        self.panel = ModuleHTML(
            self.lists(),
            module="batch/batch.mjs",
            words={
                **only(self._words, "jobs.", "list.format.", "engine.seconds", "engine.minutes"),
                **only(viewer_words(self._language), "part_", "unused_", "field_kind_"),
            },
            elem_id="batches",
            frame_class="wb-jobs",
            events=("select",),
            language=self._language,
        )

    def wire(self, tab: gr.Tab) -> None:
        tab.select(self.lists, None, self.panel, show_progress="hidden", queue=False, trigger_mode="always_last")

    def lists(self) -> dict[str, Any]:
        """What can be chosen: the templates and engines as they are now."""
        language = self._language
        return {
            "templates": [
                {
                    "name": template.name,
                    "title": template.title.get(language) or template.name,
                    "task": template.task.value,
                    "variables": [self._variable(variable) for variable in template.variables],
                    "versions": self._versions(template.name),
                }
                for template in self._workbench.templates.list()
            ],
            "engines": [
                {
                    "name": info.name,
                    "title": info.name if info.name == info.kind else f"{info.name} ({info.kind})",
                    "tasks": sorted(task.value for task in info.tasks),
                }
                for info in self._workbench.engines.infos()
            ],
            "field_sets": [(one.title[language], ", ".join(one.names[language])) for one in load_field_sets().values()],
            "webhook": bool(self._workbench.settings.batch_webhook.get_secret_value()),
        }

    def _versions(self, name: str) -> list[dict[str, Any]]:
        """Those that are not in use, each with what it asks for."""
        templates, found = self._workbench.templates, []
        for row in templates.versions(name):
            if not row.current:
                key = "jobs.version.builtin" if row.builtin else "jobs.version.numbered"
                one = templates.get(name, row.version)
                title = " · ".join(part for part in (fill(self._words[key], n=row.number), row.note[:60]) if part)
                variables = [self._variable(variable) for variable in one.variables]
                found.append({"version": row.version, "title": title, "task": one.task.value, "variables": variables})
        return found

    def _variable(self, variable: Variable) -> dict[str, Any]:
        language = self._language
        return {
            "name": variable.name,
            "label": variable.label.get(language) or variable.name,
            "required": variable.default is None,
            "value": variable.default or "",
            "many": variable.many,
            "choices": [(one.value, one.label.get(language) or one.value) for one in variable.choices],
        }
