"""The templates of the product say what the model was trained on, and own ones are kept, version by version."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stored import open_store

from ocr_ui.domain.prompt import Choice, PromptTemplate, Task, Variable, answer_schema
from ocr_ui.errors import BadInput, Conflict, NotFound, StoreFailed
from ocr_ui.prompt_files import MAX_TEXT, SAMPLING, dump_template, load_template
from ocr_ui.prompting import MAIN, PromptLibrary
from ocr_ui.services.templates import Templates, nearest_official
from ocr_ui.storage.store import Store
from ocr_ui.ui.messages import error_sentence

BUILTIN = Path(__file__).resolve().parent.parent / "prompts"

OFFICIAL = [
    ("full_text", {}, "检测并识别图片中的文字，将文本坐标格式化输出。"),
    ("full_text_plain", {}, "提取图中的文字。"),
    (
        "full_text_json",
        {},
        "检测并识别图中所有的文字行，请按从上到下、从左到右的阅读顺序进行识别。 "
        "输出格式为 JSON 数组，每个元素必须包含："
        '"box": [xmin, ymin, xmax, ymax]（坐标需归一化到 [0, 1000] 范围内）；"text": "识别出的文字内容"。 '
        "注意：请直接输出 JSON 数组，不要包含任何多余的描述性文字。",
    ),
    (
        "document",
        {},
        "提取文档图片中正文的所有信息用markdown格式表示，其中页眉、页脚部分忽略，表格用html格式表达，"
        "文档中公式用latex格式表示，按照阅读顺序组织进行解析。",
    ),
    (
        "document_full",
        {},
        "提取文档图片中所有内容用markdown格式表示，表格用html格式表达，文档中公式用latex格式表示，"
        "请按照阅读顺序组织进行全文解析，并输出版式分析信息。",
    ),
    ("layout", {}, "按照阅读顺序解析图中的版式信息。"),
    ("chart", {}, "解析图中的图表，对于流程图使用Mermaid格式表示，其他图表使用Markdown格式表示。"),
    ("formula", {}, "识别图片中的公式，用LaTeX格式表示。"),
    ("table", {}, "把图中的表格解析为HTML。"),
    (
        "document_translate",
        {},
        "先解析文档，再将文档内容翻译为中文，其中页眉、页脚忽略，公式用latex格式表示，表格用html格式表示。",
    ),
    (
        "translate",
        {"target": "en"},
        "按照阅读顺序，提取图中文字，公式用latex格式表示，表格用markdown格式表示，再将文字内容翻译为英文。",
    ),
    (
        "translate",
        {"target": "zh"},
        "按照阅读顺序，提取图中文字，公式用latex格式表示，表格用markdown格式表示，再将文字内容翻译为中文。",
    ),
    (
        "translate_v1",
        {},
        "先提取文字，再将文字内容翻译为英文。若是文档，则其中页眉、页脚忽略。公式用latex格式表示，表格用html格式表示。",
    ),
    ("fields", {"fields": "key1,key2"}, "提取图片中的: ['key1','key2'] 的字段内容，并按照 JSON 格式返回。"),
    (
        "fields_en",
        {"fields": "key1，key2"},
        "Extract the content of the fields: ['key1','key2'] from the image and return it in JSON format.",
    ),
    ("value", {"key": "Key"}, "输出 Key 的值。"),
    ("value_en", {"key": "Key"}, "Output the value of Key."),
    ("subtitles", {}, "提取图片中的字幕。"),
    ("subtitles_en", {}, "Extract the subtitles from the image."),
    ("qa", {"question": "图中有几个人？"}, "图中有几个人？"),
]
"""Template, values, and the wording of the model's documentation (repository tencent/HunyuanOCR: prompt table of 1.5;
README of 1.0 for fields, one value, subtitles and the second translation), which lowers the quality where it is
changed."""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return tmp_path / "prompts"


@pytest.fixture(scope="module")
def product() -> PromptLibrary:
    return PromptLibrary(BUILTIN)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One for the tests that save nothing in it."""
    with open_store(tmp_path_factory.mktemp("data")) as made:
        yield made


