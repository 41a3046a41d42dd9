"""The page, once in each language, mounted on the server."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

from ocr_ui.services.workbench import Workbench
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.guarded import GuardedBlocks
from ocr_ui.ui.messages import error_sentence, localize
from ocr_ui.ui.module_html import STATIC_URL, ModuleHTML
from ocr_ui.ui.no_counting import count_nothing
from ocr_ui.ui.tab_memory import keep_little
from ocr_ui.ui.tabs.batch import BatchTab
from ocr_ui.ui.tabs.dataset import DatasetTab
from ocr_ui.ui.tabs.monitor import MonitorTab
from ocr_ui.ui.tabs.prompts import PromptsTab
from ocr_ui.ui.tabs.read import SPEAKING, ReadTab
from ocr_ui.ui.texts import LANGUAGES, words
from ocr_ui.ui.unexpected import expected, guard
from ocr_ui.ui.words import only

STATIC = Path(__file__).resolve().parent / "static"
CSS = STATIC / "page" / "page.css"
ICON = STATIC / "page" / "icon.svg"
HEAD = f'<script type="module">import("{STATIC_URL}/page/page.mjs");</script>'
THEME = gr.themes.Default(
    font=["system-ui", "-apple-system", "Segoe UI", "Noto Sans", "Noto Sans CJK SC", "sans-serif"],
    font_mono=["ui-monospace", "DejaVu Sans Mono", "Consolas", "monospace"],
    spacing_size=gr.themes.sizes.spacing_sm,
    radius_size=gr.themes.sizes.radius_sm,
    text_size=gr.themes.sizes.text_sm,
    primary_hue=gr.themes.colors.blue,
).set(
    # The default grey is too light to be read by everybody: 4.5 to 1 is what WCAG asks for.
    body_text_color_subdued="#57606a",
    body_text_color_subdued_dark="#a8b0ba",
    block_info_text_color="#57606a",
    block_info_text_color_dark="#a8b0ba",
    block_title_text_color="#374151",
    block_title_text_color_dark="#d1d5db",
    button_primary_background_fill="#1d4ed8",
    button_primary_background_fill_hover="#1e40af",
    button_primary_background_fill_dark="#1d4ed8",
    button_primary_background_fill_hover_dark="#1e40af",
    button_large_text_size="14px",
)

IDLE_LOOK_SECONDS = 0.01


def build(workbench: Workbench, language: str) -> gr.Blocks:
    """The whole page in one language ("en" or "zh")."""
    table = words(language)
    read, dataset = ReadTab(workbench, table, language), DatasetTab(workbench, table, language)
    batch, prompts = BatchTab(workbench, table, language), PromptsTab(workbench, table, language)
    with GuardedBlocks(title=table["app.title"], analytics_enabled=False, fill_width=True) as demo:
        header = ModuleHTML(
            {"language": language, "languages": LANGUAGES, "auth": workbench.settings.auth},
            module="page/header.mjs",
            words=only(table, "app.", "account.", "engine."),
            elem_id="header",
            frame_class="wb-header",
            events=("select",),
        )
        with gr.Tabs(elem_id="tabs") as tabs:
            with gr.Tab(table["tab.read"], id="read") as read_tab:
                read.build()
            with gr.Tab(table["tab.batch"], id="batch", elem_id="batch-tab") as batch_tab:
                batch.build()
            with gr.Tab(table["tab.dataset"], id="dataset") as dataset_tab:
                dataset.build()
            with gr.Tab(table["tab.prompts"], id="prompts"):
                prompts.build()
            with gr.Tab(table["tab.monitor"], id="monitor", elem_id="monitor-tab"):
                MonitorTab(table, language).build()
        read.wire(header, read_tab)
        batch.wire(batch_tab)
        dataset.wire(dataset_tab)
        prompts.wire()
        wire_batches(batch, dataset, tabs)
        wire_opening(workbench, language, demo, tabs, read, dataset)
    guard(demo, table["app.failed"], language)
    return demo


def wire_opening(
    workbench: Workbench, language: str, demo: gr.Blocks, tabs: gr.Tabs, read: ReadTab, dataset: DatasetTab
) -> None:
    """An item of the list, and the item named in the page's address, open in the viewer."""

    async def shown(recognition_id: int, engine: str) -> list[Any]:
        """The viewer's value, and the template with its variables as they were."""
        item = await workbench.annotator.open_item(recognition_id)
        value = localize(await asyncio.to_thread(workbench.views.item, item), language)
        recognition = item.recognition.recognition
        actions = await asyncio.to_thread(read.actions.updates, recognition)
        prompt = recognition.prompt
        if item.arm and item.arm_hidden:
            prompt = replace(prompt, template=item.arm.asked_template)
        return [value, *actions, *await asyncio.to_thread(read.as_used, prompt, engine)]

    async def first(engine: str) -> list[Any]:
        return [*read.actions.hidden(), *await asyncio.to_thread(read.at_first, engine)]

    async def open_chosen(event: gr.SelectData, engine: str) -> list[Any]:
        return [gr.update(selected="read"), *await shown(int(event.value), engine)]

    async def open_kept(event: gr.SelectData, engine: str) -> list[Any]:
        return await shown(int(event.value), engine)

    async def open_addressed(request: gr.Request, engine: str) -> list[Any]:
        item, page = (
            request.query_params.get(name, "") for name in ("item", "picture")
        )  # Gradio keeps "page" for itself
        try:
            if item.isdigit():
                return await shown(int(item), engine)
            if page.isdigit():
                # A reading under way ends with its tab; what it had read was stored.
                latest = await workbench.recognizer.latest(int(page))
                if latest is not None:
                    return await shown(latest, engine)
                received = await workbench.pictures.again(int(page))
                return [localize(workbench.views.picture(received), language), *await first(engine)]
        except Exception as error:
            gr.Warning(error_sentence(expected(error), language))
        return [gr.skip(), *await first(engine)]

    opened = [read.viewer, *read.actions.parts, read.template, *read.described]
    dataset.list.select(open_chosen, read.engine, [tabs, *opened], **SPEAKING)
    read.again.panel.select(open_kept, read.engine, opened, **SPEAKING)
    read.samples.select(open_kept, read.engine, opened, **SPEAKING)
    demo.load(open_addressed, read.engine, opened, **SPEAKING)


