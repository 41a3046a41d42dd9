"""Templates over HTTP: written, named by version where a page is read, handed in and out as files."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from fastapi.testclient import TestClient
from people import team
from stored import png

from ocr_ui.domain.access import Role
from ocr_ui.services.workbench import Workbench

NEW = {"title": {"en": "Mine", "zh": "我的"}, "text": "Give {{what}}.", "task": "fields"}
WHAT = {"name": "what", "label": {"en": "What"}, "many": True, "default": "a"}


def new(client: TestClient, name: str, **changes: Any) -> dict[str, Any]:
    answer = client.post("/v1/templates", json={"name": name, **NEW, "variables": [WHAT], **changes})
    assert answer.status_code == 201, answer.text
    return answer.json()


def listed(client: TestClient) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in client.get("/v1/templates").json()["templates"]}


def refused(answer: Any, status: int, code: str) -> dict[str, Any]:
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    return error


def test_a_template_from_its_first_wording_to_its_end(client: TestClient) -> None:
    made = new(client, "rest_mine", sampling={"temperature": 0.5}, tags=["shop"], note="first", person="Ann")
    assert (made["builtin"], made["official"], made["tags"]) == (False, None, ["shop"])
    assert listed(client)["rest_mine"]["variables"][0]["many"] is True

    body = {"text": "Read {{what}}.", "expected": made["version"], "note": "shorter"}
    second = client.post("/v1/templates/rest_mine/versions", json=body).json()
    assert (second["sampling"], second["version"] != made["version"]) == ({"temperature": 0.5}, True)
    refused(client.post("/v1/templates/rest_mine/versions", json=body), 409, "template_changed")

    versions = client.get("/v1/templates/rest_mine").json()["versions"]
    told = [(one["number"], one["text"], one["note"], one["person"], one["current"]) for one in versions]
    assert told == [(2, "Read {{what}}.", "shorter", "", True), (1, "Give {{what}}.", "first", "Ann", False)]
    assert client.post("/v1/templates/rest_mine/restore", json={"version": "1"}).json() == made

    about = client.post("/v1/templates/rest_mine/about", json={"title": {"en": "Ours"}, "tags": []}).json()
    assert (about["title"], about["tags"], about["version"]) == ({"en": "Ours"}, [], made["version"])
    assert client.delete("/v1/templates/rest_mine").status_code == 204
    refused(client.get("/v1/templates/rest_mine"), 404, "template_not_found")
    assert client.post("/v1/templates/rest_mine/restore", json={"version": made["version"]}).status_code == 200


def test_a_page_is_read_with_a_version(client: TestClient, workbench: Workbench) -> None:
    first = new(client, "rest_page", text="One.", task="spotting", variables=[])
    client.post("/v1/templates/rest_page/versions", json={"text": "Two."})
    file = {"file": ("a.png", png(7))}
    for written in ("rest_page@1", f"rest_page@{first['version']}"):
        read = client.post("/v1/ocr", files=file, data={"template": written}).json()
        prompt = workbench.store.recognitions.get(read["id"]).recognition.prompt
        assert (prompt.template, prompt.version, prompt.text) == ("rest_page", first["version"], "One.")
    for written in ("rest_page@3", "rest_page@", "rest_page@x", "full_text@1"):
        answer = client.post("/v1/ocr", files=file, data={"template": written})
        refused(answer, 404, "template_version_not_found")
    job = client.post(
        "/v1/jobs", data={"template": "rest_page@1", "start": "false"}, files={"files": ("a.png", png(7))}
    )
    assert workbench.store.jobs.list(1)[0].asked["template_version"] == first["version"], job.text


def test_the_official_wording_is_known_whatever_stands_in_for_it(client: TestClient) -> None:
    assert listed(client)["table"]["official"] == "table"
    client.post("/v1/templates/table/versions", json={"text": "Read the table."})
    assert listed(client)["table"]["official"] is None
    official = client.get("/v1/templates").json()["official"]
    assert next(one for one in official if one["name"] == "table")["text"] == "把图中的表格解析为HTML。"
    same = client.get("/v1/templates/fields").json()["template"]["text"].replace("{{fields}}", "{{ what }}")
    assert new(client, "rest_same", text=same)["official"] == "fields", "what a blank is called reaches no model"
    restored = client.post("/v1/templates/table/restore", json={"version": "builtin"}).json()
    assert (restored["official"], restored["builtin"]) == ("table", True)
    refused(client.delete("/v1/templates/table"), 400, "template_builtin")


def test_files_go_out_and_come_in_again(client: TestClient) -> None:
    made = new(client, "rest_file", tags=["shop"])
    file = client.get("/v1/templates/rest_file/file")
    assert 'filename="rest_file.md"' in file.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(client.get("/v1/templates.zip").content)) as archive:
        assert archive.read("rest_file.md") == file.content
        assert "full_text.md" not in archive.namelist()
    text = file.text.replace("name: rest_file", "name: rest_other").replace("Give", "Show")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("some folder/rest_other.md", text)
        archive.writestr("notes.txt", "nothing")
    broken = text.replace("task: fields", "task: sing")
    handed = [
        ("rest_file (1).md", file.content),
        ("all.zip", packed.getvalue()),
        ("rest_other.md", text.replace("Show", "Tell")),
        ("broken.md", broken),
        ("a.png", png(0)),
        ("damaged.zip", b"PK\x03\x04 no"),
    ]
    answer = client.post("/v1/templates/import", files=[("files", one) for one in handed])
    told = [(one["file"], one["template"], one["outcome"]) for one in answer.json()["files"]]
    assert told == [
        ("rest_file (1).md", "rest_file", "same"),
        ("rest_other.md", "rest_other", "new"),
        ("rest_other.md", "rest_other", "version"),
        ("broken.md", "", "refused"),
        ("a.png", "", "refused"),
        ("damaged.zip", "", "refused"),
    ]
    errors = [one["error"] and one["error"]["code"] for one in answer.json()["files"]]
    assert errors == [None, None, None, "template_broken", "not_a_template", "zip_damaged"]
    line = broken.split("\n").index("task: sing") + 1
    assert answer.json()["files"][3]["error"]["details"]["line"] == line
    assert listed(client)["rest_other"] == {**made, "name": "rest_other", "readings": 0, **changed(client)}


def changed(client: TestClient) -> dict[str, Any]:
    versions = client.get("/v1/templates/rest_other").json()["versions"]
    assert [one["text"] for one in versions] == ["Tell {{what}}.", "Show {{what}}."]
    return {"text": "Tell {{what}}.", "version": versions[0]["version"]}


def test_a_broken_file_is_told_and_the_rest_is_listed(client: TestClient, workbench: Workbench) -> None:
    folder = workbench.settings.data_dir / "prompts"
    folder.mkdir(exist_ok=True)
    (folder / "half.md").write_text("---\nname: half\ntitle: [\n---\nx", encoding="utf-8")
    (folder / "dropped.md").write_text("---\ntitle: {en: Dropped}\ntask: qa\n---\nWhat?", encoding="utf-8")
    try:
        found = client.get("/v1/templates").json()
        assert [(one["code"], one["details"]["line"]) for one in found["problems"]] == [("template_broken", 3)]
        assert {"dropped", "full_text"} <= {one["name"] for one in found["templates"]}
        (version,) = client.get("/v1/templates/dropped").json()["versions"]
        assert (version["from_file"], version["text"]) == (True, "What?")
    finally:
        (folder / "half.md").unlink()


def test_who_may_write_and_delete(tmp_path: Any) -> None:
    from fakes import ScriptedEngine

    with team(tmp_path, ScriptedEngine([])) as people:
        body = {"name": "mine", "title": {"en": "Mine"}, "text": "One.", "person": "Mallory"}
        annotator, reviewer, admin = (people.of(role) for role in (Role.ANNOTATOR, Role.REVIEWER, Role.ADMIN))
        refused(annotator.post("/v1/templates", json=body), 403, "not_allowed")
        assert reviewer.post("/v1/templates", json=body).status_code == 201
        (version,) = annotator.get("/v1/templates/mine").json()["versions"]
        assert version["person"] == "reviewer-person"
        refused(reviewer.delete("/v1/templates/mine"), 403, "not_allowed")
        assert admin.delete("/v1/templates/mine").status_code == 204
