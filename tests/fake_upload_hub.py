"""The hub's HTTP interface for uploads over one data set: create, preupload, large files (LFS), commit, tree.

What it answers is what huggingface.co answers, as far as its client asks. Large files are those that the hub keeps
apart: of 10,000 bytes and more here, and all parquet and PNG files.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import unquote, urlsplit

from stand_ins import answering

LARGE = 10_000
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class UploadHub:
    """Attributes that tests set change how it answers.

    Attributes:
        name: of the data set.
        token: that it asks for.
        exists, private: the data set is there, and who can see it.
        files: of the data set, as committed.
        kept: large files that came, by SHA-256; they are in no commit yet.
        uploads: the SHA-256 of each large file that came, in order.
        asked: method and path of each request.
        break_after: number of large files after which it fails until this is None.
        fail_commit: commits fail with 500.
    """

    name: str = "ann/bills"
    token: str = "hf_right"
    exists: bool = False
    private: bool = True
    files: dict[str, bytes] = field(default_factory=dict)
    kept: dict[str, bytes] = field(default_factory=dict)
    uploads: list[str] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    break_after: int | None = None
    fail_commit: bool = False

    def __enter__(self) -> UploadHub:
        self._stack = ExitStack()
        self._port = self._stack.enter_context(answering(Handler, hub=self))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def storage(self) -> str:
        """The same server under another name, as the hub's large files lie on another host."""
        return self.url.replace("127.0.0.1", "localhost")


class Handler(BaseHTTPRequestHandler):
    hub: UploadHub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        hub, path = self._begin()
        if not self._knows():
            return self._say(401, {"error": "Invalid credentials in Authorization header"})
        if not hub.exists:
            return self._say(404, {"error": "Repository not found"}, "RepoNotFound")
        if path.startswith(f"/api/datasets/{hub.name}/tree/"):
            return self._say(200, [{"type": "file", "path": name, **_blob(data)} for name, data in hub.files.items()])
        return self._say(200, {"id": hub.name, "private": hub.private, "sha": COMMIT, "siblings": []})

    def do_PUT(self) -> None:
        hub, path = self._begin()
        data, oid = self._body(), path.rpartition("/")[2]
        if hub.break_after is not None and len(hub.uploads) >= hub.break_after:
            return self._say(403, {"error": "storage refused"})
        assert hashlib.sha256(data).hexdigest() == oid
        hub.kept[oid] = data
        hub.uploads.append(oid)
        return self._say(200, {})

    def do_POST(self) -> None:
        hub, path = self._begin()
        body = self._body()
        if not self._knows():
            return self._say(401, {"error": "Invalid credentials in Authorization header"})
        if path == "/api/repos/create":
            return self._create(json.loads(body))
        if path == "/api/validate-yaml":
            return self._say(200, {"errors": [], "warnings": []})
        if path == f"/api/datasets/{hub.name}/preupload/main":
            files = [self._mode(one) for one in json.loads(body)["files"]]
            return self._say(200, {"files": files})
        if path == f"/datasets/{hub.name}.git/info/lfs/objects/batch":
            return self._say(
                200, {"transfer": "basic", "objects": [self._object(o) for o in json.loads(body)["objects"]]}
            )
        if path == f"/api/datasets/{hub.name}/commit/main":
            return self._commit([json.loads(line) for line in body.splitlines()])
        return self._say(404, {"error": "Repository not found"}, "RepoNotFound")

    def _begin(self) -> tuple[UploadHub, str]:
        path = unquote(urlsplit(self.path).path)
        self.hub.asked.append((self.command, path))
        return self.hub, path

    def _knows(self) -> bool:
        return self.headers["Authorization"] == f"Bearer {self.hub.token}"

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers["Content-Length"] or 0))

    def _create(self, asked: dict[str, Any]) -> None:
        hub = self.hub
        url = {"url": f"{hub.url}/datasets/{hub.name}"}
        if hub.exists:
            return self._say(409, {"error": "You already created this dataset repo", **url})
        assert (asked["type"], f"{asked['organization']}/{asked['name']}") == ("dataset", hub.name)
        hub.exists, hub.private = True, asked.get("visibility") == "private" or asked.get("private") is True
        return self._say(200, url)

    def _mode(self, one: dict[str, Any]) -> dict[str, Any]:
        large = one["size"] >= LARGE or re.search(r"\.(parquet|png)$", one["path"])
        known = self.hub.files.get(one["path"])
        oid = {"oid": _git(known)} if known is not None and not large else {}
        return {"path": one["path"], "uploadMode": "lfs" if large else "regular", "shouldIgnore": False, **oid}

    def _object(self, one: dict[str, Any]) -> dict[str, Any]:
        if one["oid"] in self.hub.kept:
            return one
        return {**one, "actions": {"upload": {"href": f"{self.hub.storage}/lfs/{one['oid']}", "header": {}}}}

    def _commit(self, lines: list[dict[str, Any]]) -> None:
        hub = self.hub
        if hub.fail_commit:
            return self._say(500, {"error": "the hub stumbled"})
        files = dict(hub.files)
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            if line["key"] == "lfsFile":
                files[value["path"]] = hub.kept[value["oid"]]
            if line["key"] == "deletedFile":
                del files[value["path"]]
        hub.files = files
        return self._say(200, {"commitUrl": f"{hub.url}/datasets/{hub.name}/commit/{COMMIT}", "commitOid": COMMIT})

    def _say(self, status: int, value: Any, code: str = "") -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        for name, said in {
            "Content-Type": "application/json",
            "Content-Length": len(body),
            "X-Error-Code": code,
        }.items():
            if said != "":
                self.send_header(name, str(said))
        self.end_headers()
        self.wfile.write(body)


def _git(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _blob(content: bytes) -> dict[str, Any]:
    return {"size": len(content), "oid": _git(content)}
