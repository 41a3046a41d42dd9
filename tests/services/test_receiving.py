from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest
from fakes import ScriptedEngine
from stored import content, open_store, recognition

from ocr_ui.domain.access import Action, Identity, Role
from ocr_ui.domain.content import ContentWarning
from ocr_ui.errors import BadInput, EngineDead, NotFound, StoreFailed, TooLarge
from ocr_ui.images.door import decode_png, encode_png
from ocr_ui.services import pictures
from ocr_ui.services.access import Acting, act_as
from ocr_ui.services.engines import Engines
from ocr_ui.services.pictures import MAX_NAME, THUMBNAIL_SIDE, PageStore, Upright
from ocr_ui.services.recent_pixels import MOST_PICTURES
from ocr_ui.settings import Settings
from ocr_ui.storage.store import Store
from tests.images import pdf_files


class FixedUpright(Upright):
    """Turns every page by the same quarter turns, clockwise."""

    def __init__(self, turns: int = 0) -> None:
        self.turns = turns

    async def turn(self, pixels: np.ndarray) -> tuple[np.ndarray, tuple[ContentWarning, ...]]:
        if not self.turns:
            return pixels, ()
        turned = np.ascontiguousarray(np.rot90(pixels, -self.turns))
        return turned, (ContentWarning(f"turned_{self.turns * 90}", "Turned."),)


def drawn(width: int = 60, height: int = 40) -> np.ndarray:
    """White, with a dark corner at the top left."""
    pixels = np.full((height, width, 3), 255, np.uint8)
    pixels[: height // 4, : width // 4] = (200, 0, 0)
    return pixels


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path) as opened:
        yield opened


def page_store(store: Store, turns: int = 0, **settings: object) -> PageStore:
    return PageStore(store, Settings(**settings), FixedUpright(turns))  # type: ignore[arg-type]


def files(store: Store) -> list[Path]:
    return sorted(path for path in store.pictures.folder.rglob("*") if path.is_file())


async def test_a_picture_is_stored_as_it_came(store: Store) -> None:
    pages = page_store(store)
    received = await pages.receive(encode_png(drawn()), "a.png", "Ann")
    assert (received.page.width, received.page.height, received.page.name) == (60, 40, "a.png")
    page, pixels = await pages.load(received.page_id)
    assert page == received.page
    assert np.array_equal(pixels, drawn())
    assert (await pages.file(page.sha256)).read_bytes() == encode_png(drawn())


async def test_a_turned_page_is_stored_upright_and_said(store: Store) -> None:
    pages = page_store(store, turns=1)
    received = await pages.receive(encode_png(drawn()), "a.png")
    assert (received.page.width, received.page.height) == (40, 60)
    assert [warning.code for warning in received.warnings] == ["turned_90"]
    _, pixels = await pages.load(received.page_id)
    assert tuple(pixels[2, -3]) == (200, 0, 0)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("page.png", "page.png"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ann\\scan 1.png", "scan 1.png"),
        ("/", ""),
        ("a\x00b\nc\x7f.png", "ab c.png"),
        ("invoice\u202egnp.exe", "invoicegnp.exe"),
        ("\u200f\u2066x\u2069.png", "x.png"),
        ("发票\u3000一.jpg", "发票 一.jpg"),
        ("half\ud800.png", "half.png"),
        ("<img src=x onerror=alert(1)>.png", "<img src=x onerror=alert(1)>.png"),
        ("x" * 5000 + ".png", "x" * MAX_NAME),
        ("", ""),
    ],
)
async def test_names_are_shown_and_never_used_as_paths(store: Store, name: str, kept: str) -> None:
    received = await page_store(store).receive(encode_png(drawn()), name)
    assert store.pages.get(received.page_id).page.name == kept
    assert [file.stem for file in files(store)] == [received.page.sha256] * 2


async def test_the_same_picture_twice_is_stored_once(store: Store) -> None:
    pages = page_store(store)
    first = await pages.receive(encode_png(drawn()), "a.png")
    done, other_bytes = cv2.imencode(".bmp", drawn()[:, :, ::-1])
    assert done
    second = await pages.receive(other_bytes.tobytes(), "b.bmp")
    assert first.page.sha256 == second.page.sha256
    assert first.page_id != second.page_id
    assert len(files(store)) == 2


