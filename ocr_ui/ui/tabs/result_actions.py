"""The row under a result with what can be done next, one click each."""

from __future__ import annotations

from typing import Any

from ocr_ui.domain.amounts import pixels_text
from ocr_ui.domain.counted import fill
from ocr_ui.domain.recognition import Recognition
from ocr_ui.services.retries import KINDS, Retry
from ocr_ui.services.workbench import Workbench
from ocr_ui.ui.gradio_quickly import gr


class ResultActions:
    """Buttons to read a page again where its reading did not come to its end. Hidden where nothing is offered.

    Attributes:
        row: the row itself, open for further actions.
        buttons: by kind of retry.
        template: the list of templates to read the page with instead; choosing one reads.
        parts: what `updates` speaks of, in its order.
    """

    def __init__(self, workbench: Workbench, words: dict[str, str], language: str) -> None:
        self._workbench, self._words, self._language = workbench, words, language

    def build(self) -> None:
        with gr.Row(elem_id="result-actions", elem_classes="wb-actions") as self.row:
            self.buttons = {
                kind: gr.Button(visible=False, size="sm", elem_id=f"retry-{kind}", scale=0, min_width=120)
                for kind in KINDS
            }
            self.template = gr.Dropdown(
                [],
                visible=False,
                label=self._words["retry.template"],
                elem_id="retry-template",
                scale=0,
                min_width=260,
            )
        self.parts = [*self.buttons.values(), self.template]

    def updates(self, recognition: Recognition | None) -> list[Any]:
        """For a result that is shown now; None for anything else."""
        if recognition is None:
            return self.hidden()
        offered = {retry.kind: retry for retry in self._workbench.retries.offered(recognition)}
        suiting = self._workbench.retries.suiting(recognition)
        choices = [(template.title.get(self._language) or template.name, template.name) for template in suiting]
        buttons = [self._button(offered.get(kind)) for kind in KINDS]
        return [*buttons, gr.update(visible=bool(choices), choices=choices, value=None)]

    def hidden(self) -> list[Any]:
        return [gr.update(visible=False) for _ in self.parts]

    def _button(self, retry: Retry | None) -> Any:
        if retry is None:
            return gr.update(visible=False)
        value = pixels_text(int(retry.value), self._language) if retry.kind == "smaller" else f"{retry.value:g}"
        return gr.update(visible=True, value=fill(self._words[f"retry.{retry.kind}"], value=value))