def wire_batches(batch: BatchTab, dataset: DatasetTab, tabs: gr.Tabs) -> None:
    """The pages of a batch are shown in the list, where they are reviewed."""

    async def shown(event: gr.SelectData) -> list[Any]:
        opened = gr.update(selected="dataset"), gr.update(open=True)
        return [*opened, *await dataset.only_job(int(event.value))]

    chosen = batch.panel.select(shown, None, [tabs, dataset.more, *dataset.filters], **SPEAKING)
    chosen.success(dataset.show, dataset.filters, dataset.shown, **SPEAKING)


def look_less_often(demo: gr.Blocks) -> None:
    """Gradio (6.31) asks itself a thousand times a second whether somebody has pressed something, which kept an idle
    server at a twelfth of a core. Half of this wait is what an event pays for it.
    """
    demo._queue.sleep_when_free = IDLE_LOOK_SECONDS
    demo._queue.progress_update_sleep_when_free = 5 * IDLE_LOOK_SECONDS


def mount(app: Any, workbench: Workbench, acting_key: str = "", request_key: str = "") -> Any:
    """Mounts the page at `/en` and `/zh`. Routes of the app must stand before: Gradio's come last.

    Args:
        acting_key: key of the requests' scope under which it stands who acts; empty without logins.
        request_key: the same, of the request's id.
    """
    count_nothing()
    for language in LANGUAGES:
        demo = build(workbench, language)
        demo.name_requests(request_key)
        if acting_key:
            demo.guard(acting_key, workbench.page_sessions)
        demo.queue(max_size=64, default_concurrency_limit=8, api_open=False)
        look_less_often(demo)
        app = gr.mount_gradio_app(
            app,
            demo,
            path=f"/{language}",
            theme=THEME,
            css_paths=[CSS],
            head=HEAD,
            run_history=False,
            footer_links=[],
            ssr_mode=False,
            auth_dependency=(lambda request: request.scope[acting_key].identity.name or None) if acting_key else None,
            max_file_size=workbench.settings.max_upload_bytes,
        )
        keep_little(demo, app.routes[-1].app)
    return app
