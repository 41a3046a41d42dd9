"""Subtitles of videos as SubRip (SRT) and WebVTT, a file a video.

What stands in several frames one after the other, read a little differently each time, is one subtitle: the reading
that was shown longest counts, and a corrected one before all. Pictures that are of no video are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import fuzz

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.geometry import Quad
from ocr_ui.exports.files import document_stem
from ocr_ui.exports.reasons import Reason
from ocr_ui.exports.registry import FolderFormat
from ocr_ui.exports.sample import Notes, Options, Sample

NO_TIME = Reason("no_time", "it is of no video")
LOWER = 0.6
"""Of a picture's height, from above: lines whose middle stands higher are no subtitles."""
ALIKE = 80.0
"""Percent of the characters that two readings of one subtitle have in common at least, spaces apart."""
MOST_GAP = 1.0
"""Seconds between two frames of one subtitle; in between it may have been unreadable for a moment."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What was read in a frame. Attributes: start, end: seconds. corrected: a person says so."""

    start: float
    end: float
    text: str
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class Cue:
    """A subtitle with its time, in seconds."""

    start: float
    end: float
    text: str


def cues(frames: Iterable[Frame]) -> list[Cue]:
    """Subtitles in order of time; frames without text are none, and only divide what is not alike."""
    groups: list[list[Frame]] = []
    for frame in sorted((one for one in frames if one.text), key=lambda one: (one.start, one.end)):
        if groups and _goes_on(groups[-1], frame):
            groups[-1].append(frame)
        else:
            groups.append([frame])
    return [Cue(group[0].start, max(one.end for one in group), _text(group)) for group in groups]


def subtitle_of(content: PageContent, height: int) -> str:
    """The subtitle in what was read of a frame: the text, or of lines with places those in the lower part."""
    placed = [(line.text, line.quad) for line in content.lines if line.quad is not None]
    if placed:
        return _tidy("\n".join(text for text, quad in placed if _middle(quad) >= LOWER * height))
    return _tidy(content.text or "\n".join(line.text for line in content.lines))


class Srt(FolderFormat):
    name = "srt"
    file_name = "srt"
    folder = "srt"

    def fill(self, folder: Path, samples: Iterable[Sample], notes: Notes, options: Options) -> None:
        for file, found in _files(folder / self.folder, samples, notes):
            written = "\n".join(_srt(number, cue) for number, cue in enumerate(found, 1))
            _write(file.with_name(f"{file.name}.srt"), written)


class WebVtt(FolderFormat):
    name = "vtt"
    file_name = "vtt"
    folder = "vtt"

    def fill(self, folder: Path, samples: Iterable[Sample], notes: Notes, options: Options) -> None:
        for file, found in _files(folder / self.folder, samples, notes):
            _write(file.with_name(f"{file.name}.vtt"), "\n".join(["WEBVTT\n", *map(_vtt, found)]))


def _files(folder: Path, samples: Iterable[Sample], notes: Notes) -> Iterator[tuple[Path, list[Cue]]]:
    """The file of each video, without its ending, and its subtitles; the newest reading of a frame counts."""
    folder.mkdir()
    videos: dict[str, dict[int, Frame]] = {}
    for sample in samples:
        page = sample.page
        if page.start is None or page.end is None:
            notes.leave_out(sample, NO_TIME)
            continue
        text = subtitle_of(sample.label, page.height)
        frame = Frame(page.start, page.end, text, sample.correction is not None)
        videos.setdefault(document_stem(sample), {})[page.number] = frame
    for name, frames in videos.items():
        yield folder / name, cues(frames.values())


def _goes_on(group: Sequence[Frame], frame: Frame) -> bool:
    last = group[-1]
    return frame.start - last.end <= MOST_GAP and fuzz.ratio(_bare(last.text), _bare(frame.text)) >= ALIKE


def _bare(text: str) -> str:
    return "".join(text.split()).casefold()


def _text(group: Sequence[Frame]) -> str:
    said = [one for one in group if one.corrected] or group
    shown: Counter[str] = Counter()
    for one in said:
        shown[one.text] += round((one.end - one.start) * 1000)
    return shown.most_common(1)[0][0]


def _middle(quad: Quad) -> float:
    return sum(y for _, y in quad.points) / len(quad.points)


def _tidy(text: str) -> str:
    """Lines without blank ones between them, which would end a subtitle."""
    lines = (" ".join(line.split()) for line in re.split(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+", text))
    return "\n".join(line for line in lines if line)


def _srt(number: int, cue: Cue) -> str:
    # The one thing that a text must not hold; SubRip has no other sign for it.
    text = cue.text.replace("-->", "→")
    return f"{number}\n{_time(cue.start, ',')} --> {_time(cue.end, ',')}\n{text}\n"


def _vtt(cue: Cue) -> str:
    text = cue.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"{_time(cue.start, '.')} --> {_time(cue.end, '.')}\n{text}\n"


def _time(seconds: float, point: str) -> str:
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}{point}{thousandths:03d}"


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
