from __future__ import annotations

import asyncio
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from ocr_ui.errors import NotFound
from ocr_ui.services.examples import Examples
from ocr_ui.settings import Settings


def example(folder: Path, name: str, **said: object) -> None:
    assert cv2.imwrite(str(folder / f"{name}.png"), np.zeros((300, 20, 3), np.uint8))
    described = {"title": {"en": name, "zh": name}, "template": "full_text", **said}
    (folder / f"{name}.json").write_text(json.dumps(described), encoding="utf-8")


@pytest.fixture
def examples(tmp_path: Path) -> Examples:
    example(tmp_path, "second", order=2, variables={"number": 3})
    example(tmp_path, "first", order=1)
    example(tmp_path, "last")
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "no_picture.json").write_text('{"title": {"en": "x"}, "template": "full_text"}')
    (tmp_path / "no_title.json").write_text('{"template": "full_text"}')
    return Examples(Settings(examples_dir=tmp_path))


def test_they_come_in_order_and_a_bad_file_takes_none_along(examples: Examples) -> None:
    assert [one.name for one in examples.list()] == ["first", "second", "last"]
    assert examples.get("second").variables == {"number": "3"}


@pytest.mark.parametrize("name", ["nothing", "../first", "", "no_picture"])
async def test_unknown_names(examples: Examples, name: str) -> None:
    for call in (examples.bytes(name), examples.thumbnail(name)):
        with pytest.raises(NotFound):
            await call


async def test_thumbnails_are_made_once(examples: Examples, monkeypatch: pytest.MonkeyPatch) -> None:
    small = await asyncio.gather(*(examples.thumbnail("first") for _ in range(5)))
    assert len({id(one) for one in small}) == 1
    assert cv2.imdecode(np.frombuffer(small[0], np.uint8), cv2.IMREAD_COLOR).shape == (144, 10, 3)


def test_a_folder_that_is_not_there_has_no_examples(tmp_path: Path) -> None:
    assert Examples(Settings(examples_dir=tmp_path / "none")).list() == []
