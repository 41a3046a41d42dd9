"""Error rates of characters and words, under a normalisation that the caller chooses openly."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

_SPACE = re.compile(r"\s+")
# Han, kana and their extensions: written without blanks, so each character counts as a word.
_WORD = re.compile(
    "[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[^\\s\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_LIKELY_DISTANCE = 64
_OTHER_WIDTH = re.compile("[\u3000\uff00-\uffef]+")


@dataclass(frozen=True, slots=True)
class Normalization:
    """What is made equal before two texts are compared. Everything defaults to no.

    Attributes:
        unicode: "" for none, or a form of `unicodedata.normalize`; NFKC makes full and half width equal.
        width: letters, digits, marks and kana of full and of half width are equal.
        case: letters of either case are equal.
        spaces: runs of white space are one blank, at the ends none.
        no_spaces: white space does not count at all.
        punctuation: characters of the Unicode categories P do not count.
    """

    unicode: str = ""
    case: bool = False
    spaces: bool = False
    no_spaces: bool = False
    punctuation: bool = False
    width: bool = False

    def __call__(self, text: str) -> str:
        if self.unicode:
            text = unicodedata.normalize(self.unicode, text)  # type: ignore[arg-type]
        if self.width:
            text = _OTHER_WIDTH.sub(lambda run: unicodedata.normalize("NFKC", run[0]), text)
        if self.case:
            text = text.casefold()
        if self.punctuation:
            text = "".join(char for char in text if not unicodedata.category(char).startswith("P"))
        if self.no_spaces:
            return _SPACE.sub("", text)
        return _SPACE.sub(" ", text).strip() if self.spaces else text


EXACT = Normalization()
"""Nothing is made equal: what labels are compared with."""

LENIENT = Normalization(unicode="NFKC", spaces=True)
"""Full and half width are equal, and so are all kinds and lengths of white space."""


def edit_distance(one: str, other: str) -> int:
    """Fewest insertions, deletions and replacements of code points that make one text the other.

    Near-equal texts cost time in proportion to their length, whatever their size.
    """
    return Levenshtein.distance(one, other, score_hint=_LIKELY_DISTANCE)


def cer(reference: str, read: str, normalization: Normalization = EXACT) -> float:
    """Character error rate: edit distance divided by the characters of the reference.

    It is over 1 where much was invented. Without a reference it is 0 if nothing was read, else 1.
    """
    reference, read = normalization(reference), normalization(read)
    return rate(edit_distance(reference, read), len(reference))


def wer(reference: str, read: str, normalization: Normalization = EXACT) -> float:
    """Word error rate, as `cer` in words."""
    right, got = words(normalization(reference)), words(normalization(read))
    return rate(Levenshtein.distance(right, got), len(right))


def words(text: str) -> Sequence[str]:
    """What stands between white space; each Chinese or Japanese character is a word of its own."""
    return _WORD.findall(text)


def rate(distance: float, length: float) -> float:
    """`distance` per character of a reference of `length`; without a reference 0 or, for any distance, 1."""
    return distance / length if length else float(distance > 0)
