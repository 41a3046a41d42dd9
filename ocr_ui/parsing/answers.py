"""What all parsers do with an answer before they read it."""

from __future__ import annotations

import re
import unicodedata

_EMPTY = frozenset({"没有文字", "图中没有文字", "图片中没有文字", "图像中没有文字", "无文字", "notext"})
_FENCE = re.compile(r"\A\s*```[ \t]*([A-Za-z]*)[ \t]*\r?\n(.*?)(?:\r?\n?[ \t]*```\s*)?\Z", re.DOTALL)
_END_TOKENS = re.compile(
    r"(?:<[|｜](?:hy_Assistant|hy_end▁of▁sentence|endoftext|im_end|eot_id|end▁of▁sentence)[|｜]>|</s>)+\s*\Z"
)


def clean(text: str) -> str:
    """Without a byte order mark before it and without the end-of-answer tokens of a model behind it."""
    text = text.removeprefix("\ufeff")
    return _END_TOKENS.sub("", text) if text.endswith(">") or text.rstrip()[-1:] == ">" else text


def is_empty(text: str) -> bool:
    """Nothing at all, an empty container, or the model's word for a page without text (没有文字, NO_TEXT)."""
    if len(text) > 80:
        return not text.strip()
    bare = text.strip().strip("`").removeprefix("json").strip()
    if bare in ("", "[]", "{}", "[ ]", "{ }", "[{}]"):
        return True
    letters = "".join(c for c in unicodedata.normalize("NFKC", bare).casefold() if c.isalnum())
    return letters in _EMPTY


def unfence(text: str, languages: frozenset[str]) -> str:
    """The inside of an answer that is one fenced block of one of `languages` ("" for none named)."""
    found = _FENCE.match(text)
    if found is None or found[1].lower() not in languages or "```" in found[2]:
        return text
    return found[2]
