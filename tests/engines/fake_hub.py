"""The hub's HTTP interface over one small repository: model info, tree, files by redirect, parts of files.

What it answers is what huggingface.co answers, as far as its client asks: `X-Repo-Commit`, `X-Linked-Etag` (SHA-256 of
a large file), `ETag` (Git's hash of a small one), 206 for a `Range`, `X-Error-Code` for refusals.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import unquote, urlsplit

from stand_ins import answering

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = 10_000
"""Files of so many bytes are stored apart (LFS), as weights are."""


def git_hash(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@dataclass
class Asked:
    method: str
    path: str
    range: str | None
    key: str | None


@dataclass
class FakeHub:
    """One repository. Attributes that tests set change how it answers.

    Attributes:
        name, commit, files: the repository, at its branch "main".
        asked: every request, in order.
        sent: bytes sent of each file.
        connected: connections that it serves.
        cut: for a file, after how many bytes each of its next answers breaks off.
        changed: contents sent instead of the right ones, of the same size.
        claimed: sizes told instead of the right ones.
        refuse: status and error code of every answer, such as (401, "GatedRepo").
        slowness: seconds before each further 64 KiB.
        knows_parts: it answers 206 to a Range; otherwise 200 with all of it.
    """

    files: dict[str, bytes]
    name: str = "some/model"
    commit: str = COMMIT
    asked: list[Asked] = field(default_factory=list)
    sent: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    connected: set[BaseHTTPRequestHandler] = field(default_factory=set)
    cut: dict[str, list[int]] = field(default_factory=dict)
    changed: dict[str, bytes] = field(default_factory=dict)
    claimed: dict[str, int] = field(default_factory=dict)
    refuse: tuple[int, str] | None = None
    slowness: float = 0.0
    knows_parts: bool = True

    def __enter__(self) -> FakeHub:
        self._stack = ExitStack()
        self._port = self._stack.enter_context(answering(Handler, hub=self))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def cdn(self) -> str:
        """The same server under another name, as the hub's large files lie on another host."""
        return self.url.replace("127.0.0.1", "localhost")

    def paths(self) -> list[str]:
        """What was asked of the repository."""
        return [one.path for one in self.asked if self.name in one.path or "/cdn/" in one.path]


class Handler(BaseHTTPRequestHandler):
    hub: FakeHub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def handle(self) -> None:
        self.hub.connected.add(self)
        try:
            super().handle()
        finally:
            self.hub.connected.discard(self)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        hub, path = self.hub, unquote(urlsplit(self.path).path)
        hub.asked.append(Asked(self.command, path, self.headers["Range"], self.headers["Authorization"]))
        if hub.refuse:
            return self.refused(*hub.refuse)
        if found := re.fullmatch(rf"/api/models/{hub.name}/revision/(.+)", path):
            return self.of_revision(found[1], self.info())
        if found := re.fullmatch(rf"/api/models/{hub.name}/tree/([^/]+)", path):
            return self.of_revision(found[1], self.tree())
        if found := re.fullmatch(rf"/{hub.name}/resolve/([^/]+)/(.+)", path):
            return self.resolve(*found.groups())
        if found := re.fullmatch(r"/cdn/(.+)", path):
            return self.content(found[1])
        return self.refused(404, "RepoNotFound")

    def refused(self, status: int, code: str) -> None:
        self.answer(status, {"X-Error-Code": code, "X-Error-Message": "refused"}, b'{"error": "refused"}')

    def answer(self, status: int, headers: dict[str, Any], body: bytes) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def of_revision(self, revision: str, value: Any) -> None:
        if revision not in ("main", self.hub.commit):
            return self.refused(404, "RevisionNotFound")
        return self.answer(200, {"Content-Type": "application/json"}, json.dumps(value).encode())

    def info(self) -> dict[str, Any]:
        siblings = [
            {
                "rfilename": path,
                "size": self.hub.claimed.get(path, len(content)),
                "blobId": git_hash(content),
                **large(content, "sha256"),
            }
            for path, content in self.hub.files.items()
        ]
        return {"id": self.hub.name, "modelId": self.hub.name, "sha": self.hub.commit, "siblings": siblings}

    def tree(self) -> list[dict[str, Any]]:
        return [
            {"type": "file", "path": path, "size": len(content), "oid": git_hash(content), **large(content, "oid")}
            for path, content in self.hub.files.items()
        ]

    def resolve(self, revision: str, path: str) -> None:
        if revision not in ("main", self.hub.commit):
            return self.refused(404, "RevisionNotFound")
        if path not in self.hub.files:
            return self.refused(404, "EntryNotFound")
        content = self.hub.files[path]
        headers = {"X-Repo-Commit": self.hub.commit, "ETag": f'"{git_hash(content)}"'}
        if len(content) < LARGE:
            return self.content(path, headers)
        sha256 = hashlib.sha256(content).hexdigest()
        linked = {
            "X-Linked-Etag": f'"{sha256}"',
            "X-Linked-Size": len(content),
            "Location": f"{self.hub.cdn}/cdn/{path}",
        }
        return self.answer(302, {**headers, **linked}, b"")

    def content(self, path: str, headers: dict[str, Any] | None = None) -> None:
        hub = self.hub
        content = hub.changed.get(path, hub.files[path])
        begin = int(re.match(r"bytes=(\d+)-", self.headers["Range"])[1]) if self.headers["Range"] else 0
        if not hub.knows_parts:
            begin = 0
        self.send_response(206 if begin else 200)
        part = {"Content-Range": f"bytes {begin}-{len(content) - 1}/{len(content)}"} if begin else {}
        for name, value in {**(headers or {}), **part, "Content-Length": len(content) - begin}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command == "GET":
            self.pieces(path, content[begin:])

    def pieces(self, path: str, content: bytes) -> None:
        cuts = self.hub.cut.get(path)
        limit = cuts.pop(0) if cuts else len(content)
        for at in range(0, min(limit, len(content)), 1 << 16):
            piece = content[at : min(at + (1 << 16), limit)]
            self.wfile.write(piece)
            self.wfile.flush()
            self.hub.sent[path] += len(piece)
            if self.hub.slowness:
                time.sleep(self.hub.slowness)
        if limit < len(content):
            self.close_connection = True


def large(content: bytes, name: str) -> dict[str, Any]:
    if len(content) < LARGE:
        return {}
    return {"lfs": {name: hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 134}}
