"""Subtitles: which frames are one, and files that FFmpeg reads back."""

from __future__ import annotations

from pathlib import Path

import av
import pytest
from stored import ANN, content, open_store, png, recognition

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.domain.geometry import Quad
from ocr_ui.domain.page import Page
from ocr_ui.exports.subtitles import Cue, Frame, cues, subtitle_of
from ocr_ui.services.export import Exporter


def frame(start: float, end: float, text: str, corrected: bool = False) -> Frame:
    return Frame(start, end, text, corrected)


def test_a_subtitle_that_is_read_differently_is_one_and_the_longest_reading_counts() -> None:
    read = [frame(1, 1.25, "Good evenlng"), frame(1.25, 3, "Good evening"), frame(3, 3.25, "good evening")]
    assert cues(read) == [Cue(1, 3.25, "Good evening")]


def test_empty_frames_in_between_divide_only_what_is_not_alike_or_long_apart() -> None:
    again = [frame(1, 2, "Hello there"), frame(2, 2.5, ""), frame(2.5, 4, "Hello there")]
    assert cues(again) == [Cue(1, 4, "Hello there")]
    later = [frame(1, 2, "Hello there"), frame(2, 3.5, ""), frame(3.5, 4, "Hello there")]
    assert cues(later) == [Cue(1, 2, "Hello there"), Cue(3.5, 4, "Hello there")]
    other = [frame(1, 2, "Yes."), frame(2, 3, "Now we go")]
    assert [cue.text for cue in cues(other)] == ["Yes.", "Now we go"]
    assert cues([frame(1, 2, "")]) == []


def test_what_a_person_corrected_counts() -> None:
    read = [frame(1, 3, "Good evenlng"), frame(3, 3.25, "Good evening", corrected=True)]
    assert cues(read) == [Cue(1, 3.25, "Good evening")]


def test_times_do_not_depend_on_the_order_in_which_frames_were_read() -> None:
    read = [frame(5, 6, "你在哪里"), frame(1, 2, "晚上好")]
    assert cues(read) == [Cue(1, 2, "晚上好"), Cue(5, 6, "你在哪里")]


def test_of_lines_with_places_those_below_count() -> None:
    def line(text: str, top: float) -> TextLine:
        return TextLine(text, Quad.from_points([(0, top), (9, top), (9, top + 10), (0, top + 10)]))

    lines = (line("STATION", 20), line("Where were", 300), line("you?", 320))
    assert subtitle_of(PageContent(lines=lines), 360) == "Where were\nyou?"
    assert subtitle_of(PageContent(text=" One \n\n two  words\u2028"), 360) == "One\ntwo words"


ODD = "<b>A & B</b> --> C"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A film of three frames, two of them alike, and a picture that is of no film."""
    with open_store(tmp_path / "data") as store:
        shown = ((1.0, 2.0, ODD), (2.0, 3.5, ODD), (3601.25, 3602.0, "第二句\n字幕"))
        pages = [
            Page(store.pictures.put(png(number)), 1000, 800, "film.mp4", number, start, end)
            for number, (start, end, _) in enumerate(shown, 1)
        ]
        stored = store.pages.add_document("film.mp4", pages, ANN)
        for page, page_id, (_, _, text) in zip(pages, stored.page_ids, shown, strict=True):
            store.recognitions.add(recognition(page.sha256, PageContent(text=text)), page_id)
        assert store.pages.get(stored.page_ids[0]).page == pages[0]
        single = store.pages.add_document("a.png", [Page(pages[0].sha256, 1000, 800, "a.png")], ANN)
        store.recognitions.add(recognition(pages[0].sha256, content("none")), single.page_ids[0])
        for name in ("srt", "vtt"):
            report = Exporter(store).export_now(name, tmp_path / "out")
            assert [reason.code for _, reason in report.left_out] == ["no_time"]
    return tmp_path / "out"


@pytest.mark.parametrize("name", ["srt", "vtt"])
def test_ffmpeg_reads_them_back(out: Path, name: str) -> None:
    (file,) = (out / name).iterdir()
    assert file.name.endswith(f"-film.{name}")
    with av.open(str(file)) as container:
        stream = container.streams.subtitles[0]
        found = [
            (float(packet.pts * stream.time_base), float(packet.duration * stream.time_base), bytes(packet).decode())
            for packet in container.demux(stream)
            if packet.size
        ]
    assert [time[:2] for time in found] == [(1.0, 2.5), (3601.25, 0.75)]
    odd = {"srt": "<b>A & B</b> → C", "vtt": "&lt;b&gt;A &amp; B&lt;/b&gt; --&gt; C"}[name]
    assert [text.strip() for *_, text in found] == [odd, "第二句\n字幕"]


def test_the_files_word_for_word(out: Path) -> None:
    (srt,) = (out / "srt").iterdir()
    assert srt.read_text("utf-8").startswith(
        "1\n00:00:01,000 --> 00:00:03,500\n<b>A & B</b> → C\n\n2\n01:00:01,250 -->"
    )
    (vtt,) = (out / "vtt").iterdir()
    assert vtt.read_text("utf-8").startswith("WEBVTT\n\n00:00:01.000 --> 00:00:03.500\n")
