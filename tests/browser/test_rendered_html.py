"""What tests/render checks, in a real browser: put into a page with innerHTML, nothing runs, loads or changes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ocr_ui.domain.content import PageContent, TextLine
from ocr_ui.render.formulas import formula_html
from ocr_ui.render.markdown import lines_html, render_markdown
from ocr_ui.render.tables import sanitize_table
from tests.render.dom import PAYLOADS

INSERT = """html => {
    const box = document.createElement('div');
    document.body.replaceChildren(box);
    box.innerHTML = html;
    const again = document.createElement('div');
    again.innerHTML = box.innerHTML;
    const all = [...box.querySelectorAll('*')];
    for (const element of all)
        for (const type of ['click', 'mouseover', 'focus', 'error', 'load', 'toggle'])
            element.dispatchEvent(new Event(type));
    return {
        ran: window.ran ?? 0,
        stable: again.innerHTML === box.innerHTML,
        bad: all.filter(e => e.matches('script,style,img,svg,iframe,object,embed,link,meta,base,form,input,video')
            || [...e.attributes].some(a => /^on|^style$|^src|javascript:/i.test(a.name + '=' + a.value))).length,
        links: all.filter(e => e.href && !/^https?:/.test(e.href)).length,
        strayMath: all.filter(e => e.closest('math')
            && e.namespaceURI !== 'http://www.w3.org/1998/Math/MathML').length,
        text: box.innerText,
    };
}"""


@pytest.fixture(scope="module")
def browser_page(browser) -> Iterator[tuple]:
    page = browser.new_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.route("**/*", lambda route: route.abort())
    page.set_content("<!doctype html><meta charset=utf-8><body></body>")
    page.evaluate("window.alert = window.msgbox = () => { window.ran = (window.ran ?? 0) + 1 }")
    yield page, requests
    page.close()


def renderings(payload: str) -> Iterator[str]:
    yield render_markdown(payload)
    yield render_markdown(f"- {payload}\n\n> {payload}\n\n| {payload} |\n|--|\n| x |", reveal=True)
    yield sanitize_table(f"<table><tr><td>{payload}</td></tr></table>")
    yield lines_html(PageContent(lines=(TextLine(payload, id="l0"),)))
    yield formula_html(payload)


def test_the_check_itself_sees_what_runs(browser_page: tuple) -> None:
    page, requests = browser_page
    result = page.evaluate(INSERT, "<img src=http://x.invalid/ onerror=alert(1)><a href='javascript:1'>x</a>")
    assert result["ran"] >= 1
    assert (result["bad"], result["links"]) == (2, 1)
    page.wait_for_function("document.querySelector('img').complete && window.ran >= 2")
    assert requests
    requests.clear()
    page.evaluate("document.body.replaceChildren()")
    page.wait_for_timeout(200)
    page.evaluate("window.ran = 0")


def test_no_payload_runs_loads_or_changes_when_it_is_read_again(browser_page: tuple) -> None:
    page, requests = browser_page
    for payload in PAYLOADS:
        for html in renderings(payload):
            result = page.evaluate(INSERT, html)
            found = {key: result[key] for key in ("ran", "bad", "links", "strayMath")}
            assert found == {"ran": 0, "bad": 0, "links": 0, "strayMath": 0}, (payload, html)
            assert result["stable"], (payload, html)
    page.wait_for_timeout(200)
    assert page.evaluate("window.ran ?? 0") == 0
    assert requests == []


def test_formulas_are_set_by_the_browser(browser_page: tuple) -> None:
    page, _ = browser_page
    page.evaluate(INSERT, render_markdown(r"$$\frac{a}{b}$$"))
    wide, high = page.evaluate(
        "(() => { const f = document.querySelector('mfrac').getBoundingClientRect(); return [f.width, f.height] })()"
    )
    assert high > wide


def test_a_direction_override_does_not_leave_its_line(browser_page: tuple) -> None:
    page, _ = browser_page
    lines = (TextLine("a\u202eb"), TextLine("<b>x</b>  y"))
    assert page.evaluate(INSERT, lines_html(PageContent(lines=lines)))["text"].split() == ["a\u202eb", "<b>x</b>", "y"]
    places = page.evaluate(
        """(() => { document.body.innerHTML = document.body.innerHTML + '<p>one <bdi>x\u202e12</bdi> two three</p>';
        const node = document.querySelector('p').lastChild; const range = document.createRange();
        return [[1, 4], [5, 10]].map(([from, to]) => { range.setStart(node, from); range.setEnd(node, to);
        return range.getBoundingClientRect().left; }); })()"""
    )
    assert places[0] < places[1]
