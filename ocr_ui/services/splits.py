"""Parts of the data (training, validation, test) that share neither a document nor a copy of a picture.

Documents are taken in the order in which they came into the store. One that has no copy of an earlier picture begins a
group; one that has copies from one group joins it; one that joins two groups goes to neither, since it belongs to
both. A group stays where its first document is, and a document's part depends on that alone: what comes later, or a
filter, moves nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from ocr_ui.errors import BadInput, NotFound
from ocr_ui.exports.reasons import Reason
from ocr_ui.images.likeness import SIDE, Lookalikes, is_flat, small
from ocr_ui.images.stored import decode_png
from ocr_ui.storage.pictures import Pictures
from ocr_ui.storage.store import Store

PARTS = ("train", "validation", "test")
_SLACK = 1e-6


def read_shares(written: str) -> tuple[tuple[str, float], ...]:
    """Names and shares of `0.9/0.05/0.05` or, without a test part, `0.9/0.1`; none of an empty text.

    Raises:
        BadInput: `bad_split` (details: value).
    """
    if not written.strip():
        return ()
    try:
        shares = [float(one) for one in written.split("/")]
    except ValueError:
        shares = []
    if len(shares) not in (2, 3) or min(shares) < 0 or not abs(sum(shares) - 1) < _SLACK:
        raise BadInput(
            "bad_split",
            f"{written[:40]!r} does not split the data.",
            "Write two or three shares that add up to 1: 0.9/0.05/0.05.",
            value=written[:40],
        )
    return tuple(zip(PARTS, shares, strict=False))


@dataclass(slots=True)
class Splits:
    """Attributes: parts: by document; without_part: why a document is in none."""

    parts: dict[int, str] = field(default_factory=dict)
    without_part: dict[int, Reason] = field(default_factory=dict)


def find_splits(store: Store, shares: Sequence[tuple[str, float]]) -> Splits:
    """The part of every document of the store.

    Each picture is looked at once in its life; what it is known by is kept beside it.
    """
    found, seen, groups = Splits(), Lookalikes(), {}
    for document, pages in groupby(store.pages.places(), key=lambda place: place[1]):
        pictures = list(dict.fromkeys(sha256 for _, _, sha256 in pages))
        greys = [grey for sha256 in pictures if (grey := _grey(store.pictures, sha256)) is not None]
        telling = [grey for grey in greys if not is_flat(grey)]
        near = {group for grey in telling for group in seen.groups_near(grey)}
        if len(near) > 1:
            first, second = sorted(near)[:2]
            told = f"it has copies of pictures of documents {first} and {second}, which may be in two parts"
            found.without_part[document] = Reason("in_two_parts", told, {"first": first, "second": second})
            continue
        group = near.pop() if near else document
        groups.setdefault(group, _part(pictures[0], shares))
        found.parts[document] = groups[group]
        for grey in telling:
            seen.add(grey, group)
    return found


def _part(sha256: str, shares: Sequence[tuple[str, float]]) -> str:
    """Drawn by the picture alone: the same in every export and in every copy of the store."""
    drawn = int.from_bytes(hashlib.sha256(f"split {sha256}".encode()).digest()[:8]) / 2**64
    for name, share in shares:
        if drawn < share:
            return name
        drawn -= share
    return shares[0][0]


def _grey(pictures: Pictures, sha256: str) -> np.ndarray | None:
    """Grey values of a picture, None where its file is gone or damaged."""
    kept = pictures.grey(sha256)
    if kept is not None and len(kept) == SIDE * SIDE:
        return np.frombuffer(kept, np.uint8).reshape(SIDE, SIDE)
    try:
        grey = small(decode_png(pictures.read(sha256)))
    except (NotFound, ValueError):
        return None
    pictures.put_grey(sha256, grey.tobytes())
    return grey
