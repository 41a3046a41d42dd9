"""A client of the REST interface, for scripts: `Client("http://localhost:7860").read("page.jpg")["text"]`.

Needs httpx and nothing else of this package.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx

BUSY = (429, 503)
FORM_FILES, FORM_BYTES = 200, 32_000_000
"""Of one form of a batch; the server takes at most 1,000 files in one."""
LONGEST_WAIT = 60.0
"""Seconds that one wait before trying again may take, whatever the server asks for."""


def with_scheme(url: str) -> str:
    """The address as it is typed, `localhost:7860` say, with the http:// that it lacks."""
    return url if "://" in url else f"http://{url}"


class Refused(Exception):
    """The server's error, in its own words.

    Attributes:
        code: stable name of the failure.
        status: of the answer.
        details: the values that the message speaks of.
        retry_after: seconds after which to try again; None where the server names none.
    """

    def __init__(self, status: int, error: dict[str, Any], retry_after: float | None = None) -> None:
        self.status, self.code = status, str(error.get("code", f"http_{status}"))
        self.message, self.hint = str(error.get("message", "")), str(error.get("hint", ""))
        self.details, self.retry_after = error.get("details") or {}, retry_after
        super().__init__(f"{self.message} {self.hint}".strip() or self.code)


class Client:
    """Closes its connections as a context manager.

    Args:
        url: of the product, without a path; http where it names no scheme.
        key: an API key, where the product asks for logins.
        tries: how often a busy server (429, 503) is asked; the waits between are those that it names.
        timeout: seconds without a byte after which a request is given up.
        language: of messages: en or zh.
    """

    def __init__(self, url: str, key: str = "", tries: int = 3, timeout: float = 300.0, language: str = "en") -> None:
        headers = {"X-Workbench-Lang": language, **({"Authorization": f"Bearer {key}"} if key else {})}
        self._http = httpx.Client(base_url=with_scheme(url), headers=headers, timeout=timeout)
        self._tries = tries

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def read(self, picture: str | Path | bytes, template: str = "full_text", **more: Any) -> dict[str, Any]:
        """What stands on a picture: the object that docs/rest.md describes.

        Args:
            picture: a file's path, or its bytes.
            more: variables and options (objects), engine, person.

        Raises:
            Refused: the server's error.
            httpx.TransportError: there is no server.
        """
        return self._json("POST", "/v1/ocr", **_form(picture, {"template": template, **more}))

    def stream(
        self, picture: str | Path | bytes, template: str = "full_text", **more: Any
    ) -> Iterator[tuple[str, Any]]:
        """As `read`, as it comes: names of events with their data, the last one `done` with the whole object.

        Raises as `read`. Closing this generator ends the work.
        """
        form = _form(picture, {"template": template, **more, "stream": True})
        with self._http.stream("POST", "/v1/ocr", **form) as answer:
            if answer.is_error:
                answer.read()
                raise _refused(answer)
            for name, data in _events(answer.iter_lines()):
                if name == "error":
                    raise Refused(200, data["error"])
                yield name, data

    def batch(self, files: Iterable[str | Path], template: str = "full_text", **more: Any) -> dict[str, Any]:
        """Hands in files, in as many forms as it takes, as one batch that begins then; gives how far it is, as `job`.

        Args:
            more: variables (an object), rules (a list), engine, pages, priority, name, person, webhook.

        Raises:
            Refused: the server's error; what was handed in by then stays in the batch, which has not begun.
            OSError: a file cannot be read.
        """
        paths = [Path(file) for file in files]
        asked = _texts({"template": template, **more, "start": not paths})  # without a file it is refused
        job = self._json("POST", "/v1/jobs", data=asked)["job"]
        for some in _parts(paths):
            forms = [("files", (str(path), path.read_bytes())) for path in some]
            self._json("POST", f"/v1/jobs/{job}/files", files=forms)
        return self._json("POST", f"/v1/jobs/{job}/resume")

    def job(self, job: int) -> dict[str, Any]:
        """How far a batch is: `state` is done at its end, `failures` say what was not read and why."""
        return self._json("GET", f"/v1/jobs/{job}")

    def templates(self) -> list[dict[str, Any]]:
        return self._json("GET", "/v1/templates")["templates"]

    def engines(self) -> list[dict[str, Any]]:
        """The default first."""
        return self._json("GET", "/v1/engines")["engines"]

    def recognitions(self, limit: int = 1000, **filters: Any) -> Iterator[dict[str, Any]]:
        """All items that the filters choose, a page of `limit` at a time; see `GET /v1/recognitions`."""
        offset: int | None = 0
        while offset is not None:
            part = self._json("GET", "/v1/recognitions", params={**filters, "limit": limit, "offset": offset})
            yield from part["recognitions"]
            offset = part["next"]

    def item(self, item: int) -> dict[str, Any]:
        """An item with its newest correction."""
        return self._json("GET", f"/v1/items/{item}")

    def correct(
        self, item: int, content: dict[str, Any], base_version: int, verdict: str | None = None, **more: Any
    ) -> dict[str, Any]:
        """Saves a page as a person says it is, on top of the version that they saw.

        Args:
            content: `lines`, `fields`, `tables`, `text`, as `item` gives them.
            more: note, person, client_key (the same one again counts once).
        """
        key = {"client_key": uuid.uuid4().hex}
        asked = {"recognition_id": item, "content": content, "base_version": base_version, "verdict": verdict}
        return self._json("POST", "/v1/corrections", json={**key, **asked, **more})

    def export(self, name: str, out: str | Path, **filters: Any) -> Path:
        """Downloads the items that the filters choose as one file of a format, to `out`."""
        path = Path(out)
        with self._http.stream("GET", f"/v1/exports/{name}", params=filters) as answer:
            if answer.is_error:
                answer.read()
                raise _refused(answer)
            with path.open("wb") as file:
                for piece in answer.iter_bytes():
                    file.write(piece)
        return path

    def _json(self, method: str, path: str, **request: Any) -> Any:
        for left in range(self._tries - 1, -1, -1):
            answer = self._http.request(method, path, **request)
            if not answer.is_error:
                return answer.json()
            error = _refused(answer)
            if answer.status_code not in BUSY or not left:
                raise error
            time.sleep(min(error.retry_after or 1.0, LONGEST_WAIT))
        raise AssertionError("tries is 1 or more")


def _parts(files: list[Path]) -> Iterator[list[Path]]:
    """Files that one form can take: their bytes are in memory while it is sent."""
    some: list[Path] = []
    size = 0
    for file in files:
        bytes_of = file.stat().st_size
        if some and (len(some) == FORM_FILES or size + bytes_of > FORM_BYTES):
            yield some
            some, size = [], 0
        some.append(file)
        size += bytes_of
    if some:
        yield some


def _texts(fields: dict[str, Any]) -> dict[str, str]:
    return {key: value if isinstance(value, str) else json.dumps(value) for key, value in fields.items()}


def _form(picture: str | Path | bytes, fields: dict[str, Any]) -> dict[str, Any]:
    if isinstance(picture, bytes):
        name, data = "picture", picture
    else:
        name, data = Path(picture).name, Path(picture).read_bytes()
    return {"files": {"file": (name, data)}, "data": _texts(fields)}


def _events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def _refused(answer: httpx.Response) -> Refused:
    try:
        error = answer.json()["error"]
    except (ValueError, KeyError, TypeError):
        error = {}
    after = answer.headers.get("retry-after", "")
    return Refused(answer.status_code, error, float(after) if after.isdecimal() else None)
