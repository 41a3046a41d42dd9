"""The product over REST, beside its page."""

from __future__ import annotations

import json
import urllib.request

from conftest import Desk, Product


def got(at: Desk | Product, path: str) -> dict:
    with urllib.request.urlopen(at.url + path) as answer:
        return json.load(answer)


def sent(at: Desk | Product, path: str, body: dict) -> dict:
    request = urllib.request.Request(at.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def item_at(at: Desk | Product, number: int) -> dict:
    return got(at, f"/v1/items/{number}")


def addressed(desk: Desk, name: str = "item") -> int:
    """The number that the page's address has under a name; 0 where it has none."""
    return int(desk.page.evaluate("name => new URLSearchParams(location.search).get(name)", name) or 0)
