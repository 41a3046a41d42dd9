from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ocr_ui.errors import BadInput
from ocr_ui.services.check_image import check_image
from ocr_ui.settings import Settings

FILES = Path(__file__).resolve().parent.parent / "cases" / "upload" / "files"
SETTINGS = Settings(_env_file=None)


def test_a_picture_is_described_and_written_upright(tmp_path: Path) -> None:
    out = tmp_path / "upright.png"
    found = check_image((FILES / "exif_6.jpg").read_bytes(), SETTINGS, out=out)
    assert found == {"width": 400, "height": 240, "mode": "RGB", "pages": 1, "warnings": []}
    written = Image.open(out)
    assert (written.format, written.size, written.info) == ("PNG", (400, 240), {})
    assert np.abs(np.asarray(written)[10, 10].astype(int) - (255, 0, 0)).max() < 60


def test_warnings_carry_code_and_sentence_and_pages_can_be_chosen() -> None:
    data = (FILES / "pages_of_two_sizes.tif").read_bytes()
    found = check_image(data, SETTINGS, page=2)
    assert (found["width"], found["height"], found["pages"]) == (240, 400, 2)
    assert found["warnings"] == [{"code": "more_pages", "message": "The document has 2 pages; page 2 was taken."}]


def test_what_is_refused_writes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "upright.png"
    with pytest.raises(BadInput):
        check_image(b"no picture", SETTINGS, out=out)
    assert not out.exists()


def test_the_limits_are_those_of_the_settings() -> None:
    with pytest.raises(BadInput) as caught:
        check_image((FILES / "exif_6.jpg").read_bytes(), Settings(_env_file=None, max_upload_bytes=100))
    assert (caught.value.code, caught.value.details["limit"]) == ("too_many_bytes", 100)


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = (FILES / "exif_6.jpg").read_bytes()
    out = tmp_path / "upright.png"
    out.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("ocr_ui.services.check_image.os.fsync", full)
        with pytest.raises(OSError, match="No space"):
            check_image(data, SETTINGS, out=out)
    assert (out.read_bytes(), list(tmp_path.iterdir())) == (b"old", [out])
    check_image(data, SETTINGS, out=out)
    assert (out.read_bytes()[:4], list(tmp_path.iterdir())) == (b"\x89PNG", [out])
