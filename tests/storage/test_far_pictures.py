"""Pictures in a store of fsspec: what is there is the same for all processes, and copies show nothing that is gone."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
from stored import add_item, open_store, png

from ocr_ui.errors import BadInput, NotFound, StoreFailed
from ocr_ui.services.retention import Retention
from ocr_ui.settings import Settings
from ocr_ui.storage.far_pictures import COPY_SECONDS, FarPictures, open_pictures
from ocr_ui.storage.pictures import Pictures
from ocr_ui.storage.store import Store


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """A server that speaks S3, with a bucket: what is asked of it goes through s3fs as with any other."""
    pytest.importorskip("s3fs", reason="s3fs is not installed: make stress installs it")
    server = pytest.importorskip("moto.server", reason="moto is not installed: make stress installs it")
    running = server.ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "somebody")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        fsspec.filesystem("s3").mkdir("scans")
        yield "s3://scans"
    running.stop()


@pytest.fixture(params=["memory", pytest.param("s3", marks=pytest.mark.stress)])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    top = request.getfixturevalue("s3") if request.param == "s3" else "memory://bucket"
    made = f"{top}/{uuid.uuid4().hex}/pictures"
    yield made
    store, root = fsspec.core.url_to_fs(made)
    if store.exists(root):
        store.rm(root, recursive=True)


@pytest.fixture
def one(address: str, tmp_path: Path) -> FarPictures:
    return FarPictures(address, tmp_path / "one")


@pytest.fixture
def other(address: str, tmp_path: Path) -> FarPictures:
    """Another process on the same store: it remembers nothing of what the first one asked."""
    type(fsspec.core.url_to_fs(address)[0]).clear_instance_cache()
    return FarPictures(address, tmp_path / "other")


def test_what_one_process_stores_another_reads(one: FarPictures, other: FarPictures) -> None:
    sha256 = one.put(png(1))
    one.put_thumbnail(sha256, b"small")
    one.put_grey(sha256, b"grey")
    assert other.has(sha256)
    assert other.read(sha256) == other.path(sha256).read_bytes() == png(1)
    assert other.thumbnail(sha256).read_bytes() == b"small"
    assert other.grey(sha256) == b"grey"
    assert (one.thumbnail("0" * 64), one.grey("0" * 64), one.has("0" * 64)) == (None, None, False)


def test_what_one_process_removes_no_copy_shows(one: FarPictures, other: FarPictures) -> None:
    sha256 = one.put(png(2))
    one.put_thumbnail(sha256, b"small")
    copies = [other.path(sha256), other.thumbnail(sha256)]
    assert one.remove(sha256)
    assert not one.remove(sha256)
    with pytest.raises(NotFound):
        other.path(sha256)
    assert other.thumbnail(sha256) is None
    assert not any(copy.exists() for copy in copies)
    assert not list(one.folder.glob("??/*"))


def test_bytes_come_from_the_copy_and_a_copy_that_is_lost_is_fetched_again(one: FarPictures, address: str) -> None:
    sha256 = one.put(png(3))
    store, root = fsspec.core.url_to_fs(address)
    store.pipe_file(f"{root}/{sha256[:2]}/{sha256}.png", b"never fetched")
    assert one.read(sha256) == png(3)
    one.path(sha256).unlink()
    with pytest.raises(StoreFailed) as failed:
        one.read(sha256)
    assert failed.value.code == "picture_cut"
    one.put(png(3))
    assert one.read(sha256) == png(3)


def test_old_copies_go(one: FarPictures) -> None:
    old, new = one.put(png(4)), one.put(png(5))
    past = os.stat(one.path(old)).st_mtime - COPY_SECONDS - 1
    os.utime(one.path(old), (past, past))
    assert one.sweep() == 1
    assert [file.stem for file in one.folder.glob("??/*")] == [new]
    assert one.read(old) == png(4)


def test_a_store_that_is_away_is_said(one: FarPictures, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object, **__: object) -> None:
        raise ConnectionError("refused")

    sha256 = one.put(png(6))
    for failing in (lambda: one.read(sha256), lambda: one.put(png(7))):
        with monkeypatch.context() as patch:
            patch.setattr(one._store, "exists", away)
            patch.setattr(one._store, "size", away)
            with pytest.raises(StoreFailed) as failed:
                failing()
        assert failed.value.code == "pictures_away"
    assert one.read(sha256) == png(6)


def files_at(address: str) -> list[str]:
    store, root = fsspec.core.url_to_fs(address)
    store.invalidate_cache()
    return store.find(root)


def test_the_store_keeps_its_pictures_there_and_retention_removes_them(address: str, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data", pictures_url=address)
    with Store.open(settings) as store:
        item = add_item(store, shade=8)
        sha256 = store.items.list()[0].sha256
        assert files_at(address) != []
        assert not (tmp_path / "data" / "pictures").exists()
        assert Retention(store, -1).sweep_now() == 1
        assert store.items.list()[0].id == item
        with pytest.raises(NotFound):
            store.pictures.read(sha256)
        assert files_at(address) == []


@pytest.mark.parametrize(
    ("address", "code"),
    [("abfs://bucket/x", "store_not_installed"), ("nothing://x", "bad_pictures_url"), ("bucket", "bad_pictures_url")],
)
def test_an_address_that_cannot_be_used_is_said(address: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as failed:
        Store.open(Settings(data_dir=tmp_path, pictures_url=address))
    assert failed.value.code == code
    if code == "store_not_installed":
        assert "pip install adlfs" in failed.value.hint


def test_a_folder_may_be_named_as_an_address(tmp_path: Path) -> None:
    pictures = open_pictures((tmp_path / "far away").as_uri(), tmp_path)
    assert type(pictures) is Pictures
    assert pictures.path(pictures.put(png(9))).is_relative_to(tmp_path / "far away")
    assert open_store(tmp_path).pictures.folder == tmp_path / "pictures"
