"""Words of the Prompts tab and of its library, in both languages."""

from __future__ import annotations

PROMPT_WORDS: dict[str, dict[str, str]] = {
    "tab.prompts": {"en": "Prompts", "zh": "提示词"},
    "prompts.library": {"en": "Library", "zh": "模板库"},
    "library.search": {"en": "Search templates", "zh": "搜索模板"},
    "library.own": {"en": "Own", "zh": "自定义"},
    "library.builtin": {"en": "Built in", "zh": "内置"},
    "library.list": {"en": "Templates", "zh": "模板"},
    "library.none": {"en": "No template has these words.", "zh": "没有匹配的模板。"},
    "library.failed": {"en": "The templates cannot be shown: {reason}", "zh": "无法显示模板：{reason}"},
    "task.spotting": {"en": "text with boxes", "zh": "文字与位置"},
    "task.text": {"en": "text", "zh": "文字"},
    "task.fields": {"en": "fields", "zh": "字段"},
    "task.translate": {"en": "translation", "zh": "翻译"},
    "task.qa": {"en": "question", "zh": "问答"},
    "task.document": {"en": "document", "zh": "文档"},
    "task.table": {"en": "table", "zh": "表格"},
    "task.formula": {"en": "formula", "zh": "公式"},
    "task.chart": {"en": "chart", "zh": "图表"},
    "task.layout": {"en": "layout", "zh": "版式"},
    "task.subtitles": {"en": "subtitles", "zh": "字幕"},
}
