"""Keeps a browser from drawing an idle page anew sixty times a second.

While Gradio (6.31) loads its page it counts the seconds, at each picture that the browser draws. It takes the counter
away when the page has come and never ends it: for as long as a page is open that costs a twelfth of a core. No counter
is to be seen on this product's page, so none is let run. Should a later Gradio count otherwise, it is left alone.
"""

from __future__ import annotations

from functools import cache

from jinja2 import ChoiceLoader, DictLoader

from ocr_ui.ui.gradio_quickly import gr

PAGE = "frontend/index.html"
COUNTER = r"\(\)=>\{\w+\(\w+,\(performance\.now\(\)-"
"""How the function begins that Gradio has called at each picture."""
SCRIPT = f"""<script>{{
const draw = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (call) => (/^{COUNTER}/.test(call) ? 0 : draw(call));
}}</script>"""


@cache
def count_nothing() -> None:
    """Puts the script before all others of Gradio's pages."""
    made = gr.routes.templates.env
    source = made.loader.get_source(made, PAGE)[0]
    first = source.replace("<script", f"{SCRIPT}<script", 1)
    made.loader = ChoiceLoader([DictLoader({PAGE: first}), made.loader])
