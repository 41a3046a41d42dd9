"""`python -m ocr_ui rollouts`: a batch over a server of OpenAI's protocol, killed in the middle and gone on with."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest
from sampled import MISREAD, RIGHT, add_read, label
from stored import open_store

from ocr_ui.__main__ import main
from ocr_ui.storage.store import Store
from tests.engines.scripted_server import Answer, ScriptedServer, chunk, serve, stream
from tests.forked import Started, starter

ITEMS = 6
BOTH = stream(
    chunk(RIGHT, index=0, logprob=-0.5),
    chunk(MISREAD, index=1, logprob=-1.5),
    chunk("", index=0, finish="stop"),
    chunk("", index=1, finish="stop"),
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    with open_store(folder) as store:
        for shade in range(ITEMS):
            item = add_read(store, shade=shade, revision="r1" if shade % 2 else "r2")
            label(store, item)
    return folder


def settings(url: str, data: Path) -> dict[str, str]:
    return {
        "OCR_UI_DATA_DIR": str(data),
        "OCR_UI_ENGINE": "openai",
        "OCR_UI_BASE_URL": url,
        "OCR_UI_MODEL": "m",
        "OCR_UI_TURN_PAGES": "false",
    }


def batch(server: ScriptedServer, data: Path, out: Path, err: Path) -> Started:
    environment = {**os.environ, **settings(server.url, data)}
    return starter("ocr_ui.__main__").start(environment, out, err, "rollouts", "--n", "2", "--at-once", "2")


def rollouts(store: Store) -> dict[int, int]:
    """How many rollouts each item has."""
    return {row.id: len(store.rollouts.of_item(row.id)) for row in store.items.list(limit=100)}


async def test_a_batch_that_is_killed_goes_on_and_asks_about_no_item_twice(data: Path, tmp_path: Path) -> None:
    out, killed_err, err = tmp_path / "out", tmp_path / "killed-err", tmp_path / "err"
    async with serve(BOTH) as server:
        server.answers = [BOTH] * 2 + [Answer(kind="text/event-stream", parts=[chunk(RIGHT)], hangs=True)]
        process = batch(server, data, out, killed_err)
        while len(server.questions) < 4:
            await asyncio.sleep(0.02)
            assert process.poll() is None, killed_err.read_text()
        with open_store(data) as store:
            async with asyncio.timeout(90):
                while sum(rollouts(store).values()) < 2:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            await asyncio.to_thread(process.wait)
            before = rollouts(store)
            assert sum(before.values()) == 2
        server.answers = [BOTH]
        asked = len(server.questions)
        assert out.read_text() == ""
        code = await asyncio.to_thread(batch(server, data, out, err).wait, 90)
        assert code == 0, err.read_text()
        told = json.loads(out.read_text())
        assert told["resumed"]
        assert (told["total"], told["done"], told["failed"], told["waiting"]) == (ITEMS, ITEMS, 0, 0)
        assert len(server.questions) - asked == ITEMS - sum(before.values())
    with open_store(data) as store:
        assert set(rollouts(store).values()) == {1}
        kept = store.rollouts.get(store.rollouts.of_item(1)[0].id).rollout
    assert "going on where it stopped" in err.read_text()
    assert [question["n"] for question in server.questions] == [2] * len(server.questions)
    assert [one.generation.text for one in kept.answers] == [RIGHT, MISREAD]
    assert kept.answers[0].reward == 1.0
    assert told["marks"] == {"informative": ITEMS - sum(before.values())}


async def test_a_filter_and_what_fails(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def batch_here(*more: str) -> tuple[int, dict, str]:
        code = await asyncio.to_thread(main, ["rollouts", "--n", "2", "--filter", "revision=r2", *more])
        written = capsys.readouterr()
        return code, json.loads(written.out), written.err

    async with serve(BOTH) as server:
        for name, value in settings(server.url, data).items():
            monkeypatch.setenv(name, value)
        server.answers = [Answer(status=400, parts=['{"error": {"message": "no"}}'])] * 2 + [BOTH]
        code, told, err = await batch_here("--at-once", "1")
        assert code == 1
        assert (told["total"], told["done"], told["failed"]) == (ITEMS // 2, ITEMS // 2 - 1, 1)
        assert (
            "item 1: The server refused the page: Error code: 400 - no Try a smaller picture. (refused_by_engine)\n"
            in err
        )
        code, told, err = await batch_here("--retry-failed")
        assert (code, told["done"], told["failed"]) == (0, ITEMS // 2, 0), err
    with open_store(data) as store:
        revisions = {item: store.recognitions.get(item).recognition.engine.revision for item in rollouts(store)}
        assert {revisions[item] for item, count in rollouts(store).items() if count} == {"r2"}
        assert set(rollouts(store).values()) == {0, 1}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--temperature", "0"), "At temperature 0"),
        (("--n", "999"), "999 answers"),
        (("--filter", "revision=none"), "No item of the dataset"),
    ],
)
def test_what_cannot_be_sampled_is_said_at_once(
    data: Path,
    more: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in settings("http://127.0.0.1:9/v1", data).items():
        monkeypatch.setenv(name, value)
    assert main(["rollouts", *more]) == 2
    written = capsys.readouterr()
    assert said in written.err
    assert written.out == ""
