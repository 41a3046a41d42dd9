from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from fastapi.testclient import TestClient
from httpx import Response

from ocr_ui.images.door import decode_png, encode_png
from ocr_ui.services.workbench import Workbench

LIMIT, OVERHEAD = 300_000, 100_000
SHA = "0" * 64
FORM = {"content-type": "multipart/form-data; boundary=cut"}
HEAD = b'--cut\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'


def drawn(shade: int = 0) -> np.ndarray:
    pixels = np.full((40, 60, 3), 255, np.uint8)
    pixels[:10, :15] = shade
    return pixels


def upload(client: TestClient, data: bytes, name: str = "a.png", language: str = "en", **form: str) -> Response:
    headers = {"X-Workbench-Lang": language}
    return client.post("/v1/pictures", files={"file": (name, data)}, data=form, headers=headers)


def refusal(answer: Response, status: int, code: str) -> dict:
    """The error in an answer, checked for its one form."""
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "hint", "details", "request"}
    assert error["code"] == code
    assert error["message"]
    return error


def stored(workbench: Workbench) -> list[Path]:
    return sorted(workbench.store.pictures.folder.rglob("*.png"))


def test_an_upload_names_its_page_and_gives_the_picture_back(client: TestClient) -> None:
    answer = upload(client, encode_png(drawn()), "发票.png", person="Ann")
    assert answer.status_code == 200
    page = answer.json()["page"]
    assert (page["width"], page["height"], page["name"]) == (60, 40, "发票.png")
    assert page["url"] == f"/pictures/{page['sha256']}"
    picture = client.get(page["url"])
    assert picture.headers["content-type"] == "image/png"
    assert "immutable" in picture.headers["cache-control"]
    assert np.array_equal(decode_png(picture.content), drawn())


def test_what_was_done_to_a_picture_is_said_in_the_language_of_the_page(client: TestClient) -> None:
    white = encode_png(np.full((40, 60, 3), 255, np.uint8))
    said = {language: upload(client, white, language=language).json()["warnings"] for language in ("en", "zh", "fr")}
    assert [warning["code"] for warning in said["en"]] == ["empty"]
    assert said["en"][0]["message"].isascii()
    assert not said["zh"][0]["message"].isascii()
    assert said["fr"] == said["en"]


def test_thumbnails_are_what_they_say(client: TestClient) -> None:
    page = upload(client, encode_png(drawn())).json()["page"]
    for address in (f"{page['url']}/thumbnail", "/examples/receipt/thumbnail"):
        small = client.get(address)
        assert small.headers["content-type"] == "image/jpeg"
        assert small.content.startswith(b"\xff\xd8\xff")


def test_rotating(client: TestClient) -> None:
    page = upload(client, encode_png(drawn()), "a.png").json()["page"]
    turned = client.post(f"/v1/pages/{page['sha256']}/rotate", json={"turns": 1}).json()["page"]
    assert (turned["width"], turned["height"], turned["name"]) == (40, 60, "a.png")
    assert np.array_equal(decode_png(client.get(turned["url"]).content), np.rot90(drawn(), -1))


@pytest.mark.parametrize(
    "body", [{"turns": 0}, {"turns": 4}, {"turns": -1}, {"turns": "x"}, {"turns": 10**30}, [], None]
)
def test_rotating_by_nonsense(client: TestClient, body: object) -> None:
    refusal(client.post(f"/v1/pages/{SHA}/rotate", json=body), 422, "malformed")


@pytest.mark.parametrize("sha256", [SHA, "zz", "A" * 64])
def test_rotating_what_is_not_there(client: TestClient, sha256: str) -> None:
    refusal(client.post(f"/v1/pages/{sha256}/rotate", json={"turns": 1}), 404, "unknown_page")


@pytest.mark.parametrize("end", ["", "/thumbnail"])
def test_pictures_that_are_not_there(client: TestClient, end: str) -> None:
    refusal(client.get(f"/pictures/{SHA}{end}"), 404, "missing_picture")
    for name in ("zz", "A" * 64, SHA + "0", "%00", "．" * 64, "..%5c..%5csecret"):
        refusal(client.get(f"/pictures/{name}{end}"), 400, "bad_picture_id")
    for path in ("..%2f..%2fworkbench.sqlite3", "%2e%2e/%2e%2e/workbench.sqlite3", "%2fetc%2fpasswd"):
        refusal(client.get(f"/pictures/{path}{end}"), 404, "not_found")


