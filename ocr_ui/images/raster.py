"""Pictures that Pillow reads."""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
from PIL import ExifTags, Image, ImageCms, ImageFile, TiffImagePlugin

from ocr_ui.domain.content import ContentWarning
from ocr_ui.images import refusals
from ocr_ui.images.colors import to_rgb
from ocr_ui.images.deep_color import with_all_bits
from ocr_ui.images.headers import declared_size
from ocr_ui.images.limits import Limits
from ocr_ui.images.orientation import upright
from ocr_ui.images.source import Picture
from ocr_ui.images.unread import paint_unread

_FORMATS = {kind: kind.upper() for kind in ("JPEG", "PNG", "GIF", "BMP", "TIFF", "WebP", "AVIF")} | {"HEIC": "HEIF"}
_MANY = frozenset({"PNG", "GIF", "TIFF", "WebP", "AVIF"})
"""Kinds whose further pictures are pages. Those of a JPEG (MPO) or HEIC are previews, depth maps and other takes."""

_WHITE_IS_ZERO = 0
"""Value of the TIFF tag PhotometricInterpretation."""

DECODER_ERRORS = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    IndexError,
    KeyError,
    AttributeError,
    AssertionError,
    OverflowError,
    RuntimeError,
    EOFError,
    struct.error,
    zlib.error,
    ZeroDivisionError,
)
"""What Pillow and its plugins raise for damaged files, as fuzzing showed. Opening to conversion is guarded."""

T = TypeVar("T")


class RasterSource:
    """A picture file in memory.

    A file that Pillow refuses is tried once more with its tolerance for cut files. That tolerance is a setting of the
    whole process: use this class in the decoding process or in a single thread.
    """

    def __init__(self, data: bytes, kind: str, limits: Limits) -> None:
        """Reads the header.

        Raises:
            TooLarge: more pixels than `limits.max_pixels`.
            BadInput: `damaged`.
        """
        self._data, self._kind, self._limits = data, kind, limits
        self._image: Image.Image | None = None
        self.pages, _ = self._tolerantly(self._count)
        self.animated = kind in _MANY - {"TIFF"} and self.pages > 1

    def read(self, page: int) -> Picture:
        image, trouble = self._tolerantly(lambda opened: self._load(opened, page))
        mode = image.mode
        quarter = _orientation(image, self._kind)
        try:  # a file may load and still be no sound picture: a palette picture without its palette, for one
            better, notes = with_all_bits(self._data, _white_is_high(image))
            pixels, more = to_rgb(better)
        except (*DECODER_ERRORS, ImageCms.PyCMSError) as error:
            raise refusals.damaged(self._kind) from error
        if trouble is not None:
            pixels, note = self._as_far_as_read(image, pixels, trouble)
            notes = (note, *notes)
        return Picture(upright(pixels, quarter), mode, notes + more)

    def _tolerantly(self, step: Callable[[Image.Image], T]) -> tuple[T, Exception | None]:
        """What `step` gives for the opened picture, and the error that made tolerance necessary."""
        try:
            with _at_most(self._limits.max_pixels):
                return step(self._opened()), None
        except Image.DecompressionBombError as error:
            self._image = None
            raise refusals.too_much_memory() from error
        except DECODER_ERRORS as error:
            trouble = error
        self._image = None
        try:
            with _at_most(self._limits.max_pixels), _cut_files_allowed():
                return step(self._opened()), trouble
        except Image.DecompressionBombError as error:
            raise refusals.too_much_memory() from error
        except DECODER_ERRORS as error:
            raise refusals.damaged(self._kind) from error
        finally:
            self._image = None

    def _opened(self) -> Image.Image:
        if self._image is None:
            if self._kind == "HEIC":
                _register_heic()
            size = declared_size(self._data, self._kind)
            if size is not None:
                self._check_size(*size)
            with _at_most(self._limits.max_pixels if size else None):
                self._image = Image.open(io.BytesIO(self._data), formats=[_FORMATS[self._kind]])
            self._check_size(*self._image.size)
        return self._image

    def _count(self, image: Image.Image) -> int:
        return max(1, getattr(image, "n_frames", 1)) if self._kind in _MANY else 1

    def _load(self, image: Image.Image, page: int) -> Image.Image:
        for frame in self._frames_on_the_way(image, page - 1):
            image.seek(frame)
            self._check_size(*image.size)
        try:
            image.load()
        except OSError:
            if not (ImageFile.LOAD_TRUNCATED_IMAGES and self._kind == "TIFF"):
                raise
            image.load()  # the error is told once; the strips that libtiff could read are in the picture now
        self._check_size(*image.size)
        return image

    def _frames_on_the_way(self, image: Image.Image, frame: int) -> Iterable[int]:
        """A frame of an animation may enlarge the picture, and is decoded on the way to a later one."""
        if self._kind not in _MANY or image.tell() == frame:
            return ()
        if self._kind == "TIFF":
            return (frame,)
        return range(image.tell() + 1 if image.tell() < frame else 0, frame + 1)

    def _check_size(self, width: int, height: int) -> None:
        if width < 1 or height < 1:
            raise refusals.damaged(self._kind)
        if width * height > self._limits.max_pixels:
            raise refusals.too_many_pixels(width, height, self._limits.max_pixels)
        if max(width, height) > self._limits.max_side:
            raise refusals.too_long(width, height, self._limits.max_side)

    def _as_far_as_read(
        self, image: Image.Image, pixels: np.ndarray, trouble: Exception
    ) -> tuple[np.ndarray, ContentWarning]:
        if "Decompressed data too large" in str(trouble):
            note = "Oversized text or profile data inside the file was skipped; the picture itself is whole."
            return pixels, ContentWarning("metadata_skipped", note)
        pixels, share = paint_unread(np.asarray(image), pixels, self._kind)
        if share == 0:
            raise refusals.damaged(self._kind)
        damage = "The file is damaged or incomplete (truncated)."
        if share == 1:
            return pixels, ContentWarning("truncated", damage)
        told = f"{damage} About {share:.0%} of the picture could be read, the rest is left empty."
        return pixels, ContentWarning("truncated", told, details={"percent": round(100 * share)})


