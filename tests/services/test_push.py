"""Pushes: to the hub's interface on this machine, into stores of fsspec, and into folders."""

from __future__ import annotations

import io
import json
import logging
import sqlite3
import traceback
import zipfile
from pathlib import Path

import fsspec
import pytest
from datasets import load_dataset
from fake_upload_hub import UploadHub
from huggingface_hub import constants
from stored import ANN, add_item, content, open_store

from ocr_ui.domain.person import Person
from ocr_ui.domain.review import Review, State, Verdict
from ocr_ui.errors import BadInput, NotFound, PushFailed, WorkbenchError
from ocr_ui.exports.registry import NAMES
from ocr_ui.exports.sample import Options
from ocr_ui.services import push_targets
from ocr_ui.services.data_card import DataCards
from ocr_ui.services.dataset_versions import DatasetVersions
from ocr_ui.services.export import Exporter
from ocr_ui.services.push import Asked, Pusher, Pushes
from ocr_ui.services.push_targets import Progress
from ocr_ui.storage.items import Filters
from ocr_ui.storage.store import Store

RIGHT = "hf_right"


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "data") as store:
        for shade in range(4):
            item = add_item(store, ("Total of the bill",), shade=shade, engine="vllm")
            store.corrections.add(item, 0, content("The total of your bill"), ANN, "", 5, 0.1)
            store.reviews.set(item, Review(Verdict.WRONG, State.SUBMITTED, (), "", "Ann", 1))
        DatasetVersions(store).freeze_now("v1", {}, "cc0-1.0")
        yield store


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch):
    # The hub's newer way of storing needs a server of its own; without it the client takes the older one.
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    with UploadHub() as hub:
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        yield hub


@pytest.fixture
def pusher(store: Store) -> Pusher:
    return Pusher(Exporter(store), DataCards(store))


def asked(format: str = "sft-a", target: str = "hub:ann/bills", **more: object) -> Asked:
    return Asked(format, target, Filters(version="v1"), **more)