def test_an_unknown_example(client: TestClient) -> None:
    refusal(client.get("/examples/nothing/thumbnail"), 404, "unknown_example")


def bmp(width: int, height: int) -> bytes:
    done, data = cv2.imencode(".bmp", np.zeros((1, 1, 3), np.uint8))
    assert done
    whole = bytearray(data.tobytes())
    whole[18:22], whole[22:26] = width.to_bytes(4, "little"), height.to_bytes(4, "little")
    return bytes(whole)


REFUSED = [
    (b"", 400, "empty_file"),
    (b"Dear Sir or Madam, " * 20, 400, "not_a_picture"),
    (b"PK\x03\x04" + bytes(200), 400, "unsupported_format"),
    (encode_png(drawn())[:50], 400, "damaged"),
    (bmp(20_000, 20_000), 413, "too_many_pixels"),
    (encode_png(drawn()) + bytes(LIMIT), 413, "too_many_bytes"),
]


@pytest.mark.parametrize(("data", "status", "code"), REFUSED, ids=[code for *_, code in REFUSED])
def test_refusals_are_told_in_both_languages_and_store_nothing(
    client: TestClient, workbench: Workbench, data: bytes, status: int, code: str
) -> None:
    before = stored(workbench)
    english = refusal(upload(client, data), status, code)
    chinese = refusal(upload(client, data, language="zh"), status, code)
    assert english["message"].isascii()
    assert not chinese["message"].isascii()
    assert "{" not in chinese["message"]
    assert stored(workbench) == before
    assert client.get("/healthz").status_code == 200


def test_a_form_without_a_picture_is_malformed(client: TestClient) -> None:
    for answer in (
        client.post("/v1/pictures"),
        client.post("/v1/pictures", files={"wrong": ("a.png", b"x")}),
        client.post("/v1/pictures", data={"file": "text"}),
        client.post("/v1/pictures", json={"file": "x"}),
        client.post("/v1/pictures", content=b"", headers=FORM),
        client.post("/v1/pictures", content=b"--cut\r\nnonsense", headers=FORM),
        upload(client, b"x", person="x" * 300),
    ):
        refusal(answer, 422, "malformed")
    for answer in (
        client.post("/v1/pictures", content=b"xx", headers={"content-type": "multipart/form-data"}),
        client.post("/v1/pictures", content=b"no boundary here", headers=FORM),
    ):
        assert answer.status_code in (400, 422)
        refusal(answer, answer.status_code, "malformed")


def test_a_malformed_request_is_told_in_the_language_too(client: TestClient) -> None:
    answer = client.post("/v1/pictures", headers={"X-Workbench-Lang": "zh"})
    assert not refusal(answer, 422, "malformed")["message"].isascii()


def chunks(head: bytes = b"", size: int = LIMIT + OVERHEAD + 1) -> Iterator[bytes]:
    """A body that comes in pieces, without a length."""
    yield head
    for _ in range(0, size, 50_000):
        yield bytes(50_000)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_body_over_the_limit_is_refused_by_its_length(client: TestClient, language: str) -> None:
    body = bytes(LIMIT + OVERHEAD + 1)
    answer = client.post("/v1/pictures", content=body, headers={**FORM, "X-Workbench-Lang": language})
    error = refusal(answer, 413, "too_many_bytes")
    assert error["message"].isascii() == (language == "en")
    assert error["details"] == {"limit": LIMIT}


@pytest.mark.parametrize("address", ["/v1/pictures", "/v1/corrections"])
@pytest.mark.parametrize("head", [b"", HEAD])
def test_a_body_over_the_limit_is_refused_without_a_length_too(client: TestClient, address: str, head: bytes) -> None:
    kind = FORM if address == "/v1/pictures" else {"content-type": "application/json"}
    refusal(client.post(address, content=chunks(head), headers=kind), 413, "too_many_bytes")


def test_a_body_under_the_limit_in_pieces_is_taken(client: TestClient) -> None:
    body = HEAD + encode_png(drawn()) + b"\r\n--cut--\r\n"
    pieces = (body[start : start + 20] for start in range(0, len(body), 20))
    assert client.post("/v1/pictures", content=pieces, headers=FORM).status_code == 200
