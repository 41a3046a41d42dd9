"""Pictures of items are read once more in the background."""

from __future__ import annotations

from pathlib import Path

import pytest
from batches import SAYS, handed, picture, running, until, whole
from fakes import ScriptedEngine
from stored import ANN

from ocr_ui.errors import BadInput, EngineFailed, NotFound
from ocr_ui.services.jobs import Again, JobAsk
from ocr_ui.storage.items import Filters


async def test_a_batch_for_each_question(tmp_path: Path) -> None:
    engines = {"fast": ScriptedEngine(SAYS), "slow": ScriptedEngine(SAYS)}
    async with running(tmp_path, engines=engines, batch_at_once=1) as bench:  # page after page, in order
        await whole(bench, [handed("a.png", picture("1")), handed("b.png", picture("2"))], JobAsk(engine="fast"))
        await whole(bench, [handed("c.png", picture("3"))], JobAsk("fields", {"fields": "Total"}, engine="slow"))
        items = bench.store.items.ids(sort="oldest")
        begun = await bench.jobs.again([*items, items[0]], Again(), ANN)
        assert [progress.job.name for progress in begun] == ["a.png + 1", "c.png"]
        for progress in begun:
            await until(bench, progress.job.id)
        new = [item for item in bench.store.items.each() if item.id not in items]
        said = [(item.document, item.recognition.engine.name, item.recognition.prompt.template) for item in new]
        assert sorted(said) == [
            ("a.png", "fast", "full_text"),
            ("b.png", "fast", "full_text"),
            ("c.png", "slow", "fields"),
        ]
        fields = next(item for item in new if item.document == "c.png")
        assert fields.recognition.prompt.variables == {"fields": "Total"}
        assert {item.read_by for item in new} == {"Ann"}
        assert {item.page_id for item in new} == {bench.store.recognitions.get(item).page_id for item in items}
        other = await bench.jobs.again(items[:1], Again("slow", "fields", {"fields": "Date"}))
        await until(bench, other[0].job.id)
        last = next(item for item in bench.store.items.each(Filters(jobs=(other[0].job.id,))))
        assert (last.recognition.engine.name, last.recognition.prompt.variables) == ("slow", {"fields": "Date"})


async def test_what_failed_can_be_tried_again(tmp_path: Path) -> None:
    engine = ScriptedEngine(SAYS)
    async with running(tmp_path, engine) as bench:
        await whole(bench, [handed("a.png", picture("1"))])
        engine.script = [EngineFailed("reading_failed", "No.", "Again.")]
        failed = (await bench.jobs.again([1], Again()))[0].job.id
        progress = await until(bench, failed)
        assert (progress.totals.failed, progress.totals.retryable, progress.failures[0].again) == (1, 1, True)
        engine.script = SAYS
        await bench.jobs.retry(failed)
        assert (await until(bench, failed)).totals.done == 1


async def test_what_cannot_be_read_again_is_refused(tmp_path: Path) -> None:
    async with running(tmp_path, ScriptedEngine(SAYS)) as bench:
        await whole(bench, [handed("a.png", picture("1"))])
        for wrong in ([], [1, 99]):
            with pytest.raises((BadInput, NotFound)):
                await bench.jobs.again(wrong, Again())
        with pytest.raises(BadInput):
            await bench.jobs.again([1], Again("nobody"))
        assert len(await bench.jobs.list()) == 1