@pytest.fixture
def reading(own: Path, store: Store) -> Templates:
    return Templates(BUILTIN, own, store)


@pytest.fixture
def library(own: Path, tmp_path: Path) -> Iterator[Templates]:
    with open_store(tmp_path / "data") as store:
        yield Templates(BUILTIN, own, store)


@pytest.mark.parametrize(("name", "values", "wording"), OFFICIAL, ids=lambda value: value if type(value) is str else "")
def test_the_wording_is_the_official_one_byte_for_byte(
    product: PromptLibrary, name: str, values: dict[str, str], wording: str
) -> None:
    assert product.get(name).render(values).encode() == wording.encode()


def test_every_template_of_the_product_has_its_wording_pinned(product: PromptLibrary) -> None:
    assert {template.name for template in product.list()} == {name for name, _, _ in OFFICIAL}


def test_every_template_of_the_product_samples_as_the_official_scripts_do(product: PromptLibrary) -> None:
    official = {"temperature": 0, "top_p": 1, "top_k": -1, "repetition_penalty": 1.08, "max_tokens": 8192}
    assert [t.name for t in product.list() if t.sampling != official] == []


def test_every_word_of_the_product_stands_in_both_languages(product: PromptLibrary) -> None:
    words = [w for t in product.list() for w in (t.title, t.description)]
    words += [v.label for t in product.list() for v in t.variables]
    words += [c.label for t in product.list() for v in t.variables for c in v.choices]
    assert [w for w in words if set(w) != {"en", "zh"}] == []


def test_the_main_templates_come_first_and_nothing_is_broken(product: PromptLibrary) -> None:
    assert tuple(template.name for template in product.list())[: len(MAIN)] == MAIN
    assert product.problems() == ()


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("full_text", Task.SPOTTING),
        ("full_text_json", Task.SPOTTING),
        ("full_text_plain", Task.TEXT),
        ("document", Task.DOCUMENT),
        ("subtitles", Task.SUBTITLES),
        ("value", Task.QA),
    ],
)
def test_the_task_is_what_the_wording_brings_back(product: PromptLibrary, name: str, task: Task) -> None:
    assert product.get(name).task == task


@pytest.mark.parametrize(
    ("wording", "near"),
    [
        ("Read 5", "full_text"),
        (
            "检测并识别图中所有的文字行，请按从上到下、从左到右的阅读顺序进行识别。 输出格式为 JSON 数组。",
            "full_text_json",
        ),
    ],
)
def test_the_nearest_official_wording_is_no_chance(product: PromptLibrary, wording: str, near: str) -> None:
    made = PromptTemplate("mine", {"en": "Mine"}, Task.SPOTTING, wording)
    assert nearest_official(made, product.builtin()).name == near


def test_a_target_without_an_official_wording_takes_the_sentence_of_1_0(product: PromptLibrary) -> None:
    assert product.get("translate").render({"target": "ja"}) == product.get("translate_v1").text.replace("英文", "日文")


words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=40)
names = st.from_regex(r"[a-z][a-z0-9_]{0,10}", fullmatch=True)
labels = st.fixed_dictionaries({"en": words, "zh": words})


@st.composite
def templates(draw: st.DrawFn) -> PromptTemplate:
    variables = tuple(
        Variable(
            name,
            draw(labels),
            draw(st.none() | words),
            many=draw(st.booleans()),
        )
        for name in draw(st.lists(names, max_size=3, unique=True))
    )
    choosing = Variable("choice", draw(labels), "a", (Choice("a", draw(labels), draw(words.filter(bool))),))
    variables = (*variables, choosing) if all(v.name != "choice" for v in variables) else variables
    blanks = "".join(f"{{{{{variable.name}}}}}" for variable in variables)
    text = draw(words.filter(lambda text: "{" not in text)) + "x" + blanks + draw(words.filter(lambda t: "{" not in t))
    sampling = draw(st.dictionaries(st.sampled_from(["temperature", "top_p"]), st.floats(0.01, 1)))
    return PromptTemplate(
        draw(names),
        {"en": "t"},
        draw(st.sampled_from(Task)),
        text,
        variables,
        sampling,
        builtin=False,
        description=draw(labels),
    )


