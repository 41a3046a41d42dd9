"""What is wrong with a state of the page for people who do not see it, or see it otherwise: axe-core and more."""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT
from conftest import Desk

STILL = "*, ::before, ::after { transition: none !important; animation: none !important; }"
"""Colours that fade are in between before."""
LEFT_TO_RIGHT = """root => {
    const walker = document.createTreeWalker(document.querySelector(root), NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
        const { data, parentElement: element } = walker.currentNode;
        // The first letter decides, as for dir=auto.
        const first = /\\p{L}/u.exec(data)?.[0];
        if (!first || !/[\\u0590-\\u08ff]/.test(first) || !element.checkVisibility()) continue;
        const { direction, unicodeBidi } = getComputedStyle(element);
        if (direction !== "rtl" && unicodeBidi !== "plaintext") found.push(element.outerHTML.slice(0, 150));
    }
    for (const field of document.querySelectorAll(`${root} :is(input, textarea)`)) {
        const first = /\\p{L}/u.exec(field.value)?.[0];
        if (!first || !/[\\u0590-\\u08ff]/.test(first) || !field.checkVisibility()) continue;
        if (getComputedStyle(field).direction !== "rtl") found.push(field.outerHTML.slice(0, 150));
    }
    return found;
}"""
REPEATED = """() => {
    const seen = new Map();
    for (const element of document.querySelectorAll("[id]")) {
        // Plotly's own: a logo in each of its bars, a style for each of its charts.
        if (!element.id || element.id.startsWith("plotly.js") || element.closest(".modebar")) continue;
        seen.set(element.id, (seen.get(element.id) ?? 0) + 1);
    }
    return [...seen].filter(([, times]) => times > 1).map(([id]) => id);
}"""
"""Ids that stand at several elements of the whole page, shown or not: labels and keys would go to the first."""
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


UNSEEN = """root => {
    const marks = ["outlineStyle", "outlineColor", "boxShadow", "borderColor", "backgroundColor", "textDecorationLine"];
    const looks = (element) => {
        const around = [];
        for (let one = element; one && around.length < 4; one = one.parentElement) around.push(one);
        return around.map((one) => marks.map((mark) => getComputedStyle(one)[mark]).join()).join("|");
    };
    const found = [];
    document.activeElement?.blur(); // what has the focus already looks no other with it
    const all = ":is(a[href], button, input, select, textarea, summary, [tabindex])";
    for (const element of document.querySelectorAll(`${root} ${all}`)) {
        if (element.tabIndex < 0 || !element.checkVisibility({ visibilityProperty: true })) continue;
        const before = looks(element);
        element.focus({ preventScroll: true });
        const unseen = document.activeElement === element && looks(element) === before;
        if (unseen) found.push(element.outerHTML.slice(0, 150));
        element.blur();
    }
    return found;
}"""
"""Elements that look the same with the focus as without, they and what they stand in."""


class Inspection:
    """Looks at states of one loaded page; `found` has everything that is wrong, by the name of its state.

    Args: found: what was found on the page that was loaded before.
    """

    def __init__(self, desk: Desk, found: dict[str, list[str]] | None = None) -> None:
        self.page = desk.page
        self.found: dict[str, list[str]] = {} if found is None else found
        self.page.evaluate(AXE_SCRIPT)
        self.page.add_style_tag(content=STILL)

    def look(self, state: str, root: str = "body") -> None:
        """Args: root: the part of the page that is new in this state."""
        wrong = self._axe(root, {}, "light")
        self._dark(True)
        wrong += self._axe(root, {"runOnly": ["color-contrast", "link-in-text-block"]}, "dark")
        self._dark(False)
        wrong += [f"left to right: {html}" for html in self.page.evaluate(LEFT_TO_RIGHT, root)]
        wrong += [f"an id twice: {one}" for one in self.page.evaluate(REPEATED)]
        if self.page.evaluate(SIDEWAYS):
            wrong.append("the page scrolls sideways")
        if wrong:
            self.found[state] = wrong

    def walk(self, state: str, root: str) -> None:
        """Gives the focus to all that can have it."""
        self.page.keyboard.press("Tab")  # browsers show the focus of those who use keys
        for dark in (True, False):
            self._dark(dark)
            if unseen := self.page.evaluate(UNSEEN, root):
                self.found[f"focus, {state}"] = unseen

    def _dark(self, on: bool) -> None:
        self.page.evaluate("on => document.body.classList.toggle('dark', on)", on)

    def _axe(self, root: str, options: dict, theme: str) -> list[str]:
        options = {"resultTypes": ["violations"], **options}
        found = self.page.evaluate("([root, options]) => axe.run(root, options)", [root, options])["violations"]
        return [
            f"{theme} {one['id']} ({one['impact']}): {node['target'][0]} {node['html'][:150]}"
            for one in found
            for node in one["nodes"]
        ]