@pytest.mark.parametrize("turns", [1, 2, 3])
async def test_rotating_gives_a_page_of_its_own(store: Store, turns: int) -> None:
    pages = page_store(store)
    old = await pages.receive(encode_png(drawn()), "a.png")
    new = await pages.rotate(old.page.sha256, turns)
    _, pixels = await pages.load(new.page_id)
    assert np.array_equal(pixels, np.rot90(drawn(), -turns))
    assert new.page.name == "a.png"
    assert store.pages.get(old.page_id).page == old.page
    back = await pages.rotate(new.page.sha256, 4 - turns)
    assert back.page.sha256 == old.page.sha256


async def test_thumbnails_are_small_and_made_anew_where_they_are_missing(store: Store) -> None:
    pages = page_store(store)
    received = await pages.receive(encode_png(drawn(2000, 100)), "long.png")
    small = await pages.thumbnail(received.page.sha256)
    shown = cv2.imdecode(np.frombuffer(small, np.uint8), cv2.IMREAD_COLOR)
    assert shown.shape == (round(100 * THUMBNAIL_SIDE / 2000), THUMBNAIL_SIDE, 3)
    store.pictures.thumbnail(received.page.sha256).unlink()
    assert await pages.thumbnail(received.page.sha256) == small


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_file"),
        (b"hello", "not_a_picture"),
        (encode_png(drawn())[:60], "damaged"),
        (encode_png(drawn(400, 300)), "too_many_pixels"),
        (b"\x89PNG" + bytes(5000), "too_many_bytes"),
    ],
)
async def test_what_is_refused_leaves_nothing_behind(store: Store, data: bytes, code: str) -> None:
    with pytest.raises(BadInput) as caught:
        await page_store(store, max_pixels=100_000, max_upload_bytes=5_000).receive(data, "a.png")
    assert caught.value.code == code
    assert isinstance(caught.value, TooLarge) == code.startswith("too_")
    assert files(store) == []
    with pytest.raises(NotFound):
        store.pages.get(1)


async def test_unknown_pages_and_pictures(store: Store) -> None:
    pages = page_store(store)
    for call in (pages.load(1), pages.rotate("0" * 64, 1), pages.file("0" * 64), pages.thumbnail("0" * 64)):
        with pytest.raises(NotFound):
            await call
    with pytest.raises(BadInput):
        await pages.file("../../etc/passwd")


async def test_a_picture_damaged_on_the_disk_is_told(store: Store) -> None:
    pages = page_store(store)
    received = await pages.receive(encode_png(drawn()), "a.png")
    store.pictures.path(received.page.sha256).write_bytes(b"\x89PNG\r\n\x1a\n....")
    another = page_store(store)
    for call in (another.load(received.page_id), another.rotate(received.page.sha256, 1)):
        with pytest.raises(StoreFailed) as caught:
            await call
        assert caught.value.code == "damaged_picture"


async def test_what_has_just_come_in_is_not_decoded_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    pages, decoded = page_store(store), []
    monkeypatch.setattr(pictures, "decode_png", lambda data: decoded.append(data) or decode_png(data))
    received = await pages.receive(encode_png(drawn()), "a.png")
    _, pixels = await pages.load(received.page_id)
    assert (pixels == drawn()).all()
    assert decoded == []
    _, anew = await page_store(store).load(received.page_id)
    assert (anew == pixels).all()
    assert len(decoded) == 1


async def test_a_far_store_is_asked_once_a_reading_if_the_picture_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data_dir=tmp_path, pictures_url=f"memory://{tmp_path.name}")
    with Store.open(settings) as far:
        bucket, asked = far.pictures._store, []
        info = bucket.info  # `exists` asks it
        monkeypatch.setattr(bucket, "info", lambda path: asked.append(path) or info(path))
        pages = page_store(far)
        received = await pages.receive(encode_png(drawn()), "a.png")
        assert len([path for path in asked if path.endswith(".png")]) == 1, "whether it has these bytes already"
        for one in (pages, page_store(far)):
            asked.clear()
            await one.load(received.page_id)
            assert len(asked) == 1
        bucket.rm(asked[0])
        with pytest.raises(NotFound):
            await pages.load(received.page_id)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are counted on Linux")
async def test_a_stream_of_small_pictures_leaves_few_files_open(store: Store) -> None:
    def in_memory() -> int:
        names = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if is_open(fd)]
        return sum("memfd:ocr_ui" in name for name in names)

    def is_open(fd: str) -> bool:
        return os.path.islink(f"/proc/self/fd/{fd}")

    pages, before = page_store(store), in_memory()
    for number in range(MOST_PICTURES + 8):
        await pages.receive(encode_png(drawn(8 + number, 8)), "a.png")
    assert in_memory() - before <= MOST_PICTURES