@settings(deadline=None, max_examples=60)
@given(templates(), words)
def test_a_file_is_read_back_as_it_was_written(template: PromptTemplate, note: str) -> None:
    file = load_template(dump_template(template, "2026-01-01", note), "x.md", template.name, builtin=False)
    assert (file.template, file.saved, file.note) == (template, "2026-01-01", note)


WHOLE = ("a\n", "\na", "a\n\n", "---\nb", "a\n---\nb\n---", "  a  ", "{{ not a blank", "x\u2028y\x85z")


def test_a_wording_keeps_every_character(library: Templates, own: Path, tmp_path: Path) -> None:
    for number, text in enumerate(WHOLE):
        library.save_new(f"mine_{number}", {"en": "Mine"}, text)
    with open_store(tmp_path / "elsewhere") as store:
        for shelf in (library, Templates(BUILTIN, own, store)):  # as it is kept, and as its file says it
            assert tuple(shelf.get(f"mine_{number}").text for number in range(len(WHOLE))) == WHOLE


def test_a_new_template_takes_over_what_it_is_based_on(library: Templates) -> None:
    made = library.save_new("my_fields", {"zh": "我的"}, "Give me {{fields}}.", based_on="fields")
    assert library.get("my_fields") == made
    assert (made.task, made.builtin, made.title) == (Task.FIELDS, False, {"zh": "我的"})
    assert made.render({"fields": "a、b"}) == "Give me ['a','b']."
    assert library.list()[-1] == made


def test_a_filled_in_text_saved_as_new_has_no_blanks_left(library: Templates) -> None:
    made = library.save_new("dates", {"en": "Dates"}, "提取图片中的: ['date']", based_on="fields")
    assert made.variables == ()
    assert made.render() == "提取图片中的: ['date']"


def test_a_version_of_a_builtin_stands_in_for_it_and_is_restored(library: Templates, own: Path) -> None:
    official = library.get("table")
    changed = library.save_version("table", "Read the table as HTML.", note="in English")
    assert library.get("table") == changed
    assert not changed.builtin
    assert changed.title == official.title
    assert [t.name for t in library.list()].count("table") == 1
    assert (BUILTIN / "table.md").read_text(encoding="utf-8").endswith(official.text + "\n")

    assert library.restore("table", official.version) == official
    assert library.get("table") == official
    assert not (own / "table.md").exists()
    assert library.restore("table", changed.version) == changed


def test_versions_are_kept_with_number_date_name_and_note(library: Templates) -> None:
    official = library.get("table").version
    begin = datetime.now(UTC)
    first = library.save_version("table", "One.", note="first try", person="Ann").version
    second = library.save_version("table", "Two.", sampling={"temperature": 0.2}).version
    rows = [(v.version, v.number, v.person, v.note, v.current, v.builtin) for v in library.versions("table")]
    assert rows == [
        (second, 2, "", "", True, False),
        (first, 1, "Ann", "first try", False, False),
        (official, 0, "", "", False, True),
    ]
    saved = [datetime.fromisoformat(v.saved) for v in library.versions("table")[:2]]
    assert begin - timedelta(seconds=1) < saved[1] <= saved[0] <= datetime.now(UTC)
    for written in ("1", first):
        assert library.get("table", written).text == library.get(f"table@{written}").text == "One."
    assert library.get("table@builtin") == library.get("table", official)
    assert library.get("table@builtin").builtin
    assert library.get("table").sampling == {"temperature": 0.2}


def test_a_variable_that_an_edit_dropped_can_come_back(library: Templates) -> None:
    assert library.save_version("fields", "All of it.").variables == ()
    assert library.save_version("fields", "Only {{fields}}.").render({"fields": "a"}) == "Only ['a']."


def test_a_file_changed_by_hand_is_kept_before_it_is_replaced(library: Templates, own: Path) -> None:
    library.save_new("mine", {"en": "Mine"}, "One.")
    path = own / "mine.md"
    path.write_text(path.read_text(encoding="utf-8").replace("One.", "By hand."), encoding="utf-8")
    by_hand = library.get("mine").version
    library.save_version("mine", "Two.")
    assert library.get("mine", by_hand).text == "By hand."


