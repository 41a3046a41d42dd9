"""Words of the writings of `ocr_ui.scoring.scripts`, in both languages: of lists, charts and reports."""

from __future__ import annotations

WRITING_WORDS: dict[str, dict[str, str]] = {
    "script.latin": {"en": "Latin", "zh": "拉丁文"},
    "script.chinese": {"en": "Chinese", "zh": "中文"},
    "script.japanese": {"en": "Japanese", "zh": "日文"},
    "script.korean": {"en": "Korean", "zh": "韩文"},
    "script.cyrillic": {"en": "Cyrillic", "zh": "西里尔文"},
    "script.arabic": {"en": "Arabic", "zh": "阿拉伯文"},
    "script.other": {"en": "Other", "zh": "其他"},
    "script.none": {"en": "No letters", "zh": "无字母"},
}
