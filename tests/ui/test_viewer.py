"""What the viewer hands to Gradio."""

from __future__ import annotations

import json

from ocr_ui.ui.viewer import STATIC, Viewer
from ocr_ui.ui.viewer_words import viewer_words

HOSTILE = {"lines": [{"id": "l0", "text": "${alert(1)} {{value}} <img src=x onerror=alert(1)> `", "quad": None}]}


def make() -> Viewer:
    return Viewer(words=viewer_words("en"))


def test_recognised_text_never_reaches_a_template() -> None:
    config = Viewer(HOSTILE, words=viewer_words("en")).get_config()
    assert config["html_template"] == '<div class="vw-host"></div>'
    assert "alert" not in config["css_template"] + config["js_on_load"]


def test_the_value_is_json_text_both_ways() -> None:
    wire = make().postprocess(HOSTILE)
    assert isinstance(wire, str)
    assert json.loads(wire) == HOSTILE
    assert make().preprocess(wire) == HOSTILE


def test_the_words_travel_as_text_too() -> None:
    assert json.loads(make().get_config()["props"]["words"])["save"] == "Save"


def test_nothing_is_an_empty_text() -> None:
    assert make().postprocess(None) == ""
    assert make().preprocess("") is None


def test_own_events_can_be_listened_to() -> None:
    viewer = make()
    for event in ("upload", "saved", "change"):
        assert f'"{event}"' in viewer.get_config()["js_on_load"]
        assert callable(getattr(viewer, event))


def test_only_the_safe_markup_is_ever_parsed() -> None:
    """HTML that the server has made safe; the page tries its payloads in `tests/browser/test_rendered_html.py`."""
    uses = {
        path.relative_to(STATIC).as_posix(): [line.strip() for line in source.splitlines() if "innerHTML" in line]
        for path in STATIC.rglob("*.mjs")
        if "innerHTML" in (source := path.read_text(encoding="utf-8"))
    }
    assert {name: len(lines) for name, lines in uses.items()} == {
        "review/guidelines.mjs": 1,
        "tries/columns.mjs": 1,
        "viewer/sourceview.mjs": 1,
        "viewer/views.mjs": 1,
    }
    for lines in uses.values():
        assert all("innerHTML = html; // made safe by the server" in line for line in lines)
    for path in STATIC.rglob("*.mjs"):
        assert not any(
            word in path.read_text(encoding="utf-8")
            for word in ("insertAdjacentHTML", "outerHTML", "eval(", "document.write")
        )
