"""Errors and warnings in the language of the page.

Their English words stand where they arise, with the values they speak of. The Chinese ones stand here, by code. Their
`{placeholders}` are details of the error or warning: `{limit:bytes}` and `{limit:pixels}` write a number as people do,
`{what:name}` takes the name from a table, `{reasons:reasons}` tells why items are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ocr_ui.domain.amounts import bytes_text, pixels_text
from ocr_ui.domain.counted import fill
from ocr_ui.domain.review import State
from ocr_ui.errors import WorkbenchError
from ocr_ui.logs import to_look_for
from ocr_ui.services.view import error_value
from ocr_ui.ui.label_messages import LEFT_OUT_ZH, PROBLEMS_ZH
from ocr_ui.ui.template_messages import FAULTS_ZH
from ocr_ui.ui.texts import TEXTS

BLANK = re.compile(r"\{(\w+)(?::(\w+))?\}")

NAMES_ZH: dict[str, str] = {
    "ZIP (or a Word, Excel or OpenDocument file)": "ZIP（或 Word、Excel、OpenDocument）",
    "old Word or Excel": "旧版 Word 或 Excel",
    "icon": "图标",
    "rich text": "RTF 文本",
    "video": "视频",
    "HTML or XML": "HTML 或 XML",
    "lines": "行",
    "regions": "个区域",
    "fields": "个字段",
    "tables": "个表格",
    "warnings": "条警告",
    "characters": "个字符",
    "read": "查看",
    "recognize": "识别",
    "annotate": "标注",
    "review": "复核",
    "admin": "管理",
    "stopped": "已停止",
    "cut": "被截断",
    "failed": "失败",
    **{state: TEXTS[f"state.{state}"]["zh"] for state in State},
}
"""English names that occur as details; those that are names everywhere (JPEG, Photoshop) are taken as they are."""


def left_out_zh(reasons: list[dict[str, Any]]) -> str:
    """Reasons of `ocr_ui.exports.reasons` with the number of items that each is true of."""
    return "；".join(f"{_left_out(reason)}（{reason['count']} 个）" for reason in reasons)


def _left_out(reason: dict[str, Any]) -> str:
    code, details = reason["code"], reason["details"]
    if code in LEFT_OUT_ZH:
        return fill_in(LEFT_OUT_ZH[code], details)
    problem = PROBLEMS_ZH.get(code)
    return reason["message"] if problem is None else f"标签无法评分：{fill_in(problem, details).rstrip('。')}"


def _labels_zh(labels: list[dict[str, Any]]) -> str:
    """Labels that were not imported, each with its place and why."""
    told = "；".join(f"{_place_zh(label['source'])}：{_left_out(label)}" for label in labels)
    return f"{told}。" if told else ""


def _place_zh(source: str) -> str:
    """`data.jsonl, line 3` and `tasks.json, task 5`."""
    return re.sub(r", task (\S+)$", r" 的任务 \1", re.sub(r", line (\d+)$", r" 第 \1 行", source))


def _problem_zh(error: dict[str, Any]) -> str:
    said = localize_error(error, "zh")["message"]
    return said.rstrip("。")


def _fault_zh(fault: dict[str, Any]) -> str:
    """What is wrong with a template, within a sentence."""
    sentence = FAULTS_ZH.get(fault["code"]) or ERRORS_ZH[fault["code"]]
    return fill_in(sentence, fault["details"]).rstrip("。")


FORMS: dict[str, Callable[[Any], str]] = {
    "bytes": bytes_text,
    "pixels": lambda number: pixels_text(number, "zh"),
    "percent": lambda share: f"{share:.1%}",
    "name": lambda name: NAMES_ZH.get(name, str(name)),
    "reasons": left_out_zh,
    "left_out": _left_out,
    "labels": _labels_zh,
    "place": _place_zh,
    "problem": _problem_zh,
    "fault": _fault_zh,
}

FOR_ADMINISTRATOR = "For the administrator: {hint}"
ADMINISTRATOR = frozenset(
    {
        "no_login_elsewhere",
        "bad_trusted_proxies",
        "no_templates",
        "tls_unusable",
        "bad_clamd_address",
        "bad_judge_url",
        "bad_webhook_url",
        "no_webhook",
        "bad_database_url",
        "damaged_picture",
        "database_away",
        "database_login",
        "database_no_right",
        "database_read_only",
        "database_unknown",
        "decoder_unavailable",
        "disk_full",
        "engine_closed",
        "engine_did_not_start",
        "engine_given_up",
        "engine_load_failed",
        "engine_not_installed",
        "engine_not_started",
        "engine_out_of_memory",
        "engine_silent",
        "engines_file_missing",
        "example_not_read",
        "foreign_host",
        "gpu_memory_taken",
        "hub_offline",
        "internal",
        "key_not_ascii",
        "llama_ended",
        "nothing_stored",
        "llama_file_missing",
        "llama_not_gguf",
        "llama_not_loaded",
        "llama_port_in_use",
        "llama_server_missing",
        "log_file_unusable",
        "missing_picture",
        "model_broke_off",
        "model_damaged",
        "model_file_missing",
        "model_folder_missing",
        "model_gated",
        "model_missing",
        "model_no_room",
        "model_not_written",
        "model_revision_too_old",
        "model_unknown",
        "model_without_config",
        "model_without_vision",
        "model_without_weights",
        "no_base_url",
        "no_draft_model",
        "no_judge_prompt",
        "out_of_memory",
        "out_of_memory_again",
        "bad_pictures_url",
        "picture_cut",
        "picture_over_budget",
        "picture_over_server",
        "pictures_away",
        "pictures_mixed_up",
        "cannot_listen",
        "port_in_use",
        "scan_too_large",
        "scanner_away",
        "server_not_openai",
        "server_unreachable",
        "server_without_model",
        "store_broken",
        "store_failed",
        "store_newer",
        "store_not_installed",
        "store_read_only",
        "store_unreachable",
        "template_broken",
        "too_little_gpu_memory",
        "vllm_untested",
        "wrong_key",
    }
)
"""Errors of which nobody can mend on the page what caused them: both languages say whom to ask."""

ERRORS_ZH: dict[str, str] = {
    "bad_batch_file": "{file} 没有说明属于哪个批次。请换一个文件夹。",
    "batch_paused": "批次已暂停。再次运行同一命令即可继续。",
    "no_items": "没有指定条目。请选择数据集中的条目。",
    "not_agreed": "未删除任何内容。请加上 --yes。",
    "blank_filter": "筛选条件 {name} 没有值，会选中全部条目，因此未删除任何内容。请写成 {name}=值。",
    "nothing_stored": "{folder} 中没有数据。请管理员把 OCR_UI_DATA_DIR 设为服务器所用的文件夹。",
    "nothing_named": "请指定条目编号，或用筛选条件选择条目。",
    "nothing_to_delete": "没有符合筛选条件的条目。请换一个筛选条件。",
    "other_batch": "{folder} 中是另一批次的结果。请换一个文件夹，或按原来的参数运行。",
    "passwords_differ": "两次输入的密码不同。请重试。",
    "bad_days_kept": "图片可保留 1 到 {most} 天，或一直保留。请用 --days N 指定天数。",
    "no_login_elsewhere": "监听 {host} 时，任何能连到本机的人都可以进入，因为没有登录。请管理员设置 OCR_UI_AUTH=password（见 docs/access.md）；若完全信任该网络，可设置 OCR_UI_ALLOW_NO_LOGIN=1。",
    "bad_trusted_proxies": "可信代理的地址无法读取：{reason}。请管理员更正 OCR_UI_TRUSTED_PROXIES：写地址或网段，用逗号分隔。",
    "bad_scope": "{value} 不是权限范围。可选：{allowed}。",
    "bad_role": "{value} 不是角色。可选：{allowed}。",
    "bad_password": "密码应有 {least} 到 {most} 个字符。请换一个。",
    "bad_days": "密钥的有效期为 1 到 {most} 天。",
    "bad_key_name": "密钥需要一个简短的名称。请按用途命名。",
    "too_many_frames": "视频画面下部变化了 {frames} 次，最多识别 {limit} 帧。请分段提交，或指定页码（帧从 1 起计）。",
    "too_many_in_form": "一个表单最多 {limit} 个文件。请分几个表单提交：先用 start=false 建立批次，再用 /v1/jobs/N/files 添加，最后 /v1/jobs/N/resume。",
    "unknown_key": "没有密钥 {key}。",
    "unknown_account": "没有名为 {name} 的账户。请查看账户列表。",
    "not_oneself": "不能更改自己的权限。请其他管理人员操作。",
    "account_exists": "已有名为 {name} 的账户。仅大小写或全半角不同的名称视为相同，请换一个名称。",
    "bad_account_name": "账户需要一个名称，不能是 . 或 ..。",
    "too_often": "操作过于频繁：每分钟最多 {most} 次。请在 {seconds} 秒后继续。",
    "too_many_logins": "密码输错次数过多。请在 {seconds} 秒后重试。",
    "video_is_no_picture": "这是视频，不是图片。请在“批量”页提交。",
    "video_too_long": "视频长 {minutes} 分钟，最多接受 {limit} 分钟。请分段提交。",
    "video_without_picture": "文件只有声音，没有画面。请选择视频文件。",
    "video_without_text": "该视频画面下部没有类似文字的内容。若文字在其他位置，请提交单张图片。",
    "wrong_password": "姓名与密码不匹配。请重试。",
    "no_such_files": "此处既不提供也不接收文件。请使用本产品自己的页面。",
    "not_your_tab": "此标签页属于其他人。请刷新页面。",
    "not_by_key": "不能用 API 密钥进行此操作。请用浏览器登录。",
    "not_allowed": "您的角色没有“{action:name}”权限。请联系本产品的管理人员。",
    "not_logged_in": "尚未登录。请登录，或发送 API 密钥。",
    "tls_unusable": "https 的证书和密钥无法使用：{reason}。请管理员更正 OCR_UI_TLS_CERT 和 OCR_UI_TLS_KEY。",
    "unsupported_media_type": "该地址不接受这种类型的内容。请按 docs/rest.md 填写 Content-Type。",
    "nothing_came": "引擎 {engine} 在 {seconds} 秒内没有任何回答，什么也没有识别出来。请再试一次；如果还是这样，请换小一些的图片或其他引擎。",
    "request_timeout": "{seconds} 秒内没有读完这张图片。请换小一些的图片；页数多时请使用批处理。",
    "server_stopping": "服务器正在停止。请稍后再试。",
    "too_many_requests": "正在处理的图片请求已达 {most} 个。请稍后再试。",
    "unknown_preprocess": "没有预处理 {wanted}。可选：{known}；步骤可用逗号连接。",
    "unknown_model": "没有模型 {model}。可选：{known}。",
    "chat_not_possible": "页面识别不支持此请求（{what}）。请参阅 docs/rest.md。",
    "bad_base64": "图片不是有效的 base64。请把文件内容编码为 base64。",
    "bad_choice": "此处不能选择 {take}。",
    "bad_client_key": "保存请求的标识无效。请刷新页面后重试。",
    "bad_content": "页面内容的格式不正确，无法保存（{where}）。请刷新页面后重试。",
    "bad_date": "{value} 不是有效日期。请写成 2026-01-31 的形式。",
    "bad_filter_name": "请为保存的筛选条件取一个名称。",
    "bad_filter_value": "{name} 不能取值 {value}。可选：{allowed}。",
    "bad_holder": "占用标识无效。请刷新页面。",
    "bad_judge_url": "{url} 不是服务器地址。请管理员把 OCR_UI_JUDGE_URL 设为 http://主机/v1。",
    "absolute_elsewhere": "本机的绝对路径在别处没有意义。请使用相对路径推送。",
    "bad_hub_token": "令牌中含有令牌不会有的字符。请从 https://huggingface.co/settings/tokens 重新复制。",
    "bad_licence": "许可证为一行，最多 {limit} 个字符。请写它的简称（如 cc-by-4.0）或文本地址。",
    "bad_page_range": "{value} 没有指明页码。请写成 1-3,7 或 5- 的形式。",
    "bad_priority": "没有优先级 {value}。可选：{allowed}。",
    "bad_rule": "规则 {number} 无法使用：{reason}。请修改。",
    "no_webhook": "没有可以通知的地址。请管理员设置 OCR_UI_BATCH_WEBHOOK，或不要求通知。",
    "bad_webhook_url": "OCR_UI_BATCH_WEBHOOK 不是地址。请管理员设为 https://主机/路径，或留空。",
    "item_frozen": "其中 {items} 个条目属于冻结版本 {versions}，未删除任何内容。可选择连同版本中的条目一起删除，版本会注明缺少几个条目。",
    "job_ended": "批次 {job} 已结束。请新建一个批次。",
    "job_task_lost": "此页已由另一进程识别。",
    "missing_upload": "提交的文件已不存在。请重新提交。",
    "no_files": "没有文件。请选择图片、文档、文件夹或 zip 压缩包。",
    "pages_not_there": "文档共 {pages} 页，没有所指定的页。请选择其他页。",
    "too_many_files": "该批次有 {files} 个文件或页面，最多 {limit} 个。请分成几个批次。",
    "unknown_job": "没有批次 {job}。请新建一个批次。",
    "zip_bad_name": "压缩包中有指向其外部的文件：{name}。请用普通程序重新打包。",
    "zip_damaged": "压缩包已损坏或不完整。请重新复制或打包。",
    "zip_empty": "压缩包中没有文件。请打包图片或 PDF 文件。",
    "zip_encrypted": "压缩包有密码保护。请不带密码打包。",
    "zip_file_damaged": "压缩包中的此文件无法解压。请重新打包。",
    "zip_nested": "不会打开压缩包中的压缩包。请单独提交它。",
    "zip_ratio": "压缩包解压后是其大小的 {ratio} 倍，最多 {limit} 倍。请直接提交文件。",
    "zip_too_large": "压缩包解压后有 {bytes:bytes}，最多 {limit:bytes}。请分几次提交。",
    "zip_too_many": "压缩包中有 {files} 个文件，最多 {limit} 个。请分几次提交。",
    "bad_picture_id": "图片标识应为 64 位十六进制数，即其页面的 sha256。",
    "bad_ranking": "排序要包含两个或更多回答，每个一次。请重新排序。",
    "bad_sample_count": "不能要求 {n} 个回答。请在 1 到 {most} 之间选择。",
    "bad_push_target": "{target} 不是可以推送的位置。请写 hub:用户/名称（Hugging Face 数据集）、s3://桶/路径 一类的地址，或文件夹名称。",
    "bad_sampling": "采样设置无法使用（{reason}）。请修改模板。",
    "bad_size": "图片不可能是 {width} × {height} 像素。请给出大于 0 的宽和高。",
    "bad_variable": "{given} 不是“名称=值”的形式，或名称重复。",
    "bad_version_name": "{name} 不能作为版本名称。请使用最多 80 个字母、数字、点、下划线和连字符，并以字母或数字开头。",
    "choice_missing": "还有一处不同没有决定。请为每一处选择。",
    "claimed": "{person} 正在处理此页。请处理下一页；对方完成或超时后，此页会再次空出。",
    "client_key_reused": "同一标识已用于另一次保存。请刷新页面后重试。",
    "content_too_large": "页面内容过多：{number} {what:name}，最多保存 {limit}。",
    "damaged": "{format} 文件已损坏或不完整，无法读出任何内容。请重新复制或下载。",
    "damaged_picture": "数据文件夹中的图片文件已损坏。请管理员从备份恢复。",
    "backup_not_empty": "文件夹 {folder} 不是空的。请指定一个新文件夹。",
    "backup_broken": "备份已损坏：{file} 与写入时不同，没有恢复任何内容。请使用另一份备份。",
    "no_backup": "{folder} 中没有完整的备份。请指定 backup 写入的文件夹。",
    "store_not_empty": "已有数据：{table} 中有 {rows} 行，没有任何改动。请恢复到空的存储，或使用 --force（会删除现有数据）。",
    "bad_database_url": "数据库地址无法使用（{reason}）。请管理员把 OCR_UI_DATABASE_URL 设为 postgresql+psycopg://用户:密码@主机/数据库；留空则使用 SQLite。",
    "database_away": "无法连接数据库，没有保存任何内容。请稍后再试；若一直如此，请管理员检查数据库是否在运行，以及 OCR_UI_DATABASE_URL。",
    "database_login": "数据库拒绝了用户名或密码，没有保存任何内容。请管理员检查 OCR_UI_DATABASE_URL 中的这两项。",
    "database_unknown": "服务器上没有这个名称的数据库，没有保存任何内容。请管理员创建它，或更正 OCR_UI_DATABASE_URL 中的名称。",
    "database_no_right": "数据库不允许其用户执行此操作，没有保存任何内容。请管理员检查该用户的权限和服务器的 pg_hba.conf。",
    "database_read_only": "数据库不可写。请管理员检查其用户的权限，以及它是否是只读副本。",
    "decode_timeout": "解码超过 {seconds} 秒，已停止。请把图片存得更小或更简单，例如 JPEG 或 PNG。",
    "decoder_busy": "正在打开的图片太多。请稍后再试。",
    "decoder_crashed": "该文件使解码程序崩溃：文件已损坏或带有恶意。请用其他程序打开并另存，例如存为 PNG。",
    "decoder_fault": "打开图片时程序出错。请报告此问题。",
    "decoder_unavailable": "图片解码进程无法启动。请管理员查看日志。",
    "disk_full": "磁盘已满，没有保存任何内容。请管理员清理空间，然后重新保存。",
    "box_too_small": "框太小，放不下文字。请围绕文字画框。",
    "unknown_line": "引擎没有识别过行 {id}。",
    "unknown_lines": "此页没有行 {id}。请刷新页面。",
    "duplicate_line_id": "有两行使用了同一标识 {id}。请刷新页面后重试。",
    "edited_meanwhile": "在您修改期间，{person} 已保存了此页（版本 {version}）。双方内容都未丢失：请比较两个版本后再保存。",
    "empty_comment": "评论为空。请写下其他人需要知道的内容。",
    "empty_file": "文件为空（0 字节）。请重新选择文件，它可能没有保存成功。",
    "empty_prompt": "提示词为空。请输入，或还原模板自带的文本。",
    "engine_closed": "引擎已关闭。请管理员重新启动本产品。",
    "engine_dead": "引擎没有运行。请稍后再试，或换一个引擎。",
    "engine_did_not_start": "vLLM 未能启动：{reason}。详情见日志。请管理员更正 {settings}。",
    "engine_died": "引擎在识别此页时停止，正在重启。请重新识别此页。",
    "engine_entry_broken": '{file} 的第 {number} 项缺少 name 或 kind。请在 [[engines]] 下写上 name = "..." 和 kind = "..."。',
    "engine_failed": "引擎出错（{reason}）。请重试；若仍出错，请换一个引擎或更小的图片。",
    "engine_given_up": "引擎已停止，{times} 次重启均失败。原因见日志。请管理员更正设置后重新启动本产品。",
    "engine_key_missing": "{file}：存放引擎 {name} 密钥的环境变量 {variable} 没有设置。请设置它，或更正 api_key_env。",
    "engine_kind_unknown": "{file}：引擎 {name} 的类型 {kind} 不存在。可选：{known}。",
    "engine_load_failed": "引擎未能加载（{reason}）。请管理员查看日志，或换一个引擎。",
    "engine_loading": "引擎仍在加载。请稍后再试。",
    "engine_name_bad": "{file}：{name} 不能作引擎名称：长度为 1 到 {limit} 个可见字符，前后无空格，也不能是其他引擎类型的名称。",
    "engine_name_twice": "{file}：有两个引擎都叫 {name}。请各取不同的名称。",
    "engine_never_varies": "引擎 {engine} 对同一张图片每次给出相同的回答。请选择带模型的引擎。",
    "engine_not_installed": "引擎 {engine} 未安装。请管理员运行：{command}",
    "engine_not_started": "引擎 {engine} 未能启动（{reason}）。请管理员查看日志，或换一个引擎。",
    "engine_put_away": "为了给引擎 {other} 腾出显存，引擎 {engine} 已停止。再次选择它时会重新启动。",
    "engine_in_the_way": "引擎 {other} 正在识别页面，没有足够的显存启动引擎 {engine}。请等这些页面识别完后再选择 {engine}。",
    "engine_out_of_memory": "显存不足，vLLM 未能启动：{reason}。"
    "请管理员调低 OCR_UI_MAX_MODEL_LEN、OCR_UI_MAX_NUM_SEQS 或 OCR_UI_MAX_NUM_BATCHED_TOKENS，或结束占用显卡的其他程序。",
    "engine_process_ended": "引擎的进程已结束，正在重启。",
    "engine_setting_unknown": "{file}：{kind} 类引擎没有设置 {settings}（引擎 {name}）。可用：{known}。",
    "engine_setting_wrong": "{file}：引擎 {name} 的设置 {setting} 有误：{reason}。",
    "engine_silent": "引擎没有任何响应。如果大图片时经常如此，请管理员调高 OCR_UI_SILENCE_TIMEOUT。",
    "engine_slow": "有一页用时过长。正在检查引擎。",
    "engines_file_broken": "{file} 不是 TOML 格式的引擎列表：{reason}。示例见 docs/engines.md。",
    "engines_file_missing": "无法读取 {file}（{reason}）。请管理员更正 OCR_UI_ENGINES_FILE。",
    "export_failed": "无法导出到 {folder}：{reason}。请检查空间和写入权限。",
    "example_not_read": "引擎在运行，但未能读取示例 {example}：{reason}。若其他页面也失败，请管理员调低 OCR_UI_ENGINE_PIXELS 或调高 OCR_UI_MAX_MODEL_LEN；详情见日志。",
    "foreign_host": "本服务器的名称不是 {host}。请用 http://localhost 加端口打开，或请管理员把该名称写入 OCR_UI_ALLOWED_HOSTS。",
    "foreign_origin": "该请求来自其他网站。请打开本产品自己的页面。",
    "generation_failed": "引擎出错（{reason}）。请重新识别。",
    "sampling_out_of_range": "采样设置 {name} 不能为 {value}。请选择：{allowed}。",
    "greedy_samples": "温度为 0 时所有回答都相同。请提高温度。",
    "gpu_memory_taken": "需要 {asked} GB 显存，但只有 {free} GB 空闲，缺 {missing} GB。"
    "请管理员结束占用显卡的其他程序，或把 OCR_UI_GPU_MEMORY_UTILIZATION 设为 {share} 或更低。",
    "guidelines_changed": "在您编辑期间，{person} 修改了指南。您的文字仍在：请查看对方的版本后再保存。",
    "hub_is_public": "数据集 {repository} 已存在且公开，没有发送任何内容。请在 Hugging Face 上把它设为私有，换一个名称，或选择公开推送。",
    "hub_offline": "Hugging Face 客户端被设为离线。请管理员从环境中去掉 HF_HUB_OFFLINE。",
    "hub_refused": "Hugging Face 不允许用此令牌写入 {repository}（HTTP {status}），那里没有任何改动。请提供有写权限的令牌：设环境变量 HF_TOKEN，或在本次推送时填写。",
    "log_file_unusable": "日志文件 {file} 无法写入：{reason}。请管理员更正 OCR_UI_LOG_FILE。",
    "internal": "服务器出错。请重试；若仍出错，请管理员在日志中查找 {request}。",
    "item_without_prompt": "条目 {item} 识别时没有使用提示词，无法向模型提出同样的问题。请先用模板识别这张图片。",
    "key_not_ascii": "服务器的密钥含有不可用的字符。请管理员更正 OCR_UI_API_KEY 或引擎文件中的密钥：只用 ASCII 字符，写在一行内。",
    "llama_ended": "llama-server 已退出（{reason}）。请管理员检查 OCR_UI_LLAMA_MODEL 和 OCR_UI_LLAMA_MMPROJ。",
    "llama_file_missing": "{setting} 没有指向文件（{file}）。请管理员用 llama.cpp 的 convert_hf_to_gguf.py 转换 https://huggingface.co/tencent/HunyuanOCR（约 2 GB，Tencent Hunyuan Community License），再加 --mmproj 转换一次。",
    "llama_not_gguf": "{file} 不是 GGUF 文件。请管理员更正 {setting}：用 llama.cpp 的 convert_hf_to_gguf.py 转换 https://huggingface.co/tencent/HunyuanOCR（约 2 GB，Tencent Hunyuan Community License），再加 --mmproj 转换一次。",
    "llama_not_loaded": "llama-server 在 {seconds} 秒内没有加载完模型。请管理员换用更小的量化版本。",
    "llama_port_in_use": "端口 {port} 已被占用。请管理员停止占用它的程序，或把 OCR_UI_LLAMA_PORT 设为其他端口或 0。",
    "llama_server_missing": "找不到程序 {program}。请管理员安装 llama.cpp，并把 OCR_UI_LLAMA_SERVER 设为其中的 llama-server。",
    "infected": "病毒扫描在该文件中发现 {signature}。文件未保存。请不要转发该文件。",
    "scanner_away": "病毒扫描没有响应（{reason}），未经扫描不接收任何文件。请稍后再试；请管理员检查 clamd。",
    "scan_too_large": "文件超过病毒扫描的上限。请提供较小的文件，或请管理员调大 clamd 的 StreamMaxLength。",
    "bad_clamd_address": "{address} 不是 clamd 的地址。请管理员把 OCR_UI_CLAMD 设为 主机:端口 或套接字路径。",
    "malformed": "请求的格式不正确。请刷新页面后重试。",
    "method_not_allowed": "该地址不接受这种请求。可用的方法见 /docs。",
    "name_needed": "第二次复核需要姓名。请先输入您的姓名。",
    "no_second_review": "还没有其他人复核此页。",
    "no_such_guidelines": "没有这个版本的指南。",
    "not_found": "没有这个地址。供程序使用的地址见 /docs。",
    "bad_pictures_url": "图片存储的地址无法使用（{reason}）。请管理员把 OCR_UI_PICTURES_URL 设为 s3://存储桶/前缀 或其他 fsspec 地址，或留空。",
    "pictures_away": "无法连接图片存储。请稍后再试；若一直如此，请管理员检查它是否在运行，以及 OCR_UI_PICTURES_URL。",
    "picture_cut": "存储的图片与当初存入的不同。请管理员从备份恢复该文件。",
    "missing_picture": "该图片文件已不存在。请管理员从备份恢复。",
    "missing_variable": "模板 {template} 需要填写“{label}”（{variable}）。",
    "model_broke_off": "下载 {model} 的 {file} 时中断（{done}）：{reason}。请管理员在网络更好时重新启动本产品，下载会从中断处继续。",
    "model_damaged": "{model} 的 {file} 与模型库公布的校验和不符，已删除。请管理员重新启动本产品以重新下载；若仍然如此，说明传输途中有程序改动了文件。",
    "model_file_missing": "引擎 {engine} 缺少模型文件 {files}。请管理员重新安装：{command}",
    "model_folder_missing": "没有文件夹 {folder}。请管理员更正 OCR_UI_MODEL。",
    "model_gated": "模型库只向接受条款的人提供 {model}。请管理员在模型页面上接受条款，再把 HF_TOKEN 设为您的密钥，或更正 OCR_UI_MODEL。",
    "model_missing": "本机没有模型 {model}，网络也无法获取（{reason}）。请管理员在有网络的机器上运行：{command}，把该文件夹复制到这里，再让 OCR_UI_MODEL 指向它。",
    "model_no_room": "模型还需要 {folder} 中 {needed} GB 的空间，但只剩 {free} GB。请管理员清理空间，或把 HF_HOME 设为其他位置的文件夹。",
    "model_not_written": "模型无法写入 {folder}：{reason}。请管理员检查该文件夹的权限和空间，或把 HF_HOME 设为其他位置的文件夹。",
    "model_revision_too_old": "{folder} 中的分词器没有图片标记：模型版本过旧。请管理员获取最新版本（OCR_UI_MODEL_REVISION=main）。",
    "model_unknown": "模型库中没有 {model} 的版本 {revision}，或不公开。请管理员更正 OCR_UI_MODEL 和 OCR_UI_MODEL_REVISION。",
    "model_without_config": "{folder} 中没有可读的 config.json，不是模型文件夹。请管理员让 OCR_UI_MODEL 指向含 config.json 和权重的文件夹。",
    "model_without_vision": "{folder} 中的模型（{model_type}）不能看图。请管理员把 OCR_UI_MODEL 设为 tencent/HunyuanOCR 或其他视觉模型。",
    "model_without_weights": "{folder} 中缺少权重：{missing}。请管理员重新获取模型，或更正 OCR_UI_MODEL。",
    "no_base_url": "没有设置服务器地址。请管理员设置 OCR_UI_BASE_URL 或引擎文件中的 base_url。",
    "no_draft_model": "无法使用投机解码（{reason}）。请管理员设置 OCR_UI_DFLASH=auto。",
    "no_fetching": "本服务器不访问网址。请直接上传文件。",
    "no_judge_prompt": "无法读取评判提示词 {file}。请管理员放回该文件。",
    "no_pages": "文档至少要有一页。",
    "no_such_retry": "此结果不能这样重试。请点击“识别”。",
    "no_such_page": "没有第 {page} 页：文档共 {pages} 页。",
    "not_a_choice": "{value} 不是 {variable} 的可选值。可选：{allowed}。",
    "not_a_picture": "这不是图片。请提供 JPEG、PNG、WebP、TIFF、BMP、GIF、HEIC、AVIF 或 PDF 文件。",
    "not_reviewed": "还没有人复核此页。请先复核，或处理其他页。",
    "not_writable": "有一行无法用这种格式表示。请改用 JSON 格式。",
    "not_the_same_picture": "条目 {left} 和 {right} 识别的不是同一张图片。请比较同一张图片的两次识别。",
    "note_too_long": "备注有 {length} 个字符，最多保存 {limit} 个。",
    "broken_import": "{source:place}：{reason:left_out}。未导入任何内容。请修正文件或重新导出。",
    "nothing_to_import": "没有从 {folder} 导入任何 {format} 格式的标签。{reasons:labels}请检查文件夹和格式。",
    "broken_known_page": "{source} 没有说明图片上的内容：{reason}。请修正该文件。",
    "unknown_test_set": "没有名为 {name} 的文件夹、冻结版本或已保存的筛选。",
    "nothing_labelled": "{data} 中没有带可用标签的页面。",
    "too_many_competitors": "参评组合有 {count} 个，最多 {limit} 个。请减少模板或引擎。",
    "no_competitors": "没有参评者。请选择模板和引擎。",
    "unknown_contest": "没有评测 {contest}。请新建一个。",
    "contest_ended": "评测 {contest} 已结束。请新建一个；已识别的内容会保留。",
    "unknown_competitor": "运行 {run} 中没有参评者 {key}。请从其表格中选择。",
    "page_gone": "运行 {run} 的第 {page} 页已不存在：其页面集在那之后已更改或删除。",
    "no_report": "运行 {run} 不是准确度评测，没有报告。请下载其 JSON。",
    "nothing_to_compare": "没有页面说明 {competitor} 应当读出什么。请选择与标签相符的模板，或其他页面。",
    "bad_drift_days": "不能查看 {value} 天。请选择 1 到 {most} 天。",
    "bad_heights": "{heights} 不是文字高度。请给出 4 到 200 之间的像素数。",
    "bad_loss": "{value} 不是可以接受的错误率增幅。请选择 0 到 1 之间（不含 1）的数，如 0.005。",
    "bad_miss_rate": "{value} 不是允许漏掉的错误比例。请选择 0 到 1 之间（不含 1）的数，如 0.05。",
    "nothing_to_calibrate": "模板 {template} 没有带置信度且已改正或判为正确的页面。请先复核一些页面。",
    "bad_slo": "{value} 不是延迟界限。请写 p50、p95 或 p99 和时间，如 p99=500ms。",
    "bad_layout": "没有页面类型 {value}。可用：{allowed}。",
    "bad_bound": "{value} 不是有效的界限。请写 指标=数值，指标可用：{allowed}。",
    "bad_normalization": "{value} 不是可以统一的内容。可用：{allowed}。",
    "unknown_run": "没有运行记录 {run}。请从列表中选择。",
    "bad_fact": "这不是关于页面的事实：{fact}。请写明类型（present、absent、order、cell、math）和文本。",
    "bad_split": "无法按 {value} 划分数据。请写两到三个相加为 1 的比例，如 0.9/0.05/0.05。",
    "no_parts": "格式 {format} 不支持划分。请去掉划分比例，或选择用于训练的格式。",
    "nothing_fits": "{count} 个条目都无法写成 {format}，未写入任何内容。原因：{reasons:reasons}。",
    "nothing_to_freeze": "没有符合条件的条目，未冻结任何内容。请放宽筛选条件。",
    "failure_deleted": "此处的失败记录已随条目一起删除。",
    "nothing_was_read": "批次 {job} 还没有识别成功的页面。请查看失败原因并重新识别，或等待第一页完成。",
    "nothing_to_export": "没有符合条件的条目，未写入任何内容。请放宽筛选条件。",
    "nothing_to_sample": "数据集中没有符合筛选条件的条目。请换一个筛选条件。",
    "body_stopped": "请求中断了 {seconds} 秒。请在稳定的网络上重试。",
    "no_templates": "{folder} 中没有模板。请管理员更正 OCR_UI_PROMPTS_DIR。",
    "settings_unreadable": "无法读取 .env 文件：{reason}。请将其保存为本用户可读的 UTF-8 文本。",
    "number_too_large": "数字过大，无法保存。请刷新页面后重试。",
    "out_of_memory": "引擎识别此页时内存不足。请管理员调低 OCR_UI_ENGINE_PIXELS 或 OCR_UI_MAX_NUM_SEQS。",
    "out_of_memory_again": "引擎识别此页时内存不足，像素减半后仍然不足；可以试着只识别页面的一部分。"
    "请管理员调低 OCR_UI_MAX_NUM_SEQS 或 OCR_UI_ENGINE_PIXELS。",
    "other_picture": "该识别结果属于另一张图片。",
    "pdf_empty": "该 PDF 没有页面。请选择其他文件。",
    "pdf_encrypted": "该 PDF 有密码保护。请另存一份没有密码的副本。",
    "pdf_page_unusable": "PDF 第 {page} 页无法绘制：页面已损坏或没有尺寸。请打印为新的 PDF，或以图片提供。",
    "picture_over_budget": "图片和提示词超出引擎设置。请换一张更小的图片，"
    "或请管理员调高 OCR_UI_MAX_MODEL_LEN 和 OCR_UI_MAX_NUM_BATCHED_TOKENS，或调低 OCR_UI_ENGINE_PIXELS。",
    "picture_over_server": "图片和提示词超出服务器 {url} 的设置：{reason}。请管理员调低 OCR_UI_ENGINE_PIXELS，或调高该服务器的 --max-model-len。",
    "picture_too_narrow": "图片的长宽比超过 200。请裁成几部分。",
    "pictures_mixed_up": "vLLM {version} 会混淆同时读取的图片。请管理员安装没有此问题的版本。",
    "cannot_listen": "无法在 {host}:{port} 上监听（{reason}）。请管理员更正 OCR_UI_HOST 或 OCR_UI_PORT。",
    "port_in_use": "端口 {port} 无法监听。请管理员停止占用它的程序，或用 OCR_UI_PORT 换一个端口。",
    "push_failed": "向 {target} 的推送中断：{reason}。{files} 个文件中已发送 {sent} 个。请再次推送：已发送的不会重复发送。",
    "queue_full": "等待引擎的任务太多。请稍后再试。",
    "reading_failed": "识别此页时出错（{reason}）。请重试。",
    "refused_by_engine": "引擎拒绝了此页：{reason}。请试试较小的图片。",
    "reviewed_meanwhile": "在您处理期间，{person} 已复核了此页。双方内容都未丢失：请查看该复核后再决定。",
    "reward_column_missing": "数据集中没有这些列中的任何一列：{names}。请添加一列。",
    "reward_file_missing": "没有奖励函数文件 {file}。请写成 path.py:compute_score 的形式。",
    "reward_text_too_long": "文本有 {length} 个字符，最多对 {limit} 个字符计算奖励。",
    "rollout_job_running": "批次 {job} 正在运行。请等它结束，或先停止它。",
    "rollout_task_done": "条目 {item} 已由他人采样。",
    "same_person": "{person} 已经第一个复核了此页。第二次复核须由另一人进行。",
    "second_meanwhile": "在您合并期间，{person} 又复核了此页。请再看一遍。",
    "server_busy": "服务器 {url} 正忙。请稍后再试。",
    "server_error": "服务器 {url} 出错（{reason}）。请重试。",
    "server_not_openai": "{url} 有响应，但不是 OpenAI 协议的服务器。请管理员更正 OCR_UI_BASE_URL 或引擎文件中的 base_url，它通常以 /v1 结尾。",
    "server_unreachable": "无法连接 {url}（{reason}）。请管理员启动服务器，或更正 OCR_UI_BASE_URL 或引擎文件中的 base_url。",
    "server_without_logprobs": "服务器 {url} 不提供词元概率（{reason}）。请在本次运行中关闭“置信度”。",
    "server_without_model": "服务器 {url} 没有模型 {model}。请管理员更正 OCR_UI_MODEL 或 OCR_UI_BASE_URL，或引擎文件中的 model 或 base_url。",
    "special_token_in_prompt": "提示词中含有模型自用的标记 {token}。请删去它。",
    "state_not_allowed": "{old:name}的条目不能变为{new:name}。",
    "store_broken": "数据库文件已损坏或不是数据库。请管理员从备份恢复。",
    "store_failed": "存储拒绝了该操作，没有保存任何内容。请管理员查看日志。",
    "store_locked": "数据库正忙于保存其他内容，本次没有保存任何内容。请稍后再试。",
    "store_newer": "数据库由更新的版本创建（{revision}）。请管理员启动该版本。",
    "store_read_only": "数据文件夹不可写。请管理员检查其权限，以及 OCR_UI_DATA_DIR 或 OCR_UI_PICTURES_URL。",
    "store_unreachable": "无法打开数据文件夹。请管理员检查它是否存在，以及 OCR_UI_DATA_DIR 或 OCR_UI_PICTURES_URL。",
    "store_not_installed": "未安装写入 {scheme}:// 所需的组件。请管理员运行：{told}",
    "stream_broken": "{url} 的回答中断（{reason}）。请重新识别此页。",
    "task_not_possible": "引擎 {engine} 无法完成模板 {template} 的任务。请选择能完成它的引擎（vllm、openai 或 llama），或使用模板 full_text。",
    "no_own_templates": "还没有自定义模板。请先复制一个内置模板。",
    "not_a_template": "{file} 不是模板文件，文件名须以 .md 结尾。",
    "too_many_templates": "文件过多：{count} 个，最多 {limit} 个。请分批导入。",
    "template_bad_description": "描述最多 {limit} 个字符。请缩短。",
    "template_bad_name": "{name} 不能作为模板名称。请使用小写字母、数字和下划线，以字母开头，最多 41 个字符。",
    "template_bad_note": "说明最多 {limit} 个字符。请缩短。",
    "template_bad_sampling": "采样设置 {setting} 无法使用。请修改。",
    "template_bad_tags": "标签最多 {limit} 个，每个最多 40 个字符。请减少或缩短。",
    "template_bad_task": "{task} 不是任务。可选：{known}。",
    "template_bad_text": "模板文本的长度不合要求（{length} 个字符）。请重新输入。",
    "template_bad_title": "模板需要标题，最多 200 个字符。",
    "template_bad_variable": "变量“{name}”无法使用（{fault:fault}）。请修改。",
    "template_broken": "模板文件 {file} 第 {line} 行有误（{fault:fault}）。请管理员修正；其他模板不受影响。",
    "template_builtin": "{name} 是内置模板，不能更改。请复制一份，或另存自己的版本来替代它。",
    "template_changed": "其他人刚刚保存了 {name} 的新版本。请查看后再保存，或换一个名称保存；没有内容丢失。",
    "template_exists": "已有名为 {name} 的模板。请换一个名称，或保存为它的新版本。",
    "template_half_character": "文本中有不完整的字符。请重新输入。",
    "template_not_found": "没有名为 {name} 的模板。",
    "template_unknown_placeholder": "文本中的 {placeholder} 没有对应的变量。请使用模板的变量（{known}），或直接写出文字。",
    "template_version_fixed": "{name}@{version} 是已保存的版本，不能更改。请改写 {name}，或先恢复该版本。",
    "template_version_not_found": "模板 {name} 没有版本 {version}。请从版本列表中选择。",
    "text_too_long": "文字有 {length} 个字符，最多 {limit} 个。",
    "too_little_gpu_memory": "显存约缺 {missing} GB。请管理员设置 {remedy}。",
    "too_long": "图片过长：{width} × {height} 像素，任何一边不得超过 {limit}。请裁成几部分。",
    "too_many_hub_files": "导出共 {files} 个文件，Hugging Face 一次最多接收 {limit} 个。请选择图片在文件内的格式，如 datasets。",
    "too_many_bytes": "文件过大：上限为 {limit:bytes}。请存得更小，例如存为 JPEG。",
    "too_many_items": "一次最多删除 {limit} 个条目。请分几次删除。",
    "too_many_pages": "共 {pages} 页，一次最多 {limit} 页。请拆分文档或减少页数。",
    "too_many_pixels": "图片过大：{width} × {height} 像素，上限为 {limit:pixels}。请缩小或裁成几部分。",
    "too_much_memory": "解码此图片所需的内存超出上限。请以更简单的方式另存，例如 8 位 PNG。",
    "unknown_answer": "没有第 {number} 个回答。请重新加载页面。",
    "unknown_choice": "{value} 不是可选项。可选：{allowed}。",
    "unknown_engine": "没有引擎 {engine}。可选：{known}。",
    "unknown_error_kind": "{value} 不是错误类型。可选：{allowed}。",
    "unknown_example": "没有示例 {name}。",
    "unknown_filter": "没有筛选条件 {name}。可用：{allowed}。",
    "unknown_format": "没有导出格式 {format}。可选：{allowed}。",
    "unknown_page": "没有这一页，它可能已被删除。",
    "bad_number_of_ways": "一张图片可以同时用 1 到 {most} 种方式识别并排显示。",
    "bad_preference": "一个结果可以好于 1 到 {most} 个其他结果，每个只能写一次。请在显示的结果中选择。",
    "experiment_running": "模板 {template} 已经有一个进行中的对比。请先结束它，再开始新的对比。",
    "unknown_experiment": "没有对比 {id}。请重新加载页面。",
    "experiment_ended": "对比 {id} 已经结束。请开始新的对比。",
    "experiment_same": "A 和 B 相同。请为 B 选择另一个模板或引擎。",
    "experiment_other_task": "{template} 和 {other} 要求的内容不同。请为 B 选择完成同一任务的模板。",
    "experiment_variable": "{other} 需要填写 {variable}，而 {template} 不询问它。请给它一个默认值，或为 B 选择另一个模板。",
    "experiment_name": "名称最多 {most} 个字符。",
    "share_out_of_range": "比例应在 0 到 100 % 之间。",
    "unknown_pair": "这一对回答已失效。请取下一对。",
    "unknown_push": "没有推送 {push}。请重新开始。",
    "unknown_recognition": "没有条目 {item}，它可能已被删除；请在“数据集”页查看现有条目。",
    "unknown_rollout": "没有这组回答（{rollout}）。请对该条目重新采样。",
    "unknown_rollout_job": "没有批次 {job}。请新建一个。",
    "unknown_rule": "没有规则 {rule}。可选：{allowed}。",
    "unknown_sampling": "没有采样设置 {names}。可选：{allowed}。",
    "unknown_sort": "没有排序方式 {sort}。",
    "unknown_state": "{value} 不是状态。可选：{allowed}。",
    "unknown_part": "没有评分部分 {part}。可选：{allowed}。",
    "unknown_task": "没有任务 {task}。可选：{allowed}。",
    "unknown_variable": "模板 {template} 没有变量 {variables}。",
    "unknown_verdict": "{value} 不是结论。可选：{allowed}。",
    "unknown_version": "没有版本 {name}。请在“数据集”页查看现有版本。",
    "unreadable_file": "无法读取 {file}。",
    "unsupported_format": "不接受 {format:name} 文件。请另存为 JPEG、PNG、WebP、TIFF、BMP、GIF、HEIC、AVIF 或 PDF。",
    "unwritable_file": "无法写入文件。请选择可写的位置。",
    "version_exists": "已有名为 {name} 的版本；版本不会更改。请换一个名称。",
    "version_exported": "版本 {name} 已导出 {exports} 次，必须保留，以便查明那些数据的来源。",
    "vllm_untested": "本产品未测试过 vLLM {version}。请管理员安装已测试的版本，或设置 OCR_UI_ALLOW_UNTESTED_VLLM=1 仍然使用。",
    "wrong_key": "服务器 {url} 拒绝了密钥。请管理员更正 OCR_UI_API_KEY 或引擎文件中的密钥。",
}

WARNINGS_ZH: dict[str, str | tuple[str, ...]] = {
    "again_longer": (
        "已允许最多 {tokens} 个词元的回答，重新识别。",
        "已允许更长的回答，重新识别。",
    ),
    "again_penalty": (
        "已用重复惩罚 {penalty} 重新识别。",
        "已用更高的重复惩罚重新识别。",
    ),
    "again_smaller": (
        "已用最多 {pixels:pixels}的图片重新识别。",
        "已用更小的图片重新识别。",
    ),
    "animated": (
        "这是含 {pages} 帧的动画，取了第 {page} 帧。",
        "这是动画，只取了其中一帧。",
    ),
    "bad_box": "框无法读出；文本保留，但没有框。",
    "blank_first": (
        "第一帧是空白，第 {page} 帧不是。",
        "第一帧是空白，后面的不是。",
    ),
    "clamped": "有坐标超出图片，已移到边缘。",
    "degenerate": "有框没有宽度或高度。",
    "duplicate_key": (
        "“{name}”有多个不同的值；显示最后一个。",
        "同一名称出现多次且值不同；显示最后一个。",
    ),
    "empty": (
        "回答中没有：{names}。",
        "没有找到文本，或图片是空白的。",
    ),
    "binarised": "文字很淡，识别用的副本已转为黑白。",
    "denoised": "页面颗粒明显，识别用的副本已平滑。",
    "deskewed": (
        "页面倾斜 {degrees} 度，识别用的副本已摆正。",
        "页面倾斜，识别用的副本已摆正。",
    ),
    "despeckled": "页面布满噪点，识别用的副本已去除噪点。",
    "flattened": "图片带透明部分，已铺上能看清文字的底色。",
    "light_evened": "文字较淡且页面明暗不均，识别用的副本已调匀。",
    "limit": "回答中有一部分过大，未读入。",
    "metadata_skipped": "已跳过文件中过大的附加数据；图片本身完整。",
    "mixed_format": "回答混用了几种输出格式。",
    "more_pages": (
        "文档共 {pages} 页，取了第 {page} 页。",
        "文档有多页，只取了其中一页。",
    ),
    "narrow_range": (
        "像素只用了 16 位中的 {bits} 位，已按其范围换算。",
        "像素没有用满 16 位，已按其范围换算。",
    ),
    "no_form": "该引擎无法按字段名约束回答，已自由作答。",
    "padded": "图片过于狭长，识别时加了边距。",
    "prompt_unused": "该引擎不使用提示词：您输入的提示词没有起作用。",
    "profile_ignored": "文件中的颜色配置无法使用，颜色可能有偏差。",
    "ragged": "表格各行的单元格数不同。",
    "read_in_full": (
        "先用 {width} × {height} 像素识别，把握仅 {percent}%；已用全部像素重新识别，以下是这次的结果。",
        "先用较少像素识别，未读出内容；已用全部像素重新识别，以下是这次的结果。",
    ),
    "read_in_full_broken_off": (
        "用 {width} × {height} 像素识别，把握仅 {percent}%；用全部像素重新识别未能完成，因此保留第一次的结果。",
        "用较少像素识别没有把握；用全部像素重新识别未能完成，因此保留第一次的结果。",
    ),
    "read_in_full_vainly": (
        "用 {width} × {height} 像素识别，把握仅 {percent}%；用全部像素重新识别并没有更好，因此保留第一次的结果。",
        "用较少像素识别没有把握；用全部像素重新识别并没有更好，因此保留第一次的结果。",
    ),
    "read_smaller": (
        "引擎没有足够内存识别 {width} × {height} 像素的图片，已用一半像素重新识别。",
        "引擎内存不足，已用一半像素重新识别。",
    ),
    "reading_in_full": "用较少像素识别没有把握，正在用全部像素重新识别。",
    "reduced": (
        "页面非常大，以每英寸 {dpi} 点绘制。",
        "页面非常大，绘制得较小。",
    ),
    "repaired": "回答格式有误，已修复。",
    "repeated": "模型在重复输出，重复部分已略去，原始输出中仍保留。",
    "reversed": "有框的角点顺序有误，已更正。",
    "scaled_down": (
        "{width} × {height} 像素的图片已缩小到 {to_width} × {to_height} 供识别。",
        "图片较大，已缩小供识别。",
    ),
    "stopped": "识别已停止，以下是已识别的内容。",
    "stretched": (
        "像素值 {low} 到 {high} 已拉伸为黑到白。",
        "像素值已拉伸为黑到白。",
    ),
    "text_on_blank": "图片上看不到任何内容，这些文本可能是编造的。",
    "timeout": "引擎没有响应，以下是已识别的内容。",
    "truncated": (
        "文件已损坏或不完整：约 {percent}% 可以读出，其余留空。",
        "内容不完整（被截断），完整的部分已保留。",
    ),
    "turned_180": "页面倒放，已转正（180 度）。",
    "turned_270": "页面侧放，已转正（270 度）。",
    "turned_90": "页面侧放，已转正（90 度）。",
    "unparsed": "回答中有一部分不符合预期格式，按纯文本保留。",
    "unreadable_lines": "有些行无法可靠识别，未作猜测。",
    "unreadable_script": "图中有本引擎无法识别的文字（例如阿拉伯文），未作猜测。",
}
"""Where there are several sentences, the first whose details are known: old results were stored without."""


def localize_error(error: dict[str, Any], language: str) -> dict[str, Any]:
    """An error `{"code", "message", "hint", "details"}` in "en" or "zh"; in English where no translation is known."""
    sentence = ERRORS_ZH.get(error["code"]) if language == "zh" else None
    if sentence is not None:
        return {**error, "message": fill_in(sentence, error.get("details", {})), "hint": ""}
    if error["code"] in ADMINISTRATOR and error.get("hint"):
        return {**error, "hint": FOR_ADMINISTRATOR.format(hint=error["hint"])}
    return error


def error_sentence(error: WorkbenchError, language: str) -> str:
    """What is wrong and what to do, in "en" or "zh"."""
    return _sentence(localize_error(error_value(error), language), to_look_for(error), language)


def _sentence(said: dict[str, Any], request: str, language: str) -> str:
    """Args: request: its id, where the log may know more; empty where it does not."""
    sentence = f"{said['message']} {said['hint']}".strip()
    return sentence + fill(TEXTS["app.request"][language], request=request) if request else sentence


def localize_reasons(reasons: list[dict[str, Any]], language: str) -> list[dict[str, Any]]:
    """Reasons of `ocr_ui.exports.reasons` for leaving items out, in "en" or "zh"."""
    return [{**reason, "message": _left_out(reason)} for reason in reasons] if language == "zh" else reasons


def localize(value: dict[str, Any], language: str) -> dict[str, Any]:
    """A viewer value, or the answer to an upload, with its warnings and its run's error in the language."""
    value = {**value, "warnings": [_warning(warning, language) for warning in value.get("warnings", ())]}
    error = (value.get("run") or {}).get("error")
    if error:
        said = localize_error(error, language)
        value["run"] = {**value["run"], "message": _sentence(said, value["run"].get("request", ""), language)}
    return value


def fill_in(sentence: str, details: dict[str, Any]) -> str:
    """The Chinese sentence with its blanks filled; one without a value stays as it is."""

    def written(blank: re.Match[str]) -> str:
        name, form = blank.groups()
        if name not in details:
            return blank[0]
        return FORMS[form](details[name]) if form else str(details[name])

    return BLANK.sub(written, sentence)


def _warning(warning: dict[str, Any], language: str) -> dict[str, Any]:
    sentences = WARNINGS_ZH.get(warning["code"]) if language == "zh" else None
    if sentences is None:
        return warning
    details = warning.get("details", {})
    several = (sentences,) if isinstance(sentences, str) else sentences
    fitting = next(s for s in several if {name for name, _ in BLANK.findall(s)} <= set(details))
    return {**warning, "message": fill_in(fitting, details)}
