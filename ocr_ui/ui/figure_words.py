"""Words of the sections Confidence and Drift of the Prompts tab, in both languages."""

from __future__ import annotations

FIGURE_WORDS: dict[str, dict[str, str]] = {
    "prompts.confidence": {"en": "Confidence", "zh": "置信度"},
    "prompts.drift": {"en": "Drift", "zh": "漂移"},
    "confidence.about": {
        "en": "From pages that people corrected or judged right: how often a line, cell or field of a given "
        "confidence is right, and below which one it should be looked at. Rules of batches and marks on the page "
        "use what is kept here.",
        "zh": "根据已改正或判为正确的页面，统计各置信度下的正确率，并给出低于多少时需要查看的阈值。"
        "批次规则和页面上的标记按这里保存的阈值执行。",
    },
    "confidence.template": {"en": "Template", "zh": "模板"},
    "confidence.missed": {"en": "Mistakes missed, at most %", "zh": "最多漏掉的错误（%）"},
    "confidence.missed.help": {
        "en": "Fewer missed means more to look at.",
        "zh": "允许漏掉的越少，需要查看的越多。",
    },
    "confidence.measure": {"en": "Measure (Enter)", "zh": "测量（Enter）"},
    "confidence.keep": {"en": "Keep and use", "zh": "保存并使用"},
    "confidence.measuring": {"en": "Going through the pages …", "zh": "正在统计页面……"},
    "confidence.far": {"en": "{done} of {total|page|pages}", "zh": "{done} / {total} 页"},
    "confidence.none": {
        "en": "Nothing was measured for this template yet. Correct some pages that were read with it, or judge them "
        "right, then measure here.",
        "zh": "此模板尚未测量。请先改正用它识别的页面，或判为正确，再在此测量。",
    },
    "confidence.kept": {
        "en": "What is kept. Choose a row to see its curves.",
        "zh": "以下为已保存的阈值。点选一行查看曲线。",
    },
    "confidence.not_kept": {
        "en": "This is not kept: nothing goes by it yet. Choose a row to see its curves.",
        "zh": "尚未保存，暂不生效。点选一行查看曲线。",
    },
    "confidence.column.part": {"en": "Part", "zh": "内容"},
    "confidence.column.engine": {"en": "Engine", "zh": "引擎"},
    "confidence.column.count": {"en": "Judged", "zh": "样本"},
    "confidence.column.wrong": {"en": "Wrong", "zh": "错误"},
    "confidence.column.error": {"en": "Calibration error", "zh": "校准误差"},
    "confidence.column.missed": {"en": "May be missed", "zh": "允许漏检"},
    "confidence.column.threshold": {"en": "Look below", "zh": "查看阈值"},
    "confidence.column.load": {"en": "To look at", "zh": "需查看"},
    "confidence.column.caught": {"en": "Caught", "zh": "查出"},
    "confidence.column.state": {"en": "State", "zh": "状态"},
    "confidence.used": {"en": "in use", "zh": "使用中"},
    "confidence.seen": {"en": "not kept", "zh": "未保存"},
    "confidence.unused": {"en": "not used: {why}", "zh": "未使用：{why}"},
    "confidence.all": {"en": "everything", "zh": "全部"},
    "confidence.chart.reliability": {"en": "Right at each confidence", "zh": "各置信度的正确率"},
    "confidence.chart.load": {"en": "Mistakes caught by what is looked at", "zh": "查看量与查出的错误"},
    "confidence.ideal": {"en": "as it should be", "zh": "理想"},
    "confidence.found": {"en": "as it is (dot: how many)", "zh": "实际（点的大小为数量）"},
    "confidence.bin": {
        "en": "Confidence {low} to {high}: {percent}% of {n} are right",
        "zh": "置信度 {low}–{high}：{n} 处中 {percent}% 正确",
    },
    "confidence.thresholds": {"en": "thresholds", "zh": "各阈值"},
    "confidence.chosen": {"en": "chosen", "zh": "选定"},
    "confidence.chance": {"en": "looking at random", "zh": "随机查看"},
    "confidence.load": {
        "en": "Below {limit}: {load}% looked at, {caught}% of the mistakes caught",
        "zh": "低于 {limit}：查看 {load}%，查出 {caught}% 的错误",
    },
    "confidence.axis.confidence": {"en": "Confidence", "zh": "置信度"},
    "confidence.axis.right": {"en": "Right", "zh": "正确率"},
    "confidence.axis.load": {"en": "Looked at", "zh": "查看比例"},
    "confidence.axis.caught": {"en": "Mistakes caught", "zh": "查出的错误"},
    "drift.about": {
        "en": "Day by day: what came in, with which settings it was read, how sure the model was, and how often people "
        "corrected it. Look for a cause from the top down; a number in a chart is a change in the list.",
        "zh": "按天显示输入的页面、识别时的配置、模型的把握和人工改正的比例，依排查原因的先后排列。"
        "图中的编号对应所列的变更。",
    },
    "drift.span": {"en": "Days", "zh": "时间范围"},
    "drift.days": {"en": "the last {n|day|days}", "zh": "最近 {n} 天"},
    "drift.template": {"en": "Template", "zh": "模板"},
    "drift.template.all": {"en": "All templates", "zh": "全部模板"},
    "drift.refresh": {"en": "Look again", "zh": "刷新"},
    "drift.looking": {"en": "Going through the days …", "zh": "正在统计……"},
    "drift.none": {
        "en": "Nothing was read in these days. Read pages at the Read tab or as a batch, or choose more days.",
        "zh": "这段时间没有识别记录。请在“识别”页或以批次识别页面，或选择更长的时间。",
    },
    "drift.nothing": {"en": "Nothing shifted by more than chance.", "zh": "没有超出偶然范围的变化。"},
    "drift.too_early": {
        "en": "Too little was read to tell whether anything shifted.",
        "zh": "识别的页面太少，还无法判断是否有变化。",
    },
    **{
        f"drift.chart.none.{measure}": {
            "en": "Nothing in these days says so yet.",
            "zh": "这段时间还没有相关数据。",
        }
        for measure in ("layout", "size", "script")
    },
    "drift.chart.none.confidence": {
        "en": "No page of these days has confidences.",
        "zh": "这段时间的页面都没有置信度。",
    },
    "drift.chart.none.corrected": {
        "en": "No page of these days was judged. Judge or correct some at the Read tab.",
        "zh": "这段时间没有评判过的页面。请在“识别”页评判或校对一些页面。",
    },
    "drift.found": {
        "en": "Days since which something is other than before, by more than chance: {n}",
        "zh": "出现超出偶然范围的变化的日期：{n} 个",
    },
    "drift.few": {
        "en": "Too few documents to tell: {which}. Before and since a day it takes {least} each.",
        "zh": "文档太少，无法判断：{which}。一天的前后各需 {least} 份。",
    },
    "drift.pending": {
        "en": "Kind and writing of {n|page|pages} are still being worked out: look again later.",
        "zh": "还有 {n} 页的类型和文字种类正在计算，请稍后再看。",
    },
    "drift.few.of": {"en": "{measure} ({n})", "zh": "{measure}（{n}）"},
    "drift.comma": {"en": ", ", "zh": "，"},
    "drift.event": {"en": "Since {day}", "zh": "自 {day} 起"},
    "drift.first.data": {
        "en": "Look at the pages first: what came in is other than before.",
        "zh": "先看页面：输入的内容与以前不同。",
    },
    "drift.first.configuration": {
        "en": "Look at the configuration first: it was changed near that day, and the pages are as before.",
        "zh": "先看配置：那天前后有改动，而页面没有变化。",
    },
    "drift.first.model": {
        "en": "Look at the model first: it was changed near that day; pages and configuration are as before.",
        "zh": "先看模型：那天前后有更换，而页面和配置没有变化。",
    },
    "drift.first.post_processing": {
        "en": "Look at the program first: its version changed near that day, and nothing else did.",
        "zh": "先看程序：那天前后版本有变，其他都没有变化。",
    },
    "drift.first.nothing": {
        "en": "Nothing that is recorded changed near that day: compare pages of before and since.",
        "zh": "那天前后没有记录到任何变更：请对比前后的页面。",
    },
    "drift.group.data": {"en": "1. Data", "zh": "1. 数据"},
    "drift.group.configuration": {"en": "2. Configuration", "zh": "2. 配置"},
    "drift.group.model": {"en": "3. Model", "zh": "3. 模型"},
    "drift.group.post_processing": {"en": "4. Post-processing", "zh": "4. 后处理"},
    "drift.in.data": {"en": "Data: ", "zh": "数据："},
    "drift.in.configuration": {"en": "Configuration: ", "zh": "配置："},
    "drift.in.model": {"en": "Model: ", "zh": "模型："},
    "drift.in.post_processing": {"en": "Post-processing: ", "zh": "后处理："},
    "drift.measure.layout": {"en": "Kind of page", "zh": "页面类型"},
    "drift.measure.size": {"en": "Size in megapixels", "zh": "尺寸（百万像素）"},
    "drift.measure.script": {"en": "Writing", "zh": "文字种类"},
    "drift.measure.confidence": {"en": "Confidence of the least sure part of a page", "zh": "页面中最低的置信度"},
    "drift.measure.corrected": {"en": "Share of judged pages that were corrected", "zh": "已评判页面中需改正的比例"},
    "drift.layout.simple": {"en": "simple", "zh": "简单"},
    "drift.layout.dense": {"en": "dense", "zh": "密集"},
    "drift.layout.complex": {"en": "complex", "zh": "复杂"},
    "drift.corrected.corrected": {"en": "corrected", "zh": "需改正"},
    "drift.judged": {"en": "{n} of {m}", "zh": "{m} 页中 {n} 页"},
    "drift.half": {"en": "half of the pages", "zh": "中间一半的页面"},
    "drift.median.name": {"en": "median", "zh": "中位数"},
    "drift.median": {"en": "median {before} → {now}", "zh": "中位数 {before} → {now}"},
    "drift.kind": {"en": "{kind} {before} → {now}", "zh": "{kind} {before} → {now}"},
    "drift.shift": {
        "en": "{measure}: {changes} ({n|document|documents} before, {m} since; stability index {psi})",
        "zh": "{measure}：{changes}（此前 {n} 份文档，此后 {m} 份；稳定性指数 {psi}）",
    },
    "drift.marks.none": {"en": "Nothing was changed in these days.", "zh": "这段时间没有变更。"},
    "drift.mark": {"en": "{n}. {day}: {what}", "zh": "{n}. {day}：{what}"},
    "drift.mark.template": {
        "en": "template {name}, version {before} → {now}",
        "zh": "模板 {name}，版本 {before} → {now}",
    },
    "drift.mark.settings": {"en": "setting {name}, {before} → {now}", "zh": "设置 {name}，{before} → {now}"},
    "drift.mark.engine": {"en": "engine {before} → {now}", "zh": "引擎 {before} → {now}"},
    "drift.mark.model": {"en": "model of {name}, {before} → {now}", "zh": "{name} 的模型，{before} → {now}"},
    "drift.mark.revision": {
        "en": "weights of {name}, revision {before} → {now}",
        "zh": "{name} 的权重，版本 {before} → {now}",
    },
    "drift.mark.version": {
        "en": "program of {name}, version {before} → {now}",
        "zh": "{name} 的程序，版本 {before} → {now}",
    },
    "drift.mark.program": {
        "en": "this program, version {before} → {now}",
        "zh": "本程序，版本 {before} → {now}",
    },
}
