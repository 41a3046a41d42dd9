"""The words of the library and the modules that use them hold together."""

from __future__ import annotations

import re

from ocr_ui.domain.prompt import Task
from ocr_ui.services.templates import sampling_limits
from ocr_ui.ui.prompt_words import PROMPT_WORDS
from ocr_ui.ui.viewer import STATIC

SOURCES = "\n".join(path.read_text(encoding="utf-8") for path in (STATIC / "prompts").glob("*.mjs"))


def test_every_word_that_the_library_asks_for_is_there_and_none_is_left_over() -> None:
    written = set(re.findall(r'"((?:library|task)\.[\w.]+)"', SOURCES))
    families = tuple(re.findall(r"`((?:library|task)\.[\w.]*)\$\{", SOURCES))
    assert written <= set(PROMPT_WORDS)
    known = {key for key in PROMPT_WORDS if key.startswith(("library.", "task."))}
    assert {key for key in known - written if not key.startswith(families)} == set()


def test_every_task_and_every_setting_has_its_words() -> None:
    wanted = {f"task.{task.value}" for task in Task} | {f"library.sampling.{key}" for key in sampling_limits()}
    assert wanted <= set(PROMPT_WORDS)
