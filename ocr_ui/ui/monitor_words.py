"""Words of the Monitor tab in both languages, and what limits the speed in Chinese."""

from __future__ import annotations

from typing import Any

from ocr_ui.domain.counted import fill

FINDINGS_ZH: dict[str, tuple[str, str, str]] = {
    "card_idle": (
        "显卡有活干",
        "显卡只有 {busy}% 的时间有任务：页面的准备跟不上。",
        "请增加处理器；开启 OCR_UI_SHORT_WAY，未能采用时调高 OCR_UI_RENDERER_WORKERS；或调低 OCR_UI_ENGINE_PIXELS。",
    ),
    "batch_not_full": (
        "已占位置",
        "引擎的 {places} 个位置只占用了 {running} 个：可以同时识别更多页面。",
        "请同时提交更多页面；批量任务可调高 OCR_UI_BATCH_AT_ONCE。",
    ),
    "batch_held": (
        "已占位置",
        "有 {waiting} 页在等待，而 {places} 个位置只占用了 {running} 个：每一步能处理的内容太少。",
        "请调高 OCR_UI_MAX_NUM_BATCHED_TOKENS 或 OCR_UI_GPU_MEMORY_UTILIZATION。",
    ),
    "preemptions": (
        "被退回的页面",
        "页面缓存太小：{preemptions} 页被退回后重新开始。",
        "请调低 OCR_UI_MAX_NUM_SEQS，或调高 OCR_UI_GPU_MEMORY_UTILIZATION。",
    ),
    "drafts_rejected": (
        "被否决的草稿",
        "草稿模型的提议有 {rejected}% 被否决：可能得不偿失。",
        "请设置 OCR_UI_DFLASH=off 再比较。",
    ),
    "picture_share": (
        "看图时间",
        "引擎 {share}% 的时间用于看图，用于输出的时间更少。",
        "请先运行 calibrate pixels，再设置 OCR_UI_PIXELS=need（见 docs/pixels.md）；"
        "或在页面仍能看清的前提下，调低 OCR_UI_ENGINE_PIXELS。",
    ),
    "card_full": (
        "显卡有活干",
        "没有什么拖慢显卡：它已达到这里的最快速度。",
        "如需更快，请再加一块显卡（OCR_UI_DATA_PARALLEL_SIZE）。",
    ),
    "processors_busy": (
        "处理器占用",
        "处理器占用 {processors}%：速度受处理器限制。",
        "请增加处理器、使用显卡上的引擎，或减少本机的其他程序。",
    ),
    "pages_wait": (
        "等待的页面",
        "有 {waiting} 页在等待引擎，引擎一次识别 {places} 页。",
        "可在同一数据库上再启动一个进程分担批量任务；显卡上的引擎可同时识别多页。",
    ),
    "readings_wait": (
        "等待的页面",
        "有 {waiting} 页在等待服务器。",
        "请查看该服务器 /metrics 的指标，或在 OCR_UI_BASE_URL 中写上多个服务器。",
    ),
    "keeps_up": ("总体", "没有什么拖慢识别：页面随到随读。", ""),
    "nothing": ("总体", "当前没有识别任务。", "请识别一页或开始一个批次，然后再看这里。"),
}
"""By code of `ocr_ui.services.bottleneck`: what is looked at, what is said where it limits the speed, what to do."""

