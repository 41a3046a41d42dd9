from __future__ import annotations

from pathlib import Path

from fakes import ScriptedEngine
from fastapi.testclient import TestClient
from live import rest_app
from people import team

from ocr_ui.domain.access import Action, Role
from ocr_ui.domain.counted import blanks, fill
from ocr_ui.services.bottleneck import WORDS
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings
from ocr_ui.ui.monitor_words import FINDINGS_ZH
from ocr_ui.ui.plotly_script import PLOTLY_URL


def test_what_limits_is_told_in_both_languages(tmp_path: Path) -> None:
    # A server of its own: what other tests have read in this process since another one's start counts there.
    app = rest_app(Settings(data_dir=tmp_path, allowed_hosts="testserver"), Engines({"scripted": ScriptedEngine([])}))
    with TestClient(app, raise_server_exceptions=False) as client:
        english = client.get("/v1/monitor").json()["verdict"]
        told = client.get("/v1/monitor", headers={"X-Workbench-Lang": "zh"}).json()
    code = english["code"]
    assert english["message"] == WORDS[code][1].format(**english["values"])
    assert told["verdict"]["code"] == code
    assert told["verdict"]["message"] == fill(FINDINGS_ZH[code][1], **told["verdict"]["values"])
    assert told["engine"] == "scripted"


def test_every_finding_has_its_chinese_words_with_the_same_blanks() -> None:
    assert set(FINDINGS_ZH) == set(WORDS)
    for code, words in WORDS.items():
        for english, chinese in zip(words, FINDINGS_ZH[code], strict=True):
            assert blanks(english) == blanks(chinese), code
            assert bool(english) == bool(chinese)


def test_it_is_for_reviewers_and_administrators(tmp_path: Path) -> None:
    with team(tmp_path, ScriptedEngine([])) as people:
        assert people.client().get("/v1/monitor").status_code == 401
        for role, status in ((Role.VIEWER, 403), (Role.ANNOTATOR, 403), (Role.REVIEWER, 200), (Role.ADMIN, 200)):
            assert people.of(role).get("/v1/monitor").status_code == status, role
        assert people.with_key("admin-person", Action.READ).get("/v1/monitor").status_code == 403
        assert people.client().get(PLOTLY_URL).status_code == 401
        told = people.of(Role.VIEWER).get("/metrics").text
        assert 'ocr_ui_requests_total{method="GET",route="/v1/monitor",status="403"}' in told, "with logins as without"


def test_the_charts_are_drawn_by_a_script_of_this_server(client: TestClient) -> None:
    answer = client.get(PLOTLY_URL)
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "max-age" in answer.headers["cache-control"]
    assert len(answer.content) > 1_000_000
