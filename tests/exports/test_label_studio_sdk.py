"""Label Studio's own package reads what is exported for it. Not among the tests' requirements: it weighs 500 MB."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stored import ANN, add_item, content, open_store

from ocr_ui.domain.review import Review, State, Verdict
from ocr_ui.services.export import Exporter

pytest.importorskip("label_studio_sdk", reason="label-studio-sdk is not installed (pip install label-studio-sdk)")


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    with open_store(tmp_path / "data") as store:
        item = add_item(store, ("Tolal 12.50", "Thank you"), engine="vllm")
        store.corrections.add(item, 0, content("Total 12.50", "Thank you"), ANN)
        store.reviews.set(item, Review(Verdict.WRONG, State.SUBMITTED, (), "", "Ann", 1))
        Exporter(store).export_now("label-studio", tmp_path / "out")
    return tmp_path / "out"


def test_config_tasks_predictions_and_annotations_are_valid(exported: Path) -> None:
    from label_studio_sdk.label_interface import LabelInterface

    interface = LabelInterface((exported / "labeling-config.xml").read_text("utf-8"))
    interface.validate()
    [task] = json.loads((exported / "tasks.json").read_text("utf-8"))
    assert interface.validate_task({"data": task["data"]})
    for prediction in task["predictions"]:
        assert interface.validate_prediction(prediction)
    for annotation in task["annotations"]:
        assert interface.validate_annotation(annotation)
    task["predictions"][0]["result"][0]["from_name"] = "nothing"
    assert not interface.validate_prediction(task["predictions"][0])


def test_the_converter_finds_the_corrected_text_in_its_place(exported: Path, tmp_path: Path) -> None:
    from label_studio_sdk.converter import Converter

    converter = Converter(
        (exported / "labeling-config.xml").read_text("utf-8"), str(tmp_path), download_resources=False
    )
    converter.convert_to_json_min(str(exported / "tasks.json"), str(tmp_path / "min"), is_dir=False)
    [row] = json.loads(next((tmp_path / "min").glob("*.json")).read_text("utf-8"))
    assert row["transcription"] == ["Total 12.50", "Thank you"]
    assert [(box["x"], box["y"], box["width"]) for box in row["bbox"]] == [(1.0, 0.0, 49.0), (1.0, 2.5, 49.0)]
    assert [one["labels"] for one in row["label"]] == [["Text"], ["Text"]]