@contextmanager
def _at_most(pixels: int | None) -> Iterator[None]:
    """Pillow's own bound on what it makes room for. None where only a header is read, whose size is checked after."""
    before = Image.MAX_IMAGE_PIXELS
    Image.MAX_IMAGE_PIXELS = None if pixels is None else pixels // 2  # it warns beyond this, and refuses beyond twice
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        Image.MAX_IMAGE_PIXELS = before


@contextmanager
def _cut_files_allowed() -> Iterator[None]:
    ImageFile.LOAD_TRUNCATED_IMAGES = True
    try:
        yield
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False


def _orientation(image: Image.Image, kind: str) -> int:
    """EXIF orientation 1..8 that is still to be applied.

    Pillow turns TIFF itself. In HEIC the turn is a property of the picture that libheif applies; its EXIF tag repeats
    the turn and must not be applied again (ISO/IEC 23008-12, A.2.1).
    """
    if kind in ("TIFF", "HEIC"):
        return 1
    try:
        value = image.getexif().get(ExifTags.Base.Orientation, 1)
    except DECODER_ERRORS:
        return 1  # damaged EXIF says nothing about the turn, and the picture is fine without
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _white_is_high(image: Image.Image) -> Image.Image:
    """Pillow does not invert grey TIFFs of 16 bits that say that 0 is white; this does."""
    if not (isinstance(image, TiffImagePlugin.TiffImageFile) and image.mode.startswith("I;16")):
        return image
    if image.tag_v2.get(TiffImagePlugin.PHOTOMETRIC_INTERPRETATION) != _WHITE_IS_ZERO:
        return image
    most = (1 << max(image.tag_v2.get(TiffImagePlugin.BITSPERSAMPLE, (16,)))) - 1
    return Image.fromarray((most - np.minimum(np.asarray(image), most)).astype(np.uint16))


def _register_heic() -> None:
    import pillow_heif  # loading libheif takes 80 ms, which only HEIC files should pay

    pillow_heif.register_heif_opener()
