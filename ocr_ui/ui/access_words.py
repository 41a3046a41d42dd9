"""The words of the login, and of who is logged in."""

from __future__ import annotations

ACCESS_WORDS: dict[str, dict[str, str]] = {
    "login.title": {"en": "Log in", "zh": "登录"},
    "login.name": {"en": "Name", "zh": "姓名"},
    "login.password": {"en": "Password", "zh": "密码"},
    "login.go": {"en": "Log in", "zh": "登录"},
    "login.empty": {
        "en": "Nobody has an account yet. The administrator of this machine makes the first one:",
        "zh": "还没有任何账户。请本机管理员创建第一个账户：",
    },
    "login.command": {
        "en": "python -m ocr_ui user add NAME --role admin",
        "zh": "python -m ocr_ui user add 姓名 --role admin",
    },
    "app.logout": {"en": "Log out", "zh": "退出"},
    "app.logged_in": {"en": "Logged in as {name}", "zh": "已登录：{name}"},
    "app.role.viewer": {"en": "viewer", "zh": "查看者"},
    "app.role.annotator": {"en": "annotator", "zh": "标注者"},
    "app.role.reviewer": {"en": "reviewer", "zh": "审核者"},
    "app.role.admin": {"en": "administrator", "zh": "管理员"},
}