def below(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_a_new_data_set_is_private_and_has_all_of_the_export_and_its_card(
    hub: UploadHub, pusher: Pusher, tmp_path: Path
) -> None:
    seen: list[Progress] = []
    pushed = pusher.push_now(asked(), RIGHT, seen.append)
    assert pushed.address == f"{hub.url}/datasets/ann/bills"
    assert hub.private
    pusher.push_now(asked(target=str(tmp_path / "folder")))
    assert hub.files == below(tmp_path / "folder")
    assert {"README.md", "report-sft-a.json", "card/languages.svg"} < set(hub.files)
    assert b'license: "cc0-1.0"' in hub.files["README.md"]
    assert [one.step for one in seen] == ["writing", "sending", "sending", "finishing"]
    assert seen[-1].done_files == seen[-1].files == len(hub.files)
    assert seen[-1].done_bytes == seen[-1].bytes == sum(map(len, hub.files.values()))


def test_what_was_pushed_loads_as_a_data_set(hub: UploadHub, pusher: Pusher, tmp_path: Path) -> None:
    pusher.push_now(asked("trl-sft"), RIGHT)
    for name, data in hub.files.items():
        (tmp_path / "down" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "down" / name).write_bytes(data)
    rows = load_dataset(str(tmp_path / "down"), split="train", cache_dir=str(tmp_path / "cache"))
    assert len(rows) == 4


def test_a_push_is_noted_with_its_address(hub: UploadHub, pusher: Pusher, store: Store) -> None:
    pushed = pusher.push_now(asked(), RIGHT)
    [logged] = store.versions.exports()
    assert (logged.version, logged.target, logged.items) == ("v1", pushed.address, 4)


def test_only_who_says_public_makes_it_public(hub: UploadHub, pusher: Pusher) -> None:
    pusher.push_now(asked(public=True), RIGHT)
    assert not hub.private
    before = dict(hub.files)
    with pytest.raises(BadInput, match="everybody can see it; nothing was sent") as refused:
        pusher.push_now(Asked("csv", "hub:ann/bills"), RIGHT)
    assert refused.value.code == "hub_is_public"
    assert hub.files == before


def test_a_push_that_broke_off_says_what_was_sent_and_goes_on(
    hub: UploadHub, pusher: Pusher, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(push_targets, "_FILES_AT_ONCE", 1)
    hub.break_after = 2
    with pytest.raises(PushFailed) as failed:
        pusher.push_now(asked(), RIGHT)
    assert 2 <= failed.value.details["sent"] < failed.value.details["files"] == 14
    assert hub.files == {}, "nothing is half there"
    assert store.versions.exports() == []
    hub.break_after = None
    pusher.push_now(asked(), RIGHT)
    assert len(hub.uploads) == len(set(hub.uploads)) == 4, "no file was sent twice"
    assert "README.md" in hub.files


def test_a_commit_that_fails_leaves_the_data_set_as_it_was(hub: UploadHub, pusher: Pusher) -> None:
    pusher.push_now(asked(), RIGHT)
    before, hub.fail_commit = dict(hub.files), True
    with pytest.raises(PushFailed, match=r"broke off: .* of 14 files had been sent") as failed:
        pusher.push_now(Asked("sft-b", "hub:ann/bills"), RIGHT)
    assert failed.value.details["sent"] == failed.value.details["files"] == 14
    assert hub.files == before


def test_files_of_an_earlier_export_do_not_stay_among_the_new_ones(
    hub: UploadHub, pusher: Pusher, store: Store
) -> None:
    pusher.push_now(asked(), RIGHT)
    hub.files["notes.txt"] = b"kept"
    old = {name for name in hub.files if name.endswith(".jsonl")}
    store.corrections.add(1, 1, content("other words"), ANN)
    pusher.push_now(Asked("sft-a", "hub:ann/bills"), RIGHT)
    new = {name for name in hub.files if name.endswith(".jsonl")}
    assert len(new) == 1
    assert new != old
    assert hub.files["notes.txt"] == b"kept"


@pytest.mark.parametrize("token", ["hf_wrong", ""])
def test_a_token_that_may_not_write(
    hub: UploadHub, pusher: Pusher, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.utils._headers.get_token", lambda: None)
    with pytest.raises(BadInput, match="does not let this token write to ann/bills") as refused:
        pusher.push_now(asked(), token)
    assert refused.value.code == "hub_refused"


def test_the_token_of_the_environment(hub: UploadHub, pusher: Pusher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", RIGHT)
    pusher.push_now(asked())
    assert hub.files


def test_a_hub_that_is_not_there(pusher: Pusher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(PushFailed, match=r"0 of 14 files had been sent\. Push again"):
        pusher.push_now(asked(), RIGHT)


def test_more_files_than_the_hub_takes(hub: UploadHub, pusher: Pusher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push_targets, "MOST_HUB_FILES", 3)
    with pytest.raises(BadInput, match="such as datasets"):
        pusher.push_now(asked(), RIGHT)
    assert hub.asked == []


SECRET = "hf_SeCrEtSeCrEt"
ENDS = ["works", "wrong", "breaks", "strange"]


@pytest.mark.parametrize("end", ENDS)
def test_the_token_is_nowhere_afterwards(
    hub: UploadHub,
    pusher: Pusher,
    store: Store,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    end: str,
) -> None:
    """Not in the log at its most talkative, the database, any file, what a page is told, or a traceback."""
    caplog.set_level(logging.DEBUG)
    hub.token = "other" if end == "wrong" else SECRET
    hub.fail_commit = end == "breaks"
    pushes = Pushes(pusher, tmp_path / "exports")
    if end == "strange":
        with pytest.raises(BadInput) as refused:
            pushes.start(asked(), f"{SECRET}\nX-Other: 1")
        shown = [str(refused.value), json.dumps(refused.value.details)]
    else:
        push = pushes.start(asked(), SECRET)
        assert push.ended.wait(30)
        assert push.state == ("done" if end == "works" else "failed")
        shown = [repr(push)]
        if push.error:
            assert push.error.__traceback__ is push.error.__context__ is push.error.__cause__ is None
            shown += [repr(push.error.details), *traceback.format_exception(push.error)]
    out, err = capfd.readouterr()
    assert SECRET not in "".join([*shown, caplog.text, out, err])
    store.close()
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert SECRET.encode() not in file.read_bytes(), file
    dump = "".join(sqlite3.connect(tmp_path / "data" / "workbench.sqlite3").iterdump())
    assert SECRET not in dump


def test_into_a_folder_whole_or_not_at_all(pusher: Pusher, store: Store, tmp_path: Path) -> None:
    target = tmp_path / "deep" / "bills"
    pushed = pusher.push_now(asked("datasets", f"file://{target}"))
    assert pushed.address == str(target)
    assert (target / "README.md").read_text("utf-8").splitlines()[1] == 'pretty_name: "v1"'
    assert len(load_dataset(str(target), split="train", cache_dir=str(tmp_path / "cache"))) == 4
    assert [one.name for one in target.parent.iterdir()] == ["bills"]
    [logged] = store.versions.exports()
    assert logged.target == str(target)
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="could not be written"):
        pusher.push_now(asked(target=str(tmp_path / "file" / "x")))


@pytest.fixture
def bucket():
    bucket = fsspec.filesystem("memory")
    bucket.store.clear()
    yield bucket
    bucket.store.clear()


def of_bucket(bucket) -> dict[str, bytes]:
    return {path.removeprefix("/bucket/bills/"): bucket.cat_file(path) for path in bucket.find("/bucket/bills")}


def test_into_an_object_store(pusher: Pusher, bucket, tmp_path: Path, store: Store) -> None:
    pusher.push_now(asked(target="memory://bucket/bills"))
    pusher.push_now(asked(target=str(tmp_path / "bills")))
    assert of_bucket(bucket) == below(tmp_path / "bills")
    bucket.pipe_file("/bucket/bills/notes.txt", b"kept")
    store.corrections.add(1, 1, content("other words"), ANN)
    pusher.push_now(Asked("sft-a", "memory://bucket/bills"))
    found = of_bucket(bucket)
    assert len([name for name in found if name.endswith(".jsonl")]) == 1
    assert "notes.txt" in found


def test_an_object_store_that_breaks_off_has_no_report_and_goes_on(
    pusher: Pusher, bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(push_targets, "_FILES_AT_ONCE", 2)
    pusher.push_now(asked(target="memory://bucket/bills"))
    put, done = bucket.put_file, []

    def breaking(local: str, remote: str, **more: object) -> None:
        if len(done) == 5:
            raise OSError("the bucket is gone")
        done.append(remote)
        put(local, remote, **more)

    monkeypatch.setattr(type(bucket), "put_file", staticmethod(breaking))
    with pytest.raises(PushFailed, match=r"the bucket is gone\. 5 of 14 files had been sent"):
        pusher.push_now(Asked("sft-a", "memory://bucket/bills"))
    assert not any("report" in name for name in of_bucket(bucket)), "half of it looks like half of it"
    done.clear()
    monkeypatch.setattr(type(bucket), "put_file", staticmethod(lambda *a, **m: (done.append(a[1]), put(*a, **m))))
    pusher.push_now(Asked("sft-a", "memory://bucket/bills"))
    assert len(done) == 14 - 4, "the two batches that were noted are not sent again"
    assert {"report-sft-a.json", "README.md"} <= set(of_bucket(bucket))
    assert not any("unfinished" in name for name in of_bucket(bucket))


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("", "bad_push_target"),
        ("hub:", "bad_push_target"),
        ("hub:ann", "bad_push_target"),
        ("hub:ann/../x", "bad_push_target"),
        ("nothing://x/y", "bad_push_target"),
        ("s3://bucket/x", "store_not_installed"),
    ],
)
def test_places_that_are_none(pusher: Pusher, tmp_path: Path, target: str, code: str) -> None:
    if code == "store_not_installed":
        try:
            import s3fs  # noqa: F401
        except ImportError:
            pass
        else:
            pytest.skip("s3fs is installed here")
    with pytest.raises(BadInput) as refused:
        pusher.push_now(asked(target=target))
    assert refused.value.code == code
    if code == "store_not_installed":
        assert "pip install s3fs" in str(refused.value)


def test_what_cannot_be_exported_is_not_sent(hub: UploadHub, pusher: Pusher) -> None:
    for wanted, code in (
        (Asked("sft-a", "hub:ann/bills", Filters(text="nowhere")), "nothing_to_export"),
        (Asked("sft-a", "hub:ann/bills", Filters(version="v9")), "unknown_version"),
        (Asked("sft-a", "hub:ann/bills", options=Options(absolute="/x")), "absolute_elsewhere"),
    ):
        with pytest.raises(WorkbenchError) as refused:
            pusher.push_now(wanted, RIGHT)
        assert refused.value.code == code
    assert hub.asked == []


@pytest.mark.parametrize(
    "target", ["a\0b", "\ud800", "/etc/x", "../x", ".", "", "file:///x", "memory://x/y", "sftp://h/x", "s3://a::b"]
)
def test_a_page_names_no_other_places_than_it_may(pusher: Pusher, tmp_path: Path, target: str) -> None:
    with pytest.raises(BadInput) as refused:
        Pushes(pusher, tmp_path / "exports").start(asked(target=target))
    assert refused.value.code == "bad_push_target"


def test_a_page_pushes_into_a_folder_of_its_own(pusher: Pusher, tmp_path: Path) -> None:
    pushes = Pushes(pusher, tmp_path / "exports")
    push = pushes.start(asked(target="july/bills"))
    assert push.ended.wait(30)
    assert (push.state, push.address, push.items) == ("done", str(tmp_path / "exports" / "july" / "bills"), 4)
    assert pushes.get(push.id) is push
    with pytest.raises(NotFound):
        pushes.get(99)


def test_an_old_note_of_other_data_says_nothing_of_these(
    pusher: Pusher, bucket, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A breaks off, B is pushed whole, A again: what A had sent was replaced by B."""
    monkeypatch.setattr(push_targets, "_FILES_AT_ONCE", 2)
    put, done = bucket.put_file, []

    def breaking(local: str, remote: str, **more: object) -> None:
        if len(done) == 5:
            raise OSError("the bucket is gone")
        done.append(remote)
        put(local, remote, **more)

    monkeypatch.setattr(type(bucket), "put_file", staticmethod(breaking))
    with pytest.raises(PushFailed):
        pusher.push_now(asked(target="memory://bucket/bills"))
    monkeypatch.setattr(type(bucket), "put_file", staticmethod(put))
    pusher.push_now(Asked("sft-a", "memory://bucket/bills", licence="mit"))
    pusher.push_now(asked(target="memory://bucket/bills"))
    pusher.push_now(asked(target=str(tmp_path / "bills")))
    assert of_bucket(bucket) == below(tmp_path / "bills")


def test_a_note_that_is_half_written_is_none(
    pusher: Pusher, bucket, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pipe = bucket.pipe_file

    def half(path: str, data: bytes, **more: object) -> None:
        pipe(path, data[:5], **more)
        raise OSError("killed")

    monkeypatch.setattr(type(bucket), "pipe_file", staticmethod(half))
    with pytest.raises(PushFailed):
        pusher.push_now(asked(target="memory://bucket/bills"))
    monkeypatch.setattr(type(bucket), "pipe_file", staticmethod(pipe))
    pusher.push_now(asked(target="memory://bucket/bills"))
    pusher.push_now(asked(target=str(tmp_path / "bills")))
    assert of_bucket(bucket) == below(tmp_path / "bills")


def test_a_password_in_an_address_is_kept_nowhere(pusher: Pusher, tmp_path: Path, store: Store) -> None:
    with pytest.raises(WorkbenchError) as failed:
        pusher.push_now(asked(target=f"ftp://ann:se%2F{'CRET'.lower()}@127.0.0.1:1/x?sig={'CRET'.lower()}"))
    assert "ftp://127.0.0.1:1/x" in str(failed.value)
    told = "".join(traceback.format_exception(failed.value)) + json.dumps(failed.value.details)
    assert "cret" not in told
    pusher.push_now(asked(target="memory://ann:secret@bucket/bills"))
    [logged] = store.versions.exports()
    assert logged.target == "memory://bucket/bills"


@pytest.mark.parametrize("format", NAMES)
def test_names_of_people_are_not_in_what_everybody_can_see(
    hub: UploadHub, pusher: Pusher, store: Store, format: str
) -> None:
    for item in range(1, 5):
        store.corrections.add(item, 1, content("Total"), Person("Zebedee"))
        store.reviews.set(item, Review(Verdict.WRONG, State.SUBMITTED, (), "", "Zebedee", 2))
    DatasetVersions(store).freeze_now("v2", {"reviewers": ["Zebedee"]}, "mit", "Zebedee")
    wanted = Filters(version="v2", reviewers=("Zebedee",))
    pusher.push_now(Asked(format, "hub:ann/bills", wanted, public=True), RIGHT)
    told = b"".join(unpacked(data) for data in hub.files.values())
    assert b"Zebedee" not in told
    assert b"| reviewer 1 | 4 |" in hub.files["README.md"]
    assert b"Names are left out." in hub.files["README.md"]
    pusher.push_now(Asked(format, "hub:ann/bills", wanted, public=True, names=True), RIGHT)
    assert b"| Zebedee | 4 |" in hub.files["README.md"]


def unpacked(data: bytes) -> bytes:
    """The bytes of a file, of an archive those of its entries."""
    if not data.startswith(b"PK"):
        return data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())
