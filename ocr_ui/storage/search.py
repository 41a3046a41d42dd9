"""Search in recognised text: one question, whatever the database answers it with.

SQLite keeps the texts once more in an FTS5 table of trigrams, one row an item, written by the two functions below, with
one blank for whatever stands between words. On PostgreSQL the columns themselves have trigram indices, where its
extension `pg_trgm` could be made. What somebody looks for is always the text itself, never the language of an index; a
blank in it is any white space, line breaks included.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Integer, Select, and_, column, delete, func, or_, select, table, text

from ocr_ui.storage.tables import correction, page, recognition, review

INDEX = "item_text"
LEAST_INDEXED = 3
"""Characters; of fewer there is no trigram, and the texts themselves are looked through."""
ROWS = 500
"""That are written into the index at once."""
AROUND = 60
"""Characters that are shown before and behind a place."""

_BLANKS = "[\\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+"
"""What Python's `\\s` is by itself; PostgreSQL's depends on the locale."""
_WIDE = {sign: sign + 0xFEE0 for sign in range(0x21, 0x7F)}
_WIDE_SIGNS = {ord(sign): _WIDE[ord(sign)] for sign in ",:;?!()"}
"""Those that stand wide among narrow digits and letters in Chinese text."""

_index = table(INDEX, column("rowid", Integer), column("text"), column("corrected"))


@dataclass(frozen=True, slots=True)
class Found:
    """A place that was found, with what stands around it on one line.

    Attributes:
        where: `text` as it is now, or `read`: what the engine had read before somebody corrected it.
        cut: more stands before, and behind.
    """

    before: str
    match: str
    after: str
    where: str
    cut: tuple[bool, bool]


def is_own(name: str | None) -> bool:
    """A table or an index of the search, which `ocr_ui.storage.tables` does not describe."""
    return (name or "").startswith((INDEX, "search_"))


def add(connection: Connection, recognition_id: int, said: str) -> None:
    """A new item with what its engine read."""
    if _has_index(connection):
        connection.execute(_index.insert().values(rowid=recognition_id, text=spaced(said), corrected=""))


def correct(connection: Connection, recognition_id: int, said: str) -> None:
    """An item's newest correction."""
    if _has_index(connection):
        connection.execute(_index.update().where(_index.c.rowid == recognition_id).values(corrected=spaced(said)))


def remove(connection: Connection, items: list[int]) -> None:
    """Takes items out of the index, with nothing of them left in it."""
    if _has_index(connection):
        connection.execute(delete(_index).where(_index.c.rowid.in_(items)))
        # Entries that were removed stay in their segments until those are merged.
        connection.execute(text("INSERT INTO item_text(item_text) VALUES ('optimize')"))


def write_anew(connection: Connection) -> None:
    """The whole index from the texts themselves, after rows came in past the functions above."""
    if not _has_index(connection):
        return
    latest = and_(
        correction.c.recognition_id == review.c.recognition_id, correction.c.version == review.c.latest_version
    )
    texts = select(recognition.c.id, recognition.c.text, func.coalesce(correction.c.text, ""))
    texts = texts.join(review, review.c.recognition_id == recognition.c.id).outerjoin(correction, latest)
    connection.execute(delete(_index))
    for rows in connection.execute(texts, execution_options={"yield_per": ROWS}).partitions():
        values = [{"rowid": item, "text": spaced(read), "corrected": spaced(fixed)} for item, read, fixed in rows]
        connection.execute(_index.insert(), values)


def spaced(said: str) -> str:
    """With one blank for whatever stands between words."""
    return re.sub(r"\s+", " ", said)


def forms(wanted: str) -> list[str]:
    """A text as it was typed, and as an engine may have read it: in narrow letters and signs, in wide ones (of East
    Asian keyboards), or with wide signs among narrow letters; `spaced`."""
    typed, plain = spaced(wanted), spaced(unicodedata.normalize("NFKC", wanted))
    return list(dict.fromkeys(filter(None, (typed, plain, plain.translate(_WIDE), plain.translate(_WIDE_SIGNS)))))


def holding(wanted: str, dialect: str) -> ColumnElement[bool]:
    """Items with `wanted`, in one of its forms, in what their engine read, in the newest correction or in the name of
    the page."""
    asked = forms(wanted)
    indexed = [form for form in asked if dialect == "sqlite" and len(form) >= LEAST_INDEXED]
    texts = [query for form in asked if form not in indexed for query in _looked_through(form)]
    if indexed:
        matches = text("item_text MATCH :quoted_text").bindparams(quoted_text=" OR ".join(map(_quoted, indexed)))
        texts.append(select(_index.c.rowid).where(matches))
    return recognition.c.id.in_(texts[0].union_all(*texts[1:], *map(_named, asked)))


def holding_then(wanted: str) -> ColumnElement[bool]:
    """As `holding`, of the correction that the query has joined, whichever that is."""
    columns = recognition.c.text, correction.c.text, page.c.name
    return or_(*(_says(one, form) for one in columns for form in forms(wanted)))


def place_of(wanted: str, newest: str, read: str) -> Found | None:
    """Where a text stands first; None where it does not, as with an item that has it in its name."""
    pattern = "|".join(map(_pattern, forms(wanted)))
    for where, whole in (("text", newest), ("read", read)):
        found = re.search(pattern, whole, re.IGNORECASE)
        if found:
            begin, end = max(0, found.start() - AROUND), found.end() + AROUND
            parts = whole[begin : found.start()], found[0], whole[found.end() : end]
            return Found(*map(spaced, parts), where, (begin > 0, end < len(whole)))
    return None


def _has_index(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite"


def _quoted(wanted: str) -> str:
    """As one string of FTS5, in which nothing has a meaning but the quotation mark."""
    return '"' + wanted.replace('"', '""') + '"'


def _says(where: ColumnElement[str], form: str) -> ColumnElement[bool]:
    """A column that is as it was written holds a form."""
    words = form.split(" ")
    if len(words) == 1:
        return where.icontains(form, autoescape=True)
    # The pattern is slow and no index knows it: it is for the few that have the words in this order.
    in_order = "%".join(re.sub(r"[/%_]", r"/\g<0>", word) for word in words)
    return and_(where.ilike(f"%{in_order}%", escape="/"), where.regexp_match(f"(?i){_pattern(form)}"))


def _pattern(form: str) -> str:
    """As Python and PostgreSQL understand it."""
    return _BLANKS.join(map(re.escape, form.split(" ")))


def _looked_through(wanted: str) -> list[Select]:
    read, fixed, newest = recognition.alias(), correction.alias(), review.alias()
    latest = and_(newest.c.recognition_id == fixed.c.recognition_id, newest.c.latest_version == fixed.c.version)
    return [
        select(read.c.id).where(_says(read.c.text, wanted)),
        select(fixed.c.recognition_id).join(newest, latest).where(_says(fixed.c.text, wanted)),
    ]


def _named(wanted: str) -> Select:
    read, of = recognition.alias(), page.alias()
    return select(read.c.id).join(of, of.c.id == read.c.page_id).where(_says(of.c.name, wanted))
