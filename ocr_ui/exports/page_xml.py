"""PAGE-XML (PRImA, 2019-07-15), one file an item: the lines with their outlines, in reading order.

Outlines are whole pixels of the picture, text without a place stands in a region of the whole page. What XML forbids
is stripped and counted. Fields and tables are not part of it; JSON Lines has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from lxml import etree
from lxml.builder import ElementMaker

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.domain.geometry import BoundingBox, Quad
from ocr_ui.exports.files import stem
from ocr_ui.exports.registry import FolderFormat
from ocr_ui.exports.sample import Notes, Options, Sample
from ocr_ui.exports.xml_text import allowed

NAMESPACE = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"
_make = ElementMaker(namespace=NAMESPACE, nsmap={None: NAMESPACE})


class PageXml(FolderFormat):
    name = "page-xml"
    file_name = "page-xml"
    folder = "page-xml"

    def fill(self, folder: Path, samples: Iterable[Sample], notes: Notes, options: Options) -> None:
        (folder / self.folder).mkdir()
        for sample in samples:
            tree = etree.ElementTree(document(sample, notes))
            file = folder / self.folder / f"{stem(sample)}.xml"
            # Not written by lxml itself, whose error of a full disk is none of the system's.
            file.write_bytes(etree.tostring(tree, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def document(sample: Sample, notes: Notes) -> etree._Element:
    page = sample.page
    picture = f"../{sample.picture}" if sample.picture else allowed(page.name, notes)
    size = {"imageWidth": str(page.width), "imageHeight": str(page.height)}
    regions = _regions(sample.label, page.width, page.height, notes)
    return _make.PcGts(
        _make.Metadata(
            _make.Creator("OCR Workbench"),
            _make.Created(_time(sample.read_at)),
            _make.LastChange(_time(sample.corrected_at or sample.read_at)),
        ),
        _make.Page(*_order(regions), *regions, imageFilename=picture, **size),
    )


def _order(regions: Sequence[etree._Element]) -> list[etree._Element]:
    if not regions:
        return []
    places = (
        _make.RegionRefIndexed(index=str(index), regionRef=region.get("id")) for index, region in enumerate(regions)
    )
    return [_make.ReadingOrder(_make.OrderedGroup(*places, id="order"))]


def _regions(content: PageContent, width: int, height: int, notes: Notes) -> list[etree._Element]:
    placed = [line for line in content.lines if line.quad]
    loose = [line.text for line in content.lines if not line.quad]
    regions = []
    if placed:
        points = [point for line in placed for point in line.quad.points]
        outline = Quad.from_box(BoundingBox.around(points))
        lines = [_line(number, line, width, height, notes) for number, line in enumerate(placed)]
        regions.append(_make.TextRegion(_outline(outline, width, height), *lines, id="lines"))
    text = "\n".join(loose) if placed else content.text or "\n".join(loose)
    if text:
        whole = Quad.from_box(BoundingBox(0, 0, width, height))
        regions.append(
            _make.TextRegion(_outline(whole, width, height), _text(text, notes), id="text", custom="place unknown")
        )
    return regions


def _line(number: int, line: TextLine, width: int, height: int, notes: Notes) -> etree._Element:
    text = _text(line.text, notes)
    if line.confidence is not None:
        text.set("conf", f"{line.confidence:.4f}")
    return _make.TextLine(_outline(line.quad.as_read(), width, height), text, id=f"l{number}")


def _text(text: str, notes: Notes) -> etree._Element:
    return _make.TextEquiv(_make.Unicode(allowed(text, notes)))


def _outline(quad: Quad, width: int, height: int) -> etree._Element:
    points = quad.clip(width, height).rounded(0).points
    return _make.Coords(points=" ".join(f"{x:.0f},{y:.0f}" for x, y in points))


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