MONITOR_WORDS: dict[str, dict[str, str]] = {
    "tab.monitor": {"en": "Monitor", "zh": "监控"},
    "monitor.limit": {"en": "What limits the speed now", "zh": "当前的速度瓶颈"},
    "monitor.engine": {"en": "Engine: {engine}", "zh": "引擎：{engine}"},
    "monitor.waiting": {"en": "Asking the server …", "zh": "正在询问服务器……"},
    "monitor.unreachable": {
        "en": "The server does not answer; trying again. What is shown is of {time}.",
        "zh": "服务器没有响应，正在重试。显示的是 {time} 的情况。",
    },
    "monitor.looked": {"en": "Looked at, in this order", "zh": "检查项（按顺序）"},
    "monitor.looked.nothing": {
        "en": "What is looked at stands here while pages are read.",
        "zh": "识别页面时，这里列出检查项。",
    },
    "monitor.state.limits": {"en": "limits", "zh": "瓶颈"},
    "monitor.state.fine": {"en": "fine", "zh": "正常"},
    "monitor.state.unknown": {"en": "not here", "zh": "此处没有"},
    "monitor.now.waiting": {"en": "Pages waiting", "zh": "等待中（页）"},
    "monitor.now.running": {"en": "Pages being read", "zh": "识别中（页）"},
    "monitor.now.per_minute": {"en": "Pages a minute", "zh": "每分钟页数"},
    "monitor.now.tokens": {"en": "Tokens a second", "zh": "每秒词元"},
    "monitor.now.p50": {"en": "Half the pages within", "zh": "一半的页面不超过"},
    "monitor.now.p95": {"en": "95 of 100 within", "zh": "95% 的页面不超过"},
    "monitor.now.p99": {"en": "99 of 100 within", "zh": "99% 的页面不超过"},
    "monitor.of": {"en": "{n} of {all}", "zh": "{n} / {all}"},
    "monitor.seconds": {"en": "{n} s", "zh": "{n} 秒"},
    "monitor.none": {"en": "–", "zh": "–"},
    "monitor.chart.queue": {"en": "Pages waiting and being read", "zh": "等待和识别中的页面"},
    "monitor.chart.seconds": {"en": "Seconds a page", "zh": "每页用时（秒）"},
    "monitor.chart.tokens": {"en": "Tokens a second", "zh": "每秒词元"},
    "monitor.chart.pages": {"en": "Pages in half a minute", "zh": "每半分钟页数"},
    "monitor.chart.machine": {"en": "How busy the machine is", "zh": "机器占用"},
    "monitor.chart.memory": {"en": "Memory of the card (GB)", "zh": "显存（GB）"},
    "monitor.chart.stages": {
        "en": "Where a page's time goes (s, last minute)",
        "zh": "每页时间分布（秒，最近一分钟）",
    },
    "monitor.chart.errors": {"en": "Errors in half a minute", "zh": "每半分钟错误数"},
    "monitor.line.waiting": {"en": "waiting", "zh": "等待"},
    "monitor.line.running": {"en": "being read", "zh": "识别中"},
    "monitor.line.processors": {"en": "processors", "zh": "处理器"},
    "monitor.line.cache": {"en": "cache for pages", "zh": "页面缓存"},
    "monitor.line.pages": {"en": "pages", "zh": "页数"},
    "monitor.line.tokens": {"en": "tokens", "zh": "词元"},
    "monitor.line.errors": {"en": "errors", "zh": "错误"},
    "monitor.line.memory": {"en": "taken", "zh": "已用"},
    "monitor.line.memory_bytes": {"en": "in all", "zh": "总量"},
    "monitor.errors": {"en": "Errors of the last 20 minutes", "zh": "最近 20 分钟的错误"},
    "monitor.errors.none": {"en": "No errors.", "zh": "没有错误。"},
    "monitor.where.rest": {"en": "request", "zh": "请求"},
    "monitor.where.page": {"en": "page", "zh": "页面"},
    "monitor.where.reading": {"en": "reading", "zh": "识别"},
    "monitor.where.job": {"en": "batch", "zh": "批次"},
    "monitor.stage.receive": {"en": "receive", "zh": "接收"},
    "monitor.stage.decode_image": {"en": "decode", "zh": "解码"},
    "monitor.stage.prepare": {"en": "prepare", "zh": "准备"},
    "monitor.stage.queue": {"en": "queue", "zh": "排队"},
    "monitor.stage.first_token": {"en": "first token", "zh": "首个词元"},
    "monitor.stage.tokens": {"en": "the rest", "zh": "其余词元"},
    "monitor.stage.parse": {"en": "parse", "zh": "解析"},
    "monitor.stage.store": {"en": "store", "zh": "保存"},
}


def localize_finding(value: dict[str, Any], language: str) -> dict[str, Any]:
    """A finding of `GET /v1/monitor` in "en" or "zh"."""
    if language != "zh":
        return value
    name, message, hint = FINDINGS_ZH[value["code"]]
    if not value["message"]:
        return {**value, "name": name}
    return {**value, "name": name, "message": fill(message, **value["values"]), "hint": hint}
