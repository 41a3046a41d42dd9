"""Several answers about one item, and about all that a filter finds. The modules ask the REST interface themselves."""

from __future__ import annotations

import json
from typing import Any

from ocr_ui.services.access import who
from ocr_ui.services.rollout_view import batch_value
from ocr_ui.services.rollouts import Ask
from ocr_ui.services.view import error_value
from ocr_ui.services.workbench import Workbench
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.messages import localize_error
from ocr_ui.ui.module_html import ModuleHTML
from ocr_ui.ui.reward_messages import localize_rollout
from ocr_ui.ui.unexpected import expected
from ocr_ui.ui.words import only


def _engines(workbench: Workbench) -> str:
    """What a list of engines whose answers differ shows, and the name that each stands for."""
    kinds = {info.name: info.kind for info in workbench.engines.infos()}
    able = workbench.engines.varying()
    titles = {name: name if name == kinds[name] else f"{name} ({kinds[name]})" for name in able}
    return json.dumps([[titles[name], name] for name in able], ensure_ascii=False)


def sample_panel(workbench: Workbench, words: dict[str, str], language: str) -> Any:
    """The bar above the viewer and the answers in the viewer's place; `select` names an item whose label changed."""
    return ModuleHTML(
        None,
        module="samples/samples.mjs",
        words=only(words, "samples."),
        elem_id="samples",
        frame_class="wb-samples wb-compare",
        events=("select",),
        engines=_engines(workbench),
        language=language,
    )


class SampleBatch:
    """Sampling of all items that the filters of the list find."""

    def __init__(self, workbench: Workbench, words: dict[str, str], language: str) -> None:
        self._workbench, self._words, self._language = workbench, words, language

    def build(self) -> None:
        with gr.Accordion(self._words["batch.title"], open=False, elem_id="batch-part"):
            self.panel = ModuleHTML(
                None,
                module="samples/batch.mjs",
                words=only(self._words, "batch.", "samples."),
                elem_id="batch",
                frame_class="wb-batch",
                events=("submit",),
                engines=_engines(self._workbench),
                language=self._language,
            )

    async def start(self, event: gr.EventData, query: dict[str, Any]) -> dict[str, Any]:
        """The panel's value: the batch that runs now, or the error that kept it from running."""
        try:
            ask = Ask(int(event.n), float(event.temperature), float(event.top_p), str(event.engine))
            begun = await self._workbench.batches.start(ask, query, who(str(event.person)))
        except Exception as error:
            return {"error": localize_error(error_value(expected(error)), self._language)}
        return localize_rollout(batch_value(begun), self._language)
