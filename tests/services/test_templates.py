"""The templates as page and command line see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ocr_ui.errors import BadInput, NotFound
from ocr_ui.prompting import PromptLibrary
from ocr_ui.services.templates import Templates, in_language, parse_variables

BUILTIN = Path(__file__).resolve().parent.parent.parent / "prompts"


@pytest.fixture
def templates(tmp_path: Path) -> Templates:
    return Templates(PromptLibrary(BUILTIN, tmp_path))


async def test_the_list_speaks_the_language_of_the_page(templates: Templates) -> None:
    english, chinese = await templates.list("en"), await templates.list("zh")
    assert (english[2].name, english[2].title, chinese[2].title) == ("translate", "Translate", "翻译")
    (target,) = chinese[2].variables
    assert (target.label, target.default, target.required) == ("译成", "zh", False)
    assert [(choice.value, choice.label) for choice in target.choices][:2] == [("zh", "中文"), ("en", "英文")]
    assert english[3].variables[0].required


async def test_what_is_rendered_is_what_is_used(templates: Templates) -> None:
    used = await templates.use("translate", {"target": "en"})
    assert used.text == await templates.render("translate", {"target": "en"})
    assert (used.template, used.task, used.variables) == ("translate", "translate", {"target": "en"})
    assert used.version == (await templates.get("translate")).version
    assert used.sampling["repetition_penalty"] == 1.08


async def test_a_default_is_recorded(templates: Templates) -> None:
    assert (await templates.use("translate")).variables == {"target": "zh"}


async def test_an_edited_text_is_used_as_it_is(templates: Templates) -> None:
    used = await templates.use("table", {}, edited="Read {{this}} table.\n")
    assert (used.text, used.template) == ("Read {{this}} table.\n", "table")
    with pytest.raises(BadInput) as told:
        await templates.use("table", {}, edited=" ")
    assert told.value.code == "prompt_empty"


@pytest.mark.parametrize(
    ("values", "code"),
    [({}, "missing_variable"), ({"question": " "}, "missing_variable"), ({"q": "x"}, "unknown_variable")],
)
async def test_a_missing_or_unknown_variable_is_told(templates: Templates, values: dict[str, str], code: str) -> None:
    with pytest.raises(BadInput) as told:
        await templates.render("qa", values | ({"question": "?"} if "q" in values else {}))
    assert told.value.code == code


async def test_an_unknown_template_names_the_near_ones(templates: Templates) -> None:
    with pytest.raises(NotFound, match="Did you mean full_text"):
        await templates.render("fulltext", {})


async def test_save_version_and_restore(templates: Templates) -> None:
    official = await templates.get("table")
    made = await templates.save_version("table", "Mine.", note="n", expected=official.version)
    assert [v.version for v in await templates.versions("table")] == [made.version, official.version]
    assert await templates.restore("table", official.version) == official


async def test_save_as_new(templates: Templates) -> None:
    await templates.save_as_new("mine", {"en": "Mine"}, "Mine.", based_on="table", sampling={"top_k": 5})
    view = (await templates.list("zh"))[-1]
    assert (view.name, view.title, view.task, view.builtin, view.sampling) == (
        "mine",
        "Mine",
        "table",
        False,
        {"top_k": 5},
    )


async def test_broken_files_are_told(templates: Templates, tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("nothing", encoding="utf-8")
    assert [problem.details["file"] for problem in await templates.problems()] == ["x.md"]


def test_variables_of_the_command_line() -> None:
    assert parse_variables(["a=1", " b =x=y", "c="]) == {"a": "1", "b": "x=y", "c": ""}
    for pairs in (["a"], ["=1"], ["a=1", "a=2"]):
        with pytest.raises(BadInput) as told:
            parse_variables(pairs)
        assert told.value.code == "bad_variable"


def test_words_fall_back_to_english_then_to_any() -> None:
    assert in_language({"en": "a", "zh": "b"}, "zh") == "b"
    assert in_language({"en": "a"}, "zh") == "a"
    assert in_language({"zh": "b"}, "en") == "b"
    assert in_language({}, "en", "name") == "name"
