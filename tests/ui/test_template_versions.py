"""Versions of templates in the lists of the Read and the Batch tab."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fakes import ScriptedEngine

from ocr_ui.domain.prompt import Variable
from ocr_ui.domain.recognition import PromptUsed
from ocr_ui.services.engines import Engines
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import Settings
from ocr_ui.ui.gradio_quickly import gr
from ocr_ui.ui.tabs.batch import BatchTab
from ocr_ui.ui.tabs.read import ReadTab
from ocr_ui.ui.texts import words


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    made = Workbench.open(Settings(data_dir=tmp_path_factory.mktemp("data")), Engines({"scripted": ScriptedEngine([])}))
    yield made
    made.store.close()


@pytest.fixture(scope="module")
def read(workbench: Workbench) -> ReadTab:
    tab = ReadTab(workbench, words("en"), "en")
    with gr.Blocks(), gr.Tab("") as first:
        tab.build()
        tab.wire(gr.HTML(), first)
    return tab


def first_of_two(workbench: Workbench, name: str) -> str:
    """The first version of a template that has two of its own: it has a variable, the one in use has none."""
    a = Variable("a", {"en": "A"}, "x")
    first = workbench.templates.save_version(name, "One {{a}}.", variables=[a], note="why").version
    workbench.templates.save_version(name, "Two.")
    return first


def part(read: ReadTab, found: list[Any], component: Any) -> Any:
    return found[[read.template, *read.described].index(component)]


def test_a_version_is_chosen_for_the_readings_from_the_tab(read: ReadTab, workbench: Workbench) -> None:
    first = first_of_two(workbench, "table")
    found = read.take_version("table", first, "scripted")
    assert part(read, found, read.template)["value"] == f"table@{first}"
    assert ("Table · Version 1", f"table@{first}") in part(read, found, read.template)["choices"]
    assert part(read, found, read.prompt) == "One x."
    asked = read.asked("One x.", "One x.", False, False, f"table@{first}", "scripted", ("x",) * 8)
    assert (asked.template.text, asked.template.version) == ("One {{a}}.", first)
    assert workbench.templates.get("table").text == "Two.", "nobody else reads with it"
    back = read.take_version(f"table@{first}", workbench.templates.get("table").version, "scripted")
    assert part(read, back, read.template)["value"] == "table"


def test_the_tab_says_where_a_wording_is_not_the_official_one(read: ReadTab, workbench: Workbench) -> None:
    workbench.templates.save_new("our_fields", {"en": "Ours"}, "Extract {{fields}} as JSON.", based_on="fields_en")
    workbench.templates.save_new("same", {"en": "Same"}, workbench.templates.get("document").text, based_on="document")
    workbench.templates.save_new("asked", {"en": "Asked"}, "What is the total?", task="qa")
    note, names = read.described.index(read.note), ("our_fields", "same", "asked")
    told = {name: read.choose(name, "scripted", {"fields": "a"})[note] for name in names}
    assert "(Fields (English wording))" in told["our_fields"]
    assert (told["same"], told["asked"]) == ("", "")


def test_a_result_opens_with_the_version_it_was_read_with(read: ReadTab, workbench: Workbench) -> None:
    first = first_of_two(workbench, "chart")
    found = read.as_used(PromptUsed("chart", first, "chart", "One b.", {"a": "b"}), "scripted")
    assert part(read, found, read.template)["value"] == f"chart@{first}"
    assert part(read, found, read.prompt) == "One b."
    gone = read.as_used(PromptUsed("chart", "0" * 12, "chart", "", {}), "scripted")
    assert part(read, gone, read.template)["value"] == "chart"


def test_what_changes_in_the_library_comes_to_the_tab_and_an_edited_text_stays(
    read: ReadTab, workbench: Workbench
) -> None:
    first_of_two(workbench, "formula")
    workbench.templates.save_new("mine", {"en": "Mine"}, "Mine.")
    workbench.templates.save_version("formula", "Three.")
    slots = [""] * 8
    found = read.look_again("Two.", "Two.", "formula", "scripted", *slots)
    assert part(read, found, read.prompt) == "Three."
    assert ("Mine", "mine") in part(read, found, read.template)["choices"]
    edited = read.look_again("Two and more.", "Two.", "formula", "scripted", *slots)
    assert part(read, edited, read.prompt) == gr.skip()
    workbench.templates.delete("mine")
    assert part(read, read.look_again("Mine.", "Mine.", "mine", "scripted", *slots), read.template)["value"] != "mine"


def test_a_version_saved_in_the_tab_keeps_the_settings_it_was_made_from(read: ReadTab, workbench: Workbench) -> None:
    first = first_of_two(workbench, "layout")
    found = read.keep_version("Give x.", f"layout@{first}", "scripted", *("x",) * 8)
    assert found[0]["value"] == "layout"
    now = workbench.templates.get("layout")
    assert (now.text, [one.name for one in now.variables]) == ("Give {{a}}.", ["a"])


def test_the_batch_tab_lists_what_each_version_asks_for(workbench: Workbench) -> None:
    first_of_two(workbench, "subtitles")
    lists = BatchTab(workbench, words("en"), "en").lists()
    listed = next(one for one in lists["templates"] if one["name"] == "subtitles")
    assert [one["title"] for one in listed["versions"]] == ["Version 1 · why", "Built-in wording"]
    assert [[v["label"] for v in one["variables"]] for one in listed["versions"]] == [["A"], []]
