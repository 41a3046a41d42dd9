"""The faces that the pictures are set in, found by file name, with the Debian package that brings each."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from PIL import ImageFont

ROOTS = (Path("/usr/share/fonts"), Path("/usr/share/texmf/fonts"), Path.home() / ".local/share/fonts")
SIMPLIFIED_CHINESE = 2
"""Index of the Simplified Chinese face in the Noto CJK collections (Japanese and Korean stand before it)."""

FACES: dict[str, tuple[str, str]] = {
    "sans": ("LiberationSans-Regular.ttf", "fonts-liberation"),
    "sans-bold": ("LiberationSans-Bold.ttf", "fonts-liberation"),
    "narrow": ("LiberationSansNarrow-Regular.ttf", "fonts-liberation"),
    "narrow-bold": ("LiberationSansNarrow-Bold.ttf", "fonts-liberation"),
    "serif": ("LiberationSerif-Regular.ttf", "fonts-liberation"),
    "serif-bold": ("LiberationSerif-Bold.ttf", "fonts-liberation"),
    "serif-italic": ("LiberationSerif-Italic.ttf", "fonts-liberation"),
    "mono": ("LiberationMono-Regular.ttf", "fonts-liberation"),
    "mono-bold": ("LiberationMono-Bold.ttf", "fonts-liberation"),
    "till": ("DejaVuSansMono.ttf", "fonts-dejavu-core"),
    "till-bold": ("DejaVuSansMono-Bold.ttf", "fonts-dejavu-core"),
    "modern": ("Lato-Regular.ttf", "fonts-lato"),
    "modern-light": ("Lato-Light.ttf", "fonts-lato"),
    "modern-bold": ("Lato-Bold.ttf", "fonts-lato"),
    "modern-black": ("Lato-Black.ttf", "fonts-lato"),
    "book": ("EBGaramond12-Regular.otf", "fonts-ebgaramond"),
    "book-italic": ("EBGaramond12-Italic.otf", "fonts-ebgaramond"),
    "book-bold": ("EBGaramond12-Bold.otf", "fonts-ebgaramond"),
    "tex": ("lmroman10-regular.otf", "fonts-lmodern"),
    "tex-bold": ("lmroman10-bold.otf", "fonts-lmodern"),
    "tex-italic": ("lmroman10-italic.otf", "fonts-lmodern"),
    "typewriter": ("lmmono10-regular.otf", "fonts-lmodern"),
    "tex-math": ("latinmodern-math.otf", "fonts-lmodern"),
    "script": ("DancingScript-Regular.otf", "fonts-dancingscript"),
    "machine": ("OCRB.otf", "fonts-ocr-b"),
    "hei": ("NotoSansCJK-Regular.ttc", "fonts-noto-cjk"),
    "hei-bold": ("NotoSansCJK-Bold.ttc", "fonts-noto-cjk"),
    "song": ("NotoSerifCJK-Regular.ttc", "fonts-noto-cjk"),
    "song-bold": ("NotoSerifCJK-Bold.ttc", "fonts-noto-cjk"),
    "kai": ("LXGWWenKai-Regular.ttf", "fonts-lxgw-wenkai"),
    "kai-bold": ("LXGWWenKai-Bold.ttf", "fonts-lxgw-wenkai"),
}


LINING = ["lnum"]
"""OpenType feature: figures of one height. Old-style ones are too easily taken for letters (1 and I, 0 and o)."""


class FontMissing(Exception):
    """A font file is not installed; the message names the Debian package that brings it."""


@cache
def face_path(face: str) -> Path:
    """The file of a face.

    Raises:
        FontMissing: no such file under ROOTS.
    """
    file_name, package = FACES[face]
    for root in ROOTS:
        for path in sorted(root.rglob(file_name)):
            return path
    raise FontMissing(f"{file_name} is not installed: apt-get install {package}")


def features(face: str) -> list[str] | None:
    """OpenType features that a face is set with."""
    return LINING if face.startswith("book") else None


@cache
def font(face: str, size: float) -> ImageFont.FreeTypeFont:
    """A face at a size in pixels."""
    path = face_path(face)
    index = SIMPLIFIED_CHINESE if path.suffix == ".ttc" else 0
    return ImageFont.truetype(str(path), size, index=index)
