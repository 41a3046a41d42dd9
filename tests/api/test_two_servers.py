"""Two servers on one PostgreSQL database: what one is told the other knows, and no work is done twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes import ScriptedEngine
from fastapi.testclient import TestClient
from live import rest_app, until
from people import NAMES, PASSWORD, Team, team
from stored import png

from ocr_ui.api.login import COOKIE
from ocr_ui.domain.access import Role
from ocr_ui.domain.recognition import Generation
from ocr_ui.engines.base import Finished, Started, TextDelta
from ocr_ui.services.engines import Engines

pytestmark = pytest.mark.postgresql_only
ANSWER = (Started(), TextDelta("Total 12.50"), Finished(Generation("Total 12.50")))
HOLDERS = {"one": "holder-at-the-one", "other": "holder-at-the-other"}


@pytest.fixture
def one(database: str, tmp_path: Path) -> Iterator[Team]:
    with team(tmp_path, ScriptedEngine(ANSWER), login_tries=3, uploads_per_minute=3) as made:
        yield made


@pytest.fixture
def other(one: Team) -> Iterator[TestClient]:
    """The second server, which reads batches; nobody has logged in there."""
    settings = one.bench.settings.model_copy(update={"batch_at_once": 1})
    with TestClient(rest_app(settings, Engines({"scripted": ScriptedEngine(ANSWER)})), follow_redirects=False) as made:
        yield made


def test_what_one_server_is_told_the_other_knows_and_does(one: Team, other: TestClient) -> None:
    mine, admin = one.of(Role.ANNOTATOR), one.of(Role.ADMIN)
    other.cookies.set(COOKIE, mine.cookies[COOKIE])
    assert other.get("/v1/me").json()["name"] == NAMES[Role.ANNOTATOR], "a login"
    item = mine.post("/v1/ocr", files={"file": ("a.png", png(1))}).json()["id"]
    row = other.get(f"/v1/recognitions/{item}").json()
    assert row["text"] == "Total 12.50"
    sha256 = one.bench.store.items.list()[0].sha256
    assert other.get(f"/pictures/{sha256}").content == mine.get(f"/pictures/{sha256}").content, "a picture"
    assert mine.post(f"/v1/items/{item}/claim", json={"holder": HOLDERS["one"]}).status_code == 200
    their = admin.post("/v1/keys", json={"name": "theirs"}).json()
    by_key = {"Authorization": f"Bearer {their['key']}"}
    claim = other.post(f"/v1/items/{item}/claim", json={"holder": HOLDERS["other"]}, headers=by_key)
    assert claim.status_code == 409, "a claim"
    assert admin.delete(f"/v1/keys/{their['id']}").status_code == 204
    assert other.get("/v1/me", headers=by_key).status_code == 401, "a key that is taken back"
    saved = {"name": "mine", "query": {"text": "Total"}}
    assert mine.post("/v1/saved-filters", json=saved).status_code == 200
    assert "mine" in other.get("/v1/saved-filters").text, "a filter"
    one.bench.templates.save_new("shared", {"en": "Shared", "zh": "共用"}, "Read all text.", task="text")
    assert "shared" in other.get("/v1/templates").text, "a template"
    for shade in (2, 3):
        mine.post("/v1/pictures", files={"file": ("a.png", png(shade))})
    assert other.post("/v1/pictures", files={"file": ("a.png", png(4))}).status_code == 429, "the pace of an account"
    wrong = {"name": NAMES[Role.VIEWER], "password": "wrong"}
    for server in (one.client(), other, one.client()):
        assert server.post("/login", data=wrong).status_code == 401
    right = wrong | {"password": PASSWORD}
    assert other.post("/login", data=right).status_code == 429, "wrong passwords"
    assert mine.get("/v1/recognitions").json()["total"] == 1
    files = [("files", (f"{shade}.png", png(shade), "image/png")) for shade in range(3)]
    job = mine.post("/v1/jobs", files=files).json()["job"]
    until(lambda: mine.get(f"/v1/jobs/{job}").json()["state"] == "done", 60)
    assert mine.get(f"/v1/jobs/{job}").json()["done"] == 3
    assert mine.get("/v1/recognitions").json()["total"] == 4, "each page of a batch is read once"