def replace_text(path: Path, old: str, new: str) -> None:
    """As an editor does, a moment later."""
    later = max(path.stat().st_mtime, time.time()) + 1
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    os.utime(path, (later, later))


def test_a_change_on_disk_is_a_version(library: Templates, own: Path) -> None:
    library.save_new("mine", {"en": "Mine"}, "One.", tags=["a"], note="why")
    replace_text(own / "mine.md", "One.", "Two.")
    assert library.get("mine").text == "Two."
    two, one = library.versions("mine")
    assert (two.number, two.from_file, two.current, two.note) == (2, True, True, "")
    assert (one.number, one.from_file, one.current, one.note) == (1, False, False, "why")
    assert two.saved > one.saved
    replace_text(own / "mine.md", "- a", "- b")
    assert library.get("mine").tags == ("b",)
    assert len(library.versions("mine")) == 2
    (own / "mine.md").unlink()
    assert library.get("mine").text == "Two.", "the store keeps what the folder has lost"


def test_a_change_of_the_same_length_at_the_same_tick_of_the_clock_is_seen(library: Templates, own: Path) -> None:
    library.save_new("mine", {"en": "Mine"}, "One.")
    replace_text(own / "mine.md", "One.", "Two.")
    stat = (own / "mine.md").stat()
    assert library.get("mine").text == "Two."
    replace_text(own / "mine.md", "Two.", "Six.")
    os.utime(own / "mine.md", ns=(stat.st_mtime_ns, stat.st_mtime_ns))
    assert library.get("mine").text == "Six."


def test_a_file_that_is_put_there_is_a_template(library: Templates, own: Path, tmp_path: Path) -> None:
    with open_store(tmp_path / "elsewhere") as store:
        other = Templates(BUILTIN, tmp_path / "other", store)
        other.save_new("mine", {"en": "Mine"}, "One.", note="why")
        own.mkdir()
        (own / "mine.md").write_text(other.file("mine"), encoding="utf-8")
        assert library.get("mine") == other.get("mine")
        (here,), (there,) = library.versions("mine"), other.versions("mine")
        assert (here.saved, here.note, here.from_file) == (there.saved, "why", True)


def test_a_copy_of_before_does_not_take_the_place_of_what_came_after(library: Templates, own: Path) -> None:
    library.save_new("mine", {"en": "Mine"}, "One.")
    before, stat = library.file("mine"), (own / "mine.md").stat()
    library.save_version("mine", "Two.")
    (own / "mine.md").write_text(before, encoding="utf-8")
    os.utime(own / "mine.md", ns=(stat.st_mtime_ns, stat.st_mtime_ns))
    assert library.get("mine").text == "Two."
    replace_text(own / "mine.md", "", "")
    assert library.get("mine").text == "One.", "put back by hand"


def test_versions_that_stand_as_files_are_taken_over(library: Templates, own: Path) -> None:
    """As they were kept before there was a table for them."""
    kept = own / "versions" / "mine"
    kept.mkdir(parents=True)
    for day, text in (("02", "Two."), ("01", "One.")):
        made = PromptTemplate("mine", {"en": "Mine"}, Task.QA, text, builtin=False)
        content = dump_template(made, f"2026-01-{day}T00:00:00.000+00:00", f"day {day}")
        (kept / f"{made.version}.md").write_text(content, encoding="utf-8")
    (own / "mine.md").write_text(content.replace("One.", "Three."), encoding="utf-8")
    assert [(v.number, v.note) for v in library.versions("mine")] == [(3, "day 01"), (2, "day 02"), (1, "day 01")]
    assert library.get("mine@2").text == "Two."


def test_a_template_that_is_deleted_can_be_brought_back(library: Templates, own: Path) -> None:
    made = library.save_new("mine", {"en": "Mine"}, "One.")
    library.delete("mine")
    assert "mine" not in {one.name for one in library.list()}
    assert not (own / "mine.md").exists()
    assert library.get("mine", made.version).text == "One.", "readings can still tell what they were asked with"
    with pytest.raises(NotFound):
        library.get("mine")
    assert library.restore("mine", made.version) == library.get("mine") == made
    library.delete("mine")
    library.save_new("mine", {"en": "Again"}, "Two.")
    assert [v.number for v in library.versions("mine")] == [2, 1]


