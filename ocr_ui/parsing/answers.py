"""What all parsers do with an answer before they read it."""

from __future__ import annotations

import json
import re
import string
import unicodedata

_LETTERS = string.ascii_letters
_EMPTY = frozenset({"没有文字", "图中没有文字", "图片中没有文字", "图像中没有文字", "无文字", "notext"})
_END_TOKENS = (
    *(f"<{bar}{name}{bar}>" for bar in "|｜" for name in ("hy_Assistant", "hy_end▁of▁sentence", "end▁of▁sentence")),
    *("<|endoftext|>", "<|im_end|>", "<|eot_id|>", "</s>"),
)
_ESCAPED_START = re.compile(r"[{\[](?:\s|\\n|[{\[])*\\+\"")
_EMPTY_LIST = re.compile(r"\{\s*[\"']\w+[\"']\s*:\s*(?:\[\s*\]|null)\s*\}")
_NO_TEXT = ("没有文字", "无文字", "没有任何文字", "没有可识别的文字", "no text")


def clean(text: str) -> str:
    """Without a byte order mark before it and without the end-of-answer tokens of a model behind it."""
    text = text.removeprefix("\ufeff")
    while (bare := text.rstrip()).endswith(_END_TOKENS):
        text = next(bare.removesuffix(token) for token in _END_TOKENS if bare.endswith(token))
    return text


def is_empty(text: str) -> bool:
    """Nothing at all, an empty container, or the model's word for a page without text (没有文字, NO_TEXT)."""
    if len(text) > 80:
        return not text.strip()
    bare = text.strip().strip("`").removeprefix("json").strip()
    if bare in ("", "[]", "{}", "[ ]", "{ }", "[{}]"):
        return True
    letters = "".join(c for c in unicodedata.normalize("NFKC", bare).casefold() if c.isalnum())
    return letters in _EMPTY


def says_empty(text: str) -> bool:
    """A sentence to the effect that there is no text, or an empty list under a name; for answers that should have had
    boxes."""
    if len(text) <= 80 and _EMPTY_LIST.fullmatch(text.strip().strip("`").removeprefix("json").strip()):
        return True
    short = text.strip().casefold()
    if len(short) > 60 or any(c.isdecimal() or c in "<{[" for c in short):
        return False
    return any(word in short for word in _NO_TEXT)


def unfence(text: str, languages: frozenset[str]) -> str:
    """The inside of an answer that is one fenced block of one of `languages` ("" for none named)."""
    bare = text.strip()
    first, _, inside = bare.partition("\n")
    if not first.startswith("```") or first[3:].strip().lower() not in languages:
        return text
    inside = inside.rstrip().removesuffix("```")
    return text if "```" in inside else inside.rstrip("\r\n")


def inside_string(text: str) -> str | None:
    r"""The JSON in an answer that escapes it once or more, with quotes around or without; None for others."""
    bare = text.strip()
    for _ in range(4):
        quoted = bare[:1] == '"' and bare[1:].lstrip()[:1] in ("{", "[")
        if not quoted and not _ESCAPED_START.match(bare):
            break
        try:
            bare = str(json.loads(bare if bare.endswith('"') and quoted else f'"{bare.removeprefix(chr(34))}"')).strip()
        except ValueError:
            return None
    return bare if bare != text.strip() else None


def strip_fence(text: str) -> str:
    """The text without blanks, and without the marks of a fenced block, at its ends."""
    bare = text.strip()
    if bare.startswith("```"):
        bare = bare[3:].lstrip(_LETTERS).lstrip()
    return bare.removesuffix("```").rstrip() if bare.endswith("```") else bare
