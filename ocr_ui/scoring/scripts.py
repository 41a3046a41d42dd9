"""Which writing a text is in, as a rough answer to which language."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import cache

SCRIPTS = ("latin", "chinese", "japanese", "korean", "cyrillic", "arabic", "other", "none")
"""`chinese` is Han alone; with kana among it, a text is `japanese`; `none` has no letters."""

_LOOKED_AT = 4_000
_NAMES = {
    "LATIN": "latin",
    "CJK": "chinese",
    "HIRAGANA": "kana",
    "KATAKANA": "kana",
    "HANGUL": "korean",
    "CYRILLIC": "cyrillic",
    "ARABIC": "arabic",
}
_KANA = 0.1
"""Share of kana among Han and kana from which a text is Japanese; a Chinese page may quote a word."""


def script_of(text: str) -> str:
    """One of SCRIPTS: that of most of the letters. A letter of Han counts twice, since it says what a syllable says."""
    counts: Counter[str] = Counter()
    for char, number in Counter(text[:_LOOKED_AT]).items():
        if char.isalpha():
            counts[_script(char)] += number
    if not counts:
        return "none"
    kana, han = counts.pop("kana", 0), counts.pop("chinese", 0)
    if kana or han:
        counts["japanese" if kana >= _KANA * (kana + han) else "chinese"] += 2 * (kana + han)
    return max(SCRIPTS, key=lambda name: counts[name])


@cache
def _script(char: str) -> str:
    first = unicodedata.name(char, "").replace("-", " ").split(" ")
    # Full and half width letters have their writing as the second word of their name.
    word = first[1] if first[0] in ("FULLWIDTH", "HALFWIDTH") and len(first) > 1 else first[0]
    return _NAMES.get(word, "other")
