"""`python -m ocr_ui delete`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from stored import add_item, open_store

from ocr_ui.__main__ import main


def test_delete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OCR_UI_DATA_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with open_store(tmp_path) as store:
        for shade, text in enumerate(("one", "two", "two more", "four")):
            add_item(store, [text], shade=shade)
        marks = [(mark.id, mark.correction_version, mark.review_revision) for mark in store.items.marks()]
        store.versions.add("v1", marks[3:], "0" * 64, {})
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))  # nobody sits there
    assert main(["delete", "1"]) == 2
    assert "--yes" in capsys.readouterr().err
    assert main(["delete", "1", "--yes"]) == 0
    assert json.loads(capsys.readouterr().out) == {"items": 1, "pictures": 1, "versions": []}
    assert main(["delete", "--filter", "text=two", "--yes"]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == 2
    for blank in (["text="], ["tag="], ["text= "], ["text=four", "--filter", "state="]):
        assert main(["delete", "--filter", *blank, "--frozen", "--yes"]) == 2
        assert "has no value" in capsys.readouterr().err
    for refused in (["1"], [], ["--filter", "text=nowhere"], ["4"]):
        assert main(["delete", *refused, "--yes"]) == 2
    assert "v1" in capsys.readouterr().err
    assert main(["delete", "4", "--frozen", "--yes"]) == 0
    assert json.loads(capsys.readouterr().out)["versions"] == ["v1"]
    with open_store(tmp_path) as store:
        assert store.items.count() == 0
        done = [(row.action, row.target, row.via) for row in store.audit.rows()]
    assert done == [("item.delete", str(item), "console") for item in (1, 2, 3, 4)]


def test_a_folder_without_data_is_not_backed_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OCR_UI_DATA_DIR", str(tmp_path / "mistyped"))
    monkeypatch.chdir(tmp_path)
    assert main(["backup", str(tmp_path / "copy")]) == 2
    assert "There is no data in" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
