from __future__ import annotations

import hashlib

import numpy as np
import pytest
from fakes import ScriptedEngine, ScriptStep

from ocr_ui.domain.content import ContentWarning, Field, PageContent, Table, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Capabilities, EngineState, Finished, LinesDelta, Started
from ocr_ui.errors import BadInput, EngineFailed, NotFound
from ocr_ui.images.door import encode_png
from ocr_ui.services.engines import Engines
from ocr_ui.services.once import Once, recognition_value, recognize_file
from ocr_ui.services.pictures import Upright
from ocr_ui.settings import Settings

QUAD = Quad.from_points([(1, 1), (9, 1), (9, 5), (1, 5)])
DONE = Finished(Generation())
PAGE = np.full((40, 60, 3), 255, np.uint8)
PAGE[:10, :20] = 0


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch):
    def scripted(*script: ScriptStep) -> ScriptedEngine:
        made = ScriptedEngine(script, Capabilities(tasks=frozenset({Task.SPOTTING}), gives_boxes=True))
        monkeypatch.setattr(Engines, "from_settings", staticmethod(lambda settings: Engines({"scripted": made})))
        return made

    return scripted


async def read(template: str = "full_text", values: dict[str, str] | None = None, engine: str = "") -> Once:
    return await recognize_file(encode_png(PAGE), template, values or {}, engine, Settings(turn_pages=False))


async def test_the_page_of_the_answer_is_the_picture_as_it_would_be_stored(engine) -> None:
    engine(Started(), LinesDelta((TextLine("a", QUAD, 0.9),)), DONE)
    result = await read()
    assert result.value["page"] == {"width": 60, "height": 40, "sha256": hashlib.sha256(encode_png(PAGE)).hexdigest()}
    assert result.value["lines"] == [{"text": "a", "quad": [[1, 1], [9, 1], [9, 5], [1, 5]], "confidence": 0.9}]
    assert (result.text, result.error) == ("a", None)


async def test_a_turned_page_is_read_and_told_upright(engine, monkeypatch: pytest.MonkeyPatch) -> None:
    made = engine(Started(), DONE)

    async def turn(self: Upright, pixels: np.ndarray) -> tuple:
        return np.ascontiguousarray(np.rot90(pixels)), (ContentWarning("turned_270", "Turned."),)

    monkeypatch.setattr(Upright, "turn", turn)
    result = await read()
    assert (result.value["page"]["width"], result.value["page"]["height"]) == (40, 60)
    assert made.seen[0].pixels.shape == (60, 40, 3)
    assert result.warnings[0]["code"] == "turned_270"


async def test_a_failure_is_told_beside_what_came(engine) -> None:
    engine(Started(), LinesDelta((TextLine("a", QUAD),)), EngineFailed("gone", "Gone.", "Try again."))
    result = await read()
    assert (result.text, str(result.error)) == ("a", "Gone. Try again.")


@pytest.mark.parametrize(
    ("template", "values", "kind"),
    [
        ("ful_text", {}, NotFound),
        ("fields", {}, BadInput),
        ("full_text", {"x": "y"}, BadInput),
        ("qa", {"question": "?"}, BadInput),
    ],
)
async def test_what_cannot_be_read_is_refused_and_the_engine_closed(
    engine, template: str, values: dict[str, str], kind: type[Exception]
) -> None:
    made = engine(DONE)
    with pytest.raises(kind):
        await read(template, values)
    assert not made.seen
    assert made.health().state != EngineState.READY


def test_the_object_has_the_parts_that_were_agreed() -> None:
    content = PageContent(
        lines=(TextLine("a", None, None, "l0"),),
        fields=(Field("Total", "1", QUAD, 0.5, "amount", ("2",)),),
        tables=(Table("<table></table>", (("a",),), QUAD),),
        text="a",
        warnings=(ContentWarning("bad_box", "No box.", 0), ContentWarning("empty", "Nothing.")),
    )
    value = recognition_value(
        {}, "e", "t", content, (ContentWarning("empty", "Blank."), ContentWarning("bad_box", "x"))
    )
    assert value == {
        "page": {},
        "engine": "e",
        "template": "t",
        "lines": [{"text": "a", "quad": None, "confidence": None}],
        "fields": [
            {
                "name": "Total",
                "value": "1",
                "quad": [[1, 1], [9, 1], [9, 5], [1, 5]],
                "confidence": 0.5,
                "kind": "amount",
                "fits": True,
            }
        ],
        "tables": [{"html": "<table></table>", "grid": [["a"]]}],
        "text": "a",
        "warnings": [
            {"code": "empty", "message": "Blank."},
            {"code": "bad_box", "message": "x"},
            {"code": "bad_box", "message": "No box."},
        ],
    }