def test_what_comes_with_the_product_can_be_tagged_and_no_more(library: Templates) -> None:
    with pytest.raises(BadInput) as told:
        library.delete("table")
    assert told.value.code == "template_builtin"
    with pytest.raises(BadInput):
        library.describe("table", titles={"en": "Mine"})
    version = library.get("table").version
    assert library.describe("table", tags=["a", " a ", ""]) == library.get("table")
    assert (library.get("table").tags, library.get("table").version) == (("a",), version)
    library.save_version("table", "Mine.")
    assert library.get("table").tags == ("a",)
    assert library.describe("table", titles={"en": "My table"}, description={"zh": "表"}).version != version
    library.restore("table", "builtin")
    assert (library.get("table").tags, library.get("table").builtin) == (("a",), True)


def test_words_of_a_template_are_no_version(library: Templates, own: Path) -> None:
    library.save_new("mine", {"en": "Mine"}, "One.")
    library.describe("mine", titles={"en": "Ours"}, description={"en": "What it does."}, tags=["a", "b"])
    now = library.get("mine")
    assert (now.title, now.description, now.tags) == ({"en": "Ours"}, {"en": "What it does."}, ("a", "b"))
    assert len(library.versions("mine")) == 1
    assert load_template((own / "mine.md").read_text(encoding="utf-8"), "mine.md", "mine", False).template == now


def test_variables_come_with_a_version(library: Templates) -> None:
    known = (Variable("what", {"en": "What"}, many=True), Variable("left", {}))
    made = library.save_new("mine", {"en": "Mine"}, "Give {{what}}.", variables=known)
    assert made.render({"what": "a,b"}) == "Give ['a','b']."
    assert [v.name for v in made.variables] == ["what"]
    again = library.save_version("mine", "Give {{what}}.", variables=(replace(known[0], label={"en": "Names"}),))
    assert (again.version, library.get("mine").variables[0].label) == (made.version, {"en": "Names"})
    for wrong in (Variable("What", {}), Variable("what", {}, "c", (Choice("a", {}),)), Variable("what", {}, "\ud800")):
        with pytest.raises(BadInput) as told:
            library.save_version("mine", "Give {{what}}.", variables=(wrong,))
        assert told.value.code == "template_bad_variable"


def test_two_people_saving_the_same_template(library: Templates) -> None:
    seen = library.get("table").version
    first = library.save_version("table", "Ann's.", expected=seen)
    with pytest.raises(Conflict) as told:
        library.save_version("table", "Ben's.", expected=seen)
    assert told.value.code == "template_changed"
    assert library.get("table") == first


@pytest.mark.parametrize("name", ["table", "mine"])
def test_a_name_that_is_taken_is_a_conflict(library: Templates, name: str) -> None:
    library.save_new("mine", {"en": "Mine"}, "One.")
    with pytest.raises(Conflict) as told:
        library.save_new(name, {"en": "Again"}, "Two.")
    assert told.value.code == "template_exists"


