"""The languages of a text, estimated by its letters and, where these are Latin, by its commonest words."""

from __future__ import annotations

import re
from collections import Counter

UNKNOWN = "und"
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af\u1100-\u11ff]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)
"""A script stands for the language that is mostly written in it."""

_LATIN = re.compile("[A-Za-z\u00c0-\u024f]+")
_COMMON = {
    "en": "the of and to in is for that with on you your by are total date please thank this from",
    "de": "der die das und ist nicht mit für von den dem ein eine auf zu im sie summe datum betrag rechnung",
    "fr": "le la les des et est une pour dans que du au avec sur vous par montant facture merci total",
    "es": "el los las una que por con para del se es su al fecha gracias importe factura cantidad",
    "it": "il di che la per un una con del della sono totale data fattura importo grazie gli",
    "pt": "os uma que por com para não da do dos das em ao obrigado valor fatura data",
    "nl": "de het een van en is niet met voor op te zijn bedrag datum factuur totaal btw",
}
_WORDS = {code: frozenset(words.split()) for code, words in _COMMON.items()}
_SHARE = 0.1
"""Share of the letters from which a script counts."""


def languages_of(text: str) -> tuple[str, ...]:
    """ISO 639-1 codes, sorted; `und` for letters of no language that is known here, none where there are no letters.

    Characters that Chinese and Japanese share count for Japanese where kana stand beside them.
    """
    counts: Counter[str] = Counter({code: len(letters.findall(text)) for code, letters in _SCRIPTS})
    words = _LATIN.findall(text)
    latin = sum(map(len, words))
    others = sum(map(str.isalpha, text)) - latin - counts.total()
    if counts["ja"]:
        counts["ja"] += counts.pop("zh")
    counts["latin"], counts[UNKNOWN] = latin, max(0, others)
    enough = max(1, _SHARE * counts.total())
    found = {code for code, count in counts.items() if count >= enough}
    if "latin" in found:
        found = found - {"latin"} | {_latin_language(words)}
    return tuple(sorted(found))


def _latin_language(words: list[str]) -> str:
    seen = Counter(word.lower() for word in words)
    hits = {code: sum(seen[word] for word in common) for code, common in _WORDS.items()}
    best = max(hits, key=lambda code: hits[code])
    return best if hits[best] else UNKNOWN
