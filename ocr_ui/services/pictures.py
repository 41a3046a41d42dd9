"""Pictures in: through the door, turned upright, stored once under their sha256."""

from __future__ import annotations

import asyncio
import io
import logging
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path, PurePosixPath

import numpy as np

from ocr_ui.domain.access import Action
from ocr_ui.domain.content import ContentWarning
from ocr_ui.domain.page import Page
from ocr_ui.engines.orientation import OrientationFinder
from ocr_ui.errors import BadInput, EngineDead, StoreFailed
from ocr_ui.images import refusals
from ocr_ui.images.door import (
    Limits,
    UprightPicture,
    count_pages_of,
    decode_png,
    encode_png,
    frame_at,
    open_page_of,
    open_picture,
    rotate_quarters,
    stretches_of,
    thumbnail,
    video_kind_of,
)
from ocr_ui.services.access import acting, needs, who
from ocr_ui.services.engine_entries import READER
from ocr_ui.services.engines import Engines
from ocr_ui.services.recent_pixels import RecentPixels
from ocr_ui.services.scan import Scanner
from ocr_ui.settings import Settings
from ocr_ui.storage.pages import unknown_page
from ocr_ui.storage.records import StoredPage
from ocr_ui.storage.store import Store
from ocr_ui.storage.uploads import missing_upload

log = logging.getLogger(__name__)

THUMBNAIL_SIDE = 256
MAX_NAME = 200
VIDEO_SECONDS = 1_800.0
"""For looking through a video for the frames that change."""


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """A file of several pages whose others can be asked for, by its sha256."""

    sha256: str
    pages: int


@dataclass(frozen=True, slots=True)
class Received:
    """A stored page and what a person should know about how it came in.

    Attributes:
        document: that the page is of, where it has several.
        recognition_id: the newest reading of the page, None for one that was not read.
    """

    page_id: int
    page: Page
    warnings: tuple[ContentWarning, ...] = ()
    document: OpenDocument | None = None
    recognition_id: int | None = None