@pytest.mark.parametrize("name", ["", "Table", "1st", "a b", "../x", "a/b", "a\n", "表", "a" * 42, "con.md", "a\0"])
def test_a_name_that_is_no_file_name_is_refused(reading: Templates, own: Path, name: str) -> None:
    with pytest.raises(BadInput) as told:
        reading.save_new(name, {"en": "x"}, "y")
    assert told.value.code == "template_bad_name"
    assert not own.exists()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"text": " \n"}, "template_bad_text"),
        ({"text": "x" * (MAX_TEXT + 1)}, "template_bad_text"),
        ({"text": "\ud800"}, "template_half_character"),
        ({"text": "Ask {{what}}"}, "template_unknown_placeholder"),
        ({"titles": {"en": " "}}, "template_bad_title"),
        ({"titles": {"en": "\udfff"}}, "template_bad_title"),
        ({"note": "x" * 1001}, "template_bad_note"),
        ({"task": "sing"}, "template_bad_task"),
        ({"sampling": {"temperature": 3}}, "template_bad_sampling"),
        ({"sampling": {"temperature": True}}, "template_bad_sampling"),
        ({"sampling": {"temperature": float("nan")}}, "template_bad_sampling"),
        ({"sampling": {"top_k": 1.5}}, "template_bad_sampling"),
        ({"sampling": {"heat": 1}}, "template_bad_sampling"),
    ],
)
def test_what_cannot_be_sent_is_not_saved(reading: Templates, own: Path, change: dict, code: str) -> None:
    given = {"titles": {"en": "Mine"}, "text": "One."} | change
    with pytest.raises(BadInput) as told:
        reading.save_new("mine", **given)
    assert told.value.code == code
    assert not (own / "mine.md").exists()


def test_an_unknown_template_is_named_with_what_is_near(reading: Templates) -> None:
    with pytest.raises(NotFound) as told:
        reading.get("ful_text")
    assert told.value.details["near"].split(", ")[0] == "full_text"
    with pytest.raises(NotFound) as told:
        reading.get("../../etc/passwd")
    assert told.value.code == "template_not_found"


@pytest.mark.parametrize("version", ["000000000000", "../table", "", "*"])
def test_an_unknown_version_is_not_found(reading: Templates, version: str) -> None:
    with pytest.raises(NotFound) as told:
        reading.restore("table", version)
    assert told.value.code == "template_version_not_found"


HEAD = "---\nname: bad\ntitle: {en: Bad}\ntask: qa\n"
BROKEN = [
    ("Just a text", 1, "settings between two lines"),
    ("---\nname: bad\n", 1, "settings between two lines"),
    ("---\ntitle: [\n---\nx", 2, ""),
    (HEAD + "note: 'a\n---\nx", 5, ""),
    (HEAD + "task: qa\n---\nx", 5, "twice"),
    (HEAD + "colour: red\n---\nx", 5, "'colour' is not known"),
    (HEAD + "sampling: {temperature: hot}\n---\nx", 5, "temperature"),
    (HEAD + "sampling: &a [1]\nnote: *a\n---\nx", 6, "aliases"),
    (HEAD + "note: 2026-01-01\n---\nx", 5, "quotes"),
    (HEAD + "note: !!python/object/apply:os.system [ls]\n---\nx", 5, "constructor"),
    (HEAD + "variables: x\n---\n{{x}}", 5, "list"),
    (HEAD + "variables:\n  - name: x\n    default: no\n---\n{{x}}", 7, "quotes"),
    (HEAD + "variables:\n  - name: x\n    default: b\n    choices: [{value: a}]\n---\n{{x}}", 7, "choices"),
    (HEAD + "variables: [{name: x}, {name: x}]\n---\n{{x}}", 5, "same name"),
    (HEAD + "variables:\n  - name: x\n    size: 3\n---\n{{x}}", 7, "'size' is not known"),
    (HEAD + "variables:\n  - name: x\n---\nno blank", 5, "x is not used"),
    (HEAD + "---\nfirst\nsecond {{ who }}", 7, "{{who}}"),
    (HEAD.replace("bad", "good") + "---\nx", 2, "must be bad"),
    (HEAD.replace("task: qa", "task: sing") + "---\nx", 4, "'sing' is not a task"),
    (HEAD.replace("title: {en: Bad}\n", "") + "---\nx", 1, "title"),
    (HEAD + "---\n \n", 1, "wording"),
    (HEAD + "variables:\n  - name: x\n    choices: [{valeu: a}]\n---\n{{x}}", 7, "'valeu' is not known"),
    (HEAD + "variables:\n  - name: x\n    choices: [{value: ''}]\n---\n{{x}}", 7, "needs a value"),
    (HEAD + "variables:\n  - name: x\n    choices: [{value: a}, {value: a}]\n---\n{{x}}", 7, "'a' stands there twice"),
    (HEAD + 'variables:\n  - name: x\n    label: {en: "\\ud800"}\n---\n{{x}}', 7, "half a character"),
    (HEAD + "? " + "k" * 50_000 + "\n: 1\n---\nx", 5, "kkk…"),
    (HEAD + "note: " + "[" * 2_000 + "\n---\nx", 2, ""),
]


