"""The page to log in on: plain markup without a script, in both languages."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from ocr_ui.ui.module_html import STATIC_URL
from ocr_ui.ui.texts import LANGUAGES, words


def login_page(language: str, error: str, wanted: str, empty: bool) -> str:
    """Args: error: what went wrong the last time. wanted: the local address to go to then. empty: no account yet."""
    said = {key: escape(text) for key, text in words(language).items() if key.startswith(("login.", "app."))}
    alert = f'<p class="alert" role="alert">{escape(error)}</p>' if error else ""
    first = f"<p>{said['login.empty']}</p><pre>{said['login.command']}</pre>" if empty else ""
    links = "".join(_link(code, name, code == language) for code, name in LANGUAGES.items())
    return f"""<!doctype html>
<html lang="{"zh-CN" if language == "zh" else "en"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{said["login.title"]} - {said["app.title"]}</title>
<link rel="icon" href="/favicon.ico">
<link rel="stylesheet" href="{STATIC_URL}/page/login.css">
</head>
<body>
<main>
<h1>{said["app.title"]}</h1>
{first}{alert}
<form method="post" action="/login">
<input type="hidden" name="next" value="{escape(wanted)}">
<label for="name">{said["login.name"]}</label>
<input id="name" name="name" autocomplete="username" required maxlength="200" autofocus>
<label for="password">{said["login.password"]}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1000">
<button type="submit">{said["login.go"]}</button>
</form>
<nav aria-label="{said["app.language"]}">{links.replace("NEXT", quote(wanted, safe=""))}</nav>
</main>
</body>
</html>
"""


def _link(code: str, name: str, current: bool) -> str:
    mark = ' aria-current="true"' if current else ""
    return f'<a href="/login?language={code}&amp;next=NEXT" lang="{code}"{mark}>{escape(name)}</a>'
