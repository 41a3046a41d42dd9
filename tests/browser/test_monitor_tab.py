"""The Monitor tab: that it asks while it is seen alone, and that new figures move nothing."""

from __future__ import annotations

from tests.browser.conftest import Desk

PLACES = """() => [...document.querySelectorAll('#monitor :is(section, figure, dl > div)')]
    .map((one) => one.getBoundingClientRect().top)"""
AT_REST = """() => {
    const { mounted: monitor } = [...document.querySelectorAll('#monitor, #monitor *')].find((one) => one.mounted);
    return !monitor.looking && monitor.timer === null;
}"""


def test_the_monitor_says_what_limits_and_asks_only_while_it_is_seen(desk: Desk) -> None:
    page = desk.goto().page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/v1/monitor") else None)
    page.click("#monitor-tab-button")
    page.wait_for_function("document.querySelectorAll('#monitor .wb-monitor-plot .main-svg').length >= 6")
    assert asked
    assert page.inner_text(".wb-monitor-said") != "Asking the server …"
    before = page.evaluate(PLACES)
    with page.expect_response("**/v1/monitor"):
        pass
    assert page.evaluate(PLACES) == before
    page.click("button[role=tab]:has-text('Read')")
    page.wait_for_function(AT_REST)
    page.click("#monitor-tab-button")
    with page.expect_response("**/v1/monitor"):
        pass