@pytest.mark.parametrize(("content", "line", "reason"), BROKEN)
def test_a_broken_file_is_told_with_its_line_and_takes_nothing_down(
    reading: Templates, own: Path, content: str, line: int, reason: str
) -> None:
    own.mkdir()
    (own / "bad.md").write_text(content, encoding="utf-8")
    (problem,) = reading.problems()
    assert (problem.code, problem.details["file"], problem.details["line"]) == ("template_broken", "bad.md", line)
    assert reason in problem.details["reason"]
    assert len(problem.details["reason"]) < 300
    chinese = error_sentence(problem, "zh").split("（", 1)[1]
    assert re.search("[\u4e00-\u9fff]", chinese.split("）。请管理员")[0])
    assert "{" not in chinese.replace("{en: ...", "")
    assert len(reading.list()) == len(list(BUILTIN.glob("*.md")))
    with pytest.raises(BadInput):
        reading.get("bad")


def test_bytes_that_are_no_text_and_a_folder_are_told_too(reading: Templates, own: Path) -> None:
    (own / "folder.md").mkdir(parents=True)
    (own / "latin.md").write_bytes(b"---\nname: latin\ntitle: {en: caf\xe9}\n")
    assert [(p.details["file"], p.details["line"]) for p in reading.problems()] == [("folder.md", 1), ("latin.md", 3)]


def test_what_is_no_file_to_read_is_told_and_nothing_waits_for_it(reading: Templates, own: Path) -> None:
    own.mkdir()
    os.mkfifo(own / "pipe.md")
    (own / "circle.md").symlink_to("circle.md")
    (own / "sparse.md").touch()
    os.truncate(own / "sparse.md", 1_000_000)
    Path(os.fsdecode(os.fsencode(own) + b"/caf\xe9.md")).write_text(HEAD + "---\nx", encoding="utf-8")
    told = [(error.details["file"], error.details["fault"]["code"]) for error in reading.problems()]
    odd = ("caf\ufffd.md", "other_name")
    assert sorted(told) == [odd, ("circle.md", "not_a_file"), ("pipe.md", "not_a_file"), ("sparse.md", "too_large")]
    json.dumps([error.details for error in reading.problems()], ensure_ascii=False).encode()
    assert reading.get("table").builtin


def test_a_kept_version_is_not_written_to(library: Templates) -> None:
    library.save_new("mine", {"en": "Mine"}, "One.")
    library.save_version("mine", "Two.")
    writes = (
        lambda: library.save_version("mine@1", "Three."),
        lambda: library.describe("mine@1", tags=["a"]),
        lambda: library.restore("mine@1", "1"),
        lambda: library.delete("mine@1"),
    )
    for write in writes:
        with pytest.raises(BadInput, match="Write to mine"):
            write()
    assert [(one.number, one.current) for one in library.versions("mine@1")] == [(2, True), (1, False)]
    assert (library.get("mine").text, library.get("mine").tags) == ("Two.", ())


def test_a_wording_that_this_release_cannot_read_takes_no_other_down(own: Path, tmp_path: Path) -> None:
    with open_store(tmp_path / "data") as store:
        library = Templates(BUILTIN, own, store)
        made = library.save_new("mine", {"en": "Mine"}, "One.")
        store.templates.keep("mine", made.version, "---\nname: mine\nkind: old\n---\nOne.\n")
        assert [problem.details["fault"]["code"] for problem in library.problems()] == ["unknown_key"]
        there = {one.name for one in library.list()}
    assert "table" in there
    assert "mine" not in there


def test_a_broken_own_file_falls_back_to_the_builtin_and_is_not_overwritten(reading: Templates, own: Path) -> None:
    own.mkdir()
    (own / "table.md").write_text("work of a day", encoding="utf-8")
    assert reading.get("table").builtin
    for save in (lambda: reading.save_version("table", "x"), lambda: reading.restore("table", "0" * 12)):
        with pytest.raises(BadInput):
            save()
    assert (own / "table.md").read_text(encoding="utf-8") == "work of a day"


