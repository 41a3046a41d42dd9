"""What an amount, a date, a time, a rate or a number looks like in recognised text."""

from __future__ import annotations

import re
import unicodedata

CURRENCY = (
    r"(?:US\$|HK\$|NT\$|[$€£¥￥₩₹]|(?<![A-Za-z])(?:USD|EUR|GBP|CHF|CNY|RMB|JPY|HKD|TWD|AUD|CAD|SGD|KRW|INR|SEK|NOK|DKK|PLN|CZK)"
    r"(?![A-Za-z])|人民币|元|圆|円)"
)
_DIGITS = r"\d{1,3}(?:[ ,.'’`´]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:\s?[.,]\s?\d{1,2})?(?!\d)"
AMOUNT = re.compile(rf"(?:{CURRENCY}\s*)?[-+−]?\s?(?:{CURRENCY}\s*)?(?:{_DIGITS})(?:[.,][-–—])?(?:\s*{CURRENCY})?")
_MONTH = (
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Mär|Mai|Okt|Dez|janv|févr|avr|juin|juil|août|déc)"
    r"[a-zäéû]*\.?"
)
DATE = re.compile(
    r"(?<!\d)(?:"
    r"\d{4}\s*年\s*\d{1,2}\s*月(?:\s*\d{1,2}\s*[日号])?"
    r"|\d{4}\s*[-/.]\s*\d{1,2}\s*[-/.]\s*\d{1,2}"
    r"|\d{1,2}\s*[-/.]\s*\d{1,2}\s*[-/.]\s*(?:\d{4}|\d{2})"
    r"|\d{1,2} \d{1,2} (?:19|20)\d{2}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\.?[\s-]*{_MONTH}[\s,-]*\d{{2,4}}"
    rf"|{_MONTH}\s*\d{{1,2}}(?:st|nd|rd|th)?[\s,]+\d{{4}}"
    r"|(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    r")(?!\d)",
    re.IGNORECASE,
)
TIME = re.compile(
    r"(?<![\d:.])(?:[01]?\d|2[0-3])\s?[:：]\s?[0-5]\d(?:\s?[:：]\s?[0-5]\d)?(?:\s?[AaPp]\.?[Mm]\.?)?(?![\d:])"
)
RATE = re.compile(r"\d{1,2}(?:[.,]\d{1,2})?\s*%")
NUMBER = re.compile(r"[A-Za-z0-9][A-Za-z0-9#/_\-.()*]*(?:[ -][A-Za-z0-9/_\-.()*]*\d[A-Za-z0-9/_\-.()*]*)*")
_PATTERNS = {"amount": AMOUNT, "date": DATE, "time": TIME, "rate": RATE}


def value_span(text: str, kind: str) -> tuple[int, int] | None:
    """Where in `text` a value of that kind stands, as start and end, or None.

    An amount is not part of a date, of a time or of a rate, and with decimals or a currency it goes before a bare
    number; of equal ones the last counts (the amount column stands last). Text is all of the text.
    """
    folded = fold(text)
    if kind == "amount":
        return _amount_span(folded)
    if kind == "number":
        return _number_span(folded)
    if kind in _PATTERNS:
        match = _PATTERNS[kind].search(folded)
        return match.span() if match else None
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    return (start, end) if start < end and any(char.isalnum() for char in text) else None


def fold(text: str) -> str:
    """Full-width digits, letters and signs as half width; every character keeps its place."""
    return "".join(_half(char) for char in text)


def _half(char: str) -> str:
    narrow = unicodedata.normalize("NFKC", char)
    return narrow if len(narrow) == 1 else char


def _amount_span(text: str) -> tuple[int, int] | None:
    taken = [match.span() for pattern in (DATE, TIME, RATE) for match in pattern.finditer(text)]
    spans = [
        _trimmed(text, match.span())
        for match in AMOUNT.finditer(text)
        if not any(match.start() < end and start < match.end() for start, end in taken)
        and not _in_word(text, match.span())
    ]
    marked = [span for span in spans if _is_marked(text[slice(*span)])]
    return (marked or spans or [None])[-1]


def _is_marked(amount: str) -> bool:
    return bool(re.search(r"[.,]\s?\d{1,2}\b", amount) or re.search(CURRENCY, amount))


def _in_word(text: str, span: tuple[int, int]) -> bool:
    """Digits inside an identifier such as A4-113 or DE202748117 are no amount."""
    before, after = text[: span[0]], text[span[1] :]
    return bool(
        (re.search(r"[A-Za-z_/#-]$", before) and re.match(r"\d", text[span[0]])) or re.match(r"[A-Za-z_]{2,}|/", after)
    )


def _number_span(text: str) -> tuple[int, int] | None:
    for match in NUMBER.finditer(text):
        if any(char.isdigit() for char in match[0]):
            return _trimmed(text, match.span(), ".-/")
    return None


def _trimmed(text: str, span: tuple[int, int], also: str = "") -> tuple[int, int]:
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while start < end and (text[end - 1].isspace() or text[end - 1] in also):
        end -= 1
    return start, end
