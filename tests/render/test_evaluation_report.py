"""The report is one file: all numbers of the result in it, all text of pages as data, nothing loaded from elsewhere."""

from __future__ import annotations

import copy
import re
from html.parser import HTMLParser

import pytest

from ocr_ui.render.evaluation_report import report

ATTACK = '</script><script>alert(1)</script><img src=x onerror="alert(2)">{0}'


def side(key: str, cer: float) -> dict:
    score = {"value": cer, "low": cer - 0.01, "high": cer + 0.01, "page_mean": cer, "pages": 2}
    return {
        "key": key,
        "title": f"{key}: full_text · m",
        "template_version": "abc",
        "engine": {"kind": "openai", "revision": "r1"},
        "sampling": {"temperature": 0},
        **dict.fromkeys(("pages", "left_out", "failed", "cut", "repeated", "cached"), 2),
        "tokens": {"sum": 10, "mean": 5.0},
        "seconds": {"p50": 1.25, "p95": 2.5, "p99": 3.0},
        "first_seconds": None,
        "pages_per_second": None,
        "main": "cer",
        "scores": {"cer": score},
        "groups": {"language": {"en": {"pages": 2, "scores": {"cer": cer}}}, "kind": {}, "tag": {}},
    }


DIFFERENCE = {
    "metric": "cer",
    "first": 0.1,
    "second": 0.2,
    "difference": 0.1,
    "low": 0.05,
    "high": 0.15,
    "better": 0,
    "equal": 1,
    "worse": 1,
    "verdict": "worse",
}
FACT = {"kind": "present", "text": ATTACK, "case": True}
PAGE = {
    "page": ATTACK,
    "facts": [FACT],
    "results": {key: {"scores": {"cer": cer}, "facts": [key == "A"]} for key, cer in (("A", 0.1), ("B", 0.2))},
}
REGRESSION = {
    "key": "B",
    "run": 3,
    "made_at": "2026-11-30",
    "changes": [{"what": "engine.model_name", "before": "", "now": ATTACK}],
    "worse": [DIFFERENCE],
    "better": [],
    "facts_lost": [{"page": ATTACK, "fact": FACT}],
}
WORST = {"page": ATTACK, "metric": "cer", "score": 0.2, "error": None}
FAILED = {**WORST, "error": {"code": "reading_failed", "message": ATTACK, "hint": "Try again.", "details": {}}}
PIECES = [
    {"kind": "field", "name": ATTACK, "pieces": [("same", "Total "), ("missing", "{1} & 2"), ("invented", ATTACK)]}
]
RESULT = {
    "run": 7,
    "data": {"name": ATTACK, "sha256": "ff", "pages": 2, "left_out": []},
    "normalization": {
        "unicode": "NFKC",
        "case": True,
        "spaces": True,
        "no_spaces": False,
        "punctuation": False,
        "width": False,
    },
    "bootstrap": {"draws": 2000, "seed": 5, "share": 0.95},
    "conditions": {"program": "0.1", "cards": [], "settings": {"dtype": "bfloat16"}},
    "at_once": 1,
    "metrics": [{"key": "cer", "name": "CER", "lower": True}],
    "competitors": [side("A", 0.1), side("B", 0.2)],
    "differences": [
        {
            "first": "A",
            "second": "B",
            "metrics": [DIFFERENCE],
            "groups": {"language": {ATTACK: DIFFERENCE}},
            "pages": [{"page": ATTACK, "metric": "cer", "first": 0.1234, "second": 0.4321}],
        }
    ],
    "regressions": [REGRESSION],
    "best": {"cer": "A"},
    "worst": [
        {"key": "A", "pages": []},
        {"key": "B", "pages": [{**WORST, "differences": PIECES}, {**FAILED, "differences": []}]},
    ],
    "pages": [PAGE, PAGE],
}


