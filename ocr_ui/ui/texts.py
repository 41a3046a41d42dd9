"""All words of the page, in English and Chinese. Nothing else in the product holds a word that a person reads there.

The viewer's part of the table stands in `viewer_words`, that of several answers in `sample_texts`, that of exports in
`export_texts`, that of batches in `batch_words`, that of prompts in `prompt_words` and `try_words`, that of confidence
and drift in `figure_words`, that of the Dataset list's rows in `list_words`, that of contests, which their report has
too, in `render.contest_words`, the sentences of errors and warnings in `messages`.
"""

from __future__ import annotations

from ocr_ui.render.contest_words import CONTEST_WORDS
from ocr_ui.ui.access_words import ACCESS_WORDS
from ocr_ui.ui.batch_words import BATCH_WORDS
from ocr_ui.ui.export_texts import EXPORT_TEXTS
from ocr_ui.ui.figure_words import FIGURE_WORDS
from ocr_ui.ui.list_words import LIST_WORDS
from ocr_ui.ui.monitor_words import MONITOR_WORDS
from ocr_ui.ui.prompt_words import PROMPT_WORDS
from ocr_ui.ui.review_words import REVIEW_WORDS
from ocr_ui.ui.sample_texts import SAMPLE_TEXTS
from ocr_ui.ui.try_words import TRY_WORDS

LANGUAGES = {"en": "English", "zh": "中文"}

