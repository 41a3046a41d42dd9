"""Label Studio: tasks with the model's prediction and the person's annotation, and the labelling configuration.

Places are per cent of the picture; a box turns about its top left corner, clockwise, in degrees. A line is three
results of one id (place, label, transcription); one that is no rectangle is a polygon. Text without a place stands in
a field of the whole page. Texts are kept exactly. Serve the folder as local files: `LOCAL_FILES_DOCUMENT_ROOT` is the
folder with tasks.json.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import atan2, cos, degrees, dist, sin
from pathlib import Path
from typing import Any

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.domain.exact_json import dumps
from ocr_ui.domain.geometry import Point, Quad
from ocr_ui.domain.review import Verdict
from ocr_ui.exports.registry import FolderFormat
from ocr_ui.exports.sample import Notes, Options, Sample

CONFIG = """<View>
  <Image name="image" value="$ocr" zoom="true" zoomControl="true" rotateControl="true"/>
  <Labels name="label" toName="image">
    <Label value="Text" background="green"/>
  </Labels>
  <Rectangle name="bbox" toName="image" strokeWidth="3"/>
  <Polygon name="poly" toName="image" strokeWidth="3"/>
  <TextArea name="transcription" toName="image" editable="true" perRegion="true" maxSubmissions="1" rows="5"
            placeholder="Text of the line" displayMode="region-list"/>
  <TextArea name="page_text" toName="image" editable="true" maxSubmissions="1" rows="8"
            placeholder="Text of the page that has no place"/>
</View>
"""
_LABEL = "Text"
_OFF = 0.5
"""Pixels by which a corner may be off the rectangle that is written for it."""


class LabelStudio(FolderFormat):
    name = "label-studio"
    file_name = "tasks.json"

    def fill(self, folder: Path, samples: Iterable[Sample], notes: Notes, options: Options) -> None:
        (folder / "labeling-config.xml").write_text(CONFIG, encoding="utf-8")
        with (folder / self.file_name).open("w", encoding="utf-8", newline="\n") as out:
            out.write("[")
            for number, sample in enumerate(samples):
                out.write(("," if number else "") + "\n" + dumps(task(sample)))
            out.write("\n]\n")


def task(sample: Sample) -> dict[str, Any]:
    """One task as JSON values."""
    recognition = sample.recognition
    size = sample.page.width, sample.page.height
    prediction = {
        "model_version": f"{recognition.engine.kind} {recognition.engine.model}".strip(),
        "score": _score(recognition.content),
        "result": results(recognition.content, *size),
    }
    said = _said(sample)
    result = [] if said is None else results(said, *size)
    annotation = {"result": result, "was_cancelled": False, "ground_truth": False}
    return {
        "id": sample.id,
        "data": _data(sample),
        "predictions": [prediction],
        "annotations": [] if said is None else [annotation],
    }


def results(content: PageContent, width: int, height: int) -> list[dict[str, Any]]:
    """The results of a page's content, for a picture of width x height pixels."""
    frame = {"to_name": "image", "original_width": width, "original_height": height, "image_rotation": 0}
    found = [part for number, line in enumerate(content.lines) for part in _line(number, line, frame)]
    placed = [line for line in content.lines if line.quad]
    loose = "\n".join(line.text for line in content.lines if not line.quad)
    text = loose if placed else content.text or loose
    if text:
        found.append({"id": "page", "type": "textarea", "from_name": "page_text", **frame, "value": {"text": [text]}})
    return found


def _line(number: int, line: TextLine, frame: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if line.quad is None:
        return
    kind, place = _place(line.quad, frame["original_width"], frame["original_height"])
    score = {} if line.confidence is None else {"score": line.confidence}
    shared = {"id": line.id or f"line{number}", **frame}
    tool = "bbox" if kind == "rectangle" else "poly"
    yield {**shared, "type": kind, "from_name": tool, "value": place}
    yield {**shared, "type": "labels", "from_name": "label", "value": {**place, "labels": [_LABEL]}}
    yield {**shared, "type": "textarea", "from_name": "transcription", **score, "value": {**place, "text": [line.text]}}


def _place(quad: Quad, width: int, height: int) -> tuple[str, dict[str, Any]]:
    """Kind and value, in per cent of the picture; all of them are 0 to 100, as Label Studio's own check wants it."""
    quad = quad.as_read().clip(width, height)
    start, right, _, below = quad.points
    wide, high = dist(start, right), dist(start, below)
    angle = atan2(right[1] - start[1], right[0] - start[0])
    meant = turned(start, wide, high, angle)
    if (
        0 < wide <= width
        and 0 < high <= height
        and all(dist(a, b) <= _OFF for a, b in zip(quad.points, meant.points, strict=True))
    ):
        return "rectangle", {
            "x": _share(start[0], width),
            "y": _share(start[1], height),
            "width": _share(wide, width),
            "height": _share(high, height),
            "rotation": degrees(angle) % 360,
        }
    points = [[_share(x, width), _share(y, height)] for x, y in quad.points]
    return "polygon", {"points": points, "closed": True}


def turned(start: Point, wide: float, high: float, angle: float) -> Quad:
    """A rectangle of `wide` x `high` pixels turned clockwise by `angle` radians about its top left corner."""
    x, y = start
    along = wide * cos(angle), wide * sin(angle)
    down = -high * sin(angle), high * cos(angle)
    return Quad(
        (
            start,
            (x + along[0], y + along[1]),
            (x + along[0] + down[0], y + along[1] + down[1]),
            (x + down[0], y + down[1]),
        )
    )


def _share(pixels: float, whole: int) -> float:
    return pixels * 100 / whole


def _said(sample: Sample) -> PageContent | None:
    """What a person says of the page: a correction, or the model's own output where it was found right."""
    if sample.correction:
        return sample.correction.content
    return sample.recognition.content if sample.review.verdict == Verdict.RIGHT else None


def _score(content: PageContent) -> float | None:
    given = [line.confidence for line in content.lines if line.confidence is not None]
    return min(given) if given else None


def _data(sample: Sample) -> dict[str, Any]:
    """What the task shows, and where it comes from."""
    recognition, review = sample.recognition, sample.review
    return {
        "ocr": f"/data/local-files/?d={sample.picture}" if sample.picture else "",
        "item": sample.id,
        "document": sample.document,
        "page": sample.page.name,
        "page_number": sample.page.number,
        "sha256": sample.page.sha256,
        "template": recognition.prompt.template,
        "prompt": recognition.prompt.text,
        "fields": {field.name: field.value for field in sample.label.fields},
        "verdict": review.verdict,
        "state": review.state,
        "reviewer": review.person,
        "corrected_by": sample.correction.person if sample.correction else None,
    }
