"""A video as a file of a batch: read by the CPU engine, written as subtitles."""

from __future__ import annotations

from pathlib import Path

import pytest
from batches import SAYS, archive, bench, handed, picture, running, until, whole
from fakes import ScriptedEngine
from videos import FILM, TIMES, video

from ocr_ui.errors import BadInput, TooLarge
from ocr_ui.services.engines import Engines
from ocr_ui.services.jobs import JobAsk
from ocr_ui.services.workbench import Workbench
from ocr_ui.settings import Settings


@pytest.mark.stress
async def test_a_film_is_read_into_subtitles(tmp_path: Path) -> None:
    """By the engine that everybody has: full text, of which the lower part counts."""
    settings = Settings(_env_file=None, data_dir=tmp_path / "data", turn_pages=False)
    made = Workbench.open(settings, Engines.from_settings(settings))
    made.engines.start()
    made.runner.start()
    try:
        begun = await made.jobs.create(JobAsk(engine="rapidocr"), [handed("film.mp4", video())])
        progress = await until(made, begun.job.id)
        assert (progress.totals.done, progress.totals.failed) == (3, 0)
        assert made.store.jobs.has_frames(begun.job.id)
        pages = [item.page for item in made.store.items.each()]
        assert sorted((page.number, page.start, page.end) for page in pages) == [
            (number, *span) for number, span in enumerate(TIMES, 1)
        ]
        bundle = await made.exporter.bundled(["srt", "vtt"], {"jobs": [begun.job.id]}, "film")
        assert bundle.name.endswith(".zip")
        report = made.exporter.export_now("srt", tmp_path / "out", {"jobs": [begun.job.id]})
        (file,) = (tmp_path / "out" / "srt").iterdir()
        said = [text for text, _ in FILM if text]
        times = ("00:00:01,000 --> 00:00:03,000", "00:00:04,000 --> 00:00:05,500", "00:00:05,500 --> 00:00:07,500")
        cues = zip(times, said, strict=True)
        assert file.read_text() == "\n".join(f"{n}\n{time}\n{text}\n" for n, (time, text) in enumerate(cues, 1))
        assert report.left_out == ()
    finally:
        await made.close()


async def test_frames_are_chosen_like_pages_and_a_picture_is_no_video(tmp_path: Path) -> None:
    async with running(tmp_path, ScriptedEngine(SAYS)) as made:
        progress = await whole(made, [handed("film.mp4", video())], JobAsk(pages="2-"))
        assert progress.totals.done == 2
        pages = [item.page for item in made.store.items.each()]
        assert sorted((page.number, page.start, page.end) for page in pages) == [(2, *TIMES[1]), (3, *TIMES[2])]
        assert {page.name for page in pages} == {"film.mp4 0:00:04", "film.mp4 0:00:05"}
        packed = await whole(made, [handed("all.zip", archive({"f/film.mkv": video(FILM[1:3], "matroska")}))])
        assert (packed.totals.done, packed.totals.failed) == (1, 0)
        plain = await whole(made, [handed("a.png", picture("1"))])
        assert not made.store.jobs.has_frames(plain.job.id)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (video()[:3000], "damaged"),
        (video((("", 1.0),)), "video_without_text"),
    ],
)
async def test_a_video_that_cannot_be_read_says_why(tmp_path: Path, data: bytes, code: str) -> None:
    async with running(tmp_path, ScriptedEngine(SAYS)) as made:
        progress = await whole(made, [handed("film.mp4", data)])
        assert [one.error["code"] for one in progress.failures] == [code]
        assert not progress.failures[0].again


async def test_the_limits_on_videos(tmp_path: Path) -> None:
    async with running(tmp_path / "a", ScriptedEngine(SAYS), max_video_frames=2) as made:
        progress = await whole(made, [handed("film.mp4", video())])
        assert [one.error["code"] for one in progress.failures] == ["too_many_frames"]
    async with running(tmp_path / "b", ScriptedEngine(SAYS), max_video_seconds=5) as made:
        progress = await whole(made, [handed("film.mp4", video())])
        assert [one.error["code"] for one in progress.failures] == ["video_too_long"]
    made = bench(tmp_path / "c", max_video_bytes=1000)
    with pytest.raises(TooLarge):
        await made.jobs.create(JobAsk(), [handed("film.mp4", video())])
    await made.close()


async def test_an_engine_that_cannot_read_subtitles_says_so(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path, turn_pages=False)
    made = Workbench.open(settings, Engines.from_settings(settings))
    with pytest.raises(BadInput) as refused:
        await made.jobs.create(JobAsk("subtitles", engine="rapidocr"), [handed("film.mp4", video())])
    assert (refused.value.code, "full_text" in refused.value.hint) == ("task_not_possible", True)
    await made.close()