TEXTS: dict[str, dict[str, str]] = {
    **ACCESS_WORDS,
    **REVIEW_WORDS,
    **BATCH_WORDS,
    **MONITOR_WORDS,
    **PROMPT_WORDS,
    **FIGURE_WORDS,
    **LIST_WORDS,
    **TRY_WORDS,
    # The frame
    "app.title": {"en": "OCR Workbench", "zh": "OCR 工作台"},
    "app.tagline": {
        "en": "Read a picture, see every line on it, put it right, keep it as training data.",
        "zh": "识别图片，逐行对照，随手改正，存为训练数据。",
    },
    "app.failed": {"en": "That did not work", "zh": "操作未成功"},
    "app.request": {"en": " (request {request})", "zh": "（请求 {request}）"},
    "app.language": {"en": "Language", "zh": "语言"},
    "engine.idle": {"en": "{engine}: not started", "zh": "{engine}：未启动"},
    "engine.loading": {"en": "{engine}: loading", "zh": "{engine}：正在加载"},
    "engine.ready": {"en": "{engine}: ready", "zh": "{engine}：就绪"},
    "engine.degraded": {"en": "{engine}: degraded", "zh": "{engine}：性能下降"},
    "engine.dead": {"en": "{engine}: not available", "zh": "{engine}：不可用"},
    "engine.doing": {"en": "{engine}: {phase}", "zh": "{engine}：{phase}"},
    "engine.phase.waiting": {"en": "waiting to start", "zh": "等待启动"},
    "engine.phase.finding": {"en": "looking for the model", "zh": "正在查找模型"},
    "engine.phase.fetching": {"en": "fetching the model", "zh": "正在下载模型"},
    "engine.phase.verifying": {"en": "checking the model's files", "zh": "正在校验模型文件"},
    "engine.phase.memory": {"en": "checking the memory", "zh": "正在检查显存"},
    "engine.phase.loading": {"en": "loading the model", "zh": "正在加载模型"},
    "engine.phase.timing": {"en": "timing the draft model", "zh": "正在测量草稿模型的速度"},
    "engine.phase.checking": {"en": "reading test pictures", "zh": "正在试读图片"},
    "engine.phase.warming": {"en": "reading an example", "zh": "正在试读示例"},
    "engine.phase.restarting": {"en": "starting again", "zh": "正在重新启动"},
    "engine.share": {"en": "{done} of {total} ({percent})", "zh": "{done} / {total}（{percent}）"},
    "engine.speed": {"en": "{speed}/s", "zh": "每秒 {speed}"},
    "engine.left": {"en": "about {time} left", "zh": "约剩 {time}"},
    "engine.seconds": {"en": "{n} s", "zh": "{n} 秒"},
    "engine.minutes": {"en": "{n} min", "zh": "{n} 分钟"},
    "engine.comma": {"en": ", ", "zh": "，"},
    "engine.memory": {
        "en": "The card's memory: weights {weights}, vision {vision}, draft {draft}, work space about {work}, "
        "cache {cache}, of {card} in all. About {pages|page fits|pages fit} at once.",
        "zh": "显存分配：权重 {weights}，视觉部分 {vision}，草稿模型 {draft}，工作空间约 {work}，缓存 {cache}，"
        "共 {card}。约可同时容纳 {pages} 页。",
    },
    "engine.about": {"en": "{engine}: more about it", "zh": "{engine}：详情"},
    "engine.kind": {"en": "Kind: {kind}", "zh": "类型：{kind}"},
    "engine.drafts.on": {"en": "Speculative decoding: on", "zh": "投机解码：已启用"},
    "engine.drafts.off": {"en": "Speculative decoding: off", "zh": "投机解码：未启用"},
    "engine.drafts.one": {"en": "1 page at once", "zh": "单页"},
    "engine.drafts.many": {"en": "up to {n} pages at once", "zh": "最多 {n} 页同时"},
    "engine.drafts.tokens": {"en": "{tokens} tokens a step", "zh": "每步 {tokens} 个词元"},
    "engine.drafts.saves": {"en": "saves {share} of the time", "zh": "节省 {share} 的时间"},
    "engine.drafts.costs": {"en": "costs {share} more time", "zh": "多用 {share} 的时间"},
    "engine.drafts.why.off": {"en": "It is turned off in the settings.", "zh": "设置中已关闭。"},
    "engine.drafts.why.vllm": {
        "en": "vLLM {version} is too old for it; 0.25.1 is needed.",
        "zh": "vLLM {version} 版本过旧，需要 0.25.1。",
    },
    "engine.drafts.why.missing": {"en": "The model has no draft folder.", "zh": "模型中没有草稿模型文件夹。"},
    "engine.drafts.why.cuda": {
        "en": "torch is built for CUDA {cuda}; 13 is needed.",
        "zh": "torch 使用 CUDA {cuda}，需要 13。",
    },
    "engine.drafts.why.not_started": {
        "en": "vLLM did not start with the draft model.",
        "zh": "vLLM 无法加载草稿模型。",
    },
    "engine.drafts.why.no_gain": {"en": "It saves no time on this machine.", "zh": "在本机上不能节省时间。"},
    "engine.drafts.why.next_start": {
        "en": "It costs time at the present load: off from the next start.",
        "zh": "在当前负载下反而更慢：下次启动时停用。",
    },
    "engine.use": {"en": "Use {engine}", "zh": "改用 {engine}"},
    "engine.use_meanwhile": {"en": "Use {engine} meanwhile", "zh": "暂用 {engine}"},
    "engine.called.rapidocr": {"en": "the CPU engine (rapidocr)", "zh": "CPU 引擎（rapidocr）"},
    "any.unreachable": {"en": "The server does not answer. Try again.", "zh": "服务器没有响应，请重试。"},
    "engine.unreachable": {
        "en": "The server does not answer. Your edits stay in this browser.",
        "zh": "服务器没有响应。您的修改仍保存在本浏览器中。",
    },
    "tab.read": {"en": "Read", "zh": "识别"},
    "tab.dataset": {"en": "Dataset", "zh": "数据集"},
    # Read
    "read.template": {"en": "What to do", "zh": "任务模板"},
    "read.engine": {"en": "Engine", "zh": "引擎"},
    "read.field_set": {"en": "Ready field set", "zh": "预设字段"},
    "read.field_set.none": {"en": "My own names", "zh": "自定义字段"},
    "read.prompt": {"en": "Text sent to the model", "zh": "发送给模型的文本"},
    "read.prompt.info": {
        "en": "Edit it for this run, or save it as a version, which everybody reads with from then on.",
        "zh": "可只为本次运行修改，也可保存为新版本（此后所有人都用它识别）。",
    },
    "read.prompt.unused": {
        "en": "The engine {engine} reads text without a prompt; this is what a model would be sent.",
        "zh": "引擎 {engine} 不使用提示词；以下是模型会收到的文本。",
    },
    "read.prompt.edited": {"en": "Edited for this run.", "zh": "已为本次运行修改。"},
    "read.prompt.own": {
        "en": "Not the model's official wording for this task ({title}), which mostly reads better.",
        "zh": "不是模型针对此任务的官方指令（{title}）；官方指令通常效果更好。",
    },
    "read.prompt.missing": {"en": "Fill in: {names}.", "zh": "请填写：{names}。"},
    "read.restore": {"en": "Restore", "zh": "还原"},
    "read.save_version": {"en": "Save as new version", "zh": "保存为新版本"},
    "read.save_not": {
        "en": "Only reviewers and administrators save versions and templates.",
        "zh": "只有复核者和管理员可以保存版本和模板。",
    },
    "read.save_new": {"en": "Save as new template", "zh": "另存为新模板"},
    "read.versions": {"en": "Versions", "zh": "版本"},
    "read.versions.info": {
        "en": "For readings from here. In Prompts one is put in use for all.",
        "zh": "仅用于本页的识别；在“提示词”中可设为通用版本。",
    },
    "read.version": {"en": "Version {version}", "zh": "版本 {version}"},
    "read.version.current": {"en": "in use", "zh": "使用中"},
    "read.version.builtin": {"en": "Built-in wording", "zh": "内置指令"},
    "read.new_name": {"en": "Name of the new template", "zh": "新模板名称"},
    "read.new_name.info": {
        "en": "Lower-case letters, digits and _, for example my_receipt.",
        "zh": "小写字母、数字和下划线，例如 my_receipt。",
    },
    "read.saved_version": {"en": "Saved as version {version} of {name}.", "zh": "已保存为 {name} 的版本 {version}。"},
    "read.saved_new": {"en": "Saved as template {name}.", "zh": "已保存为模板 {name}。"},
    "read.more": {"en": "Prompt and versions", "zh": "提示词与版本"},
    "read.go": {"en": "Read (Ctrl+Enter)", "zh": "识别（Ctrl+Enter）"},
    "read.stop": {"en": "Stop", "zh": "停止"},
    "read.no_picture": {
        "en": "There is no picture yet. Drop one, paste one with Ctrl+V, or take an example.",
        "zh": "还没有图片。请拖入图片、用 Ctrl+V 粘贴，或选择一个示例。",
    },
    "read.stop_first": {
        "en": "This picture is still being read. Stop the reading first.",
        "zh": "这张图片仍在识别中，请先停止。",
    },
    "read.examples": {"en": "Examples", "zh": "示例"},
    "read.cannot": {
        "en": "The engine {engine} cannot do this. Engines that can:",
        "zh": "引擎 {engine} 无法完成此任务。可完成此任务的引擎：",
    },
    "read.can_here": {"en": "{engine}: running here, choose it above.", "zh": "{engine}：本机可用，请在上方选择。"},
    "read.get.vllm": {
        "en": "vllm: HunyuanOCR inside this program, on an NVIDIA GPU. For the administrator: start with "
        "`OCR_UI_ENGINE=vllm make run`.",
        "zh": "vllm：本程序内嵌的 HunyuanOCR，需要 NVIDIA GPU。请管理员用 `OCR_UI_ENGINE=vllm make run` 启动。",
    },
    "read.get.openai": {
        "en": "openai: HunyuanOCR on another machine (vllm serve). For the administrator: start with "
        "`OCR_UI_ENGINE=openai` and `OCR_UI_BASE_URL=http://HOST:8000/v1`.",
        "zh": "openai：运行在其他机器上的 HunyuanOCR（vllm serve）。请管理员启动时设置 `OCR_UI_ENGINE=openai` 和 "
        "`OCR_UI_BASE_URL=http://主机:8000/v1`。",
    },
    "read.get.llama": {
        "en": "llama: HunyuanOCR's GGUF on a laptop. For the administrator: start with `OCR_UI_ENGINE=llama`; the "
        "README names the files.",
        "zh": "llama：在笔记本电脑上运行 HunyuanOCR 的 GGUF。请管理员启动时设置 `OCR_UI_ENGINE=llama`；"
        "所需文件见 README。",
    },
    "read.instead": {"en": "Read as full text instead", "zh": "改为识别全文"},
    "read.structured": {"en": "Hold the answer to these names (JSON)", "zh": "按这些字段名约束回答（JSON）"},
    "read.structured.info": {
        "en": "The engine can then give nothing but these fields.",
        "zh": "引擎只能按这些字段作答。",
    },
    "read.structured.cannot": {
        "en": "The engine {engine} cannot do this; it answers freely.",
        "zh": "引擎 {engine} 不支持，将自由作答。",
    },
    "read.confidence": {"en": "Confidence", "zh": "置信度"},
    "read.confidence.info": {
        "en": "From the probability of each token; costs some speed.",
        "zh": "来自每个词元的概率，会稍慢。",
    },
    "retry.penalty": {"en": "Higher repetition penalty ({value})", "zh": "提高重复惩罚（{value}）"},
    "retry.smaller": {"en": "Smaller picture ({value})", "zh": "缩小图片（{value}）"},
    "retry.longer": {"en": "Longer answer ({value|token|tokens})", "zh": "更长的回答（{value} 词元）"},
    "retry.again": {"en": "Read again", "zh": "重新识别"},
    "retry.full": {"en": "Read at full resolution", "zh": "以完整分辨率识别"},
    "retry.template": {"en": "Read with another template", "zh": "换一个模板识别"},
    # Dataset
    "dataset.search": {"en": "Search in text and names", "zh": "搜索文本和文件名"},
    "dataset.template": {"en": "Template", "zh": "模板"},
    "dataset.engine": {"en": "Engine", "zh": "引擎"},
    "dataset.verdict": {"en": "Verdict", "zh": "结论"},
    "dataset.state": {"en": "State", "zh": "状态"},
    "dataset.error_kind": {"en": "Kind of error", "zh": "错误类型"},
    "dataset.reader": {"en": "Read for", "zh": "识别人"},
    "dataset.reviewer": {"en": "Reviewer", "zh": "复核人"},
    "dataset.since": {"en": "From day", "zh": "起始日期"},
    "dataset.until": {"en": "To day", "zh": "截止日期"},
    "dataset.day.info": {"en": "YYYY-MM-DD", "zh": "YYYY-MM-DD"},
    "dataset.all": {"en": "All", "zh": "全部"},
    "dataset.none": {"en": "None yet", "zh": "暂无"},
    "dataset.refresh": {"en": "Refresh", "zh": "刷新"},
    "dataset.more_filters": {"en": "More filters", "zh": "更多筛选"},
    "dataset.sort": {"en": "Order", "zh": "排序"},
    "dataset.sort.newest": {"en": "Newest first", "zh": "最新在前"},
    "dataset.sort.oldest": {"en": "Oldest first", "zh": "最早在前"},
    "dataset.sort.updated": {"en": "Last changed first", "zh": "最近修改在前"},
    "dataset.sort.most_edited": {"en": "Most edited first", "zh": "改动最多在前"},
    "dataset.sort.least_sure": {"en": "Least sure first", "zh": "置信度最低在前"},
    "dataset.charts": {"en": "Charts", "zh": "图表"},
    "dataset.chart.day": {"en": "By day", "zh": "按日期"},
    "dataset.chart.verdict": {"en": "By verdict", "zh": "按结论"},
    "dataset.chart.error_kind": {"en": "By kind of error", "zh": "按错误类型"},
    "dataset.chart.template": {"en": "By template", "zh": "按模板"},
    "dataset.chart.count": {"en": "Items", "zh": "条目"},
    "dataset.bad_day": {
        "en": "{day} is not a day. Write it as YYYY-MM-DD.",
        "zh": "{day} 不是有效日期，请写成 YYYY-MM-DD。",
    },
    "list.page": {"en": "Page", "zh": "页面"},
    "list.page_of": {"en": "{name}, page {n}", "zh": "{name}，第 {n} 页"},
    "list.template": {"en": "Template", "zh": "模板"},
    "list.engine": {"en": "Engine", "zh": "引擎"},
    "list.verdict": {"en": "Verdict", "zh": "结论"},
    "list.edit_distance": {"en": "Edits", "zh": "编辑距离"},
    "list.reviewer": {"en": "Reviewer", "zh": "复核人"},
    "list.claim": {"en": "{person} works on it until {time}", "zh": "{person} 正在处理，占用至 {time}"},
    "list.somebody": {"en": "Somebody", "zh": "有人"},
    "list.time": {"en": "Time", "zh": "时间"},
    "list.count": {"en": "{from}–{to} of {total}", "zh": "第 {from}–{to} 条，共 {total} 条"},
    "list.count_none": {"en": "0 items", "zh": "0 条"},
    "list.previous": {"en": "Previous page", "zh": "上一页"},
    "list.next": {"en": "Next page", "zh": "下一页"},
    "list.open": {"en": "Open {name} in the viewer", "zh": "在查看器中打开 {name}"},
    "list.empty": {
        "en": "Nothing here yet. Read a picture on the Read tab and it appears here.",
        "zh": "这里还没有内容。在“识别”页读一张图片，它就会出现在这里。",
    },
    "list.no_match": {
        "en": "Nothing matches these filters. Take some of them away.",
        "zh": "没有符合筛选条件的条目，请减少筛选条件。",
    },
    "list.found_in.read": {"en": "(as the engine read it, corrected since)", "zh": "（引擎的原识别结果，后已更正）"},
    "list.blank": {"en": "(no text)", "zh": "（无文本）"},
    "list.download": {"en": "Download", "zh": "下载"},
    "list.format": {"en": "Format of the download", "zh": "下载格式"},
    "list.format.jsonl": {"en": "JSON Lines: everything, exactly", "zh": "JSON Lines：全部内容，原样"},
    "list.format.csv": {"en": "CSV", "zh": "CSV"},
    "list.format.xlsx": {"en": "Excel (xlsx)", "zh": "Excel（xlsx）"},
    "list.format.docx": {"en": "Word (docx)", "zh": "Word（docx）"},
    "list.format.markdown": {"en": "Markdown", "zh": "Markdown"},
    "list.format.pdf": {"en": "Searchable PDF", "zh": "可搜索的 PDF"},
    "list.format.boxes": {"en": "Pictures with boxes", "zh": "带框的图片"},
    "list.format.srt": {"en": "Subtitles of videos (SRT)", "zh": "视频字幕（SRT）"},
    "list.format.vtt": {"en": "Subtitles of videos (WebVTT)", "zh": "视频字幕（WebVTT）"},
    "list.format.page-xml": {"en": "PAGE-XML", "zh": "PAGE-XML"},
    "list.format.label-studio": {"en": "Label Studio", "zh": "Label Studio"},
    "list.format.ppocrlabel": {"en": "PPOCRLabel, PaddleOCR", "zh": "PPOCRLabel、PaddleOCR"},
    "list.format.coco-text": {"en": "COCO-Text", "zh": "COCO-Text"},
    "list.format.datasets": {"en": "datasets (parquet)", "zh": "datasets（parquet）"},
    "list.format.imagefolder": {"en": "ImageFolder", "zh": "ImageFolder"},
    "list.format.sft-a": {"en": "HunyuanOCR SFT, first form", "zh": "HunyuanOCR SFT，第一种格式"},
    "list.format.sft-b": {"en": "HunyuanOCR SFT, second form", "zh": "HunyuanOCR SFT，第二种格式"},
    "list.format.trl-sft": {"en": "TRL SFT", "zh": "TRL SFT"},
    "list.format.llama-factory": {"en": "LLaMA-Factory (SFT, DPO, KTO)", "zh": "LLaMA-Factory（SFT、DPO、KTO）"},
    "list.format.ms-swift": {"en": "ms-swift (SFT, DPO, KTO, GRPO)", "zh": "ms-swift（SFT、DPO、KTO、GRPO）"},
    "list.format.trl-dpo": {"en": "TRL DPO", "zh": "TRL DPO"},
    "list.format.trl-kto": {"en": "TRL KTO", "zh": "TRL KTO"},
    "list.format.verl": {"en": "verl, HunyuanOCR's kit (GRPO)", "zh": "verl，HunyuanOCR 官方工具（GRPO）"},
    "list.format.verl-plain": {"en": "verl (GRPO)", "zh": "verl（GRPO）"},
    "list.format.easyr1": {"en": "EasyR1 (GRPO)", "zh": "EasyR1（GRPO）"},
    "list.format.trl-grpo": {"en": "TRL GRPO", "zh": "TRL GRPO"},
    "list.group.files": {"en": "Files to read and to program with", "zh": "供阅读和编程的文件"},
    "list.group.tools": {"en": "Labelling and OCR tools", "zh": "标注与 OCR 工具"},
    "list.group.datasets": {"en": "Hugging Face", "zh": "Hugging Face"},
    "list.group.sft": {"en": "Training: to imitate the labels", "zh": "训练：模仿标注（SFT）"},
    "list.group.preference": {"en": "Training: better and worse answers", "zh": "训练：偏好（DPO、KTO）"},
    "list.group.reward": {"en": "Training: with a reward", "zh": "训练：奖励（GRPO）"},
    "list.example": {"en": "One record of this format", "zh": "该格式的一条记录"},
    "list.example.wait": {"en": "Being written …", "zh": "正在生成……"},
    "list.example.one": {
        "en": "A record of your own data, and how its trainer is given it:",
        "zh": "取自您的数据的一条记录，以及训练器的启动方式：",
    },
    "list.example.no_text": {"en": "This format is not text.", "zh": "该格式不是文本。"},
    "list.example.none": {"en": "There is none: {reason}", "zh": "没有记录：{reason}"},
    **EXPORT_TEXTS,
    # Two readings beside each other
    "compare.again": {"en": "Read again with", "zh": "换引擎再识别"},
    "compare.go": {"en": "Read again and compare", "zh": "再识别并对比"},
    "compare.go.title": {
        "en": "Reads the picture once more, with this engine and the template on the left. This result stays.",
        "zh": "用此引擎和左侧的模板再识别一次，当前结果保留。",
    },
    "compare.try": {"en": "Try others", "zh": "试用其他方式"},
    "compare.try.title": {
        "en": "Try others side by side: other templates, versions, engines or sampling, all at once",
        "zh": "并排试用其他方式：同时用其他模板、版本、引擎或采样识别这张图片",
    },
    "compare.earlier": {"en": "Other readings", "zh": "其他识别结果"},
    "compare.open": {"en": "Compare", "zh": "对比"},
    "compare.waiting": {"en": "Waiting for {engine}…", "zh": "正在等待 {engine}…"},
    "compare.running": {
        "en": "{engine} reads the picture: {lines|line|lines}, {seconds} s",
        "zh": "{engine} 正在识别：{lines} 行，{seconds} 秒",
    },
    "compare.running_tokens": {
        "en": "{engine} reads the picture: {tokens|token|tokens}, {seconds} s",
        "zh": "{engine} 正在识别：{tokens} 个词元，{seconds} 秒",
    },
    "compare.failed": {
        "en": "{engine} did not read the picture. {message} The result below stays as it is.",
        "zh": "{engine} 未能识别。{message} 下方的结果保持不变。",
    },
    "compare.stopped": {
        "en": "The second reading was stopped before anything was read. The result below stays as it is.",
        "zh": "第二次识别在读出内容之前已停止。下方的结果保持不变。",
    },
    "compare.not_loaded": {
        "en": "The comparison cannot be shown. {message}",
        "zh": "无法显示对比。{message}",
    },
    "compare.title": {"en": "Two readings of this picture", "zh": "同一图片的两次识别"},
    "compare.equal": {"en": "Both say the same.", "zh": "两次结果完全相同。"},
    "compare.nothing": {"en": "Neither found any text.", "zh": "两次都没有识别出文本。"},
    "compare.summary": {
        "en": "{differing} of {total|row|rows} differ, {characters|character|characters} of the text",
        "zh": "{total} 行中有 {differing} 行不同，文本相差 {characters} 个字符",
    },
    "compare.next": {"en": "Next difference (N)", "zh": "下一处不同（N）"},
    "compare.previous": {"en": "Previous difference (P)", "zh": "上一处不同（P）"},
    "compare.only": {"en": "Only differences", "zh": "只看不同"},
    "compare.close": {"en": "Close the comparison (Esc)", "zh": "关闭对比（Esc）"},
    "compare.keep": {"en": "Correct this one", "zh": "以此为准改正"},
    "compare.keep.title": {
        "en": "Opens this reading for correction; the other one stays in the dataset.",
        "zh": "打开此结果进行改正；另一结果仍保留在数据集中。",
    },
    "compare.corrected": {"en": "corrected, version {version}", "zh": "已改正，版本 {version}"},
    "compare.outcome.stopped": {"en": "stopped before its end", "zh": "中途停止"},
    "compare.outcome.cut": {"en": "cut off, the end is missing", "zh": "被截断，结尾缺失"},
    "compare.outcome.failed": {"en": "failed before its end", "zh": "中途失败"},
    "compare.read_at": {"en": "read at {size}", "zh": "以 {size} 识别"},
    "compare.seconds": {"en": "{seconds} s", "zh": "{seconds} 秒"},
    "compare.how": {"en": "How they differ", "zh": "差异"},
    "compare.section.fields": {"en": "Fields", "zh": "字段"},
    "compare.section.lines": {"en": "Lines", "zh": "文本行"},
    "compare.section.tables": {"en": "Rows of tables", "zh": "表格行"},
    "compare.section.text": {"en": "Text", "zh": "全文"},
    "compare.state.same": {"en": "the same", "zh": "相同"},
    "compare.state.alike": {"en": "written otherwise, counts as equal", "zh": "写法不同，按相同计"},
    "compare.state.text": {"en": "different text", "zh": "文本不同"},
    "compare.state.box": {"en": "different place", "zh": "位置不同"},
    "compare.state.order": {"en": "different order", "zh": "顺序不同"},
    "compare.state.left": {"en": "in A alone", "zh": "只在 A 中"},
    "compare.state.right": {"en": "in B alone", "zh": "只在 B 中"},
    "compare.missing": {"en": "not there", "zh": "没有"},
    "compare.no_row": {"en": "no row of its own", "zh": "不单独成行"},
    "compare.empty": {"en": "empty", "zh": "空"},
    "compare.picture": {"en": "Picture with the boxes of both readings", "zh": "图片与两次识别的文本框"},
    "compare.legend.left": {"en": "A: solid", "zh": "A：实线"},
    "compare.legend.right": {"en": "B: dashed", "zh": "B：虚线"},
    "compare.zoom_in": {"en": "Zoom in", "zh": "放大"},
    "compare.zoom_out": {"en": "Zoom out", "zh": "缩小"},
    # Values of the lists in domain/review.py and domain/recognition.py
    "verdict.right": {"en": "right", "zh": "正确"},
    "verdict.wrong": {"en": "wrong", "zh": "有误"},
    "verdict.none": {"en": "not judged", "zh": "未评定"},
    "state.pending": {"en": "pending", "zh": "待处理"},
    "state.in_progress": {"en": "in progress", "zh": "处理中"},
    "state.submitted": {"en": "submitted", "zh": "已提交"},
    "state.accepted": {"en": "accepted", "zh": "已通过"},
    "state.rejected": {"en": "rejected", "zh": "已退回"},
    "state.skipped": {"en": "skipped", "zh": "已跳过"},
    "kind.missing_line": {"en": "missing line", "zh": "漏行"},
    "kind.invented_line": {"en": "invented line", "zh": "多余行"},
    "kind.wrong_character": {"en": "wrong character", "zh": "错字"},
    "kind.look_alike": {"en": "look-alike character", "zh": "形近字"},
    "kind.wrong_order": {"en": "wrong order", "zh": "顺序错"},
    "kind.box_off": {"en": "box off", "zh": "框不准"},
    "kind.format_broken": {"en": "format broken", "zh": "格式错"},
    "kind.repeated": {"en": "repeated", "zh": "重复"},
    "kind.other": {"en": "other", "zh": "其他"},
    **SAMPLE_TEXTS,
    **CONTEST_WORDS,
}


def words(language: str) -> dict[str, str]:
    """The whole table in one language ("en" or "zh")."""
    return {key: entry[language] for key, entry in TEXTS.items() if language in entry}


def choose_language(accept_language: str, cookie: str | None = None) -> str:
    """The page's language: the one chosen before, else the first of the browser's that the table has, else English.

    Args:
        accept_language: the HTTP header, for example ``zh-CN,zh;q=0.9,en;q=0.8``.
    """
    if cookie in LANGUAGES:
        return cookie
    ranked = sorted(map(_weighted, filter(None, accept_language.split(","))), key=lambda pair: -pair[1])
    return next((tag for tag, weight in ranked if tag in LANGUAGES and weight > 0), "en")


def _weighted(part: str) -> tuple[str, float]:
    tag, _, quality = part.strip().partition(";q=")
    try:
        weight = float(quality) if quality else 1.0
    except ValueError:
        weight = 0.0
    return tag.split("-")[0].lower(), weight
