"""Text as it is: characters that are not seen are named on demand, and no text turns its surroundings round."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from html import escape
from typing import Any

_RANGES = (
    "\x00-\t\x0b-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5"
    "\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_INVISIBLE = re.compile(f"[{_RANGES}]")
_SPLIT = re.compile(f"([{_RANGES}])")

_SHORT = {
    0x09: "TAB",
    0x0D: "CR",
    0x1B: "ESC",
    0x7F: "DEL",
    0x85: "NEL",
    0xA0: "NBSP",
    0xAD: "SHY",
    0x034F: "CGJ",
    0x061C: "ALM",
    0x200B: "ZWSP",
    0x200C: "ZWNJ",
    0x200D: "ZWJ",
    0x200E: "LRM",
    0x200F: "RLM",
    0x2028: "LS",
    0x2029: "PS",
    0x202A: "LRE",
    0x202B: "RLE",
    0x202C: "PDF",
    0x202D: "LRO",
    0x202E: "RLO",
    0x202F: "NNBSP",
    0x2060: "WJ",
    0x2066: "LRI",
    0x2067: "RLI",
    0x2068: "FSI",
    0x2069: "PDI",
    0x3000: "IDSP",
    0xFE0E: "VS15",
    0xFE0F: "VS16",
    0xFEFF: "BOM",
}
_BIDI = frozenset((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))
_CONTROL_NAMES = {0x00: "NULL", 0x07: "BELL", 0x08: "BACKSPACE", 0x09: "TABULATION", 0x0D: "CARRIAGE RETURN"}

MAX_SHOWN = 250_000
"""Characters of one text that are rendered: an answer of the model's full context has about half of that."""

FSI, PDI = "\u2068", "\u2069"
_ISOLATING = re.compile("[\u2066-\u2069]")
_ENDS_PARAGRAPH = re.compile("[\n\r\x1c-\x1e\x85\u2029]")


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of visible characters, or one that is not seen.

    Attributes:
        text: the characters themselves; all segments of a text together are the text.
        label: a short name ("RLO"), empty for visible text.
        code: "U+202E", empty for visible text.
        name: the name in Unicode.
        kind: text, bidi (changes the direction), space, control or zero_width.
    """

    text: str
    label: str = ""
    code: str = ""
    name: str = ""
    kind: str = "text"


def has_invisible(text: str) -> bool:
    """There is something to reveal. A line feed and the ordinary space do not count."""
    return _INVISIBLE.search(text) is not None


def reveal_invisible(text: str) -> tuple[Segment, ...]:
    """Cuts a text at every character that cannot be seen: zero-width ones, directions, controls, unusual spaces."""
    return tuple(_named(part) if n % 2 else Segment(part) for n, part in enumerate(_SPLIT.split(text)) if part)


def reveal_html(text: str) -> str:
    """HTML of a text in which each invisible character is a span with its name in place of itself."""
    return "".join(_segment_html(segment) for segment in reveal_invisible(text))


def isolate_bidi(text: str) -> str:
    """A text for the middle of a plain sentence (a file name in a message), which it cannot turn round.

    It stands between U+2068 and U+2069 (Unicode Standard Annex 9, isolates). What would end that isolate early is
    taken out: paragraph ends become blanks, a U+2069 without its beginning goes. For display only.
    """
    if text.isascii() and text.isprintable():
        return text
    depth, kept = 0, []
    for part in re.split(f"({_ISOLATING.pattern})", _ENDS_PARAGRAPH.sub(" ", text)):
        if part == PDI and depth == 0:
            continue
        depth += {PDI: -1}.get(part, 1 if _ISOLATING.fullmatch(part) else 0)
        kept.append(part)
    return FSI + "".join(kept) + PDI * (depth + 1)


def text_html(text: str, reveal: bool = False) -> str:
    """One text as HTML, its direction taken from itself and kept to itself."""
    return f'<bdi dir="auto">{reveal_html(text) if reveal else escape(well_formed(text))}</bdi>'


def well_formed(text: str) -> str:
    """Half characters (lone surrogates), which no encoding can carry, and U+0000, which HTML cannot, become U+FFFD."""
    text = text.replace("\x00", "\ufffd")
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def script_json(value: Any) -> str:
    """JSON that may stand inside a script element or an attribute: it holds no `<`, `>`, `&` and no line separator."""
    plain = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()
    return re.sub("[<>&'\u2028\u2029]", lambda match: f"\\u{ord(match[0]):04x}", plain)


def cut_notice(text: str) -> str:
    """What stands after a text of which only MAX_SHOWN characters are shown, else nothing."""
    if len(text) <= MAX_SHOWN:
        return ""
    words = f"Shown here: the first {MAX_SHOWN:,} of {len(text):,} characters. Copy and download have all of them."
    return f'<p class="ocr-notice" data-code="cut" data-shown="{MAX_SHOWN}" data-all="{len(text)}">{words}</p>'


_TEXT_BETWEEN_TAGS = re.compile(r'((?:<[^<>"]*(?:"[^"]*"[^<>"]*)*>)+)')
_CODE_LIKE = re.compile(
    r"(?:\bon\w+|style|src(?:doc|set)?|href|background|formaction|poster|\bdata)\s*="
    r"|(?:(?:java|live|vb)script|\bdata)\s*:|url\s*\(",
    re.IGNORECASE,
)


def spell_out(html: str) -> str:
    """Writes `=`, `:` and `(` as references where text looks like an attribute, a script address or a style.

    The text that is seen stays the same. It is a second line of defence for whatever reads the HTML with less care
    than a browser. `html` must be well formed, as nh3 gives it.
    """
    if not _CODE_LIKE.search(html):
        return html
    parts = _TEXT_BETWEEN_TAGS.split(html)
    return "".join(part if n % 2 else _CODE_LIKE.sub(_reference, part) for n, part in enumerate(parts))


def _reference(match: re.Match[str]) -> str:
    return f"{match[0][:-1]}&#{ord(match[0][-1])};"


def _named(character: str) -> Segment:
    code = ord(character)
    name = unicodedata.name(character, "") or _CONTROL_NAMES.get(code, "UNNAMED")
    return Segment(character, _SHORT.get(code, f"{code:04X}"), f"U+{code:04X}", name, _kind(character))


def _kind(character: str) -> str:
    if ord(character) in _BIDI:
        return "bidi"
    category = unicodedata.category(character)
    if category == "Zs" or character in "\t\u2028\u2029\u2800\u3164\uffa0\u115f\u1160":
        return "space"
    return "control" if category in ("Cc", "Cs", "Cn") else "zero_width"


def _segment_html(segment: Segment) -> str:
    if not segment.label:
        return escape(segment.text)
    title = f"{segment.code} {segment.name}"
    return f'<span class="ocr-invisible ocr-{segment.kind}" title="{title}">{segment.label}</span>'