class PageStore:
    """Stored pages and their pixels."""

    def __init__(self, store: Store, settings: Settings, upright: Upright) -> None:
        self._store, self._settings, self._upright = store, settings, upright
        self._limits, self._scanner = Limits.from_settings(settings), Scanner(settings.clamd)
        self._documents = replace(self._limits, max_bytes=settings.max_document_bytes)
        self._videos = replace(self._limits, max_bytes=settings.max_video_bytes)
        self._recent = RecentPixels()

    @needs(Action.RECOGNIZE, audited="picture.receive", limited="uploads", target=lambda _, done: done.page_id)
    async def receive(self, data: bytes, name: str, person: str = "", page_number: int = 1) -> Received:
        """Takes a file, makes its picture upright and stores it.

        Raises:
            BadInput, TooLarge: it is no picture, or over a limit; nothing is stored then.
            Infected, ScannerAway: see `ocr_ui.services.scan`.
        """
        await asyncio.to_thread(self._scanner.check, data)
        picture = await asyncio.to_thread(open_picture, data, self._limits, page=page_number)
        pixels, turned = await self._upright.turn(picture.pixels)
        warnings = (*picture.warnings, *turned)
        received = await asyncio.to_thread(self._keep, pixels, clean_name(name), person, warnings, page_number)
        if picture.pages == 1:
            return received
        sha256, _ = await asyncio.to_thread(self._store.uploads.put, io.BytesIO(data), len(data))
        if acting().identity.logged_in:
            await asyncio.to_thread(self._store.uploads.mark, sha256, acting().identity.name)
        return replace(received, document=OpenDocument(sha256, picture.pages))

    @needs(Action.RECOGNIZE, audited="picture.page", limited="uploads")
    async def page_beside(self, sha256: str, number: int, page_id: int) -> Received:
        """Another page of a file that came in with several; stored in the document of the page that is named.

        Raises:
            NotFound: `missing_upload`, `unknown_page`. BadInput: `no_such_page`, and as `receive`.
        """
        await asyncio.to_thread(check_handed, self._store, sha256)
        beside = await asyncio.to_thread(self._open_page, page_id)
        pages = await self.count(sha256)
        page, warnings = await self.picture_of(sha256, number, beside.page.name)
        stored = await asyncio.to_thread(self._store.pages.add_page, beside.document_id, page)
        read = await asyncio.to_thread(self._store.recognitions.latest, stored)
        kept = (await asyncio.to_thread(self._store.pages.get, stored)).page
        return Received(stored, kept, warnings, OpenDocument(sha256, pages), read.id if read else None)

    @needs(Action.READ)
    async def page_thumbnail(self, sha256: str, number: int) -> bytes:
        """A small JPEG of a page that may not be stored. Raises as `page_beside`."""
        await asyncio.to_thread(check_handed, self._store, sha256)
        picture = await asyncio.to_thread(self._drawn, sha256, number)
        return await asyncio.to_thread(thumbnail, picture.pixels, THUMBNAIL_SIDE)

    async def count(self, sha256: str) -> int:
        """Pages of a file that was handed in as it is. Raises NotFound (`missing_upload`), and as `receive`."""
        return await asyncio.to_thread(
            lambda: count_pages_of(self._store.uploads.path(sha256), sha256, self._documents)
        )

    async def frames(self, sha256: str) -> list[tuple[float, float]] | None:
        """From when to when, in seconds, the frames of a video that was handed in are shown, those whose lower part
        changes; None where it is no video.

        Raises:
            BadInput: `video_without_text`, `video_without_picture`, `damaged`, `decode_timeout`.
            TooLarge: `video_too_long`, `too_many_bytes`.
        """
        file = self._store.uploads.path(sha256)
        if await asyncio.to_thread(video_kind_of, file) is None:
            return None
        limits = replace(self._videos, decode_seconds=VIDEO_SECONDS)
        found = await asyncio.to_thread(stretches_of, file, limits, self._settings.max_video_seconds)
        if not found:
            raise refusals.video_without_text()
        return found

    async def frame_of(
        self, sha256: str, number: int, name: str, span: tuple[float, float]
    ) -> tuple[Page, tuple[ContentWarning, ...]]:
        """As `picture_of`, of the middle of a frame's time in a video; its name says when it is shown."""
        middle = sum(span) / 2
        picture = await asyncio.to_thread(frame_at, self._store.uploads.path(sha256), self._videos, middle)
        shown = clean_name(f"{name} {timedelta(seconds=int(span[0]))}")
        page = await asyncio.to_thread(self._put, picture.pixels, shown, number)
        return replace(page, start=span[0], end=span[1]), picture.warnings

    async def picture_of(self, sha256: str, number: int, name: str) -> tuple[Page, tuple[ContentWarning, ...]]:
        """Draws one page of a file that was handed in and stores its upright picture; the page is not stored yet.

        Raises: as `count`.
        """
        picture = await asyncio.to_thread(self._drawn, sha256, number)
        pixels, turned = await self._upright.turn(picture.pixels)
        page = await asyncio.to_thread(self._put, pixels, clean_name(name), number)
        return page, (*picture.warnings, *turned)

    def _drawn(self, sha256: str, number: int) -> UprightPicture:
        return open_page_of(self._store.uploads.path(sha256), sha256, self._documents, number)

    @needs(Action.RECOGNIZE, audited="picture.rotate")
    async def rotate(self, sha256: str, turns: int, person: str = "") -> Received:
        """Stores a page turned by quarter turns clockwise, as a page of its own; results of the old one stay with it.

        Raises:
            NotFound: there is no such page.
        """
        await asyncio.to_thread(self._check_open, sha256)
        old = await asyncio.to_thread(self._store.pages.by_sha256, sha256)
        pixels = await asyncio.to_thread(self._pixels, sha256)
        turned = await asyncio.to_thread(rotate_quarters, pixels, turns % 4)
        return await asyncio.to_thread(self._keep, turned, old.page.name, person, ())

    def _keep(
        self, pixels: np.ndarray, name: str, person: str, warnings: tuple[ContentWarning, ...], number: int = 1
    ) -> Received:
        page = self._put(pixels, name, number)
        owner = who(person)
        document = self._store.pages.add_document(name, [page], owner if owner.name else None)
        return Received(document.page_ids[0], page, warnings)

    def _put(self, pixels: np.ndarray, name: str, number: int = 1) -> Page:
        sha256 = self._store.pictures.put(encode_png(pixels))
        self._store.pictures.put_thumbnail(sha256, thumbnail(pixels, THUMBNAIL_SIDE))
        self._recent.keep(sha256, pixels)
        return Page(sha256=sha256, width=pixels.shape[1], height=pixels.shape[0], name=name, number=number)

    async def load(self, page_id: int) -> tuple[Page, np.ndarray]:
        """A page and its pixels, uint8 (height, width, 3) RGB, read-only. Raises NotFound."""
        stored = await asyncio.to_thread(self._open_page, page_id)
        return stored.page, await asyncio.to_thread(self._pixels, stored.page.sha256)

    def _open_page(self, page_id: int) -> StoredPage:
        """Raises NotFound where there is no such page, and where it is nobody else's business yet."""
        stored = self._store.pages.get(page_id)
        self._check_open(stored.page.sha256, page_id)
        return stored

    def _check_open(self, sha256: str, page_id: int | None = None) -> None:
        """A page is the team's once somebody has had it read; until then it is of whoever brought it in.

        Raises:
            NotFound: as where there is none: who asks learns nothing.
        """
        identity = acting().identity
        if not identity.logged_in or identity.may(Action.ADMIN):
            return
        if not self._store.pages.is_open_to(identity.name, sha256, page_id):
            raise unknown_page(page=page_id or sha256)

    def _pixels(self, sha256: str) -> np.ndarray:
        pixels = self._recent.get(sha256)
        if pixels is not None:
            self._store.pictures.path(sha256)  # another process may have removed it meanwhile
            return pixels
        try:
            pixels = decode_png(self._store.pictures.read(sha256))
        except ValueError as error:
            raise StoreFailed(
                "damaged_picture",
                "The stored picture is damaged.",
                "Restore the file from a backup, or upload the picture again.",
                sha256=sha256,
            ) from error
        self._recent.keep(sha256, pixels)
        return pixels

    @needs(Action.READ)
    async def again(self, page_id: int) -> Received:
        """A page that came in before. Raises NotFound."""
        stored = await asyncio.to_thread(self._open_page, page_id)
        return Received(stored.id, stored.page)

    @needs(Action.READ)
    async def file(self, sha256: str) -> Path:
        """The PNG file of a picture. Raises BadInput for what is no sha256, NotFound where there is none."""
        path = await asyncio.to_thread(self._store.pictures.path, sha256)
        await asyncio.to_thread(self._check_open, sha256)
        return path

    @needs(Action.ADMIN, audited="picture.forget")
    async def forget(self, sha256: str) -> None:
        """Removes a picture for good; what was read of it and corrected stays.

        Raises:
            BadInput: `bad_picture_id`. NotFound: `missing_picture`. StoreFailed.
        """
        await asyncio.to_thread(self._store.pictures.path, sha256)
        await asyncio.to_thread(self._store.pictures.remove, sha256)

    @needs(Action.READ)
    async def thumbnail(self, sha256: str) -> bytes:
        """A small JPEG; made anew where it is missing."""
        kept = await asyncio.to_thread(self._store.pictures.thumbnail, sha256)
        await asyncio.to_thread(self._check_open, sha256)
        if kept is not None:
            return await asyncio.to_thread(kept.read_bytes)
        pixels = await asyncio.to_thread(self._pixels, sha256)
        return await asyncio.to_thread(thumbnail, pixels, THUMBNAIL_SIDE)