class Reader(ScriptedEngine):
    """What `Upright` asks for: an engine with models."""

    models = object()


class Finder:
    """Finds each page turned by `answer` counter-clockwise quarters, or fails."""

    answer: int | Exception = 0

    def quarter_turns(self, pixels: np.ndarray, reader: object) -> int:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def upright(monkeypatch: pytest.MonkeyPatch, answer: int | Exception, on: bool = True) -> tuple:
    monkeypatch.setattr("ocr_ui.services.pictures.OrientationFinder", Finder)
    monkeypatch.setattr(Finder, "answer", answer)
    return await Upright(Engines({"rapidocr": Reader([])}), Settings(turn_pages=on)).turn(drawn())


@pytest.mark.parametrize("turns", [1, 2, 3])
async def test_a_page_that_lies_is_turned_as_the_finder_says(monkeypatch: pytest.MonkeyPatch, turns: int) -> None:
    pixels, warnings = await upright(monkeypatch, turns)
    assert np.array_equal(pixels, np.rot90(drawn(), turns))
    assert pixels.flags.c_contiguous
    assert len(warnings) == 1


@pytest.mark.parametrize(
    "answer", [0, EngineDead("model_file_missing", "Gone.", ""), RuntimeError("the model refused the picture")]
)
async def test_a_page_stays_where_nothing_can_be_told(monkeypatch: pytest.MonkeyPatch, answer: int | Exception) -> None:
    pixels, warnings = await upright(monkeypatch, answer)
    assert np.array_equal(pixels, drawn())
    assert warnings == ()


async def test_turning_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (await upright(monkeypatch, 1, on=False))[1] == ()


async def test_without_the_cpu_engine_pages_stay_as_they_are() -> None:
    pixels, warnings = await Upright(Engines({"other": ScriptedEngine([])}), Settings()).turn(drawn())
    assert np.array_equal(pixels, drawn())
    assert warnings == ()


async def test_other_pages_of_a_document_come_into_the_same_document_each_once(store: Store) -> None:
    pages = page_store(store)
    data = pdf_files.pages([(60, 40), (70, 40), (80, 40)])
    first = await pages.receive(data, "three.pdf", "Ann")
    assert first.document.pages == 3
    third = await pages.page_beside(first.document.sha256, 3, first.page_id)
    assert (third.page.number, third.page.name, third.recognition_id) == (3, "three.pdf", None)
    document = store.pages.get(first.page_id).document_id
    assert [page.id for page in store.pages.of_document(document)] == [first.page_id, third.page_id]
    read = store.recognitions.add(recognition(third.page.sha256, content("x")), third.page_id)
    again = await pages.page_beside(first.document.sha256, 3, first.page_id)
    assert (again.page_id, again.recognition_id) == (third.page_id, read)
    assert cv2.imdecode(np.frombuffer(await pages.page_thumbnail(first.document.sha256, 2), np.uint8), 1) is not None
    with pytest.raises(BadInput):
        await pages.page_beside(first.document.sha256, 4, first.page_id)
    with pytest.raises(NotFound):
        await pages.page_beside("../" * 10, 1, first.page_id)
    assert (await pages.receive(encode_png(drawn()), "a.png")).document is None


async def test_the_pages_of_a_document_are_only_of_who_brought_it_in(store: Store) -> None:
    pages = page_store(store)
    may = frozenset({Action.READ, Action.RECOGNIZE})
    ann, bob = (Identity(name, may, number, Role.ANNOTATOR, "password") for number, name in ((1, "Ann"), (2, "Bob")))
    with act_as(Acting(ann)):
        first = await pages.receive(pdf_files.pages([(60, 40), (70, 40)]), "two.pdf")
        assert (await pages.page_beside(first.document.sha256, 2, first.page_id)).page.number == 2
    with act_as(Acting(bob)):
        own = await pages.receive(encode_png(drawn()), "own.png")
        for page_id in (first.page_id, own.page_id):
            with pytest.raises(NotFound):
                await pages.page_beside(first.document.sha256, 2, page_id)
        with pytest.raises(NotFound):
            await pages.page_thumbnail(first.document.sha256, 1)
