"""Words that the report of an evaluation has beside those of contests, in both languages."""

from __future__ import annotations

REPORT_WORDS: dict[str, dict[str, str]] = {
    "report.title": {"en": "Evaluation {n}: {data}", "zh": "评测 {n}：{data}"},
    "report.about": {
        "en": "{pages}, {made}. Before texts are compared: {equal}. Intervals hold {share} of {draws} draws of the "
        "pages with replacement (seed {seed}); two competitors are compared on the same draws.",
        "zh": "{pages}，{made}。比较文本前：{equal}。区间包含有放回地按页重抽样 {draws} 次（种子 {seed}）中的 {share}；"
        "两个参评者用同样的抽样比较。",
    },
    "report.versus": {"en": "{second} against {first}", "zh": "{second} 与 {first} 相比"},
    "report.nothing_common": {
        "en": "They have no measure in common: each is held to labels of its own kind.",
        "zh": "两者没有共同的指标：各自对照的标签种类不同。",
    },
    "report.measure": {"en": "measure", "zh": "指标"},
    "report.interval": {"en": "interval", "zh": "区间"},
    "report.page": {"en": "page", "zh": "页面"},
    "report.fact": {"en": "fact", "zh": "事实"},
    "report.left_out": {"en": "left out", "zh": "略去"},
    "report.first.p50": {"en": "first token p50, s", "zh": "首字 p50（秒）"},
    "report.first.p95": {"en": "first token p95, s", "zh": "首字 p95（秒）"},
    "report.differ": {
        "en": "Pages that differ in {metric}, those first where the second is worst:",
        "zh": "{metric}不同的页面，第二个最差者在前：",
    },
    "report.against": {
        "en": "{title} against run {run} of {made} (changed: {changes})",
        "zh": "{title} 与 {made} 的运行 {run} 相比（更改：{changes}）",
    },
    "report.no_regression": {"en": "{against}: no regression.", "zh": "{against}：没有退步。"},
    "report.better": {
        "en": "{against}: no regression; better: {better}.",
        "zh": "{against}：没有退步；更好：{better}。",
    },
    "report.facts_lost": {"en": "Facts that held before and do not now:", "zh": "原先成立、现在不成立的事实："},
    "report.fact_on": {"en": "{fact} on {page}", "zh": "{page}：{fact}"},
    "report.groups": {"en": "By language or writing, kind and tag", "zh": "按语言或文字、类型和标签"},
    "report.of": {"en": "{side}: {metric}", "zh": "{side}：{metric}"},
    "report.missing": {"en": "missing", "zh": "漏读"},
    "report.invented": {"en": "invented", "zh": "多读"},
    "report.marks": {
        "en": "{missing} is on the page and was not read, {invented} was read and is not on the page.",
        "zh": "{missing}：页面上有而没有读出；{invented}：读出而页面上没有。",
    },
    "report.unread": {"en": "Nothing was read.", "zh": "什么也没有读出。"},
    "report.facts": {"en": "Facts", "zh": "事实"},
    "report.row.text": {"en": "text", "zh": "文本"},
    "report.row.tables": {"en": "tables", "zh": "表格"},
    "report.row.formulas": {"en": "formulas", "zh": "公式"},
    "report.setup": {
        "en": "template version {version}; {engine}; sampling {sampling}",
        "zh": "模板版本 {version}；{engine}；采样 {sampling}",
    },
    "report.test_set": {"en": "test set", "zh": "测试集"},
    "report.checksum": {"en": "{name}, checksum {sha256}", "zh": "{name}，校验和 {sha256}"},
}