def check_handed(store: Store, sha256: str) -> None:
    """A file that came in to be read page by page is only of who brought it in.

    Raises:
        NotFound: `missing_upload`, as where there is none: who asks learns nothing.
    """
    store.uploads.path(sha256)
    identity = acting().identity
    if identity.logged_in and not identity.may(Action.ADMIN) and not store.uploads.is_marked(sha256, identity.name):
        raise missing_upload()


def clean_name(name: str) -> str:
    """The last part of a file name, without control and direction marks: it is shown, and never used as a path."""
    last = PurePosixPath(name.replace("\\", "/")).name
    spaced = (" " if character.isspace() else character for character in last)
    return "".join(character for character in spaced if character.isprintable()).strip()[:MAX_NAME]


class Upright:
    """Notices pages that lie on their side or head, and turns them."""

    def __init__(self, engines: Engines, settings: Settings) -> None:
        self._engines, self._on = engines, settings.turn_pages
        self._finder: OrientationFinder | None = None

    async def turn(self, pixels: np.ndarray) -> tuple[np.ndarray, tuple[ContentWarning, ...]]:
        """The pixels upright, and a warning where they were turned."""
        turns = await self._quarter_turns(pixels) if self._on else 0
        if not turns:
            return pixels, ()
        notice = ContentWarning(
            f"turned_{turns * 90}", f"The page lay on its side or head; it was turned by {turns * 90} degrees."
        )
        return await asyncio.to_thread(rotate_quarters, pixels, -turns), (notice,)

    async def _quarter_turns(self, pixels: np.ndarray) -> int:
        """Counter-clockwise quarter turns that make the page upright; 0 where the CPU engine cannot look.

        A page is never refused because nobody could tell how it lies: there is a button to turn it.
        """
        try:
            engine = await self._engines.ready(self._engines.called(READER))
            self._finder = self._finder or await asyncio.to_thread(OrientationFinder)
            return await asyncio.to_thread(self._finder.quarter_turns, pixels, engine.models)
        except (BadInput, EngineDead) as error:
            log.warning("pages are not turned: %s", error)
        except Exception:
            log.exception("could not tell how the page lies")
        return 0