class Reader(HTMLParser):
    """Text outside of scripts, and every tag with its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.text: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append((tag, dict(attrs)))
        self.inside = tag if tag in ("script", "style") else ""

    def handle_endtag(self, tag) -> None:
        self.inside = ""

    def handle_data(self, data) -> None:
        if not self.inside:
            self.text.append(data)


@pytest.fixture(scope="module")
def page() -> Reader:
    reader = Reader()
    reader.feed(report(RESULT, "today"))
    return reader


def test_what_pages_and_models_say_is_never_markup(page: Reader) -> None:
    assert not [tag for tag, _ in page.tags if tag == "img"]
    assert not [attrs for _, attrs in page.tags if any(name.startswith("on") for name in attrs)]
    assert sum(ATTACK in text for text in page.text) >= 6
    assert f"{ATTACK} Try again." in page.text, "why a page failed"
    assert not re.search(r"(?<!\\)alert\(1\)</script>", report(RESULT, "today"))


def test_nothing_is_loaded_from_elsewhere(page: Reader) -> None:
    assert not [attrs for _, attrs in page.tags if {"src", "href", "srcset"} & set(attrs)]
    policy = next(attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv"))
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy


def test_the_numbers_are_those_of_the_result(page: Reader) -> None:
    text = " ".join(page.text)
    for number in ("0.1000", "0.2000", "0.1900 to 0.2100", "+0.1000", "+0.0500 to +0.1500", "1.250", "3.000", "0.4321"):
        assert number in text, number
    assert "Unicode is brought to NFKC, upper and lower case are equal, runs of white space are one blank" in text
    assert "95% of 2000 draws" in text
    assert "Regression" in text
    assert "engine model_name none → " in text
    assert text.count("★ best") == 1


def test_there_are_the_three_charts(page: Reader) -> None:
    assert sum(attrs.get("class") == "plotly-graph-div" for _, attrs in page.tags) == 3


WORDS_OF_BOTH = ("CER", "NFKC", "Unicode", "today", "token", "p50", "p95", "p99")
FACTS = ("present", "absent", "order", "cell", "math")


def _data(value: object) -> set[str]:
    """Every text in a result, and the names of settings, which are what they are."""
    if isinstance(value, dict):
        names = {key for name in ("settings", "engine", "sampling") for key in value.get(name, ())}
        return names.union(*map(_data, value.values()))
    if isinstance(value, list | tuple):
        return set().union(*map(_data, value))
    return {value} if isinstance(value, str) else set()


def test_it_speaks_the_language_that_is_asked_for() -> None:
    other = copy.deepcopy(RESULT)
    around = {"up": "U", "top_heading": "H"}
    other["pages"][0]["facts"] = [{"kind": kind, "text": "T", "then": "N", "around": around} for kind in FACTS]
    other["normalization"].update(dict.fromkeys(("case", "spaces", "no_spaces", "punctuation", "width"), True))
    other["regressions"].append({**REGRESSION, "worse": [], "facts_lost": [], "better": [DIFFERENCE]})
    reader = Reader()
    reader.feed(report(other, "today", "zh"))
    assert ("html", {"lang": "zh"}) in reader.tags
    left = " ".join(reader.text)
    for told in sorted({*_data(RESULT), "model_name", *WORDS_OF_BOTH}, key=len, reverse=True):
        left = left.replace(told, "")
    assert re.findall(r"[A-Za-z]{3,}", left) == []
    assert "退步" in left


def test_missing_and_invented_text_is_marked() -> None:
    html = report(RESULT, "today")
    assert "<del>{1} &amp; 2</del>" in html
    assert "<ins>&lt;/script&gt;" in html


def test_without_a_regression_none_is_shown() -> None:
    quiet = copy.deepcopy(RESULT)
    quiet["regressions"][0].update(worse=[], facts_lost=[])
    quiet["data"]["pages"] = 1
    quiet["normalization"].update(unicode="", case=False, spaces=False)
    reader = Reader()
    reader.feed(report(quiet, "today"))
    text = " ".join(reader.text)
    assert "no regression" in text
    assert "nothing is made equal" in text
    assert "1 page, today" in text


def test_two_that_have_no_measure_in_common_are_not_compared() -> None:
    apart = copy.deepcopy(RESULT)
    apart["differences"][0].update(metrics=[], groups={}, pages=[])
    assert "no measure in common" in report(apart, "today")
    assert "no measure in common" not in report(RESULT, "today")


def test_a_page_without_a_language_is_told_by_its_writing() -> None:
    result = copy.deepcopy(RESULT)
    told = {"pages": 2, "scores": {"cer": 0.1}}
    kinds = {"latin": told, "bad_scan": told}
    result["competitors"][0]["groups"] = {"language": {"latin": told, "de": told}, "kind": kinds, "tag": {}}
    result["differences"][0]["groups"] = {"language": {"latin": DIFFERENCE}}
    made = report(result, "today", "zh")
    assert (made.count("<td>拉丁文</td>"), made.count("<td>latin</td>"), made.count("<td>de</td>")) == (2, 1, 1)
    assert "语言或文字" in made
    assert "<td>bad scan</td>" in made


def test_a_single_page_has_no_interval_and_what_nobody_has_measured_no_row() -> None:
    result = copy.deepcopy(RESULT)
    result["competitors"][0]["scores"]["cer"]["pages"] = 1
    result["competitors"][0]["groups"]["tag"] = {"1-bit": {"pages": 1, "scores": {"cer": 0.1}}}
    result["competitors"][0]["groups"]["kind"] = {"receipt": {"pages": 1, "scores": {}}}
    made = report(result, "today")
    assert (made.count("1 page: no interval"), made.count("0.0900 to 0.1100")) == (1, 0)
    assert "<td>1-bit</td>" in made, "a name stands at the left"
    assert "<td>receipt</td>" not in made