def test_windows_line_ends_and_a_byte_order_mark_do_not_reach_the_model(library: Templates, own: Path) -> None:
    own.mkdir()
    (own / "bad.md").write_bytes(("\ufeff" + HEAD + "---\none\ntwo\n").replace("\n", "\r\n").encode())
    assert library.get("bad").text == "one\ntwo"


def test_no_other_file_is_left_behind(library: Templates, own: Path) -> None:
    library.save_new("mine", {"en": "Mine"}, "One.")
    found = sorted(str(path.relative_to(own)) for path in own.rglob("*") if path.is_file())
    assert found == ["mine.md"]


def test_a_crash_while_writing_leaves_the_old_version(
    library: Templates, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.save_new("mine", {"en": "Mine"}, "One.")
    monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(StoreFailed):
        library.save_version("mine", "Two.")
    assert library.get("mine").text == "One."
    assert [path.name for path in own.glob(".*")] == []


def test_the_version_changes_with_everything_that_reaches_the_model() -> None:
    base = PromptTemplate("a", {}, Task.QA, "t {{v}}", (Variable("v", {}, "x", (Choice("x", {}, "one"),)),), {})
    others = [
        PromptTemplate("a", {}, Task.TEXT, base.text, base.variables),
        PromptTemplate("a", {}, Task.QA, "u {{v}}", base.variables),
        PromptTemplate("a", {}, Task.QA, base.text, (Variable("v", {}, "x", (Choice("x", {}, "two"),)),)),
        PromptTemplate("a", {}, Task.QA, base.text, base.variables, {"top_k": 1}),
    ]
    assert base.version not in {other.version for other in others}
    assert PromptTemplate("b", {"en": "T"}, Task.QA, base.text, base.variables).version == base.version


def test_every_sampling_setting_has_a_range() -> None:
    assert [name for name, (kind, low, high) in SAMPLING.items() if kind not in (int, float) or low >= high] == []


STRUCTURED = """---
name: held
title: {{en: "Held"}}
task: {task}
variables:
  - name: fields
    label: {{en: "Names"}}
    many: true
structured: {value}
---
Give {{{{fields}}}}.
"""


def test_a_template_may_hold_the_answer_to_its_names(tmp_path: Path) -> None:
    read = load_template(STRUCTURED.format(task="fields", value="true"), "held.md", "held", False).template
    assert read.structured
    assert load_template(dump_template(read), "held.md", "held", False).template == read
    free = replace(read, structured=False)
    assert read.version != free.version
    assert "structured" not in dump_template(free)
    assert read.names({"fields": "total, date；total"}) == ("total", "date")
    assert answer_schema(("total", "date"))["required"] == ["total", "date"]


@pytest.mark.parametrize(("task", "value"), [("qa", "true"), ("fields", '"yes"')])
def test_a_form_that_cannot_be_held_is_refused_with_its_line(task: str, value: str) -> None:
    with pytest.raises(BadInput) as caught:
        load_template(STRUCTURED.format(task=task, value=value), "held.md", "held", False)
    assert caught.value.details["line"] == 9


def test_versions_of_templates_without_a_form_are_what_they_were() -> None:
    assert PromptLibrary(BUILTIN).get("fields").version == "dd7e515b3ee9"


def test_a_template_of_another_task_is_not_held_to_names(tmp_path: Path) -> None:
    builtin = tmp_path / "builtin"
    builtin.mkdir()
    (builtin / "held.md").write_text(STRUCTURED.format(task="fields", value="true"), encoding="utf-8")
    with open_store(tmp_path / "data") as store:
        library = Templates(builtin, tmp_path / "own", store)
        assert library.save_version("held", "Please give {{fields}}.").structured
        assert library.save_new("same", {"en": "Same"}, "Give {{fields}}.", based_on="held").structured
        assert not library.save_new("other", {"en": "Other"}, "Say {{fields}}.", based_on="held", task="qa").structured
        assert library.get("other").task == "qa"
