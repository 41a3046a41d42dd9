"""Characters that cannot be seen are named, and no text turns its surroundings round."""

from __future__ import annotations

import json
import sys
import unicodedata
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ocr_ui.render.visible import (
    MAX_SHOWN,
    cut_notice,
    has_invisible,
    isolate_bidi,
    reveal_html,
    reveal_invisible,
    script_json,
    spell_out,
    text_html,
    well_formed,
)

any_text = st.text(st.characters(exclude_categories=[]))


@pytest.mark.parametrize(
    ("character", "label", "code", "kind"),
    [
        ("\u202e", "RLO", "U+202E", "bidi"),
        ("\u2068", "FSI", "U+2068", "bidi"),
        ("\u200b", "ZWSP", "U+200B", "zero_width"),
        ("\u200d", "ZWJ", "U+200D", "zero_width"),
        ("\ufeff", "BOM", "U+FEFF", "zero_width"),
        ("\ufe0f", "VS16", "U+FE0F", "zero_width"),
        ("\u00a0", "NBSP", "U+00A0", "space"),
        ("\u3000", "IDSP", "U+3000", "space"),
        ("\t", "TAB", "U+0009", "space"),
        ("\x00", "0000", "U+0000", "control"),
        ("\x1b", "ESC", "U+001B", "control"),
        ("\U000e0041", "E0041", "U+E0041", "zero_width"),
        ("\ud800", "D800", "U+D800", "control"),
    ],
)
def test_an_invisible_character_has_a_name(character: str, label: str, code: str, kind: str) -> None:
    before, found, after = reveal_invisible(f"a{character}b")
    assert (before.text, before.label, after.text) == ("a", "", "b")
    assert (found.text, found.label, found.code, found.kind) == (character, label, code, kind)


def test_every_format_and_control_character_of_unicode_is_known() -> None:
    categories = ("Cf", "Cc", "Zl", "Zp", "Zs", "Cs")
    missed = [
        hex(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in categories and not has_invisible(chr(code))
    ]
    assert missed == ["0xa", "0x20"]


@given(any_text)
def test_the_segments_are_the_text(text: str) -> None:
    assert "".join(segment.text for segment in reveal_invisible(text)) == text


def test_revealed_html_names_the_character_in_its_place() -> None:
    assert reveal_html("1<2\u202e3") == (
        '1&lt;2<span class="ocr-invisible ocr-bidi" title="U+202E RIGHT-TO-LEFT OVERRIDE">RLO</span>3'
    )


def test_a_text_is_isolated_and_stays_as_it_is() -> None:
    assert text_html("a\u202eb<") == '<bdi dir="auto">a\u202eb&lt;</bdi>'


def test_a_plain_name_needs_no_isolation() -> None:
    assert isolate_bidi("invoice (1).pdf") == "invoice (1).pdf"


@pytest.mark.parametrize(
    ("text", "isolated"),
    [
        ("סה״כ", "\u2068סה״כ\u2069"),
        ("a\u202egnp.exe", "\u2068a\u202egnp.exe\u2069"),
        ("a\u2069\u202eb", "\u2068a\u202eb\u2069"),
        ("\u2067a", "\u2068\u2067a\u2069\u2069"),
        ("\u2067a\u2069\u2069b", "\u2068\u2067a\u2069b\u2069"),
        ("a\nb\u2029c", "\u2068a b c\u2069"),
    ],
)
def test_what_would_leave_the_isolate_is_held_in(text: str, isolated: str) -> None:
    assert isolate_bidi(text) == isolated


@given(any_text)
def test_an_isolate_always_ends_where_the_text_does(text: str) -> None:
    shown = isolate_bidi(text)
    depth, ends = 0, []
    for place, character in enumerate(shown):
        depth += {"\u2066": 1, "\u2067": 1, "\u2068": 1, "\u2069": -1}.get(character, 0)
        if depth == 0:
            ends.append(place)
    assert shown == text or ends == [len(shown) - 1]


def test_half_characters_are_replaced_and_whole_ones_are_not() -> None:
    assert well_formed("a\ud800b\udc00\x00 👨‍👩‍👧 é") == "a\ufffdb\ufffd\ufffd 👨‍👩‍👧 é"


@given(any_text)
def test_well_formed_text_can_be_encoded(text: str) -> None:
    made = well_formed(text)
    assert len(made.encode()) >= len(made)


@settings(max_examples=50, deadline=None)
@given(st.recursive(st.none() | st.integers() | any_text, lambda x: st.lists(x) | st.dictionaries(st.text(), x)))
def test_json_for_a_script_element_cannot_end_it(value: object) -> None:
    made = script_json(value)
    assert not set("<>&'\u2028\u2029") & set(made)
    assert json.dumps(json.loads(made)).replace("?", "") == json.dumps(_encodable(value)).replace("?", "")


def _encodable(value: object) -> object:
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


@pytest.mark.parametrize(
    "text",
    ["a onclick = alert(1)", "javascript:x", "JavaScript :x", "style=x", "src='http://x'", "data:text/html", "url (x)"],
)
def test_text_that_looks_like_code_is_spelled_out_and_reads_the_same(text: str) -> None:
    html = f'<p title="a=b">x {text}</p>'
    made = spell_out(html)
    assert made != html
    assert unescape(made) == html
    assert made.startswith('<p title="a=b">')


@pytest.mark.parametrize("html", ["<p>a = b, 5: (6)</p>", '<a href="http://x/?onload=1">y</a>'])
def test_other_text_is_left_alone(html: str) -> None:
    assert spell_out(html) == html


def test_the_notice_counts_what_is_left_out() -> None:
    assert cut_notice("a" * MAX_SHOWN) == ""
    assert f'data-all="{MAX_SHOWN + 1}"' in cut_notice("a" * (MAX_SHOWN + 1))
